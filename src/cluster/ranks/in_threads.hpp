// Searching with several threads in each process of a job: each of them is a rank of its own (shared_transport.hpp).
#pragma once

#include <functional>

#include "cluster/ranks/ranks.hpp"

namespace tideline::cluster {

/// A collective of processes: calls work(ranks, thread) in so many threads of each of them, among which `ranks` are the
/// job; the calling thread is the first. With one thread that is work(processes, 0). What it throws is thrown here
/// when all threads of all processes have returned. Throws LimitReached where the system has no such threads, and
/// RankLeft.
void in_threads(Ranks& processes, unsigned threads, const std::function<void(Ranks&, unsigned)>& work);

}  // namespace tideline::cluster
