// Translation: expressions of Promela as expressions over slots.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "lang/promela/parser.hpp"
#include "lang/promela/translation.hpp"

namespace tideline::promela {

std::vector<Leaf> leaves_of(const Type& type) {
  if (type.base != BaseType::structure) return {{.path = "", .type = type}};
  std::vector<Leaf> result;
  for (const auto& field : type.structure->fields)
    for (Leaf leaf : leaves_of(*field)) {
      if (leaf.field == nullptr) leaf.field = field.get();
      leaf.path = fmt::format(".{}{}", field->name, leaf.path);
      result.push_back(std::move(leaf));
    }
  return result;
}

std::vector<Leaf> leaves_of(const Variable& variable) {
  std::vector<Leaf> result = leaves_of(variable.type);
  if (variable.is_array)
    for (Leaf& leaf : result) {
      leaf.dims.insert(leaf.dims.begin(), variable.length);
      leaf.count *= variable.length;
    }
  return result;
}

Range range_of(const Type& type) {
  switch (type.base) {
    case BaseType::bit:
      return {0, 1};
    case BaseType::short_:
      return int16_range;
    case BaseType::int_:
      return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
    case BaseType::unsigned_:
      if (type.bits >= 31)
        return {type.bits == 31 ? 0 : std::numeric_limits<std::int32_t>::min(),
                std::numeric_limits<std::int32_t>::max()};
      return {0, static_cast<std::int32_t>((std::uint32_t{1} << type.bits) - 1)};
    default:
      return byte_range;
  }
}

namespace {

/// Values that the expression certainly stays within, where that is easy to see.
Range easy_range(const Expr& e, const System& system) {
  constexpr Range any{std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
  switch (e.op) {
    case Op::constant:
      if (any.contains(e.value))
        return {static_cast<std::int32_t>(e.value), static_cast<std::int32_t>(e.value)};
      return any;
    case Op::load:
    case Op::load_array:
      return system.slots[e.slot].range;
    case Op::eq:
    case Op::ne:
    case Op::lt:
    case Op::le:
    case Op::gt:
    case Op::ge:
    case Op::logic_and:
    case Op::logic_or:
    case Op::logic_not:
    case Op::imply:
      return {0, 1};
    case Op::wrap_byte:
      return byte_range;
    default:
      return any;
  }
}

bool is_exact(const Expr& e) {
  return (e.op == Op::constant && e.value >= std::numeric_limits<std::int32_t>::min() &&
          e.value <= std::numeric_limits<std::int32_t>::max()) ||
         e.op == Op::load || e.op == Op::load_array;
}

Expr masked(Expr value, std::int64_t mask) {
  return Expr::binary(Op::bit_and, std::move(value), Expr::constant(mask));
}

}  // namespace

Expr cut_to(const Type& type, Expr value, const System& system) {
  value = fold_constants(std::move(value), system.tables);
  const Range wanted = range_of(type);
  const Range have = easy_range(value, system);
  const bool known = is_exact(value) || have.high - std::int64_t{have.low} < (std::int64_t{1} << 31);
  if (known && wanted.low <= have.low && have.high <= wanted.high) return value;
  Expr result;
  switch (type.base) {
    case BaseType::bit:
      result = masked(std::move(value), 1);
      break;
    case BaseType::short_:
      result = Expr::unary(Op::wrap_int16, std::move(value));
      break;
    case BaseType::unsigned_:
      if (type.bits < 32) {
        result = masked(std::move(value), (std::int64_t{1} << type.bits) - 1);
        break;
      }
      [[fallthrough]];
    case BaseType::int_:
      // As a signed number of 32 bits.
      result =
          Expr::binary(Op::sub,
                       masked(Expr::binary(Op::add, std::move(value), Expr::constant(std::int64_t{1} << 31)),
                              (std::int64_t{1} << 32) - 1),
                       Expr::constant(std::int64_t{1} << 31));
      break;
    default:
      result = Expr::unary(Op::wrap_byte, std::move(value));
      break;
  }
  return fold_constants(std::move(result), system.tables);
}

// --- variables --------------------------------------------------------------------------------------------

const Storage& Translation::storage_of(const Variable& variable, const Instance* in) const {
  return variable.owner == nullptr || in == nullptr ? globals_ : in->storage;
}

Expr Translation::checked(Expr index, std::uint32_t length, SourcePoint where) {
  if (index.is_constant() && index.value >= 0 && index.value < length) return index;
  // A constant array of 0, 1, 2, ... has no value outside of its bounds.
  auto [place, is_new] = identity_tables_.emplace(length, static_cast<std::uint32_t>(system_.tables.size()));
  if (is_new) {
    system_.tables.emplace_back();
    for (std::uint32_t i = 0; i < length; ++i) system_.tables.back().push_back(i);
  }
  return Expr::table(place->second, std::move(index), where);
}

Translation::Target Translation::locate(const Ex& reference, const Instance* in, std::string_view rest) {
  const Variable* variable = reference.variable;
  if (variable == nullptr) {
    error(reference.where, fmt::format("unknown variable '{}'", abbreviate(reference.parts[0].name)));
    throw Unreadable{};
  }
  const Storage& storage = storage_of(*variable, in);
  const auto found = storage.find(variable);
  if (found == storage.end()) {
    error(reference.where, fmt::format("'{}' has no value here", abbreviate(variable->name)));
    throw Unreadable{};
  }
  const std::vector<Leaf> leaves = leaves_of(*variable);
  std::string path;
  for (std::size_t i = 1; i < reference.parts.size(); ++i)
    path += fmt::format(".{}", reference.parts[i].name);
  path += rest;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].path != path) continue;
    Target target{found->second[i], leaves[i].count, {}, leaves[i].type};
    if (leaves[i].dims.empty()) return target;
    // The index into the row of all elements.
    std::vector<Expr> given;
    const Variable* field = variable;
    for (std::size_t p = 0; p < reference.parts.size(); ++p) {
      if (p != 0) {
        const auto& fields = field->type.structure->fields;
        field = std::ranges::find_if(fields, [&](const auto& f) {
                  return f->name == reference.parts[p].name;
                })->get();
      }
      if (!field->is_array) continue;
      given.push_back(reference.parts[p].index.empty() ? Expr::constant(0)
                                                       : value(reference.parts[p].index[0], in));
    }
    Expr index = Expr::constant(0);
    for (std::size_t d = 0; d < leaves[i].dims.size(); ++d) {
      Expr here = d < given.size() ? given[d] : Expr::constant(0);
      if (leaves[i].dims.size() > 1) here = checked(std::move(here), leaves[i].dims[d], reference.where);
      index = d == 0
                  ? std::move(here)
                  : Expr::binary(Op::add,
                                 Expr::binary(Op::mul, std::move(index), Expr::constant(leaves[i].dims[d])),
                                 std::move(here));
    }
    index = fold_constants(std::move(index), system_.tables);
    if (index.is_constant() && index.value >= 0 && index.value < target.length) {
      target.first += static_cast<SlotId>(index.value);
      target.length = 1;
    } else {
      target.index = std::move(index);
    }
    return target;
  }
  error(reference.where,
        fmt::format("'{}' is a whole structure; name a field of it", abbreviate(variable->name)));
  throw Unreadable{};
}

