// Runs that read better: steps of one process next to each other.
//
// Two steps keep their order if one writes what the other reads or writes (dependence.hpp); of a lasso also if both
// write what the property looks at, and no step enters or leaves the cycle. Any other order of the steps is a run
// to the same state. Among these orders group_steps() looks for one with few changes between processes: it goes on
// with a process as long as it can, then with the one that can take most steps in a row; once from the beginning,
// and once from the end. The given order is kept unless that is better. In a Petri net a step is followed by one that
// takes tokens which it has put, or which competes with it.
#pragma once

#include <cstddef>
#include <vector>

#include "trace/dependence.hpp"
#include "trace/retake.hpp"

namespace tideline {

/// The run must prove the claim, and can_be_changed(). Throws LimitReached.
DerivedRun group_steps(const Claim& claim, const Trace& run, Effort& effort);

/// Consecutive steps of one component, or in a net of a sequence of transitions that depend on each other.
struct StepGroup {
  std::size_t first = 0;
  std::size_t count = 0;
  ComponentId component = no_component;  ///< it takes part in all of them
};

/// The steps of a run, that of a failing action included, in as few groups as their order allows. A cycle
/// begins a new one.
std::vector<StepGroup> groups_of(const Trace& run, const std::vector<StepUse>& uses);

}  // namespace tideline
