#include "gpu/dense_layout.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

namespace tideline::gpu {

namespace {

std::uint32_t bits_for(const Range& range) {
  const auto values = static_cast<std::uint64_t>(std::int64_t{range.high} - range.low);
  return static_cast<std::uint32_t>(std::bit_width(values));
}

std::uint32_t capacity(std::uint32_t unit) {
  return unit % 2 == 0 ? 32 : 31;
}

}  // namespace

DenseLayout::DenseLayout(const System& system, const Layout& layout, const std::vector<Expr>& others)
    : layout_(layout), places_(system.slots.size()), array_of_(system.slots.size(), -1) {
  std::vector<Range> ranges;
  for (SlotId slot = 0; slot < system.slots.size(); ++slot) {
    Range range = system.slots[slot].range;
    for (const std::int32_t value :
         {system.initial[slot], system.error_state ? (*system.error_state)[slot] : system.initial[slot]}) {
      range.low = std::min(range.low, value);
      range.high = std::max(range.high, value);
    }
    ranges.push_back(range);
    const Field field = layout.field(slot);
    slots_[{field.width == Width::bit, field.offset}] = slot;
  }
  find_arrays(system, others);
  for (ArrayPlace& array : arrays_) {
    Range range = ranges[array.first];
    for (SlotId slot = array.first; slot < array.first + array.length; ++slot) {
      range.low = std::min(range.low, ranges[slot].low);
      range.high = std::max(range.high, ranges[slot].high);
    }
    array.low = static_cast<std::int32_t>(range.low);
    array.bits = std::max(bits_for(range), 1u);
    if (array.bits * array.length <= 31) {
      array.per_unit = array.length;
      put(array.bits * array.length, array.unit, array.shift);
    } else {
      array.per_unit = std::max(31 / array.bits, 1u);
      array.stride = array.bits == 32 ? 2 : 1;
      if (array.bits == 32 && used_.size() % 2 != 0) used_.push_back(0);
      array.unit = static_cast<std::uint32_t>(used_.size());
      used_.resize(used_.size() + array.unit_count() * array.stride, 0);
      for (std::uint32_t u = 0; u < array.unit_count(); ++u)
        used_[array.unit + u * array.stride] =
            std::min(array.per_unit, array.length - u * array.per_unit) * array.bits;
    }
    for (std::uint32_t i = 0; i < array.length; ++i) places_[array.first + i] = array.item(i);
  }
  for (SlotId slot = 0; slot < system.slots.size(); ++slot) {
    if (array_of_[slot] >= 0) continue;
    Place& place = places_[slot];
    place.low = static_cast<std::int32_t>(ranges[slot].low);
    place.bits = bits_for(ranges[slot]);
    if (place.bits != 0) put(place.bits, place.unit, place.shift);
  }
  const std::size_t needed = std::max<std::size_t>((used_.size() + 1) / 2, 1);
  const auto fits = std::ranges::find_if(kernel_words, [&](unsigned words) { return words >= needed; });
  if (fits != std::end(kernel_words)) words_ = *fits;
}

/// The first unit with room.
void DenseLayout::put(std::uint32_t bits, std::uint32_t& unit, std::uint32_t& shift) {
  unit = 0;
  while (unit < used_.size() && used_[unit] + bits > capacity(unit)) ++unit;
  if (bits > capacity(unit)) ++unit;
  if (unit >= used_.size()) used_.resize(unit + 1, 0);
  shift = used_[unit];
  used_[unit] += bits;
}

void DenseLayout::find_arrays(const System& system, const std::vector<Expr>& others) {
  std::vector<std::pair<SlotId, SlotId>> reached;  // from, to
  const auto look = [&](const auto& self, const Expr& expr) -> void {
    if (expr.op == Op::load_array && expr.length != 0)
      reached.emplace_back(expr.slot, expr.slot + expr.length);
    for (const Expr& arg : expr.args) self(self, arg);
  };
  for (const Action& action : system.actions) {
    look(look, action.guard);
    for (const Participant& participant : action.participants) look(look, participant.guard);
    for (const Assignment& assignment : action.effects) {
      look(look, assignment.value);
      if (!assignment.index) continue;
      look(look, *assignment.index);
      reached.emplace_back(assignment.slot, assignment.slot + assignment.length);
    }
  }
  for (const Expr& expr : others) look(look, expr);
  std::ranges::sort(reached);
  for (const auto& [from, to] : reached) {
    if (!arrays_.empty() && from < arrays_.back().first + arrays_.back().length)
      arrays_.back().length = std::max(arrays_.back().length, to - arrays_.back().first);
    else
      arrays_.push_back({.first = from, .length = to - from});
  }
  for (std::size_t a = 0; a < arrays_.size(); ++a)
    std::fill_n(array_of_.begin() + arrays_[a].first, arrays_[a].length, static_cast<std::int32_t>(a));
}

void DenseLayout::pack(const std::byte* state, Word* words) const {
  std::fill_n(words, words_, written_bit);
  for (SlotId slot = 0; slot < places_.size(); ++slot) {
    const Place& place = places_[slot];
    const auto value = static_cast<std::uint32_t>(load_field(state, layout_.field(slot))) -
                       static_cast<std::uint32_t>(place.low);
    words[place.unit / 2] |= Word{value} << (32 * (place.unit % 2) + place.shift);
  }
}

void DenseLayout::unpack(const Word* words, std::byte* state) const {
  std::fill_n(state, layout_.size(), std::byte{0});
  for (SlotId slot = 0; slot < places_.size(); ++slot) {
    const Place& place = places_[slot];
    const Word mask = (Word{1} << place.bits) - 1;
    const auto value =
        static_cast<std::uint32_t>(words[place.unit / 2] >> (32 * (place.unit % 2) + place.shift) & mask) +
        static_cast<std::uint32_t>(place.low);
    store_field(state, layout_.field(slot), static_cast<std::int32_t>(value));
  }
}

}  // namespace tideline::gpu