Expr Translation::load(const Target& target, SourcePoint where) const {
  if (!target.index) return Expr::load(target.first, where);
  return Expr::load_array(target.first, target.length, *target.index, where);
}

std::vector<Ex> Translation::spread(const Ex& ex) {
  if (ex.kind != ExKind::variable || ex.variable == nullptr) return {ex};
  const Variable* field = ex.variable;
  for (std::size_t i = 1; i < ex.parts.size(); ++i) {
    const auto& fields = field->type.structure->fields;
    field = std::ranges::find_if(fields, [&](const auto& f) { return f->name == ex.parts[i].name; })->get();
  }
  if (field->type.base != BaseType::structure) return {ex};
  std::vector<Ex> result;
  for (const auto& inner : field->type.structure->fields)
    for (std::uint32_t i = 0; i < inner->length; ++i) {
      Ex part = ex;
      part.parts.push_back({inner->name, {}});
      if (inner->is_array)
        part.parts.back().index.push_back({.kind = ExKind::number, .value = i, .where = ex.where});
      for (Ex& leaf : spread(part)) result.push_back(std::move(leaf));
    }
  return result;
}

std::vector<Ex> Translation::spread(const std::vector<Ex>& all) {
  std::vector<Ex> leaves;
  for (const Ex& ex : all) std::ranges::move(spread(ex), std::back_inserter(leaves));
  return leaves;
}

