// Retaker: takes steps of a run again, some of them or in another order, and says whether they still prove the same.
//
// Steps are taken by the reference semantics, and missing_proof() decides about the property. The effort is counted
// in work, not in seconds, so that what comes out is always the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "run/budget.hpp"
#include "trace/replay.hpp"

namespace tideline {

/// What a run has to prove.
struct Claim {
  const System& system;
  ErrorSemantics errors = ErrorSemantics::stop;
  const Property& property;
  Verdict verdict = Verdict::violated;
  /// The property's variables keep their values at the end, and in a deadlock the processes their places: a run that is
  /// one of several stays different from the others.
  bool same_end = false;
};

/// How much may still be tried.
struct Effort {
  std::uint64_t left = 0;    ///< about a nanosecond each
  Budget* budget = nullptr;  ///< none: no limits
  unsigned calls = 0;

  /// False: it is spent. Throws LimitReached.
  bool spend(std::uint64_t amount);
};

/// A run whose steps come from another one.
struct DerivedRun {
  Trace run;
  std::vector<std::size_t>
      origin;  ///< for each step, that of a failing action included: which one it was, from 0
};

class Retaker {
 public:
  /// `given` proves the claim.
  Retaker(const Claim& claim, const Trace& given, Effort& effort);

  /// Appends the step if it is enabled, and does not fail.
  bool take(ActionId action, Trace& run);
  /// The end of a run whose steps have been taken: back to the start of the cycle, or the step that fails. Whether it
  /// is there, and the run proves the claim.
  bool finish(Trace& run);
  bool spent() const { return spent_; }

 private:
  std::vector<std::int32_t> end_of(const Trace& run) const;
  bool close(Trace& run);
  bool spend(std::uint64_t amount);

  const Claim& claim_;
  Reference reference_;
  Effort& effort_;
  bool loops_;
  ActionId failing_action_;
  ModelError error_, no_value_;
  std::vector<std::int32_t> end_;
  std::uint64_t step_cost_;
  bool spent_ = false;
};

/// Whether steps of a run can be left out and exchanged: not where the property has variables of its own, whose values
/// the run records.
bool can_be_changed(const Claim& claim);

}  // namespace tideline
