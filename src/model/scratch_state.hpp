// ScratchState: room for a state, which one thread writes all the time.
//
// It has cache lines of its own. Small blocks of several threads would lie side by side, in the same line, which
// would then travel between cores with every step.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace tideline {

class ScratchState {
 public:
  explicit ScratchState(std::size_t bytes) : lines_((bytes + sizeof(Line) - 1) / sizeof(Line) + 1) {}

  std::byte* data() { return lines_.front().bytes.data(); }

 private:
  struct alignas(64) Line {
    std::array<std::byte, 64> bytes = {};
  };
  std::vector<Line> lines_;
};

}  // namespace tideline
