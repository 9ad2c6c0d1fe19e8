// Structural reduction: smaller nets that answer the same questions.
//
// Structural reductions look at the arcs of a net only, never at its markings, and so cost next to nothing.
// They go back to Berthelot (Transformations and decompositions of nets, 1986); the conditions under which
// only some properties are preserved are given with each rule in reduce.cpp (places, single transitions) and
// agglomerate.cpp (transitions that are merged). A rule may be used when it preserves what is needed:
//
//   always      which values the observed places take together in reachable markings
//   deadlocks   whether a marking without enabled transitions is reachable
//   runs        their sequences of values along maximal runs, up to repetition: LTL without X
//   steps       the graph of markings up to bisimulation: all of LTL and CTL
//
// Runs of the smaller net are translated back to runs of the given one. Every transition stands for a
// sequence of given transitions, which can be fired one after the other wherever it can, and in between
// observed places do not change back and forth. Markings agree in the places that are left. What differs at
// the ends of runs:
//   - a run begins with `prefix`: tokens that would have had to move first have moved already
//   - a deadlock is one of the given net after `before_deadlock`: tokens that were not moved, as this would
//     have led nowhere, are moved after all; observed places do not change by that
//   - a loop, where runs or steps are kept, is one of the given net when it is repeated often enough: places
//     that are removed have bounds then
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "lang/pnml/net.hpp"

namespace tideline::pnml {

/// What a reduction keeps beyond reachable values of observed places.
struct Keeps {
  bool deadlocks = false;
  bool runs = false;
  bool steps = false;

  bool states_only() const { return !deadlocks && !runs && !steps; }
};

enum class ReductionRule : std::uint8_t {
  dead_transition,
  irrelevant_node,
  useless_transition,
  dominated_transition,
  free_place,
  parallel_place,
  dominated_place,
  post_agglomeration,
  pre_agglomeration,
};
inline constexpr std::size_t reduction_rules = 9;

/// How often each rule was used.
using RuleUses = std::array<std::uint64_t, reduction_rules>;

/// "dead transition"
std::string_view to_string(ReductionRule rule);

inline constexpr PlaceId no_place = ~PlaceId{0};

struct Reduced {
  Net net;                        ///< without families and units
  std::vector<PlaceId> place_of;  ///< by given place: what it is now, or no_place
  /// By place of `net`. A net has at least one place: where none is left, it is an isolated one,
  /// and no_place here.
  std::vector<PlaceId> given_place;
  std::vector<TransitionId> prefix;  ///< given transitions that are fired before anything else
  RuleUses uses = {};

  /// The given transitions that a transition of `net` stands for, in order.
  std::vector<TransitionId> given_transitions(TransitionId transition) const;

  /// Sequences of given transitions that are fired before the given net is in a deadlock, too: in order, each
  /// as often as possible.
  std::vector<std::vector<TransitionId>> before_deadlock() const;

  /// A pair of sequences: `first` repeated, and then `second` repeated.
  struct Sequence {
    TransitionId first = 0;
    std::uint32_t first_times = 1;
    TransitionId second = 0;
    std::uint32_t second_times = 1;
  };
  /// Numbers below `given_count` are given transitions, others stand for sequences[number - given_count].
  TransitionId given_count = 0;
  std::vector<Sequence> sequences;
  std::vector<TransitionId> number_of;  ///< by transition of `net`
  std::vector<TransitionId> late;       ///< numbers of before_deadlock, the last first
};

/// `observed`: a truth value for each place. Work is bounded, so that large nets may be left reducible.
Reduced reduce(const Net& net, const std::vector<bool>& observed, Keeps keeps);

}  // namespace tideline::pnml
