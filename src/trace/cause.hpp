// Why a run violates its property, in a few sentences of plain English.
//
// Everything that is said is read off the slice: the values that decide the property and the steps that wrote them,
// what these were computed from, and where one process read what another one changed afterwards. Nothing is said
// about what the author may have meant.
#pragma once

#include <string>
#include <vector>

#include "trace/slice.hpp"

namespace tideline {

/// A run with its slice.
struct SlicedRun {
  const System& system;
  const Property& property;
  Verdict verdict;
  const Trace& run;
  const std::vector<StepUse>& uses;
  const Goal& goal;
  const Relevance& relevance;
};

std::string cause_text(const SlicedRun& sliced);

}  // namespace tideline
