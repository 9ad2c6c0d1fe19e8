#include "symbolic/space/signs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "symbolic/space/parts.hpp"

namespace tideline::symbolic {

namespace {

// As measured on the instances of BEEM: diagrams are faster on one in five, mostly by far; never where many
// slots have to be evaluated together.
constexpr double few_coupled = 10;
constexpr double some_share = 0.25, small_share = 0.0625;

}  // namespace

DiagramSigns diagram_signs(const System& system) {
  DiagramSigns signs;
  for (const Action& action : system.actions) {
    std::size_t largest = 0;
    for (const Part& part : parts_of(system, action)) {
      signs.touched += static_cast<double>(part.slots.size());
      largest = std::max(largest, part.slots.size());
    }
    signs.coupled += static_cast<double>(largest);
  }
  if (!system.actions.empty()) {
    signs.touched /= static_cast<double>(system.actions.size());
    signs.coupled /= static_cast<double>(system.actions.size());
  }
  signs.share = 1;
  signs.why =
      fmt::format("actions touch {:.1f} slots, {:.1f} of them together", signs.touched, signs.coupled);
  return signs;
}

}  // namespace tideline::symbolic
