// Breadth-first search by many ranks, level by level: complete, with shortest runs.
//
// Each rank expands the states that it owns and gives their successors to the ranks that own those
// (ranks/distributed_table.hpp). As in the search of one process (search/states/bfs.hpp) the table is the
// queue: states are numbered in the order in which they arrive, what has arrived since the level began is the
// next level, and no memory is needed beyond the table, where states were found (ranks/parent_trail.hpp, when
// runs are wanted), and the messages, which are bounded.
//
// At the end of a level all wait until nothing is on its way any more, add up what they have found, and
// exchange what they have decided, if anything was. So all of them end after the same level, with the same
// counts, levels and lengths of runs as a search by one process.
//
// One wave for a level (ranks/ranks.hpp). What arrives is expanded on the next level, so nobody sends because of it.
// A rank may be sent states of the next level before it knows that this one is over; what it has reported is
// final, so the level ends at the number of states that it had then.
//
// Runs (see ranks/common_findings.hpp). A reference is the GlobalId of the last state. Runs are put together so:
// the owner of a state tells everybody the state and its parent, then the owner of the parent does, and so on.
//
// Invariants: at the beginning of a level every rank has expanded its states below cursor_, and all successors
// of these are in the table of their owner; a state is expanded once, by its owner.
#pragma once

#include <algorithm>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/ranks/common_findings.hpp"
#include "cluster/ranks/distributed_table.hpp"
#include "cluster/ranks/guarded.hpp"
#include "cluster/ranks/parent_trail.hpp"
#include "cluster/ranks/rank_figures.hpp"
#include "graph/graph.hpp"
#include "run/budget.hpp"
#include "search/core/observer.hpp"
#include "search/core/run_through.hpp"

namespace tideline::cluster {

template <Graph G, class O>
class BreadthFirstSearch {
 public:
  BreadthFirstSearch(const G& graph, Ranks& ranks, SearchOptions options, O& observer, Budget& budget)
      : graph_(graph),
        ranks_(ranks),
        options_(options),
        observer_(observer),
        findings_(ranks, observer),
        budget_(budget),
        batches_before_(ranks.batches_sent()),
        bytes_before_(ranks.bytes_sent()),
        table_(ranks, graph_.state_size(), Arrival{*this}) {}

  /// A collective. Throws RankLeft.
  SearchResult run() {
    ranks_.all_reduce({});  // everybody can receive now
    guarded(ranks_, budget_, [&] {
      graph_.initial([&](const std::byte* state) {
        if (table_.owner(state) == ranks_.rank()) table_.give(state, no_state);
      });
    });
    bool over = end_level();
    while (!over) {
      guarded(ranks_, budget_, [&] { expand_level(); });
      over = end_level();
    }
    exchange();
    Budget wrap_up = budget_.wrap_up();
    findings_.put_runs_together([&](const Path& reference) { return put_together(reference, wrap_up); });
    return result_;
  }

  const RankFigures& figures() const { return figures_; }

 private:
  /// Successors travel with the number that their parent has where they come from.
  struct Arrival {
    BreadthFirstSearch& search;
    void operator()(unsigned from, StateId parent, const Insertion& insertion, const std::byte* state) {
      search.arrive(parent == no_state ? no_global : global_id(from, parent), insertion, state);
    }
    void out_of_memory() { end_without_memory(search.ranks_, search.budget_); }
  };

  /// So many transitions are taken between two looks at what has arrived.
  static constexpr std::uint64_t transitions_between_polls = 256;

  const SegmentedTable<>& states() const { return table_.here(); }

  void expand_level() {
    const std::uint64_t end = level_end_;
    for (; cursor_ < end && !ranks_.stopped(); ++cursor_) expand(static_cast<StateId>(cursor_));
  }

  void expand(StateId id) {
    const auto locate = [&] { return reference_to(id); };
    const std::uint64_t before = result_.transitions;
    graph_.successors(states().state(id), [&](const Step& step) {
      if (result_.transitions++ % transitions_between_polls == 0) look_up();
      if (ranks_.stopped()) return;
      observer_.on_step(step, locate);
      if (step.state) table_.give(step.state, id);
    });
    if (result_.transitions == before) {
      if (report_deadlock(observer_, states().state(id), locate)) ++result_.deadlocks;
    }
    if (observer_.done()) ranks_.stop();
  }

  /// What arrives once the search is to end comes too late.
  void arrive(GlobalId parent, const Insertion& insertion, const std::byte* state) {
    if (ranks_.stopped()) return;
    if (insertion.id == no_state) {
      budget_.exhaust(full_table_reason(states().size()) + " on rank " + std::to_string(ranks_.process()));
      ranks_.stop();
    } else if (insertion.inserted) {
      if (options_.traces) parents_.add(parent);
      observer_.on_state(state, [&] { return reference_to(insertion.id); });
      if (observer_.done()) ranks_.stop();
    }
  }

  /// Takes what has arrived, and looks at the limits. False: nothing had arrived.
  bool look_up() {
    const bool any = ranks_.poll();
    if (!ranks_.stopped() && budget_.exhausted(status())) ranks_.stop();
    return any;
  }

