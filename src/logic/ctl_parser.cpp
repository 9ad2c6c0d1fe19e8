// The grammar of CTL. Connectives bind as in LTL; a path quantifier takes one temporal operator:
//
//     prefixed  ::=  ! prefixed  |  quantifier (X|F|G) prefixed  |  quantifier '(' path ')'  |  ...
//     path      ::=  (X|F|G) prefixed  |  prefixed (U|R|W|M) prefixed
//
// The sides of U, R, W and M are prefixed: A(p && q U r) would mean one thing to a reader who knows LTL,
// where U binds tighter, and another to one who knows tools where it does not, so parentheses are required.
#include "logic/ctl.hpp"
#include "logic/formula_parser.hpp"

namespace tideline {

namespace {

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

class Parser : public FormulaParser<Parser, CtlOp, Ctl> {
 public:
  Parser(CtlPool& pool, const SourceText& source)
      : FormulaParser(pool, source, TemporalLogic::ctl, max_ctl_depth) {}

  static CtlOp connective(LtlOp op) {
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

  void check_binary(const LtlToken& sign) const {
    if (is_until(sign.op))
      fail(sign, fmt::format("a formula with {0} needs a path quantifier: A(p {1} q) or E(p {1} q)",
                             name(sign), sign.text));
  }

  Ctl prefixed() {
    const Nesting deeper = nested();
    const LtlToken& first = token();
    if (first.kind == Kind::quantifier) {
      take();
      return checked(quantified(first), first);
    }
    if (first.kind == Kind::atom) refuse_ltl(first);
    if (first.kind != Kind::operation) return primary();
    if (is_path_prefix(first.op))
      fail(first, fmt::format("{0} needs a path quantifier: A{1} or E{1}", name(first),
                              first.op == LtlOp::next         ? "X"
                              : first.op == LtlOp::eventually ? "F"
                                                              : "G"));
    if (first.op != LtlOp::not_) missing_operand();
    take();
    return checked(pool_.unary(CtlOp::not_, prefixed()), first);
  }

 private:
  /// Refuses a word of F, G and X before a formula: in LTL these are operators.
  void refuse_ltl(const LtlToken& word) const {
    const bool operators = !word.quoted && word.text.find_first_not_of("FGX") == std::string::npos;
    if (!operators || !begins_formula(next())) return;
    constexpr std::size_t shown = 8;
    std::string quantified;
    for (const char op : word.text.substr(0, shown)) quantified += fmt::format(" A{}", op);
    fail(word,
         fmt::format("{} is LTL, but this is a CTL formula: each operator needs a path quantifier, as in{} "
                     "(an atom of that name needs quotes)",
                     name(word), quantified));
  }
  static bool begins_formula(const LtlToken& token) {
    return token.kind == Kind::open || token.kind == Kind::atom || token.kind == Kind::constant ||
           token.kind == Kind::quantifier ||
           (token.kind == Kind::operation && (token.op == LtlOp::not_ || is_path_prefix(token.op)));
  }

  /// Reads what follows the quantifier, which has been taken.
  Ctl quantified(const LtlToken& quantifier) {
    const auto take_operator = [&] {
      const CtlOp op = existential(take().op);
      return quantifier.text == "A" ? other_quantifier(op) : op;
    };
    if (at_path_prefix()) {
      const CtlOp op = take_operator();
      return pool_.unary(op, prefixed());
    }
    const LtlToken& open = take();  // the lexer ensures that this is a parenthesis
    if (at_path_prefix()) {
      const CtlOp op = take_operator();
      const Ctl operand = prefixed();
      close_path(open, quantifier);
      return pool_.unary(op, operand);
    }
    const Ctl left = prefixed();
    if (!at_until()) no_until(quantifier);
    const CtlOp op = take_operator();
    const Ctl right = prefixed();
    close_path(open, quantifier);
    return pool_.binary(op, left, right);
  }

  bool at_path_prefix() const { return token().kind == Kind::operation && is_path_prefix(token().op); }
  bool at_until() const { return token().kind == Kind::operation && is_until(token().op); }

  [[noreturn]] void no_until(const LtlToken& quantifier) const {
    if (token().kind == Kind::operation)
      fail(token(), fmt::format("the left side of U, R, W or M needs parentheses: {}((p {} q) U r)",
                                quantifier.text, token().text));
    fail(token(), fmt::format("expected U, R, W or M before {}: {} takes a path, as in {}(p U q)",
                              name(token()), name(quantifier), quantifier.text));
  }

  /// Takes the closing parenthesis: the path in it ends here.
  void close_path(const LtlToken& open, const LtlToken& quantifier) {
    if (at_until()) fail(token(), fmt::format("{} takes one temporal operator", name(quantifier)));
    if (token().kind == Kind::operation)
      fail(token(), fmt::format("the right side of a temporal operator needs parentheses: {}(p U (q {} r))",
                                quantifier.text, token().text));
    close(open);
  }
};

}  // namespace

Ctl parse_ctl(CtlPool& pool, const SourceText& source) {
  return Parser(pool, source).run();
}

}  // namespace tideline
