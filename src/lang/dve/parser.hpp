// Parser: from the text of a DVE model to its tree.
//
// Recursive descent with one token of lookahead. After a syntax error the parser continues after the next ';'
// or '}' of the same level, or at the next process, so that one run shows several errors; what was skipped is
// missing from the tree, which is why a text with syntax errors is not compiled.
#pragma once

#include <string_view>

#include "lang/diagnostics.hpp"
#include "lang/dve/ast.hpp"

namespace tideline::dve {

/// Reads a whole model. Throws Error(input) when there are syntax errors. The tree refers to `text`, whose
/// first character is line 1, column 1 of the diagnostics' source. `strict`: extensions of DVE are errors.
File parse(std::string_view text, Diagnostics& diagnostics, bool strict = false);

struct ParsedExpression {
  Nodes nodes;
  NodeId root = no_node;
};

/// Reads one expression that must use up the text, whose first character lies at `start`.
/// Throws Error(input).
ParsedExpression parse_expression(std::string_view text, SourcePoint start, Diagnostics& diagnostics);

}  // namespace tideline::dve
