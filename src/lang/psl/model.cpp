// Reads models of the process language, and expressions over systems of LTSs.
#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "lang/psl/check.hpp"
#include "lang/psl/compose.hpp"
#include "lang/psl/parser.hpp"
#include "lang/psl/psl.hpp"

namespace tideline::psl {

namespace {

/// The values that the user gives constants replace their own.
void override_constants(File& file, const LoadOptions& options) {
  for (const Define& define : options.defines)
    for (ConstantClause& constant : file.constants)
      if (constant.name.text == define.name) {
        const SourcePoint where = file.nodes[constant.value].where;
        constant.value = static_cast<NodeId>(file.nodes.size());
        file.nodes.push_back({.kind = Node::Kind::number, .value = define.value, .where = where});
      }
}

}  // namespace

Reading read_model(const SourceText& source, const LoadOptions& options) {
  Diagnostics diagnostics(source);
  File file = parse(source.text, diagnostics);
  override_constants(file, options);
  check(file, diagnostics);
  lts::Network network = compose(file, options, diagnostics);
  network.name = std::filesystem::path(source.name).stem().string();
  Reading reading{lts::to_system(network, "psl", source), std::move(file.property_lines)};
  for (const ConstantClause& constant : file.constants)
    reading.system.constants.push_back(
        {.name = std::string(constant.name.text), .value = evaluate(file.nodes, constant.value, {})});
  reading.system.warnings = diagnostics.take_warnings();
  return reading;
}

namespace {

/// Resolves nodes over a System. Throws SyntaxError after recording an error.
class Resolver {
 public:
  Resolver(const System& system, const Nodes& nodes, TokenStream& tokens)
      : system_(system), nodes_(nodes), tokens_(tokens) {}

  Expr resolve(NodeId id) {
    const Node& node = nodes_[id];
    if (++steps_ > most_steps) tokens_.fail(node.where, "the expression is too large");
    switch (node.kind) {
      case Node::Kind::number:
        return Expr::constant(node.value, node.where);
      case Node::Kind::name:
        return name(node);
      case Node::Kind::member:
        return member(node);
      case Node::Kind::quantifier:
        return quantifier(node);
      case Node::Kind::unary:
        return Expr::unary(node.op, resolve(node.args[0]), node.where);
      case Node::Kind::binary:
        break;
    }
    Expr left = resolve(node.args[0]);
    return Expr::binary(node.op, std::move(left), resolve(node.args[1]), node.where);
  }

 private:
  static constexpr std::uint64_t most_steps = 1'000'000;

  Expr name(const Node& node) {
    for (auto v = variables_.rbegin(); v != variables_.rend(); ++v)
      if (v->first == node.text) return Expr::constant(v->second, node.where);
    if (const Constant* constant = system_.find_constant(node.text))
      return Expr::constant(constant->value, node.where);
    for (const Proposition& p : system_.propositions) {
      if (p.name != node.text) continue;
      for_each_subexpr(p.expr, [&](const Expr&) { ++steps_; });
      if (steps_ > most_steps)
        tokens_.fail(node.where,
                     fmt::format("the expression is too large with '{}' replaced by its definition",
                                 abbreviate(node.text)));
      return p.expr;
    }
    Suggestion suggestion(node.text);
    for (const Constant& c : system_.constants)
      if (c.owner == no_component) suggestion.offer(c.name);
    for (const Proposition& p : system_.propositions) suggestion.offer(p.name);
    std::string hint = suggestion.text();
    if (hint.empty() && system_.find_component(node.text))
      hint = fmt::format("; its states are written '{}.State'", node.text);
    tokens_.fail(node.where, fmt::format("unknown name '{}'{}", abbreviate(node.text), hint));
  }

  std::int64_t value(NodeId id) {
    const Expr expr = fold_constants(resolve(id), system_.tables);
    if (!expr.is_constant()) tokens_.fail(nodes_[id].where, "a constant value is expected here");
    return expr.value;
  }

  std::vector<std::int64_t> values(const Node& node, std::size_t begin, std::size_t end) {
    std::vector<std::int64_t> result;
    for (std::size_t i = begin; i < end; ++i) result.push_back(value(node.args[i]));
    return result;
  }

  Expr member(const Node& node) {
    const auto own = static_cast<std::size_t>(node.value);
    const std::string who = with_values(node.text, values(node, 0, own));
    const auto component = system_.find_component(who);
    if (!component) {
      Suggestion suggestion(who);
      for (const Component& c : system_.components) suggestion.offer(c.name);
      tokens_.fail(node.where, fmt::format("unknown component '{}'{}", abbreviate(who), suggestion.text()));
    }
    const SlotId slot = system_.components[*component].location_slot;
    const std::string state = with_values(node.state, values(node, own, node.args.size()));
    const auto test = [&](Op op, LocationId location) {
      return Expr::binary(op, Expr::load(slot, node.where), Expr::constant(location, node.where), node.where);
    };
    if (const auto location = system_.find_location(*component, state)) return test(Op::eq, *location);
    const auto& locations = system_.components[*component].locations;
    for (const Location& location : locations)
      if (is_merged_in(location, node.state))
        tokens_.fail(node.where, fmt::format("'{}' is minimised, and its state '{}' is merged with others",
                                             who, node.state));
    if (node.args.size() > own && of_state(locations, node.state)) return Expr::constant(0, node.where);
    if (auto any = any_of_state(locations, state, test)) return std::move(*any);
    if (const Constant* parameter = system_.find_constant(state, *component))
      return Expr::table(parameter->table, Expr::load(slot, node.where), node.where);
    fail_unknown(node, who, state, locations);
  }

