// Translation: hidden variables.
//
// SPIN does not count a hidden variable as a part of the state, which is right where nobody reads it in a later step than the
// one that wrote it: there its value is forgotten at the end of every step. Where somebody does, the variable stays a part of
// the state, since the answer would depend on the order of the search.
//
// A variable is needed at a control point if some way from there reads it before it is written again. What is only computed
// into a hidden variable that is not needed itself does not count as read.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lang/promela/translation.hpp"

namespace tideline::promela {

namespace {

using Variables = std::set<const Variable*>;

void collect(const Ex& ex, Variables& into) {
  if (ex.variable != nullptr) into.insert(ex.variable);
  for (const Ex& arg : ex.args) collect(arg, into);
  for (const Part& part : ex.parts)
    for (const Ex& index : part.index) collect(index, into);
}

void collect_indices(const Ex& ex, Variables& into) {
  for (const Part& part : ex.parts)
    for (const Ex& index : part.index) collect(index, into);
}

/// What the statement needs, given what is needed after it.
Variables needed_before(const Statement* s, Variables after) {
  if (s == nullptr) return after;
  Variables reads;
  const auto write = [&](const Ex& target) {
    collect_indices(target, reads);
    if (target.parts.size() == 1 && !target.variable->is_array) after.erase(target.variable);
  };
  const bool is_useless = s->kind == StatementKind::assignment && s->target.variable->hidden &&
                          !after.contains(s->target.variable);
  if (is_useless) return after;
  switch (s->kind) {
    case StatementKind::assignment:
      write(s->target);
      collect(s->value, reads);
      break;
    case StatementKind::receive:
      collect(s->target, reads);
      for (const Ex& arg : s->args)
        if (arg.kind == ExKind::variable && arg.variable != nullptr)
          write(arg);
        else
          collect(arg, reads);
      break;
    default:
      collect(s->target, reads);
      collect(s->value, reads);
      for (const Ex& arg : s->args) collect(arg, reads);
      break;
  }
  after.merge(reads);
  return after;
}

/// Whether the process may stay at the point although it is inside an atomic sequence.
bool may_block(const ControlGraph& graph, const ControlPoint& point) {
  return std::ranges::none_of(point.steps, [&](std::uint32_t number) {
    const Statement* const s = graph.steps[number].statement;
    return s == nullptr || s->kind == StatementKind::assignment || s->kind == StatementKind::print ||
           s->kind == StatementKind::assertion || s->kind == StatementKind::otherwise;
  });
}

/// What is needed at points where others may move.
Variables needed_between_steps(const Process& process, const ControlGraph& graph) {
  std::vector<Variables> needed(graph.points.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (auto step = graph.steps.rbegin(); step != graph.steps.rend(); ++step) {
      Variables before = needed_before(step->statement, needed[step->to]);
      const std::size_t size = needed[step->from].size();
      needed[step->from].merge(before);
      changed = changed || needed[step->from].size() != size;
    }
  }
  Variables result;
  for (std::size_t p = 0; p < needed.size(); ++p)
    if (!graph.points[p].inside || process.provided || may_block(graph, graph.points[p]))
      result.merge(needed[p]);
  return result;
}

}  // namespace

void Translation::find_hidden() {
  for (const auto& variable : program_.globals)
    if (variable->hidden && variable->type.base != BaseType::chan) forgotten_.push_back(variable.get());
  if (forgotten_.empty()) return;
  Variables needed;
  for (const auto& process : program_.processes) {
    needed.merge(needed_between_steps(*process, graphs_.at(process.get())));
    if (process->provided) collect(*process->provided, needed);
  }
  for (const Formula& formula : program_.formulas)
    for (const auto& [text, ex] : formula.atoms) collect(ex, needed);
  std::erase_if(forgotten_, [&](const Variable* variable) {
    if (!needed.contains(variable)) return false;
    diagnostics_.warning(
        variable->where,
        fmt::format("'{}' is hidden, but read in a later step than the one that writes it; it "
                    "stays a part of the state",
                    variable->name));
    return true;
  });
}

void Translation::forget_hidden(std::vector<Assignment>& effects, bool goes_on, bool was_inside) const {
  if (goes_on) return;
  for (const Variable* variable : forgotten_) {
    const std::vector<Leaf> leaves = leaves_of(*variable);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const SlotId first = globals_.at(variable)[i];
      const SlotId end = first + leaves[i].count;
      std::erase_if(effects,
                    [&](const Assignment& effect) { return first <= effect.slot && effect.slot < end; });
      for (SlotId slot = first; was_inside && slot < end; ++slot)
        effects.push_back(set_to(slot, system_.initial[slot]));
    }
  }
}

}  // namespace tideline::promela
