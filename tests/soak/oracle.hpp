// The brute-force oracle: what the right answer is, found as directly as possible.
//
// All reachable states are listed by the reference semantics. Properties of states are looked up in the list, CTL
// formulas are evaluated by fixed points (testing/ctl.hpp), LTL formulas by guessing, in each state, which of their
// temporal parts are true: a guess is determined by the one in the next state, and a run is wrong when it goes
// round a cycle on which no promise stays open for ever. There is no automaton, and no code of an engine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "exec/reference.hpp"
#include "model/ctl_formula.hpp"
#include "run/fairness.hpp"
#include "run/property.hpp"

namespace tideline::soak {

/// Bits are components.
using ComponentSet = std::uint64_t;

/// All reachable states of a system, and the steps between them.
struct Space {
  struct Step {
    ComponentSet movers = 0;
    std::uint32_t target = 0;
  };
  struct State {
    Values values;
    std::vector<Step> steps = {};  ///< that do not end in a model error
    ComponentSet enabled = 0;      ///< those that could move, be it into a model error
    bool deadlock = false;
    bool fails = false;  ///< some step ends in a model error
  };
  std::vector<State> states;
  std::uint64_t transitions = 0, deadlocks = 0;
  bool errors = false;  ///< some state fails
};

/// Nothing: there are more states than that.
std::optional<Space> explore(const System& system, ErrorSemantics errors, std::size_t most_states);

/// A question as a user writes it.
struct Question {
  PropertyKind kind = PropertyKind::deadlock;
  std::string formula = {};
  Fairness fairness = Fairness::none;
  DeadlockPaths paths = DeadlockPaths::stutter;
};

/// Which verdicts are right. Several may be: where runs end in model errors an engine may or may not see that the
/// rest does not matter.
struct Truth {
  bool holds = false, violated = false, unknown = false;

  bool allows(Verdict verdict) const {
    return verdict == Verdict::holds ? holds : verdict == Verdict::violated ? violated : unknown;
  }
};
std::string to_string(const Truth& truth);

/// Nothing: the oracle does not know. Throws Error where the formula cannot be read.
std::optional<Truth> truth_of(const System& system, const Space& space, const Question& question);

}  // namespace tideline::soak
