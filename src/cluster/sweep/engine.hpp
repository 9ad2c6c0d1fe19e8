// The sweep-line for states on many ranks; it is used like the engines in search/states/safety.hpp.
#pragma once

#include "cluster/ranks/ranks.hpp"

namespace tideline {
class StateSearch;
}

namespace tideline::cluster {

/// The measure is that of the first rank. A collective: all ranks return the same. Throws RankLeft.
void search_sweep(StateSearch& search, Ranks& ranks);

}  // namespace tideline::cluster
