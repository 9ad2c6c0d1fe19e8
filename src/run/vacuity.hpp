// Atoms of CTL formulas that are the same everywhere, which is usually a mistake in the formula.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "run/outcome.hpp"

namespace tideline {

/// A warning for each atom that has one value in every reachable state, unless the verdict says so itself.
/// `constant`: for each atom, its value if that is the same everywhere.
inline void warn_of_constant_atoms(const PropertyResult& result,
                                   const std::vector<std::optional<bool>>& constant,
                                   std::vector<std::string>& warnings) {
  if (!result.property.parts.empty()) return;  // where atoms may lack a value they stand for something else
  const CtlFormula& formula = *result.property.ctl;
  std::vector<std::optional<bool>> forced(constant.size());
  if (result.verdict != Verdict::unknown) forced = forced_truths(formula, result.verdict == Verdict::holds);
  for (std::size_t i = 0; i < constant.size(); ++i)
    if (constant[i] && constant[i] != forced[i])
      warnings.push_back("atom `" + formula.atom_names[i] + "` of property " + result.property.name + " is " +
                         (*constant[i] ? "true" : "false") + " in every reachable state");
}

}  // namespace tideline
