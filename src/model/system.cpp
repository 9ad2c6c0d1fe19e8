#include "model/system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tideline {

std::uint32_t PropertyProcess::marks_of(LocationId location) const {
  std::uint32_t marks = 0;
  for (std::size_t set = 0; set < accepting.size(); ++set)
    if (std::find(accepting[set].begin(), accepting[set].end(), location) != accepting[set].end())
      marks |= std::uint32_t{1} << set;
  return marks;
}

std::uint32_t PropertyProcess::all_marks() const {
  return accepting.size() == most_sets ? ~std::uint32_t{0} : (std::uint32_t{1} << accepting.size()) - 1;
}

const Variable* System::find_variable(std::string_view wanted, ComponentId owner) const {
  for (const Variable& v : variables)
    if (v.owner == owner && !v.is_location && v.name == wanted) return &v;
  return nullptr;
}

const Constant* System::find_constant(std::string_view wanted, ComponentId owner) const {
  for (const Constant& c : constants)
    if (c.owner == owner && c.name == wanted) return &c;
  return nullptr;
}

std::optional<ComponentId> System::find_component(std::string_view wanted) const {
  for (ComponentId c = 0; c < components.size(); ++c)
    if (components[c].name == wanted) return c;
  return std::nullopt;
}

std::optional<LocationId> System::find_location(ComponentId component, std::string_view wanted) const {
  const auto& locations = components[component].locations;
  for (LocationId l = 0; l < locations.size(); ++l)
    if (locations[l].name == wanted) return l;
  return std::nullopt;
}

std::optional<SlotId> System::find_slot(std::string_view wanted) const {
  for (SlotId s = 0; s < slots.size(); ++s)
    if (slots[s].name == wanted) return s;
  return std::nullopt;
}

std::uint32_t System::add_variable(Variable variable, Range range, const std::vector<std::int32_t>& values) {
  variable.first = static_cast<SlotId>(slots.size());
  const auto index = static_cast<std::uint32_t>(variables.size());
  std::string prefix;
  if (variable.owner != no_component && !variable.is_location) prefix = components[variable.owner].name + ".";
  for (std::uint32_t i = 0; i < variable.length; ++i) {
    std::string slot_name = prefix + variable.name;
    if (variable.is_array) slot_name += fmt::format("[{}]", i);
    slots.push_back({std::move(slot_name), range, variable.owner, index});
    initial.push_back(i < values.size() ? values[i] : 0);
  }
  variables.push_back(std::move(variable));
  return index;
}

std::string System::show_value(SlotId slot, std::int64_t value) const {
  const Variable& variable = variables[slots[slot].variable];
  if (!variable.is_location) return show_named(variable.names, value);
  const auto& locations = components[variable.owner].locations;
  if (value >= 0 && value < static_cast<std::int64_t>(locations.size()))
    return locations[static_cast<std::size_t>(value)].name;
  return "<error>";
}

std::string System::show_named(std::uint32_t names, std::int64_t value) const {
  const bool has_name = names != no_names && value >= 0 &&
                        value < static_cast<std::int64_t>(value_names[names].size()) &&
                        !value_names[names][static_cast<std::size_t>(value)].empty();
  return has_name ? value_names[names][static_cast<std::size_t>(value)] : std::to_string(value);
}

void collect_reads(const Expr& expr, std::vector<SlotId>& reads) {
  for_each_subexpr(expr, [&](const Expr& e) {
    if (e.op == Op::load) reads.push_back(e.slot);
    if (e.op == Op::load_array)
      for (SlotId s = e.slot; s < e.slot + e.length; ++s) reads.push_back(s);
  });
}

namespace {

void sort_unique(std::vector<SlotId>& slots) {
  std::sort(slots.begin(), slots.end());
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
}

void compute_access_sets(Action& action, const System& system) {
  action.reads.clear();
  action.writes.clear();
  for (const Participant& p : action.participants) {
    action.reads.push_back(system.components[p.component].location_slot);
    collect_reads(p.guard, action.reads);
  }
  collect_reads(action.guard, action.reads);
  for (const Assignment& effect : action.effects) {
    collect_reads(effect.value, action.reads);
    if (effect.index) {
      collect_reads(*effect.index, action.reads);
      for (SlotId s = effect.slot; s < effect.slot + effect.length; ++s) action.writes.push_back(s);
    } else {
      action.writes.push_back(effect.slot);
    }
  }
  sort_unique(action.reads);
  sort_unique(action.writes);
}

}  // namespace

