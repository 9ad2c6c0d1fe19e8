// Formulas over states: the states of a set in which an expression is true.
//
// Boolean connectives become operations on sets; what they join are atoms. A part of an expression that has
// no value counts as 0, so connectives can be taken apart without regard to failures. An atom is evaluated on
// the way down the diagram, which carries what is known so far about the slots it reads:
//   - for a comparison of sums of slots (tokens of some places against others), the difference of the two
//     sums, of which there are few
//   - for anything else the local states that were met, and the atom is evaluated by the interpreter's
//     bytecode when all are known
// Results are remembered by node and by what is known, so that each combination is looked at once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "exec/predicate.hpp"
#include "model/system.hpp"
#include "symbolic/diagrams/sets.hpp"
#include "symbolic/space/levels.hpp"

namespace tideline::symbolic {

/// constant + sum of coefficient * slot
struct Sum {
  std::int64_t constant = 0;
  std::map<SlotId, std::int64_t> coefficients = {};
};

/// The difference of both sides of a comparison of sums: the comparison is that of the difference with 0.
std::optional<Sum> difference_of(const Expr& atom);

class Formulas {
 public:
  Formulas(const System& system, const Levels& levels, Sets& sets)
      : system_(system), levels_(levels), sets_(sets), forest_(sets.forest()) {}

  /// The states of a set of the top level in which the expression is true.
  NodeId satisfying(NodeId set, const Expr& expr);

 private:
  const System& system_;
  const Levels& levels_;
  Sets& sets_;
  Forest& forest_;
};

}  // namespace tideline::symbolic
