// DistributedTable: a table of states that lie on many ranks, each on the one that its hash says.
//
//   DistributedTable<Note> table(ranks, state_bytes, on_arrival);
//   table.give(state, note);     on any rank: brings the state and the note to its owner
//   on_arrival(from, note, insertion, state)    on the owner, for each of them
//   on_arrival.out_of_memory()                  instead, when there is no memory for the rest of a batch
//   table.flush();               sends what is still collected here
//   table.flush_here();          hands over what is collected for this rank itself
//
// They travel as StateBatches. On arrival what the insertion of the states of a batch will touch is fetched from
// memory before they are inserted (see search/core/successor_batch.hpp).
//
// A state is known everywhere by its GlobalId.
//
// on_arrival() must not give, and may be called whenever this rank gives, flushes or polls.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "cluster/ranks/global_id.hpp"
#include "cluster/ranks/ranks.hpp"
#include "cluster/ranks/state_batches.hpp"
#include "store/segmented_table.hpp"

namespace tideline::cluster {

template <class Note, class OnArrival>
class DistributedTable {
 public:
  DistributedTable(Ranks& ranks, std::size_t state_bytes, OnArrival on_arrival)
      : on_arrival_(std::move(on_arrival)),
        table_(state_bytes),
        batches_(ranks, state_bytes, Receiver{*this}) {}

  /// The part of the table that lies here.
  const SegmentedTable<>& here() const { return table_; }
  unsigned owner(const std::byte* state) const { return batches_.owner(state); }

  void give(const std::byte* state, const Note& note) { batches_.give(state, note); }
  void flush() { batches_.flush(); }
  void flush_here() { batches_.flush_here(); }

 private:
  struct Receiver {
    DistributedTable& table;
    void operator()(unsigned from, const FewStates<Note>& few) { table.take(from, few); }
    void out_of_memory() { table.on_arrival_.out_of_memory(); }
  };
  using Batches = StateBatches<Note, Receiver>;

  void take(unsigned from, const FewStates<Note>& few) {
    std::array<std::uint64_t, Batches::chunk> hashes;
    for (std::size_t i = 0; i < few.count(); ++i) {
      hashes[i] = few.hash(i);
      table_.prefetch_index(hashes[i]);
    }
    for (std::size_t i = 0; i < few.count(); ++i) table_.prefetch_state(hashes[i]);
    for (std::size_t i = 0; i < few.count(); ++i)
      on_arrival_(from, few.note(i), table_.insert(few.state(i), hashes[i]), few.state(i));
  }

  OnArrival on_arrival_;
  SegmentedTable<> table_;
  Batches batches_;
};

}  // namespace tideline::cluster
