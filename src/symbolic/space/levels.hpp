// Levels: how the slots of a system are laid out over the levels of a diagram, and the local states of each.
//
// A level carries one slot or a group of slots. The values that the group takes together are its local
// states; they are numbered in the order in which they are met, and nothing is known about values that are
// never met. Number 0 is the initial one.
//
// Invariant: every slot is at exactly one level; levels are numbered from 1, the lowest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/layout.hpp"
#include "model/system.hpp"
#include "symbolic/diagrams/forest.hpp"

namespace tideline::symbolic {

using Level = std::uint32_t;

/// The slots of each level, the top level first.
using VariableOrder = std::vector<std::vector<SlotId>>;

class Levels {
 public:
  /// Throws Error(input) when there are more levels than a diagram can have.
  Levels(const System& system, const VariableOrder& order);

  Level top() const { return static_cast<Level>(levels_.size()); }
  Level level_of(SlotId slot) const { return level_of_[slot]; }
  std::span<const SlotId> slots(Level level) const { return levels_[level - 1].slots; }
  const Layout& layout() const { return layout_; }
  const std::byte* initial_state() const { return initial_.data(); }

  Index local_states(Level level) const { return levels_[level - 1].count; }

  /// The number of the local state that a packed state has at a level; a new number when it is new.
  Index index_of(Level level, const std::byte* state);
  std::optional<Index> find(Level level, const std::byte* state) const;

  /// The values of a local state, in the order of slots().
  std::span<const std::int32_t> values(Level level, Index index) const {
    const LevelData& data = levels_[level - 1];
    return {data.values.data() + index * data.slots.size(), data.slots.size()};
  }
  /// Writes the values of a local state into a packed state.
  void write(Level level, Index index, std::byte* state) const;

  /// The vector of a packed state, from the top level down; nothing when some local state of it is unknown.
  std::optional<std::vector<Index>> find_vector(const std::byte* state) const;
  /// The packed state of a vector.
  std::vector<std::byte> state_of(std::span<const Index> vector) const;

  /// All levels, the top first.
  std::span<const Level> all() const { return all_; }

 private:
  struct LevelData {
    std::vector<SlotId> slots;
    std::vector<std::int32_t> values;   ///< of all local states, one after the other
    std::vector<std::uint32_t> places;  ///< hash table of 1 + index; empty while there are few local states
    Index count = 0;
  };
  static constexpr Index few = 12;

  std::optional<Index> find(const LevelData& data, std::span<const std::int32_t> values) const;
  static void place(LevelData& data, Index index);
  std::span<const std::int32_t> read(const LevelData& data, const std::byte* state) const;

  Layout layout_;
  std::vector<std::byte> initial_;
  std::vector<Level> level_of_;
  std::vector<LevelData> levels_;
  std::vector<Level> all_;
  mutable std::vector<std::int32_t> scratch_;
};

}  // namespace tideline::symbolic
