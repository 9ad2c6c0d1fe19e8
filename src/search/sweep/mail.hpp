// Mail: how the threads of a sweep send each other what they find.
//
// The states are in parts, by their hashes, and each thread has a part of its own. It is the only one that stores
// states there and expands them. A successor becomes a letter to the part that it belongs to. Letters to one part
// collect in a parcel, which is sent when it is full, or when its sender has nothing left to do. The receiver stores
// what is in it when it looks next, and gives the parcel back.
//
// Memory is bounded. A part has a number of parcels. One that has none left takes in its own mail until one of its parcels
// has come back. All that wait do so, so a parcel that was sent is always stored by somebody. Few parts have many
// parcels each: a part should not stand still while the one that it writes to is not running.
//
// Cores are not equally fast, so some parts would wait for others most of the time. One that waits may be given
// states: it expands them for the part that they belong to. What it finds becomes letters, as always.
//
// When all is done. `busy_` counts the parts that may have something to do, and the parcels that were sent and are not
// stored yet. A part that has nothing left to do takes itself off; when it sees mail it counts itself again before it
// takes the mail out. So whoever adds to the number is counted already, or looks at a parcel that is: once it is
// zero it stays zero, and nobody has anything to do, and nothing is on its way.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "graph/progress.hpp"
#include "run/patience.hpp"
#include "store/hash.hpp"
#include "store/memory.hpp"
#include "store/trace_log.hpp"

namespace tideline {

/// What a successor is sent with. A watch adds a note.
template <class Note>
struct Letter {
  std::uint64_t hash = 0;
  Progress progress = 0;
  LogNumber parent = no_record;
  std::uint32_t choice = 0;
  bool regress = false;  ///< the state before it has made more progress
  [[no_unique_address]] Note note = {};
};

template <class Note>
class Mail {
 public:
  using Letter = tideline::Letter<Note>;

  Mail(unsigned parts, std::size_t state_bytes)
      : letter_bytes_((sizeof(Letter) + state_bytes + 7) / 8 * 8),
        state_bytes_(state_bytes),
        most_parcels_(parts == 1 ? parcels_for_each
                                 : std::max(parcels_for_each * parts, parcels_in_all / parts)),
        places_(parts) {
    for (Place& place : places_) {
      place.open = Memory(parts * sizeof(Parcel*));
      place.given = Memory(sizeof(Parcel) + sizeof(Progress) + most_given * sizeof(std::byte*));
    }
  }

  /// Some letters that lie one after the other.
  class Letters {
   public:
    Letters(const std::byte* first, std::size_t count, std::size_t bytes)
        : first_(first), count_(count), bytes_(bytes) {}
    std::size_t count() const { return count_; }
    Letter letter(std::size_t i) const {
      Letter letter;
      std::memcpy(&letter, first_ + i * bytes_, sizeof letter);
      return letter;
    }
    const std::byte* state(std::size_t i) const { return first_ + i * bytes_ + sizeof(Letter); }

   private:
    const std::byte* first_;
    std::size_t count_, bytes_;
  };

  /// States of another part that are to be expanded.
  struct Errand {
    Progress progress = 0;  ///< of all of them
    std::span<std::byte* const> records = {};
  };

  /// Before the parts begin: all of them may have something to do.
  void begin() { busy_.store(places_.size(), std::memory_order_relaxed); }

  /// Until a parcel is there it calls wait(), which takes in the mail of `from`; false: the search is to end, and the
  /// letter is dropped.
  template <class Wait>
  void put(unsigned from, unsigned to, const Letter& letter, const std::byte* state, const Wait& wait) {
    Parcel*& open = places_[from].open_to(to);
    if (!open && !(open = new_parcel(from, wait))) return;
    std::byte* const at = open->content() + open->count * letter_bytes_;
    new (at) Letter(letter);
    copy_state(at + sizeof letter, state, state_bytes_);
    if (++open->count == most_letters) return send(to, std::exchange(open, nullptr));
    // The last to touch it was the receiver of what was in this parcel before.
    if (open->count + letters_ahead < most_letters)
      prefetch_line_to_write(at + letters_ahead * letter_bytes_);
  }

  /// Sends whatever is left. False: nothing was.
  bool flush(unsigned from) {
    bool any = false;
    for (unsigned to = 0; to < places_.size(); ++to)
      if (Parcel*& open = places_[from].open_to(to)) {
        send(to, std::exchange(open, nullptr));
        any = true;
      }
    return any;
  }

  bool has_mail(unsigned part) const { return places_[part].box.load(std::memory_order_relaxed); }

  /// Whether a part waits that could be given states.
  bool anyone_waits() const { return waiting_.load(std::memory_order_relaxed) != 0; }

  /// Gives states to a part that waits: as many records, all of one progress, as next() returns before nullptr, and there
  /// is room for. It must not throw.
  template <class Next>
  void give(Progress progress, const Next& next) {
    for (unsigned to = 0; to < places_.size(); ++to) {
      Place& place = places_[to];
      if (!change(place, Readiness::waits, Readiness::is_given)) continue;
      Parcel* const parcel = place.errand();
      new (parcel->content()) Progress(progress);
      auto** const records = reinterpret_cast<std::byte**>(parcel->content() + sizeof progress);
      for (parcel->count = 0; parcel->count < most_given; ++parcel->count)
        if (!(records[parcel->count] = next())) break;
      return send(to, parcel);
    }
  }

