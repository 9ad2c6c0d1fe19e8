// Composition: from the system of a checked model to a network of components and synchronisation vectors.
#pragma once

#include "lang/lang.hpp"
#include "lang/lts/network.hpp"
#include "lang/psl/component.hpp"

namespace tideline::psl {

/// Throws Error(input). Labels and actions that look like mistakes get warnings.
lts::Network compose(const File& file, const LoadOptions& options, Diagnostics& diagnostics);

}  // namespace tideline::psl
