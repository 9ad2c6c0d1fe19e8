#include "lang/dve/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace tideline::dve {

namespace {

// Owner and name as one key: the owner's bytes, then the name.
std::string key(std::uint32_t owner, std::string_view name) {
  std::string text(sizeof owner, '\0');
  std::memcpy(text.data(), &owner, sizeof owner);
  return text.append(name);
}

std::string_view name_of(const std::string& k) {
  return std::string_view(k).substr(sizeof(std::uint32_t));
}

std::uint32_t owner_of(const std::string& k) {
  std::uint32_t owner = 0;
  std::memcpy(&owner, k.data(), sizeof owner);
  return owner;
}

}  // namespace

std::string property_local(std::string_view process, std::string_view name) {
  return fmt::format("{}.{}", process, name);
}

std::string instance_name(std::string_view name, std::int64_t index) {
  return fmt::format("{}_{}", name, index);
}

Names::Names(const System& system) {
  for (std::uint32_t i = 0; i < system.variables.size(); ++i)
    if (!system.variables[i].is_location)
      add(system.variables[i].owner, system.variables[i].name, {Symbol::Kind::variable, i});
  for (std::uint32_t i = 0; i < system.constants.size(); ++i)
    add(system.constants[i].owner, system.constants[i].name, {Symbol::Kind::constant, i});
  for (std::uint32_t i = 0; i < system.propositions.size(); ++i)
    add(no_component, system.propositions[i].name, {Symbol::Kind::proposition, i});
  for (ComponentId c = 0; c < system.components.size(); ++c) {
    add_process(system.components[c].name, c);
    const auto& locations = system.components[c].locations;
    for (LocationId l = 0; l < locations.size(); ++l) add_location(c, locations[l].name, l);
  }
}

void Names::add(ComponentId owner, std::string_view name, Symbol symbol) {
  symbols_.emplace(key(owner, name), symbol);
}

void Names::add_process(std::string_view name, ComponentId id) {
  processes_.emplace(name, id);
}

void Names::add_location(ComponentId process, std::string_view name, LocationId id) {
  locations_.emplace(key(process, name), id);
}

const Symbol* Names::find(ComponentId owner, std::string_view name) const {
  const auto found = symbols_.find(key(owner, name));
  return found == symbols_.end() ? nullptr : &found->second;
}

const Symbol* Names::find(const Scope& scope, std::string_view name) const {
  const Symbol* local = nullptr;
  if (scope.component != no_component) local = find(scope.component, name);
  if (!scope.property_process.empty())
    local = find(no_component, property_local(scope.property_process, name));
  return local != nullptr ? local : find(no_component, name);
}

std::optional<ComponentId> Names::find_process(std::string_view name) const {
  const auto found = processes_.find(std::string(name));
  if (found == processes_.end()) return std::nullopt;
  return found->second;
}

std::optional<LocationId> Names::find_location(ComponentId process, std::string_view name) const {
  const auto found = locations_.find(key(process, name));
  if (found == locations_.end()) return std::nullopt;
  return found->second;
}

std::string Names::suggest(const Scope& scope, std::string_view unknown) const {
  Suggestion suggestion(unknown);
  for (const auto& [k, symbol] : symbols_)
    if (owner_of(k) == no_component || owner_of(k) == scope.component) suggestion.offer(name_of(k));
  return suggestion.text();
}

std::string Names::suggest_process(std::string_view unknown) const {
  Suggestion suggestion(unknown);
  for (const auto& [name, id] : processes_) suggestion.offer(name);
  return suggestion.text();
}

std::string Names::suggest_location(ComponentId process, std::string_view unknown) const {
  Suggestion suggestion(unknown);
  for (const auto& [k, id] : locations_)
    if (owner_of(k) == process) suggestion.offer(name_of(k));
  return suggestion.text();
}

// --- Expressions ----------------------------------------------------------------------------------------

namespace {

// Propositions are expanded where they are used, so a chain of definitions can double in size at each link.
constexpr std::uint64_t max_inserted = 1'000'000;

struct Extent {
  std::uint64_t size = 1;
  std::uint32_t depth = 1;
};

Extent measure(const Expr& expr) {
  Extent extent;
  for (const Expr& arg : expr.args) {
    const Extent below = measure(arg);
    extent.size += below.size;
    extent.depth = std::max(extent.depth, below.depth + 1);
  }
  return extent;
}

}  // namespace

