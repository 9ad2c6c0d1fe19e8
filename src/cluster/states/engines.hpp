// The engines for states on many ranks. They are used like those in search/states/safety.hpp.
#pragma once

#include <functional>

#include "cluster/ranks/rank_figures.hpp"
#include "cluster/ranks/ranks.hpp"

namespace tideline {
class StateSearch;
}

namespace tideline::cluster {

/// Breadth-first search. A collective: all ranks are given the same, and return the same. Throws RankLeft.
void search_bfs(StateSearch& search, Ranks& ranks);

/// What all engines have in common: requires that all ranks are given the same, calls search_together(), and reports
/// what that returns, and what the other ranks have used. A collective.
void search_on_ranks(StateSearch& search, Ranks& ranks, const std::function<RankFigures()>& search_together);

}  // namespace tideline::cluster
