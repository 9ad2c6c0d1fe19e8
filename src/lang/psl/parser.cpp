#include "lang/psl/parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tideline::psl {

namespace {

class Parser {
 public:
  Parser(std::string_view text, Diagnostics& diagnostics)
      : tokens_(text, {1, 1}, diagnostics), expressions_(tokens_, file_.nodes, false) {}

  File run() {
    while (!tokens_.at(TokenKind::end)) {
      try {
        definition();
      } catch (const SyntaxError&) {
        skip_to_definition();
      }
    }
    file_.end = tokens_.current().where;
    tokens_.diagnostics().throw_if_errors();
    file_.property_lines = tokens_.take_property_lines();
    return std::move(file_);
  }

 private:
  using Kind = TokenKind;

  static bool begins_definition(Kind kind) {
    return kind == Kind::kw_const || kind == Kind::kw_range || kind == Kind::kw_process ||
           kind == Kind::kw_network || kind == Kind::kw_system || kind == Kind::end;
  }
  void skip_to_definition() {
    while (!begins_definition(tokens_.current().kind)) tokens_.take();
  }
  /// Skips past the next ';', or to the end of the process.
  void skip_state() {
    while (!begins_definition(tokens_.current().kind) && !tokens_.at(Kind::right_brace))
      if (tokens_.take().kind == Kind::semicolon) return;
  }

  Name name(std::string_view context) {
    const Token token = tokens_.expect(Kind::identifier, context);
    return {token.text, token.where};
  }

  void definition() {
    switch (tokens_.current().kind) {
      case Kind::kw_const: {
        tokens_.take();
        ConstantClause clause{.name = name("of a constant")};
        tokens_.expect(Kind::assign, "after the name of the constant");
        clause.value = expressions_.expression();
        tokens_.expect(Kind::semicolon, "after the constant");
        file_.constants.push_back(clause);
        file_.is_range.push_back(false);
        return;
      }
      case Kind::kw_range: {
        tokens_.take();
        RangeClause clause{.name = name("of a range"), .range = {}};
        tokens_.expect(Kind::assign, "after the name of the range");
        clause.range = interval();
        tokens_.expect(Kind::semicolon, "after the range");
        file_.ranges.push_back(clause);
        file_.is_range.push_back(true);
        return;
      }
      case Kind::kw_process:
        return process();
      case Kind::kw_network:
        return network();
      case Kind::kw_system:
        return system();
      default:
        tokens_.fail_expected("'const', 'range', 'process', 'network' or 'system'");
    }
  }

  Interval interval() {
    Interval result{.where = tokens_.current().where};
    const NodeId first = expressions_.expression();
    if (tokens_.accept(Kind::dots)) {
      result.low = first;
      result.high = expressions_.expression();
      return result;
    }
    const Node& node = file_.nodes[first];
    if (node.kind != Node::Kind::name) tokens_.fail_expected("'..' between the first and the last value");
    result.name = {node.text, node.where};
    return result;
  }

  std::vector<Parameter> parameters(bool initial) {
    std::vector<Parameter> result;
    if (!tokens_.accept(Kind::left_paren)) return result;
    do {
      Parameter parameter{.name = name("of a parameter"), .range = {}};
      tokens_.expect(Kind::colon, fmt::format("and a range after '{}'", abbreviate(parameter.name.text)));
      parameter.range = interval();
      if (tokens_.at(Kind::assign)) {
        const SourcePoint where = tokens_.take().where;
        if (!initial) tokens_.fail(where, "only the first state of a process has initial values");
        parameter.initial = expressions_.expression();
      }
      result.push_back(parameter);
    } while (tokens_.accept(Kind::comma));
    tokens_.expect(Kind::right_paren, "after the parameters");
    return result;
  }

  std::vector<NodeId> arguments() {
    std::vector<NodeId> result;
    if (!tokens_.accept(Kind::left_paren)) return result;
    do result.push_back(expressions_.expression());
    while (tokens_.accept(Kind::comma));
    tokens_.expect(Kind::right_paren, "after the arguments");
    return result;
  }

  // --- Processes ----------------------------------------------------------------------------------------

  void process() {
    tokens_.take();
    ProcessClause clause{.name = name("of a process")};
    clause.parameters = parameters(false);
    tokens_.expect(Kind::left_brace, "before the states of the process");
    while (!tokens_.at(Kind::right_brace)) {
      if (begins_definition(tokens_.current().kind))
        tokens_.fail_expected("a state, or '}' after the last one");
      try {
        if (tokens_.accept(Kind::kw_alphabet)) {
          do clause.alphabet.push_back(label());
          while (tokens_.accept(Kind::comma));
          tokens_.expect(Kind::semicolon, "after the alphabet");
        } else {
          state(clause);
        }
      } catch (const SyntaxError&) {
        skip_state();
      }
    }
    tokens_.take();
    file_.processes.push_back(std::move(clause));
  }

