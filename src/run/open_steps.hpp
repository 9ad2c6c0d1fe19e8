// Open steps: a system in which the actions inside of a step are steps of their own.
//
// A step through states that nobody sees (System::transient) is one step for searches. Those that have to know every action
// of it take the system with open steps: fairness, since several processes may move in a step, and decision diagrams, since
// a step has any number of actions. What nobody sees is marked there (System::inner), and what is asked is changed so that
// its answer is the same:
//   expressions   are true in inner states; goals of reach are false there
//   automata      wait in inner states. Every location has a second one to wait in, which belongs to no acceptance
//                 set, so that a step is counted once, and one that never ends is not accepted
//   CTL           operators pass over inner states: EX f is EX E(inner U (seen and f)), E(f U g) is
//                 E((inner or f) U (seen and g)), EG f is EG(inner or f). The last is the same only where no run stays
//                 in inner states for ever: engines have to look.
// Deadlocks and model errors need no change: an inner state has a successor, or an action that fails.
//
// A run of the system with open steps is one of the system with all inner states in it, which replay knows.
#pragma once

#include "model/system.hpp"
#include "run/property.hpp"

namespace tideline {

/// The system must have steps with inner states.
System with_open_steps(const System& system);

/// What is asked, for the system with open steps.
Property with_open_steps(const Property& property, const System& open);

/// Why nothing follows where inner states go round for ever. A step that never ends is a model error for searches that take
/// it as one; here it is a run without anything to see.
inline constexpr const char* endless_reason =
    "an atomic sequence can go round for ever, which diagrams do not tell from one that ends; explicit "
    "engines do";

/// The state is one that properties see.
Expr is_seen(const System& open);

}  // namespace tideline
