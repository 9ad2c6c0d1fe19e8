// From the system of a checked model to a network: its components, and who moves together with whom.
#pragma once

#include "lang/lang.hpp"
#include "lang/lts/network.hpp"
#include "lang/psl/component.hpp"

namespace tideline::psl {

/// Throws Error(input). Remarks on labels and actions that look like mistakes are warnings.
lts::Network compose(const File& file, const LoadOptions& options, Diagnostics& diagnostics);

}  // namespace tideline::psl
