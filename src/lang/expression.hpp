// Expressions over a system in the syntax of its language, as properties use them.
#pragma once

#include <string>
#include <string_view>

#include "lang/diagnostics.hpp"
#include "model/system.hpp"

namespace tideline {

/// Reads an expression whose first character lies at `start` of the diagnostics' source. Throws Error(input).
Expr read_expression(const System& system, std::string_view text, SourcePoint start,
                     Diagnostics& diagnostics);

/// Why a proposition cannot have this name; empty when it can.
std::string why_no_proposition(const System& system, const std::string& name);

}  // namespace tideline
