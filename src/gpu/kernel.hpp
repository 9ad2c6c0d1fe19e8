// The kernel of a search: breadth-first search by warps of a card, or by threads of a processor.
//
// A sweep is the same search within a band of progress: what has passed the band, or is behind the line, is in the table,
// too, but goes to other lists than the log (swept_space.hpp).
//
// A warp takes as many states of the level as it has lanes. Each lane steps its state, part by part of the model, and
// what it emits goes into a queue that the warp shares. Whenever the queue has enough for all lanes, each of them looks up one
// successor in the table: the wait for memory is the cost, so no lane should be without one. Those that were not in the
// table go to the end of the log, and are the next level.
//
// The table. Open addressing: a state is in the first slot from the place of its hash on that had no other one. A slot
// is claimed word by word, each by one compare-and-swap from 0: whoever finds its own word there, or puts it there, goes on with
// the next word; whoever finds another one goes on with the next slot. So a slot that was begun is completed by some lane
// whose state has all words before, nobody waits for anybody, and the lane that writes the last word has found a new state.
//   Words never change once they are written. A state that is turned away from a slot is turned away by a word that stays, so
// all lanes that look for it pass that slot, and no state is stored twice.
//
// Room. A warp looks before it takes states whether what all warps might find fits. There is no way to fail later.
//
// A launch ends when a level is over and the host has something to do, when there is no room, or when its time is up. What
// is in queues is looked up before, so that nothing but the log, the table and the numbers in Search stays.
#pragma once

#include "gpu/kernel_types.hpp"

namespace tideline::gpu {

/// `Lanes`: what a warp and its lanes can do. `Model`: the steps of the model. Both are of the card or of the processor.
template <unsigned W, class Lanes, class Model, bool sweeps = false>
class Kernel {
 public:
  Kernel(Search* search, Lanes& lanes, Model& model) : s_(search), lanes_(lanes), model_(model) {}

  /// Each piece of code is here once: on the card all of it is inlined into one function, and so is the model's.
  void run() {
    if (s_->mode != Mode::expand && s_->mode != Mode::insert && s_->mode != Mode::find)
      return run_through_source();
    const std::uint64_t begin = lanes_.ticks();
    look_at_level();
    std::uint32_t part = s_->parts;  // all parts of the states at hand are done
    for (;;) {
      bool drains = false;
      if (part == s_->parts) {
        leave_states();
        const std::uint64_t first = take(begin);
        drains = first == none;
        if (first != none && take_states(first)) part = 0;
      }
      if (part != s_->parts && step(part)) {
        ++part;
        start();
      }
      look_up_queued(drains || (s_->mode == Mode::find && part == s_->parts));
      if (!drains) continue;
      lanes_.barrier(s_, [&] { end_level(); });
      if (lanes_.read(&s_->running) == 0) break;
      look_at_level();
    }
    lanes_.add(&s_->transitions, transitions_);
    lanes_.add(&s_->deadlocks, deadlocks_);
    model_.tell_enabled(s_);
  }

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  static constexpr unsigned bucket = W == 1 ? 4 : W == 2 ? 2 : 1;  ///< slots that a sector of memory holds

  // --- other modes

  /// What is there for each state of `source`, or of each place of a table.
  void run_through_source() {
    for (std::uint64_t first; (first = take_from(s_->source_count)) != none;) {
      const std::uint64_t i = first + lanes_.lane();
      const Word* const at = s_->source + i * W * (sweeps ? s_->stride : 1);
      const bool is_state = i < s_->source_count && at[0] != 0;
      Word state[W] = {};
      if (is_state)
        for (unsigned w = 0; w < W; ++w) state[w] = at[w];
      if (s_->mode == Mode::rehash) {
        if (is_state) insert(state);
        continue;
      }
      if constexpr (sweeps) {
        if (s_->mode == Mode::locate) {
          if (is_state && is_target(state)) lanes_.write(&s_->found, i);
          continue;
        }
        std::uint64_t progress = 0;
        if (is_state) {
          for (unsigned w = 0; w < W; ++w) lanes_.queue_store(w, lanes_.lane(), state[w]);
          progress = progress_of(state, lanes_.lane());
          if (s_->mode == Mode::measure) s_->measured[i] = progress;
        }
        if (s_->mode == Mode::collect)
          append(is_state && collect(state, progress), state, &s_->count, s_->log, 0);
        else if (s_->mode != Mode::measure)
          deal(state, is_state, progress);
      }
    }
  }

