#include "trace/dependence.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "model/each_once.hpp"

namespace tideline {

namespace {

/// Evaluates expressions as the reference semantics does, and collects what they read.
class StepReader {
 public:
  StepReader(const System& system, const Values& before) : system_(system), before_(before), now_(before) {}

  std::int64_t read(const Expr& expr, Slots& reads) {
    const auto arg = [&](std::size_t i) { return read(expr.args[i], reads); };
    switch (expr.op) {
      case Op::constant:
        return expr.value;
      case Op::load:
        return load(expr, expr.slot, reads);
      case Op::load_array: {
        const std::int64_t index = read(expr.args[0], index_reads_ ? *index_reads_ : reads);
        if (index < 0 || index >= expr.length) return 0;
        return load(expr, expr.slot + static_cast<SlotId>(index), reads);
      }
      case Op::table: {
        const auto& table = system_.tables[expr.slot];
        const std::int64_t index = arg(0);
        if (index < 0 || index >= static_cast<std::int64_t>(table.size())) return 0;
        return table[static_cast<std::size_t>(index)];
      }
      case Op::fail:
        return 0;
      case Op::logic_and:
        return arg(0) != 0 && arg(1) != 0;
      case Op::logic_or:
        return arg(0) != 0 || arg(1) != 0;
      case Op::imply:
        return arg(0) == 0 || arg(1) != 0;
      default:
        break;
    }
    if (expr.args.size() == 1) return apply_unary(expr.op, arg(0));
    const std::int64_t left = arg(0);
    const std::int64_t right = arg(1);
    ModelErrorKind error = ModelErrorKind::none;
    return apply_binary(expr.op, left, right, error);
  }

  /// Adds what it reads and, by slot, what it writes.
  void assign(const Assignment& effect, Slots& reads, std::unordered_map<SlotId, WrittenValue>& writes) {
    WrittenValue write{.slot = effect.slot};
    index_reads_ = &write.index;
    const std::int64_t value = read(effect.value, write.from);
    if (effect.index) {
      const std::int64_t index = read(*effect.index, write.index);
      if (index >= 0 && index < effect.length) write.slot += static_cast<SlotId>(index);
    }
    index_reads_ = nullptr;
    keep_each_once(write.from);
    keep_each_once(write.index);
    reads.insert(reads.end(), write.from.begin(), write.from.end());
    reads.insert(reads.end(), write.index.begin(), write.index.end());
    now_[write.slot] = static_cast<std::int32_t>(value);
    origin_[write.slot] = write.from;
    writes[write.slot] = std::move(write);
  }

 private:
  std::int64_t load(const Expr& expr, SlotId slot, Slots& reads) {
    const auto origin = expr.before ? origin_.end() : origin_.find(slot);
    if (origin == origin_.end())
      reads.push_back(slot);
    else
      reads.insert(reads.end(), origin->second.begin(), origin->second.end());
    return (expr.before ? before_ : now_)[slot];
  }

  const System& system_;
  const Values& before_;
  Values now_;
  std::unordered_map<SlotId, Slots> origin_;  ///< of slots that were written: what their value comes from
  Slots* index_reads_ = nullptr;              ///< where reads of indices go; nothing: to the others
};

void add_all(Slots& to, const Slots& from) {
  to.insert(to.end(), from.begin(), from.end());
}

Slots without(const Slots& slots, const Slots& others) {
  Slots result;
  std::ranges::set_difference(slots, others, std::back_inserter(result));
  return result;
}

/// Everything that an expression may read.
Slots all_reads(const Expr& expr) {
  Slots reads;
  collect_reads(expr, reads);
  keep_each_once(reads);
  return reads;
}

class Decision {
 public:
  Decision(const System& system, const Values& state)
      : reference_(system), reader_(system, state), state_(state) {}

