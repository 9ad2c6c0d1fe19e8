#include "trace/cause.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

namespace tideline {

namespace {

/// Lists in sentences are cut after so many items.
constexpr std::size_t most_items = 4;
constexpr std::size_t longest_formula = 80;

/// "a, b and c"; what is beyond most_items is counted.
std::string list_of(const std::vector<std::string>& items, std::string_view more,
                    std::string_view between = ", ", std::string_view last_one = " and ") {
  const std::size_t shown = std::min(items.size(), most_items);
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    const bool last = i + 1 == items.size();
    if (i != 0) text += last ? last_one : between;
    text += items[i];
  }
  if (shown < items.size()) text += fmt::format("{}{} {}", last_one, items.size() - shown, more);
  return text;
}

class Cause {
 public:
  explicit Cause(const SlicedRun& sliced)
      : system_(sliced.system),
        property_(sliced.property),
        run_(sliced.run),
        uses_(sliced.uses),
        goal_(sliced.goal),
        relevance_(sliced.relevance),
        holds_(sliced.verdict == Verdict::holds) {}

  std::string text() const {
    if (run_.loop) return lasso_text();
    if (run_.fails()) return failure_text() + interference_text();
    if (property_.kind == PropertyKind::deadlock) return deadlock_text();
    return state_text() + origin_text() + interference_text();
  }

 private:
  // --- Names.

  std::string step_name(std::size_t step) const {
    const auto& components = uses_[step].components;
    if (components.empty()) {
      const ActionId action = step < run_.actions.size() ? run_.actions[step] : run_.failing_action;
      return fmt::format("step {} ({})", step + 1, step_label(system_, action));
    }
    const auto name = [&](std::size_t i) { return system_.components[components[i]].name; };
    std::string names = name(0);
    if (components.size() == 2) names += " and " + name(1);
    if (components.size() > 2) names += fmt::format(" and {} others", components.size() - 1);
    return fmt::format("step {} of {}", step + 1, names);
  }

  bool is_place(SlotId slot) const { return system_.variables[system_.slots[slot].variable].is_location; }

  /// "x = 1", "P_0 is at wait"
  std::string value_text(SlotId slot, std::int32_t value) const {
    return fmt::format("{} {} {}", system_.slots[slot].name, is_place(slot) ? "is at" : "=",
                       system_.show_value(slot, value));
  }

  std::string formula() const {
    if (property_.formula.empty() || property_.formula.size() > longest_formula) return "the property";
    return fmt::format("`{}`", property_.formula);
  }

  // --- Where values come from.

  /// The last step before the `end`-th one that writes the slot.
  std::optional<std::size_t> writer(SlotId slot, std::size_t end) const {
    for (std::size_t i = end; i-- > 0;)
      if (uses_[i].find_write(slot)) return i;
    return std::nullopt;
  }

  /// "x = 1 and y = 0 since step 4 of P_0; z = 2 from the beginning": what was written last comes first.
  std::string all_with_writers(const Slots& slots, std::size_t end) const {
    std::map<std::size_t, std::vector<std::string>> by_writer;  // by how many steps ago; end + 1: by none
    for (const SlotId slot : slots) {
      const auto by = writer(slot, end);
      by_writer[by ? end - *by : end + 1].push_back(value_text(slot, run_.states[end][slot]));
    }
    std::vector<std::string> items;
    bool has_lists = false;
    for (const auto& [ago, values] : by_writer) {
      has_lists = has_lists || values.size() > 1;
      items.push_back(list_of(values, "more") +
                      (ago > end ? std::string(" from the beginning") : " since " + step_name(end - ago)));
    }
    return has_lists ? list_of(items, "more", "; ", "; ") : list_of(items, "more");
  }

  std::string state_text() const {
    const std::string where = run_.actions.empty() ? "in the initial state" : "in the last state";
    if (run_.no_value.kind != ModelErrorKind::none)
      return fmt::format("{} has no value {}: {}; {}.", formula(), where, run_.no_value.message,
                         all_with_writers(goal_.at_end, run_.actions.size()));
    if (goal_.at_end.empty())
      return fmt::format("{} is {} in every state.", formula(), holds_ ? "true" : "false");
    return fmt::format("{} is {} {}: {}.", formula(), holds_ ? "true" : "false", where,
                       all_with_writers(goal_.at_end, run_.actions.size()));
  }

  /// What the last value that decides was computed from.
  std::string origin_text() const {
    std::optional<std::size_t> last;
    SlotId written = 0;
    for (const SlotId slot : goal_.at_end)
      if (const auto by = writer(slot, run_.actions.size()); by && (!last || *by > *last)) {
        last = by;
        written = slot;
      }
    if (!last) return {};
    const StepUse& use = uses_[*last];
    Slots from = use.find_write(written)->from;
    const bool counts = from == Slots{written};  // x = x + 1
    std::erase_if(from, [&](SlotId slot) { return std::ranges::binary_search(use.places, slot); });
    if (!from.empty() && !counts)
      return fmt::format(" {} computes {} from {}.", capital(step_name(*last)), system_.slots[written].name,
                         all_with_writers(from, *last));
    if (!use.tested.empty() && !use.components.empty())
      return fmt::format(" {} may do so because {}.", capital(step_name(*last)),
                         all_with_writers(use.tested, *last));
    return {};
  }

