// Local graphs as drawings: what single processes and variables can do, and the direction of progress.
#pragma once

#include <string>
#include <vector>

#include "progress/composition.hpp"

namespace tideline {

/// DOT with a box for every slot or group, values that can come back to each other framed together, the
/// earliest ones on the left. Edges that go back in the tree order are red and dashed. Only those of up
/// to 64 values.
std::string local_dot(const System& system, const std::vector<LocalMeasure>& locals);

}  // namespace tideline
