// Parser for progress measures.
//
//     measure = term { "," term }
//     term    = [ "monotone" ] ( expression | sum )
//     sum     = [ "-" ] part { ( "+" | "-" ) part }
//     part    = [ number "*" ] ( slot [ order ] | group order | ( "sccs" | "tree" ) group )
//     group   = "(" slot { "," slot } ")"
//     order   = "{" place { "<" place } "}"
//     place   = value { "=" value }
//     value   = number | location | "(" value { "," value } ")"
//
// An expression is one of the model's language. A slot is written as it is displayed: `P_0` is the location
// of process P_0, `P_0.seq` and `a[3]` are variables. The braces hold its values in order of progress,
// locations by their names; values that are equal in progress are joined by '=', and those not named come
// last. The values of a group are tuples: `(P, P.x) {(idle, 0) < (busy, 1) = (busy, 2)}`. `monotone` claims
// that no transition decreases the term while those before it stay equal; it is for the first terms only.
//
// `sccs(P, P.x)` and `tree(P, P.x)` stand for the two orders that the local graph of the slots has
// (local_order.hpp). They are read as these orders, so that a measure written down keeps its meaning whatever
// becomes of the analysis; that of the SCCs is claimed monotone where a claim can stand.
//
// A measure may be spread over several lines, and `#` begins a comment.
//
// This room does not depend on any language: the caller says how expressions are read.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "exec/reference.hpp"
#include "progress/measure.hpp"

namespace tideline {

/// Reads an expression whose first character lies at `start` of the source. Throws Error(input).
using ExpressionReader =
    std::function<Expr(std::string_view text, SourcePoint start, const SourceText& source)>;

/// Reads a measure from a part of `source` that begins at `start`. Throws Error(input) that points into it.
/// What counts as a transition of a local graph depends on what follows an error of the model.
Measure parse_measure(const System& system, const SourceText& source, std::string_view text,
                      SourcePoint start, const ExpressionReader& read_expression, ErrorSemantics errors);

/// The whole of a text is the measure: an argument of the command line, or a file.
Measure parse_measure(const System& system, const SourceText& source, const ExpressionReader& read_expression,
                      ErrorSemantics errors);

}  // namespace tideline
