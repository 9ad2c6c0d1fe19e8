// Engines auto and portfolio: what is asked is searched for by more than one engine.
//
// Properties of states are one question, CTL formulas another, and every property of infinite runs is one.
// For each, explicit search and decision diagrams enter a race (race.hpp): engine portfolio lets them run at
// once, engine auto in turns. Explicit search that runs out of memory goes on as a sweep, which deletes
// states as it goes.
//
// Whether diagrams enter is decided by what they cannot do; how large a share of the turns they get, by the
// structure of the model (symbolic/space/signs.hpp).
#pragma once

#include <functional>

#include "check_options.hpp"
#include "lang/lang.hpp"
#include "plan.hpp"
#include "race.hpp"
#include "symbolic/space/signs.hpp"

namespace tideline::app {

using Search = std::function<Attempt(const Budget::Limits&)>;

/// The two in a race, as `engine` (auto or portfolio) says. `symbolic` is empty where diagrams cannot do what
/// is asked. Says which engines entered, and which one was first.
CombinedOutcome race_engines(const symbolic::DiagramSigns& signs, const std::string& engine,
                             const LimitOptions& options, const Budget::Limits& limits, Search explicitly,
                             Search symbolic);

/// Answers what tideline check was asked: the properties, and how explicit search does it. `limits` are those
/// of the budget.
CombinedOutcome run_races(const CheckOptions& options, const Model& model, const Plan& plan,
                          const std::vector<Property>& properties, const Budget::Limits& limits,
                          Budget& budget);

}  // namespace tideline::app
