#include "model/layout.hpp"

#include <algorithm>

namespace tideline {

namespace {
Width width_of(Range range) {
  if (range.low >= 0 && range.high <= 1) return Width::bit;
  if (byte_range.contains(range.low) && byte_range.contains(range.high)) return Width::u8;
  if (int16_range.contains(range.low) && int16_range.contains(range.high)) return Width::s16;
  return Width::s32;
}
}  // namespace

Layout::Layout(const System& system) {
  fields_.reserve(system.slots.size());
  ranges_.reserve(system.slots.size());
  for (const Slot& slot : system.slots) {
    const Width width = width_of(slot.range);
    fields_.push_back({0, width});
    ranges_.push_back(slot.range);
    if (width == Width::bit) fields_.back().offset = bits_++;
  }
  size_ = (bits_ + 7) / 8;
  for (Field& field : fields_) {
    if (field.width == Width::bit) continue;
    field.offset = static_cast<std::uint32_t>(size_);
    size_ += static_cast<std::size_t>(field.width);
  }
}

void Layout::pack(std::span<const std::int32_t> values, std::byte* state) const {
  std::fill_n(state, (bits_ + 7) / 8, std::byte{});
  for (std::size_t i = 0; i < fields_.size(); ++i) store_field(state, fields_[i], values[i]);
}

void Layout::unpack(const std::byte* state, std::span<std::int32_t> values) const {
  for (std::size_t i = 0; i < fields_.size(); ++i) values[i] = load_field(state, fields_[i]);
}

std::vector<std::int32_t> Layout::unpack(const std::byte* state) const {
  std::vector<std::int32_t> values(fields_.size());
  unpack(state, values);
  return values;
}

bool Layout::is_state(const std::byte* state) const {
  for (std::size_t i = 0; i < fields_.size(); ++i)
    if (!ranges_[i].contains(load_field(state, fields_[i]))) return false;
  const unsigned rest = bits_ % 8;  // of the last byte of bits
  return rest == 0 || std::to_integer<unsigned>(state[bits_ / 8]) >> rest == 0;
}

}  // namespace tideline
