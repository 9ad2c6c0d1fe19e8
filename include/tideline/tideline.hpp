// Tideline as a library: check a model file, or a system that is a C++ type of your own.
//
//   tideline/check.hpp     load a model, ask about it in any logic, by any engine
//
//   tideline/graph.hpp     what your type must have: states of a fixed size, initial states, steps, progress
//   tideline/explore.hpp   visit every reachable state, all in memory or while forgetting most of them
//   tideline/ctl.hpp       "it is always possible to ..." and "... always happens again", with a run
//
// docs/library.md walks through an example. These headers are the interface; what they include may change.
#pragma once

#include <tideline/check.hpp>
#include <tideline/ctl.hpp>
#include <tideline/explore.hpp>
#include <tideline/graph.hpp>
