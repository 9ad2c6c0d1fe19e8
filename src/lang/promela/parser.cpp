#include "lang/promela/parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace tideline::promela {

namespace {
constexpr std::int64_t longest_array = 65536;
}

const Process* Program::find_process(std::string_view name) const {
  for (const auto& process : processes)
    if (process->name == name) return process.get();
  return nullptr;
}

std::uint32_t Program::name_set(const std::string& name) {
  const auto found = std::ranges::find(name_set_names, name);
  if (found != name_set_names.end()) return static_cast<std::uint32_t>(found - name_set_names.begin());
  name_set_names.push_back(name);
  name_sets.emplace_back(1);
  return static_cast<std::uint32_t>(name_sets.size() - 1);
}

std::optional<std::int64_t> constant_value(const Ex& ex, const Program& program) {
  switch (ex.kind) {
    case ExKind::number:
      return ex.value;
    case ExKind::variable: {
      if (ex.variable != nullptr || ex.parts.size() != 1 || !ex.parts[0].index.empty()) return std::nullopt;
      const auto found = program.message_names.find(ex.parts[0].name);
      if (found == program.message_names.end()) return std::nullopt;
      return found->second;
    }
    case ExKind::unary: {
      const auto value = constant_value(ex.args[0], program);
      if (!value) return std::nullopt;
      return apply_unary(ex.op, *value);
    }
    case ExKind::binary: {
      const auto left = constant_value(ex.args[0], program);
      const auto right = constant_value(ex.args[1], program);
      if (!left || !right) return std::nullopt;
      ModelErrorKind error = ModelErrorKind::none;
      const std::int64_t value = apply_binary(ex.op, *left, *right, error);
      if (error != ModelErrorKind::none) return std::nullopt;
      return value;
    }
    case ExKind::conditional: {
      const auto condition = constant_value(ex.args[0], program);
      if (!condition) return std::nullopt;
      return constant_value(ex.args[*condition != 0 ? 1 : 2], program);
    }
    default:
      return std::nullopt;
  }
}

Parser::Parser(const std::vector<Token>& tokens, Diagnostics& diagnostics, Program& program)
    : tokens_(&tokens), end_(tokens.size()), diagnostics_(diagnostics), program_(program) {
  if (!tokens.empty()) {
    last_.where = tokens.back().where;
    last_.where.column += static_cast<std::uint32_t>(tokens.back().spelling.size());
  }
  scopes_.emplace_back();
  for (const auto& variable : program.globals) scopes_.front()[variable->name] = variable.get();
  for (const auto& process : program.processes) process_names_.insert(process->name);
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
    if (tokens[i].is("proctype") || tokens[i].is("D_proctype")) process_names_.insert(tokens[i + 1].spelling);
}

// --- the token stream -------------------------------------------------------------------------------------

void Parser::fail(SourcePoint where, std::string message) {
  diagnostics_.error(where, std::move(message));
  throw Unreadable{};
}

void Parser::fail_expected(std::string_view what) {
  const Token& token = current();
  const std::string found =
      token.kind == TokenKind::end ? "the end of the text" : fmt::format("'{}'", abbreviate(token.spelling));
  fail(token.where, fmt::format("expected {}, found {}", what, found));
}

void Parser::expect(std::string_view spelling, std::string_view context) {
  if (!accept(spelling)) fail_expected(fmt::format("'{}' {}", spelling, context));
}

std::string Parser::expect_name(std::string_view what) {
  if (current().kind != TokenKind::name || is_reserved_word(current().spelling)) fail_expected(what);
  return take().spelling;
}

std::string Parser::text_since(std::size_t begin) const {
  std::vector<Token> tokens(tokens_->begin() + static_cast<std::ptrdiff_t>(begin),
                            tokens_->begin() + static_cast<std::ptrdiff_t>(std::min(at_, end_)));
  return to_text(tokens);
}

const Variable* Parser::find(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto found = scope->find(name); found != scope->end()) return found->second;
  return nullptr;
}

// --- units ------------------------------------------------------------------------------------------------