  void collect(const Expr& expr, Slots& slots) {
    switch (expr.op) {
      case Op::logic_not:
        return collect(expr.args[0], slots);
      case Op::logic_and:
        return collect_sides(expr, is_true(expr.args[0]), is_true(expr.args[1]), slots);
      case Op::logic_or:
        return collect_sides(expr, !is_true(expr.args[0]), !is_true(expr.args[1]), slots);
      case Op::imply:
        return collect_sides(expr, is_true(expr.args[0]), !is_true(expr.args[1]), slots);
      default:
        reader_.read(expr, slots);
    }
  }

 private:
  bool is_true(const Expr& expr) const { return reference_.evaluate(expr, state_).value != 0; }

  /// A side that does not go along decides alone; of two, the one that decides by less.
  void collect_sides(const Expr& expr, bool left_goes_along, bool right_goes_along, Slots& slots) {
    if (left_goes_along == right_goes_along && left_goes_along) {
      collect(expr.args[0], slots);
      collect(expr.args[1], slots);
      return;
    }
    Slots sides[2];
    if (!left_goes_along) collect(expr.args[0], sides[0]);
    if (!right_goes_along) collect(expr.args[1], sides[1]);
    for (Slots& side : sides) keep_each_once(side);
    const bool take_right = left_goes_along || (!right_goes_along && sides[1].size() < sides[0].size());
    add_all(slots, sides[take_right ? 1 : 0]);
  }

  Reference reference_;
  StepReader reader_;
  const Values& state_;
};

/// What keeps an action from being taken, in as few new slots as possible.
Slots blockers(const System& system, const Action& action, const Values& state,
               const std::vector<bool>& known) {
  const Reference reference(system);
  Slots best;
  bool found = false;
  const auto offer = [&](Slots slots) {
    const auto new_ones = [&](const Slots& some) {
      return std::ranges::count_if(some, [&](SlotId slot) { return !known[slot]; });
    };
    if (!found || new_ones(slots) < new_ones(best)) best = std::move(slots);
    found = true;
  };
  for (const Participant& p : action.participants) {
    const SlotId place = system.components[p.component].location_slot;
    if (p.from != any_location && state[place] != static_cast<std::int32_t>(p.from)) offer({place});
    if (reference.evaluate(p.guard, state).value == 0) offer(deciding_slots(system, p.guard, state));
  }
  if (reference.evaluate(action.guard, state).value == 0) offer(deciding_slots(system, action.guard, state));
  return best;
}

Slots deadlock_slots(const System& system, const Values& state) {
  std::vector<bool> known(state.size());
  for (const Component& component : system.components)
    if (component.location_slot != no_slot) known[component.location_slot] = true;
  for (const Action& action : system.actions)
    for (const SlotId slot : blockers(system, action, state, known)) known[slot] = true;
  Slots slots;
  for (SlotId slot = 0; slot < known.size(); ++slot)
    if (known[slot]) slots.push_back(slot);
  return slots;
}

/// What the guards of the automaton read, without its own variables.
Slots observed_slots(const PropertyProcess& process) {
  Slots reads;
  for (const PropertyProcess::Edge& edge : process.edges) collect_reads(edge.guard, reads);
  keep_each_once(reads);
  Slots own = process.slots;
  keep_each_once(own);
  return without(reads, own);
}

/// By step: whether a guard of the automaton becomes true or false.
std::vector<bool> visible_steps(const System& system, const PropertyProcess& process, const Trace& run) {
  const Reference reference(system);
  std::vector<std::vector<bool>> truths;
  for (const Values& state : run.states) {
    truths.emplace_back();
    for (const PropertyProcess::Edge& edge : process.edges)
      truths.back().push_back(reference.evaluate(edge.guard, state).value != 0);
  }
  std::vector<bool> visible;
  for (std::size_t i = 0; i < run.actions.size(); ++i)
    visible.push_back(truths[i] != truths[i + 1 < truths.size() ? i + 1 : *run.loop]);
  return visible;
}

}  // namespace

bool are_disjoint(const Slots& a, const Slots& b) {
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (*i == *j) return false;
    *i < *j ? ++i : ++j;
  }
  return true;
}

