// Drawing a sample: a bounded preliminary exploration of a graph.
//
// A graph with few states is taken as a whole, breadth first. Of a larger one the first levels are not like
// the rest: what repeats has not come round again yet, and everything looks like progress. So only a tenth of
// the sample is breadth-first; the rest are bouts, each of which follows a random walk away from a state of
// the sample and goes depth-first, in random order, from where it ends. Depth-first search finishes what it
// leaves, so cycles are inside the sample; the states of the walk are in it as well, so it is connected. All
// choices come from a seed: the same graph and limits give the same sample.
//
// Many transitions lead out of a sample, and those that go back matter most. So a seventh of it is a fringe:
// where they lead, without following these states further.
//
// The memory that a sample takes, with the search for a measure on it, is estimated from its states and edges
// while it is drawn, so that it can be bounded before it is spent.
//
// On DVE models of a million states and more, measures found on such samples of 200,000 states are nearly as
// good as those found on the whole graph; found on the first 200,000 of breadth-first search they store up to
// ten times more than predicted. Those found on 5,000 states store about twice as much.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "graph/graph.hpp"
#include "model/layout.hpp"
#include "progress/sample.hpp"
#include "run/budget.hpp"
#include "store/segmented_table.hpp"

namespace tideline {

struct SampleOptions {
  std::uint64_t limit = 200'000;  ///< most states
  std::uint64_t seed = 1;
  /// Memory that drawing it and trying measures on it may take; a sample of a thousand states
  /// is always allowed.
  std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max();
};

template <Graph G>
class SampleDrawer {
 public:
  SampleDrawer(G& graph, SampleOptions options, Budget& budget)
      : graph_(graph),
        options_(options),
        budget_(budget),
        limit_(options.limit),
        random_(options.seed),
        table_(graph.state_size()) {}

  /// Chooses the states. Ends early, with what is there, when the budget is exhausted.
  const SegmentedTable<>& choose() {
    if (breadth_first()) return table_;
    most_states_ = limit_;
    limit_ = std::max<std::uint64_t>(6 * limit_ / 7, 1);
    for (int bout = 0; bout < most_bouts && !full() && !stopped_ && expanded_ < most_expansions * limit_;
         ++bout)
      depth_first_bout(bout);
    return table_;
  }
  /// How many states there may be with the fringe.
  std::uint64_t most_states() const { return most_states_; }
  /// How many of the states chosen first are initial.
  std::uint64_t initial() const { return initial_; }

 private:
  static constexpr int planned_bouts = 60, most_bouts = 500;
  /// Of the sample, breadth-first: a tenth.
  static constexpr std::uint64_t first_part = 10;
  static constexpr std::uint64_t longest_walk = 2048;
  /// A bout also passes through states that are known, but not through many.
  static constexpr std::uint64_t most_known = 8;
  /// Where bouts find little that is new, more of them find little more.
  static constexpr std::uint64_t most_expansions = 4;

  static constexpr std::uint64_t least_limit = 1000;
  /// For the many small tables of bouts.
  static constexpr SegmentedTable<>::Limits few_states = {.segment_bits = 0, .page_bytes = 1 << 13};

  bool full() const { return table_.size() >= limit_; }
  /// The memory that the states chosen so far will take, if those expanded so far are typical.
  std::uint64_t bytes_needed(std::uint64_t expanded) const {
    const std::uint64_t states = table_.size(), edges = transitions_ * states / expanded;
    // A state lies in the table, in the sample, whose arrays may have grown to twice their size, and in
    // columns; each also has an index entry and numbers of simulated sweeps. An edge is two numbers, twice.
    return states * (5 * graph_.state_size() + 64) + edges * 32;
  }
  std::uint64_t below(std::uint64_t n) { return random_() % n; }

  void poll() {
    if (budget_.exhausted(
            {.states = table_.size(), .transitions = transitions_, .frontier = 0, .depth = levels_}))
      stopped_ = true;
  }

  template <class Sink>
  void successors(const std::byte* state, Sink&& sink) {
    ++expanded_;
    graph_.successors(state, [&](const Step& step) {
      if (++transitions_ % 1024 == 0) poll();
      if (step.state && !stopped_) sink(step);
    });
  }

  void add(const std::byte* state) {
    if (!full()) table_.insert(state, table_.hash(state));
  }

  /// True: this is the whole graph. Otherwise only the first part of the sample is kept.
  bool breadth_first() {
    graph_.initial([&](const std::byte* state) { add(state); });
    initial_ = table_.size();
    std::uint64_t level_end = table_.size();
    for (std::uint64_t cursor = 0; cursor < table_.size() && !stopped_; ++cursor) {
      if (cursor == level_end) {
        ++levels_;
        level_end = table_.size();
      }
      successors(table_.state(static_cast<StateId>(cursor)), [&](const Step& step) { add(step.state); });
      if (table_.size() >= least_limit && bytes_needed(cursor + 1) > options_.bytes)
        limit_ = std::min(limit_, table_.size());
      if (full()) {
        keep_first(std::max<std::uint64_t>(limit_ / first_part, 1));
        return false;
      }
    }
    return true;
  }

  void keep_first(std::uint64_t count) {
    SegmentedTable<> shorter(graph_.state_size());
    for (std::uint64_t id = 0; id < count; ++id) {
      const std::byte* state = table_.state(static_cast<StateId>(id));
      shorter.insert(state, table_.hash(state));
    }
    table_ = std::move(shorter);
    initial_ = std::min(initial_, count);
  }

