// CTL formulas as the command line gives them, bound to a model.
#pragma once

#include <string>
#include <vector>

#include "lang/lang.hpp"
#include "run/property.hpp"

namespace tideline::app {

/// A CTL property: its formula in canonical spelling, and in the form that engines evaluate. `origin` names
/// the formula in messages; `known` are atoms that need not be read. Throws Error(input) that points into it.
Property ctl_property(const System& system, std::string name, const std::string& formula,
                      const std::string& origin, DeadlockPaths paths,
                      const std::vector<Proposition>& known = {});

}  // namespace tideline::app
