// CTL formulas that a search for states decides: EF p and AG p, negated or not, where p speaks about one state.
//
// Labelling needs all states before it decides anything; a search for states ends at the first state that does. From a
// state of a run to the next one AG and EF do not ask whether there is one, so how runs go on from deadlocks
// does not matter to them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checking/settings.hpp"
#include "model/system.hpp"
#include "run/outcome.hpp"
#include "run/property.hpp"

namespace tideline {

/// The reachability or invariant property that has the same verdict and the same runs as this bound one of CTL;
/// nothing: there is none.
std::optional<Property> state_question(const Property& ctl);

/// Properties of a check, some of them put as questions about states.
class StateQuestions {
 public:
  /// Replaces those properties for which it can be done, where no engine was asked for that answers CTL better: one that
  /// is only for CTL, or that proves nothing about states.
  StateQuestions(const System& system, const Settings& settings, std::vector<Property>& properties);

  /// Gives results their properties back.
  void restore(std::vector<PropertyResult>& results) const;

 private:
  struct Replaced {
    PropertyKind kind;  ///< of the question, which has the name of the property
    Property asked;     ///< bound
  };
  std::vector<Replaced> replaced_;
};

}  // namespace tideline
