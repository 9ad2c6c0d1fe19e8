// HashedStates: a set of states of which only hashes are kept, shared by many threads.
//
//   P. Wolper, D. Leroy: Reliable Hashing without Collision Detection, 1993.
//
// A state is known by its hash of 64 bits, or fewer. A new state with the hash of another one is taken for that, and what
// lies behind it may be missed: a search that uses this set proves nothing, but the probability that something was missed
// is small and known. What is kept of a hash are the bits that its place does not say (key_set.hpp), six or seven
// bytes, however wide the state is. States that wait to be expanded are there as they are (waiting_states.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "store/hash.hpp"
#include "store/key_set.hpp"
#include "store/shared_segments.hpp"
#include "store/state_table.hpp"
#include "store/waiting_states.hpp"

namespace tideline {

class HashedStates {
 public:
  static constexpr unsigned least_bits = 32, most_bits = 64;

  struct Options {
    unsigned workers = 1;
    unsigned segment_bits = 12;
    unsigned bits = most_bits;  ///< of a hash
    bool numbered = true;       ///< new states have numbers, by which they can be read
    WaitingStates::Options waiting = {};
  };

  class Access;

  HashedStates(std::size_t state_bytes, Options options)
      : state_bytes_(state_bytes),
        bits_(options.bits),
        numbered_(options.numbered),
        hashes_({.segment_bits = options.segment_bits,
                 .widths =
                     [bits = bits_] {
                       return KeySet::Widths{32, bits - 32};
                     },
                 .presences = make_presences(options.workers)}),
        waiting_(state_bytes, options.waiting) {
    for (unsigned worker = 0; worker < options.workers; ++worker)
      accesses_.push_back(std::make_unique<Access>(*this, worker));
  }

  /// The way in for one thread.
  Access& access(unsigned worker) { return *accesses_[worker]; }

  std::uint64_t size() const { return hashes_.size(); }
  /// These states have been expanded, and need not be read any more.
  void drop(const StateRange& states) { waiting_.drop(states); }
  std::uint64_t memory_bytes() const { return hashes_.memory_bytes() + waiting_.memory_bytes(); }

  /// At most the probability that among so many states with hashes of so many bits, two have the same one.
  static double collision_probability(std::uint64_t states, unsigned bits) {
    const auto n = static_cast<double>(states);
    return std::min(1.0, n * (n - 1) / 2 * std::exp2(-static_cast<double>(bits)));
  }

 private:
  std::size_t state_bytes_;
  unsigned bits_;
  bool numbered_;
  KeySet hashes_;
  WaitingStates waiting_;
  std::vector<std::unique_ptr<Access>> accesses_;
};

/// One thread's way into the set.
class HashedStates::Access {
 public:
  Access(HashedStates& set, unsigned worker) : set_(set), hashes_(set.hashes_.access(worker)) {}

  Presence& presence() { return hashes_.presence(); }

  std::uint64_t hash(const std::byte* state) const {
    return StateHash{}(state, set_.state_bytes_) >> (most_bits - set_.bits_);
  }
  /// The number of a state that was there is not known: it is 0.
  Insertion insert(const std::byte* state, std::uint64_t hash) {
    if (!set_.numbered_) return {0, hashes_.insert(hash)};
    if (!set_.waiting_.require(numbers_)) [[unlikely]]
      return {hashes_.contains(hash) ? 0 : no_state, false};
    if (!hashes_.insert(hash)) return {0, false};
    return {set_.waiting_.add(numbers_, state), true};
  }
  const std::byte* state(StateId id) const { return set_.waiting_[id]; }

  bool must_wait(std::uint64_t hash) const { return hashes_.must_wait(hash); }
  void prefetch_index(std::uint64_t hash) { hashes_.prefetch(hash); }
  void prefetch_state(std::uint64_t) {}

  std::uint64_t size() const { return set_.size(); }
  std::uint64_t memory_bytes() const { return set_.memory_bytes(); }

 private:
  HashedStates& set_;
  KeySet::Access& hashes_;
  WaitingStates::Numbers numbers_;
};

}  // namespace tideline
