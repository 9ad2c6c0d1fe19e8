// For tests of tables: states made of numbers, and hashes that make a table work hard.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "store/hash.hpp"

namespace tideline::test {

inline const std::byte* bytes_of(const std::string& text) {
  return reinterpret_cast<const std::byte*>(text.data());
}

// A number spread over a state of the given size; different numbers give different states from 4 bytes on.
inline std::string state_of(std::uint32_t number, std::size_t bytes) {
  std::string state(bytes, '\0');
  for (std::size_t i = 0; i < bytes; ++i) state[i] = static_cast<char>(number >> 8 * (i % 4));
  return state;
}

// Bad hashes: everything in one bucket; one tag only; one segment only; bytes as they are.
struct ConstantHash {
  std::uint64_t operator()(const std::byte*, std::size_t) const { return 0x0123456789ABCDEF; }
};
struct OneTagHash {
  std::uint64_t operator()(const std::byte* s, std::size_t n) const { return StateHash{}(s, n) & ~0xFFull; }
};
struct OneSegmentHash {
  std::uint64_t operator()(const std::byte* s, std::size_t n) const { return StateHash{}(s, n) >> 20; }
};
struct LastBucketHash {  // overflow wraps around the end of every segment
  std::uint64_t operator()(const std::byte* s, std::size_t n) const {
    return StateHash{}(s, n) | 0x00FFFFFFFF000000ull;
  }
};
struct WeakHash {
  std::uint64_t operator()(const std::byte* s, std::size_t n) const {
    std::uint64_t hash = 0;
    std::memcpy(&hash, s, std::min(n, sizeof hash));
    return hash;
  }
};

}  // namespace tideline::test
