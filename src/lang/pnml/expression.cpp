// Parser for expressions over nets.
//
//     place >= 2 && "odd place" + p2 <= 3
//     fireable(t1, t2) -> tokens(p1, p2) == 0
//
// A place stands for its number of tokens, a coloured one for those of all colours together.
#include <fmt/format.h>

#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lang/operators.hpp"
#include "lang/pnml/pnml.hpp"
#include "lang/pnml/tokens.hpp"

namespace tideline::pnml {

namespace {

using Word = Spelling<TokenKind>;

constexpr auto words = with_shared_words(std::array<Word, 0>{});
constexpr auto punctuation = with_shared_signs(std::array<Word, 0>{});

BinaryOperator binary_operator(TokenKind kind) {
  return shared_operator(kind == TokenKind::arrow ? TokenKind::kw_imply : kind);
}

/// An expression is nested at most this deep, so that no input exhausts a stack.
constexpr int deepest = 1000;

class Parser {
 public:
  Parser(const System& system, TokenStream& tokens) : system_(system), tokens_(tokens) {
    for (SlotId s = 0; s < system.slots.size(); ++s) places_[system.slots[s].name] = {s};
    for (ActionId a = 0; a < system.actions.size(); ++a) transitions_[system.actions[a].label] = {a};
    for (const Alias& alias : system.aliases) {
      if (!alias.slots.empty() || alias.actions.empty()) places_.try_emplace(alias.name, alias.slots);
      if (!alias.actions.empty() || alias.slots.empty()) transitions_.try_emplace(alias.name, alias.actions);
    }
  }

  Expr whole() {
    Sized result = binary(loosest_level);
    if (!tokens_.at(TokenKind::end)) tokens_.fail_expected("the end of the expression");
    return std::move(result.expr);
  }

 private:
  struct Sized {
    Expr expr;
    int depth = 1;
  };
  using Numbers = std::vector<std::uint32_t>;
  using Names = std::unordered_map<std::string_view, Numbers>;

  Sized join(Op op, Sized left, Sized right, SourcePoint where) {
    const int depth = std::max(left.depth, right.depth) + 1;
    if (depth > deepest) too_deep(where);
    return {Expr::binary(op, std::move(left.expr), std::move(right.expr), where), depth};
  }
  [[noreturn]] void too_deep(SourcePoint where) {
    tokens_.fail(where, fmt::format("expression is nested deeper than {}", deepest));
  }

  Sized binary(OperatorLevel loosest) {
    Sized left = unary();
    for (;;) {
      const BinaryOperator found = binary_operator(tokens_.current().kind);
      if (found.level < loosest) return left;
      const Token symbol = tokens_.take();
      // An implication reads from the right: a -> b -> c is a -> (b -> c).
      Sized right = binary(found.op == Op::imply ? found.level : tighter_than(found.level));
      left = join(found.op, std::move(left), std::move(right), symbol.where);
    }
  }

  Sized unary() {
    if (++nesting_ > deepest) too_deep(tokens_.current().where);
    Sized result = unary_inside();
    --nesting_;
    return result;
  }

  Sized unary_inside() {
    const bool minus = tokens_.at(TokenKind::minus);
    if (!minus && !tokens_.at(TokenKind::kw_not) && !tokens_.at(TokenKind::exclamation)) return primary();
    const Token symbol = tokens_.take();
    Sized operand = unary();
    if (operand.depth >= deepest) too_deep(symbol.where);
    return {Expr::unary(minus ? Op::negate : Op::logic_not, std::move(operand.expr), symbol.where),
            operand.depth + 1};
  }

  Sized primary() {
    switch (tokens_.current().kind) {
      case TokenKind::number:
      case TokenKind::kw_true:
      case TokenKind::kw_false: {
        const Token token = tokens_.take();
        return {Expr::constant(
            token.kind == TokenKind::number ? token.value : token.kind == TokenKind::kw_true, token.where)};
      }
      case TokenKind::left_paren: {
        const Token open = tokens_.take();
        Sized inner = binary(loosest_level);
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

  /// Only what is in front of '(' is a function: a place may be called 'tokens'.
  Sized name() {
    const Token token = tokens_.take();
    if (tokens_.at(TokenKind::left_paren)) {
      if (token.text == "tokens") return sum(arguments(token, places_, "place"));
      if (token.text == "fireable") return fireable(token);
    }
    for (const Proposition& p : system_.propositions)
      if (p.name == token.text && !places_.contains(p.name)) return {p.expr, depth_of(p.expr)};
    return sum(find(places_, token, "place"));
  }

  Sized fireable(const Token& word) {
    std::vector<Expr> guards;
    for (const ActionId action : arguments(word, transitions_, "transition"))
      guards.push_back(system_.actions[action].guard);
    Expr any = balanced(Op::logic_or, std::move(guards), 0);
    const int depth = depth_of(any);
    return {std::move(any), depth};
  }

  static Sized sum(const Numbers& slots) {
    std::vector<Expr> loads;
    for (const SlotId s : slots) loads.push_back(Expr::load(s));
    Expr total = balanced(Op::add, std::move(loads), 0);
    const int depth = depth_of(total);
    return {std::move(total), depth};
  }

  static int depth_of(const Expr& expr) {
    int deepest_argument = 0;
    for (const Expr& arg : expr.args) deepest_argument = std::max(deepest_argument, depth_of(arg));
    return deepest_argument + 1;
  }

  /// tokens(p1, p2), fireable(t1, t2): what the names stand for, together.
  Numbers arguments(const Token& word, const Names& names, std::string_view what) {
    tokens_.expect(TokenKind::left_paren, fmt::format("after '{}'", word.text));
    Numbers all;
    do {
      const Token token = tokens_.expect(TokenKind::identifier, fmt::format("of a {}", what));
      const Numbers& found = find(names, token, what);
      all.insert(all.end(), found.begin(), found.end());
    } while (tokens_.accept(TokenKind::comma));
    tokens_.expect(TokenKind::right_paren, fmt::format("to close '{}('", word.text));
    return all;
  }

  const Numbers& find(const Names& names, const Token& token, std::string_view what) {
    if (const auto found = names.find(token.text); found != names.end()) return found->second;
    Suggestion suggestion(token.text);
    for (const auto& [known, numbers] : names) suggestion.offer(known);
    const bool other = (&names == &places_ ? transitions_ : places_).contains(token.text);
    tokens_.fail(token.where, fmt::format("there is no {} '{}'{}", what, abbreviate(token.text),
                                          !other            ? suggestion.text()
                                          : what == "place" ? "; for a transition write 'fireable(...)'"
                                                            : "; it is a place"));
  }

  const System& system_;
  TokenStream& tokens_;
  Names places_, transitions_;
  int nesting_ = 0;
};

}  // namespace

Vocabulary<TokenKind> vocabulary_of(TokenKind) {
  return {.words = words, .punctuation = punctuation, .largest_number = most_tokens, .quoted_names = true};
}

Expr read_expression(const System& system, std::string_view text, SourcePoint start,
                     Diagnostics& diagnostics) {
  try {
    TokenStream tokens(text, start, diagnostics);
    Expr expr = Parser(system, tokens).whole();
    diagnostics.throw_if_errors();
    return fold_below_atoms(std::move(expr), system.tables);
  } catch (const SyntaxError&) {
    diagnostics.throw_if_errors();
    throw;
  }
}

}  // namespace tideline::pnml
