#include "lang/promela/promela.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "lang/promela/parser.hpp"
#include "lang/promela/preprocessor.hpp"
#include "lang/promela/translation.hpp"

namespace tideline::promela {

namespace {

std::vector<PropertyLine> property_comments(const SourceText& source) {
  std::vector<PropertyLine> lines;
  std::string_view rest = source.text;
  for (std::uint32_t number = 1; !rest.empty(); ++number) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    const std::size_t at = line.find("//@");
    // Other tools have such comments, too.
    const std::string_view text = at == std::string_view::npos ? "" : line.substr(at + 3);
    const std::size_t word = std::min(text.find_first_not_of(" \t"), text.size());
    const auto begins = [&](std::string_view with) { return text.substr(word).starts_with(with); };
    if (begins("property ") || begins("define ") || begins("progress "))
      lines.push_back({{number, static_cast<std::uint32_t>(at + 4)}, std::string(line.substr(at + 3))});
  }
  return lines;
}

/// Macros without arguments that are expressions: properties may use them by name.
std::vector<std::pair<std::string, Ex>> expressions_of(const std::vector<PlainMacro>& macros,
                                                       const std::vector<PlainMacro>& all, Program& program) {
  std::vector<std::pair<std::string, Ex>> result;
  for (const PlainMacro& macro : macros) {
    if (macro.body.empty()) continue;
    // Macros in macros, a few levels deep.
    std::vector<Token> body = macro.body;
    for (int level = 0; level < 8; ++level) {
      std::vector<Token> next;
      for (const Token& token : body) {
        const auto found = token.kind == TokenKind::name
                               ? std::ranges::find(all, token.spelling, &PlainMacro::name)
                               : all.end();
        if (found != all.end() && token.spelling != macro.name && next.size() < 10'000)
          next.insert(next.end(), found->body.begin(), found->body.end());
        else
          next.push_back(token);
      }
      if (next.size() == body.size() &&
          std::ranges::equal(next, body, {}, &Token::spelling, &Token::spelling))
        break;
      body = std::move(next);
    }
    const SourceText nowhere{macro.name, {}};
    Diagnostics quiet(nowhere);
    try {
      result.emplace_back(macro.name, Parser(body, quiet, program).single_expression());
    } catch (const Unreadable&) {
      // It is a piece of something else.
    }
  }
  return result;
}

}  // namespace

Reading read_model(const SourceText& source, const LoadOptions& options) {
  Reading reading;
  reading.source = source;
  Diagnostics diagnostics(reading.source);
  Preprocessed text = preprocess(
      reading.source, diagnostics, [](const std::string& path) { return read_source(path); },
      options.defines);
  if (!text.unused_defines.empty()) {
    Suggestion suggestion(text.unused_defines.front());
    for (const PlainMacro& macro : text.macros) suggestion.offer(macro.name);
    throw Error(ErrorKind::usage, fmt::format("--define: the model uses no macro '{}'{}",
                                              abbreviate(text.unused_defines.front()), suggestion.text()));
  }
  Program program;
  Parser(text.tokens, diagnostics, program).units();
  diagnostics.throw_if_errors();
  if (std::ranges::none_of(program.processes, [](const auto& p) { return p->active > 0; })) {
    diagnostics.error({}, "this model has no process: it needs 'init' or an 'active proctype'");
    diagnostics.throw_if_errors();
  }
  number_statements(program);
  Translation translation(program, reading.source, diagnostics, options.most_processes);
  translation.use_macros(expressions_of(text.macros, text.macros, program));
  reading.system = translation.run();
  reading.properties = translation.take_properties();
  reading.system.name = source.name;
  reading.system.warnings = diagnostics.take_warnings();
  reading.property_lines = property_comments(reading.source);
  return reading;
}

// --- expressions of properties ----------------------------------------------------------------------------

namespace {

class PropertyExpression {
 public:
  PropertyExpression(const System& system, Diagnostics& diagnostics)
      : system_(system), diagnostics_(diagnostics) {}

