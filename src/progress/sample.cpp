#include "progress/sample.hpp"

#include <limits>
#include <utility>

#include "model/layout.hpp"
#include "progress/ranked.hpp"

namespace tideline {

namespace {

/// Numbers without a sign in the same order.
std::uint64_t raised(std::int32_t value) {
  return static_cast<std::uint64_t>(value - std::int64_t{std::numeric_limits<std::int32_t>::min()});
}
std::int32_t lowered(std::uint64_t value) {
  return static_cast<std::int32_t>(static_cast<std::int64_t>(value) +
                                   std::numeric_limits<std::int32_t>::min());
}

/// Of raised values.
Sample::Column column_of(SlotId slot, const std::vector<std::uint64_t>& values) {
  const Ranked found = ranked(values);
  if (found.values.size() > std::numeric_limits<std::uint16_t>::max()) return {};
  Sample::Column column{.slot = slot};
  for (const std::uint64_t value : found.values) column.values.push_back(lowered(value));
  column.ranks.reserve(values.size());
  for (const std::uint32_t rank : found.ranks) column.ranks.push_back(static_cast<std::uint16_t>(rank));
  return column;
}

}  // namespace

void Sample::add_columns(const System& system, Budget& budget) {
  const Layout layout(system);
  std::vector<std::uint64_t> values(states());
  for (SlotId slot = 0; slot < system.slots.size(); ++slot) {
    if (budget.exhausted({.states = states(), .transitions = edges()})) return;
    for (std::size_t i = 0; i < states(); ++i) values[i] = raised(load_field(state(i), layout.field(slot)));
    Column column = column_of(slot, values);
    if (column.values.size() > 1) columns.push_back(std::move(column));
  }
}

Sample Sample::restricted_to(std::vector<std::uint32_t> chosen) const {
  constexpr auto left_out = ~std::uint32_t{0};
  Sample result;
  std::vector<std::uint32_t> number(states(), left_out);
  for (std::uint32_t i = 0; i < chosen.size(); ++i) number[chosen[i]] = i;
  for (const std::uint32_t state : initial)
    if (number[state] != left_out) result.initial.push_back(number[state]);
  result.expanded = chosen.size();
  for (std::size_t i = 0; i < result.expanded; ++i) {
    const std::uint32_t state = chosen[i];
    for (std::uint64_t edge = first_edge[state]; edge < first_edge[state + 1]; ++edge) {
      const std::uint32_t target = targets[edge];
      if (number[target] == left_out) {
        number[target] = static_cast<std::uint32_t>(chosen.size());
        chosen.push_back(target);
      }
      result.add_edge(number[target], actions[edge]);
    }
    result.end_state();
  }
  while (result.states() < chosen.size()) result.end_state();
  for (const Column& column : columns) {
    result.columns.push_back({.slot = column.slot, .values = column.values});
    for (const std::uint32_t state : chosen) result.columns.back().ranks.push_back(column.ranks[state]);
  }
  return result;
}

}  // namespace tideline
