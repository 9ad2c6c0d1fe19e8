#include "lang/promela/translation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "lang/promela/parser.hpp"

namespace tideline::promela {

namespace {

constexpr std::size_t most_actions = 500'000;  // each takes a few KiB until the system is made

/// ":init:" as a user of properties would write it.
std::string plain_name(const Process& process) {
  return process.kind == ProcessKind::init ? "init" : process.name;
}

}  // namespace

Translation::Translation(const Program& program, const SourceText& source, Diagnostics& diagnostics,
                         std::uint32_t most_processes)
    : program_(program), source_(source), diagnostics_(diagnostics), most_processes_(most_processes) {}

System Translation::run() {
  system_.language = "promela";
  system_.labels_say_moves = true;
  system_.runs_show_places = true;
  system_.value_names = program_.name_sets;
  make_graphs();
  diagnostics_.throw_if_errors();
  population_ = population(program_, graphs_, most_processes_);
  make_globals();
  make_instances();
  diagnostics_.throw_if_errors();
  try {
    find_channels();
    make_initial_state();
    diagnostics_.throw_if_errors();
    find_hidden();
    make_observers();
    make_actions();
    diagnostics_.throw_if_errors();
    make_properties();
  } catch (const Unreadable&) {
    // The error is recorded.
  }
  diagnostics_.throw_if_errors();
  complete(system_);
  return std::move(system_);
}

void Translation::make_graphs() {
  for (const auto& process : program_.processes) {
    graphs_.emplace(process.get(), control_graph(*process, program_.remote_labels, diagnostics_));
    if (process->kind != ProcessKind::proctype && process->kind != ProcessKind::init) continue;
    for_each_statement(process->body, [&](const Statement& s) {
      if (s.kind == StatementKind::assignment && s.target.variable != nullptr)
        written_.insert(s.target.variable);
      if (s.kind == StatementKind::receive)
        for (const Ex& arg : s.args)
          if (arg.kind == ExKind::variable && arg.variable != nullptr) written_.insert(arg.variable);
    });
    for (const Variable* parameter : process->parameters) written_.insert(parameter);
  }
}

bool Translation::is_fixed_channel(const Variable& variable) const {
  return variable.channel && !written_.contains(&variable);
}

ChannelNumber Translation::add_channels(const ChannelShape& shape, std::uint32_t count, const std::string& of,
                                        bool is_array, ComponentId owner, SourcePoint where) {
  const auto result = static_cast<ChannelNumber>(channels_.size() + 1);
  for (std::uint32_t i = 0; i < count; ++i) {
    ChannelInfo info;
    info.capacity = shape.capacity;
    for (const Type& type : shape.fields)
      for (const Leaf& leaf : leaves_of(type)) info.fields.insert(info.fields.end(), leaf.count, leaf.type);
    const std::string name = is_array ? fmt::format("{}[{}]", of, i) : of;
    Channel shown{.name = name, .capacity = info.capacity, .where = where};
    if (info.capacity > 0) {
      const auto capacity = static_cast<std::int32_t>(info.capacity);
      const std::uint32_t length =
          system_.add_variable({.name = name + ".len", .owner = owner, .where = where}, {0, capacity}, {});
      info.length = system_.variables[length].first;
      for (std::size_t f = 0; f < info.fields.size(); ++f) {
        const std::uint32_t row = system_.add_variable({.name = fmt::format("{}.{}", name, f),
                                                        .owner = owner,
                                                        .length = info.capacity,
                                                        .is_array = true,
                                                        .names = names_of(info.fields[f]),
                                                        .where = where},
                                                       range_of(info.fields[f]), {});
        info.rows.push_back(system_.variables[row].first);
      }
      shown.length_slot = info.length;
      shown.fields = info.rows;
    }
    for (const Type& type : info.fields) shown.names.push_back(names_of(type));
    info.shown = static_cast<std::uint32_t>(system_.channels.size());
    system_.channels.push_back(std::move(shown));
    channels_.push_back(std::move(info));
  }
  if (channels_.size() > 255) {
    error(where, "there are more than 255 channels");
    diagnostics_.throw_if_errors();
  }
  return result;
}

void Translation::add_storage(const Variable& variable, ComponentId owner, const std::string& prefix,
                              Storage& storage) {
  if (is_fixed_channel(variable)) return;
  std::vector<SlotId>& first = storage[&variable];
  for (const Leaf& leaf : leaves_of(variable)) {
    std::optional<ChannelNumber> channels;
    if (leaf.field != nullptr && leaf.field->channel && !variable.is_parameter)
      channels = add_channels(*leaf.field->channel, leaf.count,
                              fmt::format("{}{}{}", prefix, variable.name, leaf.path), leaf.count > 1, owner,
                              variable.where);
    std::string name = prefix + variable.name + leaf.path;
    for (int copy = 2; system_.find_variable(name, owner) != nullptr; ++copy)
      name = fmt::format("{}{}{}'{}", prefix, variable.name, leaf.path, copy);
    const std::uint32_t index = system_.add_variable({.name = name,
                                                      .owner = owner,
                                                      .length = leaf.count,
                                                      .is_array = !leaf.dims.empty(),
                                                      .names = names_of(leaf.type),
                                                      .where = variable.where},
                                                     range_of(leaf.type), {});
    first.push_back(system_.variables[index].first);
    if (channels) field_channels_[first.back()] = *channels;
    name_elements(leaf, variable, prefix, first.back(), owner);
  }
}

/// a[1].b[0] for an element inside of a typedef.
void Translation::name_elements(const Leaf& leaf, const Variable& variable, const std::string& prefix,
                                SlotId first, ComponentId owner) {
  if (leaf.path.empty() || leaf.dims.empty()) return;
  const std::string before = owner == no_component ? prefix : system_.components[owner].name + "." + prefix;
  for (std::uint32_t i = 0; i < leaf.count; ++i) {
    std::vector<std::uint32_t> at(leaf.dims.size());
    std::uint32_t rest = i;
    for (std::size_t d = leaf.dims.size(); d-- > 0;) {
      at[d] = rest % leaf.dims[d];
      rest /= leaf.dims[d];
    }
    std::string name = before + variable.name;
    std::size_t dim = 0;
    const Variable* field = &variable;
    std::string_view path = leaf.path;
    for (;;) {
      if (field->is_array) name += fmt::format("[{}]", at[dim++]);
      if (path.empty()) break;
      path.remove_prefix(1);
      const std::string_view part = path.substr(0, path.find('.'));
      path.remove_prefix(part.size());
      name += fmt::format(".{}", part);
      for (const auto& f : field->type.structure->fields)
        if (f->name == part) {
          field = f.get();
          break;
        }
    }
    system_.slots[first + i].name = std::move(name);
  }
}

std::vector<Assignment> Translation::field_values(const Variable& variable, const Storage& storage) {
  std::vector<Assignment> effects;
  const std::vector<Leaf> leaves = leaves_of(variable);
  for (std::size_t l = 0; l < leaves.size(); ++l) {
    const Leaf& leaf = leaves[l];
    if (leaf.field == nullptr) continue;
    const SlotId first = storage.at(&variable)[l];
    const auto channels = field_channels_.find(first);
    for (std::uint32_t i = 0; i < leaf.count; ++i) {
      if (channels != field_channels_.end())
        effects.push_back(set_to(first + i, channels->second + i));
      else if (!leaf.field->initial.empty())
        effects.push_back(set_to(first + i,
                                 cut_to(leaf.type, value(leaf.field->initial.front(), nullptr), system_),
                                 variable.where));
    }
  }
  return effects;
}

void Translation::make_globals() {
  const std::uint32_t running =
      system_.add_variable({.name = "_nr_pr", .is_internal = !program_.uses_nr_pr}, byte_range, {});
  running_ = system_.variables[running].first;
  const bool atomic = std::ranges::any_of(graphs_, [](const auto& entry) {
    return std::ranges::any_of(entry.second.steps, &ControlStep::goes_on);
  });
  if (atomic) {
    const std::uint32_t slot =
        system_.add_variable({.name = "_exclusive", .is_internal = true}, byte_range, {});
    exclusive_ = system_.variables[slot].first;
    system_.transient = exclusive_;
  }
  if (program_.uses_last) {
    const std::uint32_t slot = system_.add_variable({.name = "_last"}, byte_range, {});
    last_ = system_.variables[slot].first;
  }
  for (const auto& process : program_.processes)
    if (process->kind == ProcessKind::trace || process->kind == ProcessKind::notrace) traced_ = process.get();
  if (traced_ != nullptr) {
    const ControlGraph& graph = graphs_.at(traced_);
    const std::uint32_t slot =
        system_.add_variable({.name = "_trace"}, {0, static_cast<std::int32_t>(graph.points.size() - 1)},
                             {static_cast<std::int32_t>(graph.entry)});
    trace_ = system_.variables[slot].first;
  }
  for (const auto& [name, number] : program_.message_names)
    system_.constants.push_back({.name = name, .value = number});
  for (const auto& variable : program_.globals) {
    if (variable->channel)
      global_channels_[variable.get()] = add_channels(*variable->channel, variable->length, variable->name,
                                                      variable->is_array, no_component, variable->where);
    add_storage(*variable, no_component, "", globals_);
  }
}

void Translation::describe_points(const Instance& instance, bool prefix) {
  auto& locations = system_.components[instance.component].locations;
  std::map<std::string, int> used;
  for (Point p = 0; p < instance.graph->points.size(); ++p) {
    const ControlPoint& point = instance.graph->points[p];
    std::string name = !point.labels.empty() ? point.labels.front()
                       : p == instance.graph->finish
                           ? "-end-"
                           : std::to_string(source_.place_of(point.where.line).line);
    const int count = ++used[name];
    if (count > 1) name += fmt::format(".{}", count);
    if (prefix) name = plain_name(*instance.process) + ":" + name;
    locations.push_back({.name = std::move(name), .where = point.where});
  }
}

void Translation::make_instances() {
  for (std::uint32_t number = 0; number < population_.types.size(); ++number) {
    const auto& types = population_.types[number];
    Component component;
    for (const Process* process : types)
      component.name += fmt::format("{}{}", component.name.empty() ? "" : "/", plain_name(*process));
    component.name += fmt::format("[{}]", number);
    component.locations.push_back({.name = "-"});
    const auto id = static_cast<ComponentId>(system_.components.size());
    system_.components.push_back(std::move(component));
    std::size_t count = 1;
    for (const Process* process : types) count += graphs_.at(process).points.size();
    const std::uint32_t location =
        system_.add_variable({.name = system_.components[id].name, .owner = id, .is_location = true},
                             {0, static_cast<std::int32_t>(count - 1)}, {});
    system_.components[id].location_slot = system_.variables[location].first;
    for (const Process* process : types) {
      auto instance = std::make_unique<Instance>();
      instance->number = number;
      instance->process = process;
      instance->graph = &graphs_.at(process);
      instance->component = id;
      instance->base = static_cast<LocationId>(system_.components[id].locations.size());
      describe_points(*instance, types.size() > 1);
      const std::string prefix = types.size() > 1 ? plain_name(*process) + ":" : "";
      for (const auto& variable : process->variables) {
        if (variable->channel)
          instance->channels[variable.get()] =
              add_channels(*variable->channel, variable->length, prefix + variable->name, variable->is_array,
                           id, variable->where);
        add_storage(*variable, id, prefix, instance->storage);
      }
      by_number_[{number, process}] = instance.get();
      by_component_[id].push_back(instance.get());
      instances_.push_back(std::move(instance));
    }
    if (system_.slots.size() > 1'000'000) {
      error(process_point(), "the processes of this model need more than a million variables");
      diagnostics_.throw_if_errors();
    }
  }
}

SourcePoint Translation::process_point() const {
  return program_.processes.empty() ? SourcePoint{} : program_.processes.front()->where;
}

void Translation::make_initial_state() {
  // Effects of constants only: they are run here on the vector of initial values.
  const auto apply = [&](const std::vector<Assignment>& effects) {
    for (const Assignment& effect : effects) {
      const std::optional<std::int64_t> result = initial_value(effect.value);
      if (!result) {
        error(effect.where, "this initial value is not known at the beginning");
        continue;
      }
      system_.initial[effect.slot] = static_cast<std::int32_t>(*result);
    }
  };
  for (const auto& variable : program_.globals) {
    if (is_fixed_channel(*variable)) continue;
    apply(field_values(*variable, globals_));
    const SlotId first = globals_.at(variable.get()).front();
    for (std::uint32_t i = 0; i < variable->length; ++i) {
      if (variable->channel) apply({set_to(first + i, global_channels_.at(variable.get()) + i)});
      if (variable->initial.empty()) continue;
      const Ex& initial = variable->initial[std::min<std::size_t>(i, variable->initial.size() - 1)];
      apply({{.slot = first + i,
              .value = cut_to(variable->type, value(initial, nullptr), system_),
              .where = variable->where}});
    }
  }
  for (std::uint32_t number = 0; number < population_.initial.size(); ++number) {
    const Instance& instance = *by_number_.at({number, population_.initial[number]});
    std::size_t numbers = 0;
    for (const Variable* parameter : instance.process->parameters)
      numbers += spread(name_of(*parameter)).size();
    const std::vector<Expr> arguments(numbers, Expr::constant(0));
    apply(start(instance, arguments));
    system_.components[instance.component].initial = instance.location(instance.graph->entry);
  }
}

std::optional<std::int64_t> Translation::initial_value(const Expr& expr) const {
  Expr known = expr;
  const auto replace = [&](auto& self, Expr& e) -> void {
    for (Expr& arg : e.args) self(self, arg);
    if (e.op == Op::load) e = Expr::constant(system_.initial[e.slot]);
    if (e.op == Op::load_array) {
      const Expr index = fold_constants(e.args[0], system_.tables);
      if (index.is_constant() && index.value >= 0 && index.value < e.length)
        e = Expr::constant(system_.initial[e.slot + static_cast<SlotId>(index.value)]);
    }
  };
  replace(replace, known);
  known = fold_constants(std::move(known), system_.tables);
  if (!known.is_constant()) return std::nullopt;
  return known.value;
}

// --- actions ----------------------------------------------------------------------------------------------

void Translation::make_actions() {
  for (const auto& instance : instances_) {
    add_steps(*instance);
    add_end(*instance);
    if (exclusive_ != no_slot) add_releases(*instance);
  }
}

void Translation::add_steps(const Instance& instance) {
  entered_.assign(instance.graph->points.size(), false);
  for (const ControlStep& step : instance.graph->steps)
    if (step.goes_on) entered_[step.to] = true;
  for (const ControlStep& step : instance.graph->steps) {
    const std::vector<Move> ways = moves(instance, step);
    for (const Move& move : ways) {
      try {
        add_action(instance, step, move);
        add_inner_assertion(instance, step);
      } catch (const Unreadable&) {
        // The error is recorded.
      }
    }
    if (system_.actions.size() > most_actions) {
      error(step.where,
            "this model has more than 500,000 possible steps up to this one, counting each pair of processes "
            "and each channel it can be about; use fewer processes, or channels that are constants");
      diagnostics_.throw_if_errors();
    }
  }
}

/// No process is alone, or this one is, where it can be.
Expr Translation::turn(const Instance& instance, const ControlStep& step) const {
  const auto alone = [&](std::int64_t who) {
    return Expr::binary(Op::eq, Expr::load(exclusive_), Expr::constant(who));
  };
  if (!entered_[step.from]) return alone(0);
  return Expr::binary(Op::logic_or, alone(0), alone(instance.number + 1));
}

/// Properties do not see the state before an assertion inside an atomic sequence. Such an assertion is not a property: it
/// fails as an action of its own, beside the one that goes on.
void Translation::add_inner_assertion(const Instance& instance, const ControlStep& step) {
  const Statement* const s = step.statement;
  if (s == nullptr || s->kind != StatementKind::assertion || !entered_[step.from]) return;
  inner_assertions_.insert(s);
  add_failure(instance, step, Expr::unary(Op::logic_not, value(s->value, &instance)),
              ModelErrorKind::assertion_violated, s->where);
}

void Translation::add_failure(const Instance& instance, const ControlStep& step, Expr when,
                              ModelErrorKind kind, SourcePoint where) {
  Action action;
  action.where = step.where;
  action.label = fmt::format("{}: {}", system_.components[instance.component].name, step.text);
  Expr guard = conjunction(conditions(instance, step), std::move(when));
  if (exclusive_ != no_slot) guard = conjunction(turn(instance, step), std::move(guard));
  guard = fold_constants(std::move(guard), system_.tables);
  if (guard.is_constant(0)) return;
  action.participants.push_back({.component = instance.component,
                                 .from = instance.location(step.from),
                                 .to = instance.location(step.to),
                                 .guard = std::move(guard),
                                 .where = step.where,
                                 .statement = step.number});
  action.effects.push_back(
      {.slot = running_,
       .value = Expr{.op = Op::fail, .value = static_cast<std::int64_t>(kind), .where = where},
       .where = where});
  system_.actions.push_back(std::move(action));
}

std::uint32_t Translation::names_of(const Type& type) const {
  return type.base == BaseType::mtype ? type.names : no_names;
}

Print Translation::print_of(const Statement& s, const Instance& instance) {
  Print print{.format = s.name.substr(1, s.name.size() - 2)};
  for (const Ex& arg : s.args) {
    // A name is looked up among those of its variable; other values among plain mtypes.
    std::uint32_t names = 0;
    if (arg.kind == ExKind::variable && arg.variable != nullptr && arg.parts.size() == 1)
      names = arg.variable->type.names;
    for (std::uint32_t set = 0; arg.kind == ExKind::variable && set < program_.name_sets.size(); ++set)
      if (arg.variable == nullptr &&
          std::ranges::find(program_.name_sets[set], arg.parts[0].name) != program_.name_sets[set].end())
        names = set;
    print.arguments.push_back({value(arg, &instance), names});
  }
  return print;
}

void Translation::add_action(const Instance& instance, const ControlStep& step, Move move) {
  const auto location = [&](const Instance& i) { return system_.components[i.component].location_slot; };
  Action action;
  action.where = step.where;
  action.label = fmt::format("{}: {}", system_.components[instance.component].name, step.text);
  const Expr statement_guard = move.guard;
  Expr guard = conjunction(conditions(instance, step), std::move(move.guard));
  if (exclusive_ != no_slot) guard = conjunction(turn(instance, step), std::move(guard));
  guard = fold_constants(std::move(guard), system_.tables);
  if (guard.is_constant(0)) return;
  action.participants.push_back({.component = instance.component,
                                 .from = instance.location(step.from),
                                 .to = instance.location(step.to),
                                 .guard = std::move(guard),
                                 .where = step.where,
                                 .statement = step.number});
  Expr claimed = Expr::constant(0);
  std::optional<TraceMove> traced;
  if (move.message && !move.is_peek) {
    claimed = claimed_by_others(*move.message);
    traced = trace_move(move);
  }
  // First, since it reads what is sent and received before anything is changed.
  if (traced) action.effects.push_back(set_to(trace_, traced->to, step.where));
  std::ranges::move(move.effects, std::back_inserter(action.effects));
  if (step.statement != nullptr && step.statement->kind == StatementKind::print &&
      !step.statement->name.empty())
    action.print = print_of(*step.statement, instance);
  action.effects.push_back(set_to(location(instance), instance.location(step.to)));
  const Instance* after = &instance;
  bool goes_on = step.goes_on;
  if (move.partner != nullptr) {
    const ControlStep& other = *move.partner_step;
    action.participants.push_back({.component = move.partner->component,
                                   .from = move.partner->location(other.from),
                                   .to = move.partner->location(other.to),
                                   .guard = Expr::constant(1),
                                   .where = other.where,
                                   .statement = other.number});
    action.guard = std::move(move.partner_guard);
    action.effects.push_back(set_to(location(*move.partner), move.partner->location(other.to)));
    action.label += fmt::format(" / {}: {}", system_.components[move.partner->component].name, other.text);
    after = move.partner;
    goes_on = other.goes_on;
  }
  if (exclusive_ != no_slot && (goes_on || entered_[step.from]))
    action.effects.push_back(set_to(exclusive_, goes_on ? after->number + 1 : 0));
  if (last_ != no_slot) action.effects.push_back(set_to(last_, after->number));
  forget_hidden(action.effects, goes_on, exclusive_ != no_slot && entered_[step.from]);
  const Expr possible = conjunction(
      statement_guard, move.partner == nullptr
                           ? Expr::constant(1)
                           : conjunction(is_at(*move.partner, move.partner_step->from), action.guard));
  if (!claimed.is_constant(0))
    add_failure(instance, step, conjunction(possible, std::move(claimed)), ModelErrorKind::claim_violated,
                step.where);
  if (traced && !traced->wrong.is_constant(0))
    add_failure(instance, step, conjunction(possible, traced->wrong), ModelErrorKind::trace_violated,
                step.where);
  if (!move.extra.empty()) action.label += fmt::format(" [{}]", move.extra);
  action.message = std::move(move.message);
  system_.actions.push_back(std::move(action));
}

void Translation::add_end(const Instance& instance) {
  const ControlGraph& graph = *instance.graph;
  const SlotId location = system_.components[instance.component].location_slot;
  Action action;
  action.where = instance.process->where;
  action.label = fmt::format("{}: -end-", system_.components[instance.component].name);
  Expr guard = can_end(instance);
  if (exclusive_ != no_slot)
    guard = conjunction(Expr::binary(Op::eq, Expr::load(exclusive_), Expr::constant(0)), std::move(guard));
  action.participants.push_back({.component = instance.component,
                                 .from = instance.location(graph.finish),
                                 .to = 0,
                                 .guard = std::move(guard),
                                 .where = action.where,
                                 .statement = instance.process->end_number});
  const auto clear = [&](SlotId first, std::uint32_t count) {
    for (SlotId slot = first; slot < first + count; ++slot) action.effects.push_back(set_to(slot, 0));
  };
  const auto clear_channel = [&](ChannelNumber number) {
    const ChannelInfo& info = channel(number);
    if (info.capacity == 0) return;
    clear(info.length, 1);
    for (const SlotId row : info.rows) clear(row, info.capacity);
  };
  for (const auto& variable : instance.process->variables) {
    if (const auto stored = instance.storage.find(variable.get()); stored != instance.storage.end()) {
      const std::vector<Leaf> leaves = leaves_of(*variable);
      for (std::size_t i = 0; i < leaves.size(); ++i) {
        clear(stored->second[i], leaves[i].count);
        if (const auto found = field_channels_.find(stored->second[i]); found != field_channels_.end())
          for (std::uint32_t c = 0; c < leaves[i].count; ++c) clear_channel(found->second + c);
      }
    }
    if (const auto found = instance.channels.find(variable.get()); found != instance.channels.end())
      for (std::uint32_t i = 0; i < variable->length; ++i) clear_channel(found->second + i);
  }
  action.effects.push_back(set_to(running_, instance.number));
  action.effects.push_back(set_to(location, 0));
  if (last_ != no_slot) action.effects.push_back(set_to(last_, instance.number));
  system_.actions.push_back(std::move(action));
}

void Translation::add_releases(const Instance& instance) {
  for (Point p = 0; p < instance.graph->points.size(); ++p) {
    if (!entered_[p]) continue;
    Expr blocked = fold_constants(Expr::unary(Op::logic_not, can_move(instance, p)), system_.tables);
    if (blocked.is_constant(0)) continue;
    const ControlPoint& point = instance.graph->points[p];
    Action action;
    action.where = point.where;
    action.label = fmt::format("{}: (blocks)", system_.components[instance.component].name);
    action.participants.push_back({.component = instance.component,
                                   .from = instance.location(p),
                                   .to = instance.location(p),
                                   .guard = conjunction(Expr::binary(Op::eq, Expr::load(exclusive_),
                                                                     Expr::constant(instance.number + 1)),
                                                        std::move(blocked)),
                                   .where = point.where});
    if (point.in_d_step)
      action.effects.push_back(
          {.slot = exclusive_,
           .value = Expr{.op = Op::fail,
                         .value = static_cast<std::int64_t>(ModelErrorKind::blocked_in_d_step),
                         .where = point.where},
           .where = point.where});
    else
      action.effects.push_back(set_to(exclusive_, 0));
    forget_hidden(action.effects, false, true);
    system_.actions.push_back(std::move(action));
  }
}

// --- properties -------------------------------------------------------------------------------------------

void Translation::make_properties() {
  // States in which a run may end.
  std::vector<Expr> may_end;
  std::vector<Expr> accepting;
  for (const auto& [component, instances] : by_component_) {
    const SlotId slot = system_.components[component].location_slot;
    std::vector<Expr> here{Expr::binary(Op::eq, Expr::load(slot), Expr::constant(0))};
    for (const Instance* instance : instances)
      for (Point p = 0; p < instance->graph->points.size(); ++p) {
        const ControlPoint& point = instance->graph->points[p];
        if (p == instance->graph->finish || point.has_label("end")) here.push_back(is_at(*instance, p));
        if (point.has_label("accept")) accepting.push_back(is_at(*instance, p));
        for (const std::string& label : point.labels)
          system_.propositions.push_back(
              {fmt::format("{}[{}]@{}", plain_name(*instance->process), instance->number, label),
               is_at(*instance, p)});
      }
    may_end.push_back(balanced(Op::logic_or, std::move(here), 0));
  }
  if (traced_ != nullptr) {
    const ControlGraph& graph = graphs_.at(traced_);
    std::vector<Expr> here{
        Expr::binary(Op::eq, Expr::load(running_), Expr::constant(0))};  // nobody asks then
    for (Point p = 0; p < graph.points.size(); ++p)
      if (p == graph.finish || graph.points[p].has_label("end"))
        here.push_back(Expr::binary(Op::eq, Expr::load(trace_), Expr::constant(p)));
    may_end.push_back(balanced(Op::logic_or, std::move(here), 0));
  }
  system_.may_end = balanced(Op::logic_and, std::move(may_end), 1);
  system_.propositions.push_back({"np_", no_progress()});
  for (const auto& process : program_.processes)
    if (process->kind == ProcessKind::proctype || process->kind == ProcessKind::init)
      for_each_statement(process->body, [&](const Statement& s) {
        has_accept_labels_ |=
            std::ranges::any_of(s.labels, [](const auto& l) { return l.starts_with("accept"); });
      });
  system_.propositions.push_back({"accept_", balanced(Op::logic_or, std::move(accepting), 0)});
  // One property for each assertion of the text, about all processes that make it.
  std::map<const Statement*, Assertion> assertions;
  for (const auto& instance : instances_)
    for (const ControlStep& step : instance->graph->steps) {
      const Statement* const s = step.statement;
      if (s == nullptr || s->kind != StatementKind::assertion || inner_assertions_.contains(s)) continue;
      Expr broken = conjunction(is_at(*instance, step.from), conditions(*instance, step));
      Expr claim = Expr::binary(Op::imply, std::move(broken), value(s->value, instance.get()), s->where);
      auto [place, is_new] = assertions.try_emplace(s);
      Assertion& assertion = place->second;
      if (is_new) {
        const SourceText::Place where = source_.place_of(s->where.line);
        assertion.name = fmt::format("assert:{}", where.line);
        assertion.text = s->text;
        assertion.where = s->where;
        assertion.condition = std::move(claim);
      } else {
        assertion.condition = conjunction(std::move(assertion.condition), std::move(claim));
      }
    }
  for (auto& [statement, assertion] : assertions) system_.assertions.push_back(std::move(assertion));
  std::ranges::sort(system_.assertions, {},
                    [](const Assertion& a) { return std::pair(a.where.line, a.where.column); });
  std::map<std::string, int> names;
  for (Assertion& assertion : system_.assertions) {
    const int count = ++names[assertion.name];
    if (count > 1) assertion.name += fmt::format("-{}", count);
  }
  make_claim();
  make_formulas();
}

}  // namespace tideline::promela
