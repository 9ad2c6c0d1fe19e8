// What the searches of a check found out together.
//
// Results are put behind each other. What a search has counted is its own: two that visit the same graph have
// not visited twice as many states. So with several searches the statistics of the whole are few, and
// run/statistics.hpp declares for each how it merges. Those of the whole check, such as its time, are left to
// the caller: there is more to a check than its searches. What each search says is kept beside that.
#pragma once

#include <vector>

#include "report/answer.hpp"

namespace tideline {

struct CombinedOutcome : Outcome {
  std::vector<SearchReport> searches = {};
};

/// Adds the outcome of the next search, or of several.
void append(CombinedOutcome& outcome, Outcome search);
void append(CombinedOutcome& outcome, CombinedOutcome more);

}  // namespace tideline
