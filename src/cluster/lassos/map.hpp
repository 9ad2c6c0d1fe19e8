// MAP by many ranks: accepting cycles by maximal accepting predecessors, see search/lassos/map.hpp.
//
// A transition brings the greatest accepting state that its source knows of, itself included. A target that
// receives itself lies on a cycle; one that learns of a greater state is expanded again.
//
// After a pass without a cycle, accepting states cease to be accepting. Which do must be known without asking
// other ranks: those that are greater than the greatest accepting state before them. None of these is on a
// cycle, or it would be before itself. All those are among them which the threads drop, because they are the
// greatest before some other state: what comes before such a state comes before that one, too. And the
// greatest of all is among them, so every pass drops at least one.
//
// A state costs 9 bytes beside its own and those of the table.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "cluster/lassos/owcty.hpp"
#include "cluster/lassos/traversal.hpp"
#include "store/paged_array.hpp"

namespace tideline::cluster {

template <BuchiGraph G>
class MapSearch {
 public:
  /// The greatest accepting state before the target, if the transition stays within a region.
  struct Note {
    Value greatest = 0;
  };

  MapSearch(const G& graph, Ranks& ranks, WorkOrder order, Budget& budget)
      : order_(order), walk_(graph, ranks, budget, *this) {}

  /// A collective. Throws RankLeft.
  LassoResult run() {
    LassoResult result;
    walk_.give_initial({});
    std::uint64_t accepting_left = 0;
    do {
      is_first_pass_ = ++result.rounds == 1;
      walk_.run(order_);
      accepting_left = walk_.ended() ? 0 : prepare_next();
    } while (accepting_left != 0);
    if (const GlobalId found = walk_.conclude(result); found != no_global) {
      root_ = walk_.bytes_of(found);
      result.early = is_first_pass_;
    }
    return result;
  }

  /// A state on an accepting cycle; nothing: there is none, or the budget ended before one was known.
  const std::optional<Bytes>& root() const { return root_; }
  /// Of this rank.
  std::uint64_t memory_bytes() const {
    return walk_.memory_bytes() + values_.memory_bytes() + flags_.memory_bytes();
  }

  // --- For the traversal.

  std::optional<Note> note(StateId from, const std::byte* to) {
    flags_[from] &= static_cast<std::uint8_t>(~queued);
    if (walk_.within_region(from, to))
      return Note{counts(from) ? std::max(values_[from], value(from)) : values_[from]};
    return is_first_pass_ ? std::optional(Note{}) : std::nullopt;
  }

  void arrive(unsigned, const Note& note, StateId id, const std::byte*, bool is_new) {
    if (is_new) {
      values_.push_back(0);
      flags_.push_back(0);
      push(id);
    }
    if (note.greatest == value(id)) return walk_.found(id);
    if (note.greatest <= values_[id]) return;
    values_[id] = note.greatest;
    push(id);
  }

 private:
  // Flags of a state.
  static constexpr std::uint8_t dropped = 1, queued = 2;

  Value value(StateId id) const { return value_of(walk_.global(id), walk_.ranks().size()); }
  /// Whether it counts as accepting.
  bool counts(StateId id) const {
    return (flags_[id] & dropped) == 0 && walk_.in_region(id) && walk_.accepting(id);
  }
  void push(StateId id) {
    if ((flags_[id] & queued) != 0) return;
    flags_[id] |= queued;
    walk_.push(id);
  }

  /// A collective: drops accepting states, and queues those that are left. Returns how many there are.
  std::uint64_t prepare_next() {
    std::uint64_t left = 0;
    walk_.for_each_state([&](StateId id) {
      const Value greatest = std::exchange(values_[id], 0);
      flags_[id] &= dropped;
      if (!counts(id)) return;
      if (greatest < value(id)) {
        flags_[id] |= dropped;
        return;
      }
      push(id);
      ++left;
    });
    return walk_.ranks().all_reduce({left})[0];
  }

  WorkOrder order_;
  bool is_first_pass_ = true;
  PagedVector<Value> values_;
  PagedVector<std::uint8_t> flags_;
  std::optional<Bytes> root_;
  Traversal<G, Note, MapSearch> walk_;
};

}  // namespace tideline::cluster
