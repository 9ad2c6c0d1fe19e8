// For tests: how many random cases they try.
#pragma once

#include <cstdint>

namespace tideline::test {

/// As many, or an eighth of them where a sanitizer makes each take about ten times as long.
constexpr std::uint64_t cases(std::uint64_t count) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return count / 8;
#else
  return count;
#endif
}

}  // namespace tideline::test
