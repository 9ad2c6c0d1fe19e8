// The engines for infinite runs on many ranks. They are used like those in search/lassos/liveness.hpp.
#pragma once

#include "cluster/ranks/ranks.hpp"
#include "search/lassos/liveness.hpp"

namespace tideline::cluster {

// Collectives: all ranks are given the same, and return the same. They throw RankLeft.
LassoFound search_map(const LassoTask& task, Ranks& ranks, Budget& budget);
LassoFound search_owcty(const LassoTask& task, Ranks& ranks, Budget& budget);
LassoFound search_owcty_map(const LassoTask& task, Ranks& ranks, Budget& budget);

}  // namespace tideline::cluster