  Expr value(const Ex& ex) {
    switch (ex.kind) {
      case ExKind::number:
        return Expr::constant(ex.value, ex.where);
      case ExKind::variable:
        return reference(ex);
      case ExKind::unary:
        return Expr::unary(ex.op, value(ex.args[0]), ex.where);
      case ExKind::binary:
        return Expr::binary(ex.op, value(ex.args[0]), value(ex.args[1]), ex.where);
      case ExKind::nr_pr:
        return slot("_nr_pr", ex);
      case ExKind::last:
        return slot("_last", ex);
      case ExKind::np:
        return proposition("np_", ex);
      case ExKind::length:
        return length(ex);
      case ExKind::remote_label:
        return proposition(ex.args.empty()
                               ? first_of(ex)
                               : fmt::format("{}[{}]@{}", ex.name, constant(ex.args[0]), ex.label),
                           ex);
      case ExKind::remote_variable:
        return remote(ex);
      default:
        fail(ex.where, "a property cannot use this");
    }
  }

 private:
  [[noreturn]] void fail(SourcePoint where, std::string message) {
    diagnostics_.error(where, std::move(message));
    throw Unreadable{};
  }
  std::int64_t constant(const Ex& ex) {
    const Expr number = fold_constants(value(ex), system_.tables);
    if (!number.is_constant()) fail(ex.where, "this has to be a constant in a property");
    return number.value;
  }
  const Expr* find(const std::string& name) const {
    for (const Proposition& p : system_.propositions)
      if (p.name == name) return &p.expr;
    return nullptr;
  }
  Expr proposition(const std::string& name, const Ex& ex) {
    if (const Expr* found = find(name)) return *found;
    Suggestion suggestion(name);
    for (const Proposition& p : system_.propositions) suggestion.offer(p.name);
    fail(ex.where, fmt::format("there is no '{}' in this model{}", abbreviate(name), suggestion.text()));
  }
  /// P@label is about the first process of the proctype.
  std::string first_of(const Ex& ex) {
    for (std::size_t number = 0; number < system_.components.size(); ++number) {
      std::string name = fmt::format("{}[{}]@{}", ex.name, number, ex.label);
      if (find(name) != nullptr) return name;
    }
    return fmt::format("{}@{}", ex.name, ex.label);
  }
  Expr slot(const std::string& name, const Ex& ex) {
    const auto found = system_.find_slot(name);
    if (!found) fail(ex.where, fmt::format("'{}' is not used in this model, so that it has no value", name));
    return Expr::load(*found, ex.where);
  }
  Expr length(const Ex& ex) {
    const Ex& channel = ex.args[0];
    std::string name = channel.parts[0].name;
    if (!channel.parts[0].index.empty()) name += fmt::format("[{}]", constant(channel.parts[0].index[0]));
    for (const Channel& c : system_.channels) {
      if (c.name != name) continue;
      const Expr length = c.capacity == 0 ? Expr::constant(0) : Expr::load(c.length_slot, ex.where);
      const Expr most = Expr::constant(c.capacity);
      if (ex.name == "len") return length;
      if (ex.name == "empty") return Expr::binary(Op::eq, length, Expr::constant(0), ex.where);
      if (ex.name == "nempty") return Expr::binary(Op::gt, length, Expr::constant(0), ex.where);
      return Expr::binary(ex.name == "full" ? Op::ge : Op::lt, length, most, ex.where);
    }
    fail(ex.where, fmt::format("unknown channel '{}'", abbreviate(name)));
  }
  Expr reference(const Ex& ex) {
    if (ex.parts.size() == 1 && ex.parts[0].index.empty()) {
      if (const Constant* found = system_.find_constant(ex.parts[0].name))
        return Expr::constant(found->value, ex.where);
      if (const Expr* found = find(ex.parts[0].name)) return *found;
      if (ex.parts[0].name == "ended_") return is_ended();
    }
    return variable(ex.parts, no_component, "", ex.where);
  }
  /// No process can move.
  Expr is_ended() const {
    std::map<ComponentId, std::map<LocationId, std::vector<Expr>>> moves;
    for (const Action& action : system_.actions) {
      Expr possible = action.guard;
      for (std::size_t i = action.participants.size(); i-- > 0;) {
        const Participant& participant = action.participants[i];
        possible = conjunction(participant.guard, std::move(possible));
        if (i > 0)
          possible = conjunction(is_at(participant.component, participant.from), std::move(possible));
      }
      moves[action.participants.front().component][action.participants.front().from].push_back(
          std::move(possible));
    }
    std::vector<Expr> all;
    for (auto& [component, by_location] : moves)
      for (auto& [location, possible] : by_location)
        all.push_back(
            conjunction(is_at(component, location), balanced(Op::logic_or, std::move(possible), 0)));
    return Expr::unary(Op::logic_not, balanced(Op::logic_or, std::move(all), 0));
  }
  Expr is_at(ComponentId component, LocationId location) const {
    return Expr::binary(Op::eq, Expr::load(system_.components[component].location_slot),
                        Expr::constant(location));
  }
  Expr remote(const Ex& ex) {
    for (ComponentId c = 0; c < system_.components.size(); ++c) {
      const std::string& name = system_.components[c].name;
      const std::string_view types = std::string_view(name).substr(0, name.rfind('['));
      const bool is_it = fmt::format("/{}/", types).find(fmt::format("/{}/", ex.name)) != std::string::npos;
      if (!is_it || (!ex.args.empty() && constant(ex.args[0]) != c)) continue;
      const bool shared = types.find('/') != std::string_view::npos;
      return variable(ex.parts, c, shared ? ex.name + ":" : "", ex.where);
    }
    fail(ex.where, fmt::format("no process '{}' like this can run", abbreviate(ex.name)));
  }
  Expr variable(const std::vector<Part>& parts, ComponentId owner, const std::string& prefix,
                SourcePoint where) {
    std::string path = prefix;
    std::size_t indices = 0;
    const Ex* index = nullptr;
    for (const Part& part : parts) {
      path += fmt::format("{}{}", &part == &parts.front() ? "" : ".", part.name);
      for (const Ex& i : part.index) {
        index = &i;
        ++indices;
      }
    }
    const tideline::Variable* const found = system_.find_variable(path, owner);
    if (found == nullptr) {
      Suggestion suggestion(path);
      for (const auto& v : system_.variables)
        if (v.owner == owner) suggestion.offer(v.name);
      for (const Proposition& p : system_.propositions) suggestion.offer(p.name);
      fail(where, fmt::format("unknown variable '{}'{}", abbreviate(path), suggestion.text()));
    }
    if (indices == 0) return Expr::load(found->first, where);
    if (!found->is_array) fail(where, fmt::format("'{}' is not an array", abbreviate(path)));
    if (indices == 1) {
      const Expr at = fold_constants(value(*index), system_.tables);
      if (at.is_constant() && at.value >= 0 && at.value < found->length)
        return Expr::load(found->first + static_cast<SlotId>(at.value), where);
      return Expr::load_array(found->first, found->length, at, where);
    }
    std::string name = owner == no_component ? "" : system_.components[owner].name + ".";
    name += prefix;
    for (const Part& part : parts) {
      name += fmt::format("{}{}", &part == &parts.front() ? "" : ".", part.name);
      for (const Ex& i : part.index) name += fmt::format("[{}]", constant(i));
    }
    const auto place = system_.find_slot(name);
    if (!place) fail(where, fmt::format("there is no '{}'", abbreviate(name)));
    return Expr::load(*place, where);
  }

  const System& system_;
  Diagnostics& diagnostics_;
};

}  // namespace

Expr read_expression(const System& system, std::string_view text, SourcePoint start,
                     Diagnostics& diagnostics) {
  std::vector<Token> tokens;
  std::vector<LexicalFault> faults;
  tokenize(text, start, tokens, faults);
  for (LexicalFault& fault : faults) diagnostics.error(fault.where, std::move(fault.message));
  diagnostics.throw_if_errors();
  Program program;
  for (const Component& component : system.components) {
    std::string_view names = std::string_view(component.name).substr(0, component.name.rfind('['));
    while (!names.empty()) {
      const std::size_t end = names.find('/');
      program.processes.push_back(std::make_unique<Process>());
      program.processes.back()->name = names.substr(0, end);
      names.remove_prefix(end == std::string_view::npos ? names.size() : end + 1);
    }
  }
  try {
    Parser parser(tokens, diagnostics, program);
    const Ex ex = parser.single_expression();
    return fold_below_atoms(PropertyExpression(system, diagnostics).value(ex), system.tables);
  } catch (const Unreadable&) {
    diagnostics.throw_if_errors();
    throw Error(ErrorKind::internal, "an expression that cannot be read has no error");
  }
}

}  // namespace tideline::promela