// --- expressions ------------------------------------------------------------------------------------------

Expr Translation::value(const Ex& ex, const Instance* in) {
  switch (ex.kind) {
    case ExKind::number:
      return Expr::constant(ex.value, ex.where);
    case ExKind::variable: {
      if (ex.variable == nullptr) {
        if (const auto constant = constant_value(ex, program_)) return Expr::constant(*constant, ex.where);
        // A formula may come before the variables it is about.
        for (const auto& variable : program_.globals)
          if (variable->name == ex.parts[0].name) {
            Ex known = ex;
            known.variable = variable.get();
            return value(known, in);
          }
        error(ex.where, fmt::format("unknown variable '{}'", abbreviate(ex.parts[0].name)));
        throw Unreadable{};
      }
      if (is_fixed_channel(*ex.variable)) return channel_value(ex, in);
      return load(locate(ex, in), ex.where);
    }
    case ExKind::unary:
      return Expr::unary(ex.op, value(ex.args[0], in), ex.where);
    case ExKind::binary:
      return binary_value(ex, in);
    case ExKind::conditional:
      return conditional_value(ex, in);
    case ExKind::length:
      return length_value(ex, in);
    case ExKind::poll:
      return poll_value(ex, in);
    case ExKind::timeout:
      return nothing_moves();
    case ExKind::np:
      return no_progress();
    case ExKind::nr_pr:
      // SPIN counts the claim, too, where it asks.
      if (in_claim_) return Expr::binary(Op::add, Expr::load(running_), Expr::constant(1), ex.where);
      return Expr::load(running_, ex.where);
    case ExKind::last:
      return Expr::load(last_, ex.where);
    case ExKind::pid:
      if (in == nullptr) {
        error(ex.where, "'_pid' has a value only inside of a process");
        throw Unreadable{};
      }
      return Expr::constant(in->number, ex.where);
    case ExKind::remote_label:
      return remote_label(ex, in);
    case ExKind::remote_variable:
      return remote_variable(ex, in);
    case ExKind::enabled:
      return enabled(ex, in);
    case ExKind::run:
      error(ex.where, "'run' has to be a statement of its own, or all that is assigned");
      throw Unreadable{};
    case ExKind::anything:
    case ExKind::eval:
      error(ex.where, "this can only be an argument of a receive");
      throw Unreadable{};
  }
  return Expr::constant(0);
}

/// Whether some statement of the process with this number can be executed.
Expr Translation::enabled(const Ex& ex, const Instance* in) {
  if (ex.args.size() != 1) {
    error(ex.where, "'enabled' takes the number of a process");
    throw Unreadable{};
  }
  if (in_enabled_) {
    error(ex.where, "'enabled' is asked about a process that asks it, too; use a condition on variables");
    throw Unreadable{};
  }
  const Expr number = fold_constants(value(ex.args[0], in), system_.tables);
  struct Leave {
    bool& flag;
    ~Leave() { flag = false; }
  } const leave{in_enabled_ = true};
  std::vector<Expr> cases;
  for (const auto& instance : instances_) {
    if (number.is_constant() && number.value != instance->number) continue;
    for (Point p = 0; p < instance->graph->points.size(); ++p) {
      if (p == instance->graph->finish) continue;
      Expr here = conjunction(Expr::binary(Op::eq, number, Expr::constant(instance->number)),
                              conjunction(is_at(*instance, p), can_move(*instance, p)));
      cases.push_back(std::move(here));
    }
  }
  return balanced(Op::logic_or, std::move(cases), 0);
}

Expr Translation::binary_value(const Ex& ex, const Instance* in) {
  return Expr::binary(ex.op, value(ex.args[0], in), value(ex.args[1], in), ex.where);
}

namespace {

/// The expression with a value even where `condition` (0 or 1) is 0: indices and divisors are harmless then.
Expr harmless_unless(Expr e, const Expr& condition) {
  for (Expr& arg : e.args) arg = harmless_unless(std::move(arg), condition);
  if (e.op == Op::load_array || e.op == Op::table)
    e.args[0] = Expr::binary(Op::mul, condition, std::move(e.args[0]));
  if (e.op == Op::div || e.op == Op::mod)
    e.args[1] = Expr::binary(Op::add, Expr::binary(Op::mul, condition, std::move(e.args[1])),
                             Expr::unary(Op::logic_not, condition));
  return e;
}

}  // namespace

