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
// relevant_steps() is a thin slice, the steps that matter. Nearly every step of a short run is needed for some process
// to get to where it does something; a reader wants to know where it does. So the location of a process does not count
// as something that its own steps read, and what explains why a step was possible is kept apart from where values come
// from. Each step that matters has a level:
//
//   0        it writes a value that decides the property, or that a step of level 0 computes such a value from; of a
//            lasso also a step that changes whether something is true that the property looks at
//   n + 1    it explains a step of level n: it writes what a guard of that step reads, or an index of an array, or
//            what such a value is computed from (for a counter: from other things than its value before); or it is
//            the last step before that one in which its process met another one, or passed a guard that reads
//            what others write; or it overwrites what that step had read: "read in step 1, before step 3 wrote"
//
// As many levels count as can be shown in a few steps. What the other steps promise, those that do not matter:
//
//     Let every step that does not matter only move its processes, and write anything at all into the variables that
//     it writes. Let the steps that matter be taken, and access the same elements of arrays. Then the property is
//     decided by the same values in the last state of a finite run, and sees the same in every state of a lasso. And
//     below the last level, where explaining ends, each step that matters passes its guards, reading the same
//     values there and in indices, and writes the same values to the variables that matter afterwards.
//
// A test does just this.
//
// In a Petri net there are no processes that could move, and the tokens of a place come from all steps that have put or
// taken some, so that nearly all needed steps matter.
#pragma once

#include <vector>

#include "trace/dependence.hpp"

namespace tideline {

/// By step: whether the full slice has it.
std::vector<bool> needed_steps(const Trace& run, const std::vector<StepUse>& uses, const Goal& goal);

struct Relevance {
  std::vector<bool> steps;        ///< by step, a failing one included
  std::vector<unsigned> levels;   ///< by step that matters
  unsigned last_level = 0;        ///< where explaining ends
  Slots slots;                    ///< whose values matter at some time
  std::vector<Slots> reads = {};  ///< by step: which of them it reads, if it matters
};

/// The levels that fit into `few` steps: level 0 in any case, and level 1 if both have not more than twice as many.
Relevance relevant_steps(const Trace& run, const std::vector<StepUse>& uses, const Goal& goal,
                         std::size_t few = 12);

}  // namespace tideline
