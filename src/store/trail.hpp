// Trail: how every state was found, in two bytes a state.
//
// For runs, a breadth-first search keeps of each state which one it was found from, and by which of its steps: the state
// itself is not needed to take them again. States are numbered as they are found, in blocks that belong to one thread,
// and a thread expands states mostly in the order of their numbers. So the parent of a state is the parent of the one
// before it, or comes soon after: one byte says by how much. Another one is the number of the step. What does not
// fit is kept apart.
//
// Invariants: the numbers of a block are added in order, by one thread; what is read has been added, and no thread adds meanwhile.
#pragma once

#include <cstdint>
#include <cstring>
#include <mutex>
#include <unordered_map>

#include "store/concurrent_array.hpp"
#include "store/state_table.hpp"

namespace tideline {

/// The state is the choice-th one (from 0) that Graph::successors emits for its parent, or that Graph::initial emits when
/// that is no_state.
struct Origin {
  StateId parent = no_state;
  std::uint32_t choice = 0;
};

class Trail {
 public:
  static constexpr std::uint32_t block = 256;

  explicit Trail(std::uint64_t states = no_state) : blocks_(sizeof(Block), states / block + 1) {}

  void add(StateId id, const Origin& origin) {
    const std::uint32_t at = id % block;
    if (at == 0) [[unlikely]]
      begin_block(id, origin.parent);
    Block& here = block_of(id);
    const auto ahead = static_cast<std::int32_t>(origin.parent - here.last);
    here.last = origin.parent;
    here.ahead[at] = static_cast<std::int8_t>(ahead);
    here.choice[at] = static_cast<std::uint8_t>(origin.choice);
    if (ahead > most_ahead || ahead < -most_ahead || origin.choice >= far_choice) [[unlikely]]
      keep_apart(id, origin);
  }

  Origin operator[](StateId id) const {
    const Block& here = block_of(id);
    if (is_apart(here, id % block)) return apart_.at(id);
    StateId ahead = 0;
    for (std::uint32_t at = id % block;; --at) {
      if (is_apart(here, at)) {
        ahead += apart_.at(id - id % block + at).parent;
        break;
      }
      ahead += static_cast<StateId>(here.ahead[at]);
      if (at == 0) {
        ahead += here.first;
        break;
      }
    }
    return {ahead, here.choice[id % block]};
  }

  /// The parents of all states, in the order of their numbers: each in no time, while operator[] looks at a block.
  class Parents {
   public:
    explicit Parents(const Trail& trail) : trail_(&trail) {}

    /// Of the state after the one that was asked for last, the first one being 0.
    StateId next() {
      const StateId id = next_++;
      const Block& here = trail_->block_of(id);
      const std::uint32_t at = id % block;
      if (at == 0) last_ = here.first;
      if (is_apart(here, at))
        last_ = trail_->apart_.at(id).parent;
      else
        last_ += static_cast<StateId>(here.ahead[at]);
      return last_;
    }

   private:
    const Trail* trail_;
    StateId next_ = 0, last_ = 0;
  };

  /// When so many states have been added.
  std::uint64_t memory_bytes(std::uint64_t states) const {
    return blocks_.bytes_of((states + block - 1) / block);
  }

 private:
  struct Block {
    StateId first, last;  // parents
    std::int8_t ahead[block];
    std::uint8_t choice[block];
  };

  static constexpr std::int32_t most_ahead = 127;
  static constexpr std::int8_t far_ahead = -128;
  static constexpr std::uint32_t far_choice = 255;

  Block& block_of(StateId id) const { return *reinterpret_cast<Block*>(blocks_[id / block]); }
  static bool is_apart(const Block& here, std::uint32_t at) { return here.ahead[at] == far_ahead; }

  void begin_block(StateId id, StateId parent) {
    blocks_.require(id / block);
    block_of(id).first = block_of(id).last = parent;
  }
  [[gnu::noinline]] void keep_apart(StateId id, const Origin& origin) {
    const std::scoped_lock lock(mutex_);
    block_of(id).ahead[id % block] = far_ahead;
    apart_[id] = origin;
  }

  ConcurrentArray blocks_;
  std::mutex mutex_;
  std::unordered_map<StateId, Origin> apart_;
};

}  // namespace tideline