  static bool is_of(const Location& location, std::string_view state) {
    return location.name.starts_with(state) &&
           (location.name.size() == state.size() || location.name[state.size()] == '(');
  }
  /// Whether the location is a merged one ("{Ready, Wait(1)}") that contains the state.
  static bool is_merged_in(const Location& location, std::string_view state) {
    if (!location.name.starts_with('{')) return false;
    for (std::size_t at = location.name.find(state); at != std::string::npos;
         at = location.name.find(state, at + 1)) {
      const char before = location.name[at - 1];
      const char after = location.name[at + state.size()];
      if ((before == '{' || before == ' ') && (after == ',' || after == '}' || after == '(')) return true;
    }
    return false;
  }
  bool of_state(const std::vector<Location>& locations, std::string_view state) const {
    for (const Location& location : locations)
      if (is_of(location, state)) return true;
    return false;
  }

  /// A state without values stands for all values. Its locations are consecutive.
  template <class Test>
  std::optional<Expr> any_of_state(const std::vector<Location>& locations, const std::string& state,
                                   const Test& test) const {
    std::optional<Expr> result;
    for (LocationId begin = 0; begin < locations.size();) {
      LocationId end = begin;
      while (end < locations.size() && is_of(locations[end], state)) ++end;
      if (end == begin) {
        ++begin;
        continue;
      }
      // Bounds that hold for every location would be atoms that are always true.
      Expr row = Expr::constant(1);
      if (end == begin + 1) {
        row = test(Op::eq, begin);
      } else {
        if (begin > 0) row = test(Op::ge, begin);
        if (end < locations.size()) row = conjunction(std::move(row), test(Op::lt, end));
      }
      result = result ? Expr::binary(Op::logic_or, std::move(*result), std::move(row)) : std::move(row);
      begin = end;
    }
    return result;
  }

  [[noreturn]] void fail_unknown(const Node& node, const std::string& who, const std::string& state,
                                 const std::vector<Location>& locations) {
    Suggestion suggestion(state);
    for (const Location& location : locations) {
      suggestion.offer(location.name);
      suggestion.offer(location.name.substr(0, location.name.find('(')));
    }
    tokens_.fail(node.where,
                 fmt::format("'{}' has no state '{}'{}", who, abbreviate(state), suggestion.text()));
  }

  Expr quantifier(const Node& node) {
    const std::int64_t low = value(node.args[0]);
    const std::int64_t high = value(node.args[1]);
    const Op op = node.text == "all" ? Op::logic_and : node.text == "any" ? Op::logic_or : Op::add;
    std::optional<Expr> result;
    variables_.emplace_back(node.state, 0);
    for (std::int64_t v = low; v <= high; ++v) {
      variables_.back().second = v;
      Expr body = resolve(node.args[2]);
      if (op == Op::add) body = Expr::binary(Op::ne, std::move(body), Expr::constant(0), node.where);
      result = result ? Expr::binary(op, std::move(*result), std::move(body), node.where) : std::move(body);
      if (v - low >= max_depth) tokens_.fail(node.where, fmt::format("more than {} values", max_depth));
    }
    variables_.pop_back();
    if (!result) return Expr::constant(op == Op::logic_and, node.where);
    result->expanded = true;
    return std::move(*result);
  }

  const System& system_;
  const Nodes& nodes_;
  TokenStream& tokens_;
  std::vector<std::pair<std::string_view, std::int64_t>> variables_;
  std::uint64_t steps_ = 0;
};

}  // namespace

Expr read_expression(const System& system, std::string_view text, SourcePoint start,
                     Diagnostics& diagnostics) {
  Nodes nodes;
  try {
    TokenStream tokens(text, start, diagnostics);
    ExpressionParser parser(tokens, nodes, true);
    const NodeId root = parser.expression();
    if (tokens.at(TokenKind::assign)) tokens.fail(tokens.current().where, "a comparison is written '=='");
    if (!tokens.at(TokenKind::end)) tokens.fail_expected("an operator or the end of the expression");
    Expr expr = Resolver(system, nodes, tokens).resolve(root);
    diagnostics.throw_if_errors();
    return fold_below_atoms(std::move(expr), system.tables);
  } catch (const SyntaxError&) {
    diagnostics.throw_if_errors();
    throw;
  }
}

}  // namespace tideline::psl
