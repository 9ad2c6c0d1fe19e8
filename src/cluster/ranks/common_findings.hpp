// CommonFindings: the observers of all ranks, put together.
//
// While a search goes on each rank has an observer of its own. What one has decided, the others need not look
// for, and when together they have decided everything the search is over; so they exchange it now and then.
// In the end everything else that they have seen is added up. All ranks read what each of them says in the same
// order, so they agree on all of it.
//
// An observer of such a search is as in search/states/parallel_bfs.hpp, and beyond that
//
//   o.archive(file)         writes and reads what it has seen, as for checkpoints
//   o.change_runs(change)   calls change(PathBuilder&) for all runs it has located
//
// Runs. While the search goes on, a run is only a reference to the last state of it: a Path whose only "state"
// holds a number. It can be sent to other ranks like any other. When the search is over all ranks have the same
// references, and put the runs together, each in its own way.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#include "cluster/ranks/ranks.hpp"
#include "run/outcome.hpp"
#include "store/checkpoint.hpp"

namespace tideline::cluster {

inline PathBuilder run_reference(std::uint64_t last) {
  Path reference;
  reference.states.emplace_back(sizeof last);
  std::memcpy(reference.states.front().data(), &last, sizeof last);
  return PathBuilder(std::move(reference));
}

inline std::uint64_t last_of(const Path& reference) {
  std::uint64_t last = 0;
  std::memcpy(&last, reference.states.front().data(), sizeof last);
  return last;
}

template <class O>
class CommonFindings {
 public:
  CommonFindings(Ranks& ranks, O& observer) : ranks_(ranks), initial_(observer), observer_(observer) {}

  /// A collective. True: together they have decided everything.
  bool adopt() {
    O all = initial_;
    ByteWriter writer;
    writer(observer_);
    for (const Bytes& bytes : ranks_.gather(writer.take())) {
      ByteReader reader(bytes);
      all.adopt(read(reader));
    }
    observer_.adopt(all);
    ranks_.all_reduce({});  // nobody finds on the next layer what another has found on this one
    return all.done();
  }

  /// A collective: every rank calls write(writer), then read(reader) with what each of them has written, by rank;
  /// and what the observers have seen is added up.
  template <class Write, class Read>
  void exchange(const Write& write, const Read& read_from) {
    ByteWriter writer;
    write(writer);
    writer(observer_);
    O all = initial_;
    for (const Bytes& bytes : ranks_.gather(writer.take())) {
      ByteReader reader(bytes);
      read_from(reader);
      all.absorb(read(reader));
    }
    observer_ = std::move(all);
  }

  /// A collective: put_together(reference) is called for all runs, in the same order everywhere.
  template <class PutTogether>
  void put_runs_together(const PutTogether& put_together) {
    if constexpr (requires { observer_.change_runs([](PathBuilder&) {}); })
      observer_.change_runs([&](PathBuilder& run) {
        if (run) run = put_together(run());
      });
  }

 private:
  O read(ByteReader& reader) const {
    O observer = initial_;
    reader(observer);
    return observer;
  }

  Ranks& ranks_;
  const O initial_;
  O& observer_;
};

}  // namespace tideline::cluster
