// Bounds how deep a parser recurses, so that no input exhausts the stack.
#pragma once

#include <cstdint>

namespace tideline {

/// Counts one level for as long as it lives, also when an exception ends it.
class Nesting {
 public:
  /// Calls too_deep(), which throws, when `count` has reached the limit.
  template <class TooDeep>
  Nesting(std::uint32_t& count, std::uint32_t most, const TooDeep& too_deep) : count_(count) {
    if (count_ >= most) too_deep();
    ++count_;
  }
  ~Nesting() { --count_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  std::uint32_t& count_;
};

}  // namespace tideline