  /// A walk, then a share of what is left of the sample depth-first.
  void depth_first_bout(int bout) {
    const std::uint64_t left = limit_ - table_.size();
    const std::uint64_t share = left / static_cast<std::uint64_t>(std::max(planned_bouts - bout, 3)) + 1;
    std::vector<std::byte> waiting = walk();
    const std::uint64_t end = table_.size() + share;
    SegmentedTable<> seen(graph_.state_size(), few_states);
    const auto bytes_held = [&] { return seen.size() * graph_.state_size() + waiting.size(); };
    while (!waiting.empty() && seen.size() < most_known * share && bytes_held() < options_.bytes &&
           !stopped_) {
      const std::byte* top = waiting.data() + waiting.size() - graph_.state_size();
      const Insertion insertion = seen.insert(top, seen.hash(top));
      waiting.erase(waiting.end() - static_cast<std::ptrdiff_t>(graph_.state_size()), waiting.end());
      if (!insertion.inserted) continue;
      add(seen.state(insertion.id));
      if (table_.size() >= end || full()) return;
      push_shuffled(seen.state(insertion.id), waiting);
    }
  }

  /// The last state of a random walk from a state of the sample; its states are added. Lengths of all
  /// magnitudes are equally likely: long walks get caught where there is no way back.
  std::vector<std::byte> walk() {
    const std::size_t bytes = graph_.state_size();
    const std::byte* start = table_.state(static_cast<StateId>(below(table_.size())));
    std::vector<std::byte> state(start, start + bytes), next(bytes);
    const auto magnitudes = static_cast<std::uint64_t>(std::bit_width(longest_walk));
    const std::uint64_t length = below(std::uint64_t{1} << below(magnitudes));
    for (std::uint64_t step = 0; step < length && !stopped_; ++step) {
      std::uint64_t count = 0;
      successors(state.data(), [&](const Step& s) {
        if (below(++count) == 0) std::copy_n(s.state, bytes, next.data());
      });
      if (count == 0) break;
      state.swap(next);
      add(state.data());
    }
    return state;
  }

  void push_shuffled(const std::byte* state, std::vector<std::byte>& waiting) {
    const std::size_t bytes = graph_.state_size(), begin = waiting.size();
    successors(state,
               [&](const Step& step) { waiting.insert(waiting.end(), step.state, step.state + bytes); });
    for (std::size_t count = (waiting.size() - begin) / bytes; count > 1; --count) {
      const auto first = waiting.begin() + static_cast<std::ptrdiff_t>(begin + (count - 1) * bytes);
      const auto other = waiting.begin() + static_cast<std::ptrdiff_t>(begin + below(count) * bytes);
      std::swap_ranges(first, first + static_cast<std::ptrdiff_t>(bytes), other);
    }
  }

  G& graph_;
  SampleOptions options_;
  Budget& budget_;
  std::uint64_t limit_;  ///< most states; becomes smaller when they turn out to take too much memory
  std::mt19937_64 random_;
  SegmentedTable<> table_;
  std::uint64_t most_states_ = 0;
  std::uint64_t initial_ = 0, levels_ = 0, transitions_ = 0, expanded_ = 0;
  bool stopped_ = false;
};

/// A sample of a graph whose packed states begin with a packed state of the system. Ends early, with what is there, when the
/// budget is exhausted.
template <Graph G>
Sample draw_sample(G& graph, const System& system, SampleOptions options, Budget& budget) {
  SampleDrawer<G> drawer(graph, options, budget);
  const SegmentedTable<>& table = drawer.choose();
  Sample sample;
  for (std::uint32_t id = 0; id < drawer.initial(); ++id) sample.initial.push_back(id);
  sample.state_bytes = Layout(system).size();
  SegmentedTable<> fringe(graph.state_size());
  const auto keep = [&](const std::byte* state) {
    sample.packed.insert(sample.packed.end(), state, state + sample.state_bytes);
  };
  for (StateId id = 0; id < table.size(); ++id) keep(table.state(id));
  bool stopped = false;
  for (StateId id = 0; id < table.size() && !stopped; ++id) {
    graph.successors(table.state(id), [&](const Step& step) {
      if (sample.edges() % 1024 == 0)
        stopped = budget.exhausted({.states = table.size(), .transitions = sample.edges()});
      if (!step.state || stopped) return;
      const std::uint64_t hash = table.hash(step.state);
      StateId target = table.find(step.state, hash);
      if (target == no_state) {
        const bool full = table.size() + fringe.size() >= drawer.most_states();
        const StateId known = full ? fringe.find(step.state, hash) : fringe.insert(step.state, hash).id;
        sample.lost_edges += known == no_state;
        if (known == no_state) return;
        target = static_cast<StateId>(table.size() + known);
        if (target == sample.packed.size() / sample.state_bytes) keep(step.state);
      }
      sample.add_edge(target, step.action);
    });
    sample.end_state();
  }
  sample.expanded = sample.states();
  while (sample.states() < table.size() + fringe.size()) sample.end_state();
  sample.add_columns(system, budget);
  return sample;
}

/// A sample of a sample, drawn in the same way.
Sample thinned(const Sample& sample, std::uint64_t limit);

}  // namespace tideline
