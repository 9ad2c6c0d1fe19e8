// Signs: whether decision diagrams suit a system, judged by its structure before anything is tried.
//
// Diagrams work well with actions that touch few slots, and whose relations need not be learnt by firing
// every combination of values that occurs.
#pragma once

#include <string>

#include "model/system.hpp"

namespace tideline::symbolic {

struct DiagramSigns {
  double touched = 0;  ///< slots that an action touches, on average
  double coupled = 0;  ///< of these, the most that have to be evaluated together, on average
  double share = 0;    ///< of the time of explicit search that diagrams should be given
  std::string why;     ///< for display
};

DiagramSigns diagram_signs(const System& system);

}  // namespace tideline::symbolic
