// Proofs that a net is unbounded: a sequence of transitions that can be repeated for ever and adds
// tokens each time.
//
// Karp and Miller (Parallel program schemata, 1969): a net without inhibitor and reset arcs has infinitely
// many markings just when some run passes through a marking m and later through m' >= m with more tokens
// somewhere. What led from m to m' can be repeated, as more tokens disable nothing. With the other arcs that
// is so when
//   - places that inhibit a transition of the sequence have the same tokens in m' as in m: they then take the
//     same values each time
//   - a place that gains tokens is not emptied by the sequence
// Such a sequence proves that the net is unbounded, but there are unbounded nets without one.
//
// Any tree of different markings that reaches far enough has such a run in one of its branches (König,
// Dickson). So a few searches of bounded effort look for one: breadth-first for a short proof, then
// depth-first, where runs get long, with several preferences for transitions. A net that is not recognised
// may be unbounded nevertheless.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lang/pnml/net.hpp"
#include "model/system.hpp"

namespace tideline::pnml {

/// Why a net is unbounded.
struct Pump {
  std::vector<TransitionId> prefix;    ///< is fired first
  std::vector<TransitionId> sequence;  ///< can then be repeated for ever
  std::vector<PlaceId> grows;          ///< places that have more tokens each time; no other place has fewer
};

/// The two sequences as a proof, if they are one: they are fired from the initial marking.
std::optional<Pump> as_pump(const Net& net, std::vector<TransitionId> prefix,
                            std::vector<TransitionId> sequence);

/// Looks for a proof that the net is unbounded. `system` is that of the net: where its structure bounds every
/// place there is nothing to look for. `work` bounds the steps that are spent on it.
std::optional<Pump> find_pump(const Net& net, const System& system, std::uint64_t work = 30'000'000);

}  // namespace tideline::pnml
