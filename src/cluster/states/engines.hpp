// The engines for states on many ranks. They are used like those in search/states/safety.hpp.
#pragma once

#include <functional>

#include "cluster/ranks/rank_figures.hpp"
#include "cluster/ranks/ranks.hpp"
#include "exec/predicate.hpp"
#include "search/states/monitor.hpp"

namespace tideline {
class StateSearch;
}

namespace tideline::cluster {

/// Breadth-first search. A collective: all ranks are given the same, and return the same. Throws RankLeft.
void search_bfs(StateSearch& search, Ranks& ranks);

/// What all engines have in common: requires that all ranks are given the same, calls search_together(), and reports
/// what that returns, and what the other ranks have used. A collective.
void search_on_ranks(StateSearch& search, Ranks& ranks, const std::function<RankFigures()>& search_together);

/// A search by one of the threads of this process. The first has the monitor and the budget of the search, the others
/// have their own: the limit of the memory is all that they look at.
struct ThreadShare {
  Ranks& ranks;
  Monitor<Predicate>& monitor;
  Budget& budget;
  bool is_first;  ///< of this process
};

/// A collective: calls work(share) in each thread.
void search_in_threads(const StateSearch& search, Ranks& ranks,
                       const std::function<void(const ThreadShare&)>& work);

}  // namespace tideline::cluster
