#include "report/measures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/numbers.hpp"

namespace tideline {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t shown_actions = 3;

// --- For people -----------------------------------------------------------------------------------------

std::string label_of(const System& system, ActionId action) {
  return action == no_action ? "(the property moves alone)" : system.actions[action].label;
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return fmt::format(
      "{:.1f}%", 100.0 * static_cast<double>(part) / static_cast<double>(std::max<std::uint64_t>(whole, 1)));
}

/// Up to a few items, and how many more there are.
template <class Item, class Show>
std::string list_text(const std::vector<Item>& items, const Show& show) {
  std::string text;
  for (std::size_t i = 0; i < items.size() && i < shown_actions; ++i)
    text += (i == 0 ? "" : "; ") + show(items[i]);
  if (items.size() > shown_actions)
    text += fmt::format("; and {} more", show_plural(items.size() - shown_actions, "action"));
  return text;
}

constexpr const char* candidate_row = "{:>10}{:>10}{:>12}{:>8}{:>10}{:>10}";

std::string measured_line(const Candidate& candidate) {
  const SweepFigures& figures = *candidate.measured;
  return fmt::format(candidate_row, show_count(figures.stored_peak), show_count(figures.expansions),
                     show_count(figures.persistent), figures.sweeps, show_count(figures.layers),
                     show_count(figures.regress_edges)) +
         fmt::format("   measured in {}\n", show_seconds(candidate.seconds));
}

std::string candidate_text(const Candidate& candidate, std::size_t number, const Proposals& proposals,
                           const System& system) {
  const MeasureTrial& trial = candidate.trial;
  const auto of_states = [&](std::uint64_t count) { return percent(count, proposals.sample_states); };
  std::string text = fmt::format(
      "{:<3}{:>7}{:>10}{:>12}{:>8}{:>10}{:>10}   predicted\n", number, of_states(trial.sweep.peak),
      of_states(trial.sweep.visits), of_states(trial.sweep.persistent), trial.sweep.sweeps,
      show_count(trial.layers), percent(trial.regress_edges, proposals.sample_edges));
  if (candidate.measured) text += measured_line(candidate);
  const std::string origin =
      trial.origin == MeasureOrigin::learnt ? "" : fmt::format("{}: ", to_string(trial.origin));
  text += fmt::format("   {}{}\n", origin, trial.measure.text());
  if (!trial.regressing.empty())
    text += fmt::format("   regress: {}\n", list_text(trial.regressing, [&](const RegressingAction& action) {
                          return fmt::format("{} ({})", label_of(system, action.action),
                                             show_count(action.edges));
                        }));
  return text;
}

std::string candidates_text(const MeasureAnswer& answer, const System& system) {
  const Proposals& proposals = answer.proposals;
  std::string text =
      fmt::format("tried on {}, {}: {}\n",
                  show_plural(proposals.sample_states, answer.product ? "product state" : "state"),
                  show_plural(proposals.sample_edges, "transition"),
                  proposals.whole ? "all there are" : "a part of them");
  if (proposals.candidates.empty()) return text + "no measure was found that helps\n";
  text += fmt::format(candidate_row, "stored", "visited", "persistent", "sweeps", "layers", "regress") + "\n";
  for (std::size_t i = 0; i < proposals.candidates.size(); ++i)
    text += candidate_text(proposals.candidates[i], i + 1, proposals, system);
  return text;
}

/// What the slots can do on their own, those of one component together.
std::string locals_text(const MeasureAnswer& answer, const System& system) {
  if (answer.locals.empty()) return {};
  std::string text = fmt::format("\nparts on their own\n{:>10}{:>10}\n", "values", "places");
  for (const LocalMeasure& local : answer.locals) {
    const bool monotone = !local.is_cyclic();
    text += fmt::format("{:>10}{:>10}   {}{}\n", local.graph.size(), local.sccs.places, local.name(system),
                        monotone ? ", monotone" : "");
    if (monotone) continue;
    const std::string actions = list_text(regressing_actions(local.graph, local.tree),
                                          [&](ActionId action) { return label_of(system, action); });
    text += fmt::format("{:>20}   goes back by {}\n", "", actions);
  }
  return text;
}

// --- For programs ---------------------------------------------------------------------------------------

Json candidate_json(const Candidate& candidate, const System& system) {
  const MeasureTrial& trial = candidate.trial;
  Json json = {{"measure", trial.measure.text()},
               {"bits", trial.measure.bits()},
               {"composed", trial.origin == MeasureOrigin::composed},
               {"origin", to_string(trial.origin)},
               {"score", trial.score}};
  json["predicted"] = {{"stored_peak", trial.sweep.peak},
                       {"visited", trial.sweep.visits},
                       {"persistent", trial.sweep.persistent},
                       {"sweeps", trial.sweep.sweeps},
                       {"layers", trial.layers},
                       {"regress_edges", trial.regress_edges}};
  if (candidate.measured)
    json["measured"] = {{"stored_peak", candidate.measured->stored_peak},
                        {"visited", candidate.measured->expansions},
                        {"persistent", candidate.measured->persistent},
                        {"sweeps", candidate.measured->sweeps},
                        {"layers", candidate.measured->layers},
                        {"regress_edges", candidate.measured->regress_edges},
                        {"time_s", candidate.seconds}};
  Json& regressing = json["regressing"] = Json::array();
  for (const auto& [action, edges] : trial.regressing)
    regressing.push_back({{"action", label_of(system, action)}, {"edges", edges}});
  return json;
}

Json local_json(const LocalMeasure& local, const System& system) {
  Json json = {{"slot", local.name(system)},
               {"values", local.graph.size()},
               {"places", local.sccs.places},
               {"monotone", !local.is_cyclic()}};
  Json& regressing = json["regressing"] = Json::array();
  for (const ActionId action : regressing_actions(local.graph, local.tree))
    regressing.push_back(label_of(system, action));
  return json;
}

}  // namespace

