// Operators shared by the expressions of all languages with a grammar of their own: spelling and precedence.
//
// `Kind` is the enumeration of a language's tokens (scanner.hpp). The names of what is shared are the same in
// all of them; a language adds its own, and may give an operator another level.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>

#include "lang/scanner.hpp"
#include "model/expr.hpp"

namespace tideline {

// --- spelling ---------------------------------------------------------------------------------------------

/// A language's reserved words, with those of expressions.
template <class Kind, std::size_t Own>
constexpr auto with_shared_words(const std::array<Spelling<Kind>, Own>& own) {
  constexpr std::array<Spelling<Kind>, 6> shared{{{"and", Kind::kw_and},
                                                  {"false", Kind::kw_false},
                                                  {"imply", Kind::kw_imply},
                                                  {"not", Kind::kw_not},
                                                  {"or", Kind::kw_or},
                                                  {"true", Kind::kw_true}}};
  std::array<Spelling<Kind>, Own + shared.size()> all{};
  std::ranges::copy(shared, std::ranges::copy(own, all.begin()).out);
  return all;
}

/// A language's punctuation, with that of expressions, longer signs first.
template <class Kind, std::size_t Own>
constexpr auto with_shared_signs(const std::array<Spelling<Kind>, Own>& own) {
  constexpr std::array<Spelling<Kind>, 18> shared{{{"->", Kind::arrow},
                                                   {"<=", Kind::less_equal},
                                                   {">=", Kind::greater_equal},
                                                   {"==", Kind::equal},
                                                   {"!=", Kind::not_equal},
                                                   {"&&", Kind::logic_and},
                                                   {"||", Kind::logic_or},
                                                   {"<", Kind::less},
                                                   {">", Kind::greater},
                                                   {"!", Kind::exclamation},
                                                   {"+", Kind::plus},
                                                   {"-", Kind::minus},
                                                   {"*", Kind::star},
                                                   {",", Kind::comma},
                                                   {"{", Kind::left_brace},
                                                   {"}", Kind::right_brace},
                                                   {"(", Kind::left_paren},
                                                   {")", Kind::right_paren}}};
  std::array<Spelling<Kind>, Own + shared.size()> all{};
  std::ranges::copy(shared, std::ranges::copy(own, all.begin()).out);
  std::ranges::sort(all, std::ranges::greater{}, [](const auto& sign) { return sign.text.size(); });
  return all;
}

// --- precedence -------------------------------------------------------------------------------------------

/// Higher ones bind tighter.
enum class OperatorLevel : int { none, imply, either, both, bits, equality, order, shift, sum, product };

inline constexpr OperatorLevel loosest_level = OperatorLevel::imply;

constexpr OperatorLevel tighter_than(OperatorLevel level) {
  return static_cast<OperatorLevel>(static_cast<int>(level) + 1);
}

struct BinaryOperator {
  Op op = Op::constant;
  OperatorLevel level = OperatorLevel::none;  ///< none: the token is not a binary operator
};

template <class Kind>
constexpr BinaryOperator shared_operator(Kind kind) {
  switch (kind) {
    case Kind::kw_imply:
      return {Op::imply, OperatorLevel::imply};
    case Kind::kw_or:
    case Kind::logic_or:
      return {Op::logic_or, OperatorLevel::either};
    case Kind::kw_and:
    case Kind::logic_and:
      return {Op::logic_and, OperatorLevel::both};
    case Kind::equal:
      return {Op::eq, OperatorLevel::equality};
    case Kind::not_equal:
      return {Op::ne, OperatorLevel::equality};
    case Kind::less:
      return {Op::lt, OperatorLevel::order};
    case Kind::less_equal:
      return {Op::le, OperatorLevel::order};
    case Kind::greater:
      return {Op::gt, OperatorLevel::order};
    case Kind::greater_equal:
      return {Op::ge, OperatorLevel::order};
    case Kind::plus:
      return {Op::add, OperatorLevel::sum};
    case Kind::minus:
      return {Op::sub, OperatorLevel::sum};
    case Kind::star:
      return {Op::mul, OperatorLevel::product};
    default:
      return {};
  }
}

}  // namespace tideline
