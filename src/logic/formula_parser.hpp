// FormulaParser: what the grammars of LTL and CTL share (connectives, parentheses, atoms, messages).
//
// `Logic` derives from it and defines
//
//     Formula prefixed()             a formula without binary operators outside of parentheses
//     Op connective(LtlOp)           the operator of the logic for a binary one of the lexer
//     void check_binary(LtlToken)    fails where the logic does not take this binary operator there
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "logic/ltl_lexer.hpp"
#include "model/nesting.hpp"

namespace tideline {

template <class Logic, class Op, class Formula>
class FormulaParser {
 public:
  using Pool = FormulaPool<Op, Formula>;

  /// `max_depth`: functions that walk a formula later may recurse this deep.
  FormulaParser(Pool& pool, const SourceText& source, TemporalLogic logic, std::uint32_t max_depth)
      : pool_(pool), source_(source), tokens_(ltl_tokens(source, logic)), max_depth_(max_depth) {}

  Formula run() {
    if (token().kind == Kind::end) fail(token(), "the formula is empty");
    const Formula result = binary(0);
    if (token().kind == Kind::close) fail(token(), fmt::format("this {} closes nothing", name(token())));
    if (token().kind != Kind::end)
      fail(token(), fmt::format("expected an operator before {}", name(token())));
    return result;
  }

 protected:
  using Kind = LtlToken::Kind;

  const LtlToken& token() const { return tokens_[at_]; }
  /// The one after it, when it is not the last.
  const LtlToken& next() const { return tokens_[at_ + 1]; }
  const LtlToken& take() { return tokens_[at_++]; }

  [[noreturn]] void fail(const LtlToken& where, std::string message) const {
    throw Error(ErrorKind::input, {error_at(source_, where.where, std::move(message))});
  }

  static std::string name(const LtlToken& token) {
    if (token.kind == Kind::end) return "the end";
    const std::string shown = token.text.size() > 40 ? token.text.substr(0, 40) + "..." : token.text;
    return token.quoted ? fmt::format("\"{}\"", shown) : fmt::format("'{}'", shown);
  }

  Nesting nested() {
    return Nesting(nesting_, max_depth_, [&] { too_deep(token()); });
  }
  Formula checked(Formula f, const LtlToken& where) const {
    if (pool_.depth(f) > max_depth_) too_deep(where);
    return f;
  }

  /// A formula whose operators outside of parentheses bind at least as tightly as `loosest`.
  Formula binary(int loosest) {
    std::vector<Formula> operands{logic().prefixed()};  // of the same && or ||, joined at once
    LtlOp row = LtlOp::atom;
    const auto close_row = [&] {
      if (operands.size() > 1) operands = {pool_.many(logic().connective(row), operands)};
    };
    while (token().kind == Kind::operation) {
      const LtlToken& sign = token();
      const int level = ltl_binding(sign.op);
      if (level == ltl_unary_binding)
        fail(sign, fmt::format("expected an operator with two sides before {}", name(sign)));
      logic().check_binary(sign);
      if (level < loosest) break;
      if (sign.op != row) close_row();
      row = sign.op;
      take();
      const Nesting deeper = nested();
      const Formula right = binary(binds_right(level) ? level : level + 1);
      if (sign.op == LtlOp::and_ || sign.op == LtlOp::or_)
        operands.push_back(right);
      else
        operands = {checked(pool_.binary(logic().connective(sign.op), operands[0], right), sign)};
    }
    close_row();
    return checked(operands[0], token());
  }

  /// A constant, an atom, or a formula in parentheses.
  Formula primary() {
    const LtlToken& first = token();
    if (first.kind == Kind::constant) {
      take();
      return pool_.constant(first.op == LtlOp::true_);
    }
    if (first.kind == Kind::atom) {
      take();
      if (token().kind == Kind::open)
        fail(token(), fmt::format("expected an operator between {} and {}", name(first), name(token())));
      return pool_.atom(first.text, first.where, first.glued);
    }
    if (first.kind != Kind::open) missing_operand();
    take();
    const Formula inner = binary(0);
    close(first);
    return inner;
  }

  [[noreturn]] void missing_operand() const {
    if (at_ == 0) fail(token(), fmt::format("expected a formula before {}", name(token())));
    fail(token(), fmt::format("expected a formula after {}, not {}", name(tokens_[at_ - 1]), name(token())));
  }

  /// Takes the closing parenthesis.
  void close(const LtlToken& open) {
    const std::string_view wanted = open.text == "[" ? "]" : ")";
    if (token().kind == Kind::end) fail(open, fmt::format("this {} is not closed", name(open)));
    if (token().kind != Kind::close)
      fail(token(), fmt::format("expected an operator or '{}' before {}", wanted, name(token())));
    if (token().text != wanted)
      fail(token(), fmt::format("expected '{}', not {}: it closes {}", wanted, name(token()), name(open)));
    take();
  }

  Pool& pool_;

 private:
  Logic& logic() { return static_cast<Logic&>(*this); }

  static bool binds_right(int level) { return level == 0 || level == 4; }

  [[noreturn]] void too_deep(const LtlToken& where) const {
    fail(where, fmt::format("the formula is nested deeper than {}", max_depth_));
  }

  const SourceText& source_;
  std::vector<LtlToken> tokens_;
  std::uint32_t max_depth_;
  std::size_t at_ = 0;
  std::uint32_t nesting_ = 0;
};

}  // namespace tideline
