// Numbers of variable length: seven bits per byte, the low ones first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/error.hpp"

namespace tideline {

/// Returns the end of what it wrote.
inline std::byte* put_number(std::byte* to, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) *to++ = static_cast<std::byte>(number | 0x80);
  *to++ = static_cast<std::byte>(number);
  return to;
}
inline void put_number(std::vector<std::byte>& to, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) to.push_back(static_cast<std::byte>(number | 0x80));
  to.push_back(static_cast<std::byte>(number));
}

/// Moves on to what comes after the number. Throws Error(io) where there is none.
inline std::uint64_t get_number(std::span<const std::byte>& from) {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (from.empty()) break;
    const auto byte = static_cast<std::uint64_t>(from.front());
    from = from.subspan(1);
    number |= (byte & 0x7F) << shift;
    if (byte < 0x80) return number;
  }
  throw Error(ErrorKind::io, "a file with numbers is damaged");
}

/// Differences in both directions as small numbers: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
inline std::uint64_t folded(std::uint64_t difference) {
  return difference << 1 ^ (difference >> 63 ? ~std::uint64_t{0} : 0);
}
inline std::uint64_t unfolded(std::uint64_t number) {
  return number >> 1 ^ (number & 1 ? ~std::uint64_t{0} : 0);
}

}  // namespace tideline