  /// Of a state of the queue.
  std::uint64_t progress_of(const Word* state, unsigned at) {
    const std::uint64_t progress = model_.progress(at);
    const std::uint32_t bits = s_->strip_bits;
    return bits == 0 ? progress : progress << bits | (hash_of(state, W) & ((Word{1} << bits) - 1));
  }

  /// Whether a state of a product is listed; its counter is what it has to be then.
  bool collect(const Word* state, std::uint64_t progress) {
    std::uint32_t* const counter = s_->counters + place_of(state);
    if (s_->collect == Collect::without_predecessors) {
      const bool lists = lanes_.read(counter) == 1;
      if (lists) lanes_.write(counter, std::uint32_t{0});
      return lists;
    }
    const bool is_member = s_->collect == Collect::candidates || lanes_.read(counter) != 0;
    const bool starts = is_member && progress >= s_->least_start;
    lanes_.write(counter, std::uint32_t{starts});
    return starts;
  }

  void deal(const Word* state, bool is_state, std::uint64_t progress) {
    unsigned own = 0;
    while (own + 1 < s_->buckets && progress >= s_->bucket_begins[own + 1]) ++own;
    for (unsigned i = s_->first_bucket; i < s_->buckets; ++i) {
      const std::uint64_t number = append(is_state && own == i, state, &s_->bucket_counts[i], s_->dealt, 0);
      if (number == none || s_->mode != Mode::count) continue;
      lanes_.lower(&s_->bucket_first[i], progress);
      lanes_.raise(&s_->bucket_last[i], progress);
    }
  }

  /// To the end of a list, whose entries before `base` are gone; nothing is written where there is no list. Each lane that
  /// wants to gets the number of its state.
  std::uint64_t append(bool wants, const Word* state, std::uint64_t* count, Word* list, std::uint64_t base) {
    if (!lanes_.any(wants)) return none;
    const std::uint64_t number = lanes_.numbers(count, wants);
    if (!wants) return none;
    if (s_->mode != Mode::count)
      for (unsigned w = 0; w < W; ++w) list[(number - base) * W + w] = state[w];
    return number;
  }

  // --- work for a warp

  /// What stays the same until the level ends. Where there are fewer states than lanes, warps share them out: lanes that
  /// take different ways through the model wait for each other.
  void look_at_level() {
    level_end_ = lanes_.read(&s_->level_end);
    const std::uint64_t share = (level_end_ - lanes_.read(&s_->level_begin)) / s_->warps + 1;
    at_a_time_ =
        s_->mode == Mode::expand && share < Lanes::count ? static_cast<unsigned>(share) : Lanes::count;
    kept_from_ = lanes_.read(&s_->kept_from);
    ring_base_ = lanes_.read(&s_->ring_base);
  }

  /// The number of the first state that the warp is to do next.
  std::uint64_t take(std::uint64_t begin) {
    if (s_->mode == Mode::insert) return take_from(s_->source_count);
    if (s_->mode == Mode::find) return take_from(level_end_);
    std::uint64_t first = none;
    if (lanes_.lane() == 0) {
      const std::uint64_t cursor = lanes_.read(&s_->cursor);
      const Stop before = lanes_.read(&s_->stop);
      const Stop stop = why_stop(begin);
      if (cursor >= level_end_ || before != Stop::none) {
        // Nothing is left, or nothing may be taken.
      } else if (stop != Stop::none) {
        lanes_.write(&s_->stop, stop);
      } else {
        first = lanes_.fetch_add(&s_->cursor, at_a_time_);
        if (first >= level_end_) first = none;
      }
    }
    return lanes_.from_first(first);
  }