void Parser::units() {
  while (current().kind != TokenKind::end) {
    const std::size_t begin = at_;
    try {
      unit();
    } catch (const Unreadable&) {
      // Goes on at the next thing that can only begin a unit.
      process_ = nullptr;
      scopes_.resize(1);
      nesting_ = 0;
      inline_depth_ = 0;
      if (at_ == begin) ++at_;
      while (current().kind != TokenKind::end && !at("proctype") && !at("active") && !at("init") &&
             !at("never") && !at("inline") && !at("typedef") && !at("ltl"))
        ++at_;
    }
  }
}

void Parser::unit() {
  if (accept(";")) return;
  if (at("proctype") || at("D_proctype")) return proctype(0);
  if (accept("active")) {
    std::int64_t count = 1;
    if (accept("[")) {
      const SourcePoint where = current().where;
      count = length("the number of processes");
      if (count < 0 || count > 255) fail(where, "the number of active processes lies between 0 and 255");
      expect("]", "after the number of processes");
    }
    if (!at("proctype") && !at("D_proctype")) fail_expected("'proctype' after 'active'");
    return proctype(static_cast<std::uint32_t>(count));
  }
  if (at("init")) return init();
  if (at("never") || at("trace") || at("notrace")) return never();
  if (at("inline")) return inline_definition();
  if (at("typedef")) return structure_definition();
  if (at("ltl")) return ltl();
  if (at("c_code") || at("c_decl") || at("c_expr") || at("c_state") || at("c_track"))
    refuse_embedded_c(diagnostics_.source(), current());
  const Token& after_type = at("mtype") && ahead(1).is(":") ? ahead(3) : ahead(1);
  if (at("mtype") && (after_type.is("=") || after_type.is("{"))) return message_names();
  if (at("xr") || at("xs"))
    fail(current().where, fmt::format("'{}' belongs into a proctype", current().spelling));
  if (at_declaration()) return declaration(program_.globals, nullptr);
  if (at("const")) fail(current().where, "Promela has no 'const'; write '#define NAME value'");
  if (current().kind == TokenKind::name && ahead(1).kind == TokenKind::name &&
      !is_reserved_word(current().spelling)) {
    Suggestion suggestion(current().spelling);
    for (const auto& s : program_.structures) suggestion.offer(s->name);
    for (const std::string_view word : {"proctype", "active", "init", "never", "inline", "typedef"})
      suggestion.offer(word);
    for (const std::string_view word : type_names) suggestion.offer(word);
    if (!suggestion.text().empty())
      fail(current().where,
           fmt::format("unknown word '{}'{}", abbreviate(current().spelling), suggestion.text()));
  }
  fail_expected("a declaration or 'proctype'");
}

void Parser::priority() {
  const SourcePoint where = current().where;
  if (!accept("priority")) return;
  if (constant("a priority") != 1)
    fail(where, "process priorities are not supported; without them every process may move at any time");
}

void Parser::parameters(Process& process) {
  expect("(", fmt::format("and parameters after '{}'", process.name));
  while (!accept(")")) {
    if (accept(";") || accept(",")) continue;
    if (!at_declaration()) fail_expected("the type of a parameter or ')'");
    const std::size_t before = process.variables.size();
    const Type type = this->type();
    do {
      const Token name = current();
      auto variable = std::make_unique<Variable>();
      variable->name = expect_name("the name of a parameter");
      variable->type = type;
      variable->where = name.where;
      variable->owner = &process;
      variable->is_parameter = true;
      width(variable->type);
      if (at("[")) fail(current().where, "an array cannot be a parameter");
      process.variables.push_back(std::move(variable));
      // `byte a, b` and `byte a, byte b` are both written.
    } while (at(",") && !(ahead(1).kind == TokenKind::name && ahead(2).kind == TokenKind::name) &&
             accept(","));
    for (std::size_t i = before; i < process.variables.size(); ++i) declare(*process.variables[i]);
  }
  for (const auto& variable : process.variables) process.parameters.push_back(variable.get());
}