  // --- Processes that get in each other's way.

  struct Interference {
    std::size_t reader, writer;
    SlotId slot;
  };

  /// The last one: a step that matters reads what a step of another process that matters changes later, before anybody
  /// else does.
  std::optional<Interference> interference() const {
    std::optional<Interference> last;
    std::unordered_map<SlotId, std::vector<std::size_t>> readers;  // since the slot was written
    for (std::size_t i = 0; i < run_.actions.size(); ++i) {
      for (const WrittenValue& write : uses_[i].writes) {
        const std::vector<std::size_t> before = std::exchange(readers[write.slot], {});
        if (!relevance_.steps[i] || run_.states[i][write.slot] == run_.states[i + 1][write.slot]) continue;
        for (const std::size_t reader : before)
          if (are_disjoint(uses_[reader].components, uses_[i].components))
            last = Interference{reader, i, write.slot};
      }
      if (!uses_[i].components.empty())
        for (const SlotId slot : relevance_.reads[i])
          if (!uses_[i].find_write(slot)) readers[slot].push_back(i);
    }
    return last;
  }

  std::string interference_text() const {
    const auto found = interference();
    if (!found) return {};
    const auto [reader, writer, slot] = *found;
    return fmt::format(" {} reads {} before {} changes it to {}.", capital(step_name(reader)),
                       value_text(slot, run_.states[reader][slot]), step_name(writer),
                       system_.show_value(slot, run_.states[writer + 1][slot]));
  }

  // --- Other kinds.

  std::string failure_text() const {
    const std::size_t last = uses_.size() - 1;
    std::string text = fmt::format("{} fails: {}.", capital(step_name(last)), run_.error.message);
    if (!relevance_.reads[last].empty())
      text += fmt::format(" It reads {}.", all_with_writers(relevance_.reads[last], last));
    return text;
  }

  /// What an action would need that a process could take from here; nothing if it is elsewhere.
  std::optional<std::string> missing_for(const Action& action, ComponentId component) const {
    const Values& state = run_.states.back();
    const Reference reference(system_);
    const auto is_at = [&](const Participant& p) {
      return p.from == any_location ||
             state[system_.components[p.component].location_slot] == static_cast<std::int32_t>(p.from);
    };
    const auto is_false = [&](const Expr& guard) { return reference.evaluate(guard, state).value == 0; };
    std::optional<std::string> missing;
    bool takes_part = false;
    for (const Participant& p : action.participants) {
      if (p.component == component) takes_part = is_at(p);
      if (missing) continue;
      if (!is_at(p))
        missing = fmt::format("{} to come to {}", system_.components[p.component].name,
                              system_.components[p.component].locations[p.from].name);
      else if (is_false(p.guard))
        missing = condition(p.guard);
    }
    if (!takes_part) return std::nullopt;
    if (!missing && is_false(action.guard)) missing = condition(action.guard);
    return missing;
  }

  std::string condition(const Expr& guard) const {
    const std::string text = to_string(guard, system_);
    return text.size() > longest_formula ? "its guard" : fmt::format("`{}`", text);
  }

  std::string waiting_text(ComponentId c) const {
    const SlotId place = system_.components[c].location_slot;
    const std::string at = fmt::format("{} at {}", system_.components[c].name,
                                       system_.show_value(place, run_.states.back()[place]));
    std::vector<std::string> needs;
    for (const Action& action : system_.actions)
      if (auto missing = missing_for(action, c); missing && std::ranges::find(needs, *missing) == needs.end())
        needs.push_back(std::move(*missing));
    if (needs.empty()) return at + " has nothing left to do";
    if (needs.size() > 2) needs = {needs[0], fmt::format("one of {} other things", needs.size() - 1)};
    return fmt::format("{} waits for {}{}", at, needs[0], needs.size() == 1 ? "" : " or " + needs[1]);
  }

  std::string deadlock_text() const {
    std::vector<std::string> items;
    for (ComponentId c = 0; c < system_.components.size(); ++c)
      if (system_.components[c].location_slot != no_slot) items.push_back(waiting_text(c));
    if (!items.empty())
      return fmt::format("No action is enabled in the last state: {}.",
                         list_of(items, "other processes wait"));
    for (const SlotId slot : goal_.at_end) items.push_back(value_text(slot, run_.states.back()[slot]));
    return fmt::format("No transition is enabled in the last state, because {}.", list_of(items, "more"));
  }

