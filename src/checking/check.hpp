// A check from its plan to its answer.
//
//     Check check(model, properties, settings);          plans, or refuses
//     check.save_in(checkpoints, goes_on);               if it is to be saved
//     check.run(limits, budget);                         reduces, looks for measures, searches
//     check.result()                                     verdicts and figures, about the original model
//
// A limit may end it anywhere. A search then answers with what it has; outside of searches LimitReached or
// std::bad_alloc is thrown, and give_up() says how far the check got.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checking/plan.hpp"
#include "checking/reduce_net.hpp"
#include "checking/state_question.hpp"
#include "lang/lang.hpp"
#include "report/answer.hpp"
#include "run/budget.hpp"
#include "search/sweep/checkpointer.hpp"

namespace tideline {

struct CheckResult {
  Outcome outcome = {};
  std::vector<SearchReport> searches = {};  ///< in their order; nothing: there was only one
  std::optional<Unboundedness> unbounded = {};
};

class Check {
 public:
  /// The model must outlive it. Throws Error(usage) when what is asked cannot be done.
  Check(const Model& model, std::vector<Property> properties, const Settings& settings);

  const Plan& plan() const { return plan_; }

  /// Saves its searches there. `goes_on`: some are saved already, and their measures are known.
  void save_in(std::shared_ptr<Checkpointer> checkpoints, bool goes_on);

  void run(const Budget::Limits& limits, Budget& budget);

  const CheckResult& result() const { return result_; }

 private:
  void reduce(Budget& budget);
  void choose_measures(const Budget::Limits& limits, Budget& budget);
  void search(const Budget::Limits& limits, Budget& budget);
  bool is_raced() const;
  const Model& searched() const { return reduced_ ? reduced_->model() : model_; }

  const Model& model_;
  std::vector<Property> properties_;
  Settings settings_;
  std::optional<StateQuestions> questions_;
  std::optional<ReducedCheck> reduced_;  // before the plan, which may still look for a measure of its model
  Plan plan_;
  std::shared_ptr<Checkpointer> checkpoints_;
  bool goes_on_ = false;
  double measure_seconds_ = 0;
  CheckResult result_;
};

/// The outcome where a limit ended everything before there was one. The budget knows in which phase.
Outcome give_up(std::vector<Property> properties, const Settings& settings, const System& system,
                const std::optional<Unboundedness>& unbounded, const Budget& budget);

/// A note on what to do when a search for states has ended because memory was full: by another store, or less of it.
void suggest_disk(const Settings& settings, const Budget& budget);

/// Adds what every answer has: time since the budget began, peak memory, size of a state.
void complete_statistics(const System& system, const Budget& budget, Outcome& outcome);

}  // namespace tideline
