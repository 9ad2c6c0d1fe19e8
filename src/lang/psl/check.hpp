// Checker: resolves every name of a model, and evaluates expressions.
//
// A variable is a place in an environment: the parameters of the process (or network) first, then those of
// the state, then what the indices of labels remember, in the order in which they are written. The
// environment of a choice is known before anything runs, so evaluating needs no names.
#pragma once

#include <string>
#include <vector>

#include "lang/diagnostics.hpp"
#include "lang/psl/ast.hpp"

namespace tideline::psl {

using Environment = std::vector<std::int64_t>;

/// An expression has no value.
struct NoValue {
  SourcePoint where;
  std::string message;
};

/// Throws NoValue.
std::int64_t evaluate(const Nodes& nodes, NodeId node, const Environment& environment);

/// The values low..high, none when low > high; refused when there are too many.
struct Bounds {
  std::int64_t low = 0;
  std::int64_t high = -1;
  bool contains(std::int64_t value) const { return low <= value && value <= high; }
};
/// Throws NoValue.
Bounds evaluate(const Nodes& nodes, const Interval& interval, const Environment& environment);

/// Resolves all names of the file; constants get their values. Throws Error(input) when something is wrong.
void check(File& file, Diagnostics& diagnostics);

}  // namespace tideline::psl