Expr Resolver::error(SourcePoint where, std::string message) {
  diagnostics_.error(where, std::move(message));
  return Expr::constant(0, where);
}

Expr Resolver::expression(NodeId node) {
  inserted_ = 0;
  return fold_constants(resolve(node, 1), system_.tables);
}

Expr Resolver::formula(NodeId node) {
  inserted_ = 0;
  return fold_below_atoms(resolve(node, 1), system_.tables);
}

Expr Resolver::resolve(NodeId id, std::uint32_t depth) {
  const Node& node = nodes_[id];
  switch (node.kind) {
    case Node::Kind::number:
      return Expr::constant(node.value, node.where);
    case Node::Kind::name:
      return resolve_name(node, depth);
    case Node::Kind::member:
      return resolve_member(node, depth);
    case Node::Kind::foreign:
      return resolve_foreign(node, depth);
    case Node::Kind::unary:
      return Expr::unary(node.op, resolve(node.left, depth + 1), node.where);
    case Node::Kind::binary:
      break;
  }
  Expr left = resolve(node.left, depth + 1);
  return Expr::binary(node.op, std::move(left), resolve(node.right, depth + 1), node.where);
}

Expr Resolver::resolve_name(const Node& node, std::uint32_t depth) {
  const Symbol* symbol = names_.find(scope_, node.text);
  if (symbol == nullptr)
    return error(node.where, fmt::format("unknown variable '{}'{}", abbreviate(node.text),
                                         names_.suggest(scope_, node.text)));
  return access(*symbol, node, depth);
}

// The process or channel before the dot or arrow.
std::string Resolver::owner_of(const Node& node, std::uint32_t depth) {
  if (node.right == no_node) return std::string(node.owner);
  const Expr index = fold_constants(resolve(node.right, depth + 1), system_.tables);
  if (index.is_constant()) return instance_name(node.owner, index.value);
  error(node.where, fmt::format("which '{}' this is must be a constant", abbreviate(node.owner)));
  return instance_name(node.owner, 0);
}

// P.s tests whether process P is in state s.
Expr Resolver::resolve_member(const Node& node, std::uint32_t depth) {
  const std::string owner = owner_of(node, depth);
  const auto process = names_.find_process(owner);
  if (process) {
    if (const auto location = names_.find_location(*process, node.text)) {
      if (node.left != no_node) return error(node.where, "a state test takes no index");
      return Expr::binary(Op::eq, Expr::load(system_.components[*process].location_slot, node.where),
                          Expr::constant(*location, node.where), node.where);
    }
  }
  if (scope_.members) {
    const Symbol* symbol = process ? names_.find(*process, node.text)
                                   : names_.find(no_component, property_local(owner, node.text));
    if (symbol != nullptr) return access(*symbol, node, depth);
  }
  if (!process)
    return error(node.where,
                 fmt::format("unknown process '{}'{}", abbreviate(owner), names_.suggest_process(owner)));
  std::string hint = names_.suggest_location(*process, node.text);
  if (hint.empty() && names_.find(*process, node.text) != nullptr)
    hint = fmt::format("; its variable is written '{}->{}'", owner, node.text);
  return error(node.where,
               fmt::format("process '{}' has no state '{}'{}", owner, abbreviate(node.text), hint));
}

Expr Resolver::resolve_foreign(const Node& node, std::uint32_t depth) {
  const std::string owner = owner_of(node, depth);
  const auto process = names_.find_process(owner);
  if (!process) {
    const Symbol* property = names_.find(no_component, property_local(owner, node.text));
    if (property != nullptr) return access(*property, node, depth);
    return error(node.where,
                 fmt::format("unknown process '{}'{}", abbreviate(owner), names_.suggest_process(owner)));
  }
  const Symbol* symbol = names_.find(*process, node.text);
  if (symbol != nullptr) return access(*symbol, node, depth);
  Suggestion suggestion(node.text);
  for (const Variable& v : system_.variables)
    if (v.owner == *process && !v.is_location) suggestion.offer(v.name);
  return error(node.where, fmt::format("process '{}' has no variable '{}'{}", owner, abbreviate(node.text),
                                       suggestion.text()));
}

