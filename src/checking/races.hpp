// Engines auto and portfolio: several engines work on the same question.
//
// Properties of states are one question, CTL formulas another, and every property of infinite runs is one.
// For each, explicit search and decision diagrams enter a race (race.hpp): engine portfolio lets them run at
// once, engine auto in turns. Explicit search that runs out of memory goes on as a sweep, which deletes
// states as it goes.
//
// Diagrams do not enter where they cannot answer; how large their share of the turns is depends on the
// structure of the model (symbolic/space/signs.hpp).
#pragma once

#include <functional>
#include <vector>

#include "checking/plan.hpp"
#include "checking/race.hpp"
#include "lang/lang.hpp"

namespace tideline {

using RaceSearch = std::function<Attempt(const Budget::Limits&)>;

/// Explicit search and diagrams in a race, as the engine of the settings says. `sets` is empty where diagrams
/// cannot do what is asked. Notes say which engines entered, and which one was first.
CombinedOutcome race_engines(const System& system, const Settings& settings, const Budget::Limits& limits,
                             RaceSearch explicit_search, RaceSearch sets);

/// Answers the properties; `plan` says how explicit search does it. `limits` are those of the budget.
CombinedOutcome run_races(const Model& model, const Plan& plan, const std::vector<Property>& properties,
                          const Settings& settings, const Budget::Limits& limits, Budget& budget);

}  // namespace tideline