void Parser::proctype(std::uint32_t active) {
  take();
  auto process = std::make_unique<Process>();
  process->where = current().where;
  process->name = expect_name("the name of a proctype");
  process->active = active;
  if (program_.find_process(process->name) != nullptr)
    diagnostics_.error(process->where, fmt::format("proctype '{}' is defined twice", process->name));
  process_ = process.get();
  scopes_.emplace_back();
  parameters(*process);
  priority();
  if (accept("provided")) {
    expect("(", "after 'provided'");
    process->provided = expression();
    expect(")", "after the condition of 'provided'");
  }
  priority();
  process_body(*process);
  program_.processes.push_back(std::move(process));
}

void Parser::process_body(Process& process) {
  const SourcePoint open = current().where;
  expect("{", "before the body");
  before_first_statement_ = true;
  inline_labels_.clear();
  process.body = sequence("}", fmt::format("the '{{' of line {}", line_of(open)));
  if (process.body.empty() && process.variables.size() == process.parameters.size())
    fail(current().where, "a body needs at least one statement");
  expect("}", fmt::format("at the end of '{}'", process.name));
  scopes_.pop_back();
  process_ = nullptr;
}

void Parser::init() {
  auto process = std::make_unique<Process>();
  process->where = take().where;
  process->name = ":init:";
  process->kind = ProcessKind::init;
  process->active = 1;
  if (program_.find_process(process->name) != nullptr)
    diagnostics_.error(process->where, "there are two init processes");
  process_ = process.get();
  scopes_.emplace_back();
  priority();
  process_body(*process);
  program_.processes.push_back(std::move(process));
}

void Parser::never() {
  auto process = std::make_unique<Process>();
  const Token word = take();
  process->where = word.where;
  process->name = fmt::format(":{}:", word.spelling);
  process->kind = word.is("never")   ? ProcessKind::never
                  : word.is("trace") ? ProcessKind::trace
                                     : ProcessKind::notrace;
  if (current().kind == TokenKind::name && ahead(1).is("{")) process->name = take().spelling;
  process_ = process.get();
  scopes_.emplace_back();
  process_body(*process);
  program_.processes.push_back(std::move(process));
}

void Parser::inline_definition() {
  take();
  const Token where = current();
  const std::string name = expect_name("the name of an inline");
  Inline definition;
  expect("(", fmt::format("and parameters after '{}'", name));
  while (!accept(")")) {
    if (accept(",") || accept(";")) continue;
    definition.parameters.push_back(expect_name("the name of a parameter"));
  }
  if (!at("{")) fail_expected(fmt::format("the body of '{}' in braces", name));
  const SourcePoint open = take().where;
  for (int depth = 1;;) {
    if (current().kind == TokenKind::end) fail(open, fmt::format("the body of '{}' is not closed", name));
    if (at("{")) ++depth;
    if (at("}") && --depth == 0) break;
    definition.body.push_back(take());
  }
  take();
  if (inlines_.contains(name)) diagnostics_.error(where.where, fmt::format("'{}' is defined twice", name));
  inlines_[name] = std::move(definition);
}

void Parser::structure_definition() {
  take();
  auto structure = std::make_unique<Structure>();
  const SourcePoint where = current().where;
  structure->name = expect_name("the name of a type");
  expect("{", "and the fields of the type");
  while (!accept("}")) {
    if (accept(";") || accept(",")) continue;
    if (!at_declaration()) fail_expected("a field or '}'");
    declaration(structure->fields, nullptr, true);
  }
  if (structure->fields.empty()) fail(where, "a type needs at least one field");
  program_.structures.push_back(std::move(structure));
}

