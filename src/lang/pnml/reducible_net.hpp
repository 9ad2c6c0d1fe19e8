// A net while it is being reduced: nodes vanish, transitions are added, and each place knows its transitions.
//
// Numbers are never reused: what is gone is no longer alive, and new transitions get new numbers. Lists of
// transitions at a place may name some that are gone; readers skip them. Arcs to places that are gone stay
// until tidy(), so that removing many places costs one look at each arc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "lang/pnml/reduce.hpp"

namespace tideline::pnml {

/// The weight of the arc to a place; 0: there is none.
inline std::uint32_t weight_at(const std::vector<Arc>& arcs, PlaceId place) {
  const auto found = std::ranges::lower_bound(arcs, place, {}, &Arc::place);
  return found != arcs.end() && found->place == place ? found->weight : 0;
}

/// How many tokens a transition needs in the place.
inline std::uint32_t need_at(const Transition& t, PlaceId place) {
  return std::max(weight_at(t.consumes, place), weight_at(t.tests, place));
}

/// All its needs, sorted by place.
std::vector<Arc> needs_of(const Transition& t);

/// By how much it changes a place that it does not reset.
inline std::int64_t change_at(const Transition& t, PlaceId place) {
  return std::int64_t{weight_at(t.produces, place)} - weight_at(t.consumes, place);
}

inline std::size_t arcs_of(const Transition& t) {
  return t.consumes.size() + t.produces.size() + t.tests.size() + t.inhibitors.size() + t.resets.size();
}

class ReducibleNet {
 public:
  ReducibleNet(const Net& net, const std::vector<bool>& observed);

  PlaceId places() const { return static_cast<PlaceId>(net_.places.size()); }
  TransitionId transitions() const { return static_cast<TransitionId>(net_.transitions.size()); }
  bool place_lives(PlaceId p) const { return place_lives_[p]; }
  bool lives(TransitionId t) const { return transition_lives_[t]; }
  bool observed(PlaceId p) const { return observed_[p]; }
  std::uint32_t initial(PlaceId p) const { return net_.places[p].initial; }
  const Transition& operator[](TransitionId t) const { return net_.transitions[t]; }

  /// How many live transitions have an arc of each kind to the place.
  struct Counts {
    std::uint32_t producers = 0, consumers = 0, tests = 0, inhibitors = 0, resets = 0;
  };
  const Counts& counts(PlaceId p) const { return counts_[p]; }
  /// Whether tokens in the place do nothing but wait to be consumed: more of them never hinder, and none
  /// vanishes by itself.
  bool is_plain(PlaceId p) const { return counts_[p].inhibitors == 0 && counts_[p].resets == 0; }

  /// Calls visit(transition) for the live ones; for touching: by any arc, maybe twice.
  template <class Visit>
  void for_each_producer(PlaceId p, Visit&& visit) {
    for_each(producers_[p], counts_[p].producers, visit);
  }
  template <class Visit>
  void for_each_consumer(PlaceId p, Visit&& visit) {
    for_each(consumers_[p], counts_[p].consumers, visit);
  }
  template <class Visit>
  void for_each_touching(PlaceId p, Visit&& visit) {
    for_each_producer(p, visit);
    for_each_consumer(p, visit);
    const Counts& c = counts_[p];
    for_each(watchers_[p], c.tests + c.inhibitors + c.resets, visit);
  }
  std::vector<TransitionId> producers(PlaceId p);
  std::vector<TransitionId> consumers(PlaceId p);

  void remove_transition(TransitionId t);
  /// Its arcs are gone after tidy().
  void remove_place(PlaceId p);
  void tidy();
  /// What fires `sequence` at once; at most longest_sequence given transitions.
  void add_transition(Transition transition, const Reduced::Sequence& sequence);
  /// How many given transitions it stands for.
  std::uint64_t length(TransitionId t) const { return length_[t]; }

  /// Records that the transition waits for what follows it: before a deadlock nothing may follow.
  void let_wait(TransitionId t) { result_.late.push_back(t); }

  /// Fires the transition, which only takes from `p` as often as it can, in the initial marking. False, and
  /// nothing is done, when there would be too many tokens.
  bool fire_at_start(TransitionId t, PlaceId p);

  /// Steps spent so far, except those that look at each arc once.
  std::uint64_t work = 0;

  /// What is left. The net is used up.
  Reduced take();

 private:
  template <class Visit>
  void for_each(std::vector<TransitionId>& list, std::uint32_t alive, Visit&& visit) {
    if (list.size() > 2 * std::size_t{alive} + 8)
      std::erase_if(list, [&](TransitionId t) { return !transition_lives_[t]; });
    work += list.size();
    for (const TransitionId t : list)
      if (transition_lives_[t]) visit(t);
  }
  void enlist(TransitionId t);
  void count(const Transition& t, std::int32_t by);
  void expand_into(TransitionId number, std::vector<TransitionId>& given) const;

  Net net_;
  std::vector<bool> observed_;
  std::vector<bool> place_lives_, transition_lives_;
  std::vector<Counts> counts_;
  std::vector<std::vector<TransitionId>> producers_, consumers_, watchers_;
  std::vector<std::uint64_t> length_;
  std::vector<PlaceId> removed_;  ///< since tidy()
  Reduced result_;
};

/// Longer sequences are not made.
inline constexpr std::uint64_t longest_sequence = 10'000;

/// Merges the transitions that produce tokens of a place with those that consume them, for all places where
/// this preserves what `keeps` says. True when something was done.
bool agglomerate(ReducibleNet& net, Keeps keeps, std::uint64_t most_work, RuleUses& uses);

}  // namespace tideline::pnml
