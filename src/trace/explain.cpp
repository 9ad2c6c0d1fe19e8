#include "trace/explain.hpp"

#include <algorithm>
#include <utility>

#include "model/layout.hpp"
#include "trace/cause.hpp"
#include "trace/shorten_run.hpp"
#include "trace/slice.hpp"

namespace tideline {

namespace {

Path path_of(const System& system, const Trace& run) {
  const Layout layout(system);
  Path path{.states = {}, .actions = run.actions, .loop = run.loop, .failing_action = run.failing_action};
  for (const Values& state : run.states) {
    path.states.emplace_back(layout.size());
    layout.pack(state, path.states.back().data());
  }
  return path;
}

/// For each step of a run that was derived twice, which one it was at first.
std::vector<std::size_t> followed_back(const std::vector<std::size_t>& last,
                                       const std::vector<std::size_t>& first) {
  std::vector<std::size_t> result;
  for (const std::size_t step : last) result.push_back(first[step]);
  return result;
}

}  // namespace

std::vector<std::size_t> RunExplanation::steps() const {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < matters.size(); ++i)
    if (matters[i]) numbers.push_back(i + 1);
  return numbers;
}

std::string why_not_explained(const Property& property) {
  if (property.kind == PropertyKind::ctl)
    return "the evidence of a CTL formula is not a single run, and is not explained";
  if (property.formula.find("act(") != std::string::npos)
    return "runs that violate formulas about actions are not explained";
  return {};
}

ExplainedRun explain_run(const System& system, ErrorSemantics errors, const Property& property,
                         Verdict verdict, const Trace& run, const ExplainOptions& options) {
  const Claim claim{.system = system,
                    .errors = errors,
                    .property = property,
                    .verdict = verdict,
                    .same_end = options.same_end};
  Effort effort{.left = options.effort, .budget = options.budget};
  ExplainedRun result{.run = run, .explanation = {}};
  RunExplanation& explanation = result.explanation;
  explanation.length_before = run.length();
  for (std::size_t i = 0; i < run.length(); ++i) explanation.order.push_back(i);
  if (can_be_changed(claim)) {
    DerivedRun shorter = leave_out_steps(claim, run, effort);
    Effort for_order{.left = options.effort, .budget = options.budget};
    DerivedRun grouped = group_steps(claim, shorter.run, for_order);
    explanation.order = followed_back(grouped.origin, shorter.origin);
    result.run =
        replay_proof(system, errors, property, path_of(system, grouped.run), verdict, options.budget);
  }
  for (std::size_t& step : explanation.order) ++step;
  const auto uses = uses_of(system, errors, result.run);
  const Goal goal = goal_of(system, errors, property, result.run);
  const Relevance relevance = relevant_steps(result.run, uses, goal);
  explanation.matters = relevance.steps;
  explanation.slots = relevance.slots;
  std::erase_if(explanation.slots, [&](SlotId slot) { return system.is_internal(slot); });
  explanation.groups = groups_of(result.run, uses);
  explanation.text = cause_text({system, property, verdict, result.run, uses, goal, relevance});
  return result;
}

}  // namespace tideline
