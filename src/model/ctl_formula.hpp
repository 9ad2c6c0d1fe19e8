// A CTL formula in the form in which engines evaluate it: negation, conjunction, disjunction, EX, EU and EG
// over atoms that are expressions of the system. logic/ expresses everything else in CTL with these, the
// universal operators by duality: AX f = !EX !f, AF f = !EG !f, AG f = !E(true U !f).
//
// Subformulas are numbered bottom-up: operands come before the formulas they are part of, each subformula is
// there once, and the last is the formula itself. An engine that evaluates them in the order of their numbers
// finds the values it needs.
//
// Deadlocks. Runs are maximal: they end only where no action is enabled. What that means for X is a choice:
//   stutter   a deadlock repeats for ever, as in LTL: EX f and AX f are f there
//   maximal   a run that has ended has no next state: EX f is false there, and AX f true
// All other operators have the same value either way: E(f U g) is g in a deadlock, and EG f is f.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/expr.hpp"

namespace tideline {

enum class DeadlockPaths { stutter, maximal };

std::string_view to_string(DeadlockPaths paths);
std::optional<DeadlockPaths> deadlock_paths_from(std::string_view text);

struct CtlFormula {
  enum class Op : std::uint8_t { true_, atom, not_, and_, or_, ex, eu, eg };

  using NodeId = std::uint32_t;
  struct Node {
    Op op = Op::true_;
    NodeId left = 0;   ///< the operand, or the first of two; of an atom: its index
    NodeId right = 0;  ///< of and_, or_ and eu (left U right)
    bool operator==(const Node&) const = default;
  };

  std::vector<Node> nodes;
  std::vector<Expr> atoms;              ///< as many as names once they are bound to a system
  std::vector<std::string> atom_names;  ///< as the user wrote them

  NodeId root() const { return static_cast<NodeId>(nodes.size() - 1); }
};

/// Whether the subformula speaks about one state only: atoms and connectives.
bool is_state_formula(const CtlFormula& formula, CtlFormula::NodeId node);

/// A subformula that speaks about one state, as one expression.
Expr state_expression(const CtlFormula& formula, CtlFormula::NodeId node);

/// "AG EF goal" or "AG AF goal": the two forms that have algorithms of their own.
struct AlwaysForm {
  enum class Kind { possible, inevitable };  ///< AG EF, AG AF
  Kind kind = Kind::possible;
  CtlFormula::NodeId node = 0;  ///< a state formula; the goal is where it has this value
  bool value = true;

  /// The goal as one expression.
  Expr goal(const CtlFormula& formula) const;
};

/// The form, if the formula can be seen to have one.
std::optional<AlwaysForm> always_form(const CtlFormula& formula);

/// By atom: the truth that it must have in every reachable state if the formula has this value in the initial
/// one, as p has if AG p is true; nothing: it may have either.
std::vector<std::optional<bool>> forced_truths(const CtlFormula& formula, bool value);

/// The claim that a subformula has this value, as a readable formula. Long ones are cut off.
std::string to_string(const CtlFormula& formula, CtlFormula::NodeId node, bool value);

}  // namespace tideline
