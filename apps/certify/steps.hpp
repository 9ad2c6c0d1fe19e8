// Steps: what a System can do in a state, by the reference semantics.
//
// Actions are found by the places of their first two participants, so that not all of them are tried in each state. A
// step goes on through states that nobody sees (System::transient).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "exec/reference.hpp"
#include "model/system.hpp"

namespace tideline::certify {

/// What is wrong about a state.
struct Wrong {
  std::string what;
};

class Steps {
 public:
  /// The system must outlive it.
  Steps(const System& system, ErrorSemantics errors);

  /// `written`: no other slots differ from those of the state before; nullptr: any may.
  using Sink = std::function<void(ActionId action, const Values& state, const std::vector<SlotId>* written)>;

  /// Calls sink for every step, and returns whether there is one. Throws Wrong for a model error.
  bool successors(const Values& state, const Sink& sink) const;

  /// Whether it is true. Throws Wrong where it has no value.
  bool is_true(const Expr& expr, const Values& state) const;

  const Reference& reference() const { return reference_; }

 private:
  /// An action, and where its second participant has to be; no_slot: there is none, or it may be anywhere.
  struct Candidate {
    ActionId action;
    SlotId slot = no_slot;
    std::int32_t place = 0;
  };

  bool single_steps(const Values& state, const Sink& sink) const;
  /// `next` is the state, before and after.
  bool try_actions(const std::vector<Candidate>& candidates, const Values& state, Values& next,
                   const Sink& sink) const;
  void finish_step(ActionId action, const Values& inner, const Sink& sink) const;

  const System& system_;
  ErrorSemantics errors_;
  Reference reference_;
  std::vector<std::vector<std::vector<Candidate>>> at_;  // by component and location
  std::vector<Candidate> anywhere_;
  std::vector<std::vector<SlotId>> written_;  // by action
};

/// "P_0 = wait, turn = 1"
std::string show(const System& system, const Values& state);

}  // namespace tideline::certify
