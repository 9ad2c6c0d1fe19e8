// ProductSweep: the compositional sweep-line as published, progress being compared part by part.
//
//   L. M. Kristensen, T. Mailund: A Compositional Sweep-Line State Space Exploration Method, FORTE 2002, Fig. 2
//   and Fig. 5.
//
// The progress of a state is a vector. One vector is below another when it is in every part: a partial order.
// A state waits to be expanded; next is one such that no other that waits is below it. A state is deleted when
// no state that waits is below or equal to it. A transition whose destination is not above or equal to its
// source is a regress edge: its destination, unless stored, becomes persistent, and a root of the next sweep.
// The states with equal first parts, those claimed monotone, are a column: columns are swept one after
// another, compared by the other parts, and the persistent states of one go with it. Without columns all
// parts are compared (Fig. 2).
//
// Three lines of the figures are read as they must be meant: to be in a later column is to be strictly above
// (Fig. 5, line 11), to regress is not to be above or equal (Fig. 2, line 12: otherwise steps that change no
// progress regress), and the roots of a column have equal monotone parts (SWEEP, line 2).
//
// Which of the least states that wait comes next, and which of the least columns, is left open. Here it is the
// one whose tuple is the least, or the one whose parts have the least sum; none can be below either. With the
// tuple, the same states are deleted as in a search by tuples, which only has fewer regress edges.
//
// This is for comparison, on small models: it is written for clarity. States of one vector are in one layer. A
// stored layer has a witness, a layer that waits and is below or equal; when the last one is gone, so is it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "graph/graph.hpp"
#include "progress/measure.hpp"

namespace tideline::test {

enum class NextLayer { least_tuple, least_sum };

struct ProductSweepOptions {
  bool columns = true;
  NextLayer next = NextLayer::least_tuple;
};

struct ProductSweepFigures {
  std::uint64_t visited = 0;  ///< expansions
  std::uint64_t stored_peak = 0;
  std::uint64_t persistent = 0;     ///< states that became so
  std::uint64_t regress_edges = 0;  ///< counted each time one is met
  std::uint64_t sweeps = 0;
};

template <Graph G>
class ProductSweep {
 public:
  using State = std::string;  // packed
  using Vector = std::vector<Progress>;
  /// Vectors that wait, and columns, are ordered by this, and the first one is next.
  using Key = std::pair<Progress, Vector>;

  /// Parts of a vector are the terms of the measure.
  ProductSweep(G graph, const Measure& measure, ProductSweepOptions options)
      : graph_(std::move(graph)),
        options_(options),
        claimed_(options.columns ? measure.monotone_terms() : 0) {
    for (std::size_t i = 0; i < measure.terms().size(); ++i)
      parts_.push_back(measure.prefix(i + 1).suffix(i));
  }

  /// Calls `on_state` for every expansion.
  template <class OnState>
  ProductSweepFigures run(const OnState& on_state) {
    graph_.initial([&](const std::byte* state) { wait_for_column(copy(state)); });
    while (!pending_.empty()) {
      const auto roots = pending_.extract(pending_.begin());
      column_ = roots.key().second;
      sweep_column({roots.mapped().begin(), roots.mapped().end()}, on_state);
      stored_ -= persistent_.size();
      persistent_.clear();
    }
    return figures_;
  }

 private:
  struct Layer {
    std::unordered_set<State> passing = {};
    std::vector<State> waiting = {};
    Vector witness = {};                  // of a layer that waits and is below or equal
    std::vector<Vector> witness_of = {};  // of layers that have, or had, this one as theirs
  };

