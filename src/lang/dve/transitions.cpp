// Compiles the transitions and assertions of each process, and the edges of the property process.
#include <fmt/format.h>

#include <utility>

#include "lang/dve/compilation.hpp"

namespace tideline::dve {

Assignment assign(const Target& target, Expr value) {
  return {.slot = target.slot,
          .length = target.length,
          .index = target.index,
          .value = std::move(value),
          .where = target.where};
}

namespace {

std::uint64_t size_of(const Expr& expr) {
  std::uint64_t size = 0;
  for_each_subexpr(expr, [&](const Expr&) { ++size; });
  return size;
}

std::uint64_t size_of(const Transition& t) {
  std::uint64_t size = 2 + size_of(t.guard);
  for (const Assignment& effect : t.effects)
    size += 1 + size_of(effect.value) + (effect.index ? size_of(*effect.index) : 0);
  if (t.sync) {
    for (const Expr& value : t.sync->values) size += 1 + size_of(value);
    for (const Target& target : t.sync->targets) size += 1 + (target.index ? size_of(*target.index) : 0);
  }
  return size;
}

LocationId find_state(Compilation& c, const std::vector<Location>& locations,
                      const std::unordered_map<std::string_view, LocationId>& index, std::string_view process,
                      const Name& state) {
  const auto found = index.find(state.text);
  if (found != index.end()) return found->second;
  Suggestion suggestion(state.text);
  for (const Location& location : locations) suggestion.offer(location.name);
  c.diagnostics.error(state.where, fmt::format("process '{}' has no state '{}'{}", abbreviate(process),
                                               abbreviate(state.text), suggestion.text()));
  return 0;
}

std::unordered_map<std::string_view, LocationId> index_states(const std::vector<Location>& locations) {
  std::unordered_map<std::string_view, LocationId> index;
  for (LocationId l = 0; l < locations.size(); ++l) index.emplace(locations[l].name, l);
  return index;
}

std::vector<Assignment> compile_effects(Resolver& resolver, const TransitionClause& clause) {
  std::vector<Assignment> effects;
  for (const EffectClause& effect : clause.effects) {
    const auto target = resolver.target(effect.target);
    Expr value = resolver.expression(effect.value);
    if (target) effects.push_back(assign(*target, std::move(value)));
  }
  return effects;
}

// --- Channels -------------------------------------------------------------------------------------------

std::string_view verb(bool sends) {
  return sends ? "sends" : "receives";
}

// The channel fixes the number of values in a message; an untyped channel takes it from its first use.
void check_arity(Compilation& c, Channel& channel, const SyncClause& clause) {
  const std::size_t count = clause.items.size();
  const SourcePoint where = clause.channel.where;
  if (!channel.typed && !channel.first_use) {
    channel.first_use = where;
    channel.fields.assign(count, Type::int_type);
    return;
  }
  if (count == channel.fields.size()) return;
  const std::string expected = channel.typed
                                   ? fmt::format("its messages have {}", channel.fields.size())
                                   : fmt::format("it has {} in line {}, column {}", channel.fields.size(),
                                                 channel.first_use->line, channel.first_use->column);
  c.diagnostics.error(where,
                      fmt::format("this {} {} value{} over channel '{}', but {}", verb(clause.sends), count,
                                  count == 1 ? "" : "s", abbreviate(channel.name.text), expected));
}

/// The name of the channel, also of one of a template: ring_1 for ring[1]. Nothing after an error.
std::optional<std::string> channel_name(Compilation& c, Resolver& resolver, const SyncClause& clause) {
  if (clause.index == no_node) return std::string(clause.channel.text);
  const Expr index = resolver.expression(clause.index);
  if (index.is_constant()) return instance_name(clause.channel.text, index.value);
  c.diagnostics.error(c.file.nodes[clause.index].where, "which channel this is must be a constant");
  return std::nullopt;
}

std::optional<Synchronisation> compile_sync(Compilation& c, Resolver& resolver, const SyncClause& clause) {
  const auto name = channel_name(c, resolver, clause);
  if (!name) return std::nullopt;
  const auto found = c.channel_index.find(*name);
  if (found == c.channel_index.end()) {
    Suggestion suggestion(*name);
    for (const Channel& channel : c.channels) suggestion.offer(channel.name.text);
    c.diagnostics.error(clause.channel.where,
                        fmt::format("unknown channel '{}'{}", abbreviate(*name), suggestion.text()));
    return std::nullopt;
  }
  check_arity(c, c.channels[found->second], clause);
  Synchronisation sync{.channel = found->second,
                       .sends = clause.sends,
                       .values = {},
                       .targets = {},
                       .where = clause.channel.where};
  for (NodeId item : clause.items) {
    if (clause.sends)
      sync.values.push_back(resolver.expression(item));
    else if (auto target = resolver.target(item))
      sync.targets.push_back(std::move(*target));
  }
  return sync;
}

}  // namespace

/// An instance of the same template as the process before it, in which something is wrong: the same is wrong here.
static bool is_like_the_one_before(const Compilation& c, ComponentId id) {
  return id > 0 && c.diagnostics.has_errors() && c.processes[id]->parameter &&
         c.processes[id]->name.where == c.processes[id - 1]->name.where;
}

void compile_transitions(Compilation& c) {
  c.transitions.resize(c.processes.size());
  for (ComponentId id = 0; id < c.processes.size(); ++id) {
    const ProcessClause& process = *c.processes[id];
    if (is_like_the_one_before(c, id)) continue;
    const auto& locations = c.system.components[id].locations;
    const auto states = index_states(locations);
    Resolver resolver = c.resolver({.component = id});
    for (const TransitionClause& clause : process.transitions) {
      Transition t{.process = id, .sync = {}, .effects = {}, .where = clause.from.where};
      t.from = find_state(c, locations, states, process.name.text, clause.from);
      t.to = find_state(c, locations, states, process.name.text, clause.to);
      if (clause.guard != no_node) t.guard = resolver.expression(clause.guard);
      if (clause.sync) t.sync = compile_sync(c, resolver, *clause.sync);
      t.effects = compile_effects(resolver, clause);
      t.size = size_of(t);
      c.transitions[id].push_back(std::move(t));
    }
  }
}

void compile_assertions(Compilation& c) {
  for (ComponentId id = 0; id < c.processes.size(); ++id) {
    const ProcessClause& process = *c.processes[id];
    const Component& component = c.system.components[id];
    const auto states = index_states(component.locations);
    Resolver resolver = c.resolver({.component = id});
    for (const AssertClause& clause : process.assertions) {
      const LocationId location = find_state(c, component.locations, states, process.name.text, clause.state);
      const SourcePoint where = clause.state.where;
      Expr here = Expr::binary(Op::eq, Expr::load(component.location_slot, where),
                               Expr::constant(location, where), where);
      c.system.assertions.push_back(
          {.name = fmt::format("{}.{}:{}", process.name.text, clause.state.text, where.line),
           .text = std::string(clause.text),
           .condition =
               Expr::binary(Op::imply, std::move(here), resolver.expression(clause.condition), where),
           .where = where});
    }
  }
}

// --- The property process -------------------------------------------------------------------------------

namespace {

void check_own_variable(Compilation& c, const PropertyProcess& property, const Assignment& effect) {
  const auto& own = property.slots;
  if (!own.empty() && own.front() <= effect.slot && effect.slot <= own.back()) return;
  c.diagnostics.error(effect.where, "the property process may change only its own variables");
}

PropertyProcess::Edge compile_edge(Compilation& c, Resolver& resolver, const PropertyProcess& property,
                                   const std::unordered_map<std::string_view, LocationId>& states,
                                   const TransitionClause& clause) {
  PropertyProcess::Edge edge{.effects = compile_effects(resolver, clause), .where = clause.from.where};
  edge.from = find_state(c, property.locations, states, property.name, clause.from);
  edge.to = find_state(c, property.locations, states, property.name, clause.to);
  if (clause.guard != no_node) edge.guard = resolver.expression(clause.guard);
  if (clause.sync)
    c.diagnostics.error(clause.sync->channel.where, "the property process cannot use channels");
  for (const Assignment& effect : edge.effects) check_own_variable(c, property, effect);
  return edge;
}

}  // namespace

void compile_property_process(Compilation& c) {
  if (c.property == nullptr) return;
  const ProcessClause& process = *c.property;
  PropertyProcess& property = *c.system.property;
  const auto states = index_states(property.locations);
  const auto find = [&](const Name& state) {
    return find_state(c, property.locations, states, property.name, state);
  };
  if (process.init) property.initial = find(*process.init);
  for (const auto& set : process.accepting) {
    property.accepting.emplace_back();
    for (const Name& state : set) property.accepting.back().push_back(find(state));
  }
  // Without any acceptance set every run would be accepted; without an accept clause none is.
  if (property.accepting.empty()) property.accepting.emplace_back();
  Resolver resolver = c.resolver({.property_process = process.name.text});
  for (const TransitionClause& clause : process.transitions)
    property.edges.push_back(compile_edge(c, resolver, property, states, clause));
}

}  // namespace tideline::dve
