// The combined outcome of the searches of a check.
//
// Results are appended. Counts cannot simply be added: two searches that visit the same graph have not
// visited twice as many states. So with several searches there are few statistics of the whole, and
// run/statistics.hpp declares for each how it merges. Those of the whole check, such as its time, are left to
// the caller: there is more to a check than its searches. The figures of each search are kept, too.
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

/// What another search for the same properties has decided, where this outcome is unknown.
void take_decided(const Outcome& from, Outcome& to);

/// Whether there is a property whose verdict is unknown.
bool is_open(const Outcome& outcome);

}  // namespace tideline
