// What a proof of a CTL formula says about each state (model/ctl_claims.hpp), from its labels.
//
//   E(f U g)   the length of a shortest way to g along which f is true: some successor has a smaller rank
//   EG f       where it is false, the length of a longest way along which f is true: all successors have smaller ranks
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "run/budget.hpp"
#include "search/ctl/labels.hpp"

namespace tideline {

/// By state, of a subformula that is claimed. The labels are certain. Nothing: the budget ended. Throws std::bad_alloc.
std::optional<std::vector<std::uint32_t>> claim_ranks(StoredGraph& graph, const CtlLabels& labels,
                                                      CtlFormula::NodeId node, Budget& budget);

/// A successor that makes the subformula true in the state, as one that leads there soonest: how many different
/// successors have smaller bytes. 0 where there is none, or none is needed. `ranks`: of the subformula.
std::uint32_t witness(const StoredGraph& graph, const CtlLabels& labels, CtlFormula::NodeId node,
                      const std::vector<std::uint32_t>& ranks, StateId state, std::size_t state_bytes);

}  // namespace tideline
