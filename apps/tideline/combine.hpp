// What the searches of a check found out together.
//
// Results are put behind each other. Statistics are combined so that each keeps its meaning: work is summed
// up; of sizes that belong to the model or to one point in time, such as states or a peak, the largest
// counts; a word is kept when all searches say the same. What each search says is kept beside that.
#pragma once

#include <vector>

#include "report/answer.hpp"

namespace tideline::app {

struct CombinedOutcome : Outcome {
  std::vector<SearchReport> searches = {};
};

/// Adds the outcome of the next search, or of several.
void append(CombinedOutcome& outcome, Outcome search);
void append(CombinedOutcome& outcome, CombinedOutcome more);

}  // namespace tideline::app
