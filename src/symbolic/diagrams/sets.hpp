// Sets: union, intersection and difference of sets of vectors, and queries about a set.
//
// Operands are sets over the same levels. Everything here recurses once per level; see deep_stack.hpp.
#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "symbolic/diagrams/forest.hpp"
#include "symbolic/diagrams/operation_cache.hpp"

namespace tideline::symbolic {

/// Operations that share one cache, and so must differ in the first word of their keys. Those from
/// first_free on are for other files.
enum SetOperation : std::uint32_t { op_unite = 1, op_intersect, op_subtract, op_first_free };

class Sets {
 public:
  using Cache = OperationCache<3, 1, 0b110>;

  explicit Sets(Forest& forest) : forest_(forest), cache_(forest, 0.25) {}

  Forest& forest() { return forest_; }

  NodeId unite(NodeId a, NodeId b);
  NodeId intersect(NodeId a, NodeId b);
  NodeId subtract(NodeId a, NodeId b);

  /// Whether the vector, given from the top level down, is in the set.
  bool contains(NodeId set, std::span<const Index> vector) const;

  /// The set of one vector; levels and indices from the top down.
  NodeId single(std::span<const std::uint32_t> levels, std::span<const Index> vector);

  /// One vector of a set that is not empty: the first in lexicographic order.
  std::vector<Index> pick(NodeId set) const;

  /// visit(vector from the top level down) for all vectors, in lexicographic order. The set does not change
  /// and stays alive meanwhile.
  void for_each(NodeId set, const std::function<void(std::span<const Index>)>& visit) const;

  /// The number of vectors.
  mpz_class count(NodeId set) const;

 private:
  template <SetOperation Operation>
  NodeId combine(NodeId a, NodeId b);

  Forest& forest_;
  Cache cache_;
};

/// The nodes of a diagram by level, the root's first: [0] has the root alone. Within a level in the order in
/// which they are met.
std::vector<std::vector<NodeId>> nodes_by_level(const Forest& forest, NodeId root);

/// The same set in another forest.
NodeId copy_set(const Forest& from, NodeId set, Forest& to);

}  // namespace tideline::symbolic