bool are_independent(const StepUse& a, const StepUse& b) {
  const auto written = [](const StepUse& use) {
    Slots slots;
    for (const WrittenValue& write : use.writes) slots.push_back(write.slot);
    return slots;
  };
  const Slots of_a = written(a), of_b = written(b);
  return are_disjoint(of_a, b.reads) && are_disjoint(of_b, a.reads) && are_disjoint(of_a, of_b);
}

const WrittenValue* StepUse::find_write(SlotId slot) const {
  const auto found = std::ranges::lower_bound(writes, slot, {}, &WrittenValue::slot);
  return found != writes.end() && found->slot == slot ? &*found : nullptr;
}

StepUse use_of_step(const System& system, ErrorSemantics errors, ActionId id, const Values& before) {
  StepUse use;
  if (id == no_action) return use;
  const Action& action = system.actions[id];
  StepReader reader(system, before);
  for (const Participant& p : action.participants) {
    use.components.push_back(p.component);
    if (system.components[p.component].location_slot != no_slot)
      use.places.push_back(system.components[p.component].location_slot);
    reader.read(p.guard, use.tested);
  }
  reader.read(action.guard, use.tested);
  std::ranges::sort(use.components);
  keep_each_once(use.places);
  keep_each_once(use.tested);
  use.reads = use.tested;
  add_all(use.reads, use.places);
  use.tested = without(use.tested, use.places);
  std::unordered_map<SlotId, WrittenValue> writes;
  for (const Assignment& effect : action.effects) reader.assign(effect, use.reads, writes);
  keep_each_once(use.reads);
  // A step that ends in an error state writes all of it, whatever it would have done.
  if (errors == ErrorSemantics::error_state &&
      Reference(system, errors).fire(id, before).error.kind != ModelErrorKind::none)
    for (SlotId slot = 0; slot < before.size(); ++slot) writes[slot] = {.slot = slot, .from = use.reads};
  for (auto& [slot, write] : writes) use.writes.push_back(std::move(write));
  std::ranges::sort(use.writes, {}, &WrittenValue::slot);
  return use;
}

std::vector<StepUse> uses_of(const System& system, ErrorSemantics errors, const Trace& run) {
  std::vector<StepUse> uses;
  for (std::size_t i = 0; i < run.actions.size(); ++i)
    uses.push_back(use_of_step(system, errors, run.actions[i], run.states[i]));
  if (run.fails()) uses.push_back(use_of_step(system, errors, run.failing_action, run.states.back()));
  return uses;
}

Slots deciding_slots(const System& system, const Expr& expr, const Values& state) {
  if (Reference(system).evaluate(expr, state).error.kind != ModelErrorKind::none) return all_reads(expr);
  Slots slots;
  Decision(system, state).collect(expr, slots);
  keep_each_once(slots);
  return slots;
}

Goal goal_of(const System& system, ErrorSemantics errors, const Property& property, const Trace& run) {
  if (is_liveness(property.kind)) {
    Slots observed = observed_slots(*property.process);
    for (const Expr& part : property.parts) add_all(observed, all_reads(part));
    keep_each_once(observed);
    if (!run.loop) return {.at_end = std::move(observed)};
    return {.everywhere = std::move(observed), .visible = visible_steps(system, *property.process, run)};
  }
  const Values& last = run.states.back();
  switch (property.kind) {
    case PropertyKind::deadlock:
      return {.at_end = deadlock_slots(system, last)};
    case PropertyKind::model_error: {
      if (!run.fails()) return {};
      return {.at_end = use_of_step(system, errors, run.failing_action, last).reads};
    }
    default:
      return {.at_end = deciding_slots(system, property.expr, last)};
  }
}

}  // namespace tideline
