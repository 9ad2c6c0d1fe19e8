// Forest: the nodes of multi-valued decision diagrams.
//
// A diagram stands for a set of vectors (i_L, ..., i_1) of small numbers. Its root is a node of the top
// level; child i of a node at level k stands for the rest of the vectors that begin with i there. Numbers are
// indices of local states in the order in which they were discovered (see symbolic/space/levels.hpp), so a
// level has no domain that must be known beforehand: a node simply ends at its last child.
//
// Node form. Diagrams are quasi-reduced: levels are not skipped, because a node that is the same for all
// values cannot be recognised while values are still being discovered, and because saturation has something
// to do at every level. (A set over some of the levels only, such as a projection, has nodes on just these.)
// A node is an array of children, stored as words: either all of them up to the last that is not empty, or
// pairs of index and child when that takes less room. The form follows from the contents, so equal nodes are
// equal words. A node of two children takes 16 bytes: link of the hash chain, header, two children.
//
// Nodes are numbered by their place in memory in units of 8 bytes, and never move. Equal nodes are one node:
// comparing sets is comparing numbers.
//
// Garbage. Nodes are marked from the roots and swept: from Root handles, and from frames of children that
// operations are building. Collections happen inside make() only. The caller of an operation keeps its
// arguments reachable; a result is not protected until it is stored somewhere.
//
// Invariants: no node has an empty last child in the array form, or an empty child in the pair form; no node
// is without children; node numbers 0 and 1 are the empty set and the set of the empty vector.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "run/budget.hpp"
#include "store/memory.hpp"
#include "symbolic/diagrams/frames.hpp"

namespace tideline::symbolic {

using NodeId = std::uint32_t;
using Index = std::uint32_t;  ///< of a local state at its level

inline constexpr NodeId empty = 0;
inline constexpr NodeId unit = 1;

struct ForestOptions {
  Budget* budget = nullptr;         ///< polled while nodes are made; none: no limits
  std::uint64_t most_requests = 0;  ///< for nodes, then LimitReached; 0: no limit
  bool collect_always = false;  ///< for tests: a collection whenever a node is made, which wipes what is dead
  std::size_t first_collection = std::size_t{64} << 20;  ///< bytes of nodes before the first collection
};

struct ForestFigures {
  std::uint64_t nodes = 0;  ///< live or not yet collected
  std::uint64_t peak_nodes = 0;
  std::uint64_t bytes = 0;
  std::uint64_t peak_bytes = 0;
  std::uint64_t collections = 0;
  std::uint64_t cache_lookups = 0;
  std::uint64_t cache_hits = 0;

  /// Of two forests together.
  ForestFigures& operator+=(const ForestFigures& other) {
    nodes += other.nodes;
    peak_nodes += other.peak_nodes;
    bytes += other.bytes;
    peak_bytes += other.peak_bytes;
    collections += other.collections;
    cache_lookups += other.cache_lookups;
    cache_hits += other.cache_hits;
    return *this;
  }
};

/// A table that refers to nodes without keeping them alive, and forgets them when they die.
class WeakTable {
 public:
  virtual ~WeakTable() = default;
  virtual void sweep() = 0;
  virtual void add_figures(ForestFigures& figures) const = 0;
};

class Forest {
 public:
  static constexpr std::uint32_t most_levels = (1u << 22) - 1;
  static constexpr std::size_t chunk_bytes = std::size_t{4} << 20;

  explicit Forest(ForestOptions options = {});
  Forest(const Forest&) = delete;
  Forest& operator=(const Forest&) = delete;

  /// A node as it lies in memory; valid while the node lives.
  struct View {
    const std::uint32_t* words = nullptr;  ///< children, or indices and then children
    std::uint32_t size = 0;                ///< entries
    bool sparse = false;

    Index index(std::uint32_t entry) const { return sparse ? words[entry] : entry; }
    NodeId child(std::uint32_t entry) const { return sparse ? words[size + entry] : words[entry]; }
    /// One past the greatest index.
    Index end() const { return sparse ? words[size - 1] + 1 : size; }
    /// The child at an index; empty when there is none.
    NodeId at(Index i) const;
  };

  View view(NodeId node) const {
    const std::uint32_t* const words = address(node);
    const std::uint32_t header = words[1];
    View view{words + 2, header >> size_shift, (header & sparse_bit) != 0};
    if (view.size == long_size) [[unlikely]]
      view = {words + 3, words[2], view.sparse};
    return view;
  }
  std::uint32_t level(NodeId node) const { return node <= unit ? 0 : address(node)[1] & level_mask; }
  NodeId child(NodeId node, Index i) const { return view(node).at(i); }

