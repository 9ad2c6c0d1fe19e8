// The process language: what the rest of the program uses of lang/psl. docs/processes.md
// defines the language.
#pragma once

#include <string_view>
#include <vector>

#include "lang/diagnostics.hpp"
#include "lang/lang.hpp"
#include "lang/properties.hpp"
#include "model/system.hpp"

namespace tideline::psl {

struct Reading {
  System system;
  std::vector<PropertyLine> property_lines;  ///< of `//@` comments, not looked at yet
};

/// Reads a model. Throws Error(input).
Reading read_model(const SourceText& source, const LoadOptions& options);

/// Reads an expression over a system of LTSs; its first character lies at `start` of the diagnostics' source.
/// Throws Error(input).
Expr read_expression(const System& system, std::string_view text, SourcePoint start,
                     Diagnostics& diagnostics);

}  // namespace tideline::psl
