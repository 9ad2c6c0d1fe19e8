// The grammar of CTL. Connectives bind as in LTL; a path quantifier takes one temporal operator:
//
//     prefixed  ::=  ! prefixed  |  quantifier (X|F|G) prefixed  |  quantifier '(' path ')'  |  ...
//     path      ::=  (X|F|G) prefixed  |  prefixed (U|R|W|M) prefixed
//
// The sides of U, R, W and M are prefixed: A(p && q U r) would mean one thing to a reader who knows LTL,
// where U binds tighter, and another to one who knows tools where it does not, so parentheses are asked for.
#include <fmt/format.h>

#include "logic/ctl.hpp"
#include "logic/ltl.hpp"
#include "logic/ltl_lexer.hpp"

namespace tideline {

namespace {

using Kind = LtlToken::Kind;

bool is_until(LtlOp op) {
  return op == LtlOp::until || op == LtlOp::release || op == LtlOp::weak_until || op == LtlOp::strong_release;
}
bool is_path_prefix(LtlOp op) {
  return op == LtlOp::next || op == LtlOp::eventually || op == LtlOp::always;
}

CtlOp existential(LtlOp op) {
  switch (op) {
    case LtlOp::next:
      return CtlOp::ex;
    case LtlOp::eventually:
      return CtlOp::ef;
    case LtlOp::always:
      return CtlOp::eg;
    case LtlOp::until:
      return CtlOp::eu;
    case LtlOp::release:
      return CtlOp::er;
    case LtlOp::weak_until:
      return CtlOp::ew;
    default:
      return CtlOp::em;
  }
}

CtlOp connective(LtlOp op) {
  switch (op) {
    case LtlOp::and_:
      return CtlOp::and_;
    case LtlOp::or_:
      return CtlOp::or_;
    case LtlOp::implies:
      return CtlOp::implies;
    case LtlOp::equivalent:
      return CtlOp::equivalent;
    default:
      return CtlOp::exclusive_or;
  }
}

class Parser {
 public:
  Parser(CtlPool& pool, const SourceText& source)
      : pool_(pool), source_(source), tokens_(ltl_tokens(source, TemporalLogic::ctl)) {}

  Ctl run() {
    if (token().kind == Kind::end) fail(token(), "the formula is empty");
    const Ctl result = binary(0);
    if (token().kind == Kind::close) fail(token(), fmt::format("this {} closes nothing", name(token())));
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
      if (++parser.nesting_ > max_ctl_depth) parser.too_deep(parser.token());
    }
    ~Nesting() { --parser.nesting_; }
    Parser& parser;
  };

  [[noreturn]] void too_deep(const LtlToken& where) const {
    fail(where, fmt::format("the formula is nested deeper than {}", max_ctl_depth));
  }

  Ctl checked(Ctl f, const LtlToken& where) const {
    if (pool_.depth(f) > max_ctl_depth) too_deep(where);
    return f;
  }

  /// A formula whose connectives outside of parentheses bind at least as tightly as `loosest`.
  Ctl binary(int loosest) {
    std::vector<Ctl> operands{prefixed()};  // of a row of the same && or ||, joined at once
    LtlOp row = LtlOp::atom;
    const auto close_row = [&] {
      if (operands.size() > 1) operands = {pool_.many(connective(row), operands)};
    };
    while (token().kind == Kind::operation) {
      const LtlToken& sign = token();
      const int level = ltl_binding(sign.op);
      if (level == ltl_unary_binding)
        fail(sign, fmt::format("expected an operator with two sides before {}", name(sign)));
      if (is_until(sign.op))
        fail(sign, fmt::format("a formula with {0} needs a path quantifier: A(p {1} q) or E(p {1} q)",
                               name(sign), sign.text));
      if (level < loosest) break;
      if (sign.op != row) close_row();
      row = sign.op;
      ++at_;
      const Nesting nesting(*this);
      const Ctl right = binary(level == 0 ? level : level + 1);
      if (sign.op == LtlOp::and_ || sign.op == LtlOp::or_)
        operands.push_back(right);
      else
        operands = {checked(pool_.binary(connective(sign.op), operands[0], right), sign)};
    }
    close_row();
    return checked(operands[0], token());
  }

