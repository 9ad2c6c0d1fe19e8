// Net reduction: a smaller net is checked, and the answer is translated back to the original net.
//
// The properties of the plan decide what has to be kept (lang/pnml/reduce.hpp); they are rewritten for the
// smaller net, and back afterwards. Runs are fired again in the original net, so that what is replayed and
// shown is a run of that one. The questions of the Model Checking Contest are reduced likewise, without runs.
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
  /// A note says what was reduced. The plan is rewritten for the smaller net. `given` must outlive this.
  ReducedCheck(const Model& given, Plan& plan, const Settings& settings);

  /// The smaller net.
  const Model& model() const { return model_; }

  /// A sequence of its transitions as one of the original net.
  std::vector<ActionId> given_actions(const std::vector<ActionId>& actions) const;
  /// For each of its places the one of the original net.
  const std::vector<SlotId>& given_slots() const { return reduced_.given_place; }
  /// What is fired in the original net before anything else.
  const std::vector<ActionId>& prefix() const { return reduced_.prefix; }

  /// Translates the outcome of searches back to the original net. A run of the smaller net may end in a model error
  /// there, so that without it the verdict is not known: that is so where the budget ends before the run is built.
  void restore(Outcome& outcome, Budget& budget) const;

 private:
  Path run_of(const Path& path, const Property& property) const;
  void restore_run(PropertyResult& result, Budget& budget) const;

  const Model& given_;
  pnml::Reduced reduced_;
  Model model_;
};

/// Questions about a net, translated to a smaller one.
struct ReducedQuestions {
  Model model;
  std::vector<contest::Question> questions;
};

/// For the open questions, given by their numbers; the others become meaningless. Nothing: some are about the
/// net itself, which then cannot be reduced.
std::optional<ReducedQuestions> reduce_for(const Model& given,
                                           const std::vector<contest::Question>& questions,
                                           const std::vector<std::size_t>& open);

}  // namespace tideline
