// The grammar of LTL, by precedence climbing. From the loosest to the tightest, as in Spot:
//     -> <->  (to the right)   ||   xor   &&   U R W M  (to the right)   ! X F G
#include <fmt/format.h>

#include "logic/ltl.hpp"
#include "logic/ltl_lexer.hpp"

namespace tideline {

namespace {

using Kind = LtlToken::Kind;

bool binds_right(int level) {
  return level == 0 || level == 4;
}

class Parser {
 public:
  Parser(LtlPool& pool, const SourceText& source)
      : pool_(pool), source_(source), tokens_(ltl_tokens(source)) {}

  Ltl run() {
    if (token().kind == Kind::end) fail(token(), "the formula is empty");
    const Ltl result = binary(0);
    if (token().kind == Kind::close) fail(token(), "this ')' closes nothing");
    if (token().kind != Kind::end)
      fail(token(), fmt::format("expected an operator before {}", name(token())));
    return result;
  }

 private:
  const LtlToken& token() const { return tokens_[at_]; }

  [[noreturn]] void fail(const LtlToken& where, std::string message) const {
    throw Error(ErrorKind::input, {error_at(source_, where.where, std::move(message))});
  }

  static std::string name(const LtlToken& token) {
    if (token.kind == Kind::end) return "the end";
    const std::string shown = token.text.size() > 40 ? token.text.substr(0, 40) + "..." : token.text;
    return token.quoted ? fmt::format("\"{}\"", shown) : fmt::format("'{}'", shown);
  }

  /// Keeps recursion here and in whatever walks the formula later within bounds.
  struct Nesting {
    explicit Nesting(Parser& owner) : parser(owner) {
      if (++parser.nesting_ > max_ltl_depth) parser.too_deep(parser.token());
    }
    ~Nesting() { --parser.nesting_; }
    Parser& parser;
  };

  [[noreturn]] void too_deep(const LtlToken& where) const {
    fail(where, fmt::format("the formula is nested deeper than {}", max_ltl_depth));
  }

  Ltl checked(Ltl f, const LtlToken& where) const {
    if (pool_.depth(f) > max_ltl_depth) too_deep(where);
    return f;
  }

  /// A formula whose operators outside of parentheses bind at least as tightly as `level`.
  Ltl binary(int loosest) {
    std::vector<Ltl> operands{prefixed()};  // of a row of the same && or ||, joined at once
    LtlOp row = LtlOp::atom;
    const auto close_row = [&] {
      if (operands.size() > 1) operands = {pool_.many(row, operands)};
    };
    while (token().kind == Kind::operation) {
      const LtlToken& sign = token();
      const int level = ltl_binding(sign.op);
      if (level == ltl_unary_binding)
        fail(sign, fmt::format("expected an operator with two sides before {}", name(sign)));
      if (level < loosest) break;
      if (sign.op != row) close_row();
      row = sign.op;
      ++at_;
      const Nesting nesting(*this);
      const Ltl right = binary(binds_right(level) ? level : level + 1);
      if (sign.op == LtlOp::and_ || sign.op == LtlOp::or_)
        operands.push_back(right);
      else
        operands = {checked(pool_.binary(sign.op, operands[0], right), sign)};
    }
    close_row();
    return checked(operands[0], token());
  }

  Ltl prefixed() {
    const LtlToken& first = token();
    const Nesting nesting(*this);
    switch (first.kind) {
      case Kind::operation:
        if (ltl_binding(first.op) != ltl_unary_binding) missing_operand();
        ++at_;
        return checked(pool_.unary(first.op, prefixed()), first);
      case Kind::constant:
        ++at_;
        return pool_.constant(first.op == LtlOp::true_);
      case Kind::atom:
        return atom();
      case Kind::open:
        return parenthesised();
      case Kind::close:
      case Kind::quantifier:  // LTL has none
      case Kind::end:
        break;
    }
    missing_operand();
  }

  [[noreturn]] void missing_operand() const {
    if (at_ == 0) fail(token(), fmt::format("expected a formula before {}", name(token())));
    fail(token(), fmt::format("expected a formula after {}, not {}", name(tokens_[at_ - 1]), name(token())));
  }

  Ltl atom() {
    const LtlToken& word = token();
    ++at_;
    if (token().kind == Kind::open)
      fail(token(), fmt::format("expected an operator between {} and '('", name(word)));
    return pool_.atom(word.text, word.where, word.glued);
  }

  Ltl parenthesised() {
    const LtlToken& open = token();
    ++at_;
    const Ltl inner = binary(0);
    if (token().kind == Kind::end) fail(open, "this '(' is not closed");
    if (token().kind != Kind::close)
      fail(token(), fmt::format("expected an operator or ')' before {}", name(token())));
    ++at_;
    return inner;
  }

  LtlPool& pool_;
  const SourceText& source_;
  std::vector<LtlToken> tokens_;
  std::size_t at_ = 0;
  std::uint32_t nesting_ = 0;
};

}  // namespace

Ltl parse_ltl(LtlPool& pool, const SourceText& source) {
  return Parser(pool, source).run();
}

}  // namespace tideline
