#include "lang/dve/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lang/dve/mistakes.hpp"

namespace tideline::dve {

namespace {

/// `and` and `or` bind alike, and so do the operators on bits.
BinaryOperator binary_operator(TokenKind kind) {
  switch (kind) {
    case TokenKind::kw_and:
    case TokenKind::logic_and:
      return {Op::logic_and, OperatorLevel::either};
    case TokenKind::bit_and:
      return {Op::bit_and, OperatorLevel::bits};
    case TokenKind::bit_or:
      return {Op::bit_or, OperatorLevel::bits};
    case TokenKind::bit_xor:
      return {Op::bit_xor, OperatorLevel::bits};
    case TokenKind::shift_left:
      return {Op::shift_left, OperatorLevel::shift};
    case TokenKind::shift_right:
      return {Op::shift_right, OperatorLevel::shift};
    case TokenKind::slash:
      return {Op::div, OperatorLevel::product};
    case TokenKind::percent:
      return {Op::mod, OperatorLevel::product};
    default:
      return shared_operator(kind);
  }
}

}  // namespace

NodeId ExpressionParser::expression() {
  return binary(loosest_level);
}

NodeId ExpressionParser::both(NodeId left, NodeId right, SourcePoint where) {
  return add({.kind = Node::Kind::binary, .op = Op::logic_and, .left = left, .right = right, .where = where});
}

// Precedence climbing. The right side of an operator takes only tighter ones, so a chain on one level becomes
// a tree to the left by the loop and not by recursion.
NodeId ExpressionParser::binary(OperatorLevel loosest) {
  NodeId left = unary();
  for (;;) {
    const BinaryOperator found = binary_operator(tokens_.current().kind);
    if (found.level < loosest) return left;
    const Nesting level = tokens_.nested(max_depth, "expression");
    const Token symbol = tokens_.take();
    const NodeId right = binary(tighter_than(found.level));
    left = add(
        {.kind = Node::Kind::binary, .op = found.op, .left = left, .right = right, .where = symbol.where});
  }
}

NodeId ExpressionParser::unary() {
  Op op = Op::constant;
  switch (tokens_.current().kind) {
    case TokenKind::minus:
      op = Op::negate;
      break;
    case TokenKind::tilde:
      op = Op::bit_not;
      break;
    case TokenKind::kw_not:
    case TokenKind::exclamation:
      op = Op::logic_not;
      break;
    default:
      return primary();
  }
  const Nesting level = tokens_.nested(max_depth, "expression");
  const Token symbol = tokens_.take();
  const NodeId operand = unary();
  return add({.kind = Node::Kind::unary, .op = op, .left = operand, .where = symbol.where});
}

NodeId ExpressionParser::primary() {
  switch (tokens_.current().kind) {
    case TokenKind::number:
    case TokenKind::kw_true:
    case TokenKind::kw_false: {
      const Token token = tokens_.take();
      const std::int64_t value =
          token.kind == TokenKind::number ? token.value : token.kind == TokenKind::kw_true;
      return add({.kind = Node::Kind::number, .value = value, .where = token.where});
    }
    case TokenKind::left_paren:
      return parenthesised();
    case TokenKind::identifier:
      return name();
    default:
      tokens_.fail_expected("an expression");
  }
}

NodeId ExpressionParser::parenthesised() {
  const Nesting level = tokens_.nested(max_depth, "expression");
  const Token open = tokens_.take();
  const NodeId inner = expression();
  refuse_foreign_operator(tokens_);
  tokens_.expect(TokenKind::right_paren,
                 fmt::format("to close '(' of line {}, column {}", open.where.line, open.where.column));
  return inner;
}

NodeId ExpressionParser::name() {
  Token token = tokens_.take();
  Node node{.kind = Node::Kind::name, .text = token.text, .where = token.where};
  const NodeId index = index_of(token);
  const bool has_member = tokens_.at(TokenKind::dot) || tokens_.at(TokenKind::arrow);
  if (index != no_node && has_member && strict_) refuse_extension(tokens_, "the index of a process");
  if (index != no_node && !has_member) {
    node.left = index;
    return add(node);
  }
  node.right = index;
  if (tokens_.at(TokenKind::dot) || tokens_.at(TokenKind::arrow)) {
    node.kind = tokens_.at(TokenKind::dot) ? Node::Kind::member : Node::Kind::foreign;
    const Token separator = tokens_.take();
    node.owner = token.text;
    // A generated member may be a number (the fields of a channel's buffer: c.0).
    token = node.kind == Node::Kind::member && tokens_.at(TokenKind::number)
                ? tokens_.take()
                : tokens_.expect(TokenKind::identifier, fmt::format("after '{}'", separator.text));
    node.text = token.text;
  }
  node.left = index_of(token);
  return add(node);
}

NodeId ExpressionParser::target(std::string_view context) {
  const Token token = tokens_.expect(TokenKind::identifier, context);
  if (tokens_.at(TokenKind::arrow))
    tokens_.fail(token.where, "a process can change only its own variables and global ones");
  const NodeId index = index_of(token);
  return add({.kind = Node::Kind::name, .left = index, .text = token.text, .where = token.where});
}

NodeId ExpressionParser::index_of(const Token& array) {
  if (!tokens_.at(TokenKind::left_bracket)) return no_node;
  const Nesting level = tokens_.nested(max_depth, "expression");
  tokens_.take();
  const NodeId index = expression();
  tokens_.expect(TokenKind::right_bracket, fmt::format("after the index of '{}'", abbreviate(array.text)));
  return index;
}

NodeId ExpressionParser::add(Node node) {
  std::uint32_t depth = 0;
  if (node.left != no_node) depth = nodes_[node.left].depth;
  if (node.right != no_node) depth = std::max<std::uint32_t>(depth, nodes_[node.right].depth);
  if (depth >= max_depth)
    tokens_.fail(node.where, fmt::format("expression is nested deeper than {}", max_depth));
  if (nodes_.size() >= max_nodes)
    throw Error(ErrorKind::input,
                {error_at(tokens_.diagnostics().source(), {},
                          fmt::format("the model has more than {} expressions", max_nodes))});
  node.depth = static_cast<std::uint16_t>(depth + 1);
  nodes_.push_back(node);
  return static_cast<NodeId>(nodes_.size() - 1);
}

}  // namespace tideline::dve
