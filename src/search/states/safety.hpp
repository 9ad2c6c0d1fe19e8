// Safety checking: deadlocks, invariants, reachability, assertions and model errors, all in one pass over the
// reachable states. The algorithms are in the files beside this one.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "exec/reference.hpp"
#include "reduce/method.hpp"
#include "run/budget.hpp"
#include "run/outcome.hpp"
#include "search/states/device.hpp"
#include "search/states/store.hpp"
#include "search/sweep/sweep_settings.hpp"
#include "store/state_cache.hpp"

namespace tideline {

class StateCollection;
class StateSearch;

/// How states are searched. An engine is a function that runs its search and stores what it found
/// (state_search.hpp); the table of engines names them.
using StateEngine = void (*)(StateSearch&);

void search_bfs(StateSearch& search);  ///< complete; runs are shortest
void search_dfs(StateSearch& search);  ///< complete; less memory for the order of the search, longer runs
void search_bitstate(StateSearch& search);  ///< DFS with a bit table instead of states: proves nothing
void search_walk(StateSearch& search);      ///< random walks: likewise
void search_cache(StateSearch& search);     ///< DFS with a bounded number of states, visits others again
void search_sweep(StateSearch& search);     ///< sweep-line: complete, forgets the states behind it

struct SafetyOptions {
  std::function<void(StateSearch&)> engine = search_bfs;
  ErrorSemantics errors = ErrorSemantics::stop;
  /// Partial order reduction: leave out steps that the properties can do without. Without properties every
  /// deadlock is still found, and model errors may be missed.
  por::Method reduce = por::Method::none;
  unsigned threads = 1;  ///< more than one: bfs and sweep only
  /// Keep what is needed to rebuild runs (BFS: 2 bytes per state). Off: results have no path.
  bool traces = true;
  Store store = Store::automatic;
  StoreChange store_change = {};
  std::uint32_t hash_bits = 64;  ///< of a state in Store::hash
  /// sweep: by which measure, and where the log for runs is.
  SweepSettings sweep = {};
  /// How many runs of a property are wanted. They lead to states that differ in the variables that the property reads;
  /// to deadlocks that differ in the places of processes, or in the marking where there are no processes; to model
  /// errors of different actions.
  std::size_t runs = 1;
  /// Visit every reachable state even when all properties are decided (for counts).
  bool exhaustive = false;
  /// Do not go deeper than this many steps; 0: no bound. A search cut off by it gives unknown.
  std::uint64_t depth = 0;
  /// bitstate: the table has 2^bits bits.
  std::uint32_t bits = 30;
  /// cache: how many states it holds, and which of them are replaced.
  std::uint32_t cache_states = 1'000'000;
  Replacement replacement = Replacement::random;
  DeviceSettings device = {};  ///< gpu: where it runs
  /// walk: how many, from which seed. A walk ends in a deadlock, an error, or after `depth`
  /// steps (0: 10,000).
  std::uint64_t walks = 1000;
  std::uint64_t seed = 1;
  /// Every state that is met is added there; nothing: they are not collected.
  StateCollection* collection = nullptr;
};

/// Checks all properties at once. The outcome does not name an engine. Ends early when every property is
/// decided unless `exhaustive`. Liveness properties (see search/lassos/liveness.hpp) and CTL are answered
/// with unknown: they are not safety properties. A property of kind `model_error` does not keep a search
/// going once the other properties, if any, are decided.
Outcome check_safety(const System& system, const std::vector<Property>& properties,
                     const SafetyOptions& options, Budget& budget);

}  // namespace tideline
