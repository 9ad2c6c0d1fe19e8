// The status of a run that is not over, for people and for programs.
#pragma once

#include <string>

#include "run/budget.hpp"

namespace tideline {

/// A line for people: "1,234,567 states, 612,000/s, frontier 4,321, depth 17, 80.1 MiB, 2.01 s".
std::string status_line(const RunStatus& status);

/// A line for programs: an object that docs/tideline-status.schema.json describes.
std::string status_json(const RunStatus& status);

}  // namespace tideline
