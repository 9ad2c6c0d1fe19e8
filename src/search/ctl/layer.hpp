// CtlLayer: the states of one layer of a sweep and the transitions that leave them, without the states
// themselves, as they are written to disk for an evaluation of CTL formulas from the last layer to the first.
//
// Nodes are numbered as in the sweep: roots first, in the order of expansion. A transition leads to a
// node of the same layer, to a node of a later one, or to a persistent state. Layers are numbered when
// they are first referred to, persistent states when they become so. So the layers that this layer is the
// first to refer to have the numbers from `first_reference` on: once this layer is evaluated, their
// values are no longer needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tideline {

struct CtlLayer {
  struct Edge {
    std::uint32_t place;  ///< `here`, `persistent`, or the number of a layer
    std::uint32_t index;  ///< of the node, or the persistent state
    bool operator==(const Edge&) const = default;
  };
  static constexpr std::uint32_t here = ~std::uint32_t{0}, persistent = here - 1;

  std::uint32_t number = 0;
  std::uint32_t first_reference = 0;
  std::uint32_t initial = 0;               ///< its first nodes are initial states
  std::vector<std::uint32_t> roots = {};   ///< or they are these persistent states
  std::vector<std::uint64_t> first = {0};  ///< where the edges of a node begin, and where all end
  std::vector<Edge> edges = {};            ///< in the order of the graph's steps
  std::vector<bool> fails = {};            ///< by node: some action ends in a model error
  std::vector<std::byte> atoms = {};       ///< by node: a bit for each atom, the same number of bytes
  std::size_t atom_bytes = 0;

  std::uint32_t size() const { return static_cast<std::uint32_t>(first.size() - 1); }
  bool is_deadlock(std::uint32_t node) const { return first[node] == first[node + 1] && !fails[node]; }
  bool has_atom(std::uint32_t node, std::size_t atom) const {
    return (std::to_integer<unsigned>(atoms[node * atom_bytes + atom / 8]) >> (atom % 8) & 1) != 0;
  }
  std::span<const Edge> edges_of(std::uint32_t node) const {
    return std::span(edges).subspan(first[node], first[node + 1] - first[node]);
  }

  /// Makes it empty, and keeps its memory for the next one.
  void clear();
  bool operator==(const CtlLayer&) const = default;
};

/// Appends the layer to the bytes.
void encode(const CtlLayer& layer, std::vector<std::byte>& bytes);
/// The inverse; atom_bytes stays as it is. Throws Error(io) when the bytes are too few for what they begin with.
void decode(std::span<const std::byte> bytes, CtlLayer& layer);

}  // namespace tideline
