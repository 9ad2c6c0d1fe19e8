// Actions of a `system async`: processes move one at a time, or two together over a channel.
//
// A transition without a rendezvous becomes one action. A rendezvous becomes one action for every pair of a
// send and a receive of different processes; both read the message in the state before either has moved.
// A buffered channel is data, so sending and receiving are effects of a single process. `commit` is a guard:
// an action with a participant in an uncommitted location waits until no process is in a committed one.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "lang/dve/compilation.hpp"

namespace tideline::dve {

std::string Labels::move(const Transition& t) const {
  const Component& process = system_.components[t.process];
  return fmt::format("{}: {} -> {}", process.name, process.locations[t.from].name,
                     process.locations[t.to].name);
}

std::string Labels::unique(std::string label) {
  const std::uint32_t count = ++used_[label];
  return count == 1 ? label : fmt::format("{} #{}", label, count);
}

void add_participant(Action& action, const Transition& t) {
  action.participants.push_back({t.process, t.from, t.to, t.guard, t.where});
}

Assignment move(const System& system, const Transition& t) {
  return {.slot = system.components[t.process].location_slot,
          .value = Expr::constant(t.to, t.where),
          .where = t.where};
}

namespace {

class Interleaving {
 public:
  explicit Interleaving(Compilation& c) : c_(c), labels_(c.system) {}

  void build();

 private:
  struct Partner {
    ComponentId process;
    std::size_t index;
  };

  void index_receivers();
  void refuse_if_too_large() const;
  void single(const Transition& t);
  void rendezvous(const Transition& sender, const Transition& receiver);
  void append_send(Action& action, const Synchronisation& sync);
  void append_receive(Action& action, const Synchronisation& sync);
  Expr message(const Channel& channel, std::size_t field, const Expr& value, Range target) const;
  Expr commit_guard(const Action& action) const;
  void append_moves(Action& action, const Transition& t);
  void warn_about_shared(const Transition& sender, const Transition& receiver);
  void finish(Action action, std::string label);

