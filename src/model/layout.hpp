// Layout: how a state vector lies in memory, every slot at a fixed place, packed without gaps.
//
// A slot takes one bit when its range fits 0..1, one byte when it fits 0..255, two when it fits a signed
// 16-bit number, else four. Bits come first, then all others, each in the order of the slots; unused bits are
// 0. Bytes are copied, hashed and compared as they are, so every state has exactly one packed form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "model/system.hpp"

namespace tideline {

enum class Width : std::uint8_t { bit = 0, u8 = 1, s16 = 2, s32 = 4 };

struct Field {
  std::uint32_t offset = 0;  ///< of its byte; of a bit: counted in bits
  Width width = Width::u8;
};

inline bool bit_at(const std::byte* state, std::uint32_t offset) {
  return (std::to_integer<unsigned>(state[offset / 8]) >> (offset % 8) & 1U) != 0;
}

inline void set_bit_at(std::byte* state, std::uint32_t offset, bool value) {
  const auto mask = static_cast<std::byte>(1U << (offset % 8));
  std::byte& byte = state[offset / 8];
  byte = value ? byte | mask : byte & ~mask;
}

inline std::int32_t load_field(const std::byte* state, Field field) {
  switch (field.width) {
    case Width::bit:
      return bit_at(state, field.offset);
    case Width::u8:
      return std::to_integer<std::int32_t>(state[field.offset]);
    case Width::s16: {
      std::int16_t value;
      std::memcpy(&value, state + field.offset, sizeof value);
      return value;
    }
    default: {
      std::int32_t value;
      std::memcpy(&value, state + field.offset, sizeof value);
      return value;
    }
  }
}

inline void store_field(std::byte* state, Field field, std::int32_t value) {
  switch (field.width) {
    case Width::bit:
      set_bit_at(state, field.offset, value != 0);
      break;
    case Width::u8:
      state[field.offset] = static_cast<std::byte>(value);
      break;
    case Width::s16: {
      const auto narrow = static_cast<std::int16_t>(value);
      std::memcpy(state + field.offset, &narrow, sizeof narrow);
      break;
    }
    default:
      std::memcpy(state + field.offset, &value, sizeof value);
  }
}

class Layout {
 public:
  explicit Layout(const System& system);

  std::size_t size() const { return size_; }
  /// How many slots are bits: they lie at the beginning.
  std::uint32_t bits() const { return bits_; }
  Field field(SlotId slot) const { return fields_[slot]; }

  /// Every byte of `state` is written.
  void pack(std::span<const std::int32_t> values, std::byte* state) const;
  void unpack(const std::byte* state, std::span<std::int32_t> values) const;
  std::vector<std::int32_t> unpack(const std::byte* state) const;

  /// Whether any values of the slots are packed like this: for bytes that come from elsewhere.
  bool is_state(const std::byte* state) const;

 private:
  std::vector<Field> fields_;
  std::vector<Range> ranges_;
  std::size_t size_ = 0;
  std::uint32_t bits_ = 0;
};

}  // namespace tideline