void Parser::message_names() {
  take();
  std::string set;
  if (accept(":")) set = expect_name("the name of a set of messages");
  accept("=");
  expect("{", "before the message names");
  std::vector<Token> names;
  while (!accept("}")) {
    if (accept(",")) continue;
    names.push_back(current());
    expect_name("a message name");
  }
  accept(";");
  // The last name of a declaration is 1 more than what the set had before, the first one is the highest.
  std::vector<std::string>& known = program_.name_sets[program_.name_set(set)];
  const auto used = static_cast<std::int64_t>(known.size()) - 1;
  for (std::size_t i = names.size(); i-- > 0;) known.push_back(names[i].spelling);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (program_.message_names.contains(names[i].spelling))
      diagnostics_.error(names[i].where,
                         fmt::format("message name '{}' is declared twice", names[i].spelling));
    program_.message_names[names[i].spelling] = used + static_cast<std::int64_t>(names.size() - i);
  }
  if (known.size() > 256) fail(names.back().where, "there are more than 255 message names");
}

void Parser::ltl() {
  const SourcePoint where = take().where;
  Formula formula;
  formula.where = where;
  formula.name =
      at("{") ? fmt::format("ltl_{}", unnamed_formulas_++) : expect_name("the name of the formula");
  expect("{", "before the formula");
  formula.text = this->formula(formula, 0);
  accept(";");
  if (const Token& previous = (*tokens_)[at_ - 1]; previous.is("G") || previous.is("F"))
    fail(previous.where, fmt::format("write '{0}' or '{1}' for '{2}'", previous.is("G") ? "[]" : "<>",
                                     previous.is("G") ? "always" : "eventually", previous.spelling));
  expect("}", "after the formula");
  program_.formulas.push_back(std::move(formula));
}

// --- declarations -----------------------------------------------------------------------------------------

bool Parser::at_declaration() const {
  if (current().kind != TokenKind::name) return false;
  if (at("hidden") || at("show") || at("local")) return true;
  if (std::ranges::find(type_names, current().spelling) != type_names.end()) return true;
  return std::ranges::any_of(program_.structures,
                             [&](const auto& s) { return s->name == current().spelling; }) &&
         ahead(1).kind == TokenKind::name;
}

Type Parser::type() {
  const Token word = take();
  const auto& name = word.spelling;
  Type type;
  if (name == "bit" || name == "bool")
    type = {.base = BaseType::bit, .boolean = name == "bool"};
  else if (name == "byte")
    type = {.base = BaseType::byte};
  else if (name == "short")
    type = {.base = BaseType::short_};
  else if (name == "int")
    type = {.base = BaseType::int_};
  else if (name == "unsigned")
    type = {.base = BaseType::unsigned_, .bits = 0};
  else if (name == "mtype") {
    type = {.base = BaseType::mtype};
    if (accept(":")) type.names = program_.name_set(expect_name("the name of a set of messages"));
  } else if (name == "chan")
    type = {.base = BaseType::chan};
  else if (name == "pid")
    type = {.base = BaseType::pid};
  else {
    for (const auto& s : program_.structures)
      if (s->name == name) type = {.base = BaseType::structure, .structure = s.get()};
    if (type.structure == nullptr) {
      Suggestion suggestion(name);
      for (const auto& s : program_.structures) suggestion.offer(s->name);
      fail(word.where, fmt::format("unknown type '{}'{}", abbreviate(name), suggestion.text()));
    }
  }
  return type;
}

std::int64_t Parser::constant(std::string_view what) {
  const SourcePoint where = current().where;
  const Ex ex = expression();
  const auto value = constant_value(ex, program_);
  if (!value) fail(where, fmt::format("{} has to be a constant", what));
  return *value;
}

/// A constant, or a variable with a value of its own from the beginning, which is taken.
std::int64_t Parser::length(std::string_view what) {
  const Token name = current();
  const Variable* const variable = name.kind == TokenKind::name ? find(name.spelling) : nullptr;
  if (variable == nullptr || !ahead(1).is("]") || variable->is_array || variable->initial.size() != 1)
    return constant(what);
  const auto value = constant_value(variable->initial.front(), program_);
  if (!value) return constant(what);
  take();
  diagnostics_.warning(name.where, fmt::format("'{}' is a variable; {} is {}, which it has at the beginning",
                                               abbreviate(name.spelling), what, *value));
  return *value;
}

