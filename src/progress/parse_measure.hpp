// Parser for progress measures.
//
//     measure = term { "," term }
//     term    = [ "monotone" ] ( expression | slot [ "{" group { "<" group } "}" ] )
//     group   = value { "=" value }
//
// An expression is one of the model's language. A slot is written as it is displayed: `P_0` is the location
// of process P_0, `P_0.seq` and `a[3]` are variables. The braces hold its values in order of progress,
// locations by their names; values that are equal in progress are joined by '=', and those not named come
// last. `monotone` claims that no transition decreases the term while those before it stay equal; it is for
// the first terms only.
//
// A measure may be spread over several lines, and `#` begins a comment.
//
// This room does not depend on any language: the caller says how expressions are read.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "progress/measure.hpp"

namespace tideline {

/// Reads an expression whose first character lies at `start` of the source. Throws Error(input).
using ExpressionReader =
    std::function<Expr(std::string_view text, SourcePoint start, const SourceText& source)>;

/// Reads a measure from a part of `source` that begins at `start`. Throws Error(input) that points into it.
Measure parse_measure(const System& system, const SourceText& source, std::string_view text,
                      SourcePoint start, const ExpressionReader& read_expression);

/// The whole of a text is the measure: an argument of the command line, or a file.
Measure parse_measure(const System& system, const SourceText& source,
                      const ExpressionReader& read_expression);

}  // namespace tideline
