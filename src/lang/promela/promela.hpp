// The Promela front-end: what the rest of the program uses of lang/promela. docs/promela.md defines what is read
// and where it differs from SPIN.
#pragma once

#include <string_view>
#include <vector>

#include "lang/diagnostics.hpp"
#include "lang/lang.hpp"
#include "lang/properties.hpp"
#include "model/system.hpp"

namespace tideline::promela {

struct Reading {
  System system;
  SourceText source;                         ///< with included files in it
  std::vector<Property> properties;          ///< of ltl blocks and accept labels
  std::vector<PropertyLine> property_lines;  ///< of `//@` comments, not looked at yet
};

/// Reads a model. Throws Error(input).
Reading read_model(const SourceText& source, const LoadOptions& options);

/// Reads an expression over a system that came from Promela; its first character lies at `start` of the
/// diagnostics' source. Throws Error(input).
Expr read_expression(const System& system, std::string_view text, SourcePoint start,
                     Diagnostics& diagnostics);

}  // namespace tideline::promela
