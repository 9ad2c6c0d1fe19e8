// Parser of Promela: statements. `for` and `select` are read as the loops they stand for.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lang/promela/parser.hpp"
#include "model/nesting.hpp"

namespace tideline::promela {

namespace {

constexpr std::uint32_t deepest_statement = 200;
constexpr std::uint32_t deepest_inline = 50;
/// A range with at most so many values beyond the first is chosen from in one step.
constexpr std::int64_t widest_direct_select = 32;

Ex number(std::int64_t value, SourcePoint where) {
  return {.kind = ExKind::number, .value = value, .where = where};
}
Ex apply(Op op, Ex left, Ex right) {
  const SourcePoint where = left.where;
  return {.kind = ExKind::binary, .op = op, .args = {std::move(left), std::move(right)}, .where = where};
}

}  // namespace

std::unique_ptr<Statement> Parser::make(StatementKind kind, SourcePoint where) const {
  auto statement = std::make_unique<Statement>();
  statement->kind = kind;
  statement->where = where;
  return statement;
}

Sequence Parser::sequence(std::string_view closing, const std::string& opened) {
  const Nesting level(nesting_, deepest_statement, [&] {
    fail(current().where, fmt::format("statements are nested deeper than {}", deepest_statement));
  });
  Sequence result;
  while (accept(";") || accept("->")) {
  }
  while (!at(closing) && !at("::") && current().kind != TokenKind::end) {
    if (at("}") || at("fi") || at("od")) break;
    step(result);
    if (at(closing) || at("::") || current().kind == TokenKind::end) break;
    separator();
  }
  if (!closing.empty() && !at(closing) && !at("::"))
    fail_expected(fmt::format("'{}' to close {}", closing, opened));
  return result;
}

void Parser::separator() {
  if (at(";") || at("->") || at("-->")) {
    while (accept(";") || accept("->") || accept("-->")) {
    }
    return;
  }
  refuse_foreign_sign();
  // A separator may be left out where the next statement begins.
  const Token& next = current();
  if (next.kind != TokenKind::name && next.kind != TokenKind::number && !at("{") && !at("}") && !at("(") &&
      !at("!") && !at("~"))
    fail_expected("';' or '->' after the statement");
}

void Parser::step(Sequence& sequence) {
  if (at("xr") || at("xs")) {
    const bool receives = take().is("xr");
    do process_->claims.push_back({reference(), receives});
    while (accept(","));
    return;
  }
  if (at_declaration()) return declaration(process_->variables, &sequence);
  auto first = statement();
  if (accept("unless")) {
    auto result = make(StatementKind::unless, first->where);
    result->labels = std::move(first->labels);
    first->labels.clear();
    result->branches.resize(2);
    result->branches[0].push_back(std::move(first));
    result->branches[1].push_back(statement());
    if (at("unless"))
      fail(current().where,
           "an 'unless' cannot follow another one; put braces around the first: { {...} unless {...} } "
           "unless {...}");
    sequence.push_back(std::move(result));
    return;
  }
  sequence.push_back(std::move(first));
}

std::unique_ptr<Statement> Parser::statement() {
  std::vector<std::string> labels;
  while (current().kind == TokenKind::name && ahead(1).is(":") && !is_reserved_word(current().spelling)) {
    labels.push_back(take().spelling);
    take();
    if (at("}") || at("::") || at("fi") || at("od") || current().kind == TokenKind::end) {
      auto nothing = make(StatementKind::expression, current().where);
      nothing->value = number(1, current().where);
      nothing->text = "skip";
      nothing->labels = std::move(labels);
      return nothing;
    }
  }
  const std::size_t begin = at_;
  before_first_statement_ = false;
  auto result = bare_statement();
  if (result->text.empty()) result->text = text_since(begin);
  // The label of a `for` or `select` is that of its loop: a jump there does not begin anew.
  Statement& labelled = result->is_written ? *result : *result->branches[0].back();
  labelled.labels.insert(labelled.labels.begin(), labels.begin(), labels.end());
  return result;
}

std::unique_ptr<Statement> Parser::bare_statement() {
  const Token word = current();
  if (word.is("if")) return options(StatementKind::selection);
  if (word.is("do")) return options(StatementKind::loop);
  if (word.is("atomic")) return take(), block(StatementKind::atomic);
  if (word.is("d_step")) return take(), block(StatementKind::d_step);
  if (word.is("{")) return block(StatementKind::block);
  if (word.is("for")) return for_loop();
  if (word.is("select")) return select();
  if (word.is("printf") || word.is("printm")) return print();
  if (word.is("c_code") || word.is("c_expr") || word.is("c_decl"))
    refuse_embedded_c(diagnostics_.source(), word);
  if (word.is("_priority") || word.is("set_priority") || word.is("get_priority"))
    fail(word.where, "process priorities are not supported");
  if (accept("else")) return make(StatementKind::otherwise, word.where);
  if (accept("break")) return make(StatementKind::leave, word.where);
  if (accept("goto")) {
    auto jump = make(StatementKind::jump, word.where);
    jump->name = expect_name("a label after 'goto'");
    return jump;
  }
  if (accept("skip")) {
    auto skip = make(StatementKind::expression, word.where);
    skip->value = number(1, word.where);
    return skip;
  }
  if (accept("assert")) {
    auto assertion = make(StatementKind::assertion, word.where);
    assertion->value = expression();
    return assertion;
  }
  if (word.is("return")) return return_statement();
  if (word.is("::")) fail(word.where, "'::' begins an option of 'if' or 'do', and there is none around it");
  if (word.kind == TokenKind::name && inlines_.contains(word.spelling) && ahead(1).is("("))
    return inline_call();
  if (word.kind == TokenKind::name && !is_reserved_word(word.spelling)) return of_variable();
  auto condition = make(StatementKind::expression, word.where);
  condition->value = expression();
  refuse_foreign_sign();
  return condition;
}

void Parser::refuse_foreign_sign() {
  const SourcePoint where = current().where;
  if (at("=") && ahead(1).is(">"))
    fail(where, "there is no '=>'; a guard is followed by '->', and at least is '>='");
  if (at("=") && ahead(1).is("<")) fail(where, "there is no '=<'; at most is '<='");
  if (at("=")) fail(where, "'=' assigns to a variable; compare with '=='");
  if (at("?")) fail(where, "a value that depends on a condition is written (condition -> value : other)");
  if (at("++") || at("--"))
    fail(where, fmt::format("'{}' is a statement of its own, of a variable: x{}", current().spelling,
                            current().spelling));
}

std::unique_ptr<Statement> Parser::block(StatementKind kind) {
  auto result = make(kind, current().where);
  expect("{", "before the statements");
  scopes_.emplace_back();
  result->branches.push_back(sequence("}", fmt::format("the '{{' of line {}", line_of(result->where))));
  scopes_.pop_back();
  expect("}", "after the statements");
  return result;
}

std::unique_ptr<Statement> Parser::options(StatementKind kind) {
  const Token word = take();
  const std::string_view closing = word.is("if") ? "fi" : "od";
  auto result = make(kind, word.where);
  result->text = word.spelling;
  if (!at("::"))
    fail_expected(fmt::format("'::' before the first option of '{0}' ('{0} :: condition -> statements {1}')",
                              word.spelling,
                              word.is("if") ? ":: else -> statements fi" : ":: else -> break od"));
  while (accept("::")) {
    const SourcePoint where = current().where;
    result->branches.push_back(
        sequence(closing, fmt::format("the '{}' of line {}", word.spelling, line_of(word.where))));
    Sequence& option = result->branches.back();
    if (option.empty()) fail(where, "an option needs a statement");
    leave_out_skips(option);
  }
  expect(closing, fmt::format("to close the '{}' of line {}", word.spelling, line_of(word.where)));
  check_else(*result);
  return result;
}

/// SPIN does not take one of several steps in a row that do nothing, unless it is the last one of an option: `true -> skip;
/// more` is two steps. A print counts as one that does nothing, but is taken.
void Parser::leave_out_skips(Sequence& option) {
  int in_a_row = 0;
  for (std::size_t i = 0; i < option.size(); ++i) {
    const Statement& s = *option[i];
    const bool is_print = s.kind == StatementKind::print && !s.name.empty();
    const bool is_skip =
        s.kind == StatementKind::expression && s.value.kind == ExKind::number && s.value.value == 1;
    in_a_row = (is_print || is_skip) && s.labels.empty() ? in_a_row + 1 : 0;
    if (in_a_row < 2 || is_print || i + 1 == option.size()) continue;
    ++option[i - 1]->left_out;
    option.erase(option.begin() + static_cast<std::ptrdiff_t>(i--));
  }
}

/// At most one, and only where the other options can be impossible.
void Parser::check_else(const Statement& options) {
  const auto begins_with = [](const Sequence& option, StatementKind kind) {
    return option.front()->kind == kind;
  };
  const Sequence* found = nullptr;
  for (const Sequence& option : options.branches) {
    if (!begins_with(option, StatementKind::otherwise)) continue;
    if (found != nullptr) fail(option.front()->where, "there is another 'else' among these options");
    found = &option;
  }
  if (found == nullptr) return;
  for (const Sequence& option : options.branches) {
    const Statement& first = *option.front();
    const bool is_constant = first.kind == StatementKind::expression && first.value.kind == ExKind::number &&
                             first.value.value != 0;
    if (is_constant || begins_with(option, StatementKind::assignment) ||
        begins_with(option, StatementKind::print) || begins_with(option, StatementKind::assertion) ||
        begins_with(option, StatementKind::jump) || begins_with(option, StatementKind::leave))
      return diagnostics_.warning(
          found->front()->where,
          fmt::format("this 'else' is never taken: another option is always possible{}",
                      first.kind == StatementKind::assignment ? " ('=' assigns, '==' compares)" : ""));
  }
}

std::unique_ptr<Statement> Parser::print() {
  const Token word = take();
  auto result = make(StatementKind::print, word.where);
  expect("(", fmt::format("after '{}'", word.spelling));
  if (word.is("printf")) {
    if (current().kind != TokenKind::text) fail_expected("a format in quotes");
    result->name = take().spelling;
    while (accept(",")) result->args.push_back(expression());
  } else {
    result->name = "\"%e\\n\"";
    result->args.push_back(expression());
  }
  expect(")", fmt::format("to close '{}('", word.spelling));
  return result;
}

std::unique_ptr<Statement> Parser::for_loop() {
  const Token word = take();
  expect("(", "after 'for'");
  auto result = make(StatementKind::block, word.where);
  result->text = "for";
  result->is_written = false;
  scopes_.emplace_back();
  if (at_declaration()) {
    before_first_statement_ = false;
    const Type type = this->type();
    auto variable = std::make_unique<Variable>();
    variable->name = current().spelling;
    variable->where = current().where;
    variable->type = type;
    variable->owner = process_;
    declare(*variable);
    process_->variables.push_back(std::move(variable));
  }
  const Ex variable = reference();
  auto loop = make(StatementKind::loop, word.where);
  const auto assign = [&](const Ex& target, Ex value, std::string text) {
    auto assignment = make(StatementKind::assignment, word.where);
    assignment->target = target;
    assignment->value = std::move(value);
    assignment->text = std::move(text);
    return assignment;
  };
  const std::string name = variable.parts.front().name;
  Ex counter = variable;
  Ex low = number(0, word.where);
  Ex condition;
  Sequence before_body;
  if (accept(":")) {
    low = expression();
    expect("..", "between the first and the last value");
    Ex high = expression();
    condition = apply(Op::le, variable, std::move(high));
  } else {
    if (at("="))
      fail(current().where, fmt::format("a 'for' is written 'for ({} : first .. last) {{ ... }}'", name));
    expect("in", "or ':' after the variable of 'for'");
    const Token of = current();
    const Ex range = reference();
    if (range.variable == nullptr) fail(of.where, fmt::format("unknown variable '{}'", of.spelling));
    if (range.variable->type.base == BaseType::chan &&
        (!range.variable->is_array || !range.parts.back().index.empty())) {
      // Every message once round the channel.
      auto index = std::make_unique<Variable>();
      index->name = fmt::format("for_{}", process_->variables.size());
      index->where = word.where;
      index->type = {.base = BaseType::int_};
      index->owner = process_;
      counter = {.kind = ExKind::variable,
                 .variable = index.get(),
                 .parts = {{index->name, {}}},
                 .where = word.where};
      process_->variables.push_back(std::move(index));
      condition = apply(Op::lt, counter,
                        {.kind = ExKind::length, .name = "len", .args = {range}, .where = word.where});
      for (const StatementKind kind : {StatementKind::receive, StatementKind::send}) {
        auto step = make(kind, word.where);
        step->target = range;
        step->args.push_back(variable);
        step->text = fmt::format("{}{}{}", of.spelling, kind == StatementKind::send ? "!" : "?", name);
        before_body.push_back(std::move(step));
      }
    } else {
      const Variable* last = field_of(range);
      if (last == nullptr || !last->is_array)
        fail(of.where, "'for ... in' goes through an array or a channel");
      condition = apply(Op::le, variable, number(last->length - 1, word.where));
    }
  }
  expect(")", "after the range of 'for'");
  expect("{", "before the body of 'for'");
  Sequence body = sequence("}", fmt::format("the 'for' of line {}", line_of(word.where)));
  expect("}", "after the body of 'for'");
  scopes_.pop_back();

  auto guard = make(StatementKind::expression, word.where);
  guard->value = std::move(condition);
  guard->text = fmt::format("for: {} in range", name);
  Sequence round;
  round.push_back(std::move(guard));
  for (auto& step : before_body) round.push_back(std::move(step));
  for (auto& step : body) round.push_back(std::move(step));
  round.push_back(assign(counter, apply(Op::add, counter, number(1, word.where)), name + "++"));
  Sequence done;
  done.push_back(make(StatementKind::otherwise, word.where));
  done.back()->text = "else";
  done.push_back(make(StatementKind::leave, word.where));
  loop->branches.push_back(std::move(round));
  loop->branches.push_back(std::move(done));
  result->branches.emplace_back();
  result->branches[0].push_back(assign(counter, std::move(low), name + " = first"));
  result->branches[0].push_back(std::move(loop));
  return result;
}

std::unique_ptr<Statement> Parser::select() {
  const std::size_t begin = at_;
  const Token word = take();
  expect("(", "after 'select'");
  const Ex variable = reference();
  expect(":", "after the variable of 'select', as in 'select (x : 0 .. 3)'");
  Ex low = expression();
  expect("..", "between the first and the last value");
  Ex high = expression();
  expect(")", "after the range of 'select'");
  const std::string text = text_since(begin);
  const auto assign = [&](Ex value) {
    auto assignment = make(StatementKind::assignment, word.where);
    assignment->target = variable;
    assignment->value = std::move(value);
    assignment->text = text;
    return assignment;
  };
  const auto first = constant_value(low, program_);
  const auto last = constant_value(high, program_);
  // SPIN does so only for numbers, and for variables whose names have letters and digits only.
  const std::string& name = variable.parts.front().name;
  const bool plain = low.kind == ExKind::number && high.kind == ExKind::number &&
                     variable.parts.size() == 1 && variable.parts.front().index.empty() &&
                     name.find('_') == std::string::npos;
  if (plain && first && last && *last >= *first && *last - *first <= widest_direct_select) {
    auto choice = make(StatementKind::selection, word.where);
    for (std::int64_t value = *first; value <= *last; ++value) {
      choice->branches.emplace_back();
      choice->branches.back().push_back(assign(number(value, word.where)));
      choice->branches.back().back()->text = fmt::format("{} = {}", variable.parts.front().name, value);
    }
    return choice;
  }
  auto result = make(StatementKind::block, word.where);
  result->is_written = false;
  result->branches.emplace_back();
  result->branches[0].push_back(assign(std::move(low)));
  auto loop = make(StatementKind::loop, word.where);
  auto guard = make(StatementKind::expression, word.where);
  guard->value = apply(Op::lt, variable, std::move(high));
  guard->text = text;
  loop->branches.resize(2);
  loop->branches[0].push_back(std::move(guard));
  loop->branches[0].push_back(assign(apply(Op::add, variable, number(1, word.where))));
  loop->branches[1].push_back(make(StatementKind::leave, word.where));
  loop->branches[1].back()->text = "break";
  result->branches[0].push_back(std::move(loop));
  return result;
}

std::unique_ptr<Statement> Parser::of_variable() {
  const std::size_t begin = at_;
  const Token word = current();
  // A name that is used as a variable, if it is a step of one: otherwise an expression begins here.
  if (find(word.spelling) != nullptr) {
    Ex target = reference();
    if (at("=") && (ahead(1).is("<") || ahead(1).is(">"))) refuse_foreign_sign();
    if (accept("=")) {
      if (current().kind == TokenKind::name && inlines_.contains(current().spelling) && ahead(1).is("("))
        return inline_call(&target);
      auto result = make(StatementKind::assignment, word.where);
      result->target = std::move(target);
      result->value = expression();
      return result;
    }
    if ((at("+") || at("-") || at("*") || at("/")) && ahead(1).is("="))
      fail(current().where, fmt::format("there is no '{}='; write '{} = {} {} ...'", current().spelling,
                                        word.spelling, word.spelling, current().spelling));
    if (at("++") || at("--")) {
      auto result = make(StatementKind::assignment, word.where);
      const Op op = take().is("++") ? Op::add : Op::sub;
      result->value = apply(op, target, number(1, word.where));
      result->target = std::move(target);
      return result;
    }
    if (at("!") || at("!!")) {
      auto result = make(StatementKind::send, word.where);
      result->random = take().is("!!");
      result->target = std::move(target);
      result->args = message_arguments(is_trace());
      return result;
    }
    if ((at("?") || at("??")) && !ahead(1).is("[")) {
      auto result = make(StatementKind::receive, word.where);
      result->random = take().is("??");
      result->target = std::move(target);
      result->peek = accept("<");
      result->args = message_arguments(true);
      if (result->peek) expect(">", "to close 'q?<'");
      return result;
    }
    at_ = begin;
  } else if (ahead(1).is("=") || ahead(1).is("++") || ahead(1).is("--") || ahead(1).is("!") ||
             ahead(1).is("?") || ahead(1).is("!!") || ahead(1).is("??")) {
    if (word.spelling == "_" && ahead(1).is("=")) {
      at_ += 2;
      auto result = make(StatementKind::expression, word.where);
      expression();
      result->value = number(1, word.where);
      return result;
    }
    reference();  // reports that there is no such variable
    fail(word.where, fmt::format("'{}' is not a variable", abbreviate(word.spelling)));
  } else if (ahead(1).kind == TokenKind::name && ahead(1).where.line == word.where.line &&
             !is_reserved_word(ahead(1).spelling) && !program_.message_names.contains(word.spelling)) {
    Suggestion suggestion(word.spelling);
    for (const auto& s : program_.structures) suggestion.offer(s->name);
    for (const std::string_view type : type_names) suggestion.offer(type);
    fail(word.where, fmt::format("unknown type '{}'{}", abbreviate(word.spelling), suggestion.text()));
  } else if (ahead(1).is("(") && !process_names_.contains(word.spelling)) {
    if (word.spelling == "while" || word.spelling == "switch")
      fail(word.where,
           fmt::format("Promela has no '{}'; write 'do :: ... od' or 'if :: ... fi'", word.spelling));
    Suggestion suggestion(word.spelling);
    for (const auto& [name, definition] : inlines_) suggestion.offer(name);
    fail(word.where, fmt::format("unknown inline '{}'{}", abbreviate(word.spelling), suggestion.text()));
  } else if (process_names_.contains(word.spelling) && ahead(1).is("(")) {
    fail(word.where, fmt::format("start the process with 'run {}(...)'", word.spelling));
  }
  auto condition = make(StatementKind::expression, word.where);
  condition->value = expression();
  refuse_foreign_sign();
  return condition;
}

/// q!m(x, y) is q!m,x,y, and q?(x, y) is q?x,y.
std::vector<Ex> Parser::message_arguments(bool receives) {
  std::vector<Ex> result;
  const auto list = [&](auto& self) -> void {
    if (receives && accept("(")) {
      self(self);
      return expect(")", "after the fields of the message");
    }
    result.push_back(receives ? receive_argument() : expression());
    if (accept(",")) return self(self);
    if (!at("(") || current().where.line != (*tokens_)[at_ - 1].where.line) return;
    take();
    if (!at(")")) self(self);
    expect(")", "after the fields of the message");
  };
  list(list);
  return result;
}

/// In an inline that is called as `x = f(...)`, `return e` is `x = e`, and the inline goes on.
std::unique_ptr<Statement> Parser::return_statement() {
  const Token word = take();
  if (inline_result_ == nullptr)
    fail(word.where,
         inline_depth_ == 0
             ? "'return' belongs into an 'inline' that is called as 'x = f(...)'; a process ends at its "
               "last '}', where a 'goto' can lead"
             : "this 'return' has nowhere to put its value: call the 'inline' as 'x = f(...)'");
  auto result = make(StatementKind::assignment, word.where);
  result->target = *inline_result_;
  result->value = expression();
  return result;
}

std::unique_ptr<Statement> Parser::inline_call(const Ex* result_place) {
  const Token name = take();
  const Inline& definition = inlines_.find(name.spelling)->second;
  take();
  std::vector<std::vector<Token>> arguments(1);
  for (int nested = 1;;) {
    if (current().kind == TokenKind::end)
      fail(name.where, fmt::format("the arguments of '{}' have no closing ')'", name.spelling));
    const Token token = take();
    if (token.is("(") || token.is("[") || token.is("{")) ++nested;
    if ((token.is(")") || token.is("]") || token.is("}")) && --nested == 0) break;
    if (token.is(",") && nested == 1)
      arguments.emplace_back();
    else
      arguments.back().push_back(token);
  }
  if (definition.parameters.empty() && arguments.size() == 1 && arguments[0].empty()) arguments.clear();
  if (arguments.size() != definition.parameters.size())
    fail(name.where, fmt::format("'{}' takes {}, not {}", name.spelling,
                                 count_of(definition.parameters.size(), "argument"), arguments.size()));
  if (inline_depth_ >= deepest_inline)
    fail(name.where, fmt::format("'{}' calls itself, or inlines are nested deeper than {}", name.spelling,
                                 deepest_inline));
  // A label of the body is another one in every place where the body is read.
  std::map<std::string, std::string, std::less<>> labels;
  int open = 0;
  for (std::size_t i = 0; i + 1 < definition.body.size(); ++i) {
    const Token& token = definition.body[i];
    if (token.is("(")) ++open;
    if (token.is(")")) --open;
    const bool begins = i == 0 || definition.body[i - 1].is(";") || definition.body[i - 1].is("->") ||
                        definition.body[i - 1].is("{") || definition.body[i - 1].is("}") ||
                        definition.body[i - 1].is("::") || definition.body[i - 1].is(")") ||
                        definition.body[i - 1].is("fi") || definition.body[i - 1].is("od") ||
                        definition.body[i - 1].where.line != token.where.line;
    if (token.kind != TokenKind::name || is_reserved_word(token.spelling) ||
        !definition.body[i + 1].is(":") || !begins || open != 0)
      continue;
    const int copy = ++inline_labels_[token.spelling];
    if (copy > 1) labels[token.spelling] = fmt::format("{}_{}", token.spelling, copy);
  }
  std::vector<Token> body;
  for (const Token& token : definition.body) {
    const auto found = token.kind == TokenKind::name
                           ? std::ranges::find(definition.parameters, token.spelling)
                           : definition.parameters.end();
    if (const auto renamed = labels.find(token.spelling); renamed != labels.end()) {
      body.push_back(token);
      body.back().spelling = renamed->second;
      continue;
    }
    const bool is_field = !body.empty() && body.back().is(".");
    if (found == definition.parameters.end() || is_field) {
      body.push_back(token);
      continue;
    }
    auto value = arguments[static_cast<std::size_t>(found - definition.parameters.begin())];
    for (Token& part : value) {
      part.where = token.where;
      part.from_macro = true;
    }
    if (!value.empty()) value.front().after_blank = token.after_blank;
    body.insert(body.end(), value.begin(), value.end());
  }
  // The body is read in the place of the call.
  const auto* const tokens = std::exchange(tokens_, &body);
  const std::size_t at = std::exchange(at_, 0);
  const std::size_t end = std::exchange(end_, body.size());
  const Token last = std::exchange(last_, Token{.where = name.where});
  const Ex* const outer_result = std::exchange(inline_result_, result_place);
  ++inline_depth_;
  scopes_.emplace_back();
  auto result = make(StatementKind::block, name.where);
  const auto restore = [&] {
    tokens_ = tokens;
    at_ = at;
    end_ = end;
    last_ = last;
    inline_result_ = outer_result;
    --inline_depth_;
  };
  try {
    result->branches.push_back(sequence("", ""));
    if (current().kind != TokenKind::end) fail_expected("a statement");
  } catch (const Unreadable&) {
    restore();
    throw;
  }
  restore();
  scopes_.pop_back();
  result->text = name.spelling;
  return result;
}

}  // namespace tideline::promela
