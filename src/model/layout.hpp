// How a state vector lies in memory: every slot at a fixed byte offset, packed without gaps.
//
// A slot takes one byte when its range fits 0..255, two when it fits a signed 16-bit number, else four.
// Bytes are copied, hashed and compared as they are, so every state has exactly one packed form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "model/system.hpp"

namespace tideline {

enum class Width : std::uint8_t { u8 = 1, s16 = 2, s32 = 4 };

struct Field {
  std::uint32_t offset = 0;
  Width width = Width::u8;
};

inline std::int32_t load_field(const std::byte* state, Field field) {
  switch (field.width) {
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
  Field field(SlotId slot) const { return fields_[slot]; }

  void pack(std::span<const std::int32_t> values, std::byte* state) const;
  void unpack(const std::byte* state, std::span<std::int32_t> values) const;
  std::vector<std::int32_t> unpack(const std::byte* state) const;

 private:
  std::vector<Field> fields_;
  std::size_t size_ = 0;
};

}  // namespace tideline
