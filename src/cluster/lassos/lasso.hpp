// From a state on an accepting cycle to a lasso, by many ranks.
//
// Two breadth-first searches (states/bfs.hpp) put it together: from the state back to itself within its region,
// and from the initial states to the nearest state of that cycle. Both ways are shortest. They need a table of
// their own, so the one of the search that has found the state must be gone: then they take no more
// memory than it did.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "cluster/lassos/traversal.hpp"
#include "cluster/states/bfs.hpp"
#include "model/error.hpp"
#include "search/lassos/lasso_search.hpp"
#include "store/segmented_table.hpp"

namespace tideline::cluster {

/// The same graph from this state on, within its region.
template <BuchiGraph G>
struct RegionFrom {
  G graph;
  Bytes root;

  std::size_t state_size() const { return graph.state_size(); }
  bool is_state(const std::byte* state) const { return is_state_of(graph, state); }
  template <class Sink>
  void initial(Sink&& sink) {
    sink(root.data());
  }
  template <class Sink>
  void successors(const std::byte* state, Sink&& sink) {
    const Region region = graph.region(root.data());
    graph.successors(state, [&](const Step& step) {
      if (step.state && graph.region(step.state) == region) sink(step);
    });
  }
};

/// Waits for a step back to the root.
struct ReturnObserver {
  std::shared_ptr<const Bytes> root;
  PathBuilder before = {};
  ActionId action = no_action;
  bool found = false;

  template <class Locate>
  void on_state(const std::byte*, const Locate&) {}
  template <class Locate>
  void on_step(const Step& step, const Locate& locate) {
    if (found || std::memcmp(step.state, root->data(), root->size()) != 0) return;
    found = true;
    before = locate();
    action = step.action;
  }
  template <class Locate>
  void on_deadlock(const Locate&) {}
  bool done() const { return found; }
  void adopt(const ReturnObserver& other) {
    if (!found) *this = other;
  }
  void absorb(const ReturnObserver& other) { adopt(other); }
  void archive(auto& file) {
    file(found, action);
    archive_run(file, before);
  }
  template <class Change>
  void change_runs(const Change& change) {
    if (found) change(before);
  }
};

/// Waits for a state of a set.
struct EntryObserver {
  std::shared_ptr<const SegmentedTable<>> wanted;
  PathBuilder entry = {};

  template <class Locate>
  void on_state(const std::byte* state, const Locate& locate) {
    if (!entry && wanted->find(state, wanted->hash(state)) != no_state) entry = locate();
  }
  template <class Locate>
  void on_step(const Step&, const Locate&) {}
  template <class Locate>
  void on_deadlock(const Locate&) {}
  bool done() const { return static_cast<bool>(entry); }
  void adopt(const EntryObserver& other) {
    if (!entry) *this = other;
  }
  void absorb(const EntryObserver& other) { adopt(other); }
  void archive(auto& file) { archive_run(file, entry); }
  template <class Change>
  void change_runs(const Change& change) {
    if (entry) change(entry);
  }
};

/// A collective: the run that a search has found, the same for all; nothing: the budget has ended.
template <Graph G, class Observer>
std::optional<Path> run_found(const G& graph, Ranks& ranks, Observer& observer,
                              const PathBuilder Observer::*run, Budget& budget) {
  BreadthFirstSearch(graph, ranks, {}, observer, budget).run();
  if (!observer.done() && budget.reason().empty())
    throw Error(ErrorKind::internal, "a state is not on a cycle, as it should be");
  std::optional<Path> path;
  try {
    if (observer.done()) path = (observer.*run)(budget);
  } catch (const LimitReached& limit) {  // of this budget, or of the one that put the run together
    budget.exhaust(limit.what());
  } catch (const std::bad_alloc&) {
    budget.exhaust_memory();
  }
  if (share_exhaustion(ranks, budget)) return std::nullopt;
  return path;
}

/// A collective: the lasso whose cycle passes through this state, which must lie on one within its region.
/// Nothing: the budget has ended. Throws RankLeft.
template <BuchiGraph G>
std::optional<Path> lasso_through(const G& graph, const Bytes& root, Ranks& ranks, Budget& budget) {
  ReturnObserver back{std::make_shared<const Bytes>(root)};
  std::optional<Path> cycle =
      run_found(RegionFrom<G>{graph, root}, ranks, back, &ReturnObserver::before, budget);
  if (!cycle) return std::nullopt;
  cycle->actions.push_back(back.action);

  auto on_cycle =
      std::make_shared<SegmentedTable<>>(graph.state_size(), SegmentedTable<>::Limits{.segment_bits = 0});
  for (const auto& state : cycle->states) on_cycle->insert(state.data(), on_cycle->hash(state.data()));
  EntryObserver entry{on_cycle};
  std::optional<Path> lasso = run_found(graph, ranks, entry, &EntryObserver::entry, budget);
  if (!lasso) return std::nullopt;

  lasso->loop = lasso->states.size() - 1;
  const std::byte* const first = lasso->states.back().data();
  const std::size_t start = on_cycle->find(first, on_cycle->hash(first)), length = cycle->states.size();
  for (std::size_t i = 0; i < length; ++i) {
    if (i != 0) lasso->states.push_back(cycle->states[(start + i) % length]);
    lasso->actions.push_back(cycle->actions[(start + i) % length]);
  }
  return lasso;
}

}  // namespace tideline::cluster
