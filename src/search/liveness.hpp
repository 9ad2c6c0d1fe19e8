// Liveness checking: is there a run that a property automaton accepts? If so it is a lasso, and the property
// is violated. This is the face that the command line uses; the algorithms lie beside it.
#pragma once

#include <optional>
#include <string_view>

#include "exec/reference.hpp"
#include "run/budget.hpp"
#include "run/outcome.hpp"

namespace tideline {

enum class LassoEngine {
  ndfs,  ///< nested depth-first search: one acceptance set, on locations
  scc,   ///< strongly connected components: any acceptance, every state expanded once
};

std::string_view to_string(LassoEngine engine);
std::optional<LassoEngine> lasso_engine_from(std::string_view name);

/// Whether the engine can search for what this automaton accepts.
bool can_handle(LassoEngine engine, const PropertyProcess& property);

struct LivenessOptions {
  LassoEngine engine = LassoEngine::scc;
  ErrorSemantics errors = ErrorSemantics::stop;
};

/// Checks a property that has an automaton. Throws Error(usage) when the engine cannot handle it.
Outcome check_liveness(const System& system, const Property& property, const LivenessOptions& options,
                       Budget& budget);

}  // namespace tideline
