// StoredGraph: the reachable states and all transitions between them, in memory.
//
// States are met in breadth-first order, which is the order of their numbers (see search/states/bfs.hpp), so
// the transitions of a state lie after those of the state before it: two arrays hold them all. Actions are
// not kept; a run finds them again (run_through.hpp). A state costs its bytes, its share of the table's index
// and 8 bytes, a transition 4, and as much again once predecessors are needed.
//
// A state is a deadlock when no action is enabled in it. An action that ends in a model error is enabled, but
// where it leads is unknown.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/graph.hpp"
#include "run/budget.hpp"
#include "search/core/bit_set.hpp"
#include "search/core/observer.hpp"
#include "search/core/successor_batch.hpp"
#include "store/paged_array.hpp"
#include "store/segmented_table.hpp"

namespace tideline {

class StoredGraph {
 public:
  explicit StoredGraph(std::size_t state_bytes) : table_(state_bytes), batch_(state_bytes) {
    first_.push_back(0);
  }

  /// Explores everything. False: the budget ended it, and only the counts are valid. Throws std::bad_alloc.
  template <Graph G>
  bool build(G& graph, Budget& budget);

  const SegmentedTable<>& table() const { return table_; }
  StateId size() const { return static_cast<StateId>(table_.size()); }
  std::uint64_t transitions() const { return transitions_; }
  const std::vector<StateId>& initial() const { return initial_; }

  /// sink(StateId) for every transition, as long as it returns true.
  template <class Sink>
  void successors(StateId state, const Sink& sink) const {
    for (std::uint64_t e = first_[state]; e < first_[state + 1]; ++e)
      if (!sink(targets_[e])) return;
  }
  template <class Sink>
  void predecessors(StateId state, const Sink& sink) const {
    for (std::uint64_t e = first_into_[state]; e < first_into_[state + 1]; ++e)
      if (!sink(sources_[e])) return;
  }

  /// Where the transitions of a state begin; those of state s end where those of s + 1 begin.
  std::uint64_t first(StateId state) const { return first_[state]; }
  StateId target(std::uint64_t transition) const { return targets_[transition]; }

  /// Some action of the state ends in a model error.
  bool fails(StateId state) const { return met_errors() && failing_.test(state); }
  bool met_errors() const { return !failing_states_.empty(); }
  const std::vector<StateId>& failing_states() const { return failing_states_; }
  bool is_deadlock(StateId state) const { return first_[state] == first_[state + 1] && !fails(state); }
  std::uint64_t deadlocks() const { return deadlocks_; }

  /// Prepares predecessors(). False: the budget ended it. Throws std::bad_alloc.
  bool need_predecessors(Budget& budget);

  std::uint64_t memory_bytes() const {
    return table_.memory_bytes() + first_.memory_bytes() + targets_.memory_bytes() +
           first_into_.capacity() * sizeof(std::uint64_t) + sources_.capacity() * sizeof(StateId);
  }
  RunStatus status() const {
    RunStatus status;
    status.states = table_.size();
    status.transitions = transitions_;
    status.frontier = table_.size() - (first_.size() - 1);
    return status;
  }

 private:
  template <class G>
  bool expand(G& graph, StateId state, Budget& budget);
  bool flush(Budget& budget);

  SegmentedTable<> table_;
  SuccessorBatch batch_;
  std::vector<StateId> initial_;
  PagedVector<std::uint64_t> first_;  // one more than there are states
  PagedVector<StateId> targets_;
  std::vector<std::uint64_t> first_into_;
  std::vector<StateId> sources_;
  std::vector<StateId> failing_states_;
  BitSet failing_;
  std::uint64_t transitions_ = 0;
  std::uint64_t deadlocks_ = 0;
};

template <Graph G>
bool StoredGraph::build(G& graph, Budget& budget) {
  graph.initial([&](const std::byte* state) {
    batch_.add(table_, state, no_state);
    if (batch_.full()) flush(budget);
  });
  bool going = flush(budget);
  for (StateId state = 0; going; ++state) {
    if (state == size()) going = flush(budget);
    if (state == size()) break;
    going = going && expand(graph, state, budget);
  }
  if (!going) return false;
  failing_ = BitSet(size());
  for (const StateId state : failing_states_) failing_.set(state);
  return true;
}

template <class G>
bool StoredGraph::expand(G& graph, StateId state, Budget& budget) {
  std::uint64_t enabled = 0, followed = 0;
  bool going = true;
  graph.successors(table_.state(state), [&](const Step& step) {
    if (transitions_++ % poll_every == 0 && budget.exhausted(status())) going = false;
    if (!going) return;
    ++enabled;
    if (!step.state) return;
    ++followed;
    batch_.add(table_, step.state, state);
    if (batch_.full()) going = flush(budget);
  });
  first_.push_back(first_.back() + followed);
  if (enabled == 0) ++deadlocks_;
  if (enabled != followed) failing_states_.push_back(state);
  return going;
}

}  // namespace tideline