Expr Translation::conditional_value(const Ex& ex, const Instance* in) {
  const Expr condition = Expr::binary(Op::ne, value(ex.args[0], in), Expr::constant(0));
  const Expr opposite = Expr::unary(Op::logic_not, condition);
  Expr yes = harmless_unless(value(ex.args[1], in), condition);
  Expr no = harmless_unless(value(ex.args[2], in), opposite);
  return Expr::binary(Op::add, Expr::binary(Op::mul, condition, std::move(yes)),
                      Expr::binary(Op::mul, opposite, std::move(no)), ex.where);
}

Expr Translation::channel_value(const Ex& ex, const Instance* in) {
  const Variable& variable = *ex.variable;
  const auto& numbers = variable.owner == nullptr || in == nullptr ? global_channels_ : in->channels;
  const auto found = numbers.find(&variable);
  if (found == numbers.end()) {
    error(ex.where, fmt::format("'{}' is not a channel here", abbreviate(variable.name)));
    throw Unreadable{};
  }
  if (!variable.is_array || ex.parts[0].index.empty()) return Expr::constant(found->second, ex.where);
  return Expr::binary(
      Op::add, Expr::constant(found->second),
      checked(fold_constants(value(ex.parts[0].index[0], in), system_.tables), variable.length, ex.where),
      ex.where);
}

Expr Translation::length_value(const Ex& ex, const Instance* in) {
  const Expr which = fold_constants(value(ex.args[0], in), system_.tables);
  const std::set<ChannelNumber> numbers = candidates(ex.args[0], in);
  std::vector<Expr> cases;
  for (const ChannelNumber number : numbers) {
    const ChannelInfo& info = channel(number);
    const Expr length = info.capacity == 0 ? Expr::constant(0) : Expr::load(info.length, ex.where);
    Expr here;
    if (ex.name == "len")
      here = length;
    else if (ex.name == "empty")
      here = Expr::binary(Op::eq, length, Expr::constant(0));
    else if (ex.name == "nempty")
      here = Expr::binary(Op::gt, length, Expr::constant(0));
    else if (ex.name == "full")
      here = info.capacity == 0 ? Expr::constant(0)
                                : Expr::binary(Op::ge, length, Expr::constant(info.capacity));
    else
      here = info.capacity == 0 ? Expr::constant(1)
                                : Expr::binary(Op::lt, length, Expr::constant(info.capacity));
    if (numbers.size() == 1) return here;
    cases.push_back(
        Expr::binary(Op::mul, Expr::binary(Op::eq, which, Expr::constant(number)), std::move(here)));
  }
  return balanced(Op::add, std::move(cases), 0);
}

Expr Translation::matches(const std::vector<Ex>& args, const ChannelInfo& info,
                          const std::vector<Expr>& contents, const Instance* in) {
  std::vector<Ex> all;
  for (const Ex& arg : args)
    for (Ex& leaf : spread(arg)) all.push_back(std::move(leaf));
  if (all.size() > info.fields.size()) {
    error(args.front().where, fmt::format("a message of this channel has {}, not {}",
                                          count_of(info.fields.size(), "field"), all.size()));
    throw Unreadable{};
  }
  Expr result = Expr::constant(1);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Ex& arg = all[i];
    if (arg.kind == ExKind::anything || (arg.kind == ExKind::variable && arg.variable != nullptr)) continue;
    const Ex& wanted = arg.kind == ExKind::eval ? arg.args[0] : arg;
    result = conjunction(std::move(result), Expr::binary(Op::eq, contents[i], value(wanted, in), arg.where));
  }
  return result;
}

