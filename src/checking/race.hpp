// A race: several engines at the same question, of which the first with the whole answer ends it.
//
// Either all run at once, each in a thread of its own, or they take turns: one works while the others wait,
// and a turn is twice as long as the one before. No work is lost by waiting, so that together they take what
// the faster one takes, and as much as the others were given meanwhile. The first turn is the first entrant's
// alone: on a small model the others do not even begin.
//
// Engines know nothing of it: they wait, and are told to stop, where they look at their budget.
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

/// What the race came to. The outcome is the winner's; when nobody had the whole answer it is that of the
/// entrant who decided most, with what others decided put in.
struct RaceResult {
  CombinedOutcome outcome;
  std::string winner;  ///< empty: nobody had the whole answer
  double seconds = 0;  ///< since the start
};

/// `limits` are of all of them together; on_status is called for the first entrant only. Rethrows what an
/// entrant threw when no other had the answer.
RaceResult race(const std::vector<Entrant>& entrants, const Budget::Limits& limits, RaceOptions options);

}  // namespace tideline
