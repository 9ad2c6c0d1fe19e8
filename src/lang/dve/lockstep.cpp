// Actions of a `system sync`: in every step each process takes one of its transitions, all at the same time.
//
// There is one action for every combination of transitions. Each process reads the state before the step,
// except for what it has assigned itself in the same transition. Two processes that assign to the same
// variable conflict: such a step is a model error.
#include <fmt/format.h>

#include <set>
#include <utility>

#include "lang/dve/compilation.hpp"

namespace tideline::dve {

namespace {

using Variables = std::set<std::uint32_t>;

// Loads of what the process has not assigned yet read the state before the step.
void read_before(Expr& expr, const Variables& own, const System& system) {
  if (expr.op == Op::load || expr.op == Op::load_array)
    expr.before = !own.contains(system.slots[expr.slot].variable);
  for (Expr& arg : expr.args) read_before(arg, own, system);
}

class Lockstep {
 public:
  explicit Lockstep(Compilation& c) : c_(c), labels_(c.system) {}

  void build();

 private:
  /// What a transition contributes to a common step; computed once and shared by all combinations.
  struct Part {
    std::vector<Assignment> effects;
    Variables assigned;
  };

  void refuse_if_too_large() const;
  Part part(const Transition& t) const;
  void combine(const std::vector<std::size_t>& chosen);
  bool next(std::vector<std::size_t>& chosen) const;

  Compilation& c_;
  Labels labels_;
  std::vector<std::vector<Part>> parts_;  ///< of each process and transition
};

void Lockstep::build() {
  refuse_if_too_large();
  for (const auto& transitions : c_.transitions) {
    if (transitions.empty()) return;  // a process that can never move blocks everything
    parts_.emplace_back();
    for (const Transition& t : transitions) parts_.back().push_back(part(t));
  }
  std::vector<std::size_t> chosen(c_.transitions.size(), 0);
  do combine(chosen);
  while (next(chosen));
}

void Lockstep::refuse_if_too_large() const {
  std::uint64_t combinations = 1;
  std::uint64_t largest = 0;  // a combination of the largest transitions
  for (const auto& transitions : c_.transitions) {
    std::uint64_t size = 0;
    for (const Transition& t : transitions) size = std::max(size, t.size);
    largest += size;
    combinations *= transitions.size();
    if (combinations == 0) return;
    if (combinations > max_lockstep_actions)
      throw Error(ErrorKind::input,
                  {error_at(c_.diagnostics.source(), c_.file.system_where,
                            fmt::format("this 'system sync' has more than {} combinations of transitions",
                                        max_lockstep_actions))});
  }
  if (largest * combinations > max_action_parts)
    throw Error(ErrorKind::input,
                {error_at(c_.diagnostics.source(), c_.file.system_where,
                          "the combinations of transitions of this 'system sync' are too large")});
}

Lockstep::Part Lockstep::part(const Transition& t) const {
  Part part;
  part.effects.push_back(move(c_.system, t));
  const auto variable = [&](SlotId slot) { return c_.system.slots[slot].variable; };
  part.assigned.insert(variable(part.effects.back().slot));
  for (Assignment effect : t.effects) {
    read_before(effect.value, part.assigned, c_.system);
    if (effect.index) read_before(*effect.index, part.assigned, c_.system);
    part.assigned.insert(variable(effect.slot));
    part.effects.push_back(std::move(effect));
  }
  return part;
}

void Lockstep::combine(const std::vector<std::size_t>& chosen) {
  Action action;
  action.where = c_.transitions[0][chosen[0]].where;
  Variables assigned;
  std::string label;
  for (ComponentId id = 0; id < chosen.size(); ++id) {
    const Transition& t = c_.transitions[id][chosen[id]];
    const Part& part = parts_[id][chosen[id]];
    add_participant(action, t);
    label += (id == 0 ? "" : " | ") + labels_.move(t);
    for (const Assignment& effect : part.effects) {
      action.effects.push_back(effect);
      if (assigned.contains(c_.system.slots[effect.slot].variable))
        action.effects.back().value = {
            .op = Op::fail,
            .value = static_cast<std::int64_t>(ModelErrorKind::conflicting_assignment),
            .where = effect.where};
    }
    assigned.insert(part.assigned.begin(), part.assigned.end());
  }
  action.label = labels_.unique(std::move(label));
  c_.system.actions.push_back(std::move(action));
}

// Counts through the combinations, the last process fastest.
bool Lockstep::next(std::vector<std::size_t>& chosen) const {
  for (std::size_t i = chosen.size(); i-- > 0;) {
    if (++chosen[i] < c_.transitions[i].size()) return true;
    chosen[i] = 0;
  }
  return false;
}

}  // namespace

void build_lockstep(Compilation& c) {
  Lockstep(c).build();
}

}  // namespace tideline::dve
