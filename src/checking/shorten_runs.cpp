#include "checking/shorten_runs.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "checking/engines.hpp"
#include "checking/state_question.hpp"
#include "model/layout.hpp"
#include "search/lassos/shorter_lasso.hpp"
#include "search/states/shorter_run.hpp"

namespace tideline {

namespace {

constexpr double least_seconds = 1;
constexpr double part_of_check = 0.1;

Path path_of(const System& system, const Trace& run) {
  const Layout layout(system);
  Path path{.states = {}, .actions = run.actions, .loop = run.loop, .failing_action = run.failing_action};
  for (const Values& state : run.states) layout.pack(state, path.states.emplace_back(layout.size()).data());
  return path;
}

/// Whether the search that answered it finds shortest runs to states: breadth-first search does, unless steps
/// were left out.
bool is_shortest(const PropertyResult& result, const CheckResult& check) {
  if (!is_of_states(result.property.kind)) return false;
  const auto by = [](const std::string& name, const Statistics& statistics) {
    const Engine* const engine = find_engine(name);
    return engine && engine->states && engine->shortest && !statistics.find("reduction");
  };
  if (check.searches.empty()) return by(check.outcome.engine, check.outcome.statistics);
  return std::ranges::any_of(check.searches, [&](const SearchReport& search) {
    return std::ranges::find(search.properties, result.property.name) != search.properties.end() &&
           by(search.engine, search.statistics);
  });
}

bool may_be_shorter(const PropertyResult& result, const Trace& run, const CheckResult& check) {
  if (is_liveness(result.property.kind)) return run.loop && run.states.size() > 1;
  return is_of_states(result.property.kind) && !run.loop && !run.actions.empty() &&
         !is_shortest(result, check);
}

std::optional<Path> shorter(const System& system, const PropertyResult& result, ErrorSemantics errors,
                            const Trace& run, Budget& budget) {
  const Path path = path_of(system, run);
  if (run.loop) return shorter_lasso(system, result.property, errors, path, budget);
  // What is said about a state where the property has no value is about that one.
  const bool same_end = run.no_value.kind != ModelErrorKind::none;
  return shorter_run(system, result.property, result.verdict, errors, path, same_end, budget);
}

}  // namespace

void shorten_runs(const System& system, ErrorSemantics errors, const CheckResult& result,
                  const Budget::Limits& limits, const Budget& budget, Budget& wrap_up,
                  std::vector<std::optional<Trace>>& traces) {
  if (!budget.reason().empty()) return;
  std::vector<PropertyResult> asked = result.outcome.results;
  for (PropertyResult& each : asked)
    if (auto question = state_question(each.property)) each.property = *std::move(question);
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < traces.size(); ++i)
    if (traces[i] && may_be_shorter(asked[i], *traces[i], result)) candidates.push_back(i);

  double end = budget.seconds() + std::max(least_seconds, part_of_check * budget.seconds());
  if (limits.seconds) end = std::min(end, *limits.seconds);
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    const PropertyResult& property = asked[candidates[c]];
    Trace& run = *traces[candidates[c]];
    Budget::Limits moment = limits;
    moment.gone = budget.seconds();
    moment.seconds = moment.gone + (end - moment.gone) / static_cast<double>(candidates.size() - c);
    moment.may_go_on = {};
    Budget spent(moment);
    spent.begin(Phase::shortening);
    std::optional<Path> path;
    within_limits(spent, [&] { path = shorter(system, property, errors, run, spent); });
    spent.end_phase();
    if (!path) continue;
    within_limits(wrap_up, [&] {
      Trace replayed = replay_proof(system, errors, result.outcome.results[candidates[c]].property, *path,
                                    property.verdict, &wrap_up);
      if (replayed.length() >= run.length()) return;
      replayed.length_before = run.length();
      run = std::move(replayed);
    });
  }
}

}  // namespace tideline
