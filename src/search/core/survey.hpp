// Survey: a short look at a state space for people, who want to see what is in it rather than a verdict.
//
// It is a breadth-first pass of its own, within limits of its own, so that no engine has to count for the
// sake of a report. It counts how often each action is taken, states by level, deadlocks, and the values of
// every variable; it keeps the whole graph where that is small, and folds the graph by single variables: one
// class for each value, and how many transitions lead from class to class.
//
// States beyond the limit are not looked at. What was counted then is about the states near the initial one,
// and `complete` says so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "exec/reference.hpp"
#include "run/budget.hpp"
#include "search/core/state_graph.hpp"
#include "search/core/value_profile.hpp"

namespace tideline {

struct SurveyLimits {
  std::uint64_t states = 200'000;
  std::optional<double> seconds = 2;               ///< about; nothing: only the budget counts
  std::uint64_t bytes = std::uint64_t{256} << 20;  ///< of packed states
  std::uint64_t values = 20'000'000;               ///< that are looked at: slots times states
  std::size_t graph_values = 250'000;              ///< slots times states; a larger graph is not kept
  std::size_t graph_transitions = 50'000;          ///< likewise
  std::size_t folds = 32;                          ///< by the locations of components first
  std::size_t fold_classes = 200;                  ///< a graph with more of them is not folded that way
};

/// The graph where all states with the same value of a slot are one.
struct FoldedGraph {
  struct Class {
    std::int32_t value = 0;
    std::uint64_t states = 0;
  };
  struct Edge {
    std::uint32_t from = 0, to = 0;  ///< indices of classes
    std::uint64_t count = 0;         ///< transitions of the graph
  };
  SlotId by = 0;
  std::vector<Class> classes = {};
  std::vector<Edge> edges = {};
};

struct Survey {
  bool complete = false;      ///< all reachable states were seen
  std::string ended_by = {};  ///< why it is not: "the limit on states", "interrupted"
  std::uint64_t states = 0, transitions = 0, deadlocks = 0;
  std::vector<std::uint64_t> actions = {};  ///< how often each was taken, in a model error or not
  /// How often each edge of the components' control graphs was taken, where actions do not say so: an action may be taken from
  /// several locations. Empty: an edge was taken as often as its action.
  std::vector<std::vector<std::uint64_t>> edges = {};
  std::vector<std::uint64_t> levels = {};  ///< new states on each; the last may be cut
  std::uint64_t profiled = 0;              ///< states whose values were counted, evenly spread
  std::vector<ValueProfile> slots = {};
  std::vector<ValueProfile> components = {};  ///< of the slots that each owns, together
  std::vector<FoldedGraph> folds = {};
  std::optional<StateGraph> graph = {};  ///< only when it is small and complete
};

/// Ends early, and never throws, when the budget or memory does.
Survey survey(const System& system, ErrorSemantics errors, const SurveyLimits& limits, Budget& budget);

}  // namespace tideline
