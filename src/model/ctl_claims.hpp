// What a proof of a CTL formula says about a state: the value of some subformulas there, from which all others follow, as
// one number each (docs/certificates.md).
//
//   E(f U g)   true: a rank, the number of steps to g at most; false: no_rank
//   EG f       false: a rank, the number of steps for which f can be true at most; true: no_rank
//   others     true: 0; false: no_rank
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/ctl_formula.hpp"

namespace tideline {

inline constexpr std::uint32_t no_rank = ~std::uint32_t{0};
/// Formulas with more have no proof.
inline constexpr std::size_t most_claimed_nodes = 64;

/// Ascending: the temporal subformulas, the operands of EX, and the formula itself.
std::vector<CtlFormula::NodeId> claimed_nodes(const CtlFormula& formula);

}  // namespace tideline
