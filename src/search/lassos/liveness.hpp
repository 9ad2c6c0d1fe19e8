// Liveness checking: is there a run that a property automaton accepts? If so it is a lasso, and the property
// is violated. The algorithms are in the files beside this one.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "exec/reference.hpp"
#include "progress/measured_product.hpp"
#include "reduce/method.hpp"
#include "run/budget.hpp"
#include "run/outcome.hpp"
#include "search/core/crew.hpp"
#include "search/lassos/lasso_search.hpp"
#include "search/lassos/ltl_sweep.hpp"
#include "search/lassos/ndfs.hpp"
#include "search/lassos/owcty.hpp"
#include "search/states/device.hpp"
#include "search/sweep/sweep_settings.hpp"

namespace tideline {

struct LassoTask;
class StateCollection;

/// Of a search by several processes.
struct LassoRanks {
  std::uint64_t count = 0;
  std::uint64_t batches = 0, batch_bytes = 0;
  std::uint64_t reduced_elsewhere = 0;     ///< expansions in which others have left out enabled actions
  std::uint64_t peak_bytes_elsewhere = 0;  ///< highest resident memory of one of them
};

/// What an engine for infinite runs returns.
struct LassoFound {
  LassoResult result = {};
  std::uint64_t memory_bytes = 0;
  std::optional<LassoRanks> ranks = {};
  bool not_shortest = false;  ///< the lasso should be shortest, but the budget ended before that was proven
  std::optional<LtlSweepFigures> sweep = {};
};

/// How infinite runs are searched. An engine is a function that runs its search (lasso_task.hpp); the table
/// of engines names them, and says which automata they take.
using LassoEngine = LassoFound (*)(const LassoTask&, Budget&);

LassoFound search_scc(const LassoTask& task,
                      Budget& budget);                           ///< SCCs, and fairness
LassoFound search_ndfs(const LassoTask& task, Budget& budget);   ///< nested depth-first search
LassoFound search_cndfs(const LassoTask& task, Budget& budget);  ///< the same by many threads
LassoFound search_map(const LassoTask& task, Budget& budget);    ///< maximal accepting predecessors
LassoFound search_owcty(const LassoTask& task,
                        Budget& budget);  ///< elimination after the whole product is built
/// The same with values passed on while it is built, which finds most violations early.
LassoFound search_owcty_map(const LassoTask& task, Budget& budget);
LassoFound search_swept_lassos(const LassoTask& task,
                               Budget& budget);  ///< sweep-line: forgets states as it goes
/// Safety properties only: a shortest run to where the automaton accepts whatever follows.
LassoFound search_bad_prefixes(const LassoTask& task, Budget& budget);

struct LivenessOptions {
  std::function<LassoFound(const LassoTask&, Budget&)> engine = search_scc;
  ErrorSemantics errors = ErrorSemantics::stop;
  unsigned threads = 1;
  /// owcty_map: how many values are passed on, and which; it and map: in which order workers expand.
  unsigned values = 1;
  ValueChoice choice = ValueChoice::mixed;
  std::optional<WorkOrder> order = {};  ///< nothing: bfs, and dfs in a reduced graph, where bfs ends late
  bool regions = true;  ///< all but sweep: look for cycles in regions of the automaton only, see regions.hpp
  NestedVariant nested = NestedVariant::improved;  ///< ndfs
  /// sweep: by which measure; where the automaton's own order is in it; whether cycles are looked for in
  /// regions only; how; whether there is a log for runs.
  SweepSettings sweep = {};
  AutomatonOrder automaton_order = AutomatonOrder::automatic;
  bool sweep_regions = true;
  LtlSweepOptions ltl_sweep = {};
  bool traces = true;
  DeviceSettings device = {};  ///< of a search on a device
  /// Leave out steps that the property cannot tell from others. It must not see how often a state is repeated,
  /// and there must be no fairness.
  por::Method reduce = por::Method::none;
  /// Make the lasso as short as possible, in the product with this automaton (nothing: with the property's):
  /// automata of one property may differ in that.
  bool shortest = false;
  std::shared_ptr<const PropertyProcess> shorten_over = {};
  /// scc, owcty: every state of the product is added there with its rank; nothing: they are not collected.
  StateCollection* collection = nullptr;
};

/// Checks a property that has an automaton, which the engine must support; with fairness, only search_scc()
/// does. The outcome does not name an engine.
Outcome check_liveness(const System& system, const Property& property, const LivenessOptions& options,
                       Budget& budget);

}  // namespace tideline
