// Declarations: constants, variables, channels and processes become slots, tables and components.
#include <fmt/format.h>

#include <utility>

#include "lang/dve/compilation.hpp"

namespace tideline::dve {

Range range_of(Type type) {
  return type == Type::byte_type ? byte_range : int16_range;
}

namespace {

// Where a declaration is, and the owner and name under which the System knows what it declares.
struct Home {
  Scope scope;
  std::string prefix;  // of names of the property process
};

// A name may be declared once in its scope; hiding a global one is allowed, with a warning.
bool claim(Compilation& c, const Home& home, const Name& name) {
  const std::string full = home.prefix + std::string(name.text);
  const bool local = home.scope.component != no_component || !home.prefix.empty();
  const bool taken = c.names.find(home.scope.component, full) != nullptr ||
                     (!local && c.channel_index.contains(std::string(name.text)));
  if (taken) {
    c.diagnostics.error(name.where, fmt::format("'{}' is declared twice", abbreviate(name.text)));
    return false;
  }
  if (local &&
      (c.names.find(no_component, name.text) != nullptr || c.channel_index.contains(std::string(name.text))))
    c.diagnostics.warning(name.where, fmt::format("'{}' hides a global name", abbreviate(name.text)));
  return true;
}

// The value of a constant expression between two bounds, or nothing after an error.
std::optional<std::int64_t> constant_between(Compilation& c, const Scope& scope, NodeId node,
                                             std::string_view what, std::int64_t low, std::int64_t high) {
  const Expr expr = c.resolver(scope).expression(node);
  const SourcePoint where = c.file.nodes[node].where;
  if (!expr.is_constant()) {
    c.diagnostics.error(where, fmt::format("{} must be a constant", what));
    return std::nullopt;
  }
  if (expr.value < low || expr.value > high) {
    c.diagnostics.error(where,
                        fmt::format("{} is {}, but must be between {} and {}", what, expr.value, low, high));
    return std::nullopt;
  }
  return expr.value;
}

// Initial values, checked against the type. Values beyond the array have no effect, which gets a warning
// unless they are all zero (as in generated models).
std::vector<std::int32_t> initial_values(Compilation& c, const Home& home, const Declaration& d,
                                         std::uint64_t length) {
  std::vector<std::int32_t> values;
  const Range range = range_of(d.type);
  Resolver resolver = c.resolver(home.scope);
  bool surplus_noted = false;
  for (NodeId node : d.values) {
    const auto value = initial_value(resolver.expression(node), c.system);
    const SourcePoint where = c.file.nodes[node].where;
    if (!value) {
      c.diagnostics.error(where, "this initial value cannot be computed");
    } else if (values.size() >= length) {
      if (*value != 0 && !surplus_noted)
        c.diagnostics.warning(where, fmt::format("array '{}' has only {} elements; the rest is ignored",
                                                 abbreviate(d.name.text), length));
      surplus_noted |= *value != 0;
    } else if (!range.contains(*value)) {
      c.diagnostics.error(where, fmt::format("initial value {} does not fit '{}' ({}..{})", *value,
                                             abbreviate(d.name.text), range.low, range.high));
    } else {
      values.push_back(static_cast<std::int32_t>(*value));
    }
  }
  return values;
}

void declare_constant(Compilation& c, const Home& home, const Declaration& d, std::uint64_t length,
                      const std::vector<std::int32_t>& values) {
  Constant constant{.name = home.prefix + std::string(d.name.text), .owner = home.scope.component};
  if (d.length != no_node) {
    constant.is_array = true;
    constant.table = static_cast<std::uint32_t>(c.system.tables.size());
    c.system.tables.emplace_back(values.begin(), values.end());
    c.system.tables.back().resize(length);
  } else {
    constant.value = values.empty() ? 0 : values[0];
  }
  const auto index = static_cast<std::uint32_t>(c.system.constants.size());
  c.names.add(constant.owner, constant.name, {Symbol::Kind::constant, index});
  c.system.constants.push_back(std::move(constant));
}

// Throws when the state vector would become too long.
void require_room(Compilation& c, SourcePoint where, std::uint64_t slots) {
  if (c.system.slots.size() + slots <= max_slots) return;
  throw Error(ErrorKind::input, {error_at(c.diagnostics.source(), where,
                                          fmt::format("a state has more than {} values", max_slots))});
}

/// The value that the user gives a constant replaces its own.
void override_constant(Compilation& c, const Declaration& d, std::vector<std::int32_t>& values) {
  const Range range = range_of(d.type);
  for (const Define& define : c.options.defines) {
    if (define.name != d.name.text) continue;
    if (range.contains(define.value))
      values = {static_cast<std::int32_t>(define.value)};
    else
      c.diagnostics.error(d.name.where, fmt::format("--define: {} does not fit '{}' ({}..{})", define.value,
                                                    abbreviate(d.name.text), range.low, range.high));
  }
}

void declare(Compilation& c, const Home& home, const Declaration& d) {
  if (!claim(c, home, d.name)) return;
  std::int64_t length = 1;
  if (d.length != no_node) {
    const auto given = constant_between(c, home.scope, d.length, "the length of an array", 1, max_slots);
    // After an error the array is still declared, so that its uses cause no further errors.
    length = given.value_or(1);
  }
  if (d.length == no_node && d.has_list)
    c.diagnostics.error(d.name.where, fmt::format("'{}' is not an array and takes a single initial value",
                                                  abbreviate(d.name.text)));
  if (d.length != no_node && !d.has_list && !d.values.empty())
    c.diagnostics.error(
        d.name.where, fmt::format("array '{}' takes its initial values in braces", abbreviate(d.name.text)));
  if (d.is_const && d.values.empty())
    c.diagnostics.error(d.name.where, fmt::format("constant '{}' needs a value", abbreviate(d.name.text)));

  auto values = initial_values(c, home, d, static_cast<std::uint64_t>(length));
  const bool is_global = home.scope.component == no_component && home.prefix.empty();
  if (is_global && d.is_const && d.length == no_node) override_constant(c, d, values);
  if (d.is_const) return declare_constant(c, home, d, static_cast<std::uint64_t>(length), values);
  require_room(c, d.name.where, static_cast<std::uint64_t>(length));
  const Variable variable{.name = home.prefix + std::string(d.name.text),
                          .owner = home.scope.component,
                          .length = static_cast<std::uint32_t>(length),
                          .is_array = d.length != no_node,
                          .where = d.name.where};
  const std::uint32_t index = c.system.add_variable(variable, range_of(d.type), values);
  c.names.add(variable.owner, variable.name, {Symbol::Kind::variable, index});
}

// A buffer is ordinary data: how many messages wait, and a row for each field, where unused entries are 0
// so that equal contents are equal states.
void declare_buffer(Compilation& c, Channel& channel) {
  const std::string name(channel.name.text);
  require_room(c, channel.name.where, 1 + std::uint64_t{channel.capacity} * channel.fields.size());
  const auto add = [&](std::string part, std::uint32_t length, bool is_array, Range range) {
    const Variable variable{
        .name = name + "." + part, .length = length, .is_array = is_array, .where = channel.name.where};
    const std::uint32_t index = c.system.add_variable(variable, range, {});
    c.names.add(no_component, variable.name, {Symbol::Kind::variable, index});
    return c.system.variables[index].first;
  };
  channel.length_slot = add("length", 1, false, {0, static_cast<std::int32_t>(channel.capacity)});
  for (std::size_t i = 0; i < channel.fields.size(); ++i)
    channel.field_slots.push_back(add(channel.fields.size() == 1 ? "items" : std::to_string(i),
                                      channel.capacity, true, range_of(channel.fields[i])));
}

/// How many instances a template has, 0 after an error.
std::int64_t instances_of(Compilation& c, const TemplateParameter& parameter, std::string_view what) {
  return constant_between(c, {}, parameter.count, fmt::format("the number of {}", what), 1, max_instances)
      .value_or(0);
}

void declare_channel(Compilation& c, const ChannelDeclaration& d) {
  if (d.parameter) {
    ChannelDeclaration instance = d;
    instance.parameter.reset();
    for (std::int64_t i = 0, count = instances_of(c, *d.parameter, "channels"); i < count; ++i) {
      instance.name = c.name_instance(d.name, i);
      declare_channel(c, instance);
    }
    return;
  }
  if (!claim(c, {}, d.name)) return;
  if (c.file.synchronous)
    c.diagnostics.error(d.name.where,
                        "a 'system sync' model cannot have channels: its processes always move together");
  Channel channel{.name = d.name, .typed = d.typed, .fields = d.fields};
  if (d.capacity != no_node) {
    const auto capacity = constant_between(c, {}, d.capacity, "the size of a buffer", 0, max_slots);
    channel.capacity = static_cast<std::uint32_t>(capacity.value_or(0));
  }
  if (channel.buffered()) declare_buffer(c, channel);
  c.channel_index.emplace(d.name.text, static_cast<std::uint32_t>(c.channels.size()));
  c.system.channels.push_back({.name = std::string(d.name.text),
                               .capacity = channel.capacity,
                               .length_slot = channel.length_slot,
                               .fields = channel.field_slots,
                               .where = d.name.where});
  c.channels.push_back(std::move(channel));
}

}  // namespace

void declare_globals(Compilation& c) {
  auto variable = c.file.globals.begin();
  auto channel = c.file.channels.begin();
  for (const bool is_channel : c.file.is_channel)
    if (is_channel)
      declare_channel(c, *channel++);
    else
      declare(c, {}, *variable++);
}

// --- Processes ------------------------------------------------------------------------------------------

namespace {

std::vector<Location> declare_locations(Compilation& c, const ProcessClause& process) {
  std::vector<Location> locations;
  std::unordered_map<std::string_view, std::uint32_t> lines;
  for (const Name& state : process.states) {
    const auto [first, is_new] = lines.emplace(state.text, state.where.line);
    if (!is_new)
      c.diagnostics.error(state.where, fmt::format("state '{}' is declared twice, first in line {}",
                                                   abbreviate(state.text), first->second));
    else
      locations.push_back({.name = std::string(state.text), .where = state.where});
  }
  if (process.states.empty())
    c.diagnostics.error(process.name.where,
                        fmt::format("process '{}' has no states", abbreviate(process.name.text)));
  else if (!process.init)
    c.diagnostics.error(process.name.where,
                        fmt::format("process '{}' has no initial state", abbreviate(process.name.text)));
  return locations;
}

/// `number`: which instance of its template it is.
void declare_process(Compilation& c, const ProcessClause& process, std::int64_t number = 0) {
  const auto id = static_cast<ComponentId>(c.system.components.size());
  c.processes.push_back(&process);
  c.names.add_process(process.name.text, id);
  Component component{.name = std::string(process.name.text), .locations = declare_locations(c, process)};
  for (LocationId l = 0; l < component.locations.size(); ++l)
    c.names.add_location(id, component.locations[l].name, l);

  const auto location_of = [&](const Name& state) {
    const auto found = c.names.find_location(id, state.text);
    if (!found)
      c.diagnostics.error(
          state.where, fmt::format("process '{}' has no state '{}'{}", component.name, abbreviate(state.text),
                                   c.names.suggest_location(id, state.text)));
    return found;
  };
  if (process.init) component.initial = location_of(*process.init).value_or(0);
  for (const Name& state : process.committed)
    if (const auto location = location_of(state)) component.locations[*location].committed = true;
  for (const Name& state : process.ends)
    if (const auto location = location_of(state)) component.locations[*location].may_end = true;

  require_room(c, process.name.where, 1);
  component.location_slot = static_cast<SlotId>(c.system.slots.size());
  const auto count = static_cast<std::int32_t>(component.locations.size());
  const auto initial = static_cast<std::int32_t>(component.initial);
  c.system.components.push_back(std::move(component));
  // One value more than there are locations: the first process has it in the error state.
  c.system.add_variable(
      {.name = std::string(process.name.text), .owner = id, .is_location = true, .where = process.name.where},
      {0, count}, {initial});
  const Home home{.scope = {.component = id}, .prefix = {}};
  if (process.parameter && claim(c, home, process.parameter->name)) {
    c.names.add(id, process.parameter->name.text,
                {Symbol::Kind::constant, static_cast<std::uint32_t>(c.system.constants.size())});
    c.system.constants.push_back(
        {.name = std::string(process.parameter->name.text), .owner = id, .value = number});
  }
  for (const Declaration& d : process.declarations) declare(c, home, d);
}

void declare_property_process(Compilation& c) {
  const ProcessClause& process = *c.property;
  PropertyProcess property;
  property.name = std::string(process.name.text);
  property.locations = declare_locations(c, process);
  const auto first = static_cast<SlotId>(c.system.slots.size());
  const Home home{.scope = {.property_process = process.name.text},
                  .prefix = property_local(process.name.text, "")};
  for (const Declaration& d : process.declarations) declare(c, home, d);
  for (SlotId slot = first; slot < c.system.slots.size(); ++slot) property.slots.push_back(slot);
  c.system.property = std::move(property);
}

void warn_about_ignored(Compilation& c, const ProcessClause& process) {
  if (&process == c.property) {
    for (const Name& state : process.committed)
      c.diagnostics.warning(state.where, "'commit' has no effect in the property process");
    for (const Name& state : process.ends)
      c.diagnostics.warning(state.where, "'end' has no effect in the property process");
    for (const AssertClause& assertion : process.assertions)
      c.diagnostics.warning(assertion.state.where, "assertions of the property process are ignored");
    if (process.accept_where.line == 0)
      c.diagnostics.warning(process.name.where, "the property process accepts nothing: it has no 'accept'");
    return;
  }
  if (process.accept_where.line != 0)
    c.diagnostics.warning(process.accept_where, "'accept' is ignored outside of the property process");
  if (c.file.synchronous && !process.committed.empty())
    c.diagnostics.warning(process.committed[0].where, "'commit' has no effect in a 'system sync' model");
}

/// The processes of the file, those of templates one by one.
std::vector<std::pair<const ProcessClause*, std::int64_t>> expand_templates(Compilation& c) {
  std::vector<std::pair<const ProcessClause*, std::int64_t>> processes;
  for (const ProcessClause& process : c.file.processes) {
    if (!process.parameter) {
      processes.emplace_back(&process, 0);
      continue;
    }
    for (std::int64_t i = 0, count = instances_of(c, *process.parameter, "processes"); i < count; ++i) {
      c.instances.push_back(process);
      c.instances.back().name = c.name_instance(process.name, i);
      processes.emplace_back(&c.instances.back(), i);
    }
  }
  return processes;
}

}  // namespace

void declare_processes(Compilation& c) {
  std::unordered_map<std::string_view, std::uint32_t> lines;
  const auto processes = expand_templates(c);
  for (const auto& [clause, number] : processes) {
    const ProcessClause& process = *clause;
    const auto [first, is_new] = lines.emplace(process.name.text, process.name.where.line);
    const std::string name(process.name.text);
    if (!is_new) {
      c.diagnostics.error(process.name.where, fmt::format("process '{}' is declared twice, first in line {}",
                                                          abbreviate(name), first->second));
    } else if (c.names.find(no_component, name) != nullptr || c.channel_index.contains(name)) {
      c.diagnostics.error(process.name.where,
                          fmt::format("'{}' is already the name of a variable or channel", abbreviate(name)));
    } else {
      if (c.file.property && process.name.text == c.file.property->text) c.property = &process;
      warn_about_ignored(c, process);
      if (&process != c.property) declare_process(c, process, number);
    }
  }
  if (c.property != nullptr) declare_property_process(c);
  if (c.file.property && !lines.contains(c.file.property->text)) {
    Suggestion suggestion(c.file.property->text);
    for (const auto& [process, number] : processes) suggestion.offer(process->name.text);
    c.diagnostics.error(
        c.file.property->where,
        fmt::format("unknown property process '{}'{}", abbreviate(c.file.property->text), suggestion.text()));
  } else if (c.processes.empty() && !c.diagnostics.has_errors()) {
    c.diagnostics.error(c.file.system_where, "the model has no process");
  }
}

}  // namespace tideline::dve