bool Proposals::helps() const {
  constexpr double worthwhile = 0.5;
  return !candidates.empty() && candidates.front().trial.score <= worthwhile;
}

std::string measures_text(const MeasureAnswer& answer, const System& system) {
  return candidates_text(answer, system) + locals_text(answer, system);
}

std::string measures_json(const MeasureAnswer& answer, const System& system) {
  Json json = {{"tool", "tideline"},        {"version", answer.version},
               {"command", "progress"},     {"model", answer.model},
               {"product", answer.product}, {"complete", answer.proposals.limit_reached.empty()}};
  json["sample"] = {{"states", answer.proposals.sample_states},
                    {"transitions", answer.proposals.sample_edges},
                    {"whole", answer.proposals.whole}};
  Json& candidates = json["candidates"] = Json::array();
  for (const Candidate& candidate : answer.proposals.candidates)
    candidates.push_back(candidate_json(candidate, system));
  Json& locals = json["locals"] = Json::array();
  for (const LocalMeasure& local : answer.locals) locals.push_back(local_json(local, system));
  json["exit_code"] = answer.exit_code;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string measure_file(const MeasureAnswer& answer) {
  const MeasureTrial& best = answer.proposals.candidates.front().trial;
  std::string text = fmt::format("# Progress measure for {}, found by tideline progress.\n", answer.model);
  text += fmt::format("# Predicted on {}: {} stored at most, {} visited, {}.\n",
                      show_plural(answer.proposals.sample_states, "state"),
                      percent(best.sweep.peak, answer.proposals.sample_states),
                      percent(best.sweep.visits, answer.proposals.sample_states),
                      show_plural(best.sweep.sweeps, "sweep"));
  const auto& terms = best.measure.terms();
  for (std::size_t i = 0; i < terms.size(); ++i)
    text += fmt::format("{}{}{}\n", terms[i].monotone ? "monotone " : "", terms[i].text,
                        i + 1 < terms.size() ? "," : "");
  return text;
}

std::string layers_csv(const std::vector<LayerReport>& layers) {
  std::string text = "sweep,progress,expanded,stored,persistent\n";
  for (const LayerReport& layer : layers)
    text += fmt::format("{},{},{},{},{}\n", layer.sweep, layer.progress, layer.expanded, layer.stored,
                        layer.persistent);
  return text;
}

}  // namespace tideline
