// Which properties a check is about: those that the options name, else what comes with the model.
#pragma once

#include <string>
#include <vector>

#include "check_options.hpp"
#include "lang/lang.hpp"
#include "run/property.hpp"

namespace tideline::app {

/// What the command line asks for by kind, not bound to a model yet.
std::vector<Property> asked_properties(const CheckOptions& options);

/// Formulas of infinite runs and of CTL are only text yet, see bind/bind.hpp. Throws Error.
std::vector<Property> select_properties(const CheckOptions& options, const Model& model);

}  // namespace tideline::app
