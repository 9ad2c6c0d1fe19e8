// The size of the product of a system with a property automaton.
#pragma once

#include "exec/reference.hpp"
#include "run/budget.hpp"
#include "run/outcome.hpp"

namespace tideline {

/// Builds the whole product by BFS and counts `product_states` and `product_transitions`. Answers no
/// property.
Outcome explore_product(const System& system, const PropertyProcess& property, ErrorSemantics errors,
                        unsigned threads, Budget& budget);

}  // namespace tideline
