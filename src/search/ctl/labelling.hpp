// CTL checking in memory: the reachable graph is built once, and every formula is evaluated on it by
// labelling (labels.hpp). It works for any formula and any graph; the cost is memory. check_ctl() is for
// systems; ctl_labels() below is for graphs of any kind, and tests compare other engines with it.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "exec/reference.hpp"
#include "graph/graph.hpp"
#include "run/budget.hpp"
#include "run/outcome.hpp"
#include "search/core/stored_graph.hpp"
#include "search/ctl/labels.hpp"

namespace tideline {

class StateCollection;

struct CtlOptions {
  ErrorSemantics errors = ErrorSemantics::stop;
  bool traces = true;  ///< off: results have no path
  unsigned threads = 1;
  /// For a formula that holds: where all states are added with what is claimed of each subformula (claim_ranks.hpp),
  /// followed by the successors that witness it; nothing: they are not collected.
  std::function<StateCollection*(const Property&)> collect = {};
};

/// Checks properties of kind ctl.
Outcome check_ctl(const System& system, const std::vector<Property>& properties, const CtlOptions& options,
                  Budget& budget);

/// Where the atoms of a formula are true. A predicate for each atom: p.evaluate(state, ModelErrorKind&) is
/// not 0 where it is. Nothing: the budget ended. Throws std::bad_alloc.
template <class Predicates>
std::optional<std::vector<BitSet>> atom_sets(const StoredGraph& graph, const Predicates& predicates,
                                             Budget& budget) {
  std::vector<BitSet> sets(predicates.size(), BitSet(graph.size()));
  std::vector<Predicates> copies(graph.threads(), predicates);
  Crew crew(graph.threads());
  share_out(
      crew, budget, [&] { return graph.status(); }, graph.size(),
      [&](unsigned worker, std::uint64_t begin, std::uint64_t end) {
        for (auto state = static_cast<StateId>(begin); state < end; ++state)
          for (std::size_t i = 0; i < predicates.size(); ++i) {
            ModelErrorKind ignored = ModelErrorKind::none;
            if (copies[worker][i].evaluate(graph.state(state), ignored) != 0) sets[i].set(state);
          }
      });
  if (crew.stopped()) return std::nullopt;
  return sets;
}

/// A graph with the value of a formula in each of its states.
struct LabelledGraph {
  StoredGraph graph;
  BitSet certain;   ///< the formula is true
  BitSet possible;  ///< it may be true: other states than above only where model errors were met

  Verdict in(StateId state) const {
    return certain.test(state) ? Verdict::holds : possible.test(state) ? Verdict::unknown : Verdict::violated;
  }
  /// The value in a reachable state.
  Verdict in(const std::byte* state) const { return in(graph.find(state)); }
  /// Whether the formula is true in every initial state.
  Verdict verdict() const {
    bool sure = true;
    for (const StateId state : graph.initial()) {
      if (in(state) == Verdict::violated) return Verdict::violated;
      sure = sure && in(state) == Verdict::holds;
    }
    return sure ? Verdict::holds : Verdict::unknown;
  }
};

/// Evaluates a formula in every reachable state of any graph, without limits.
template <Graph G, class Predicates>
LabelledGraph ctl_labels(G graph, const Predicates& predicates, const CtlFormula& formula,
                         DeadlockPaths paths, unsigned threads = 1) {
  Budget budget;
  LabelledGraph result{StoredGraph(graph.state_size(), threads, 1), {}, {}};
  result.graph.build(graph, budget);
  CtlLabels labels(result.graph, formula, paths, *atom_sets(result.graph, predicates, budget));
  labels.evaluate(budget);
  result.certain = labels.certain(formula.root());
  result.possible = labels.possible(formula.root());
  return result;
}

}  // namespace tideline
