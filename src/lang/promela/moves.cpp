// Translation: what a statement needs and does, as guards and assignments.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lang/promela/parser.hpp"
#include "lang/promela/translation.hpp"

namespace tideline::promela {

namespace {

Expr equals(Expr left, std::int64_t right) {
  return Expr::binary(Op::eq, std::move(left), Expr::constant(right));
}

}  // namespace

Assignment set_to(SlotId slot, Expr value, SourcePoint where) {
  return {.slot = slot, .value = std::move(value), .where = where};
}
Assignment set_to(SlotId slot, std::int64_t value) {
  return set_to(slot, Expr::constant(value), {});
}

const std::vector<Move>& Translation::moves(const Instance& instance, const ControlStep& step) {
  const auto key = std::pair(&instance, &step);
  const auto known = moves_.find(key);
  if (known != moves_.end()) return known->second;
  std::vector<Move> made;
  try {
    made = make_moves(instance, step);
  } catch (const Unreadable&) {
    // The error is recorded.
  }
  for (Move& move : made) {
    move.guard = fold_constants(std::move(move.guard), system_.tables);
    move.partner_guard = fold_constants(std::move(move.partner_guard), system_.tables);
  }
  std::erase_if(made, [](const Move& m) { return m.guard.is_constant(0) || m.partner_guard.is_constant(0); });
  // A statement with a timeout means something else while nothing_moves() is made.
  if (in_timeout_) {
    scratch_moves_.push_back(std::make_unique<std::vector<Move>>(std::move(made)));
    return *scratch_moves_.back();
  }
  return moves_[key] = std::move(made);
}

Ex Translation::name_of(const Variable& variable) {
  return {.kind = ExKind::variable,
          .variable = &variable,
          .parts = {{variable.name, {}}},
          .where = variable.where};
}

std::vector<Assignment> Translation::assign(const Ex& target, Expr value, const Instance* in) {
  const Target place = locate(target, in);
  return {{.slot = place.first,
           .length = place.length,
           .index = place.index,
           .value = cut_to(place.type, std::move(value), system_),
           .where = target.where}};
}

std::vector<Move> Translation::make_moves(const Instance& instance, const ControlStep& step) {
  std::vector<Move> result;
  const Statement* const s = step.statement;
  if (s == nullptr) return {Move{}};
  if (run_of(s) != nullptr) {
    run_moves(instance, step, result);
    return result;
  }
  switch (s->kind) {
    case StatementKind::expression:
      result.push_back({.guard = value(s->value, &instance)});
      break;
    case StatementKind::assignment: {
      // Structures are copied field by field.
      const std::vector<Ex> targets = spread(s->target);
      const std::vector<Ex> values = spread(s->value);
      if (targets.size() != values.size()) {
        error(s->where, "the two sides of this assignment have different types");
        throw Unreadable{};
      }
      Move move;
      for (std::size_t i = 0; i < targets.size(); ++i)
        for (Assignment& effect : assign(targets[i], value(values[i], &instance), &instance))
          move.effects.push_back(std::move(effect));
      result.push_back(std::move(move));
      break;
    }
    case StatementKind::send:
      send_moves(instance, *s, result);
      break;
    case StatementKind::receive:
      receive_moves(instance, *s, result);
      break;
    default:
      // What a print says matters to runs only (print_of); assertions are claims about the state before them.
      result.emplace_back();
      break;
  }
  return result;
}

// --- processes --------------------------------------------------------------------------------------------

std::vector<Assignment> Translation::start(const Instance& child, const std::vector<Expr>& arguments) {
  std::vector<Assignment> effects;
  std::size_t next = 0;
  for (const Variable* parameter : child.process->parameters)
    for (const Ex& target : spread(name_of(*parameter)))
      for (Assignment& effect : assign(target, arguments[next++], &child))
        effects.push_back(std::move(effect));
  for (const auto& variable : child.process->variables) {
    if (is_fixed_channel(*variable) || variable->is_parameter) continue;
    for (Assignment& effect : field_values(*variable, child.storage)) effects.push_back(std::move(effect));
    if (variable->channel) {
      const SlotId first = child.storage.at(variable.get()).front();
      for (std::uint32_t i = 0; i < variable->length; ++i)
        effects.push_back(set_to(first + i, child.channels.at(variable.get()) + i));
      continue;
    }
    if (variable->initial.empty() || !variable->set_at_creation) continue;
    for (std::uint32_t i = 0; i < variable->length; ++i) {
      const Ex& initial = variable->initial[std::min<std::size_t>(i, variable->initial.size() - 1)];
      const SlotId first = child.storage.at(variable.get()).front();
      Expr here = fold_constants(cut_to(variable->type, value(initial, &child), system_), system_.tables);
      if (!here.is_constant(0)) effects.push_back(set_to(first + i, std::move(here), variable->where));
    }
  }
  effects.push_back(set_to(running_, child.number + 1));
  effects.push_back(
      set_to(system_.components[child.component].location_slot, child.location(child.graph->entry)));
  return effects;
}

void Translation::run_moves(const Instance& instance, const ControlStep& step, std::vector<Move>& moves) {
  const Ex& run = *run_of(step.statement);
  const Process* const process = program_.find_process(run.name);
  if (process == nullptr || process->kind != ProcessKind::proctype) {
    Suggestion suggestion(run.name);
    for (const auto& p : program_.processes) suggestion.offer(p->name);
    error(run.where, fmt::format("unknown proctype '{}'{}", abbreviate(run.name), suggestion.text()));
    throw Unreadable{};
  }
  if (process->parameters.size() != run.args.size()) {
    error(run.where, fmt::format("proctype '{}' takes {}, not {}", run.name,
                                 count_of(process->parameters.size(), "argument"), run.args.size()));
    throw Unreadable{};
  }
  std::vector<Expr> arguments;
  for (std::size_t i = 0; i < run.args.size(); ++i) {
    const std::vector<Ex> numbers = spread(run.args[i]);
    if (numbers.size() != spread(name_of(*process->parameters[i])).size()) {
      error(run.args[i].where, "this argument and its parameter have different types");
      throw Unreadable{};
    }
    for (const Ex& number : numbers) arguments.push_back(before_effects(value(number, &instance)));
  }
  const auto started = population_.started.find({instance.number, instance.process, &step});
  Expr elsewhere = Expr::constant(1);
  if (started != population_.started.end())
    for (const std::uint32_t number : started->second) {
      Move move;
      move.guard = equals(Expr::load(running_), number);
      elsewhere = conjunction(std::move(elsewhere),
                              Expr::binary(Op::ne, Expr::load(running_), Expr::constant(number)));
      move.effects = start(*by_number_.at({number, process}), arguments);
      if (step.statement->kind == StatementKind::assignment)
        for (Assignment& effect : assign(step.statement->target, Expr::constant(number), &instance))
          move.effects.push_back(std::move(effect));
      move.extra = fmt::format("_pid {}", number);
      moves.push_back(std::move(move));
    }
  if (!population_.is_cut) return;
  // Beyond the processes there is room for.
  Move move;
  move.guard = std::move(elsewhere);
  move.effects.push_back(set_to(running_,
                                Expr{.op = Op::fail,
                                     .value = static_cast<std::int64_t>(ModelErrorKind::too_many_processes),
                                     .where = run.where},
                                run.where));
  moves.push_back(std::move(move));
}

// --- messages ---------------------------------------------------------------------------------------------

std::set<ChannelNumber> Translation::channels_of(const Ex& target, const Instance& instance) {
  std::set<ChannelNumber> channels = candidates(target, &instance);
  if (channels.empty() && target.kind == ExKind::variable)
    diagnostics_.warning(target.where,
                         fmt::format("'{}' is never set to a channel, so that this is never possible; "
                                     "a channel is made by '= [1] of {{ byte }}' at its declaration",
                                     abbreviate(target.parts.front().name)));
  return channels;
}

/// Whether the channel has so many fields. Where the statement may be about other channels, too, it may never be taken with
/// this one, and is only warned of.
bool Translation::check_fields(const Statement& s, std::size_t count, const ChannelInfo& info,
                               const Expr& which) {
  if (count <= info.fields.size()) return true;
  const std::string what = fmt::format(
      "a message of {} has {}, not {}",
      which.is_constant() ? "this channel" : fmt::format("channel '{}'", system_.channels[info.shown].name),
      count_of(info.fields.size(), "field"), count);
  if (which.is_constant()) {
    error(s.where, what);
    throw Unreadable{};
  }
  diagnostics_.warning(s.where,
                       fmt::format("{}; if this is taken with it, {}", what,
                                   s.kind == StatementKind::send ? "the others are dropped, as in SPIN"
                                                                 : "nothing can be received"));
  return false;
}

void Translation::send_moves(const Instance& instance, const Statement& s, std::vector<Move>& moves) {
  const Expr which = fold_constants(value(s.target, &instance), system_.tables);
  const std::vector<Ex> args = spread(s.args);
  for (const ChannelNumber number : channels_of(s.target, instance)) {
    const ChannelInfo& info = channel(number);
    check_fields(s, args.size(), info, which);  // what is too much is dropped
    const Expr chosen = which.is_constant() ? Expr::constant(1) : equals(which, number);
    if (info.capacity == 0) {
      rendezvous_moves(instance, s, number, chosen, moves);
      continue;
    }
    std::vector<Expr> values;
    for (std::size_t i = 0; i < info.fields.size(); ++i)
      values.push_back(i < args.size()
                           ? before_effects(cut_to(info.fields[i], value(args[i], &instance), system_))
                           : Expr::constant(0));
    const Expr length = Expr::load(info.length);
    const auto room = [&] {
      return conjunction(chosen, Expr::binary(Op::lt, length, Expr::constant(info.capacity), s.where));
    };
    const Message message{.channel = info.shown, .sender = instance.component, .values = values};
    if (!s.random) {
      Move move{.guard = room(), .message = message};
      for (std::size_t i = 0; i < values.size(); ++i) {
        Assignment write{.slot = info.rows[i], .length = info.capacity, .value = values[i], .where = s.where};
        if (info.capacity > 1) write.index = length;
        move.effects.push_back(std::move(write));
      }
      move.effects.push_back(set_to(info.length, Expr::binary(Op::add, length, Expr::constant(1)), s.where));
      moves.push_back(std::move(move));
      continue;
    }
    // Sorted: before the first message that is greater.
    const auto is_greater = [&](std::uint32_t k) {
      Expr result = Expr::constant(0);
      for (std::size_t i = info.fields.size(); i-- > 0;) {
        const Expr there = Expr::load(info.rows[i] + k);
        result = Expr::binary(
            Op::logic_or, Expr::binary(Op::gt, there, values[i]),
            Expr::binary(Op::logic_and, Expr::binary(Op::eq, there, values[i]), std::move(result)));
      }
      return fold_constants(std::move(result), system_.tables);
    };
    for (std::uint32_t k = 0; k < info.capacity; ++k) {
      Move move{.guard = room(), .message = message};
      move.guard = conjunction(std::move(move.guard), Expr::binary(Op::ge, length, Expr::constant(k)));
      for (std::uint32_t j = 0; j < k; ++j)
        move.guard = conjunction(std::move(move.guard), Expr::unary(Op::logic_not, is_greater(j)));
      move.guard =
          conjunction(std::move(move.guard), Expr::binary(Op::logic_or, equals(length, k), is_greater(k)));
      for (std::size_t i = 0; i < values.size(); ++i) {
        for (std::uint32_t j = info.capacity - 1; j > k; --j)
          move.effects.push_back(set_to(info.rows[i] + j, Expr::load(info.rows[i] + j - 1), s.where));
        move.effects.push_back(set_to(info.rows[i] + k, values[i], s.where));
      }
      move.effects.push_back(set_to(info.length, Expr::binary(Op::add, length, Expr::constant(1)), s.where));
      moves.push_back(std::move(move));
    }
  }
}

void Translation::receive_moves(const Instance& instance, const Statement& s, std::vector<Move>& moves) {
  const Expr which = fold_constants(value(s.target, &instance), system_.tables);
  const std::vector<Ex> args = spread(s.args);
  for (const ChannelNumber number : channels_of(s.target, instance)) {
    const ChannelInfo& info = channel(number);
    if (info.capacity == 0) continue;  // it is the sender who moves
    if (!check_fields(s, args.size(), info, which)) continue;
    const Expr chosen = which.is_constant() ? Expr::constant(1) : equals(which, number);
    const auto fits = [&](std::uint32_t k) {
      std::vector<Expr> contents;
      for (const SlotId row : info.rows) contents.push_back(Expr::load(row + k));
      return matches(s.args, info, contents, &instance);
    };
    Expr earlier = Expr::constant(1);  // no earlier message fits
    for (std::uint32_t k = 0; k < info.capacity && (k == 0 || s.random); ++k) {
      const Expr fit = fits(k);
      Move move{.guard = conjunction(
                    chosen, Expr::binary(Op::gt, Expr::load(info.length), Expr::constant(k), s.where))};
      move.guard = conjunction(conjunction(std::move(move.guard), earlier), fit);
      earlier = conjunction(std::move(earlier), Expr::unary(Op::logic_not, fit));
      Message message{.channel = info.shown, .receiver = instance.component};
      for (const SlotId row : info.rows) message.values.push_back(Expr::load(row + k));
      move.message = std::move(message);
      move.is_peek = s.peek;
      for (std::size_t i = 0; i < args.size(); ++i)
        if (args[i].kind == ExKind::variable && args[i].variable != nullptr)
          for (Assignment& effect : assign(args[i], before_effects(Expr::load(info.rows[i] + k)), &instance))
            move.effects.push_back(std::move(effect));
      if (!s.peek) {
        for (const SlotId row : info.rows) {
          for (std::uint32_t j = k; j + 1 < info.capacity; ++j)
            move.effects.push_back(set_to(row + j, Expr::load(row + j + 1), s.where));
          move.effects.push_back(set_to(row + info.capacity - 1, Expr::constant(0), s.where));
        }
        move.effects.push_back(
            set_to(info.length, Expr::binary(Op::sub, Expr::load(info.length), Expr::constant(1)), s.where));
      }
      moves.push_back(std::move(move));
    }
  }
}

void Translation::rendezvous_moves(const Instance& sender, const Statement& s, ChannelNumber number,
                                   const Expr& chosen, std::vector<Move>& moves) {
  const ChannelInfo& info = channel(number);
  const std::vector<Ex> args = spread(s.args);
  std::vector<Expr> values;
  for (std::size_t i = 0; i < info.fields.size(); ++i)
    values.push_back(i < args.size() ? cut_to(info.fields[i], value(args[i], &sender), system_)
                                     : Expr::constant(0));
  for (const Receiver& receiver : receivers_of(number)) {
    const Instance& partner = *receiver.instance;
    if (partner.component == sender.component) continue;
    const Statement& r = *receiver.step->statement;
    Move move{.guard = chosen, .partner = &partner, .partner_step = receiver.step};
    const Handshake handshake{number, values};
    move.partner_guard = can_take(partner, *receiver.step, &handshake);
    if (move.partner_guard.is_constant(0)) continue;
    const std::vector<Ex> targets = spread(r.args);
    for (std::size_t i = 0; i < targets.size(); ++i)
      if (targets[i].kind == ExKind::variable && targets[i].variable != nullptr)
        for (Assignment& effect : assign(targets[i], before_effects(values[i]), &partner))
          move.effects.push_back(std::move(effect));
    move.message = Message{
        .channel = info.shown, .sender = sender.component, .receiver = partner.component, .values = values};
    moves.push_back(std::move(move));
  }
}

/// Who may receive from a rendezvous channel, in the order of processes and of their text.
const std::vector<Translation::Receiver>& Translation::receivers_of(ChannelNumber number) {
  if (!receivers_.empty()) return receivers_[number];
  receivers_.resize(channels_.size() + 1);
  for (const auto& instance : instances_)
    for (const ControlStep& step : instance->graph->steps) {
      const Statement* const r = step.statement;
      // There is nothing to look at in a rendezvous channel.
      if (r == nullptr || r->kind != StatementKind::receive || r->peek) continue;
      const Expr which = fold_constants(value(r->target, instance.get()), system_.tables);
      for (const ChannelNumber candidate : candidates(r->target, instance.get())) {
        const ChannelInfo& info = channel(candidate);
        if (info.capacity == 0 && check_fields(*r, spread(r->args).size(), info, which))
          receivers_[candidate].push_back({instance.get(), &step, which});
      }
    }
  return receivers_[number];
}

// --- what could be done instead ---------------------------------------------------------------------------

Expr Translation::conditions(const Instance& instance, const ControlStep& step, const Handshake* handshake) {
  Expr result = Expr::constant(1);
  const ControlPoint& point = instance.graph->points[step.from];
  if (instance.process->provided && !point.in_d_step)
    result = conjunction(std::move(result), value(*instance.process->provided, &instance));
  const bool takes_first = step.d_step != nullptr;
  const bool is_else = step.statement != nullptr && step.statement->kind == StatementKind::otherwise;
  std::vector<Expr> others;
  for (const std::uint32_t number : point.steps) {
    const ControlStep& other = instance.graph->steps[number];
    if (&other == &step) break;
    // An escape comes before everything else that can be done at its point, also before other options, as in SPIN. An else
    // that begins a d_step is about the d_step alone.
    const bool comes_first = other.escape_of != step.escape_of ? other.escape_of != nullptr
                             : takes_first                     ? other.d_step == step.d_step
                                                               : is_else;
    if (comes_first) others.push_back(can_take(instance, other, handshake));
  }
  result = conjunction(std::move(result),
                       Expr::unary(Op::logic_not, balanced(Op::logic_or, std::move(others), 0)));
  return fold_constants(std::move(result), system_.tables);
}

Expr Translation::can_take(const Instance& instance, const ControlStep& step, const Handshake* handshake) {
  std::vector<Expr> ways;
  if (handshake != nullptr) {
    ways.push_back(receives(instance, step, *handshake));
  } else {
    for (const Move& move : moves(instance, step)) {
      Expr way = move.guard;
      if (move.partner != nullptr) {
        way = conjunction(std::move(way), is_at(*move.partner, move.partner_step->from));
        way = conjunction(std::move(way), move.partner_guard);
      }
      ways.push_back(std::move(way));
    }
  }
  return fold_constants(
      conjunction(conditions(instance, step, handshake), balanced(Op::logic_or, std::move(ways), 0)),
      system_.tables);
}

/// Whether the statement of the step takes the message that is being handed over.
Expr Translation::receives(const Instance& instance, const ControlStep& step, const Handshake& handshake) {
  const std::vector<Receiver>& receivers = receivers_of(handshake.channel);
  const auto found = std::ranges::find_if(
      receivers, [&](const Receiver& r) { return r.instance == &instance && r.step == &step; });
  if (found == receivers.end()) return Expr::constant(0);
  Expr is_meant = found->which.is_constant() ? Expr::constant(1) : equals(found->which, handshake.channel);
  return fold_constants(
      conjunction(std::move(is_meant),
                  matches(step.statement->args, channel(handshake.channel), handshake.values, &instance)),
      system_.tables);
}

Expr Translation::can_end(const Instance& instance) {
  Expr youngest = equals(Expr::load(running_), instance.number + 1);
  if (!instance.process->provided) return youngest;
  return conjunction(std::move(youngest), value(*instance.process->provided, &instance));
}

Expr Translation::can_move(const Instance& instance, Point point) {
  if (point == instance.graph->finish) return can_end(instance);
  std::vector<Expr> ways;
  for (const std::uint32_t number : instance.graph->points[point].steps)
    ways.push_back(can_take(instance, instance.graph->steps[number]));
  return fold_constants(balanced(Op::logic_or, std::move(ways), 0), system_.tables);
}

Expr Translation::nothing_moves() {
  if (in_timeout_) return Expr::constant(0);
  if (nothing_moves_) return *nothing_moves_;
  in_timeout_ = true;
  Expr result = Expr::constant(1);
  if (exclusive_ != no_slot) result = equals(Expr::load(exclusive_), 0);
  for (const auto& instance : instances_)
    for (Point p = 0; p < instance->graph->points.size(); ++p) {
      Expr moves = can_move(*instance, p);
      if (moves.is_constant(0)) continue;
      result = conjunction(std::move(result),
                           Expr::unary(Op::logic_not, conjunction(is_at(*instance, p), std::move(moves))));
    }
  in_timeout_ = false;
  nothing_moves_ = fold_constants(std::move(result), system_.tables);
  return *nothing_moves_;
}

}  // namespace tideline::promela