  Compilation& c_;
  Labels labels_;
  std::vector<std::vector<Partner>> receivers_;               ///< of each rendezvous channel
  std::vector<ComponentId> committing_;                       ///< processes that have committed locations
  std::set<std::pair<std::uint32_t, std::uint32_t>> warned_;  ///< channel and variable
};

void Interleaving::build() {
  for (ComponentId id = 0; id < c_.system.components.size(); ++id) {
    const auto& locations = c_.system.components[id].locations;
    if (std::any_of(locations.begin(), locations.end(), [](const Location& l) { return l.committed; }))
      committing_.push_back(id);
  }
  index_receivers();
  refuse_if_too_large();
  for (const auto& transitions : c_.transitions)
    for (const Transition& t : transitions) {
      if (!t.sync || c_.channels[t.sync->channel].buffered()) {
        single(t);
      } else if (t.sync->sends) {
        for (const Partner& partner : receivers_[t.sync->channel])
          if (partner.process != t.process) rendezvous(t, c_.transitions[partner.process][partner.index]);
      }
    }
}

void Interleaving::index_receivers() {
  receivers_.resize(c_.channels.size());
  for (ComponentId id = 0; id < c_.transitions.size(); ++id)
    for (std::size_t i = 0; i < c_.transitions[id].size(); ++i) {
      const auto& sync = c_.transitions[id][i].sync;
      if (sync && !sync->sends) receivers_[sync->channel].push_back({id, i});
    }
}

// Pairs multiply, so the memory that the actions will take is estimated from the sizes of their transitions.
void Interleaving::refuse_if_too_large() const {
  std::uint64_t actions = 0;
  std::uint64_t parts = 0;
  std::vector<std::uint64_t> receiver_parts(c_.channels.size(), 0);
  for (std::size_t channel = 0; channel < receivers_.size(); ++channel)
    for (const Partner& p : receivers_[channel])
      receiver_parts[channel] += c_.transitions[p.process][p.index].size;
  const std::uint64_t commit_parts = 3 * committing_.size();
  for (const auto& transitions : c_.transitions)
    for (const Transition& t : transitions) {
      const Channel* channel = t.sync ? &c_.channels[t.sync->channel] : nullptr;
      if (channel == nullptr || channel->buffered()) {
        actions += 1;
        parts += t.size + commit_parts;
        if (channel != nullptr) parts += 4 * (channel->capacity + 1) * channel->fields.size();
      } else if (t.sync->sends) {
        const std::uint64_t partners = receivers_[t.sync->channel].size();
        actions += partners;
        parts += partners * (t.size + commit_parts) + receiver_parts[t.sync->channel];
      }
      if (actions > max_actions || parts > max_action_parts)
        throw Error(ErrorKind::input,
                    {error_at(c_.diagnostics.source(), t.where,
                              "the model has too many pairs of transitions that synchronise")});
    }
}

void Interleaving::single(const Transition& t) {
  Action action{.label = {}, .where = t.where};
  add_participant(action, t);
  if (t.sync) {
    if (t.sync->sends)
      append_send(action, *t.sync);
    else
      append_receive(action, *t.sync);
  }
  append_moves(action, t);
  finish(std::move(action), labels_.move(t));
}

void Interleaving::rendezvous(const Transition& sender, const Transition& receiver) {
  Action action{.label = {}, .where = sender.where};
  add_participant(action, sender);
  add_participant(action, receiver);
  const Channel& channel = c_.channels[sender.sync->channel];
  for (std::size_t i = 0; i < sender.sync->values.size(); ++i) {
    Target target = receiver.sync->targets[i];
    if (target.index) target.index = before_effects(std::move(*target.index));
    const Range range = c_.system.slots[target.slot].range;
    action.effects.push_back(
        assign(target, before_effects(message(channel, i, sender.sync->values[i], range))));
  }
  append_moves(action, receiver);
  append_moves(action, sender);
  action.message = Message{.channel = sender.sync->channel,
                           .sender = sender.process,
                           .receiver = receiver.process,
                           .values = sender.sync->values};
  warn_about_shared(sender, receiver);
  finish(std::move(action),
         fmt::format("{}, {} ({})", labels_.move(sender), labels_.move(receiver), channel.name.text));
}

// The value as it travels over the channel to a place of the given range. A value outside the type of a
// typed channel wraps or is an error, depending on the options. The assignment itself notices the error
// unless the target takes more than the type does; then the value is multiplied by the 1 of `(v < low || v >
// high) imply fail`.
Expr Interleaving::message(const Channel& channel, std::size_t field, const Expr& value, Range target) const {
  if (!channel.typed) return value;
  const Type type = channel.fields[field];
  const SourcePoint where = value.where;
  if (c_.options.wrap_messages)
    return fold_constants(Expr::unary(type == Type::byte_type ? Op::wrap_byte : Op::wrap_int16, value, where),
                          c_.system.tables);
  const Range range = range_of(type);
  const bool target_checks = range.contains(target.low) && range.contains(target.high);
  if (target_checks || (value.is_constant() && range.contains(value.value))) return value;
  Expr outside =
      Expr::binary(Op::logic_or, Expr::binary(Op::lt, value, Expr::constant(range.low, where), where),
                   Expr::binary(Op::gt, value, Expr::constant(range.high, where), where), where);
  const Expr failure{
      .op = Op::fail, .value = static_cast<std::int64_t>(ModelErrorKind::value_out_of_range), .where = where};
  return Expr::binary(Op::mul, value, Expr::binary(Op::imply, std::move(outside), failure, where), where);
}

void Interleaving::append_send(Action& action, const Synchronisation& sync) {
  const Channel& channel = c_.channels[sync.channel];
  const Expr length = Expr::load(channel.length_slot, sync.where);
  Participant& sender = action.participants.back();
  Expr room = Expr::binary(Op::lt, length, Expr::constant(channel.capacity, sync.where), sync.where);
  sender.guard = conjunction(std::move(room), std::move(sender.guard));
  for (std::size_t i = 0; i < sync.values.size(); ++i) {
    const SlotId row = channel.field_slots[i];
    action.effects.push_back({.slot = row,
                              .length = channel.capacity,
                              .index = length,
                              .value = message(channel, i, sync.values[i], c_.system.slots[row].range),
                              .where = sync.values[i].where});
  }
  action.effects.push_back({.slot = channel.length_slot,
                            .value = Expr::binary(Op::add, length, Expr::constant(1, sync.where), sync.where),
                            .where = sync.where});
  action.message = Message{.channel = sync.channel, .sender = sender.component, .values = sync.values};
}

void Interleaving::append_receive(Action& action, const Synchronisation& sync) {
  const Channel& channel = c_.channels[sync.channel];
  const SourcePoint where = sync.where;
  const Expr length = Expr::load(channel.length_slot, where);
  Participant& receiver = action.participants.back();
  Expr message_there = Expr::binary(Op::gt, length, Expr::constant(0, where), where);
  receiver.guard = conjunction(std::move(message_there), std::move(receiver.guard));
  for (std::size_t i = 0; i < sync.targets.size(); ++i) {
    Target target = sync.targets[i];
    if (target.index) target.index = before_effects(std::move(*target.index));
    action.effects.push_back(assign(target, Expr::load(channel.field_slots[i], target.where)));
  }
  for (const SlotId row : channel.field_slots) {
    const SlotId last = row + channel.capacity - 1;
    for (SlotId slot = row; slot < last; ++slot)
      action.effects.push_back({.slot = slot, .value = Expr::load(slot + 1, where), .where = where});
    action.effects.push_back({.slot = last, .value = Expr::constant(0, where), .where = where});
  }
  action.effects.push_back({.slot = channel.length_slot,
                            .value = Expr::binary(Op::sub, length, Expr::constant(1, where), where),
                            .where = where});
  action.message = Message{.channel = sync.channel, .receiver = receiver.component};
  for (const SlotId row : channel.field_slots) action.message->values.push_back(Expr::load(row, where));
}

void Interleaving::append_moves(Action& action, const Transition& t) {
  action.effects.push_back(move(c_.system, t));
  action.effects.insert(action.effects.end(), t.effects.begin(), t.effects.end());
}

Expr Interleaving::commit_guard(const Action& action) const {
  const auto committed = [&](const Participant& p) {
    return c_.system.components[p.component].locations[p.from].committed;
  };
  const auto& participants = action.participants;
  if (std::all_of(participants.begin(), participants.end(), committed)) return Expr::constant(1);
  if (std::any_of(participants.begin(), participants.end(), committed)) return Expr::constant(0);
  Expr guard = Expr::constant(1);
  for (const ComponentId id : committing_) {
    // A participant is in an uncommitted location, or the action is not enabled anyway.
    if (std::any_of(participants.begin(), participants.end(),
                    [&](const Participant& p) { return p.component == id; }))
      continue;
    const Component& process = c_.system.components[id];
    for (LocationId l = 0; l < process.locations.size(); ++l)
      if (process.locations[l].committed)
        guard = conjunction(std::move(guard),
                            Expr::binary(Op::ne, Expr::load(process.location_slot), Expr::constant(l)));
  }
  return guard;
}

// Both sides of a rendezvous change the same variable: allowed, but rarely meant.
void Interleaving::warn_about_shared(const Transition& sender, const Transition& receiver) {
  const auto variable = [&](SlotId slot) { return c_.system.slots[slot].variable; };
  std::set<std::uint32_t> changed;
  for (const Target& target : receiver.sync->targets) changed.insert(target.variable);
  for (const Assignment& effect : receiver.effects) changed.insert(variable(effect.slot));
  for (const Assignment& effect : sender.effects) {
    const std::uint32_t shared = variable(effect.slot);
    if (!changed.contains(shared) || !warned_.emplace(sender.sync->channel, shared).second) continue;
    c_.diagnostics.warning(effect.where,
                           fmt::format("'{}' is changed here and by the receiver in line {}; the "
                                       "sender's assignment comes last",
                                       c_.system.variables[shared].name, receiver.where.line));
  }
}

void Interleaving::finish(Action action, std::string label) {
  action.label = labels_.unique(std::move(label));
  if (!committing_.empty()) action.guard = commit_guard(action);
  c_.system.actions.push_back(std::move(action));
}

}  // namespace

void build_interleaving(Compilation& c) {
  Interleaving(c).build();
}

}  // namespace tideline::dve