  /// visit(index, child) for the children that are not empty, by ascending index.
  template <class Visit>
  void for_each_child(NodeId node, Visit&& visit) const {
    const View v = view(node);
    if (v.sparse)
      for (std::uint32_t e = 0; e < v.size; ++e) visit(v.words[e], v.words[v.size + e]);
    else
      for (std::uint32_t e = 0; e < v.size; ++e)
        if (v.words[e] != empty) visit(e, v.words[e]);
  }

  /// The node with these children, by index; `empty` when all are.
  NodeId make(std::uint32_t level, std::span<const NodeId> children);
  /// Likewise from pairs by ascending index, none of them empty.
  NodeId make(std::uint32_t level, std::span<const Index> indices, std::span<const NodeId> children);
  /// The node with one child.
  NodeId make_single(std::uint32_t level, Index index, NodeId child) {
    return child == empty ? empty : make(level, std::span(&index, 1), std::span(&child, 1));
  }

  /// Keeps a node alive.
  class Root {
   public:
    Root() = default;
    Root(Forest& forest, NodeId node) : forest_(&forest), slot_(forest.hold(node)) {}
    Root(const Root& other) : forest_(other.forest_), slot_(other.forest_ ? forest_->hold(other.id()) : 0) {}
    Root(Root&& other) noexcept : forest_(std::exchange(other.forest_, nullptr)), slot_(other.slot_) {}
    Root& operator=(Root other) noexcept {
      std::swap(forest_, other.forest_);
      std::swap(slot_, other.slot_);
      return *this;
    }
    ~Root() {
      if (forest_) forest_->release(slot_);
    }
    NodeId id() const { return forest_ ? forest_->held_[slot_] : empty; }
    /// The node it keeps from now on.
    void set(NodeId node) { forest_->held_[slot_] = node; }

   private:
    Forest* forest_ = nullptr;
    std::size_t slot_ = 0;
  };
  Root root(NodeId node) { return Root(*this, node); }

  /// Where operations keep children of unfinished nodes: what is here is alive.
  Frames& children() { return children_; }
  /// Three more stacks of nodes, for what is kept beside the children: an array that may have to grow must be
  /// the topmost of its stack.
  Frames& beside(std::size_t which) { return beside_[which]; }
  /// Likewise for words that are not nodes.
  Frames& plain() { return plain_; }

  void collect() { collect({}); }
  /// During WeakTable::sweep(): whether the node stays.
  bool is_marked(NodeId node) const { return node <= unit || (marks_[node >> 6] >> (node & 63) & 1) != 0; }
  void add_table(WeakTable& table) { tables_.push_back(&table); }
  void remove_table(WeakTable& table);

  ForestFigures figures() const;
  std::uint64_t live_nodes() const { return nodes_; }
  /// The bytes of memory that caches may take together.
  std::size_t cache_limit() const { return cache_limit_; }
  /// From now on this budget is polled; none: no limits. Its memory limit is ignored.
  void set_budget(Budget* budget) { options_.budget = budget; }
  /// From now on this many requests are allowed in all, including past ones; 0: any number.
  void set_most_requests(std::uint64_t requests) { options_.most_requests = requests; }
  /// Throws LimitReached when the budget says so. For loops that make no nodes.
  void poll();
  /// The same for work that is no part of a trial's effort.
  void check_limits() {
    if (options_.budget) options_.budget->require({.nodes = nodes_});
  }
  /// Polls now and then, as often as a request for a node of this size would.
  void count_request(std::size_t children) {
    const auto weight = static_cast<std::uint32_t>(1 + children / wide_request);
    if (until_poll_ < weight) [[unlikely]]
      poll();
    until_poll_ -= std::min(weight, until_poll_);
  }
  /// Ends the work for a reason of the forest's own. Throws LimitReached.
  [[noreturn]] void give_up(const std::string& reason);

  /// The number of nodes of the diagrams with these roots.
  std::uint64_t count_nodes(std::span<const NodeId> roots) const;

 private:
  static constexpr std::size_t wide_request = 64;  ///< children that count like one more request
  static constexpr unsigned size_shift = 23;
  static constexpr std::uint32_t level_mask = (1u << 22) - 1;
  static constexpr std::uint32_t sparse_bit = 1u << 22;
  static constexpr std::uint32_t long_size = 511;  ///< the size is in a word of its own
  static constexpr std::size_t unit_bytes = 8;
  static constexpr unsigned chunk_shift = 19;  ///< units per chunk
  static constexpr std::uint32_t small_units = 64;
  static_assert((std::size_t{1} << chunk_shift) * unit_bytes == chunk_bytes);

