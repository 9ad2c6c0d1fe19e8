// FormulaPool: a pool that keeps every formula once (hash-consing).
//
// Equal formulas have equal numbers, sharing is free, and what is known about a formula can be kept in a
// table beside the pool. A formula is such a number and means nothing without its pool. Conjunctions and
// disjunctions have any number of operands (at least two) and never directly contain one of their own kind;
// everything else has one or two. Operands come before the formulas they are part of, so that a loop over the
// numbers is a bottom-up traversal.
//
// LTL and CTL share it: Op is the logic's enumeration of operators, which has at least false_, true_, atom,
// and_ and or_; Formula is a struct with the number, so that formulas of the two are not mixed up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/error.hpp"

namespace tideline {

/// An atom: a proposition, or an expression in the language of the model.
struct FormulaAtom {
  std::string name;
  SourcePoint where = {};  ///< its first place in the text, if it came from one
  std::string glued = {};  ///< operators before the name without a space: "GF" in GFp
};

template <class Op, class Formula>
class FormulaPool {
 public:
  FormulaPool() {
    nodes_.push_back({Op::false_, 0, 0, 1});
    nodes_.push_back({Op::true_, 0, 0, 1});
  }

  Formula constant(bool value) const { return Formula{value ? 1u : 0u}; }

  /// The atom of that name. `where` and `glued` are kept when it is new.
  Formula atom(std::string_view name, SourcePoint where = {}, std::string_view glued = {}) {
    const auto [entry, is_new] = atom_by_name_.try_emplace(std::string(name));
    if (is_new) {
      entry->second = Formula{static_cast<std::uint32_t>(nodes_.size())};
      nodes_.push_back({Op::atom, static_cast<std::uint32_t>(atoms_.size()), 0, 1});
      atoms_.push_back({std::string(name), where, std::string(glued)});
    }
    return entry->second;
  }

  Formula unary(Op op, Formula operand) { return intern(op, {&operand, 1}); }

  /// Nested operands of the same associative operator are joined; nothing else is simplified.
  Formula binary(Op op, Formula left, Formula right) {
    const Formula both[] = {left, right};
    return op == Op::and_ || op == Op::or_ ? many(op, both) : intern(op, both);
  }

  /// and_ or or_ of any number of operands; without operands the constant, with one that operand.
  Formula many(Op op, std::span<const Formula> given) {
    if (given.empty()) return constant(op == Op::and_);
    std::vector<Formula> joined;
    for (const Formula f : given) {
      if (this->op(f) == op) {
        const auto nested = operands(f);
        joined.insert(joined.end(), nested.begin(), nested.end());
      } else {
        joined.push_back(f);
      }
    }
    return joined.size() == 1 ? joined[0] : intern(op, joined);
  }

  Op op(Formula f) const { return nodes_[f.id].op; }
  std::span<const Formula> operands(Formula f) const {
    const Node& node = nodes_[f.id];
    if (node.count == 0) return {};  // `first` may be the index of an atom
    return {operands_.data() + node.first, node.count};
  }
  Formula left(Formula f) const { return operands_[nodes_[f.id].first]; }
  Formula right(Formula f) const { return operands_[nodes_[f.id].first + 1]; }
  /// Index into atoms(); f is an atom.
  std::uint32_t atom_index(Formula f) const { return nodes_[f.id].first; }
  /// The height: 1 for atoms and constants.
  std::uint32_t depth(Formula f) const { return nodes_[f.id].depth; }

  const std::vector<FormulaAtom>& atoms() const { return atoms_; }
  std::size_t size() const { return nodes_.size(); }

 private:
  struct Node {
    Op op;
    std::uint32_t first;  // of its operands; for an atom its index
    std::uint32_t count;
    std::uint32_t depth;
  };

  static std::uint64_t hash_of(Op op, std::span<const Formula> operands) {
    std::uint64_t hash = static_cast<std::uint64_t>(op) + 1;
    for (const Formula f : operands) {
      hash = (hash ^ f.id) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 29;
    }
    return hash;
  }

  Formula intern(Op op, std::span<const Formula> given) {
    const std::uint64_t hash = hash_of(op, given);
    const auto [begin, end] = by_hash_.equal_range(hash);
    for (auto it = begin; it != end; ++it)
      if (this->op(it->second) == op && std::ranges::equal(operands(it->second), given)) return it->second;

    std::uint32_t deepest = 0;
    for (const Formula f : given) deepest = std::max(deepest, depth(f));
    const Formula result{static_cast<std::uint32_t>(nodes_.size())};
    nodes_.push_back({op, static_cast<std::uint32_t>(operands_.size()),
                      static_cast<std::uint32_t>(given.size()), deepest + 1});
    operands_.insert(operands_.end(), given.begin(), given.end());
    by_hash_.emplace(hash, result);
    return result;
  }

  std::vector<Node> nodes_;
  std::vector<Formula> operands_;
  std::vector<FormulaAtom> atoms_;
  std::unordered_map<std::string, Formula> atom_by_name_;
  std::unordered_multimap<std::uint64_t, Formula> by_hash_;
};

}  // namespace tideline
