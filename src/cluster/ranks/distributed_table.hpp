// DistributedTable: a table of states that lie on many ranks, each on the one that its hash says.
//
//   DistributedTable<Note> table(ranks, state_bytes, on_arrival);
//   table.give(state, note);     on any rank: brings the state and the note to its owner
//   on_arrival(from, note, insertion, state)    on the owner, for each of them
//   on_arrival.out_of_memory()                  instead, when there is no memory for the rest of a batch
//   table.flush();               sends what is still collected here
//
// A state and its note (what the algorithm has to say about it: its parent, a value) travel in batches, one
// being filled for each rank. A batch for this rank goes the same way, without the journey. On arrival the
// states of a batch are hashed, and what their insertion will touch is fetched from memory, before they are
// inserted (see search/core/successor_batch.hpp).
//
// A state is known everywhere by its GlobalId, 64 bits: the rank that owns it and its number there. A table
// holds less than 2^32 states, so there can be that many on each rank.
//
// on_arrival() must not give: see ranks.hpp, why nothing deadlocks. It may be called whenever this rank
// gives, flushes or polls.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "cluster/ranks/ranks.hpp"
#include "store/segmented_table.hpp"

namespace tideline::cluster {

using GlobalId = std::uint64_t;
inline constexpr GlobalId no_global = ~GlobalId{0};

constexpr GlobalId global_id(unsigned rank, StateId id) {
  return GlobalId{rank} << 32 | id;
}
constexpr unsigned rank_of(GlobalId id) {
  return static_cast<unsigned>(id >> 32);
}
constexpr StateId number_of(GlobalId id) {
  return static_cast<StateId>(id);
}

/// Of a state with this hash. Tables take bits of the hash as they are; here all of them are mixed, so that
/// the states of a rank have hashes of all kinds.
constexpr unsigned owner_of(std::uint64_t hash, unsigned ranks) {
  const std::uint64_t mixed = (hash ^ hash >> 32) * 0x9E3779B97F4A7C15;
  return static_cast<unsigned>((mixed >> 32) * ranks >> 32);
}

template <class Note, class OnArrival>
class DistributedTable {
  static_assert(std::is_trivially_copyable_v<Note>);

 public:
  DistributedTable(Ranks& ranks, std::size_t state_bytes, OnArrival on_arrival)
      : ranks_(ranks),
        state_bytes_(state_bytes),
        record_bytes_(sizeof(Note) + state_bytes),
        records_in_batch_(std::max<std::size_t>(1, batch_bytes / record_bytes_)),
        on_arrival_(std::move(on_arrival)),
        table_(state_bytes),
        batches_(ranks.size()) {
    ranks_.set_receiver([this](unsigned from, std::span<const std::byte> batch) { take(from, batch); });
  }
  ~DistributedTable() { ranks_.set_receiver({}); }
  DistributedTable(const DistributedTable&) = delete;
  DistributedTable& operator=(const DistributedTable&) = delete;

  /// The part of the table that lies here.
  const SegmentedTable<>& here() const { return table_; }
  unsigned owner(const std::byte* state) const { return owner_of(table_.hash(state), ranks_.size()); }

  void give(const std::byte* state, const Note& note) {
    const unsigned to = owner(state);
    Batch& batch = batches_[to];
    const std::size_t room = to == ranks_.rank() ? chunk : records_in_batch_;
    if (batch.bytes.empty()) batch.bytes.resize(room * record_bytes_);
    std::byte* const record = batch.bytes.data() + batch.records * record_bytes_;
    std::memcpy(record, &note, sizeof note);
    std::memcpy(record + sizeof note, state, state_bytes_);
    if (++batch.records == room) send(to);
  }

  void flush() {
    for (unsigned to = 0; to < batches_.size(); ++to)
      if (batches_[to].records != 0) send(to);
  }

 private:
  /// Large enough that a message costs little beside its states, small enough for hundreds of ranks.
  static constexpr std::size_t batch_bytes = std::size_t{16} << 10;
  /// States whose memory is fetched at once.
  static constexpr std::size_t chunk = 64;

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
        take_chunk(from, batch.data() + first * record_bytes_, std::min(chunk, records - first));
    } catch (const std::bad_alloc&) {
      on_arrival_.out_of_memory();
    }
  }

  void take_chunk(unsigned from, const std::byte* records, std::size_t count) {
    std::array<std::uint64_t, chunk> hashes;
    const auto state = [&](std::size_t i) { return records + i * record_bytes_ + sizeof(Note); };
    for (std::size_t i = 0; i < count; ++i) {
      hashes[i] = table_.hash(state(i));
      table_.prefetch_index(hashes[i]);
    }
    for (std::size_t i = 0; i < count; ++i) table_.prefetch_state(hashes[i]);
    for (std::size_t i = 0; i < count; ++i) {
      Note note;
      std::memcpy(&note, records + i * record_bytes_, sizeof note);
      on_arrival_(from, note, table_.insert(state(i), hashes[i]), state(i));
    }
  }

  Ranks& ranks_;
  std::size_t state_bytes_, record_bytes_, records_in_batch_;
  OnArrival on_arrival_;
  SegmentedTable<> table_;
  std::vector<Batch> batches_;  ///< by rank
};

}  // namespace tideline::cluster
