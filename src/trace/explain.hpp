// Why a run violates its property: the steps and variables that matter, in an order that reads well.
//
// A run as an engine finds it has all that happened. Depth-first search wanders about; even a shortest run lets
// processes take turns at random, and half of it only brings them to where something happens. Three things are done
// to it, one after the other:
//
//   1. Steps are left out as long as the rest is a run that proves the same (shorten_run.hpp).
//   2. Steps that do not depend on each other are exchanged, so that those of one process are next to each other
//      (group_steps.hpp).
//   3. In what has become of it, the steps that matter are marked: those that the values which decide the property
//      come from, or that show how processes get in each other's way (slice.hpp says what exactly is promised about
//      the others). The others can be folded away.
//
// After 1 and 2 it is still a run of the model that proves the verdict: it is replayed and checked like one that an
// engine has found, and what does not pass is an internal error. It is never longer than the given one.
//
// Why not only slice? A slice of the given run says which steps decided this run, and leaves what can be done without.
// Leaving out steps finds that a whole round of a protocol was unnecessary, even where each step of it passes on a
// value. Why not only leave out? What remains is needed for the run, but not what a reader has to look at.
//
// Runs of CTL formulas are not explained: they are one path of an evidence that is a tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trace/group_steps.hpp"
#include "trace/retake.hpp"

namespace tideline {

struct RunExplanation {
  std::size_t length_before = 0;   ///< of the given run, in steps
  std::vector<std::size_t> order;  ///< for each step its number in the given run, from 1
  std::vector<bool> matters;       ///< by step; the failing one is the last
  Slots slots;                     ///< the variables that matter
  std::vector<StepGroup> groups;   ///< of steps
  std::string text;                ///< why, in a few sentences

  /// The steps that matter, as they are numbered for people: from 1.
  std::vector<std::size_t> steps() const;
};

/// A run and what is said about it.
struct ExplainedRun {
  Trace run;
  RunExplanation explanation;
};

struct ExplainOptions {
  std::uint64_t effort = 1'000'000'000;  ///< for attempts to shorten the run: about a second
  bool same_end = false;                 ///< see Claim
  Budget* budget = nullptr;              ///< none: no limits
};

/// Why runs of a property are not explained; empty: they are.
std::string why_not_explained(const Property& property);

/// The run must prove the verdict, and runs of the property are explained. Throws LimitReached.
ExplainedRun explain_run(const System& system, ErrorSemantics errors, const Property& property,
                         Verdict verdict, const Trace& run, const ExplainOptions& options = {});

}  // namespace tideline
