// Parser for the expressions of DVE: tokens to nodes.
//
// Binary operators associate to the left, all of them; from loosest to tightest:
//
//     imply  |  and or && ||  |  & | ^  |  == !=  |  < <= > >=  |  << >>  |  + -  |  * / %
//
// and unary - ~ not ! bind tighter than any of them. That `and` and `or` share a level, and that & | ^ bind
// tighter than comparisons, is unlike C and is what the recorded state counts of BEEM depend on.
#pragma once

#include "lang/dve/ast.hpp"
#include "lang/dve/tokens.hpp"
#include "lang/operators.hpp"

namespace tideline::dve {

/// More nodes than this in one text are refused, so that no input exhausts memory.
inline constexpr std::size_t max_nodes = std::size_t{1} << 24;

class ExpressionParser {
 public:
  /// `strict`: members of templates, P[i].x, are errors.
  ExpressionParser(TokenStream& tokens, Nodes& nodes, bool strict = false)
      : tokens_(tokens), nodes_(nodes), strict_(strict) {}

  /// Reads the longest expression at the current token. Throws SyntaxError.
  NodeId expression();
  /// Reads the left side of an assignment, or what receives a message: x or a[e].
  NodeId target(std::string_view context);
  /// The conjunction of two expressions that have been read.
  NodeId both(NodeId left, NodeId right, SourcePoint where);

 private:
  NodeId binary(OperatorLevel loosest);
  NodeId unary();
  NodeId primary();
  NodeId name();
  NodeId parenthesised();
  NodeId index_of(const Token& array);
  NodeId add(Node node);

  TokenStream& tokens_;
  Nodes& nodes_;
  bool strict_;
};

}  // namespace tideline::dve
