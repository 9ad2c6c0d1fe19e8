// Fairness: which infinite runs count, by how they treat the processes (the components of a System).
//
// A process is enabled in a state when it takes part in some enabled action there, one that ends in a model
// error included. A step of an action is a step of all its participants. In a deadlock nothing is enabled, so
// staying there for ever is fair. Every strongly fair run is weakly fair.
#pragma once

#include <optional>
#include <string_view>

namespace tideline {

enum class Fairness {
  none,    ///< every run counts
  weak,    ///< a process that is enabled in all states from some point on moves infinitely often
  strong,  ///< a process that is enabled infinitely often moves infinitely often
};

std::string_view to_string(Fairness fairness);
std::optional<Fairness> fairness_from(std::string_view text);

}  // namespace tideline
