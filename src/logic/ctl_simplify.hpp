// Simplification of CTL by laws that make a formula smaller: constants, idempotence, double negation, and
// sequences of temporal operators such as AG AG f = AG f, EF AF f = EF f and AF EF f = EF f.
//
// The laws hold in every structure in which each run is maximal, whatever deadlocks mean, except for two
// about constants: EX true and AX false say something about deadlocks unless a deadlock repeats.
#pragma once

#include "logic/ctl.hpp"
#include "model/ctl_formula.hpp"

namespace tideline {

/// An equivalent formula of the same pool.
Ctl simplify(CtlPool& pool, Ctl f, DeadlockPaths paths);

/// The formula in the form that engines evaluate, its atoms named but not bound. Equal subformulas occur
/// once, and constants only where they are unavoidable.
CtlFormula ctl_core(const CtlPool& pool, Ctl f);

}  // namespace tideline
