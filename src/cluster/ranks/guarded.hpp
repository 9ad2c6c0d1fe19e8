// What a rank does when it has no memory left: it goes no further, but takes part until the end.
#pragma once

#include <new>

#include "cluster/ranks/ranks.hpp"
#include "run/budget.hpp"

namespace tideline::cluster {

inline void end_without_memory(Ranks& ranks, Budget& budget) {
  budget.exhaust_memory();
  ranks.stop();
}

template <class Work>
void guarded(Ranks& ranks, Budget& budget, const Work& work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
    end_without_memory(ranks, budget);
  }
}

/// Where a rank cannot take part until the end: it leaves, and the others learn which limit it was.
template <class Work>
auto naming_limits(Budget& budget, const Work& work) try {
  return work();
} catch (const std::bad_alloc&) {
  budget.exhaust_memory();
  throw LimitReached(budget.reason());
}

}  // namespace tideline::cluster
