// LTL by decision diagrams: does the product with a property automaton have an accepting cycle?
//
// There are two ways: the hybrid search looks for cycles while the product is being built (hybrid.hpp); the
// exact one builds all of it first (fair_cycles.hpp) and serves for comparison.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "run/budget.hpp"
#include "run/outcome.hpp"
#include "symbolic/ltl/hybrid.hpp"
#include "symbolic/space/order.hpp"

namespace tideline::symbolic {

struct LtlOptions {
  OrderName order = OrderName::best;
  bool grouping = true;
  std::optional<ChosenOrder> chosen = {};  ///< this order, whatever the other options are
  bool traces = true;
  bool exact = false;  ///< build the whole product before looking for cycles
  HybridOptions hybrid = {};
  bool collect_always = false;  ///< for tests: a garbage collection whenever a node is made
  unsigned threads = 1;         ///< for trials of orders, and for several properties
};

/// An order for products with the system, whatever `chosen` is. Many searches end before they have seen all
/// states, so that trials of orders are short.
ChosenOrder choose_ltl_order(const System& system, const LtlOptions& options, Budget& budget);

/// Why diagrams cannot check the property; empty: they can. They can with at most one acceptance set, on
/// locations, and without fairness.
std::string why_ltl_unfit(const Property& property);

/// Checks a property that has an automaton.
Outcome check_symbolic_ltl(const System& system, const Property& property, const LtlOptions& options,
                           Budget& budget);

/// Checks several, each on diagrams of its own, side by side where there are threads. The order of variables
/// is chosen once for all.
std::vector<Outcome> check_symbolic_ltl(const System& system, std::span<const Property> properties,
                                        const LtlOptions& options, Budget& budget);

}  // namespace tideline::symbolic