  Stop why_stop(std::uint64_t begin) {
    const std::uint64_t count = lanes_.read(&s_->count);
    const std::uint64_t reports = lanes_.read(&s_->report_count),
                        deadlocked = lanes_.read(&s_->deadlocked_count),
                        given_up = lanes_.read(&s_->given_up_count);
    if constexpr (sweeps) {
      const std::uint64_t ahead = lanes_.read(&s_->ahead_count), behind = lanes_.read(&s_->behind_count);
      if (count + ahead + behind + s_->skipped + s_->margin > s_->most_states ||
          ahead - s_->ahead_base + s_->margin > s_->ahead_capacity ||
          behind - s_->behind_base + s_->margin > s_->behind_capacity)
        return Stop::table;
    }
    if (count + s_->margin > s_->most_states) return Stop::table;
    if (count + s_->margin - kept_from_ > s_->log_capacity) return Stop::log;
    const std::uint64_t room = s_->list_capacity - s_->margin;
    if (reports > room || deadlocked > room || given_up > room) return Stop::reports;
    if (s_->cards > 1)
      for (unsigned i = 0; i < s_->cards; ++i)
        if (lanes_.read(&s_->mail_counts[i]) + s_->margin > s_->mail_capacity) return Stop::mail;
    if (lanes_.ticks() - begin > s_->slice) return Stop::time;
    return Stop::none;
  }

  std::uint64_t take_from(std::uint64_t end) {
    std::uint64_t first = none;
    if (lanes_.lane() == 0 && lanes_.read(&s_->found) == none) {
      first = lanes_.fetch_add(&s_->cursor, Lanes::count);
      if (first >= end) first = none;
    }
    return lanes_.from_first(first);
  }

  /// One thread alone, when all others wait.
  void end_level() {
    s_->running = 0;
    if (s_->mode != Mode::expand || s_->cursor < s_->level_end) return;
    s_->cursor = s_->level_end;
    // The successors of those that were given up belong to the next level, and the log keeps only two levels.
    if (s_->given_up_count + s_->report_count + s_->deadlocked_count != 0) {
      s_->stop = Stop::reports;
      return;
    }
    if (s_->waits_for_others != 0) {
      if (s_->stop == Stop::none) s_->stop = Stop::level;
      return;
    }
    begin_next_level(*s_);
    if (s_->level_begin == s_->level_end) {
      s_->stop = Stop::complete;
      return;
    }
    s_->level_sizes[s_->level_size_count++] = s_->level_end - s_->level_begin;
    ++s_->levels;
    if (s_->stop != Stop::none) return;
    if (s_->depth_bound != 0 && s_->levels > s_->depth_bound)
      s_->stop = Stop::cut_off;
    else if (s_->level_size_count == s_->level_capacity)
      s_->stop = Stop::reports;
    else
      s_->running = 1;
  }

  // --- stepping

  Word* log_entry(std::uint64_t number) const {
    std::uint64_t at = number - ring_base_;
    if (at >= s_->log_capacity) at -= s_->log_capacity;
    return s_->log + at * W;
  }

  /// The states from `first` on, one for each lane, as far as there are some. False: there is nothing to step.
  bool take_states(std::uint64_t first) {
    number_ = first + lanes_.lane();
    if (s_->mode == Mode::insert) {
      if (number_ < s_->source_count) {
        const unsigned at = lanes_.reserve();
        for (unsigned w = 0; w < W; ++w) lanes_.queue_store(w, at, s_->source[number_ * W + w]);
      }
      lanes_.sync();
      return false;
    }
    chunk_ = first;
    active_ = number_ < level_end_ && lanes_.lane() < at_a_time_;
    if (active_) model_.load(log_entry(number_));
    emitted_ = 0;
    gave_up_ = false;
    start();
    return true;
  }

  /// With the next part.
  void start() {
    waits_ = active_ && !gave_up_;
    at_once_ = Lanes::count;
  }

  /// True: all lanes have done this part of the model.
  bool step(std::uint32_t part) {
    const bool goes = lanes_.rank(waits_) < at_once_ && waits_;
    if (goes) {
      const auto result = model_.step(part);
      if (!result.missed) {  // else there was no room in the queue
        waits_ = false;
        emitted_ += result.emitted;
        gave_up_ = result.gave_up;
      }
    }
    lanes_.sync();
    if (!lanes_.any(waits_)) return true;
    at_once_ = (s_->queue_capacity - Lanes::count + 1) /
               s_->part_emits[part];  // so many have room, whatever they emit
    return false;
  }

