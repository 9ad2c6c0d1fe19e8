// The ranks of a job as processes that save a run together.
#pragma once

#include "cluster/ranks/ranks.hpp"
#include "search/sweep/checkpointer.hpp"

namespace tideline::cluster {

/// The ranks must outlive it. Its collectives throw Error(io) when a rank has left.
SavedTogether saved_together(Ranks& ranks);

}  // namespace tideline::cluster
