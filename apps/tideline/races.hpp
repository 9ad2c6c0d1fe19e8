// Engines auto and portfolio: what is asked is searched for by more than one engine.
//
// Properties of states are one question, CTL formulas another, and every property of infinite runs is one.
// For each, explicit search and decision diagrams enter a race (race.hpp): engine portfolio lets them run at
// once, engine auto in turns. Explicit search that runs out of memory goes on as a sweep, which deletes
// states as it goes.
//
// Whether diagrams enter is decided by what they cannot do; how large a share of the turns they get, by the
// structure of the model (symbolic/signs.hpp).
#pragma once

#include "check_options.hpp"
#include "combine.hpp"
#include "lang/lang.hpp"

namespace tideline::app {

/// `limits` are those of the budget. Says which engines entered, and which one was first.
CombinedOutcome run_races(const CheckOptions& options, const Model& model,
                          const std::vector<Property>& properties, const Budget::Limits& limits,
                          Budget& budget);

}  // namespace tideline::app