  void state(ProcessClause& process) {
    // Not a reserved word: `end = ...` is a state of that name.
    const bool may_end = tokens_.at(Kind::identifier) && tokens_.current().text == "end" &&
                         tokens_.next().kind == Kind::identifier;
    if (may_end) tokens_.take();
    StateClause clause{.name = name("of a state"), .may_end = may_end};
    clause.parameters = parameters(process.states.empty());
    tokens_.expect(Kind::assign, "after the state");
    state_ = clause.name.text;
    places_ = 0;
    clause.choice = fresh_choice(std::string(state_));
    fill(clause.choice);
    tokens_.expect(Kind::semicolon, "or '|' after what the state can do");
    process.states.push_back(std::move(clause));
  }

  ChoiceId fresh_choice(std::string name) {
    if (file_.choices.size() >= max_nodes) tokens_.fail(tokens_.current().where, "there are too many states");
    file_.choices.push_back({.where = tokens_.current().where, .name = std::move(name)});
    return static_cast<ChoiceId>(file_.choices.size() - 1);
  }
  ChoiceId place() { return fresh_choice(fmt::format("{}.{}", state_, ++places_)); }

  /// Reads `a -> ... | b -> ...` into the choice.
  void fill(ChoiceId choice) {
    if (tokens_.accept(Kind::kw_stop)) return;
    do {
      Alternative found = alternative();
      file_.choices[choice].alternatives.push_back(std::move(found));
    } while (tokens_.accept(Kind::bar));
  }

  Alternative alternative() {
    if (tokens_.at(Kind::kw_when))
      tokens_.fail(tokens_.current().where, "the condition comes after the action: 'a when n > 0 -> ...'");
    Alternative result;
    if (tokens_.at(Kind::identifier) && tokens_.next().kind == Kind::left_paren) {
      result.state = reference();
    } else {
      result.label = label();
    }
    if (tokens_.accept(Kind::kw_when)) result.guard = expressions_.expression();
    if (result.label &&
        (tokens_.at(Kind::arrow) || result.label->internal() || !result.label->indices.empty())) {
      tokens_.expect(Kind::arrow, "and what follows, after the action");
      then(result);
    } else {
      if (tokens_.at(Kind::arrow))
        tokens_.fail(result.state.name.where,
                     fmt::format("'{}(...)' is a state; an action has its values in square brackets",
                                 abbreviate(result.state.name.text)));
      if (result.label) result.state.name = result.label->name;
      result.label.reset();
    }
    return result;
  }

  /// What follows an action: a state, a choice in parentheses, or one more action.
  void then(Alternative& result) {
    const Nesting level = tokens_.nested(max_depth, "choice");
    if (tokens_.accept(Kind::kw_stop)) {
      result.then = stop;
    } else if (tokens_.at(Kind::left_paren)) {
      const Token open = tokens_.take();
      result.then = place();
      fill(result.then);
      tokens_.expect(Kind::right_paren, fmt::format("or '|' to close '(' of line {}, column {}",
                                                    open.where.line, open.where.column));
    } else {
      const ChoiceId next = place();
      Alternative found = alternative();
      if (found.label) {
        file_.choices[next].alternatives.push_back(std::move(found));
        result.then = next;
      } else {
        if (found.guard != nothing)
          tokens_.fail(found.state.name.where, "a condition belongs to an action, but none follows");
        result.state = std::move(found.state);
        file_.choices.pop_back();
        --places_;
      }
    }
  }

  Reference reference() {
    Reference result{.name = name("of a state")};
    result.args = arguments();
    return result;
  }

  Label label() {
    const SourcePoint begin = tokens_.current().where;
    if (tokens_.accept(Kind::kw_tau)) return {.name = {.text = {}, .where = begin}};
    Label result{.name = name("of an action")};
    while (tokens_.accept(Kind::left_bracket)) {
      do result.indices.push_back(index());
      while (tokens_.accept(Kind::comma));
      tokens_.expect(Kind::right_bracket,
                     fmt::format("after the index of '{}'", abbreviate(result.name.text)));
    }
    return result;
  }

  LabelIndex index() {
    LabelIndex result;
    if (tokens_.at(Kind::identifier) && tokens_.next().kind == Kind::colon) {
      result.binder = name("of a variable");
      tokens_.take();
      result.range = interval();
      return result;
    }
    const SourcePoint where = tokens_.current().where;
    const NodeId first = expressions_.expression();
    if (tokens_.accept(Kind::dots))
      result.range = {.low = first, .high = expressions_.expression(), .where = where};
    else
      result.value = first;
    return result;
  }

  // --- Compositions -------------------------------------------------------------------------------------

  void network() {
    tokens_.take();
    NetworkClause clause{.name = name("of a network")};
    clause.parameters = parameters(false);
    tokens_.expect(Kind::assign, "after the network");
    clause.term = parallel();
    tokens_.expect(Kind::semicolon, "or '||' after the network");
    file_.networks.push_back(std::move(clause));
  }