  std::string lasso_text() const {
    const std::size_t first = *run_.loop, end = run_.actions.size();
    const bool stuck = std::all_of(run_.actions.begin() + static_cast<std::ptrdiff_t>(first),
                                   run_.actions.end(), [](ActionId a) { return a == no_action; });
    std::string text =
        stuck ? fmt::format("The run ends in a deadlock, where state {} repeats for ever.", first)
        : end == first + 1 ? fmt::format("{} can be repeated for ever.", capital(step_name(first)))
                           : fmt::format("Steps {} to {} can be repeated for ever.", first + 1, end);
    const std::vector<std::string> constant = constant_on_cycle();
    if (!constant.empty())
      text += fmt::format(" {} {}.", stuck ? "There" : "On this cycle", list_of(constant, "more"));
    return stuck ? text : text + standing_text();
  }

  /// Why processes that the property looks at do not move on the cycle.
  std::string standing_text() const {
    std::string text;
    for (ComponentId c = 0; c < system_.components.size(); ++c) {
      const SlotId place = system_.components[c].location_slot;
      if (place == no_slot || !std::ranges::binary_search(goal_.everywhere, place)) continue;
      const auto moves = [&](const StepUse& use) { return std::ranges::binary_search(use.components, c); };
      if (std::any_of(uses_.begin() + static_cast<std::ptrdiff_t>(*run_.loop), uses_.end(), moves)) continue;
      const std::size_t states = run_.states.size() - *run_.loop, enabled = enabled_states(c);
      text += fmt::format(" {} does not move there, {}.", system_.components[c].name,
                          enabled == 0        ? "and no step of it is enabled"
                          : enabled == states ? "though one of its steps is enabled all the time"
                                              : "though one of its steps is enabled now and then");
    }
    return text;
  }

  /// In how many states of the cycle a step of the process is enabled.
  std::size_t enabled_states(ComponentId component) const {
    const Reference reference(system_);
    std::size_t count = 0;
    for (std::size_t i = *run_.loop; i < run_.states.size(); ++i)
      for (ActionId a = 0; a < system_.actions.size(); ++a) {
        ModelError error;
        const auto is_it = [&](const Participant& p) { return p.component == component; };
        if (!std::ranges::any_of(system_.actions[a].participants, is_it)) continue;
        if (!reference.enabled(a, run_.states[i], error)) continue;
        ++count;
        break;
      }
    return count;
  }

  /// What the property looks at, and is the same in all states of the cycle.
  std::vector<std::string> constant_on_cycle() const {
    const Reference reference(system_);
    std::vector<std::string> items;
    for (const Proposition& atom : property_.atoms) {
      bool always = true, never = true;
      for (std::size_t i = *run_.loop; i < run_.states.size(); ++i)
        (reference.evaluate(atom.expr, run_.states[i]).value != 0 ? never : always) = false;
      if (always || never)
        items.push_back(fmt::format("`{}` is {} true", atom.name, always ? "always" : "never"));
    }
    if (!property_.atoms.empty()) return items;
    for (const Expr& atom : guard_atoms()) {
      bool always = true, never = true;
      for (std::size_t i = *run_.loop; i < run_.states.size(); ++i)
        (reference.evaluate(atom, run_.states[i]).value != 0 ? never : always) = false;
      if (always || never)
        items.push_back(
            fmt::format("`{}` is {} true", to_string(atom, system_), always ? "always" : "never"));
    }
    if (!items.empty()) return items;
    for (const SlotId slot : goal_.everywhere) {
      const std::int32_t value = run_.states[*run_.loop][slot];
      const bool constant = std::all_of(run_.states.begin() + static_cast<std::ptrdiff_t>(*run_.loop),
                                        run_.states.end(), [&](const Values& s) { return s[slot] == value; });
      if (constant) items.push_back(value_text(slot, value));
    }
    return items;
  }

  /// What the guards of the automaton are made of, below `and`, `or` and `not`.
  std::vector<Expr> guard_atoms() const {
    std::vector<Expr> atoms;
    const std::function<void(const Expr&)> collect = [&](const Expr& expr) {
      if (expr.op == Op::logic_not || expr.op == Op::logic_and || expr.op == Op::logic_or ||
          expr.op == Op::imply)
        return std::ranges::for_each(expr.args, collect), void();
      const auto is_same = [&](const Expr& other) { return same_expression(other, expr); };
      if (!expr.is_constant() && std::ranges::none_of(atoms, is_same)) atoms.push_back(expr);
    };
    for (const PropertyProcess::Edge& edge : property_.process->edges) collect(edge.guard);
    return atoms;
  }

  static std::string capital(std::string text) {
    if (!text.empty() && text.front() == 's') text.front() = 'S';
    return text;
  }

  const System& system_;
  const Property& property_;
  const Trace& run_;
  const std::vector<StepUse>& uses_;
  const Goal& goal_;
  const Relevance& relevance_;
  bool holds_;
};

}  // namespace

std::string cause_text(const SlicedRun& sliced) {
  return Cause(sliced).text();
}

}  // namespace tideline
