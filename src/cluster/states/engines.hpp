// The engines for states on many ranks. They are used like those in search/states/safety.hpp.
#pragma once

#include "cluster/ranks/ranks.hpp"

namespace tideline {
class StateSearch;
}

namespace tideline::cluster {

/// Breadth-first search. A collective: all ranks are given the same, and return the same. Throws RankLeft.
void search_bfs(StateSearch& search, Ranks& ranks);

}  // namespace tideline::cluster
