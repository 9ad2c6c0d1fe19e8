#include "lang/dve/parser.hpp"

#include <fmt/format.h>

#include <utility>

#include "lang/dve/expression.hpp"
#include "lang/dve/mistakes.hpp"

namespace tideline::dve {

namespace {

class Parser {
 public:
  Parser(std::string_view text, Diagnostics& diagnostics, bool strict)
      : tokens_(text, {1, 1}, diagnostics), expressions_(tokens_, file_.nodes, strict), strict_(strict) {}

  File file();

 private:
  bool at(TokenKind kind) const { return tokens_.at(kind); }
  bool at_declaration() const {
    return at(TokenKind::kw_const) || at(TokenKind::kw_byte) || at(TokenKind::kw_int);
  }
  bool at_clause() const;
  Name name(std::string_view context);
  std::vector<Name> names(std::string_view context);

  void top_level();
  void skip_to_top_level();
  void system_clause();

  void declarations(std::vector<Declaration>& into);
  void initialiser(Declaration& declaration);
  Type type();
  void channels();
  bool at_template() { return at(TokenKind::identifier) && tokens_.next().kind == TokenKind::less; }
  TemplateParameter template_parameter(std::string_view what);

  void process();
  void process_clause(ProcessClause& process);
  void skip_clause();
  void end_clause(ProcessClause& process);
  void accept_clause(ProcessClause& process);
  void generalised_accept(ProcessClause& process);
  void assert_clause(ProcessClause& process);

  void transitions(ProcessClause& process);
  void transition(ProcessClause& process);
  void skip_transition();
  void transition_body(TransitionClause& transition);
  NodeId condition();
  NodeId guards();
  void sync_clause(TransitionClause& transition);
  void effect_clause(TransitionClause& transition);

