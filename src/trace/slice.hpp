// Slices of a run: the steps that its end, or what a property sees on the way, depends on.
//
//   B. Korel, J. Laski: Dynamic program slicing, 1988.
//   M. Sridharan, S. Fink, R. Bodík: Thin slicing, PLDI 2007.
//
// Both kinds go backwards through the run with a set of slots whose values matter: at first those that decide the
// property, and before a step that writes some of them, what that step needs.
//
// needed_steps() is the full slice: a step that is kept needs everything it reads, its guards and the locations of its
// processes included. What it leaves out can be left out of the run: each step that is kept finds in all it reads what
// it has found before, and the deciding slots have the same values. So it shortens a finite run without any search.
// (Deadlocks and lassos have to be checked: see shorten_run.hpp.)
//
// relevant_steps() is the thin slice, the steps that matter. Nearly every step of a short run is needed for some
// process to get to where it does something; a reader wants to know where it does. So the location of a process does
// not count as something that its own steps read. What a step that does not matter promises:
//
//     Let every step that does not matter only move its processes, and write anything at all into the variables that
//     it writes. Then each step that matters still passes its guards, as it reads the same values there; it writes the
//     same values to all variables that matter afterwards; and the property is decided by the same values, in the last
//     state of a finite run or in every state of a lasso.
//
// A test does just this. Beyond what that promise needs, a step matters when
//   - its process does something that matters later, and the step synchronises with another process, or passes a
//     guard that reads what another process writes somewhere in the run: here the order of processes decides;
//   - it overwrites what a step that matters had read before, and its process does something that matters later:
//     "read in step 1, before step 3 wrote".
//
// In a Petri net there are no processes that could move, so that all needed steps matter.
#pragma once

#include <vector>

#include "trace/dependence.hpp"

namespace tideline {

/// By step: whether the full slice has it.
std::vector<bool> needed_steps(const Trace& run, const std::vector<StepUse>& uses, const Goal& goal);

struct Relevance {
  std::vector<bool> steps;        ///< by step, a failing one included
  Slots slots;                    ///< whose values matter at some time
  std::vector<Slots> reads = {};  ///< by step: which of them it reads, if it matters
};

Relevance relevant_steps(const Trace& run, const std::vector<StepUse>& uses, const Goal& goal);

}  // namespace tideline
