// Bounds on the tokens of each place, from the structure of a net alone.
//
// A sub-invariant is a weight y(p) >= 0 for each place such that no transition increases the weighted sum of
// tokens. The sum is then never more than it is in the initial marking m, so that a place has at most y.m /
// y(p) tokens. Sub-invariants are found by Fourier and Motzkin's elimination of transitions (for equations
// instead of inequalities: Farkas), which may take exponential time and memory; where it would, rows are
// dropped, and some places remain without a bound. Every row that is left is valid by itself.
#pragma once

#include <cstdint>
#include <vector>

#include "lang/pnml/net.hpp"

namespace tideline::pnml {

struct SubInvariant {
  std::vector<Arc> weights;  ///< sorted by place
};

inline constexpr std::uint64_t most_work = 50'000'000;

/// Some sub-invariants of the net; `work` bounds the steps that are spent on them.
std::vector<SubInvariant> sub_invariants(const Net& net, std::uint64_t work = most_work);

/// For each place the most tokens it can have; most_tokens where nothing better is known. Includes the claim
/// of the file that the net is safe, as far as the initial marking does not contradict it.
std::vector<std::uint32_t> token_bounds(const Net& net);

/// Whether structure shows that no place ever has more than one token, whatever the file claims.
bool is_proven_safe(const Net& net);

}  // namespace tideline::pnml