  TokenStream tokens_;
  File file_;
  ExpressionParser expressions_;
  bool strict_;
};

Name Parser::name(std::string_view context) {
  const Token token = tokens_.expect(TokenKind::identifier, context);
  return {token.text, token.where};
}

std::vector<Name> Parser::names(std::string_view context) {
  std::vector<Name> list;
  do list.push_back(name(context));
  while (tokens_.accept(TokenKind::comma));
  return list;
}

// --- The file -------------------------------------------------------------------------------------------

File Parser::file() {
  if (at(TokenKind::end)) tokens_.diagnostics().error({}, "the file contains no model");
  while (!at(TokenKind::end) && file_.system_where.line == 0) {
    try {
      top_level();
    } catch (const SyntaxError&) {
      skip_to_top_level();
    }
  }
  if (!at(TokenKind::end))
    tokens_.diagnostics().error(
        tokens_.current().where,
        fmt::format("expected nothing after the system clause, found {}", describe(tokens_.current())));
  else if (file_.system_where.line == 0 && !tokens_.diagnostics().has_errors())
    tokens_.diagnostics().error(tokens_.current().where,
                                "expected 'system async;' or 'system sync;' at the end of the model");
  tokens_.diagnostics().throw_if_errors();
  file_.property_lines = tokens_.take_property_lines();
  return std::move(file_);
}

void Parser::top_level() {
  if (at_declaration()) return declarations(file_.globals);
  switch (tokens_.current().kind) {
    case TokenKind::kw_channel:
      return channels();
    case TokenKind::kw_process:
      return process();
    case TokenKind::kw_system:
      return system_clause();
    case TokenKind::kw_property:
      tokens_.fail(tokens_.current().where,
                   "a property is a process that the last line names: 'system async property NAME;'");
    default:
      refuse_foreign_declaration(tokens_);
      tokens_.fail_expected("a declaration, 'process' or 'system'");
  }
}

void Parser::skip_to_top_level() {
  for (;;) {
    if (at(TokenKind::end) || at(TokenKind::kw_process) || at(TokenKind::kw_system)) break;
    if (tokens_.open_braces() <= 0 && (at_declaration() || at(TokenKind::kw_channel))) break;
    const bool closes = tokens_.open_braces() <= 0 && at(TokenKind::semicolon);
    tokens_.take();
    if (closes) break;
  }
  tokens_.set_open_braces(0);
}

void Parser::system_clause() {
  const SourcePoint where = tokens_.take().where;
  if (tokens_.accept(TokenKind::kw_sync))
    file_.synchronous = true;
  else if (!tokens_.accept(TokenKind::kw_async))
    tokens_.fail_expected("'async' or 'sync' after 'system'");
  if (tokens_.accept(TokenKind::kw_property)) file_.property = name("of the property process");
  tokens_.expect(TokenKind::semicolon, "after the system clause");
  file_.system_where = where;
}

// --- Declarations ---------------------------------------------------------------------------------------

Type Parser::type() {
  if (tokens_.accept(TokenKind::kw_byte)) return Type::byte_type;
  if (tokens_.accept(TokenKind::kw_int)) return Type::int_type;
  refuse_foreign_type(tokens_);
  tokens_.fail_expected("'byte' or 'int'");
}

void Parser::declarations(std::vector<Declaration>& into) {
  const bool is_const = tokens_.accept(TokenKind::kw_const);
  const Type kind = type();
  do {
    Declaration declaration{.is_const = is_const, .type = kind, .name = name("to declare")};
    if (tokens_.accept(TokenKind::left_bracket)) {
      declaration.length = expressions_.expression();
      tokens_.expect(TokenKind::right_bracket, "after the length of the array");
      if (at(TokenKind::left_bracket)) tokens_.fail(tokens_.current().where, "an array has one index");
    }
    if (tokens_.accept(TokenKind::assign)) initialiser(declaration);
    if (&into == &file_.globals) file_.is_channel.push_back(false);
    into.push_back(std::move(declaration));
  } while (tokens_.accept(TokenKind::comma));
  tokens_.expect(TokenKind::semicolon, "after the declaration");
}

void Parser::initialiser(Declaration& declaration) {
  if (!tokens_.accept(TokenKind::left_brace)) {
    declaration.values.push_back(expressions_.expression());
    return;
  }
  declaration.has_list = true;
  do declaration.values.push_back(expressions_.expression());
  while (tokens_.accept(TokenKind::comma));
  tokens_.expect(TokenKind::right_brace, "after the initial values");
}

void Parser::channels() {
  tokens_.take();
  std::vector<Type> fields;
  const bool typed = tokens_.accept(TokenKind::left_brace);
  if (typed) {
    do fields.push_back(type());
    while (tokens_.accept(TokenKind::comma));
    tokens_.expect(TokenKind::right_brace, "after the types of the channel");
  }
  do {
    ChannelDeclaration channel{.name = name("of a channel"), .typed = typed, .fields = fields};
    bool sized = tokens_.accept(TokenKind::left_bracket);
    if (sized && at_template()) {
      channel.parameter = template_parameter("channels");
      sized = tokens_.accept(TokenKind::left_bracket);
    }
    if (sized) {
      if (!typed)
        tokens_.fail(channel.name.where,
                     fmt::format("channel '{}' needs types to have a buffer: 'channel {{byte}} {}[...]'",
                                 abbreviate(channel.name.text), abbreviate(channel.name.text)));
      channel.capacity = expressions_.expression();
      tokens_.expect(TokenKind::right_bracket, "after the size of the channel's buffer");
    }
    file_.is_channel.push_back(true);
    file_.channels.push_back(std::move(channel));
  } while (tokens_.accept(TokenKind::comma));
  tokens_.expect(TokenKind::semicolon, "after the channels");
}

/// Reads the rest of `[i < N]`.
TemplateParameter Parser::template_parameter(std::string_view what) {
  if (strict_) refuse_extension(tokens_, fmt::format("a template of {}", what));
  TemplateParameter parameter{.name = name("of the number of an instance")};
  tokens_.expect(TokenKind::less, fmt::format("and the number of {}", what));
  parameter.count = expressions_.expression();
  tokens_.expect(TokenKind::right_bracket, fmt::format("after the number of {}", what));
  return parameter;
}

// --- Processes ------------------------------------------------------------------------------------------

void Parser::process() {
  tokens_.take();
  ProcessClause process{.name = name("of a process")};
  tokens_.set_open_braces(0);
  if (at(TokenKind::left_bracket) && tokens_.next().kind == TokenKind::identifier) {
    tokens_.take();
    process.parameter = template_parameter("processes");
  }
  refuse_process_parameters(tokens_, process.name.text);
  tokens_.expect(TokenKind::left_brace, "to open the process");
  while (!at(TokenKind::right_brace)) {
    if (at(TokenKind::end) || at(TokenKind::kw_process) || at(TokenKind::kw_system))
      tokens_.fail_expected(fmt::format("'}}' to close process '{}' of line {}",
                                        abbreviate(process.name.text), process.name.where.line));
    try {
      process_clause(process);
    } catch (const SyntaxError&) {
      skip_clause();
    }
  }
  tokens_.take();
  tokens_.accept(TokenKind::semicolon);
  file_.processes.push_back(std::move(process));
}

bool Parser::at_clause() const {
  switch (tokens_.current().kind) {
    case TokenKind::kw_state:
    case TokenKind::kw_init:
    case TokenKind::kw_commit:
    case TokenKind::kw_accept:
    case TokenKind::kw_assert:
    case TokenKind::kw_trans:
    case TokenKind::kw_process:
    case TokenKind::kw_system:
    case TokenKind::end:
      return true;
    default:
      return false;
  }
}

// Skips past the next ';' of the process, or to the end of the process or the next clause.
void Parser::skip_clause() {
  while (!at_clause()) {
    if (tokens_.open_braces() <= 1 && (at(TokenKind::right_brace) || at_declaration())) return;
    const bool closes = tokens_.open_braces() <= 1 && at(TokenKind::semicolon);
    tokens_.take();
    if (closes) return;
  }
  tokens_.set_open_braces(1);
}

void Parser::process_clause(ProcessClause& process) {
  if (at_declaration()) return declarations(process.declarations);
  // Not a reserved word: models of others have states of this name.
  if (at(TokenKind::identifier) && tokens_.current().text == "end") return end_clause(process);
  switch (tokens_.current().kind) {
    case TokenKind::kw_state: {
      tokens_.take();
      for (Name state : names("of a state")) process.states.push_back(state);
      break;
    }
    case TokenKind::kw_init: {
      const SourcePoint where = tokens_.take().where;
      if (process.init) tokens_.fail(where, "this process already has an initial state");
      process.init = name("of the initial state");
      if (at(TokenKind::comma)) tokens_.fail(tokens_.current().where, "a process has one initial state");
      break;
    }
    case TokenKind::kw_commit: {
      tokens_.take();
      for (Name state : names("of a committed state")) process.committed.push_back(state);
      break;
    }
    case TokenKind::kw_accept:
      accept_clause(process);
      break;
    case TokenKind::kw_assert:
      assert_clause(process);
      break;
    case TokenKind::kw_trans:
      return transitions(process);
    case TokenKind::kw_channel:
      tokens_.fail(tokens_.current().where, "channels are declared outside of processes");
    default:
      refuse_foreign_declaration(tokens_);
      tokens_.fail_expected(
          "a declaration, 'state', 'init', 'commit', 'end', 'accept', 'assert', 'trans' or '}'");
  }
  tokens_.expect(TokenKind::semicolon, "after the clause");
}

void Parser::end_clause(ProcessClause& process) {
  if (strict_) refuse_extension(tokens_, "an 'end' clause");
  tokens_.take();
  for (Name state : names("of a state where the process may end")) process.ends.push_back(state);
  tokens_.expect(TokenKind::semicolon, "after the clause");
}

void Parser::accept_clause(ProcessClause& process) {
  const SourcePoint where = tokens_.take().where;
  if (process.accept_where.line != 0) tokens_.fail(where, "this process already has an accept clause");
  process.accept_where = where;
  const Name first = name("of an accepting state");
  const bool is_state = at(TokenKind::comma) || at(TokenKind::semicolon);
  if (is_state) {
    process.accepting = {{first}};
    if (!tokens_.accept(TokenKind::comma)) return;
    for (Name state : names("of an accepting state")) process.accepting[0].push_back(state);
  } else if (first.text == "buchi") {
    process.accepting = {names("of an accepting state")};
  } else if (first.text == "genbuchi") {
    generalised_accept(process);
  } else if (first.text == "muller" || first.text == "rabin" || first.text == "streett") {
    tokens_.fail(first.where, fmt::format("acceptance '{}' is not supported: only 'buchi' and 'genbuchi' are",
                                          first.text));
  } else {
    tokens_.fail_expected("',' or ';' after the accepting state");
  }
}

void Parser::generalised_accept(ProcessClause& process) {
  do {
    tokens_.expect(TokenKind::left_paren, "before an acceptance set");
    if (process.accepting.size() == PropertyProcess::most_sets)
      tokens_.fail(tokens_.current().where,
                   fmt::format("more than {} acceptance sets are not supported", PropertyProcess::most_sets));
    process.accepting.emplace_back();
    if (!at(TokenKind::right_paren)) process.accepting.back() = names("of an accepting state");
    tokens_.expect(TokenKind::right_paren, "after an acceptance set");
  } while (tokens_.accept(TokenKind::comma));
}

void Parser::assert_clause(ProcessClause& process) {
  tokens_.take();
  do {
    AssertClause assertion{.state = name("of the state of the assertion"), .text = {}};
    tokens_.expect(TokenKind::colon, "after the state of the assertion");
    const char* begin = tokens_.current().text.data();
    assertion.condition = condition();
    assertion.text = {begin, static_cast<std::size_t>(tokens_.end_of_last() - begin)};
    process.assertions.push_back(assertion);
  } while (tokens_.accept(TokenKind::comma));
}

// --- Transitions ----------------------------------------------------------------------------------------

void Parser::transitions(ProcessClause& process) {
  tokens_.take();
  if (tokens_.accept(TokenKind::semicolon)) return;
  for (bool warned = false;;) {
    try {
      transition(process);
    } catch (const SyntaxError&) {
      skip_transition();
      if (at_clause() || at(TokenKind::right_brace)) return;
    }
    if (tokens_.accept(TokenKind::semicolon)) return;
    if (tokens_.accept(TokenKind::comma)) continue;
    // DiVinE 3 requires neither the commas nor the semicolon.
    if (at(TokenKind::right_brace)) return;
    if (!at(TokenKind::identifier) && !at(TokenKind::arrow))
      tokens_.fail_expected("',' or ';' after the transition");
    if (!std::exchange(warned, true))
      tokens_.diagnostics().warning(tokens_.current().where,
                                    "missing ',' between this transition and the one before it");
  }
}

// Skips past the '}' of the broken transition, to a ',' or ';' if that comes first, or to the end of the
// process or the clause.
void Parser::skip_transition() {
  while (!at_clause()) {
    const bool outside = tokens_.open_braces() <= 1;
    if (outside && (at(TokenKind::comma) || at(TokenKind::semicolon) || at(TokenKind::right_brace))) return;
    const bool closes = tokens_.open_braces() == 2 && at(TokenKind::right_brace);
    tokens_.take();
    if (closes) return;
  }
  tokens_.set_open_braces(1);
}

void Parser::transition(ProcessClause& process) {
  TransitionClause transition;
  if (at(TokenKind::arrow)) {
    if (process.transitions.empty())
      tokens_.fail_expected("the state that the first transition of the process leaves");
    transition.from = {process.transitions.back().from.text, tokens_.current().where};
  } else {
    transition.from = name("of the state that the transition leaves");
  }
  if (at(TokenKind::double_arrow))
    tokens_.fail(tokens_.current().where, "probabilistic transitions ('=>') are not supported");
  tokens_.expect(TokenKind::arrow, fmt::format("after state '{}'", abbreviate(transition.from.text)));
  transition.to = name("of the state that the transition enters");
  transition_body(transition);
  process.transitions.push_back(std::move(transition));
}

void Parser::transition_body(TransitionClause& transition) {
  tokens_.expect(TokenKind::left_brace, "to open the transition");
  while (!tokens_.accept(TokenKind::right_brace)) {
    const Token& clause = tokens_.current();
    const auto once = [&](bool seen) {
      if (seen) tokens_.fail(clause.where, fmt::format("this transition has a second '{}'", clause.text));
      tokens_.take();
    };
    switch (clause.kind) {
      case TokenKind::kw_guard:
        once(transition.guard != no_node);
        transition.guard = guards();
        tokens_.expect(TokenKind::semicolon, "after the guard");
        break;
      case TokenKind::kw_sync:
        once(transition.sync.has_value());
        sync_clause(transition);
        break;
      case TokenKind::kw_effect:
        once(!transition.effects.empty());
        effect_clause(transition);
        break;
      default:
        refuse_stray_assignment(tokens_);
        tokens_.fail_expected("'guard', 'sync', 'effect' or '}'");
    }
  }
}

NodeId Parser::condition() {
  const NodeId result = expressions_.expression();
  refuse_foreign_operator(tokens_);
  return result;
}

/// All guards of a list must hold.
NodeId Parser::guards() {
  NodeId all = condition();
  while (at(TokenKind::comma)) {
    const SourcePoint where = tokens_.take().where;
    all = expressions_.both(all, condition(), where);
  }
  return all;
}

void Parser::sync_clause(TransitionClause& transition) {
  SyncClause sync{.channel = name("of a channel"), .items = {}};
  if (at(TokenKind::arrow))
    tokens_.fail(tokens_.current().where, "channels do not belong to a process: write the name alone");
  if (at(TokenKind::left_bracket)) {
    if (strict_) refuse_extension(tokens_, "the index of a channel");
    tokens_.take();
    sync.index = expressions_.expression();
    tokens_.expect(TokenKind::right_bracket,
                   fmt::format("after the index of channel '{}'", abbreviate(sync.channel.text)));
  }
  if (tokens_.accept(TokenKind::exclamation))
    sync.sends = true;
  else if (!tokens_.accept(TokenKind::question))
    tokens_.fail_expected(fmt::format("'!' or '?' after channel '{}'", abbreviate(sync.channel.text)));
  const auto item = [&] {
    sync.items.push_back(sync.sends ? expressions_.expression()
                                    : expressions_.target("of a variable to receive into"));
  };
  if (tokens_.accept(TokenKind::left_brace)) {
    do item();
    while (tokens_.accept(TokenKind::comma));
    tokens_.expect(TokenKind::right_brace, "after the message");
  } else if (!at(TokenKind::semicolon)) {
    item();
  }
  tokens_.expect(TokenKind::semicolon, "after the synchronisation");
  transition.sync = std::move(sync);
}

void Parser::effect_clause(TransitionClause& transition) {
  do {
    EffectClause effect;
    effect.target = expressions_.target("of a variable to assign to");
    refuse_foreign_assignment(tokens_, file_.nodes[effect.target].text);
    tokens_.expect(TokenKind::assign, "after the variable");
    effect.value = expressions_.expression();
    transition.effects.push_back(effect);
  } while (tokens_.accept(TokenKind::comma));
  tokens_.expect(TokenKind::semicolon, "after the effect");
}

}  // namespace

File parse(std::string_view text, Diagnostics& diagnostics, bool strict) {
  return Parser(text, diagnostics, strict).file();
}

ParsedExpression parse_expression(std::string_view text, SourcePoint start, Diagnostics& diagnostics) {
  ParsedExpression result;
  try {
    TokenStream tokens(text, start, diagnostics);
    ExpressionParser parser(tokens, result.nodes);
    result.root = parser.expression();
    refuse_foreign_operator(tokens);
    if (!tokens.at(TokenKind::end)) tokens.fail_expected("an operator or the end of the expression");
  } catch (const SyntaxError&) {
    result.root = no_node;
  }
  diagnostics.throw_if_errors();
  return result;
}

}  // namespace tideline::dve