  State copy(const std::byte* state) const {
    return {reinterpret_cast<const char*>(state), graph_.state_size()};
  }
  static const std::byte* bytes(const State& state) {
    return reinterpret_cast<const std::byte*>(state.data());
  }
  Vector parts_of(const State& state, std::size_t begin, std::size_t end) const {
    Vector vector;
    for (std::size_t i = begin; i < end; ++i) vector.push_back(parts_[i](bytes(state)));
    return vector;
  }
  Vector column_of(const State& state) const { return parts_of(state, 0, claimed_); }
  Vector vector_of(const State& state) const { return parts_of(state, claimed_, parts_.size()); }
  static bool below_or_equal(const Vector& a, const Vector& b) {
    return std::ranges::equal(a, b, [](Progress x, Progress y) { return x <= y; });
  }
  Key key(const Vector& vector) const {
    const Progress sum = std::accumulate(vector.begin(), vector.end(), Progress{0});
    return {options_.next == NextLayer::least_sum ? sum : 0, vector};
  }

  void count_one_more() { figures_.stored_peak = std::max(figures_.stored_peak, ++stored_); }

  void wait_for_column(const State& state) {
    if (pending_[key(column_of(state))].insert(state).second) count_one_more();
  }

  template <class OnState>
  void sweep_column(std::vector<State> roots, const OnState& on_state) {
    // The first roots are like any other states.
    for (const State& root : roots) layers_[vector_of(root)].passing.insert(root);
    while (!roots.empty()) {
      ++figures_.sweeps;
      for (const State& root : std::exchange(roots, {})) wait(vector_of(root), root);
      while (!waiting_.empty()) {
        const Vector vector = waiting_.begin()->second;
        expand(vector, roots, on_state);
        waiting_.erase(waiting_.begin());
        release(vector);
      }
    }
  }

  void wait(const Vector& vector, State state) {
    Layer& layer = layers_[vector];
    layer.waiting.push_back(std::move(state));
    if (!waiting_.insert(key(vector)).second) return;
    layer.witness = vector;
    layer.witness_of.push_back(vector);
  }

  template <class OnState>
  void expand(const Vector& vector, std::vector<State>& roots, const OnState& on_state) {
    std::vector<State>& waiting = layers_[vector].waiting;
    while (!waiting.empty()) {
      const State state = std::move(waiting.back());
      waiting.pop_back();
      ++figures_.visited;
      on_state(state);
      graph_.successors(bytes(state), [&](const Step& step) {
        if (step.state) reach(vector, copy(step.state), roots);
      });
    }
  }

  void reach(const Vector& from, State state, std::vector<State>& roots) {
    if (column_of(state) != column_) return wait_for_column(state);
    const Vector to = vector_of(state);
    const bool regresses = !below_or_equal(from, to);
    figures_.regress_edges += regresses;
    const auto layer = layers_.find(to);
    if (persistent_.contains(state) || (layer != layers_.end() && layer->second.passing.contains(state)))
      return;
    count_one_more();
    if (!regresses) {
      layers_[to].passing.insert(state);
      return wait(to, std::move(state));
    }
    ++figures_.persistent;
    persistent_.insert(state);
    roots.push_back(std::move(state));
  }

  /// Finds other witnesses for the layers that had this one; those that have none are deleted.
  void release(const Vector& gone) {
    for (const Vector& vector : std::exchange(layers_[gone].witness_of, {})) {
      const auto layer = layers_.find(vector);
      if (layer == layers_.end() || layer->second.witness != gone) continue;
      const auto witness = std::ranges::find_if(
          waiting_, [&](const auto& waits) { return below_or_equal(waits.second, vector); });
      if (witness == waiting_.end()) {
        stored_ -= layer->second.passing.size();
        layers_.erase(layer);
        continue;
      }
      layer->second.witness = witness->second;
      layers_[witness->second].witness_of.push_back(vector);
    }
  }

  G graph_;
  ProductSweepOptions options_;
  std::size_t claimed_;
  std::vector<Measure> parts_;
  std::map<Key, std::set<State>> pending_;  // states of later columns, by column
  Vector column_;                           // being swept
  std::map<Vector, Layer> layers_;          // of the column
  std::set<Key> waiting_;
  std::unordered_set<State> persistent_;  // of the column
  std::uint64_t stored_ = 0;
  ProductSweepFigures figures_;
};

}  // namespace tideline::test
