// LTL formulas: how they are stored, read and printed.
//
// Formulas live in an LtlPool that keeps every formula once (hash-consing): equal formulas have equal
// numbers, sharing is free, and what is known about a formula can be kept in a table beside the pool. An Ltl
// is such a number and means nothing without its pool. Conjunctions and disjunctions have any number of
// operands (at least two) and never directly contain one of their own kind; everything else has one or two.
// Operands come before what they are part of, so that a loop over the numbers is a bottom-up traversal.
//
// docs/ltl.md describes the language that is read, with its precedences.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/error.hpp"

namespace tideline {

enum class LtlOp : std::uint8_t {
  false_,
  true_,
  atom,
  not_,
  and_,
  or_,
  implies,
  equivalent,
  exclusive_or,
  next,            ///< X f
  eventually,      ///< F f
  always,          ///< G f
  until,           ///< f U g
  release,         ///< f R g, also written V
  weak_until,      ///< f W g = f U g || G f
  strong_release,  ///< f M g = g U (f && g)
};

/// How tightly an operator binds: binary ones from 0 on, in the order of docs/ltl.md, all others tightest. In
/// print, operands that bind less tightly, and those of another operator of the same level, get parentheses.
inline constexpr int ltl_unary_binding = 5;
int ltl_binding(LtlOp op);

/// A formula of some pool.
struct Ltl {
  std::uint32_t id = 0;
  auto operator<=>(const Ltl&) const = default;
};

/// An atom: a proposition, or an expression in the language of the model.
struct LtlAtom {
  std::string name;
  SourcePoint where = {};  ///< its first place in the text, if it came from one
  std::string glued = {};  ///< operators that stood before the name without a space: "GF" in GFp
};

/// The most atoms that a formula and its automaton may have: a valuation is one machine word.
inline constexpr std::size_t max_ltl_atoms = 64;

class LtlPool {
 public:
  LtlPool();

  Ltl constant(bool value) const { return Ltl{value ? 1u : 0u}; }
  /// The atom of that name. `where` and `glued` are kept when it is new.
  Ltl atom(std::string_view name, SourcePoint where = {}, std::string_view glued = {});
  Ltl unary(LtlOp op, Ltl operand);
  /// Nested operands of the same associative operator are joined; nothing else is simplified.
  Ltl binary(LtlOp op, Ltl left, Ltl right);
  /// and_ or or_ of any number of operands; of none it is the constant, of one that one.
  Ltl many(LtlOp op, std::span<const Ltl> operands);

  LtlOp op(Ltl f) const { return nodes_[f.id].op; }
  std::span<const Ltl> operands(Ltl f) const {
    return {operands_.data() + nodes_[f.id].first, nodes_[f.id].count};
  }
  Ltl left(Ltl f) const { return operands_[nodes_[f.id].first]; }
  Ltl right(Ltl f) const { return operands_[nodes_[f.id].first + 1]; }
  /// Index into atoms(); f is an atom.
  std::uint32_t atom_index(Ltl f) const { return nodes_[f.id].first; }
  /// The longest way down: 1 for atoms and constants.
  std::uint32_t depth(Ltl f) const { return nodes_[f.id].depth; }

  const std::vector<LtlAtom>& atoms() const { return atoms_; }
  std::size_t size() const { return nodes_.size(); }

 private:
  struct Node {
    LtlOp op;
    std::uint32_t first;  // of its operands; for an atom its index
    std::uint32_t count;
    std::uint32_t depth;
  };
  Ltl intern(LtlOp op, std::span<const Ltl> operands);

  std::vector<Node> nodes_;
  std::vector<Ltl> operands_;
  std::vector<LtlAtom> atoms_;
  std::unordered_map<std::string, Ltl> atom_by_name_;
  std::unordered_multimap<std::uint64_t, Ltl> by_hash_;
};

/// The deepest nesting that is read; what walks a formula may recurse that deep.
inline constexpr std::uint32_t max_ltl_depth = 2000;

/// Reads a formula. Throws Error(input) that points into the text.
Ltl parse_ltl(LtlPool& pool, const SourceText& source);

/// The formula in canonical spelling with few parentheses; parse_ltl gives the same formula back.
std::string to_string(const LtlPool& pool, Ltl f);

/// True for a name that can stand in a formula without quotes and is read back as that atom.
bool is_bare_ltl_name(std::string_view name);

/// The atoms that occur in f, as indices into pool.atoms(), in ascending order.
std::vector<std::uint32_t> atoms_of(const LtlPool& pool, Ltl f);

}  // namespace tideline
