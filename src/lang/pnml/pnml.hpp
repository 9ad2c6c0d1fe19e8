// The Petri net front-end: what the rest of the program uses of lang/pnml. See docs/petri-nets.md.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lang/diagnostics.hpp"
#include "lang/lang.hpp"
#include "lang/pnml/net.hpp"
#include "model/system.hpp"

namespace tideline::pnml {

/// Reads a place/transition net, or a coloured net and unfolds it. Throws Error(input). `warnings`: what
/// it does not understand and leaves out.
Net read_net(const SourceText& source, const LoadOptions& options,
             std::vector<Diagnostic>* warnings = nullptr);

/// The net as a system: a slot for each place, in order, and an action for each transition.
System to_system(const Net& net);
/// The same with known bounds for the tokens of each place.
System to_system(const Net& net, const std::vector<std::uint32_t>& bounds);

/// Reads an expression over the system of a net; its first character lies at `start` of the diagnostics'
/// source. Throws Error(input).
Expr read_expression(const System& system, std::string_view text, SourcePoint start,
                     Diagnostics& diagnostics);

}  // namespace tideline::pnml
