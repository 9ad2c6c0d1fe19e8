// The sentences of a report page: what was done, how long it took, how complete it is, and why something is
// not known.
#pragma once

#include <string>
#include <vector>

#include "model/system.hpp"
#include "report/answer.hpp"

namespace tideline {

std::vector<std::string> page_notes(const Answer& answer, const System& system);

}  // namespace tideline