  /// Hashes spread states evenly, so each rank has about the same number of them.
  RunStatus status() const {
    return {.states = states().size() * ranks_.size(),
            .transitions = result_.transitions * ranks_.size(),
            .frontier = (states().size() - cursor_) * ranks_.size(),
            .depth = result_.level_sizes.size()};
  }

  /// True: the search is over. All ranks return the same, so this follows from what all have told all: from its
  /// report on, what this rank sees may be of the next level already.
  bool end_level() {
    guarded(ranks_, budget_, [&] { table_.flush(); });
    look_up();  // the fewer have something left to take when they report, the fewer waves are in vain
    std::uint64_t end = level_end_, located = located_;
    const auto report = [&] {
      end = states().size();
      located = located_;
      return Totals{.sums = {end - level_end_, located != adopted_, ranks_.stopped()}};
    };
    std::optional<Totals> totals;
    while (!(totals = ranks_.all_taken(report)))
      if (!look_up()) ranks_.pause();
    level_end_ = end;
    adopted_ = located;
    const auto& sums = totals->sums;
    if (sums[0] != 0) result_.level_sizes.push_back(sums[0]);
    at_bound_ = options_.depth != 0 && result_.level_sizes.size() > options_.depth;
    if (sums[0] == 0 || sums[2] != 0 || at_bound_) return true;
    return sums[1] != 0 && findings_.adopt();
  }

  /// Everything that a rank knows at the end.
  void exchange() {
    std::string reason = budget_.reason();
    std::uint64_t found = states().size();
    RankFigures here{.table_bytes = states().memory_bytes() + parents_.memory_bytes(),
                     .batches = ranks_.batches_sent() - batches_before_,
                     .batch_bytes = ranks_.bytes_sent() - bytes_before_};
    SearchResult sum;
    findings_.exchange(
        [&](ByteWriter& writer) { writer(reason, found, result_.transitions, result_.deadlocks, here); },
        [&](ByteReader& reader) {
          std::uint64_t transitions = 0, deadlocks = 0;
          RankFigures there;
          reader(reason, found, transitions, deadlocks, there);
          if (!reason.empty() && budget_.reason().empty()) budget_.exhaust(reason);
          exhausted_ = exhausted_ || !reason.empty();
          sum.states += found;
          sum.transitions += transitions;
          sum.deadlocks += deadlocks;
          figures_.add(there);
        });
    result_.states = sum.states;
    result_.transitions = sum.transitions;
    result_.deadlocks = sum.deadlocks;
    ranks_.forget_stop();
    if (!result_.level_sizes.empty()) result_.depth = result_.level_sizes.size() - 1;
    result_.end = exhausted_         ? SearchEnd::exhausted
                  : observer_.done() ? SearchEnd::satisfied
                  : at_bound_        ? SearchEnd::cut_off
                                     : SearchEnd::complete;
  }

  PathBuilder reference_to(StateId id) {
    ++located_;
    return options_.traces ? run_reference(global_id(ranks_.rank(), id)) : PathBuilder();
  }

  /// A collective.
  PathBuilder put_together(const Path& reference, Budget& wrap_up) {
    GlobalId next = last_of(reference);
    SeenStates seen;
    while (next != no_global) {
      std::string limit;
      GlobalId parent = no_global;
      Bytes state;
      Bytes message;
      if (const unsigned owner = rank_of(next); owner == ranks_.rank()) {
        if (wrap_up.exhausted({})) limit = wrap_up.reason();
        parent = parents_[number_of(next)];
        const std::byte* const here = states().state(number_of(next));
        state.assign(here, here + graph_.state_size());
        ByteWriter writer;
        writer(limit, parent, state);
        message = ranks_.broadcast(owner, writer.take());
      } else {
        message = ranks_.broadcast(owner, {});
        ByteReader reader(message);
        reader(limit, parent, state);
      }
      if (!limit.empty()) return PathBuilder([limit](Budget&) -> Path { throw LimitReached(limit); });
      seen.states.push_back(std::move(state));
      next = parent;
    }
    std::ranges::reverse(seen.states);
    std::vector<StateId> order(seen.states.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<StateId>(i);
    return PathBuilder([graph = graph_, seen = std::move(seen), order = std::move(order),
                        failing = reference.failing_action](Budget& budget) mutable {
      Path path = run_through(graph, seen, order, budget);
      path.failing_action = failing;
      return path;
    });
  }

  /// The states of a run, for run_through().
  struct SeenStates {
    std::vector<Bytes> states = {};
    const std::byte* state(StateId id) const { return states[id].data(); }
  };

  G graph_;
  Ranks& ranks_;
  SearchOptions options_;
  O& observer_;
  CommonFindings<O> findings_;
  Budget& budget_;
  std::uint64_t batches_before_, bytes_before_;
  ParentTrail parents_;  // empty when no traces are wanted
  SearchResult result_;
  RankFigures figures_;
  std::uint64_t cursor_ = 0, level_end_ = 0;
  std::uint64_t located_ = 0, adopted_ = 0;  ///< runs: so far, and as of the last level
  bool at_bound_ = false;
  bool exhausted_ = false;
  DistributedTable<StateId, Arrival> table_;
};

}  // namespace tideline::cluster
