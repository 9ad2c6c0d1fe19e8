// Traversal: the basis of searches for accepting cycles by many ranks, as SharedSearch is for many threads.
//
// Every rank owns a part of the states and has a queue of those that are to be expanded. In a traversal each
// rank takes states from its queue and expands them; what a transition brings to its target travels with the
// target to the rank that owns it (ranks/distributed_table.hpp). The algorithm says what that is, and what it
// does there:
//
//   a.note(from, state)           at the source: the Note for a transition to this state; nothing: it does not
//                                 count in this traversal
//   a.arrive(from, note, id, state, is_new)   at the target, a state of this rank: notes what has come from the
//                                 rank `from`, and queues the state if it is to be expanded. It must not send.
//
// A source thus never sees the words of a target: all that one state wants to know of another must travel along
// a transition, and nothing comes back.
//
// The whole product state decides which rank owns it. Taking the system's part alone, so that steps of the
// automaton alone stay on a rank, sends the same bytes within 0.4% on bopdp.3 prop4, anderson.4 prop2 and
// elevator2.2 prop2, two ranks.
//
// Traversals follow each other. Between two of them each rank prepares its own states (for_each_state()).
// run() begins with a collective, so that nothing arrives at a rank that is not prepared, and ends when nothing
// is queued anywhere and nothing is on its way, with another one, so that all ranks know the same.
//
// Stopping. A rank that reaches a limit, or has found what all look for, stops all. Every rank may learn of
// that at another time, so no rank concludes anything from it: run() adds up who has been stopped, and from
// then on all have given up (or succeeded: conclude() tells).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "cluster/ranks/distributed_table.hpp"
#include "cluster/ranks/guarded.hpp"
#include "run/budget.hpp"
#include "search/core/crew.hpp"
#include "search/core/observer.hpp"
#include "search/lassos/lasso_search.hpp"
#include "store/checkpoint.hpp"

namespace tideline::cluster {

/// A collective: when the budget of one rank is exhausted, those of all are, for the same reason. Whether it is.
inline bool share_exhaustion(Ranks& ranks, Budget& budget) {
  ByteWriter writer;
  std::string reason = budget.reason();
  writer(reason);
  for (const Bytes& bytes : ranks.gather(writer.take())) {
    ByteReader reader(bytes);
    reader(reason);
    if (budget.reason().empty() && !reason.empty()) budget.exhaust(reason);
  }
  return !budget.reason().empty();
}

template <BuchiGraph G, class Note, class Algorithm>
class Traversal {
 public:
  Traversal(const G& graph, Ranks& ranks, Budget& budget, Algorithm& algorithm)
      : graph_(graph),
        ranks_(ranks),
        budget_(budget),
        algorithm_(algorithm),
        table_(ranks, graph_.state_size(), Arrival{*this}) {}

  const G& graph() const { return graph_; }
  Ranks& ranks() const { return ranks_; }
  Budget& budget() const { return budget_; }
  /// A state of this rank.
  const std::byte* state(StateId id) const { return table_.here().state(id); }
  GlobalId global(StateId id) const { return global_id(ranks_.rank(), id); }

  /// Whether a cycle may pass along a transition from a state of this rank to this state.
  bool within_region(StateId from, const std::byte* to) const {
    const Region region = graph_.region(to);
    return region != no_region && graph_.region(state(from)) == region;
  }
  bool in_region(StateId id) const { return graph_.region(state(id)) != no_region; }
  bool accepting(StateId id) const { return graph_.accepting(state(id)); }

  void push(StateId id) { queue_.push(id); }
  /// For whatever the algorithm counts; run() returns the sum.
  void count() { ++tally_; }
  /// This state lies on an accepting cycle.
  void found(StateId id) {
    found_ = global(id);
    ranks_.stop();
  }

  /// Gives the initial states, with this note, to their owners.
  void give_initial(const Note& note) {
    guarded(ranks_, budget_, [&] {
      graph_.initial([&](const std::byte* state) {
        if (table_.owner(state) == ranks_.rank()) table_.give(state, note);
      });
    });
  }

  /// Calls visit(id) for every state of this rank.
  template <class Visit>
  void for_each_state(const Visit& visit) {
    guarded(ranks_, budget_, [&] {
      const std::uint64_t states = table_.here().size();
      for (std::uint64_t id = 0; id < states && !ranks_.stopped(); ++id) {
        if (id % visits_between_looks == 0) look_at_limits();
        visit(static_cast<StateId>(id));
      }
    });
  }