  Ctl prefixed() {
    const LtlToken& first = token();
    const Nesting nesting(*this);
    switch (first.kind) {
      case Kind::operation:
        if (is_path_prefix(first.op))
          fail(first, fmt::format("{0} needs a path quantifier: A{1} or E{1}", name(first),
                                  first.op == LtlOp::next         ? "X"
                                  : first.op == LtlOp::eventually ? "F"
                                                                  : "G"));
        if (first.op != LtlOp::not_) missing_operand();
        ++at_;
        return checked(pool_.unary(CtlOp::not_, prefixed()), first);
      case Kind::quantifier:
        ++at_;
        return checked(quantified(first), first);
      case Kind::constant:
        ++at_;
        return pool_.constant(first.op == LtlOp::true_);
      case Kind::atom:
        return atom();
      case Kind::open: {
        ++at_;
        const Ctl inner = binary(0);
        close(first);
        return inner;
      }
      case Kind::close:
      case Kind::end:
        break;
    }
    missing_operand();
  }

  [[noreturn]] void missing_operand() const {
    if (at_ == 0) fail(token(), fmt::format("expected a formula before {}", name(token())));
    fail(token(), fmt::format("expected a formula after {}, not {}", name(tokens_[at_ - 1]), name(token())));
  }

  Ctl atom() {
    const LtlToken& word = token();
    ++at_;
    if (token().kind == Kind::open)
      fail(token(), fmt::format("expected an operator between {} and {}", name(word), name(token())));
    return pool_.atom(word.text, word.where);
  }

  /// What follows the quantifier, which is taken.
  Ctl quantified(const LtlToken& quantifier) {
    const auto with_quantifier = [&](LtlOp op) {
      return quantifier.text == "A" ? other_quantifier(existential(op)) : existential(op);
    };
    if (token().kind == Kind::operation && is_path_prefix(token().op)) {
      const CtlOp op = with_quantifier(token().op);
      ++at_;
      return pool_.unary(op, prefixed());
    }
    const LtlToken& open = token();  // the lexer sees to it that this is a parenthesis
    ++at_;
    if (token().kind == Kind::operation && is_path_prefix(token().op)) {
      const CtlOp op = with_quantifier(token().op);
      ++at_;
      const Ctl operand = prefixed();
      close(open, &quantifier);
      return pool_.unary(op, operand);
    }
    const Ctl left = prefixed();
    if (token().kind != Kind::operation || !is_until(token().op)) no_until(quantifier);
    const CtlOp op = with_quantifier(token().op);
    ++at_;
    const Ctl right = prefixed();
    close(open, &quantifier);
    return pool_.binary(op, left, right);
  }

  [[noreturn]] void no_until(const LtlToken& quantifier) const {
    if (token().kind == Kind::operation)
      fail(token(), fmt::format("the left side of U, R, W or M needs parentheses: {}((p {} q) U r)",
                                quantifier.text, token().text));
    fail(token(), fmt::format("expected U, R, W or M before {}: {} takes a path, as in {}(p U q)",
                              name(token()), name(quantifier), quantifier.text));
  }

  /// Takes what closes the parenthesis. `quantifier`: the path in it ends here.
  void close(const LtlToken& open, const LtlToken* quantifier = nullptr) {
    const std::string_view wanted = open.text == "[" ? "]" : ")";
    if (token().kind == Kind::end) fail(open, fmt::format("this {} is not closed", name(open)));
    if (quantifier && token().kind == Kind::operation)
      fail(token(),
           is_until(token().op)
               ? fmt::format("{} takes one temporal operator", name(*quantifier))
               : fmt::format("the right side of a temporal operator needs parentheses: {}(p U (q {} r))",
                             quantifier->text, token().text));
    if (token().kind != Kind::close)
      fail(token(), fmt::format("expected an operator or '{}' before {}", wanted, name(token())));
    if (token().text != wanted)
      fail(token(), fmt::format("expected '{}', not {}: it closes {}", wanted, name(token()), name(open)));
    ++at_;
  }

  CtlPool& pool_;
  const SourceText& source_;
  std::vector<LtlToken> tokens_;
  std::size_t at_ = 0;
  std::uint32_t nesting_ = 0;
};

}  // namespace

Ctl parse_ctl(CtlPool& pool, const SourceText& source) {
  return Parser(pool, source).run();
}

}  // namespace tideline
