#include "checking/values.hpp"

#include <utility>

#include "exec/predicate.hpp"
#include "model/layout.hpp"
#include "search/states/process_values.hpp"

namespace tideline {

namespace {

/// An invariant that is true wherever it has a value, which is where the property has one.
Property value_question(const Property& property) {
  std::vector<Expr> parts;
  for (const Expr& part : property.parts)
    parts.push_back(Expr::binary(Op::logic_or, part, Expr::constant(1)));
  return {.name = property.name,
          .kind = PropertyKind::invariant,
          .formula = property.formula,
          .expr = balanced(Op::logic_and, std::move(parts), 1)};
}

/// Ends a lasso at its first state without a value, if it has one.
void end_at_missing_value(const System& system, PropertyResult& result) {
  if (result.property.parts.empty() || !is_liveness(result.property.kind) || !result.path) return;
  Path path = result.path();
  const Predicate value(system, Layout(system), value_question(result.property).expr);
  for (std::size_t i = 0; i < path.states.size(); ++i) {
    ModelErrorKind error = ModelErrorKind::none;
    value.evaluate(path.states[i].data(), error);
    if (error == ModelErrorKind::none) continue;
    path.states.resize(i + 1);
    path.actions.resize(i);
    path.loop.reset();
    result.reason = no_value_reason(error);
    break;
  }
  result.path = PathBuilder(std::move(path));
}

bool depends_on_values(const PropertyResult& result) {
  return !result.property.parts.empty() &&
         (result.property.kind == PropertyKind::ctl || result.verdict != Verdict::violated);
}

void combine(PropertyResult& result, PropertyResult value) {
  if (value.verdict == Verdict::violated) {
    result.verdict = Verdict::violated;
    result.reason = std::move(value.reason);
    result.path = std::move(value.path);
  } else if (value.verdict == Verdict::unknown && result.verdict == Verdict::holds) {
    result.verdict = Verdict::unknown;
    result.reason =
        "it holds if it has a value in every reachable state, which is not known: " + value.reason;
    result.path = {};
  }
}

/// Steps behind guards without a value are not followed, so the answer is unknown where there are some.
bool depends_on_guards(const System& system, const PropertyResult& result) {
  return result.verdict == Verdict::unknown && result.property.process &&
         may_lack_value(*result.property.process, system);
}

void judge_guards(const System& system, CombinedOutcome& outcome, const ValueSearches& searches) {
  const std::size_t count = outcome.results.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (!depends_on_guards(system, outcome.results[i])) continue;
    append(outcome, searches.process(outcome.results[i].property));
    combine(outcome.results[i], std::move(outcome.results.back()));
    outcome.results.pop_back();
  }
}

}  // namespace

void judge_values(const System& system, CombinedOutcome& outcome, const ValueSearches& searches) {
  judge_guards(system, outcome, searches);
  const std::size_t count = outcome.results.size();
  std::vector<std::size_t> open;
  std::vector<Property> questions;
  for (std::size_t i = 0; i < count; ++i) {
    end_at_missing_value(system, outcome.results[i]);
    if (!depends_on_values(outcome.results[i])) continue;
    open.push_back(i);
    questions.push_back(value_question(outcome.results[i].property));
  }
  if (questions.empty()) return;
  Outcome values = searches.invariants(questions);
  values.warnings.clear();  // they are about the question as it is put here, not as the user asked it
  values.never_enabled.clear();
  append(outcome, std::move(values));  // with its figures
  for (std::size_t i = 0; i < open.size(); ++i)
    combine(outcome.results[open[i]], std::move(outcome.results[count + i]));
  outcome.results.resize(count);
}

}  // namespace tideline
