// A race: several engines work on the same question, and the first complete answer ends it.
//
// Either all run at once, each in a thread of its own, or they take turns: one works while the others wait,
// and a turn is twice as long as the one before. No work is lost by waiting, so the race takes as long as the
// fastest engine, plus the turns of the others. Only the first entrant takes part in the first turn: on a
// small model the others do not even begin.
//
// Engines do not know that they are in a race: they wait, and are stopped, where they check their budget.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "checking/combine.hpp"
#include "run/budget.hpp"

namespace tideline {

struct Attempt {
  CombinedOutcome outcome;
  bool whole = true;  ///< no limit ended it

  /// Whether there is nothing left for another engine to decide.
  bool is_answer() const;
};

struct Entrant {
  std::string engine;
  /// Searches, and returns when done or when a budget made of these limits ends it. The limits count from the
  /// moment of the call.
  std::function<Attempt(const Budget::Limits&)> search;
  double share = 1;  ///< of a turn, when turns are taken
};

enum class RaceMode { turns, at_once };

struct RaceOptions {
  RaceMode mode = RaceMode::turns;
  double first_turn = 1;  ///< seconds
};

/// The result of a race. The outcome is the winner's. Without a winner it is that of the entrant that decided
/// most, completed by what others decided.
struct RaceResult {
  CombinedOutcome outcome;
  std::string winner;  ///< empty: no engine had the complete answer
  double seconds = 0;  ///< since the start
};

/// `limits` are for all entrants together; on_status is called by the one whose turn it is, or only by the
/// first where all run at once. When no entrant has the answer, rethrows what one threw, unless that was a limit
/// and another one has at least something to say.
RaceResult race(const std::vector<Entrant>& entrants, const Budget::Limits& limits, RaceOptions options);

}  // namespace tideline
