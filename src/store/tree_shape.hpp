// TreeShape: which parts of a state are put together in a TreeTable.
//
// The leaves are the state's units of 4 bytes. Any binary tree over them will do, but not all are as small: the
// parts of a node are the different values that its units take together, so units that depend on each
// other belong close to each other, and those that take many values together belong near the root. The shape
// comes from a sample of states. Of all nodes so far, the two that take the fewest values together in the
// sample get a parent, until one is left. What changes most is then near the root, where few lookups follow a change.
//
// Slots have numbers: the nodes come first, the root is 0 and every other node comes after its parent; then come the
// units, in the order of the state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tideline {

/// Packed states, one after the other.
using StateSample = std::vector<std::byte>;

class TreeShape {
 public:
  using Slot = std::uint32_t;
  using Unit = std::uint32_t;

  struct Children {
    Slot left, right;
  };

  /// How many states of a sample are looked at when a state has so many bytes.
  static std::size_t sample_size(std::size_t state_bytes);

  /// An empty sample: a balanced tree.
  TreeShape(std::size_t state_bytes, const StateSample& sample);

  std::size_t state_bytes() const { return state_bytes_; }
  /// An even number, of at least four, so that one half at least is a node and no pair of halves has all bits
  /// set; those that a state does not have are 0.
  std::size_t units() const { return units_; }
  std::size_t nodes() const { return children_.size(); }
  std::size_t slots() const { return nodes() + units(); }
  bool is_node(Slot slot) const { return slot < nodes(); }
  Children children(Slot node) const { return children_[node]; }

  /// A set of nodes has so many masks of 64.
  std::size_t masks() const { return masks_; }
  /// The nodes, except the root, that contain a unit.
  const std::uint64_t* path(std::size_t unit) const { return paths_.data() + unit * masks_; }

 private:
  std::size_t state_bytes_;
  std::size_t units_;
  std::size_t masks_;
  std::vector<Children> children_;
  std::vector<std::uint64_t> paths_;
};

}  // namespace tideline
