// The size of the product of a system with a property automaton.
#pragma once

#include "exec/reference.hpp"
#include "progress/measured_product.hpp"
#include "run/budget.hpp"
#include "run/outcome.hpp"
#include "search/sweep/sweep_settings.hpp"

namespace tideline {

/// Builds the whole product by BFS and counts `product_states` and `product_transitions`.
/// Answers no property.
Outcome explore_product(const System& system, const PropertyProcess& property, ErrorSemantics errors,
                        unsigned threads, Budget& budget);

/// The same by the sweep-line, with or without columns; the first number is known only when there is one sweep.
Outcome sweep_product(const System& system, const PropertyProcess& property, ErrorSemantics errors,
                      unsigned threads, const SweepSettings& settings, AutomatonOrder order, bool columns,
                      Budget& budget);

}  // namespace tideline
