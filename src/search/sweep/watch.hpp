// Watches: what looks at the states of a sweep's current layer as a graph while they are expanded. Searches for
// cycles and SCCs within a layer are built on them. A watch may keep bytes of its own with every state.
//
//   w.attach(offset)                          where in a record the watch's own bytes begin
//   w.begin_layer(progress, roots, sweep)     its states are about to be expanded
//   w.end_layer()                             all nodes are expanded; false: end the search
//   w.end_sweep(), w.end_column()             likewise
//
// A SharedWatch is told of everything where it happens, each part of the states by one thread at a time:
//
//   w.set_parts(count)                        between two layers; until then there is one
//   w.add_root(record)                        after begin_layer: a persistent state that will be expanded
//   w.on_node(part, graph, record, is_root)   the next node of the part: it is expanded now
//   w.on_step(part, graph, step, progress)    a step of this node; returns the Note that travels with it
//   w.on_dead_end(part)                       this node has no steps
//   w.on_arrival(part, note, target)          the step has come to the part of its destination
//   w.done()                                  now and then, while no thread works: nothing is left to look for, end the search
//   w.leads(), w.lead(search, expand)         optional, with one part: the watch calls expand(node) for all
//                                             nodes below node_count(), in an order of its own
//
// The i-th node of a part, roots first, has the number i * parts + part: with one part nodes are numbered in the
// order of expansion.
//
// Any other watch sees the nodes in this order whatever the number of threads:
//
//   w.on_node(state)                          the next node: it is expanded now
//   w.on_edge(from, target)                   a transition from this node; see SweepTarget
#pragma once

#include <cstddef>
#include <cstdint>

#include "graph/progress.hpp"
#include "store/layers.hpp"

namespace tideline {

using NodeId = std::uint32_t;
inline constexpr NodeId no_node = ~NodeId{0};

/// Where a transition leads.
struct SweepTarget {
  Progress progress = 0;
  Layer* layer = nullptr;
  StateId id = no_state;    ///< in the layer's table of passing or of persistent states
  bool persistent = false;  ///< in which of the two
  bool is_new = false;      ///< it was not stored
  NodeId node = no_node;    ///< in the current layer, when it is expanded there in this sweep
};

template <class W>
concept SharedWatch = requires {
  typename W::Note;
};

struct NoWatch {
  static constexpr std::size_t passing_bytes = 0, persistent_bytes = 0;
  struct Note {};
  void set_parts(unsigned) {}
  void begin_layer(Progress, std::size_t, std::uint64_t) {}
  void add_root(const std::byte*) {}
  void on_node(unsigned, const auto&, const std::byte*, bool) {}
  Note on_step(unsigned, const auto&, const Step&, Progress) { return {}; }
  void on_dead_end(unsigned) {}
  void on_arrival(unsigned, Note, const SweepTarget&) {}
  bool done() const { return false; }
  bool end_layer() { return true; }
  bool end_sweep() { return true; }
  bool end_column() { return true; }
  void attach(std::size_t) {}
  void archive(auto&) {}
};

/// What travels with a step: nothing where the watch is not shared.
template <class W>
struct NoteOf {
  using type = NoWatch::Note;
};
template <SharedWatch W>
struct NoteOf<W> {
  using type = typename W::Note;
};

}  // namespace tideline
