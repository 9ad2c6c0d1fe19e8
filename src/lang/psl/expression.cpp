// Parser for the expressions of the process language: tokens to nodes.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lang/psl/parser.hpp"

namespace tideline::psl {

namespace {

BinaryOperator binary_operator(TokenKind kind) {
  if (kind == TokenKind::slash) return {Op::div, OperatorLevel::product};
  if (kind == TokenKind::percent) return {Op::mod, OperatorLevel::product};
  return shared_operator(kind);
}

bool is_quantifier(std::string_view word) {
  return word == "all" || word == "any" || word == "count";
}

}  // namespace

NodeId ExpressionParser::binary(OperatorLevel loosest) {
  NodeId left = unary();
  for (;;) {
    const BinaryOperator found = binary_operator(tokens_.current().kind);
    if (found.level < loosest) return left;
    const Nesting level = tokens_.nested(max_depth, "expression");
    const Token symbol = tokens_.take();
    const NodeId right = binary(tighter_than(found.level));
    left = add({.kind = Node::Kind::binary, .op = found.op, .where = symbol.where, .args = {left, right}});
  }
}

NodeId ExpressionParser::unary() {
  const bool minus = tokens_.at(TokenKind::minus);
  if (!minus && !tokens_.at(TokenKind::kw_not) && !tokens_.at(TokenKind::exclamation)) return primary();
  const Nesting level = tokens_.nested(max_depth, "expression");
  const Token symbol = tokens_.take();
  const NodeId operand = unary();
  return add({.kind = Node::Kind::unary,
              .op = minus ? Op::negate : Op::logic_not,
              .where = symbol.where,
              .args = {operand}});
}

NodeId ExpressionParser::primary() {
  switch (tokens_.current().kind) {
    case TokenKind::number:
    case TokenKind::kw_true:
    case TokenKind::kw_false: {
      const Token token = tokens_.take();
      return number(token.kind == TokenKind::number ? token.value : token.kind == TokenKind::kw_true,
                    token.where);
    }
    case TokenKind::left_paren: {
      const Nesting level = tokens_.nested(max_depth, "expression");
      const Token open = tokens_.take();
      const NodeId inner = expression();
      tokens_.expect(TokenKind::right_paren,
                     fmt::format("to close '(' of line {}, column {}", open.where.line, open.where.column));
      return inner;
    }
    case TokenKind::identifier:
      return name();
    default:
      tokens_.fail_expected("an expression");
  }
}

NodeId ExpressionParser::name() {
  if (properties_ && is_quantifier(tokens_.current().text) && tokens_.next().kind == TokenKind::left_paren)
    return quantifier();
  const Token token = tokens_.take();
  std::vector<NodeId> args;
  if (tokens_.at(TokenKind::left_paren)) {
    if (!properties_)
      tokens_.fail(token.where, fmt::format("expected a value, found '{}('", abbreviate(token.text)));
    args = arguments(token.text);
    if (!tokens_.at(TokenKind::dot)) tokens_.fail_expected("'.' and a state of the component");
  }
  if (!tokens_.at(TokenKind::dot))
    return add({.kind = Node::Kind::name, .text = token.text, .where = token.where});
  if (!properties_)
    tokens_.fail(token.where, "a process cannot test the states of others; let it take part in an action");
  return member(token, std::move(args));
}

NodeId ExpressionParser::member(const Token& component, std::vector<NodeId> args) {
  tokens_.take();
  Token state = tokens_.at(TokenKind::kw_stop)
                    ? tokens_.take()
                    : tokens_.expect(TokenKind::identifier, "of a state after '.'");
  std::string_view text = state.text;
  if (tokens_.at(TokenKind::dot)) {
    tokens_.take();
    const Token number = tokens_.expect(TokenKind::number, "of a place inside the state after '.'");
    text = {text.data(), static_cast<std::size_t>(number.text.data() + number.text.size() - text.data())};
  }
  Node node{.kind = Node::Kind::member,
            .value = static_cast<std::int64_t>(args.size()),
            .text = component.text,
            .state = text,
            .where = component.where,
            .args = std::move(args)};
  if (tokens_.at(TokenKind::left_paren)) {
    const auto rest = arguments(state.text);
    node.args.insert(node.args.end(), rest.begin(), rest.end());
    if (rest.empty()) tokens_.fail(state.where, "a state without parameters is written without '()'");
  }
  return add(std::move(node));
}

NodeId ExpressionParser::quantifier() {
  const Nesting level = tokens_.nested(max_depth, "expression");
  const Token word = tokens_.take();
  tokens_.take();
  const Token variable =
      tokens_.expect(TokenKind::identifier, fmt::format("of a variable after '{}('", word.text));
  tokens_.expect(TokenKind::colon, fmt::format("after '{}'", abbreviate(variable.text)));
  const NodeId low = expression();
  tokens_.expect(TokenKind::dots, "between the first and the last value");
  const NodeId high = expression();
  tokens_.expect(TokenKind::comma, "after the values");
  const NodeId body = expression();
  tokens_.expect(TokenKind::right_paren, fmt::format("to close '{}('", word.text));
  return add({.kind = Node::Kind::quantifier,
              .text = word.text,
              .state = variable.text,
              .where = word.where,
              .args = {low, high, body}});
}

std::vector<NodeId> ExpressionParser::arguments(std::string_view of) {
  const Nesting level = tokens_.nested(max_depth, "expression");
  std::vector<NodeId> args;
  tokens_.take();
  if (tokens_.accept(TokenKind::right_paren)) return args;
  do args.push_back(expression());
  while (tokens_.accept(TokenKind::comma));
  tokens_.expect(TokenKind::right_paren, fmt::format("after the arguments of '{}'", abbreviate(of)));
  return args;
}

NodeId ExpressionParser::add(Node node) {
  std::uint32_t depth = 0;
  for (const NodeId arg : node.args) depth = std::max<std::uint32_t>(depth, nodes_[arg].depth);
  if (depth >= max_depth)
    tokens_.fail(node.where, fmt::format("expression is nested deeper than {}", max_depth));
  if (nodes_.size() >= max_nodes)
    throw Error(ErrorKind::input, {error_at(tokens_.diagnostics().source(), {},
                                            fmt::format("there are more than {} expressions", max_nodes))});
  node.depth = static_cast<std::uint16_t>(depth + 1);
  nodes_.push_back(std::move(node));
  return static_cast<NodeId>(nodes_.size() - 1);
}

}  // namespace tideline::psl
