// A saved run against its model: does it replay, and does it prove what its file claims?
#pragma once

#include <optional>
#include <string>

#include "lang/lang.hpp"
#include "trace/itf.hpp"

namespace tideline {

/// The model that a trace names, seen from here, else from the folder of the trace, else beside it. Nothing:
/// it does not name one.
std::optional<std::string> find_model_of(const ItfTrace& trace);

struct TraceReview {
  ItfCheck check;  ///< how far it replays
  /// What the run is about; nothing when it does not replay or claims nothing, like a simulation.
  std::optional<Property> property = {};
  Verdict verdict = Verdict::violated;      ///< what it claims to prove of it
  std::optional<std::string> missing = {};  ///< why it does not; nothing: it does

  bool passes() const { return !check.failure && !missing; }
};

/// Throws Error(input) when the trace is about another model, or claims what no run can prove.
TraceReview review_trace(const Model& model, const ItfTrace& trace);

/// "replays: 5 steps, a run that violates mutex (invariant, ...)": the result in a line.
std::string review_text(const TraceReview& review);

}  // namespace tideline
