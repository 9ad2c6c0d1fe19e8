// Runs whose model is not at hand: what their files tell, as a system that has these runs and nothing else.
//
// Variables, locations and actions are those that the files name. Nothing is replayed: who shows such a run
// must say so.
#pragma once

#include <vector>

#include "model/system.hpp"
#include "trace/itf.hpp"

namespace tideline {

/// A variable whose values are names is the location of a component. Traces have to have the same variables
/// with values of the same shape: throws Error(input).
System system_from(const std::vector<ItfTrace>& traces);

/// The run as the file has it. `system`: of this trace and others.
Trace unchecked_run(const System& system, const ItfTrace& trace);

}  // namespace tideline
