// DenseLayout: how a state lies in the memory of a card. Every slot takes as many bits as its range needs.
//
// A state is made of units of 32 bits, two to a word; a slot never crosses units, so that reading or writing one is two or
// three instructions on a register. The highest bit of a word belongs to nobody: it is always 1 (kernel_types.hpp).
//
// Slots that some expression or assignment reaches by a computed index are arrays. The items of one have the same width: as
// many as fit lie in a unit, and a long array takes units of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "gpu/kernel_types.hpp"
#include "model/layout.hpp"
#include "model/system.hpp"

namespace tideline::gpu {

/// Where a value lies: its difference from `low`.
struct Place {
  std::uint32_t unit = 0;
  std::uint32_t shift = 0;
  std::uint32_t bits = 0;  ///< 0: the slot has only one value
  std::int32_t low = 0;

  std::uint32_t mask() const { return static_cast<std::uint32_t>(((std::uint64_t{1} << bits) - 1) << shift); }
};

/// Item i is in unit + i / per_unit * stride, i % per_unit * bits above `shift`.
struct ArrayPlace {
  SlotId first = 0;
  std::uint32_t length = 0;
  std::uint32_t unit = 0, shift = 0, bits = 0;
  std::int32_t low = 0;
  std::uint32_t per_unit = 1, stride = 1;

  Place item(std::uint32_t i) const {
    return {unit + i / per_unit * stride, shift + i % per_unit * bits, bits, low};
  }
  std::uint32_t unit_count() const { return (length + per_unit - 1) / per_unit; }
};

class DenseLayout {
 public:
  /// `others`: expressions that are evaluated besides those of the system.
  DenseLayout(const System& system, const Layout& layout, const std::vector<Expr>& others = {});

  /// Of a state; as the kernels know them, so the last ones may be without any slot. 0: there is no such kernel.
  unsigned words() const { return words_; }

  const Place& place(SlotId slot) const { return places_[slot]; }
  /// Nothing: it is not part of one.
  const ArrayPlace* array_of(SlotId slot) const {
    return array_of_[slot] < 0 ? nullptr : &arrays_[static_cast<std::size_t>(array_of_[slot])];
  }
  /// The slot that has this place in a packed state.
  SlotId slot_at(Field field) const { return slots_.at({field.width == Width::bit, field.offset}); }
  const Layout& layout() const { return layout_; }

  void pack(const std::byte* state, Word* words) const;
  void unpack(const Word* words, std::byte* state) const;

 private:
  void find_arrays(const System& system, const std::vector<Expr>& others);
  void put(std::uint32_t bits, std::uint32_t& unit, std::uint32_t& shift);

  const Layout& layout_;
  std::vector<Place> places_;  ///< by slot
  std::vector<ArrayPlace> arrays_;
  std::vector<std::int32_t> array_of_;  ///< by slot: -1: none
  std::map<std::pair<bool, std::uint32_t>, SlotId> slots_;
  std::vector<std::uint32_t> used_;  ///< bits, by unit
  unsigned words_ = 0;
};

}  // namespace tideline::gpu
