// Parser of Promela: expressions and formulas of ltl blocks.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "lang/promela/parser.hpp"
#include "model/nesting.hpp"

namespace tideline::promela {

namespace {

constexpr std::uint32_t deepest_expression = 400;

constexpr int level_of_comparisons = 3;  ///< tighter than && and ||, which belong to a formula

}  // namespace

Ex Parser::single_expression() {
  Ex result = expression();
  refuse_foreign_sign();
  if (current().kind != TokenKind::end) fail_expected("an operator or the end of the expression");
  return result;
}

Ex Parser::binary(int loosest) {
  const Nesting level(nesting_, deepest_expression, [&] {
    fail(current().where, fmt::format("expression is nested deeper than {}", deepest_expression));
  });
  Ex left = unary();
  std::uint32_t chain = 0;
  for (;;) {
    const BinaryLevel* found = level_of(current());
    if (found == nullptr || found->level < loosest) return left;
    if (++chain > deepest_expression * 4) fail(current().where, "this expression is too long");
    const Token sign = take();
    Ex right = binary(found->level + 1);
    left = {.kind = ExKind::binary,
            .op = found->op,
            .args = {std::move(left), std::move(right)},
            .where = sign.where};
  }
}

Ex Parser::unary() {
  const Token sign = current();
  if (!sign.is("-") && !sign.is("!") && !sign.is("~") && !sign.is("!!") && !sign.is("--")) return primary();
  const Nesting level(nesting_, deepest_expression, [&] {
    fail(current().where, fmt::format("expression is nested deeper than {}", deepest_expression));
  });
  take();
  const Op op = sign.spelling[0] == '-' ? Op::negate : sign.is("~") ? Op::bit_not : Op::logic_not;
  Ex result{.kind = ExKind::unary, .op = op, .args = {unary()}, .where = sign.where};
  if (sign.spelling.size() == 2)
    result = {.kind = ExKind::unary, .op = op, .args = {std::move(result)}, .where = sign.where};
  return result;
}

Ex Parser::primary() {
  const Token token = current();
  if (token.kind == TokenKind::number) {
    take();
    return {.kind = ExKind::number, .value = token.value, .where = token.where};
  }
  if (accept("(")) {
    Ex inner = expression();
    if (accept("->")) {
      Ex yes = expression();
      expect(":", "between the two values of '( -> : )'");
      Ex no = expression();
      inner = {.kind = ExKind::conditional,
               .args = {std::move(inner), std::move(yes), std::move(no)},
               .where = token.where};
    }
    refuse_foreign_sign();
    expect(")", fmt::format("to close '(' of line {}, column {}", line_of(token.where), token.where.column));
    return inner;
  }
  if (token.kind == TokenKind::name) return name_in_expression();
  fail_expected("an expression");
}

std::vector<Ex> Parser::arguments() {
  std::vector<Ex> result;
  expect("(", "and arguments");
  if (accept(")")) return result;
  do result.push_back(expression());
  while (accept(","));
  expect(")", "after the arguments");
  return result;
}

Ex Parser::run() {
  const Token word = take();
  Ex result{.kind = ExKind::run, .where = word.where};
  result.name = expect_name("the name of a proctype after 'run'");
  result.args = arguments();
  priority();
  return result;
}

Ex Parser::name_in_expression() {
  const Token word = current();
  const auto simple = [&](ExKind kind) {
    take();
    return Ex{.kind = kind, .where = word.where};
  };
  if (word.is("true") || word.is("skip")) {
    take();
    return {.kind = ExKind::number, .value = 1, .where = word.where};
  }
  if (word.is("false")) return simple(ExKind::number);
  if (word.is("timeout")) return simple(ExKind::timeout);
  if (word.is("np_")) return simple(ExKind::np);
  if (word.is("_nr_pr")) {
    program_.uses_nr_pr = true;
    return simple(ExKind::nr_pr);
  }
  if (word.is("_pid")) return simple(ExKind::pid);
  if (word.is("_last")) {
    program_.uses_last = true;
    return simple(ExKind::last);
  }
  if (word.is("run")) return run();
  for (const std::string_view test : {"len", "empty", "full", "nempty", "nfull"})
    if (word.is(test)) {
      take();
      expect("(", fmt::format("after '{}'", test));
      Ex channel = reference();
      expect(")", fmt::format("to close '{}('", test));
      return {
          .kind = ExKind::length, .name = word.spelling, .args = {std::move(channel)}, .where = word.where};
    }
  if (word.is("enabled")) {
    take();
    return {.kind = ExKind::enabled, .args = arguments(), .where = word.where};
  }
  if (word.is("pc_value")) fail(word.where, "'pc_value' is not supported; use a label: P[1]@label");
  if (word.is("get_priority") || word.is("_priority"))
    fail(word.where, "process priorities are not supported");
  if (word.is("c_expr")) refuse_embedded_c(diagnostics_.source(), word);
  if (word.is("else")) fail(word.where, "'else' stands alone, as the first statement of an option");
  if (is_reserved_word(word.spelling)) fail_expected("an expression");

  // P[1]@label, P@label, P[1]:x, P:x
  if (process_names_.contains(word.spelling) && find(word.spelling) == nullptr) {
    take();
    Ex result{.kind = ExKind::remote_label, .name = word.spelling, .where = word.where};
    if (accept("[")) {
      result.args.push_back(expression());
      expect("]", "after the number of the process");
    }
    if (accept("@")) {
      result.label = expect_name("a label after '@'");
      program_.remote_labels.insert(result.label);
      return result;
    }
    if (!accept(":"))
      fail_expected(fmt::format("'@' and a label, or ':' and a variable, of '{}'", word.spelling));
    result.kind = ExKind::remote_variable;
    do {
      Part part{expect_name("a variable of the process"), {}};
      if (accept("[")) {
        part.index.push_back(expression());
        expect("]", "after the index");
      }
      result.parts.push_back(std::move(part));
    } while (accept("."));
    return result;
  }
  Ex result = reference();
  if ((at("?") || at("??")) && ahead(1).is("[")) {
    Ex poll{.kind = ExKind::poll, .random = at("??"), .where = word.where};
    at_ += 2;
    poll.args.push_back(std::move(result));
    do poll.args.push_back(receive_argument());
    while (accept(","));
    if (at("(") && poll.args.size() == 2) {
      take();
      do poll.args.push_back(receive_argument());
      while (accept(","));
      expect(")", "after the fields of the message");
    }
    expect("]", "to close 'q?['");
    return poll;
  }
  return result;
}

Ex Parser::reference() {
  const Token word = current();
  Ex result{.kind = ExKind::variable, .where = word.where};
  const std::string name = expect_name("a variable");
  result.variable = find(name);
  result.parts.push_back({name, {}});
  for (;;) {
    if (accept("[")) {
      if (!result.parts.back().index.empty())
        fail(current().where, "arrays have one dimension; use a typedef");
      result.parts.back().index.push_back(expression());
      expect("]", "after the index");
    } else if (at(".") && ahead(1).kind == TokenKind::name) {
      take();
      result.parts.push_back({expect_name("a field after '.'"), {}});
    } else {
      break;
    }
  }
  if (result.variable == nullptr && !program_.message_names.contains(name)) {
    if (process_ == nullptr) return result;  // of a property: names are looked up later
    fail_unknown_variable(word.where, name);
  }
  if (result.variable != nullptr) field_of(result);
  return result;
}

void Parser::fail_unknown_variable(SourcePoint where, const std::string& name) {
  Suggestion suggestion(name);
  for (const auto& scope : scopes_)
    for (const auto& [known, variable] : scope) suggestion.offer(known);
  for (const auto& [known, value] : program_.message_names) suggestion.offer(known);
  for (const std::string_view word : {"true", "false", "skip", "timeout"}) suggestion.offer(word);
  std::string hint;
  // A declaration further down does not count.
  for (std::size_t i = at_; hint.empty() && i + 1 < end_; ++i)
    if ((*tokens_)[i + 1].is(name) && (*tokens_)[i].kind == TokenKind::name &&
        std::ranges::find(type_names, (*tokens_)[i].spelling) != type_names.end())
      hint = fmt::format("; it is declared further down, in line {}: declare it before it is used",
                         line_of((*tokens_)[i].where));
  fail(where,
       fmt::format("unknown variable '{}'{}", abbreviate(name), hint.empty() ? suggestion.text() : hint));
}

/// The field that a reference ends at, or the variable; checks indices and fields on the way.
const Variable* Parser::field_of(const Ex& reference) {
  const Variable* variable = reference.variable;
  for (std::size_t i = 0; i < reference.parts.size(); ++i) {
    const Part& part = reference.parts[i];
    // A number may be written as an array of one.
    const bool first = !part.index.empty() && constant_value(part.index[0], program_) == 0;
    if (!part.index.empty() && !variable->is_array && !first)
      fail(reference.where, fmt::format("'{}' is not an array", abbreviate(part.name)));
    if (i + 1 == reference.parts.size()) break;
    const std::string& wanted = reference.parts[i + 1].name;
    if (variable->type.structure == nullptr)
      fail(reference.where, fmt::format("'{}' has no fields", abbreviate(part.name)));
    const auto& fields = variable->type.structure->fields;
    const auto found = std::ranges::find_if(fields, [&](const auto& f) { return f->name == wanted; });
    if (found == fields.end()) {
      Suggestion suggestion(wanted);
      for (const auto& field : fields) suggestion.offer(field->name);
      fail(reference.where, fmt::format("type '{}' has no field '{}'{}", variable->type.structure->name,
                                        abbreviate(wanted), suggestion.text()));
    }
    variable = found->get();
  }
  return variable;
}

Ex Parser::receive_argument() {
  const Token word = current();
  if (word.is("_")) {
    take();
    return {.kind = ExKind::anything, .where = word.where};
  }
  if (accept("eval")) {
    expect("(", "after 'eval'");
    Ex value = expression();
    expect(")", "to close 'eval('");
    return {.kind = ExKind::eval, .args = {std::move(value)}, .where = word.where};
  }
  if (word.kind == TokenKind::name && find(word.spelling) != nullptr) return reference();
  Ex value = unary();
  if (!constant_value(value, program_))
    fail(word.where, "a receive takes a variable, a constant, '_' or 'eval(...)'");
  return value;
}

// --- formulas ---------------------------------------------------------------------------------------------

namespace {
struct Connective {
  std::string_view spelling;
  std::string_view plain;
  int level;
};
/// As in the grammar of SPIN: implication and equivalence bind alike, and everything is read from the left.
constexpr std::array<Connective, 17> connectives{{{"<->", "<->", 1},
                                                  {"equivalent", "<->", 1},
                                                  {"->", "->", 1},
                                                  {"implies", "->", 1},
                                                  {"||", "||", 2},
                                                  {"\\/", "||", 2},
                                                  {"or", "||", 2},
                                                  {"&&", "&&", 3},
                                                  {"/\\", "&&", 3},
                                                  {"and", "&&", 3},
                                                  {"U", "U", 4},
                                                  {"until", "U", 4},
                                                  {"stronguntil", "U", 4},
                                                  {"W", "W", 4},
                                                  {"weakuntil", "W", 4},
                                                  {"V", "R", 4},
                                                  {"release", "R", 4}}};
}  // namespace

std::string Parser::formula(Formula& formula, int loosest) {
  const Nesting level(nesting_, deepest_expression, [&] {
    fail(current().where, fmt::format("formula is nested deeper than {}", deepest_expression));
  });
  std::string left = formula_operand(formula);
  for (bool is_implication = false;;) {
    const Token sign = current();
    if (sign.kind != TokenKind::name && sign.kind != TokenKind::sign) return left;
    const auto found = std::ranges::find(connectives, sign.spelling, &Connective::spelling);
    if (found == connectives.end() || found->level < loosest) return left;
    take();
    if (found->level == 1 && is_implication)
      diagnostics_.warning(
          sign.where,
          fmt::format("'p -> q {0} r' is '(p -> q) {0} r' in Promela; write parentheses", found->plain));
    is_implication = found->plain == "->";
    const std::string right = this->formula(formula, found->level + 1);
    left = fmt::format("({} {} {})", left, found->plain, right);
  }
}

std::string Parser::formula_operand(Formula& formula, bool negated) {
  const Nesting level(nesting_, deepest_expression, [&] {
    fail(current().where, fmt::format("formula is nested deeper than {}", deepest_expression));
  });
  const auto unary = [&](std::size_t length, std::string_view plain) {
    at_ += length;
    return fmt::format("{} ({})", plain, formula_operand(formula, plain == "!"));
  };
  const auto temporal = [&](std::size_t length, std::string_view plain) {
    const SourcePoint where = current().where;
    const std::size_t known = formula.atoms.size();
    const bool parenthesis = ahead(length).is("(");
    std::string result = unary(length, plain);
    if (!parenthesis && formula.atoms.size() == known + 1 &&
        formula.atoms.back().second.kind == ExKind::binary &&
        result == fmt::format("{} (\"{}\")", plain, formula.atoms.back().first))
      diagnostics_.warning(
          where, fmt::format("SPIN takes this for a comparison of '{0} ...' with a number; write '{0} ({1})'",
                             plain, abbreviate(formula.atoms.back().first)));
    return result;
  };
  if (at("[") && ahead(1).is("]")) return temporal(2, "[]");
  if (at("<") && ahead(1).is(">")) return temporal(2, "<>");
  if (at("always")) return temporal(1, "[]");
  if (at("eventually")) return temporal(1, "<>");
  if (at("next") || (at("X") && find("X") == nullptr)) return temporal(1, "X");
  // Either an operand of the formula, or the first part of an expression: (x + 1) > 2, and !x == 1, which compares !x.
  const std::size_t begin = at_;
  const std::size_t atoms = formula.atoms.size();
  const auto goes_on = [&] {
    const BinaryLevel* const next = level_of(current());
    return !negated && next != nullptr && next->level >= level_of_comparisons;
  };
  if (at("!")) {
    std::string negation = unary(1, "!");
    if (!goes_on()) return negation;
  } else if (at("true") || at("false")) {
    std::string constant = take().spelling;
    if (!goes_on()) return constant;
  } else if (accept("(")) {
    std::string inner = this->formula(formula, 0);
    if (accept(")") && !goes_on()) return fmt::format("({})", inner);
  }
  formula.atoms.resize(atoms);
  at_ = begin;
  Ex atom = negated ? this->unary() : binary(level_of_comparisons);
  std::string text = text_since(begin);
  std::ranges::replace(text, '"', '\'');
  formula.atoms.emplace_back(text, std::move(atom));
  return fmt::format("\"{}\"", text);
}

}  // namespace tideline::promela
