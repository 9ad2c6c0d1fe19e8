#include "run/fairness.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "model/labels.hpp"

namespace tideline {

std::string_view to_string(Fairness fairness) {
  switch (fairness) {
    case Fairness::none:
      return "none";
    case Fairness::weak:
      return "weak";
    case Fairness::strong:
      return "strong";
  }
  return "none";
}

std::optional<Fairness> fairness_from(std::string_view text) {
  for (const Fairness f : {Fairness::none, Fairness::weak, Fairness::strong})
    if (to_string(f) == text) return f;
  return std::nullopt;
}

std::vector<FairParty> fair_parties(const System& system, const std::vector<std::string>& patterns) {
  std::vector<FairParty> parties;
  for (const std::string& pattern : patterns) {
    parties.push_back({pattern, actions_named(system, pattern)});
    if (parties.back().actions.empty())
      throw Error(ErrorKind::usage, fmt::format("--fair: the model has no action '{}'", pattern));
  }
  if (!patterns.empty()) return parties;
  for (const Component& component : system.components) parties.push_back({component.name, {}});
  for (ActionId a = 0; a < system.actions.size(); ++a)
    for (const Participant& p : system.actions[a].participants) {
      std::vector<ActionId>& actions = parties[p.component].actions;
      if (actions.empty() || actions.back() != a) actions.push_back(a);
    }
  std::erase_if(parties, [](const FairParty& party) { return party.actions.empty(); });
  return parties;
}

std::string fairness_text(Fairness fairness, const std::vector<std::string>& patterns) {
  if (patterns.empty()) return fmt::format("{}ly fair runs", to_string(fairness));
  return fmt::format("runs that are {}ly fair to {}", to_string(fairness), fmt::join(patterns, " and "));
}

}  // namespace tideline
