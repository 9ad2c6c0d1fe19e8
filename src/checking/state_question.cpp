#include "checking/state_question.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "bind/bind.hpp"
#include "checking/engines.hpp"

namespace tideline {

namespace {

/// Subformulas are shared, and as one expression they are not: most that an expression may have.
constexpr std::uint64_t most_parts = 10'000;

std::uint64_t parts_as_expression(const CtlFormula& formula, CtlFormula::NodeId node) {
  std::vector<std::uint64_t> parts(node + 1, 1);
  for (CtlFormula::NodeId id = 0; id <= node; ++id) {
    const auto& [op, left, right] = formula.nodes[id];
    if (op == CtlFormula::Op::true_ || op == CtlFormula::Op::atom) continue;
    parts[id] += parts[left] + (op == CtlFormula::Op::not_ ? 0 : parts[right]);
    parts[id] = std::min(parts[id], most_parts + 1);
  }
  return parts[node];
}

}  // namespace

std::optional<Property> state_question(const Property& ctl) {
  // One without a value in some states is violated there, which is a question of its own.
  if (ctl.kind != PropertyKind::ctl || !ctl.ctl || !ctl.parts.empty()) return std::nullopt;
  const CtlFormula& formula = *ctl.ctl;
  bool value = true;
  CtlFormula::NodeId node = formula.root();
  for (; formula.nodes[node].op == CtlFormula::Op::not_; node = formula.nodes[node].left) value = !value;
  const CtlFormula::Node& top = formula.nodes[node];
  if (top.op != CtlFormula::Op::eu || formula.nodes[top.left].op != CtlFormula::Op::true_ ||
      !is_state_formula(formula, top.right) || parts_as_expression(formula, top.right) > most_parts)
    return std::nullopt;
  Property question = ctl;
  question.ctl.reset();
  question.kind = value ? PropertyKind::reach : PropertyKind::invariant;
  const CtlFormula::Node& goal = formula.nodes[top.right];
  if (!value && goal.op == CtlFormula::Op::not_)
    question.expr = state_expression(formula, goal.left);
  else if (!value)
    question.expr = Expr::unary(Op::logic_not, state_expression(formula, top.right));
  else
    question.expr = state_expression(formula, top.right);
  return question;
}

StateQuestions::StateQuestions(const System& system, const Settings& settings,
                               std::vector<Property>& properties) {
  if (settings.certificate) return;  // it proves the formula as it was asked
  const Engine* const engine = settings.engine;
  const bool decides =
      !engine || engine->is_race || (engine->conclusive && answers(*engine, PropertyKind::reach));
  if (!decides) return;
  for (Property& property : properties) {
    if (property.kind != PropertyKind::ctl) continue;
    Property asked = property;
    if (!asked.ctl) asked.deadlock_paths = settings.deadlock_paths.value_or(asked.deadlock_paths);
    asked = bind(system, asked);
    std::optional<Property> question = state_question(asked);
    if (!question) continue;
    property = *std::move(question);
    replaced_.push_back({property.kind, std::move(asked)});
  }
}

void StateQuestions::restore(std::vector<PropertyResult>& results) const {
  for (PropertyResult& result : results)
    for (const Replaced& each : replaced_)
      if (result.property.name == each.asked.name && result.property.kind == each.kind)
        result.property = each.asked;
}

}  // namespace tideline
