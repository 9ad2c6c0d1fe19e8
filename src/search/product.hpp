// The size of the product of a system with the property process that came with its model.
#pragma once

#include "exec/reference.hpp"
#include "run/budget.hpp"
#include "run/outcome.hpp"

namespace tideline {

/// Builds the whole product by BFS and counts `product_states` and `product_transitions`. Answers no
/// property. Throws Error(usage) when the model has no property process.
Outcome explore_product(const System& system, ErrorSemantics errors, Budget& budget);

}  // namespace tideline
