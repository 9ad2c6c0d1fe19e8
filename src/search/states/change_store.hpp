// From states that are kept whole to trees, while a breadth-first search is paused.
//
// Plain states are the fastest to look up, and trees take a few bytes a state. So a search begins with the former and
// goes on with the latter when memory runs short (BreadthFirstSearch takes over from one with another table). While states
// are moved, the memory does not grow: the index of the plain table is given back first, which takes about as much as a
// tree of all states does, and then the pages of states as they have been read.
//
// Whether a tree helps is found out first, by a tree of some of the states. It takes more for each of them than one of all
// states: the more there are, the more they have in common.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <new>
#include <utility>

#include "store/paged_array.hpp"
#include "store/solo.hpp"
#include "store/state_collection.hpp"
#include "store/state_table.hpp"
#include "store/tree_shape.hpp"
#include "store/tree_table.hpp"

namespace tideline {

/// Called now and then; it throws LimitReached when the move must end.
using WhileMoving = std::function<void()>;

inline constexpr std::uint32_t states_between_polls = 1024;

/// States for the shape of a tree, from all over the table.
inline StateSample sample_of(const StateCollection::Kept& states, std::size_t state_bytes) {
  std::uint64_t count = 0;
  for (const StateRange& range : states.ranges) count += range.count;
  const std::uint64_t every = std::max<std::uint64_t>(1, count / TreeShape::sample_size(state_bytes));
  StateSample sample;
  std::uint64_t before = 0;  // states in earlier ranges
  for (const StateRange& range : states.ranges) {
    for (std::uint64_t at = (before + every - 1) / every * every; at < before + range.count; at += every) {
      const std::byte* const state = states.state_at(range.first + static_cast<StateId>(at - before));
      sample.insert(sample.end(), state, state + state_bytes);
    }
    before += range.count;
  }
  return sample;
}

/// How many bytes one of these states takes in a tree, at most.
inline double tree_bytes_a_state(const StateCollection::Kept& states, std::size_t state_bytes,
                                 const StateSample& sample, const WhileMoving& poll) {
  constexpr std::uint64_t enough = std::uint64_t{1} << 18;
  Solo<TreeTable<>> tree(state_bytes, {.numbered = false, .sample = sample});
  for (const StateRange& range : states.ranges)
    for (StateId id = range.first; id < range.first + range.count && tree.size() < enough; ++id) {
      if (id % states_between_polls == 0) poll();
      const std::byte* const state = states.state_at(id);
      tree.insert(state, tree.hash(state));
    }
  return static_cast<double>(tree.memory_bytes()) /
         static_cast<double>(std::max<std::uint64_t>(tree.size(), 1));
}

/// Moves all states into an empty tree, under the same numbers. Those below `expanded` will not be read again.
inline void move_into(Solo<TreeTable<>>& tree, PagedArray states, std::uint64_t expanded,
                      const WhileMoving& poll) {
  for (std::size_t id = 0; id < states.size(); ++id) {
    if (id % states_between_polls == 0) {
      poll();
      states.drop_below(id);
    }
    if (tree.insert(states[id], tree.hash(states[id])).id == no_state) throw std::bad_alloc();
    if (id < expanded) tree.drop({static_cast<StateId>(id), 1});
  }
}

}  // namespace tideline
