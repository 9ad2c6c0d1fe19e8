// What the host and the kernels of a search both know: how memory on the device is laid out, and the numbers that
// they exchange. This header and kernel.hpp are compiled for the card, too, so they use nothing of the library.
#pragma once

#include <cstdint>

namespace tideline::gpu {

/// States are words of 64 bits of which the highest is 1, so that a word that is 0 has not been written yet.
using Word = std::uint64_t;
inline constexpr Word written_bit = Word{1} << 63;

/// So many states of 64 bits and more have kernels of their own; others take the next larger one.
inline constexpr unsigned kernel_words[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 32, 48, 64};

enum class Mode : std::uint32_t {
  expand,  ///< take all steps from the states of a level, and go on with the next one
  insert,  ///< insert states that the host has uploaded
  find,    ///< look for a state among the successors of others
  rehash,  ///< put states into the table, without anything else
  // Of a sweep:
  measure,  ///< tell the progress of some states
  count,    ///< how many states have a progress between certain bounds
  deal,     ///< put them there, bucket by bucket
  // Of a product that is trimmed:
  collect,  ///< list some states by their counters
  locate,   ///< where a state is in a list
};

/// What is done with states that are looked up.
enum class Task : std::uint32_t {
  insert,
  // Of a product that is trimmed:
  keep,    ///< one that is kept leads there: count it, and go on with those that are met for the first time
  remove,  ///< one that does is gone: count down, and go on with those that nothing leads to any more
};

/// Which states of a product Mode::collect lists.
enum class Collect : std::uint32_t {
  candidates,            ///< those to begin with, of all
  members,               ///< those to begin with, of those that are kept; the others are not kept any more
  without_predecessors,  ///< and they are not kept any more
};

/// A sweep deals states out into so many buckets at most.
inline constexpr unsigned most_buckets = 32;

/// A search uses so many cards at most.
inline constexpr unsigned most_cards = 16;

/// Of the words of a state, on cards and on the host.
inline Word hash_of(const Word* state, unsigned words) {
  Word hash = 0x9e3779b97f4a7c15;
  for (unsigned w = 0; w < words; ++w) {
    hash = (hash ^ state[w]) * 0xbf58476d1ce4e5b9;
    hash ^= hash >> 32;
  }
  hash *= 0x94d049bb133111eb;
  return hash ^ hash >> 29;
}

/// Of several cards, the one that a state belongs to. Its place in the table is by the highest bits, this by others.
inline unsigned card_of(Word hash, unsigned cards) {
  return static_cast<unsigned>((hash & 0xffffffff) * cards >> 32);
}

/// Why a launch ended before there was nothing left to do.
enum class Stop : std::uint32_t {
  none,
  time,      ///< the host wants to be asked
  table,     ///< the table has no room for what might be found next
  log,       ///< the log has none
  reports,   ///< the host has to look at states
  mail,      ///< a list for another card has none
  found,     ///< what was looked for
  cut_off,   ///< the depth bound
  level,     ///< of several cards: the card's part of the level is done
  complete,  ///< there are no more states
};

/// One search, in the memory of the device. Pointers are addresses there.
struct Search {
  // Where things are.
  Word* table = nullptr;
  Word* log = nullptr;                  ///< states in the order in which they were found, as a ring
  std::uint64_t* reports = nullptr;     ///< numbers of new states that the host has to look at
  std::uint64_t* deadlocked = nullptr;  ///< likewise of states without successors
  std::uint64_t* given_up = nullptr;    ///< likewise of states that the host has to step
  std::uint64_t* level_sizes = nullptr;
  const Word* source = nullptr;               ///< states to insert, or an old table
  std::uint8_t* enabled = nullptr;            ///< by action: it was taken
  std::uint32_t* known = nullptr;             ///< by fact: some state has it
  const std::uint32_t* part_emits = nullptr;  ///< by part: how many successors it may emit

  // Sizes.
  std::uint64_t slots = 0;          ///< of the table
  std::uint64_t log_capacity = 0;   ///< in states
  std::uint64_t list_capacity = 0;  ///< of reports, deadlocked and given_up
  std::uint64_t level_capacity = 0;
  std::uint64_t source_count = 0;
  std::uint64_t warps = 1;
  std::uint64_t margin = 0;       ///< so many states may be found after a look at how full things are
  std::uint64_t most_states = 0;  ///< the table is full then
  std::uint32_t queue_capacity = 0;
  std::uint32_t parts = 0;
  std::uint32_t actions = 0;
  std::uint32_t flags_in_shared = 0;  ///< bytes for `enabled` in the memory that a block shares; 0: none
  std::uint64_t slice = 0;            ///< a launch lasts about so many ticks
  std::uint64_t depth_bound = 0;      ///< levels; 0: none

