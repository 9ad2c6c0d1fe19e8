// Bounds how deep a parser recurses, so that no input exhausts the stack.
#pragma once

#include <cstdint>

namespace tideline {

/// One level deeper as long as it lives, also when an exception ends it.
class Nesting {
 public:
  /// Calls too_deep(), which throws, when `count` levels are as many as there may be.
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