  /// The states at hand are stepped.
  void leave_states() {
    if (!active_) return;
    active_ = false;
    if (s_->mode == Mode::find) return;
    if (gave_up_) {
      s_->given_up[lanes_.fetch_add(&s_->given_up_count, 1)] = number_;
      return;
    }
    transitions_ += emitted_;
    if (emitted_ != 0) return;
    deadlocks_ += s_->shows_ends == 0 ? 1 : 0;
    if (s_->shows_ends != 0 || model_.watches_deadlock(s_))
      s_->deadlocked[lanes_.fetch_add(&s_->deadlocked_count, 1)] = number_;
  }

  // --- the queue

  /// As long as there is something for every lane, or everything.
  void look_up_queued(bool everything) {
    unsigned queued = lanes_.queued();
    if (queued < Lanes::count && (!everything || queued == 0)) return;
    while (queued >= Lanes::count || (everything && queued != 0)) {
      const unsigned states = queued < Lanes::count ? queued : Lanes::count;
      queued -= states;
      look_up(queued, states);
    }
    lanes_.set_queued(queued);
  }

  /// One state of the queue for each lane.
  void look_up(unsigned first, unsigned states) {
    const unsigned at = first + lanes_.lane();
    Word state[W];
    if constexpr (sweeps)
      for (Word& word : state) word = 0;
    bool is_new = false, is_own = lanes_.lane() < states;
    if (is_own)
      for (unsigned w = 0; w < W; ++w) state[w] = lanes_.queue_load(w, at);
    if (s_->cards > 1 && s_->mode == Mode::expand) is_own = stays(state, is_own);
    if (is_own) {
      if (s_->mode == Mode::find)
        compare(state);
      else if (!sweeps || s_->task == Task::insert)
        is_new = insert(state);
      else
        is_new = count(state, at);
    }
    if (s_->mode == Mode::find || !lanes_.any(is_new)) return;
    if constexpr (sweeps) {
      if (s_->task == Task::insert)
        sort(state, at, is_new);
      else
        append(is_new, state, &s_->count, s_->log, 0);
      return;
    }
    const std::uint64_t number = lanes_.numbers(&s_->count, is_new);
    if (!is_new) return;
    Word* const entry = log_entry(number);
    for (unsigned w = 0; w < W; ++w) entry[w] = state[w];
    if (model_.watches(s_, at)) s_->reports[lanes_.fetch_add(&s_->report_count, 1)] = number;
  }

  /// Whether a state belongs to this card; for another one it goes to the list.
  bool stays(const Word* state, bool is_state) {
    const unsigned card = is_state ? card_of(hash_of(state, W), s_->cards) : s_->cards;
    for (unsigned i = 0; i < s_->cards; ++i)
      if (i != s_->own) append(card == i, state, &s_->mail_counts[i], s_->mail[i], 0);
    return card == s_->own;
  }

  /// A new state goes to the log if its progress is in the band, else to one of the other lists.
  void sort(const Word* state, unsigned at, bool is_new) {
    const std::uint64_t progress = is_new ? progress_of(state, at) : 0;
    const bool passes = progress > s_->band_last, falls_back = progress < s_->line;
    const bool waits = s_->mode != Mode::insert || s_->source_expanded == 0;
    const std::uint64_t number = append(is_new && !passes && !falls_back, state, &s_->count, s_->log, 0);
    if (number != none && waits && model_.watches(s_, at))
      s_->reports[lanes_.fetch_add(&s_->report_count, 1)] = number;
    if (!waits) {
      const bool skips = is_new && (passes || falls_back);
      if (lanes_.any(skips)) lanes_.numbers(&s_->skipped, skips);
      return;
    }
    if (append(is_new && passes, state, &s_->ahead_count, s_->ahead, s_->ahead_base) != none)
      lanes_.lower(&s_->ahead_first, progress);
    if (append(is_new && falls_back, state, &s_->behind_count, s_->behind, s_->behind_base) != none &&
        progress < s_->claimed_from)
      lanes_.write(&s_->broken_claim, std::uint32_t{1});
  }

