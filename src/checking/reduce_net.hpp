// Net reduction: a check is made on a smaller net, and its answer is told as one about the given net.
//
// The same for the questions of an examination of the Model Checking Contest, which need no runs.
//
// The properties of the plan decide what has to be kept (lang/pnml/reduce.hpp); they are rewritten for the
// smaller net, and back afterwards. Runs are fired again in the given net, so that what is replayed and shown
// is a run of that one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checking/contest/questions.hpp"
#include "checking/plan.hpp"
#include "lang/lang.hpp"
#include "lang/pnml/reduce.hpp"

namespace tideline {

/// Why the model cannot be reduced with these settings; empty: it can.
std::string why_not_reducible(const Model& model, const Settings& settings);

class ReducedCheck {
 public:
  /// Says what was reduced. The plan is then one for the smaller net; `given` outlives this.
  ReducedCheck(const Model& given, Plan& plan, const Settings& settings);

  /// The smaller net.
  const Model& model() const { return model_; }

  /// A sequence of its transitions, as one of the given net.
  std::vector<ActionId> given_actions(const std::vector<ActionId>& actions) const;
  /// Its places by those of the given net.
  const std::vector<SlotId>& given_slots() const { return reduced_.given_place; }
  /// What is fired in the given net before anything else.
  const std::vector<ActionId>& prefix() const { return reduced_.prefix; }

  /// Makes the outcome of searches of the smaller net one about the given net.
  void restore(Outcome& outcome) const;

 private:
  Path run_of(const Path& path, const Property& property) const;

  const Model& given_;
  pnml::Reduced reduced_;
  Model model_;
};

/// Questions about a net, told as questions about a smaller one.
struct ReducedQuestions {
  Model model;
  std::vector<contest::Question> questions;
};

/// For the open ones of the questions, given by their numbers; what the others become has no meaning.
/// Nothing: they are about the net itself.
std::optional<ReducedQuestions> reduce_for(const Model& given,
                                           const std::vector<contest::Question>& questions,
                                           const std::vector<std::size_t>& open);

}  // namespace tideline
