// Bad prefixes: violations of safety properties given as automata of infinite runs.
//
// When the automaton of the wrong runs is terminal (regions.hpp), whatever enters one of its regions is
// wrong: the violation is a finite run to such a state, and breadth-first search finds a shortest one, on any
// number of threads. Any continuation makes it a lasso, for which a search for SCCs mostly takes a few steps.
// Only where every continuation ends in a model error is there no infinite run; other states may have one
// then, and the search for SCCs has to look for them from the beginning.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "graph/regions.hpp"
#include "search/lassos/lasso_search.hpp"
#include "search/lassos/scc.hpp"
#include "search/states/bfs.hpp"
#include "search/states/parallel_bfs.hpp"
#include "store/segmented_table.hpp"

namespace tideline {

namespace detail {

/// The same graph from another state on.
template <class G>
struct From {
  G graph;
  std::vector<std::byte> start;

  std::size_t state_size() const { return graph.state_size(); }
  std::uint32_t all_marks() const { return graph.all_marks(); }
  void initial(const auto& sink) { sink(start.data()); }
  void successors(const std::byte* state, const auto& sink) { graph.successors(state, sink); }
};

}  // namespace detail

/// Goes on after a bad prefix. SearchEnd::complete: no run does without a model error.
template <class G>
LassoResult continued(const G& graph, Path prefix, Budget& budget) {
  const detail::From<G> rest{graph, prefix.states.back()};
  LassoResult result = SccSearch(rest, SegmentedTable<>(graph.state_size())).run(budget);
  if (!result.lasso) return result;
  prefix.loop = prefix.actions.size() + *result.lasso->loop;
  prefix.states.insert(prefix.states.end(), result.lasso->states.begin() + 1, result.lasso->states.end());
  prefix.actions.insert(prefix.actions.end(), result.lasso->actions.begin(), result.lasso->actions.end());
  result.lasso = std::move(prefix);
  return result;
}

template <class G>
class BadPrefixSearch {
 public:
  BadPrefixSearch(G graph, unsigned threads) : graph_(std::move(graph)), threads_(threads) {}

  LassoResult run(Budget& budget) {
    Watch watch(graph_);
    LassoResult result =
        threads_ == 1 ? explore(BreadthFirstSearch(graph_, Table(graph_.state_size()), {}), watch, budget)
                      : explore(ParallelBreadthFirstSearch(graph_, threads_, {}), watch, budget);
    result.model_errors = watch.model_errors;
    if (result.end != SearchEnd::satisfied) return result;

    Path path;
    try {
      path = watch.entry(budget);
    } catch (const LimitReached&) {
      result.end = SearchEnd::exhausted;
      return result;
    }
    LassoResult whole = continued(graph_, std::move(path), budget);
    if (whole.end == SearchEnd::complete) return SccSearch(graph_, Table(graph_.state_size())).run(budget);
    result.early = whole.lasso.has_value();
    if (!result.early) result.end = SearchEnd::exhausted;  // it is not known whether there is a continuation
    result.lasso = std::move(whole.lasso);
    return result;
  }

  std::uint64_t memory_bytes() const { return memory_bytes_; }

 private:
  using Table = SegmentedTable<>;

  /// The observer that waits for a state in a region.
  struct Watch {
    explicit Watch(const G& g) : graph(g) {}

    template <class Locate>
    void on_state(const std::byte* state, const Locate& locate) {
      if (!entry && graph.region(state) != no_region) entry = locate();
    }
    template <class Locate>
    void on_step(const Step& step, const Locate&) {
      if (step.error != ModelErrorKind::none) model_errors = true;
    }
    template <class Locate>
    void on_deadlock(const Locate&) {}
    bool done() const { return static_cast<bool>(entry); }
    void adopt(const Watch& other) {
      if (!entry) entry = other.entry;
    }
    void absorb(const Watch& other) {
      adopt(other);
      model_errors = model_errors || other.model_errors;
    }

    const G& graph;
    PathBuilder entry = {};
    bool model_errors = false;
  };

  template <class Search>
  LassoResult explore(Search search, Watch& watch, Budget& budget) {
    const SearchResult found = search.run(watch, budget);
    memory_bytes_ = search.memory_bytes();
    LassoResult result;
    result.end = found.end;
    result.states = found.states;
    result.transitions = found.transitions;
    result.expansions = found.states;
    return result;
  }

  G graph_;
  unsigned threads_;
  std::uint64_t memory_bytes_ = 0;
};

}  // namespace tideline
