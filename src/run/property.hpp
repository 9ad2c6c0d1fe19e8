// Properties: what a check is asked about a model.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/ctl_formula.hpp"
#include "model/system.hpp"
#include "run/fairness.hpp"

namespace tideline {

enum class Verdict { holds, violated, unknown };
constexpr Verdict last_value(Verdict) {
  return Verdict::unknown;
}

std::string_view to_string(Verdict verdict);
std::optional<Verdict> verdict_from(std::string_view text);

enum class PropertyKind {
  deadlock,     ///< no reachable state is without a successor
  invariant,    ///< `expr` is true in every reachable state
  reach,        ///< `expr` is true in some reachable state (holds: the run is the witness)
  assertion,    ///< an invariant that came with the model
  model_error,  ///< no reachable action ends in a model error
  automaton,    ///< no run is accepted by a property automaton: the model's own, or one from a file
  ltl,          ///< every run satisfies a formula; the automaton accepts those that do not
  ctl,          ///< a formula of CTL is true in the initial state
};

std::string_view to_string(PropertyKind kind);
std::optional<PropertyKind> property_kind_from(std::string_view text);

/// Whether it is about infinite runs; violations are then lassos.
inline bool is_liveness(PropertyKind kind) {
  return kind == PropertyKind::automaton || kind == PropertyKind::ltl;
}

/// Whether visiting every reachable state decides it.
inline bool is_of_states(PropertyKind kind) {
  return !is_liveness(kind) && kind != PropertyKind::ctl;
}

/// Whether it is an expression that is evaluated in single states.
inline bool has_expression(PropertyKind kind) {
  return kind == PropertyKind::invariant || kind == PropertyKind::reach || kind == PropertyKind::assertion;
}

struct Property {
  std::string name;
  PropertyKind kind = PropertyKind::deadlock;
  std::string formula;       ///< as the user wrote it; empty where the kind says it all
  std::string pattern = {};  ///< for ltl: the pattern that stands for the formula, which binding fills in
  Expr expr = Expr::constant(1);  ///< for invariant, reach and assertion
  /// For automaton, ltl and ctl: what the formula says of single states, where that may have no value. In a
  /// state where one of these has none the property has none. (For the other kinds that is `expr`.)
  std::vector<Expr> parts = {};
  std::vector<Proposition> atoms = {};  ///< for ltl and ctl: what names in the formula stand for, where known
  std::shared_ptr<const PropertyProcess> process = {};  ///< for automaton and ltl: what accepts wrong runs
  Fairness fairness = Fairness::none;                   ///< for automaton and ltl: which runs count
  std::vector<std::string> fair_actions =
      {};  ///< fair to these actions (see model/labels.hpp), not to processes
  std::shared_ptr<const CtlFormula> ctl = {};             ///< for ctl, with its atoms bound
  DeadlockPaths deadlock_paths = DeadlockPaths::stutter;  ///< for ctl: how runs go on from a deadlock
  std::optional<Verdict> expected = {};                   ///< what the author of the model says the answer is
  std::string origin = {};  ///< what messages about the formula call it; empty: by the property's name
};

/// Distinct names for several things of one name: "invariant" for index 0, "invariant-2" for index 1.
std::string numbered(std::string_view name, std::size_t index);

}  // namespace tideline
