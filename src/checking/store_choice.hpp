// Which store bfs and dfs use when the user does not say: --store auto.
//
// States whole are fastest to look up. Trees are as small as states of a few bytes, and far smaller than wide ones, but may take
// more time. How many states there will be is not known before the search. So trees are taken where states are wide and
// the memory would hold only a few million of them. Otherwise a breadth-first search begins with states whole, and moves
// them into trees when they have nearly filled the memory (search/states/change_store.hpp).
#pragma once

#include <cstdint>
#include <optional>

#include "model/system.hpp"
#include "run/budget.hpp"
#include "search/states/store.hpp"

namespace tideline {

/// Tree, or automatic, for states of so many bytes, and so much memory; nothing: it is not known how much.
Store store_for(std::size_t state_bytes, std::optional<std::uint64_t> memory_bytes);

/// When states have nearly filled so much memory: a quarter of it is left for what else there is, and for moving them.
std::uint64_t full_from(std::uint64_t memory_bytes);

/// What the search may take: up to its limit, or what the system has left.
std::optional<std::uint64_t> memory_at_hand(const Budget& budget);

}  // namespace tideline