std::optional<Expr> end_condition(const System& system, const std::vector<EndLocations>& ends) {
  std::optional<Expr> all;
  bool is_named = false;
  for (ComponentId c = 0; c < ends.size(); ++c) {
    Expr here = Expr::constant(0);
    for (LocationId l = 0; l < ends[c].named.size(); ++l) {
      is_named = is_named || ends[c].named[l];
      if (!ends[c].named[l] && !ends[c].never_left[l]) continue;
      Expr test = Expr::binary(Op::eq, Expr::load(system.components[c].location_slot), Expr::constant(l));
      here =
          here.is_constant() ? std::move(test) : Expr::binary(Op::logic_or, std::move(here), std::move(test));
    }
    all = all ? Expr::binary(Op::logic_and, std::move(*all), std::move(here)) : std::move(here);
  }
  return is_named ? std::move(all) : std::nullopt;
}

void complete(System& system) {
  for (Component& component : system.components) component.edges.clear();
  for (ActionId a = 0; a < system.actions.size(); ++a) {
    compute_access_sets(system.actions[a], system);
    for (const Participant& p : system.actions[a].participants)
      if (p.from != any_location)
        system.components[p.component].edges.push_back({p.from, p.to, a, p.where.line});
  }
}

namespace {

std::string_view symbol(Op op) {
  switch (op) {
    case Op::negate:
      return "-";
    case Op::bit_not:
      return "~";
    case Op::logic_not:
      return "!";
    case Op::add:
      return "+";
    case Op::sub:
      return "-";
    case Op::mul:
      return "*";
    case Op::div:
      return "/";
    case Op::mod:
      return "%";
    case Op::shift_left:
      return "<<";
    case Op::shift_right:
      return ">>";
    case Op::bit_and:
      return "&";
    case Op::bit_or:
      return "|";
    case Op::bit_xor:
      return "^";
    case Op::eq:
      return "==";
    case Op::ne:
      return "!=";
    case Op::lt:
      return "<";
    case Op::le:
      return "<=";
    case Op::gt:
      return ">";
    case Op::ge:
      return ">=";
    case Op::logic_and:
      return "&&";
    case Op::logic_or:
      return "||";
    case Op::imply:
      return "imply";
    case Op::wrap_byte:
      return "byte";
    case Op::wrap_int16:
      return "int";
    default:
      return "";
  }
}

// A location test reads "P_0.CS", as it is written in models.
std::string location_test(const Expr& e, const System& system) {
  if (e.op != Op::eq || e.args[0].op != Op::load || !e.args[1].is_constant()) return {};
  const SlotId slot = e.args[0].slot;
  if (!system.variables[system.slots[slot].variable].is_location) return {};
  return system.slots[slot].name + "." + system.show_value(slot, e.args[1].value);
}

std::string show(const Expr& e, const System& system, bool nested) {
  switch (e.op) {
    case Op::constant:
      return std::to_string(e.value);
    case Op::load:
      return system.slots[e.slot].name;
    case Op::load_array: {
      std::string name = system.slots[e.slot].name;
      name.erase(name.rfind('['));
      return fmt::format("{}[{}]", name, show(e.args[0], system, false));
    }
    case Op::table: {
      std::string name = fmt::format("table{}", e.slot);
      for (const Constant& c : system.constants)
        if (c.is_array && c.table == e.slot) name = c.name;
      return fmt::format("{}[{}]", name, show(e.args[0], system, false));
    }
    case Op::fail:
      return fmt::format("<{}>", to_string(static_cast<ModelErrorKind>(e.value)));
    case Op::wrap_byte:
    case Op::wrap_int16:
      return fmt::format("{}({})", symbol(e.op), show(e.args[0], system, false));
    default:
      break;
  }
  if (e.args.size() == 1) return fmt::format("{}{}", symbol(e.op), show(e.args[0], system, true));
  if (std::string test = location_test(e, system); !test.empty()) return test;
  const std::string text =
      fmt::format("{} {} {}", show(e.args[0], system, true), symbol(e.op), show(e.args[1], system, true));
  return nested ? "(" + text + ")" : text;
}

}  // namespace

std::string to_string(const Expr& expr, const System& system) {
  return show(expr, system, false);
}

}  // namespace tideline
