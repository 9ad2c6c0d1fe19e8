// OWCTY with the MAP heuristic by many ranks. search/lassos/owcty.hpp explains the algorithm, in which all is as
// here except who may look at what.
//
// Exploring: a transition brings the values of its source to its target, and whether it stays within a region.
// The target adds itself if it accepts, and finds out whether it is among the values. Eliminating: a transition
// of a state that is kept adds one to the predecessors of its target, one of a state that is removed takes one
// off. Only transitions within a region are sent then.
//
// Values are numbers that all ranks know states by. They are taken in turn: the n-th state of rank r of R has
// n * R + r, so that the orders of values, which go by age, mean the same as for threads.
//
// When something is left, every state of it learns a predecessor in one more traversal, as there. Predecessors
// are followed from rank to rank, one state at a time: the owner tells all where to go on. The first
// state that is met for the second time is on a cycle, and so are all that come after it.
//
// A state costs 4 bytes beside its own and those of the table, and 8 for each value.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "cluster/lassos/traversal.hpp"
#include "model/error.hpp"
#include "search/lassos/accepting_order.hpp"
#include "search/lassos/owcty.hpp"
#include "store/paged_array.hpp"

namespace tideline::cluster {

using Value = std::uint64_t;

/// The number of a state that all ranks know it by, plus one.
constexpr Value value_of(GlobalId id, unsigned ranks) {
  return Value{number_of(id)} * ranks + rank_of(id) + 1;
}

/// What a transition brings: where it comes from, if it stays within a region, and the values there.
template <unsigned values>
struct [[gnu::packed]] OwctyNote {
  StateId source = no_state;
  std::array<Value, values> passed_on = {};
};
template <>
struct OwctyNote<0> {
  StateId source = no_state;
};

/// `values`: as in OwctyOptions.
template <BuchiGraph G, unsigned values>
class OwctySearch {
 public:
  using Note = OwctyNote<values>;

  OwctySearch(const G& graph, Ranks& ranks, ValueChoice choice, WorkOrder order, Budget& budget)
      : choice_(choice),
        order_(order),
        weak_(graph.weak()),
        member_(weak_ ? 0 : 1),
        walk_(graph, ranks, budget, *this) {}

  /// A collective. Throws RankLeft.
  LassoResult run() {
    LassoResult result;
    const bool remains = explore_and_eliminate(result);
    GlobalId root = remains ? pick() : no_global;
    if (const GlobalId early = walk_.conclude(result); early != no_global) {
      result.early = true;
      root = early;
    }
    if (remains) result.end = SearchEnd::satisfied;
    if (root != no_global) root_ = walk_.bytes_of(root);
    return result;
  }

  /// A state on an accepting cycle; nothing: there is none, or the budget ended before one was known.
  const std::optional<Bytes>& root() const { return root_; }
  /// Of this rank.
  std::uint64_t memory_bytes() const {
    return walk_.memory_bytes() + values_.memory_bytes() + counts_.memory_bytes() +
           predecessors_.memory_bytes();
  }

  // --- For the traversal.

  std::optional<Note> note(StateId from, const std::byte* to) const {
    Note note;
    if (walk_.within_region(from, to)) {
      note.source = from;
      if constexpr (values != 0)
        if (phase_ == Phase::exploring) note.passed_on = values_[from];
    } else if (phase_ != Phase::exploring) {
      return std::nullopt;
    }
    return note;
  }

  void arrive(unsigned from, const Note& note, StateId id, const std::byte* state, bool is_new) {
    switch (phase_) {
      case Phase::exploring:
        return explored(from, note, id, state, is_new);
      case Phase::keeping:
        return kept(id);
      case Phase::removing:
        if (counts_[id]-- == member_ + 1) remove(id);
        return;
      case Phase::tracing:
        if (predecessors_[id] != no_global) return;
        predecessors_[id] = global_id(from, note.source);
        if (!is_start(id)) walk_.push(id);
    }
  }

 private:
  enum class Phase { exploring, keeping, removing, tracing };

  /// Whether states remain.
  bool explore_and_eliminate(LassoResult& result) {
    walk_.give_initial({});
    const std::uint64_t members = walk_.run(order_);
    return !walk_.ended() &&
           remains_after_rounds(
               weak_, members, result.rounds, [&](bool all) { return keep_behind_accepting(all); },
               [&] { return remove_without_predecessors(); }, [&] { return walk_.ended(); });
  }

