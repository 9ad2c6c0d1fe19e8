// How large a model is, or its product with a property: counted by one engine, or by several in a race.
//
//     require_countable(settings, false);                refuses what the engine cannot do
//     Count count(model, {}, settings);
//     count.run(limits, budget);                         visits everything
//     count.outcome()                                    figures, and whether there are model errors
//
// A limit may end it anywhere: then LimitReached or std::bad_alloc is thrown outside of searches, and the
// outcome says that nothing was counted.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "checking/engines.hpp"
#include "checking/unbounded.hpp"
#include "lang/lang.hpp"
#include "run/budget.hpp"

namespace tideline {

/// Throws Error(usage) when the engine of the settings cannot count the states of a model, or of a product.
void require_countable(const Settings& settings, bool product);

/// The outcome before anything is counted.
Outcome nothing_counted(const Settings& settings);

/// Adds what every answer has, and how many states were visited in a second.
void complete_count(const System& system, const Budget& budget, Outcome& outcome);

class Count {
 public:
  /// The model must outlive it. With a property, its product with the model is counted.
  Count(const Model& model, std::shared_ptr<const PropertyProcess> property, const Settings& settings);

  /// `limits` are those of the budget. The markings of an unbounded net are not counted; a product with it
  /// may be finite, and is searched for a short time.
  void run(const Budget::Limits& limits, Budget& budget);

  const Outcome& outcome() const { return outcome_; }
  const std::optional<Unboundedness>& unbounded() const { return unbounded_; }
  /// Why not everything was visited; empty: no limit was reached. `budget`: that of run().
  std::string unfinished(const Budget& budget) const;

 private:
  Outcome count(const Budget::Limits& limits, Budget& budget) const;

  const Model& model_;
  std::shared_ptr<const PropertyProcess> property_;
  Settings settings_;
  std::optional<Unboundedness> unbounded_;
  std::optional<ShortSearch> short_search_;  ///< of an unbounded net
  Outcome outcome_;
};

}  // namespace tideline