  /// A collective: expands what is queued on all ranks and whatever is queued on the way. Returns what all have
  /// counted since it was called last.
  std::uint64_t run(WorkOrder order) {
    ranks_.all_reduce({});  // everybody is prepared
    do guarded(ranks_, budget_, [&] { work(order); });
    while (!is_over());
    queue_.take_all();
    const auto sums = ranks_.all_reduce({std::exchange(tally_, 0), ranks_.stopped()});
    ended_ = ended_ || sums[1] != 0;
    return sums[0];
  }

  /// Somebody has stopped in run(): no more is to be done.
  bool ended() const { return ended_; }

  /// A collective, in the end: adds up what all ranks have counted, and returns the state on a cycle that was
  /// found, the same for all; no_global: none.
  GlobalId conclude(LassoResult& result) {
    share_exhaustion(ranks_, budget_);
    ranks_.forget_stop();
    const auto sums = ranks_.all_reduce({table_.here().size(), transitions_, expansions_, model_errors_});
    result.states = sums[0];
    result.transitions = sums[1];
    result.expansions = sums[2];
    result.model_errors = sums[3] != 0;
    const GlobalId found = ranks_.all_reduce({found_}, Combine::least)[0];
    if (found != no_global)
      result.end = SearchEnd::satisfied;
    else if (budget_.reason().empty())
      result.end = SearchEnd::complete;
    return found;
  }

  /// A collective: what the owner of a state says of it, by tell(id), which writes it.
  template <class Tell>
  Bytes told_by_owner(GlobalId id, const Tell& tell) const {
    if (rank_of(id) != ranks_.rank()) return ranks_.broadcast(rank_of(id), {});
    ByteWriter writer;
    tell(number_of(id), writer);
    return ranks_.broadcast(rank_of(id), writer.take());
  }
  Bytes bytes_of(GlobalId id) const {
    return told_by_owner(
        id, [&](StateId here, ByteWriter& writer) { writer.bytes(state(here), graph_.state_size()); });
  }

  std::uint64_t memory_bytes() const { return table_.here().memory_bytes(); }

 private:
  struct Arrival {
    Traversal& traversal;
    void operator()(unsigned from, const Note& note, const Insertion& at, const std::byte* state) {
      traversal.arrive(from, note, at, state);
    }
    void out_of_memory() { end_without_memory(traversal.ranks_, traversal.budget_); }
  };

  /// So many transitions are taken, or states visited, between two looks at what has arrived or at the limits.
  static constexpr std::uint64_t transitions_between_polls = 256, visits_between_looks = 1 << 14;

  bool has_work() const { return !queue_.empty() && !ranks_.stopped(); }

  /// Until there is nothing to do here, and nothing left to be sent. Batches that are not full are sent when nothing
  /// has arrived either: there are far fewer of them then.
  void work(WorkOrder order) {
    do {
      do {
        while (has_work()) expand(queue_.pop(order));
        table_.flush_here();
        look_up();
      } while (has_work());
      table_.flush();
    } while (has_work());
  }

  /// False: there is work again.
  bool is_over() {
    while (!has_work()) {
      if (ranks_.settled()) return true;
      if (!look_up()) ranks_.pause();
    }
    return false;
  }

  void expand(StateId id) {
    ++expansions_;
    graph_.successors(state(id), [&](const Step& step) {
      if (transitions_++ % transitions_between_polls == 0) look_up();
      if (ranks_.stopped()) return;
      if (!step.state) {
        model_errors_ = true;
        return;
      }
      if (const std::optional<Note> note = algorithm_.note(id, step.state)) table_.give(step.state, *note);
    });
  }

  /// What arrives once the search is to end comes too late.
  void arrive(unsigned from, const Note& note, const Insertion& at, const std::byte* state) {
    if (ranks_.stopped()) return;
    if (at.id == no_state) {
      budget_.exhaust(full_table_reason(table_.here().size()) + " on rank " +
                      std::to_string(ranks_.process()));
      ranks_.stop();
      return;
    }
    algorithm_.arrive(from, note, at.id, state, at.inserted);
  }

  bool look_up() {
    const bool any = ranks_.poll();
    look_at_limits();
    return any;
  }

  /// Hashes spread states evenly, so each rank has about the same number of them.
  void look_at_limits() {
    const RunStatus status{.states = table_.here().size() * ranks_.size(),
                           .transitions = transitions_ * ranks_.size(),
                           .frontier = queue_.size() * ranks_.size()};
    if (!ranks_.stopped() && budget_.exhausted(status)) ranks_.stop();
  }

  G graph_;
  Ranks& ranks_;
  Budget& budget_;
  Algorithm& algorithm_;
  WorkQueue queue_;
  std::uint64_t transitions_ = 0, expansions_ = 0, tally_ = 0;
  bool model_errors_ = false, ended_ = false;
  GlobalId found_ = no_global;
  DistributedTable<Note, Arrival> table_;
};

}  // namespace tideline::cluster
