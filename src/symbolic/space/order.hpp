// Variable orders: which slots share a level, and which levels lie next to each other.
//
// The size of a diagram depends on the order more than on anything else. Levels that an action couples should
// be near each other, and low: events that reach high up are fired on large nodes. What is known beforehand
// is the hypergraph of actions over the slots they touch, and a cost that is cheap to compute on it:
//
//     cost = sum over events of (top - bottom + 1) * top
//
// Candidates are the order of declaration, an order that follows the graph from one end to the other (after
// Sloan, 1989), both improved by FORCE (Aloul, Markov, Sakallah, 2003: again and again each variable moves to
// the centre of gravity of its actions), and each of these upside down. The cost is not always a good guide:
// where there are several candidates, order_trials.hpp tries them.
//
// Groups are lists of slots that share a level. find_groups() looks for slots of which at most one is not 0:
// a sum of slots that no action changes and that is 1 at the beginning (an invariant of a Petri net, found by
// looking at the effects `p := p + c`). Whether groups are right does not matter for the answer: a level
// takes whatever local states occur.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/system.hpp"
#include "symbolic/space/levels.hpp"

namespace tideline::symbolic {

enum class OrderName { best, declared, force, sloan };

std::string_view to_string(OrderName name);
std::optional<OrderName> order_from(std::string_view text);

/// Lists of slots that are to share a level; a slot is in one at most.
using Groups = std::vector<std::vector<SlotId>>;

Groups find_groups(const System& system);

struct ChosenOrder {
  VariableOrder order;
  std::string name;  ///< of the candidate, for display: "sloan, force"
  double cost = 0;
};

/// All orders that the name stands for, the cheapest first.
std::vector<ChosenOrder> candidate_orders(const System& system, const Groups& groups, OrderName name);

}  // namespace tideline::symbolic