  std::uint32_t* address(NodeId node) const {
    return chunks_[node >> chunk_shift] + std::size_t{node & ((1u << chunk_shift) - 1)} * 2;
  }

  struct Candidate {
    std::uint32_t level;
    std::uint32_t size;
    bool sparse;
    std::span<const std::uint32_t> first;   ///< children, or indices
    std::span<const std::uint32_t> second;  ///< children of the pair form
  };
  NodeId find_or_add(const Candidate& candidate);
  static std::uint64_t hash(std::uint32_t header, const std::uint32_t* first, std::size_t first_words,
                            const std::uint32_t* second, std::size_t second_words);
  std::uint64_t hash_of(const std::uint32_t* words) const;
  static std::uint32_t data_words(const std::uint32_t* words);
  static std::uint32_t units_of(const std::uint32_t* words);

  std::uint32_t allocate(std::uint32_t units);
  std::uint32_t split(std::uint32_t block, std::uint32_t size, std::uint32_t units);
  void add_free(std::uint32_t block, std::uint32_t units);
  void add_chunk();
  void grow_buckets();
  void collect(std::span<const NodeId> extra);
  void mark(NodeId node);
  void sweep_chunk(std::size_t chunk);

  std::size_t hold(NodeId node);
  void release(std::size_t slot);

  ForestOptions options_;
  std::vector<Memory> memory_;
  std::vector<std::uint32_t*> chunks_;
  std::uint32_t bump_ = 0;  ///< next unit of the last chunk that was never used
  std::uint32_t bump_end_ = 0;
  std::uint32_t free_[small_units] = {};  ///< by number of units: blocks, linked by their third word
  std::uint64_t free_sizes_ = 0;          ///< a bit for each list that is not empty
  std::uint32_t large_free_ = 0;

  std::vector<NodeId> buckets_;
  std::uint64_t nodes_ = 0;
  std::uint64_t peak_nodes_ = 0;
  std::uint64_t used_units_ = 0;
  std::uint64_t peak_units_ = 0;
  std::uint64_t collect_at_ = 0;  ///< units in use
  std::uint64_t node_limit_ = 0;  ///< units that the memory limit leaves for nodes; 0: any number
  std::size_t cache_limit_ = 0;
  std::uint64_t collections_ = 0;
  std::uint32_t until_poll_ = 0;  ///< requests; a wide node counts for many
  std::uint64_t requests_ = 0;    ///< for nodes, as of the last poll

  std::vector<std::uint64_t> marks_;
  std::vector<NodeId> mark_stack_;
  std::vector<NodeId> held_;
  std::vector<std::size_t> free_slots_;
  Frames children_;
  Frames beside_[3];
  Frames plain_;
  std::vector<WeakTable*> tables_;
  ForestFigures gone_;  ///< of tables that were removed
};

inline NodeId Forest::View::at(Index i) const {
  if (!sparse) return i < size ? words[i] : empty;
  std::uint32_t low = 0, high = size;
  while (low < high) {
    const std::uint32_t middle = (low + high) / 2;
    if (words[middle] < i)
      low = middle + 1;
    else
      high = middle;
  }
  return low < size && words[low] == i ? words[size + low] : empty;
}

/// With at least this many children it pays to prefetch what is looked up for each.
inline constexpr std::uint32_t wide_node = 8;

/// Children of a node that is being built, by ascending index.
class Builder {
 public:
  Builder(Forest& forest, std::size_t capacity)
      : forest_(forest), indices_(forest.plain(), capacity), children_(forest.children(), capacity) {}

  void add(Index index, NodeId child) {
    if (child == empty) return;
    indices_[size_] = index;
    children_[size_++] = child;
  }
  NodeId make(std::uint32_t level) {
    return forest_.make(level, {indices_.data(), size_}, {children_.data(), size_});
  }

 private:
  Forest& forest_;
  Frames::Frame indices_;
  Frames::Frame children_;
  std::size_t size_ = 0;
};

/// One node kept alive for the length of a block.
class Kept {
 public:
  Kept(Forest& forest, NodeId node) : frame_(forest.children(), 1) { frame_[0] = node; }
  NodeId id() const { return frame_[0]; }
  void set(NodeId node) { frame_[0] = node; }

 private:
  Frames::Frame frame_;
};

}  // namespace tideline::symbolic