  /// Calls read(letters) for every parcel that has arrived, then done() if there was any, and gives the parcels back. Calls
  /// run(errand) where states were given.
  template <class Read, class Run, class Done>
  bool take(unsigned part, const Read& read, const Run& run, const Done& done) {
    if (!has_mail(part)) return false;
    Parcel* const all = places_[part].box.exchange(nullptr, std::memory_order_acquire);
    fetch(*all);
    std::uint64_t count = 0;
    for (Parcel* parcel = all; parcel;) {
      Parcel* const next = parcel->next;
      if (next) fetch(*next);  // it is on its way from the sender's core while this one is read
      if (parcel == places_[part].errand()) {
        run(errand_in(*parcel));
        places_[part].readiness.store(Readiness::none, std::memory_order_release);
      } else {
        read(Letters(parcel->content(), parcel->count, letter_bytes_));
        push(places_[parcel->owner].returned, parcel);
      }
      parcel = next;
      ++count;
    }
    done();
    busy_.fetch_sub(count, std::memory_order_acq_rel);
    return true;
  }

  /// For a part that has nothing left to do. True: mail has come. False: all is done, or over() says that it is.
  template <class Over>
  bool wait(unsigned part, const Over& over) {
    Place& place = places_[part];
    busy_.fetch_sub(1, std::memory_order_acq_rel);
    change(place, Readiness::none, Readiness::waits);
    bool has_come = true;
    for (Patience patience; has_come && !has_mail(part); patience.wait())
      has_come = busy_.load(std::memory_order_acquire) != 0 && !over();
    if (has_come) busy_.fetch_add(1, std::memory_order_relaxed);
    change(place, Readiness::waits, Readiness::none);
    return has_come;
  }

 private:
  static constexpr std::uint32_t most_letters = 64;  // in a parcel
  static constexpr std::uint32_t letters_ahead = 4;
  static constexpr std::size_t parcels_for_each = 4,
                               parcels_in_all = 1024;  // of a part for each part, and of all
  static constexpr std::uint32_t most_given = 256;     // states

  struct Parcel {
    Parcel* next;
    unsigned owner;
    std::uint32_t count;
    std::byte* content() { return reinterpret_cast<std::byte*>(this + 1); }
  };

  /// Of a part to expand states of others. There is one parcel with states for each part: nobody else may write to it until
  /// the part has looked at it.
  enum class Readiness : std::uint32_t { none, waits, is_given };

  /// No two parts write to the same cache line.
  struct alignas(cache_line) Place {
    Memory open;  ///< by receiver: the parcel that is being filled
    Parcel* free = nullptr;
    std::vector<Memory> parcels;                                  ///< all of this part, wherever they are
    Memory given;                                                 ///< for states of others
    alignas(cache_line) std::atomic<Parcel*> box = nullptr;       ///< what has arrived, the last one first
    alignas(cache_line) std::atomic<Parcel*> returned = nullptr;  ///< own parcels
    alignas(cache_line) std::atomic<Readiness> readiness = Readiness::none;

    Parcel* errand() const { return reinterpret_cast<Parcel*>(given.data()); }
    Parcel*& open_to(unsigned part) { return reinterpret_cast<Parcel**>(open.data())[part]; }
  };

  static void push(std::atomic<Parcel*>& to, Parcel* parcel) {
    parcel->next = to.load(std::memory_order_relaxed);
    while (!to.compare_exchange_weak(parcel->next, parcel, std::memory_order_release,
                                     std::memory_order_relaxed)) {
    }
  }
  /// False: it is not what it was.
  bool change(Place& place, Readiness from, Readiness to) {
    if (place.readiness.load(std::memory_order_relaxed) != from ||
        !place.readiness.compare_exchange_strong(from, to, std::memory_order_acq_rel))
      return false;
    if (to == Readiness::waits)
      waiting_.fetch_add(1, std::memory_order_relaxed);
    else
      waiting_.fetch_sub(1, std::memory_order_relaxed);
    return true;
  }
  static Errand errand_in(Parcel& parcel) {
    const std::byte* const content = parcel.content();
    return {*reinterpret_cast<const Progress*>(content),
            {reinterpret_cast<std::byte* const*>(content + sizeof(Progress)), parcel.count}};
  }
  void fetch(Parcel& parcel) const {
    const std::size_t bytes = sizeof(Parcel) + most_letters * letter_bytes_;
    for (std::size_t at = 0; at < bytes; at += cache_line)
      prefetch_line(reinterpret_cast<const std::byte*>(&parcel) + at);
  }

  void send(unsigned to, Parcel* parcel) {
    busy_.fetch_add(1, std::memory_order_relaxed);
    push(places_[to].box, parcel);
  }

  template <class Wait>
  Parcel* new_parcel(unsigned from, const Wait& wait) {
    Place& place = places_[from];
    for (Patience patience; !place.free; patience.wait()) {
      place.free = place.returned.exchange(nullptr, std::memory_order_acquire);
      if (place.free) break;
      if (place.parcels.size() < most_parcels_) {
        place.free = make_parcel(place, from);
        break;
      }
      if (!wait()) return nullptr;
    }
    Parcel* const parcel = std::exchange(place.free, place.free->next);
    parcel->count = 0;
    return parcel;
  }
  Parcel* make_parcel(Place& place, unsigned owner) {
    place.parcels.emplace_back(sizeof(Parcel) + most_letters * letter_bytes_);
    return new (place.parcels.back().data()) Parcel{nullptr, owner, 0};
  }

  std::size_t letter_bytes_, state_bytes_;
  std::size_t most_parcels_;   // of a part
  std::vector<Place> places_;  // by part
  alignas(cache_line) std::atomic<std::uint64_t> busy_{0};
  alignas(cache_line) std::atomic<std::uint32_t> waiting_{0};
};

}  // namespace tideline
