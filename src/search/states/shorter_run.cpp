#include "search/states/shorter_run.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/factory.hpp"
#include "search/states/safety.hpp"

namespace tideline {

namespace {

/// The shortest run over states of this one to its end. The budget may end the search: then it is this one.
Path along(const System& system, ErrorSemantics errors, const Path& run, Budget& budget) {
  struct Visit {
    std::size_t from;
    ActionId action;
    std::size_t position;
  };
  const auto view = [](const std::byte* state, std::size_t bytes) {
    return std::string_view(reinterpret_cast<const char*>(state), bytes);
  };
  const std::size_t bytes = run.states.front().size();
  std::unordered_map<std::string_view, std::size_t> not_visited;
  for (std::size_t i = 0; i < run.states.size(); ++i)
    not_visited.emplace(view(run.states[i].data(), bytes), i);
  const auto end = not_visited.find(view(run.states.back().data(), bytes))->second;

  std::vector<Visit> visits;
  bool found = end == 0;
  const auto visit = [&](std::string_view state, std::size_t from, ActionId action) {
    const auto at = not_visited.find(state);
    if (at == not_visited.end()) return;
    visits.push_back({from, action, at->second});
    found = found || at->second == end;
    not_visited.erase(at);
  };
  visit(view(run.states.front().data(), bytes), 0, no_action);
  with_graph(system, {errors}, [&](auto graph) {
    for (std::size_t i = 0; i < visits.size() && !found && !budget.exhausted({}); ++i)
      graph.successors(run.states[visits[i].position].data(), [&](const Step& step) {
        if (step.state && !found) visit(view(step.state, bytes), i, step.action);
      });
  });
  if (!found) return run;
  Path path{.states = {}, .actions = {}, .loop = {}, .failing_action = run.failing_action};
  for (std::size_t i = visits.size() - 1;; i = visits[i].from) {
    path.states.push_back(run.states[visits[i].position]);
    if (i == 0) break;
    path.actions.push_back(visits[i].action);
  }
  std::reverse(path.states.begin(), path.states.end());
  std::reverse(path.actions.begin(), path.actions.end());
  return path;
}

}  // namespace

std::optional<Path> shorter_run(const System& system, const Property& property, Verdict verdict,
                                ErrorSemantics errors, const Path& run, bool same_end, Budget& budget) {
  if (run.loop || run.actions.empty()) return std::nullopt;
  Path best = along(system, errors, run, budget);
  if (!same_end && !best.actions.empty() && budget.reason().empty()) {
    // A deadlock and a model error are noticed when a state is expanded, and the last level is not.
    const bool in_steps =
        property.kind == PropertyKind::deadlock || property.kind == PropertyKind::model_error;
    const std::uint64_t depth = best.actions.size() - (in_steps ? 0 : 1);
    // No depth would be no bound; whatever the initial state shows, the run would have ended there.
    if (depth > 0) {
      const Outcome nearer = check_safety(system, {property}, {.errors = errors, .depth = depth}, budget);
      const PropertyResult& result = nearer.results.front();
      if (result.verdict == verdict && result.path)
        if (Path path = result.path(budget); path.actions.size() < best.actions.size())
          best = std::move(path);
    }
  }
  if (best.actions.size() >= run.actions.size()) return std::nullopt;
  return best;
}

}  // namespace tideline
