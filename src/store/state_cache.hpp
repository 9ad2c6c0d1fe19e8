// StateCache: a bounded set of states in which new ones take the place of others.
//
// States are at fixed places, linked into chains by hash. Those that are pinned stay; of the others a few are
// drawn at random when room is needed, and the one that is worth least goes. What a state is worth is a stamp
// that the strategy decides on; if only one is drawn, the choice is random. Drawing comes close to the true
// order without the cost of maintaining it.
//
// Invariants: every stored state is in the chain of its hash; loose_ holds those that are not pinned, each
// with its place there.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <string_view>
#include <vector>

#include "store/hash.hpp"
#include "store/memory.hpp"
#include "store/state_table.hpp"

namespace tideline {

enum class Replacement {
  random,  ///< any
  oldest,  ///< the one that was unpinned first
  unmet,   ///< the one that has not been met for the longest time
  rare,    ///< the one that was met least often
};

class StateCache {
 public:
  /// `capacity` states at most, and at least one.
  StateCache(std::size_t state_bytes, std::uint32_t capacity, Replacement replacement)
      : state_bytes_(state_bytes),
        replacement_(replacement),
        capacity_(std::max<std::uint32_t>(capacity, 1)),
        chains_(std::bit_ceil(std::uint64_t{capacity_}), no_state) {}

  std::uint64_t hash(const std::byte* state) const { return StateHash{}(state, state_bytes_); }
  void prefetch(std::uint64_t hash) const { prefetch_line(&chains_[chain(hash)]); }

  /// Where the state is, and whether it was added now, unpinned. no_state: all places are pinned.
  Insertion insert(const std::byte* state, std::uint64_t hash) {
    ++clock_;
    for (StateId id = chains_[chain(hash)]; id != no_state; id = places_[id].next)
      if (same_state(record(id), state, state_bytes_)) {
        meet(id);
        return {id, false};
      }
    const StateId id = make_room();
    if (id == no_state) return {no_state, false};
    std::memcpy(record(id), state, state_bytes_);
    places_[id] = {.next = chains_[chain(hash)], .stamp = replacement_ == Replacement::rare ? 0 : clock_};
    chains_[chain(hash)] = id;
    loosen(id);
    return {id, true};
  }

  void pin(StateId id) {
    Place& place = places_[id];
    places_[loose_.back()].loose_at = place.loose_at;
    loose_[place.loose_at] = loose_.back();
    loose_.pop_back();
  }
  void unpin(StateId id) {
    if (replacement_ == Replacement::oldest) places_[id].stamp = ++clock_;
    loosen(id);
  }

  std::uint64_t stored() const { return places_.size(); }  ///< none is ever deleted, only replaced
  std::uint64_t replaced() const { return replaced_; }
  std::uint64_t memory_bytes() const {
    return records_.capacity() + places_.capacity() * sizeof(Place) +
           (chains_.capacity() + loose_.capacity()) * sizeof(StateId);
  }

 private:
  static constexpr int drawn = 8;
  struct Place {
    StateId next = no_state;  // in its chain
    std::uint32_t loose_at = 0;
    std::uint64_t stamp = 0;
  };

  std::size_t chain(std::uint64_t hash) const { return hash & (chains_.size() - 1); }
  std::byte* record(StateId id) { return records_.data() + std::size_t{id} * state_bytes_; }

  void meet(StateId id) {
    if (replacement_ == Replacement::unmet) places_[id].stamp = clock_;
    if (replacement_ == Replacement::rare) ++places_[id].stamp;
  }
  void loosen(StateId id) {
    places_[id].loose_at = static_cast<std::uint32_t>(loose_.size());
    loose_.push_back(id);
  }

  /// A new place, or that of a state that is deleted for it.
  StateId make_room() {
    if (places_.size() < capacity_) {
      places_.emplace_back();
      records_.resize(records_.size() + state_bytes_);
      return static_cast<StateId>(places_.size() - 1);
    }
    if (loose_.empty()) return no_state;
    const auto draw = [&] { return loose_[random_() % loose_.size()]; };
    StateId worst = draw();
    for (int i = 1; i < drawn && replacement_ != Replacement::random; ++i)
      if (const StateId id = draw(); places_[id].stamp < places_[worst].stamp) worst = id;
    pin(worst);
    StateId* link = &chains_[chain(hash(record(worst)))];
    while (*link != worst) link = &places_[*link].next;
    *link = places_[worst].next;
    ++replaced_;
    return worst;
  }

  std::size_t state_bytes_;
  Replacement replacement_;
  std::uint32_t capacity_;
  std::vector<StateId> chains_;  // first of each
  std::vector<std::byte> records_;
  std::vector<Place> places_;
  std::vector<StateId> loose_;
  std::uint64_t clock_ = 0, replaced_ = 0;
  std::minstd_rand random_;  // the same draws in every run
};

std::string_view to_string(Replacement replacement);
std::optional<Replacement> replacement_from(std::string_view name);

}  // namespace tideline
