// StateBatches: states on their way to the ranks that own them, each with a note.
//
//   StateBatches<Note, Receiver> batches(ranks, state_bytes, receiver);
//   batches.give(state, note);        on any rank: brings the state and the note to the rank that owns it
//   receiver(from, few)               there, with up to `chunk` of them at a time, see FewStates
//   receiver.out_of_memory()          instead, when there is no memory for the rest of a batch
//   batches.flush();                  sends what is still collected here
//   batches.flush_here();             hands over what is collected for this rank itself
//
// A note is what the algorithm has to say about a state: its parent, a value. The hash, which says who owns a
// state, travels with it if it takes longer to compute than to send. One batch is being filled for each rank. The one for this rank goes the same way, without the journey.
//
// A receiver must not give: see ranks.hpp, why nothing deadlocks. It may be called whenever this rank gives,
// flushes or polls.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "cluster/ranks/ranks.hpp"
#include "store/hash.hpp"

namespace tideline::cluster {

/// Of a state with this hash. Tables take bits of the hash as they are; here all of them are mixed, so that
/// the states of a rank have hashes of all kinds.
constexpr unsigned owner_of(std::uint64_t hash, unsigned ranks) {
  const std::uint64_t mixed = (hash ^ hash >> 32) * 0x9E3779B97F4A7C15;
  return static_cast<unsigned>((mixed >> 32) * ranks >> 32);
}

/// Some states that have arrived, and their notes.
template <class Note>
class FewStates {
 public:
  /// A record: the note, the state, and perhaps its hash.
  FewStates(const std::byte* records, std::size_t record_bytes, std::size_t state_bytes, std::size_t count)
      : records_(records), record_bytes_(record_bytes), state_bytes_(state_bytes), count_(count) {}

  std::size_t count() const { return count_; }
  const std::byte* state(std::size_t i) const { return records_ + i * record_bytes_ + sizeof(Note); }
  std::uint64_t hash(std::size_t i) const {
    if (record_bytes_ == sizeof(Note) + state_bytes_) return StateHash{}(state(i), state_bytes_);
    std::uint64_t hash = 0;
    std::memcpy(&hash, state(i) + state_bytes_, sizeof hash);
    return hash;
  }
  Note note(std::size_t i) const {
    Note note;
    std::memcpy(&note, records_ + i * record_bytes_, sizeof note);
    return note;
  }

 private:
  const std::byte* records_;
  std::size_t record_bytes_, state_bytes_, count_;
};

template <class Note, class Receiver>
class StateBatches {
  static_assert(std::is_trivially_copyable_v<Note>);

 public:
  /// States that are handed over at once.
  static constexpr std::size_t chunk = 64;

  StateBatches(Ranks& ranks, std::size_t state_bytes, Receiver receiver)
      : ranks_(ranks),
        state_bytes_(state_bytes),
        hash_bytes_(state_bytes < small_state ? 0 : sizeof(std::uint64_t)),
        record_bytes_(sizeof(Note) + state_bytes + hash_bytes_),
        records_in_batch_(std::max<std::size_t>(1, batch_bytes / record_bytes_)),
        receiver_(std::move(receiver)),
        batches_(ranks.size()) {
    ranks_.set_receiver([this](unsigned from, std::span<const std::byte> batch) { take(from, batch); });
  }
  ~StateBatches() { ranks_.set_receiver({}); }
  StateBatches(const StateBatches&) = delete;
  StateBatches& operator=(const StateBatches&) = delete;

  unsigned owner(const std::byte* state) const {
    return owner_of(StateHash{}(state, state_bytes_), ranks_.size());
  }

  void give(const std::byte* state, const Note& note) {
    const std::uint64_t hash = StateHash{}(state, state_bytes_);
    const unsigned to = owner_of(hash, ranks_.size());
    Batch& batch = batches_[to];
    const std::size_t room = to == ranks_.rank() ? chunk : records_in_batch_;
    if (batch.bytes.empty()) batch.bytes.resize(room * record_bytes_);
    std::byte* const record = batch.bytes.data() + batch.records * record_bytes_;
    std::memcpy(record, &note, sizeof note);
    std::memcpy(record + sizeof note, state, state_bytes_);
    if (hash_bytes_ != 0) std::memcpy(record + sizeof note + state_bytes_, &hash, sizeof hash);
    if (++batch.records == room) send(to);
  }

  void flush() {
    for (unsigned to = 0; to < batches_.size(); ++to)
      if (batches_[to].records != 0) send(to);
  }
  void flush_here() {
    if (batches_[ranks_.rank()].records != 0) send(ranks_.rank());
  }

 private:
  /// Large enough that a message costs little beside its states, small enough for hundreds of ranks.
  static constexpr std::size_t batch_bytes = std::size_t{16} << 10;
  static constexpr std::size_t small_state = 24;  ///< is hashed again

  /// Being filled.
  struct Batch {
    Bytes bytes = {};
    std::size_t records = 0;
  };

  void send(unsigned to) {
    Batch& batch = batches_[to];
    const std::size_t records = std::exchange(batch.records, 0);
    if (to == ranks_.rank()) return take(to, std::span(batch.bytes).first(records * record_bytes_));
    Bytes bytes = std::exchange(batch.bytes, {});
    bytes.resize(records * record_bytes_);
    ranks_.send(to, std::move(bytes));
  }

  void take(unsigned from, std::span<const std::byte> batch) {
    const std::size_t records = batch.size() / record_bytes_;
    try {
      for (std::size_t first = 0; first < records; first += chunk)
        receiver_(from, FewStates<Note>(batch.data() + first * record_bytes_, record_bytes_, state_bytes_,
                                        std::min(chunk, records - first)));
    } catch (const std::bad_alloc&) {
      receiver_.out_of_memory();
    }
  }

  Ranks& ranks_;
  std::size_t state_bytes_, hash_bytes_, record_bytes_, records_in_batch_;
  Receiver receiver_;
  std::vector<Batch> batches_;  ///< by rank
};

}  // namespace tideline::cluster