/// Behind the name of an unsigned: how many bits it has.
void Parser::width(Type& type) {
  if (type.base != BaseType::unsigned_) return;
  type.bits = 32;
  if (!accept(":")) return;
  const SourcePoint where = current().where;
  const std::int64_t bits = constant("the width of an unsigned");
  if (bits < 1 || bits > 32) fail(where, "the width of an unsigned lies between 1 and 32");
  type.bits = static_cast<std::uint32_t>(bits);
}

ChannelShape Parser::channel_shape() {
  take();
  ChannelShape shape;
  const SourcePoint where = current().where;
  const std::int64_t capacity = constant("the capacity of a channel");
  if (capacity < 0 || capacity > 255) fail(where, "the capacity of a channel lies between 0 and 255");
  shape.capacity = static_cast<std::uint32_t>(capacity);
  expect("]", "after the capacity");
  expect("of", "and the fields of a message");
  expect("{", "before the fields of a message");
  do {
    if (current().kind != TokenKind::name) fail_expected("the type of a field");
    shape.fields.push_back(type());
    width(shape.fields.back());
  } while (accept(","));
  expect("}", "after the fields of a message");
  return shape;
}

void Parser::declare(const Variable& variable) {
  auto& scope = scopes_.back();
  if (is_reserved_word(variable.name))
    diagnostics_.error(variable.where, fmt::format("'{}' is a reserved word", variable.name));
  if (scope.contains(variable.name))
    diagnostics_.error(variable.where, fmt::format("'{}' is declared twice", abbreviate(variable.name)));
  else if (program_.message_names.contains(variable.name))
    diagnostics_.error(variable.where,
                       fmt::format("'{}' is a message name already", abbreviate(variable.name)));
  scope[variable.name] = &variable;
}

void Parser::declaration(std::vector<std::unique_ptr<Variable>>& variables, Sequence* steps, bool fields) {
  bool hidden = false;
  while (at("hidden") || at("show") || at("local")) hidden = take().is("hidden") || hidden;
  const Type type = this->type();
  do {
    auto variable = std::make_unique<Variable>();
    const std::size_t begin = at_;
    variable->where = current().where;
    variable->name = expect_name("the name of a variable");
    if (at("(") && process_ == nullptr)
      fail(variable->where,
           "Promela has no functions; write 'proctype', or 'inline' for statements that are used often");
    variable->type = type;
    variable->hidden = hidden;
    variable->owner = fields ? nullptr : process_;
    width(variable->type);
    if (accept("[")) {
      const SourcePoint where = current().where;
      const std::int64_t length = this->length("the length of an array");
      if (length < 1 || length > longest_array)
        fail(where, fmt::format("the length of an array lies between 1 and {}", longest_array));
      variable->is_array = true;
      variable->length = static_cast<std::uint32_t>(length);
      expect("]", "after the length of the array");
    }
    const bool is_step = steps != nullptr && !before_first_statement_;
    if (accept("=")) {
      if (at("[") && type.base == BaseType::chan) {
        if (is_step) fail(variable->where, "a channel has to be created at the beginning of a proctype");
        variable->channel = channel_shape();
      } else if (accept("{")) {
        do variable->initial.push_back(expression());
        while (accept(","));
        expect("}", "after the values");
      } else {
        variable->initial.push_back(expression());
      }
    }
    if (!fields) declare(*variable);
    // Further down in a body, a declaration is a step that sets the variable, the first element of an array, or
    // nothing of a structure.
    if (is_step) {
      const Ex zero{.kind = ExKind::number, .where = variable->where};
      variable->set_at_creation = false;
      const bool whole = type.base == BaseType::structure;
      auto assignment = make(whole ? StatementKind::print : StatementKind::assignment, variable->where);
      assignment->target = {.kind = ExKind::variable,
                            .variable = variable.get(),
                            .parts = {{variable->name, {}}},
                            .where = variable->where};
      assignment->value = variable->initial.empty() ? zero : variable->initial.front();
      assignment->text = text_since(begin);
      steps->push_back(std::move(assignment));
    }
    variables.push_back(std::move(variable));
  } while (accept(","));
}

}  // namespace tideline::promela
