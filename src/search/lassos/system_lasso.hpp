// From a lasso through a product to the run of the system in it.
#pragma once

#include <cstddef>

#include "run/outcome.hpp"

namespace tideline {

/// The system's part of a lasso through the product. The same infinite run may have a shorter lasso there:
/// the cycle may repeat itself, and begin earlier.
inline Path system_lasso(Path path, std::size_t system_state_size) {
  for (auto& state : path.states) state.resize(system_state_size);
  const auto same_step = [&](std::size_t i, std::size_t j) {
    return path.actions[i] == path.actions[j] && path.states[i] == path.states[j];
  };
  std::size_t& loop = *path.loop;
  std::size_t length = path.states.size();
  const auto repeats_after = [&](std::size_t period) {
    for (std::size_t i = loop; i + period < length; ++i)
      if (!same_step(i, i + period)) return false;
    return true;
  };
  const std::size_t cycle = length - loop;
  for (std::size_t period = 1; period < cycle; ++period)
    if (cycle % period == 0 && repeats_after(period)) {
      length = loop + period;
      break;
    }
  while (loop > 0 && same_step(loop - 1, length - 1)) {
    --loop;
    --length;
  }
  path.states.resize(length);
  path.actions.resize(length);
  return path;
}

}  // namespace tideline
