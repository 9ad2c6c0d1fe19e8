// Parser: from the text of a process model to its tree. docs/processes.md has the grammar.
//
// Recursive descent. After a syntax error the parser continues after the next ';' or at the next definition,
// so that one run shows several errors; a text with syntax errors is not checked further.
#pragma once

#include <string_view>

#include "lang/operators.hpp"
#include "lang/psl/ast.hpp"
#include "lang/psl/tokens.hpp"

namespace tideline::psl {

/// Reads a whole model. Throws Error(input) when there are syntax errors. The tree refers to `text`, whose
/// first character is line 1, column 1 of the diagnostics' source.
File parse(std::string_view text, Diagnostics& diagnostics);

/// Expressions; from loosest to tightest:  imply | or | and | == != | < <= > >= | + - | * / % | - not
class ExpressionParser {
 public:
  /// `properties`: states of components may be tested.
  ExpressionParser(TokenStream& tokens, Nodes& nodes, bool properties)
      : tokens_(tokens), nodes_(nodes), properties_(properties) {}

  /// Reads the longest expression at the current token. Throws SyntaxError.
  NodeId expression() { return binary(loosest_level); }
  NodeId number(std::int64_t value, SourcePoint where) { return add({.value = value, .where = where}); }

 private:
  NodeId binary(OperatorLevel loosest);
  NodeId unary();
  NodeId primary();
  NodeId name();
  NodeId member(const Token& component, std::vector<NodeId> args);
  NodeId quantifier();
  std::vector<NodeId> arguments(std::string_view of);
  NodeId add(Node node);

  TokenStream& tokens_;
  Nodes& nodes_;
  bool properties_;
};

}  // namespace tideline::psl
