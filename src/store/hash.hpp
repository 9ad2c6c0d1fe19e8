// The hash of a packed state, how states are copied, and how they are compared: word by word.
//
// Every table takes its bits from this one value: the top for the segment, the middle for the bucket, the
// bottom for the tag. A hash for tables is any type like StateHash; tests use bad ones on purpose.
//
// The hash multiplies pairs of words to 128 bits and folds them, as wyhash does, whose constants it has. Words are
// read at multiples of 8 bytes, and what is left at the end as 4, 2 and 1 bytes, by all three functions alike: a
// processor has to wait where it reads bytes that several writes have just written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tideline {

namespace detail {

template <class Word>
[[gnu::always_inline]] inline Word word_at(const std::byte* at) {
  Word word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

/// Fewer than 8 bytes.
[[gnu::always_inline]] inline std::uint64_t last_bytes(const std::byte* at, std::size_t bytes) {
  std::uint64_t value = 0;
  unsigned shift = 0;
  if ((bytes & 4) != 0) {
    value = word_at<std::uint32_t>(at);
    at += 4;
    shift = 32;
  }
  if ((bytes & 2) != 0) {
    value |= std::uint64_t{word_at<std::uint16_t>(at)} << shift;
    at += 2;
    shift += 16;
  }
  if ((bytes & 1) != 0) value |= std::uint64_t{word_at<std::uint8_t>(at)} << shift;
  return value;
}

__extension__ using Wide = unsigned __int128;

[[gnu::always_inline]] inline std::uint64_t folded(std::uint64_t a, std::uint64_t b) {
  const Wide product = Wide{a} * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace detail

struct StateHash {
  [[gnu::always_inline]] std::uint64_t operator()(const std::byte* state, std::size_t bytes) const {
    using detail::folded, detail::word_at, detail::last_bytes;
    constexpr std::uint64_t k0 = 0xa0761d6478bd642f, k1 = 0xe7037ed1a0b428db, k2 = 0x8ebc6af09c88c6e3;
    std::uint64_t first = k0, second = k2;
    std::size_t left = bytes;
    for (; left > 32; left -= 32, state += 32) {
      first = folded(word_at<std::uint64_t>(state) ^ k1, word_at<std::uint64_t>(state + 8) ^ first);
      second = folded(word_at<std::uint64_t>(state + 16) ^ k0, word_at<std::uint64_t>(state + 24) ^ second);
    }
    if (left > 16) {
      second = folded(word_at<std::uint64_t>(state) ^ k0, word_at<std::uint64_t>(state + 8) ^ second);
      left -= 16;
      state += 16;
    }
    std::uint64_t a = 0, b = 0;
    if (left >= 8) {
      a = word_at<std::uint64_t>(state);
      b = left == 16 ? word_at<std::uint64_t>(state + 8) : last_bytes(state + 8, left - 8);
    } else {
      a = last_bytes(state, left);
    }
    first = folded(a ^ k1, b ^ first);
    return folded(first ^ second ^ k1, bytes ^ k0);
  }
};

/// As memcpy, by the same words that StateHash reads.
[[gnu::always_inline]] inline void copy_state(std::byte* to, const std::byte* from, std::size_t bytes) {
  for (; bytes >= 8; bytes -= 8, to += 8, from += 8) std::memcpy(to, from, 8);
  if ((bytes & 4) != 0) {
    std::memcpy(to, from, 4);
    to += 4;
    from += 4;
  }
  if ((bytes & 2) != 0) {
    std::memcpy(to, from, 2);
    to += 2;
    from += 2;
  }
  if ((bytes & 1) != 0) *to = *from;
}

/// As memset with zero, by words as well.
[[gnu::always_inline]] inline void clear_bytes(std::byte* to, std::size_t bytes) {
  constexpr std::uint64_t zero = 0;
  for (; bytes >= 8; bytes -= 8, to += 8) std::memcpy(to, &zero, 8);
  if ((bytes & 4) != 0) {
    std::memcpy(to, &zero, 4);
    to += 4;
  }
  if ((bytes & 2) != 0) {
    std::memcpy(to, &zero, 2);
    to += 2;
  }
  if ((bytes & 1) != 0) *to = {};
}

/// Whether two packed states are the same. States are short: whole words compared in line beat a call.
[[gnu::always_inline]] inline bool same_state(const std::byte* a, const std::byte* b, std::size_t bytes) {
  std::uint64_t x, y;
  if (bytes < sizeof x) return std::memcmp(a, b, bytes) == 0;
  const std::size_t last = bytes - sizeof x;
  for (std::size_t i = 0; i < last; i += sizeof x) {
    std::memcpy(&x, a + i, sizeof x);
    std::memcpy(&y, b + i, sizeof y);
    if (x != y) return false;
  }
  std::memcpy(&x, a + last, sizeof x);
  std::memcpy(&y, b + last, sizeof y);
  return x == y;
}

}  // namespace tideline