  void compare(const Word* state) {
    if (is_target(state)) lanes_.write(&s_->found, chunk_);
  }
  bool is_target(const Word* state) const {
    for (unsigned w = 0; w < W; ++w)
      if (state[w] != s_->target[w]) return false;
    return true;
  }

  /// A step to a state of the product. True: the search goes on there.
  bool count(const Word* state, unsigned at) {
    if constexpr (sweeps) {
      if (model_.progress(at) == 0) return false;  // in no region
      std::uint32_t* const counter = s_->counters + place_of(state);
      if (s_->task == Task::keep) {
        const bool is_first = lanes_.fetch_add(counter, std::uint32_t{1}) == 0;
        if (is_first) lanes_.fetch_add(counter, std::uint32_t{1});  // it is kept from now on
        return is_first;
      }
      const bool was_last = lanes_.fetch_add(counter, ~std::uint32_t{0}) == 2;
      if (was_last) lanes_.write(counter, std::uint32_t{0});
      return was_last;
    }
    return false;
  }

  // --- the table

  /// True: it was not there.
  bool insert(const Word* state) {
    const std::uint64_t buckets = s_->slots / bucket;
    std::uint64_t at = lanes_.high_product(hash_of(state, W), buckets);
    for (;;) {
      Word* const slots = s_->table + at * bucket * W;
      Word there[bucket * W];
      constexpr unsigned seen =
          bucket * W <= 8 ? bucket * W : 1;  // of a long state the first word says enough
      lanes_.template read_words<seen>(slots, there);
      for (unsigned i = 0; i < bucket; ++i) {
        bool is_other = false;
        for (unsigned w = 0; w < seen / bucket; ++w)
          is_other = is_other || (there[i * W + w] != 0 && there[i * W + w] != state[w]);
        if (is_other) continue;
        bool is_same = seen == bucket * W;
        for (unsigned w = 0; w < seen / bucket; ++w) is_same = is_same && there[i * W + w] == state[w];
        if (is_same) return false;
        const Claim claim_ = claim(slots + i * W, state);
        if (claim_ != Claim::other) return claim_ == Claim::won;
      }
      if (++at == buckets) at = 0;
    }
  }

  /// Of a state that is in the table.
  std::uint64_t place_of(const Word* state) const {
    const std::uint64_t buckets = s_->slots / bucket;
    for (std::uint64_t at = lanes_.high_product(hash_of(state, W), buckets);;
         at = at + 1 == buckets ? 0 : at + 1)
      for (unsigned i = 0; i < bucket; ++i) {
        const Word* const slot = s_->table + (at * bucket + i) * W;
        bool is_same = true;
        for (unsigned w = 0; w < W; ++w) is_same = is_same && slot[w] == state[w];
        if (is_same) return at * bucket + i;
      }
  }

  enum class Claim { won, same, other };

  Claim claim(Word* slot, const Word* state) {
    bool won = false;
    for (unsigned w = 0; w < W; ++w) {
      const Word there = lanes_.claim(slot + w, state[w]);
      if (there != 0 && there != state[w]) return Claim::other;
      won = there == 0;
    }
    return won ? Claim::won : Claim::same;
  }

  Search* s_;
  Lanes& lanes_;
  Model& model_;
  std::uint64_t transitions_ = 0, deadlocks_ = 0;
  unsigned at_a_time_ = Lanes::count;  ///< states that a warp takes
  std::uint64_t level_end_ = 0, kept_from_ = 0, ring_base_ = 0;
  // Of the states at hand, by lane:
  std::uint64_t number_ = 0;
  bool active_ = false, gave_up_ = false;
  bool waits_ = false;  ///< has to do the part
  std::uint32_t emitted_ = 0;
  std::uint32_t at_once_ = 0;  ///< how many lanes do so together
  std::uint64_t chunk_ = 0;    ///< Mode::find: what the warp is at
};

}  // namespace tideline::gpu