  // The level at hand: states from level_begin on, of which those before `cursor` are expanded.
  std::uint64_t level_begin = 0, level_end = 0;
  std::uint64_t cursor = 0;
  std::uint64_t kept_from = 0;  ///< the first state that is still in the log
  std::uint64_t ring_base = 0;  ///< number of a state that lies at the beginning of the log
  std::uint64_t levels = 0;     ///< how many have been begun

  // What was found.
  std::uint64_t count = 0;  ///< states
  std::uint64_t transitions = 0, deadlocks = 0;
  std::uint64_t report_count = 0, deadlocked_count = 0, given_up_count = 0, level_size_count = 0;
  std::uint64_t found = ~std::uint64_t{0};  ///< Mode::find: one of 32 states from here on is a predecessor

  // Of several cards (exchange.hpp): by card, states that belong to it.
  std::uint32_t cards = 1, own = 0;
  std::uint32_t waits_for_others = 0;  ///< when a level is done: others may have states for the next one
  std::uint64_t mail_capacity = 0;
  Word* mail[most_cards] = {};
  std::uint64_t mail_counts[most_cards] = {};

  // Of a sweep (swept_space.hpp). Numbers below the bases are not on the device any more.
  Word* ahead = nullptr;   ///< states that have passed the band
  Word* behind = nullptr;  ///< states that are behind the line
  Word* dealt = nullptr;
  std::uint64_t* measured = nullptr;
  std::uint64_t ahead_capacity = 0, behind_capacity = 0;
  std::uint64_t line = 0, band_last = 0;  ///< the progress of states that are expanded now
  std::uint64_t claimed_from = 0;         ///< nothing with less progress should be met any more
  std::uint32_t strip_bits = 0;           ///< so many bits of the hash are the last ones of the progress
  std::uint64_t ahead_count = 0, ahead_base = 0, behind_count = 0, behind_base = 0;
  std::uint64_t skipped = 0;                       ///< known states of other bands that are in the table
  std::uint64_t ahead_first = ~std::uint64_t{0};   ///< least progress of those ahead
  std::uint64_t stride = 1;                        ///< Mode::measure: one state in so many
  std::uint64_t bucket_begins[most_buckets] = {};  ///< progress of the first, for all but bucket 0
  std::uint64_t bucket_counts[most_buckets] = {};  ///< Mode::deal: where the next one goes
  std::uint64_t bucket_first[most_buckets] = {}, bucket_last[most_buckets] = {};  ///< progress that there is
  std::uint32_t buckets = 0;
  std::uint32_t first_bucket = 0;     ///< those before it are not wanted
  std::uint32_t source_expanded = 0;  ///< Mode::insert: the states have been expanded
  std::uint32_t broken_claim = 0;     ///< there is a state behind that should not be

  // Of a product (spread_product.hpp).
  /// By place of the table: 0, or for a state that is kept 1 and the number of steps that lead there.
  std::uint32_t* counters = nullptr;
  Task task = Task::insert;
  Collect collect = Collect::candidates;
  std::uint64_t least_start = 0;  ///< states with this progress are those to begin with

  Mode mode = Mode::expand;
  Stop stop = Stop::none;
  std::uint32_t keeps_log = 0;  ///< all states stay in the log
  std::uint32_t shows_ends =
      0;  ///< the host looks at every state without successors: it may be one that is allowed
  std::uint32_t running = 0;
  std::uint32_t arrived = 0, generation = 0;  ///< of the barrier

  Word target[64] = {};  ///< Mode::find
};

/// The states that were found since the level began are the next one.
inline void begin_next_level(Search& s) {
  s.level_begin = s.cursor = s.level_end;
  s.level_end = s.count;
  if (s.keeps_log == 0) s.kept_from = s.level_begin;
  while (s.kept_from - s.ring_base >= s.log_capacity) s.ring_base += s.log_capacity;
}

}  // namespace tideline::gpu