  void system() {
    const SourcePoint where = tokens_.take().where;
    if (file_.system != nothing) tokens_.fail(where, "there is already a system");
    tokens_.expect(Kind::assign, "after 'system'");
    file_.system = parallel();
    tokens_.expect(Kind::semicolon, "or '||' after the system");
  }

  TermId add(Term term) {
    std::uint32_t depth = 0;
    for (const TermId t : term.terms) depth = std::max<std::uint32_t>(depth, file_.terms[t].depth);
    if (depth >= max_depth || file_.terms.size() >= max_nodes)
      tokens_.fail(term.where, "the composition is too large");
    term.depth = static_cast<std::uint16_t>(depth + 1);
    file_.terms.push_back(std::move(term));
    return static_cast<TermId>(file_.terms.size() - 1);
  }

  TermId parallel() {
    Term term;
    term.kind = Term::Kind::parallel;
    term.where = tokens_.current().where;
    do term.terms.push_back(postfix());
    while (tokens_.accept(Kind::logic_or));
    return term.terms.size() == 1 ? term.terms[0] : add(std::move(term));
  }

  TermId postfix() {
    TermId inner = primary();
    for (;;) {
      Term term;
      term.where = tokens_.current().where;
      term.terms.push_back(inner);
      switch (tokens_.current().kind) {
        case Kind::kw_hide:
          tokens_.take();
          term.kind = Term::Kind::hide;
          tokens_.expect(Kind::left_brace, "after 'hide'");
          do term.labels.push_back(label());
          while (tokens_.accept(Kind::comma));
          tokens_.expect(Kind::right_brace, "or ',' after the label");
          break;
        case Kind::kw_rename:
          tokens_.take();
          term.kind = Term::Kind::rename;
          tokens_.expect(Kind::left_brace, "after 'rename'");
          do {
            Label old = label();
            tokens_.expect(Kind::arrow, "and the new label, after the old one");
            term.renames.emplace_back(std::move(old), label());
          } while (tokens_.accept(Kind::comma));
          tokens_.expect(Kind::right_brace, "or ',' after the label");
          break;
        case Kind::kw_sync:
          tokens_.take();
          term.kind = Term::Kind::sync;
          term.vectors = vectors("after 'sync'");
          break;
        case Kind::kw_as:
          tokens_.take();
          term.kind = Term::Kind::as;
          term.reference.name = name("for the component after 'as'");
          term.reference.args = arguments();
          break;
        case Kind::kw_minimised:
          tokens_.take();
          term.kind = Term::Kind::minimised;
          break;
        default:
          return inner;
      }
      inner = add(std::move(term));
    }
  }

  /// `{...}` of sync, and of forall in it.
  std::vector<VectorClause> vectors(std::string_view context) {
    std::vector<VectorClause> result;
    tokens_.expect(Kind::left_brace, context);
    do result.push_back(vector());
    while (tokens_.accept(Kind::comma));
    tokens_.expect(Kind::right_brace, "or ',' after the vector");
    return result;
  }

  VectorClause vector() {
    VectorClause result{.where = tokens_.current().where};
    const Nesting level = tokens_.nested(max_depth, "composition");
    if (tokens_.accept(Kind::kw_forall)) {
      result.binder = name("of a variable after 'forall'");
      tokens_.expect(Kind::colon, "and a range after the variable");
      result.range = interval();
      result.vectors = vectors("after the range");
    } else {
      do {
        VectorClause::Part part;
        part.component.name = name("of a component");
        part.component.args = arguments();
        tokens_.expect(Kind::dot, "and an action of the component");
        part.label = label();
        result.parts.push_back(std::move(part));
      } while (tokens_.accept(Kind::star));
      tokens_.expect(Kind::arrow, "and the label of the common step, or '*'");
      result.label = label();
    }
    return result;
  }

  TermId primary() {
    Term term;
    term.where = tokens_.current().where;
    const Nesting level = tokens_.nested(max_depth, "composition");
    TermId result = nothing;
    if (tokens_.accept(Kind::left_paren)) {
      result = parallel();
      tokens_.expect(Kind::right_paren, fmt::format("or '||' to close '(' of line {}, column {}",
                                                    term.where.line, term.where.column));
    } else if (tokens_.accept(Kind::kw_forall)) {
      term.kind = Term::Kind::forall;
      term.binder = name("of a variable after 'forall'");
      tokens_.expect(Kind::colon, "and a range after the variable");
      term.range = interval();
      tokens_.expect(Kind::left_brace, "after the range");
      term.terms = {parallel()};
      tokens_.expect(Kind::right_brace, "or '||' after the processes");
      result = add(std::move(term));
    } else {
      term.reference.name = name("of a process");
      term.reference.args = arguments();
      result = add(std::move(term));
    }
    return result;
  }

  File file_;
  TokenStream tokens_;
  ExpressionParser expressions_;
  std::string_view state_;    ///< the state being read
  std::uint32_t places_ = 0;  ///< places without a name in it so far
};

}  // namespace

File parse(std::string_view text, Diagnostics& diagnostics) {
  return Parser(text, diagnostics).run();
}

}  // namespace tideline::psl
