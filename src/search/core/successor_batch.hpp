// SuccessorBatch: successors on their way into the table, or to where they are in it.
//
// Looking a state up in a table far larger than the cache costs two cache misses, in the index and at the
// state it is compared with. A batch hides them: each successor is copied, hashed and its place in the index
// prefetched as it is produced; when the batch is emptied, the states that they may have to be compared with
// are prefetched, and only then all are inserted, in the order in which they came. Where several threads share the
// table, one of them may be making a segment of it larger; who has a state for that segment does better to come back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "store/hash.hpp"
#include "store/state_table.hpp"

namespace tideline {

/// A table that likes to know which states will be read is told so many ahead.
inline constexpr std::uint32_t read_ahead = 6;

/// `Source`: what is to be known of a successor beside its state, such as where it came from. `Hash`: of the table.
template <class Source = StateId, class Hash = std::uint64_t>
class SuccessorBatch {
 public:
  explicit SuccessorBatch(std::size_t state_bytes)
      : state_bytes_(state_bytes), stride_((state_bytes + 7) / 8 * 8), states_(capacity * stride_) {}

  bool empty() const { return used_ == 0; }
  bool full() const { return used_ == capacity; }
  void clear() { used_ = 0; }

  template <class Table>
  void add(Table& table, const std::byte* state, const Source& source) {
    std::byte* const copy = states_.data() + used_ * stride_;
    copy_state(copy, state, state_bytes_);
    const Hash hash = table.hash(copy);
    table.prefetch_index(hash);
    pending_[used_++] = {hash, source};
  }

  /// Inserts everything; calls sink(source, insertion, state) for each as long as it returns true.
  template <class Table, class Sink>
  void insert_into(Table& table, const Sink& sink) {
    look_up(
        table, [&](const std::byte* state, const Hash& hash) { return table.insert(state, hash); }, sink);
  }
  /// Likewise, except that states for which the table would have to wait may stay in the batch, in no order.
  template <class Table, class Sink>
  void insert_most_into(Table& table, const Sink& sink) {
    fetch_states(table);
    std::size_t left = 0;
    for (std::size_t i = 0; i < used_; ++i) {
      step_aside(table, i);
      const std::byte* const state = states_.data() + i * stride_;
      if (left < most_left && table.must_wait(pending_[i].hash)) [[unlikely]] {
        pending_[left] = pending_[i];
        std::memmove(states_.data() + left++ * stride_, state, state_bytes_);
      } else if (!sink(pending_[i].source, table.insert(state, pending_[i].hash), state)) {
        break;
      }
    }
    used_ = left;
  }
  /// Finds everything; calls sink(source, id, state) likewise, with no_state for what is not in the table.
  template <class Table, class Sink>
  void find_in(Table& table, const Sink& sink) {
    look_up(
        table, [&](const std::byte* state, const Hash& hash) { return table.find(state, hash); }, sink);
  }

 private:
  struct Pending {
    Hash hash;
    Source source;
  };

  template <class Table, class LookUp, class Sink>
  void look_up(Table& table, const LookUp& one, const Sink& sink) {
    fetch_states(table);
    for (std::size_t i = 0; i < used_; ++i) {
      step_aside(table, i);
      const std::byte* const state = states_.data() + i * stride_;
      if (!sink(pending_[i].source, one(state, pending_[i].hash), state)) break;
    }
    used_ = 0;
  }

  template <class Table>
  void fetch_states(Table& table) {
    for (std::size_t i = 0; i < used_; ++i) {
      step_aside(table, i);
      table.prefetch_state(pending_[i].hash);
    }
  }

  /// Before the i-th operation: a thread that waits for this one to leave the table should not wait for the whole batch.
  template <class Table>
  static void step_aside(Table& table, std::size_t i) {
    if constexpr (requires { table.presence().step_aside(); })
      if (i % operations_in_a_row == 0) table.presence().step_aside();
  }

  static constexpr std::size_t capacity = 64, most_left = capacity / 2;
  static constexpr std::size_t operations_in_a_row = 8;

  std::size_t state_bytes_;
  std::size_t stride_;
  std::vector<std::byte> states_;
  std::array<Pending, capacity> pending_;
  std::size_t used_ = 0;
};

}  // namespace tideline
