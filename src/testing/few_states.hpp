// For tests with random systems: some have more states than anybody can wait for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "exec/interpreter.hpp"

namespace tideline::test {

/// Whether at most so many are reachable, in that many steps.
inline bool has_few_states(const System& system, std::size_t most,
                           ErrorSemantics errors = ErrorSemantics::stop,
                           std::uint64_t steps = std::numeric_limits<std::uint64_t>::max()) {
  using Packed = std::vector<std::byte>;
  Interpreter interpreter(Program::compile(system, errors));
  std::set<Packed> seen;
  std::vector<Packed> level, next;
  const auto add = [&](const std::byte* state) {
    Packed packed(state, state + interpreter.state_size());
    if (seen.insert(packed).second) next.push_back(std::move(packed));
  };
  interpreter.initial(add);
  for (; steps != 0 && !next.empty(); --steps) {
    level = std::exchange(next, {});
    for (const Packed& state : level) {
      interpreter.successors(state.data(), [&](const Step& step) {
        if (step.state) add(step.state);
      });
      if (seen.size() > most) return false;
    }
  }
  return seen.size() <= most;
}

}  // namespace tideline::test
