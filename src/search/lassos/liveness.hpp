// Liveness checking: is there a run that a property automaton accepts? If so it is a lasso, and the property
// is violated. This is the face that the command line uses; the algorithms lie beside it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "exec/reference.hpp"
#include "progress/measured_product.hpp"
#include "run/budget.hpp"
#include "run/outcome.hpp"
#include "search/core/crew.hpp"
#include "search/lassos/ltl_sweep.hpp"
#include "search/lassos/owcty.hpp"
#include "search/sweep/sweep_settings.hpp"

namespace tideline {

enum class LassoEngine {
  scc,        ///< strongly connected components: any acceptance, every state expanded once
  ndfs,       ///< nested depth-first search
  cndfs,      ///< the same by many threads
  map,        ///< maximal accepting predecessors
  owcty,      ///< elimination, after the whole product is built
  owcty_map,  ///< the same with values passed on while it is built, which finds most violations early
  sweep,      ///< sweep-line: forgets states as it goes
  bfs,        ///< safety properties only: a shortest run to where the automaton accepts whatever follows
};

std::string_view to_string(LassoEngine engine);
std::optional<LassoEngine> lasso_engine_from(std::string_view name);

/// Whether the engine can use several threads.
bool is_parallel(LassoEngine engine);
/// Whether the engine needs an automaton with one acceptance set, on states. (All but scc do.)
bool needs_buchi(LassoEngine engine);
/// Whether the engine can search for what this automaton accepts.
bool can_handle(LassoEngine engine, const PropertyProcess& property);

struct LivenessOptions {
  LassoEngine engine = LassoEngine::scc;
  ErrorSemantics errors = ErrorSemantics::stop;
  unsigned threads = 1;
  /// owcty_map: how many values are passed on, and which; it and map: in which order workers expand.
  unsigned values = 1;
  ValueChoice choice = ValueChoice::mixed;
  WorkOrder order = WorkOrder::bfs;
  /// sweep: by which measure; where the automaton's own order comes in it; how cycles are searched; whether
  /// there is a log for runs.
  SweepSettings sweep = {};
  AutomatonOrder automaton_order = AutomatonOrder::automatic;
  LtlSweepOptions ltl_sweep = {};
  bool traces = true;
  /// Make the lasso as short as possible, in the product with this automaton (nothing: with the property's):
  /// automata of one property may differ in that.
  bool shortest = false;
  std::shared_ptr<const PropertyProcess> shorten_over = {};
};

/// Why the engine cannot check the property in this way; empty: it can.
std::string why_unfit(const LivenessOptions& options, const Property& property);

/// Checks a property that has an automaton; with fairness, engine scc does. Throws Error(usage) when the
/// engine cannot handle it.
Outcome check_liveness(const System& system, const Property& property, const LivenessOptions& options,
                       Budget& budget);

}  // namespace tideline