Expr Translation::poll_value(const Ex& ex, const Instance* in) {
  const Expr which = fold_constants(value(ex.args[0], in), system_.tables);
  const std::set<ChannelNumber> numbers = candidates(ex.args[0], in);
  // In a poll a variable is compared, too, only if it is a constant or eval(): as in a receive.
  const std::vector<Ex> args(ex.args.begin() + 1, ex.args.end());
  std::vector<Expr> cases;
  for (const ChannelNumber number : numbers) {
    const ChannelInfo& info = channel(number);
    Expr here = numbers.size() == 1 ? Expr::constant(1) : Expr::binary(Op::eq, which, Expr::constant(number));
    std::vector<Expr> positions;
    for (std::uint32_t k = 0; k < info.capacity && (k == 0 || ex.random); ++k) {
      std::vector<Expr> contents;
      for (const SlotId row : info.rows) contents.push_back(Expr::load(row + k));
      positions.push_back(conjunction(Expr::binary(Op::gt, Expr::load(info.length), Expr::constant(k)),
                                      matches(args, info, contents, in)));
    }
    cases.push_back(conjunction(std::move(here), balanced(Op::logic_or, std::move(positions), 0)));
  }
  return balanced(Op::logic_or, std::move(cases), 0);
}

// --- other processes --------------------------------------------------------------------------------------

Expr Translation::is_at(const Instance& instance, Point point) const {
  return Expr::binary(Op::eq, Expr::load(system_.components[instance.component].location_slot),
                      Expr::constant(instance.location(point)));
}

Expr Translation::remote_label(const Ex& ex, const Instance* in) {
  const Process* process = program_.find_process(ex.name);
  const ControlGraph& graph = graphs_.at(process);
  const auto label = graph.labels.find(ex.label);
  if (label == graph.labels.end()) {
    Suggestion suggestion(ex.label);
    for (const auto& [name, point] : graph.labels) suggestion.offer(name);
    error(ex.where,
          fmt::format("proctype '{}' has no label '{}'{}", ex.name, abbreviate(ex.label), suggestion.text()));
    throw Unreadable{};
  }
  std::vector<Expr> cases;
  const std::optional<Expr> number =
      ex.args.empty() ? std::nullopt : std::optional(fold_constants(value(ex.args[0], in), system_.tables));
  for (const auto& instance : instances_) {
    if (instance->process != process) continue;
    if (number && number->is_constant() && number->value != instance->number) continue;
    Expr here = is_at(*instance, label->second);
    if (number && !number->is_constant())
      here = conjunction(Expr::binary(Op::eq, *number, Expr::constant(instance->number)), std::move(here));
    cases.push_back(std::move(here));
    if (!number) break;  // the first one, where none is named
  }
  return balanced(Op::logic_or, std::move(cases), 0);
}

Expr Translation::remote_variable(const Ex& ex, const Instance* in) {
  const Process* process = program_.find_process(ex.name);
  const auto found =
      std::ranges::find_if(process->variables, [&](const auto& v) { return v->name == ex.parts[0].name; });
  if (found == process->variables.end()) {
    if (ex.parts[0].name == "_p")
      error(ex.where, "control states have no numbers here; use a label: P[1]@label");
    else
      error(ex.where,
            fmt::format("proctype '{}' has no variable '{}'", ex.name, abbreviate(ex.parts[0].name)));
    throw Unreadable{};
  }
  const std::optional<Expr> number =
      ex.args.empty() ? std::nullopt : std::optional(fold_constants(value(ex.args[0], in), system_.tables));
  std::vector<Expr> cases;
  for (const auto& instance : instances_) {
    if (instance->process != process) continue;
    if (number && number->is_constant() && number->value != instance->number) continue;
    Ex reference{.kind = ExKind::variable, .variable = found->get(), .parts = ex.parts, .where = ex.where};
    for (Part& part : reference.parts)
      for (Ex& index : part.index)
        if (const auto constant = constant_value(index, program_))
          index = {.kind = ExKind::number, .value = *constant, .where = ex.where};
    Expr here = value(reference, instance.get());
    if (number && !number->is_constant())
      here = Expr::binary(Op::mul, Expr::binary(Op::eq, *number, Expr::constant(instance->number)),
                          std::move(here));
    cases.push_back(std::move(here));
    if (!number) break;
  }
  return balanced(Op::add, std::move(cases), 0);
}

Expr Translation::no_progress() {
  std::vector<Expr> progress;
  for (const auto& instance : instances_)
    for (Point p = 0; p < instance->graph->points.size(); ++p)
      if (instance->graph->points[p].has_label("progress")) progress.push_back(is_at(*instance, p));
  return Expr::unary(Op::logic_not, balanced(Op::logic_or, std::move(progress), 0));
}

}  // namespace tideline::promela