  void explored(unsigned from, const Note& note, StateId id, const std::byte* state, bool is_new) {
    const bool within = note.source != no_state;
    if (is_new) {
      counts_.push_back(0);
      if constexpr (values != 0) values_.push_back({});
      walk_.push(id);
      if (walk_.in_region(id)) walk_.count();
    }
    if (within && weak_) ++counts_[id];
    if constexpr (values != 0) {
      if (!is_new && (!within || !choice_.known_states_take())) return;
      std::array<Value, values> passed_on = note.passed_on;
      if (walk_.in_region(id) && walk_.graph().accepting(state)) {
        const GlobalId self = walk_.global(id);
        const Value value = value_of(self, walk_.ranks().size());
        if ((within && self == global_id(from, note.source)) ||
            std::ranges::find(passed_on, value) != passed_on.end())
          return walk_.found(id);
        choice_.add(std::span<Value>(passed_on), value);
      }
      choice_.merge(std::span<Value>(values_[id]), std::span<const Value>(passed_on));
    }
  }

  // Counts: the number of predecessors that remain, with `member_` added in graphs that are not weak, where 0
  // means that the state is removed.

  std::uint64_t keep_behind_accepting(bool all_are_members) {
    phase_ = Phase::keeping;
    walk_.for_each_state([&](StateId id) {
      const bool start = (all_are_members || counts_[id] != 0) && walk_.in_region(id) && walk_.accepting(id);
      counts_[id] = start ? member_ : 0;
      if (!start) return;
      walk_.push(id);
      walk_.count();
    });
    return walk_.run(WorkOrder::bfs);
  }
  void kept(StateId id) {
    if (counts_[id]++ != 0) return;
    counts_[id] += member_;
    walk_.push(id);
    walk_.count();
  }

  /// Returns how many states were removed.
  std::uint64_t remove_without_predecessors() {
    phase_ = Phase::removing;
    walk_.for_each_state([&](StateId id) {
      if (counts_[id] == member_ && walk_.in_region(id)) remove(id);
    });
    return walk_.run(WorkOrder::bfs);
  }
  void remove(StateId id) {
    counts_[id] = 0;
    walk_.push(id);
    walk_.count();
  }

  /// An accepting state on a cycle, when states remain; no_global: the budget has ended.
  GlobalId pick() {
    phase_ = Phase::tracing;
    GlobalId any = no_global;
    walk_.for_each_state([&](StateId id) {
      const bool remains = walk_.in_region(id) && counts_[id] != 0;
      predecessors_.push_back(no_global);
      counts_[id] = 0;
      if (!remains || !is_start(id)) return;
      walk_.push(id);
      any = walk_.global(id);
    });
    walk_.run(WorkOrder::bfs);
    if (walk_.ended()) return no_global;
    return accepting_on_cycle(walk_.ranks().all_reduce({any}, Combine::least)[0]);
  }
  /// Where pick() starts from. In weak graphs any cycle is accepting, so all states are starts.
  bool is_start(StateId id) const { return weak_ || walk_.accepting(id); }

  /// Follows predecessors from rank to rank; counts are now how often a state was met.
  GlobalId accepting_on_cycle(GlobalId at) {
    for (;;) {
      const Bytes told = walk_.told_by_owner(at, [&](StateId id, ByteWriter& writer) {
        if (predecessors_[id] == no_global || counts_[id] == 2)
          throw Error(ErrorKind::internal, "what remains holds no accepting cycle");
        std::string limit = walk_.budget().exhausted({}) ? walk_.budget().reason() : "";
        bool is_found = counts_[id]++ != 0 && walk_.accepting(id);
        writer(limit, predecessors_[id], is_found);
      });
      ByteReader reader(told);
      std::string limit;
      GlobalId before = no_global;
      bool is_found = false;
      reader(limit, before, is_found);
      if (is_found) return at;
      if (!limit.empty()) {
        walk_.budget().exhaust(limit);
        return no_global;
      }
      at = before;
    }
  }

  AcceptingOrder choice_;
  WorkOrder order_;
  bool weak_;
  std::uint32_t member_;
  Phase phase_ = Phase::exploring;
  PagedVector<std::array<Value, values>> values_;  // none without values
  PagedVector<std::uint32_t> counts_;
  PagedVector<GlobalId> predecessors_;  // of pick()
  std::optional<Bytes> root_;
  Traversal<G, Note, OwctySearch> walk_;
};

}  // namespace tideline::cluster
