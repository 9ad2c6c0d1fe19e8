#include "symbolic/space/levels.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "store/hash.hpp"

namespace tideline::symbolic {

namespace {

std::size_t hash_values(std::span<const std::int32_t> values) {
  return static_cast<std::size_t>(
      StateHash{}(reinterpret_cast<const std::byte*>(values.data()), values.size() * sizeof(std::int32_t)));
}

}  // namespace

Levels::Levels(const System& system, const VariableOrder& order)
    : layout_(system), initial_(layout_.size()), level_of_(system.slots.size()), levels_(order.size()) {
  if (order.size() > Forest::most_levels)
    throw Error(ErrorKind::input,
                fmt::format("{} variables are too many for a decision diagram; at most {} are supported",
                            order.size(), Forest::most_levels));
  layout_.pack(system.initial, initial_.data());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto level = static_cast<Level>(order.size() - i);
    all_.push_back(level);
    levels_[level - 1].slots = order[i];
    for (const SlotId slot : order[i]) level_of_[slot] = level;
  }
  for (const Level level : all_) index_of(level, initial_.data());
}

std::span<const std::int32_t> Levels::read(const LevelData& data, const std::byte* state) const {
  scratch_.clear();
  for (const SlotId slot : data.slots) scratch_.push_back(load_field(state, layout_.field(slot)));
  return scratch_;
}

std::optional<Index> Levels::find(const LevelData& data, std::span<const std::int32_t> values) const {
  const auto same = [&](Index i) {
    return std::equal(values.begin(), values.end(), data.values.data() + i * values.size());
  };
  if (data.places.empty()) {
    for (Index i = 0; i < data.count; ++i)
      if (same(i)) return i;
    return std::nullopt;
  }
  const std::size_t mask = data.places.size() - 1;
  for (std::size_t at = hash_values(values) & mask; data.places[at] != 0; at = (at + 1) & mask)
    if (same(data.places[at] - 1)) return data.places[at] - 1;
  return std::nullopt;
}

void Levels::place(LevelData& data, Index index) {
  const std::size_t mask = data.places.size() - 1;
  const std::span values(data.values.data() + index * data.slots.size(), data.slots.size());
  std::size_t at = hash_values(values) & mask;
  while (data.places[at] != 0) at = (at + 1) & mask;
  data.places[at] = index + 1;
}

std::optional<Index> Levels::find(Level level, const std::byte* state) const {
  const LevelData& data = levels_[level - 1];
  return find(data, read(data, state));
}

Index Levels::index_of(Level level, const std::byte* state) {
  LevelData& data = levels_[level - 1];
  const auto values = read(data, state);
  if (const auto known = find(data, values)) return *known;
  data.values.insert(data.values.end(), values.begin(), values.end());
  const Index index = data.count++;
  if (data.count > few && data.count * 2 > data.places.size()) {
    data.places.assign(std::max<std::size_t>(64, data.places.size() * 2), 0);
    for (Index i = 0; i < data.count; ++i) place(data, i);
  } else if (!data.places.empty()) {
    place(data, index);
  }
  return index;
}

void Levels::write(Level level, Index index, std::byte* state) const {
  const auto slot_list = slots(level);
  const auto value_list = values(level, index);
  for (std::size_t i = 0; i < slot_list.size(); ++i)
    store_field(state, layout_.field(slot_list[i]), value_list[i]);
}

std::optional<std::vector<Index>> Levels::find_vector(const std::byte* state) const {
  std::vector<Index> vector;
  for (const Level level : all_) {
    const auto index = find(level, state);
    if (!index) return std::nullopt;
    vector.push_back(*index);
  }
  return vector;
}

std::vector<std::byte> Levels::state_of(std::span<const Index> vector) const {
  std::vector<std::byte> state(layout_.size());
  for (std::size_t i = 0; i < vector.size(); ++i) write(all_[i], vector[i], state.data());
  return state;
}

}  // namespace tideline::symbolic