// In published models the name of an array alone means its first element, though it is more often a slip. In
// formulas, which are written for this program, it is an error.
bool Resolver::check_index(bool is_array, const Node& node) {
  if (is_array == (node.left != no_node)) return true;
  const std::string name = abbreviate(node.text);
  if (!is_array) {
    error(node.where, fmt::format("'{}' is not an array", name));
    return false;
  }
  if (scope_.members) {
    error(node.where, fmt::format("array '{0}' needs an index; its first element is '{0}[0]'", name));
    return false;
  }
  diagnostics_.warning(
      node.where, fmt::format("array '{0}' has no index here; its first element '{0}[0]' is used", name));
  return true;
}

Expr Resolver::access(const Symbol& symbol, const Node& node, std::uint32_t depth) {
  const auto index = [&] { return resolve(node.left, depth + 1); };
  switch (symbol.kind) {
    case Symbol::Kind::variable: {
      const Variable& v = system_.variables[symbol.index];
      if (!check_index(v.is_array, node)) break;
      return node.left == no_node ? Expr::load(v.first, node.where)
                                  : Expr::load_array(v.first, v.length, index(), node.where);
    }
    case Symbol::Kind::constant: {
      const Constant& c = system_.constants[symbol.index];
      if (!check_index(c.is_array, node)) break;
      if (!c.is_array) return Expr::constant(c.value, node.where);
      return Expr::table(c.table, node.left == no_node ? Expr::constant(0, node.where) : index(), node.where);
    }
    case Symbol::Kind::proposition:
      if (!check_index(false, node)) break;
      return proposition(system_.propositions[symbol.index], node, depth);
  }
  return Expr::constant(0, node.where);
}

Expr Resolver::proposition(const Proposition& proposition, const Node& node, std::uint32_t depth) {
  const Extent extent = measure(proposition.expr);
  inserted_ += extent.size;
  if (inserted_ > max_inserted || depth + extent.depth > max_depth)
    return error(node.where, fmt::format("the expression is too large with '{}' replaced by its definition",
                                         abbreviate(node.text)));
  return proposition.expr;
}

std::optional<Target> Resolver::target(NodeId id) {
  const Node& node = nodes_[id];
  const Symbol* symbol = names_.find(scope_, node.text);
  if (symbol == nullptr) {
    error(node.where,
          fmt::format("unknown variable '{}'{}", abbreviate(node.text), names_.suggest(scope_, node.text)));
    return std::nullopt;
  }
  if (symbol->kind != Symbol::Kind::variable) {
    error(node.where, fmt::format("'{}' is a constant and cannot be assigned to", abbreviate(node.text)));
    return std::nullopt;
  }
  const Variable& v = system_.variables[symbol->index];
  if (!check_index(v.is_array, node)) return std::nullopt;
  Target target{symbol->index, v.first, 1, std::nullopt, node.where};
  if (node.left == no_node) return target;
  Expr index = expression(node.left);
  if (index.is_constant() && index.value >= 0 && index.value < v.length) {
    target.slot = v.first + static_cast<SlotId>(index.value);
  } else {
    target.length = v.length;
    target.index = std::move(index);
  }
  return target;
}

std::optional<std::int64_t> initial_value(const Expr& expr, const System& system) {
  if (expr.op == Op::constant) return expr.value;
  if (expr.op == Op::load) return system.initial[expr.slot];
  if (expr.args.empty()) return std::nullopt;
  const auto left = initial_value(expr.args[0], system);
  if (!left) return std::nullopt;
  if (expr.op == Op::load_array || expr.op == Op::table) {
    const auto length = expr.op == Op::table ? system.tables[expr.slot].size() : expr.length;
    if (*left < 0 || *left >= static_cast<std::int64_t>(length)) return std::nullopt;
    const auto index = static_cast<std::size_t>(*left);
    return expr.op == Op::table ? system.tables[expr.slot][index] : system.initial[expr.slot + index];
  }
  if (expr.args.size() == 1) return apply_unary(expr.op, *left);
  ModelErrorKind error = ModelErrorKind::none;
  // Where the left side decides, the right side does not matter and counts as 0.
  const bool decided = (expr.op == Op::logic_or && *left != 0) ||
                       ((expr.op == Op::logic_and || expr.op == Op::imply) && *left == 0);
  const auto right = decided ? std::optional<std::int64_t>(0) : initial_value(expr.args[1], system);
  if (!right) return std::nullopt;
  const std::int64_t value = apply_binary(expr.op, *left, *right, error);
  if (error != ModelErrorKind::none) return std::nullopt;
  return value;
}

}  // namespace tideline::dve
