#include "progress_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/numbers.hpp"

namespace tideline::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t shown_actions = 3;

// --- For people -----------------------------------------------------------------------------------------

std::string label_of(const System& system, ActionId action) {
  return action == no_action ? "(the property moves alone)" : system.actions[action].label;
}

std::string regress_text(const System& system, const std::vector<RegressingAction>& regressing) {
  std::string text;
  for (std::size_t i = 0; i < regressing.size() && i < shown_actions; ++i)
    text += fmt::format("{}{} ({})", i == 0 ? "" : "; ", label_of(system, regressing[i].action),
                        show_count(regressing[i].edges));
  if (regressing.size() > shown_actions)
    text += fmt::format("; and {} more", show_plural(regressing.size() - shown_actions, "action"));
  return text;
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return fmt::format(
      "{:.1f}%", 100.0 * static_cast<double>(part) / static_cast<double>(std::max<std::uint64_t>(whole, 1)));
}

std::string candidates_text(const ProgressAnswer& answer, const System& system) {
  std::string text =
      fmt::format("tried on {}, {}: {}\n",
                  show_plural(answer.proposals.sample_states, answer.product ? "product state" : "state"),
                  show_plural(answer.proposals.sample_edges, "transition"),
                  answer.proposals.whole ? "all there are" : "a part of them");
  if (answer.proposals.candidates.empty()) return text + "no measure was found that helps\n";
  text += fmt::format("{:>10}{:>10}{:>12}{:>8}{:>10}{:>10}\n", "stored", "visited", "persistent", "sweeps",
                      "layers", "regress");
  std::size_t number = 0;
  for (const Candidate& candidate : answer.proposals.candidates) {
    const MeasureTrial& trial = candidate.trial;
    text +=
        fmt::format("{:<3}{:>7}{:>10}{:>12}{:>8}{:>10}{:>10}   predicted\n", ++number,
                    percent(trial.sweep.peak, answer.proposals.sample_states),
                    percent(trial.sweep.visits, answer.proposals.sample_states),
                    percent(trial.sweep.persistent, answer.proposals.sample_states), trial.sweep.sweeps,
                    show_count(trial.layers), percent(trial.regress_edges, answer.proposals.sample_edges));
    if (candidate.measured)
      text +=
          fmt::format("{:>10}{:>10}{:>12}{:>8}{:>10}{:>10}   measured in {}\n",
                      show_count(candidate.measured->stored_peak), show_count(candidate.measured->expansions),
                      show_count(candidate.measured->persistent), candidate.measured->sweeps,
                      show_count(candidate.measured->layers), show_count(candidate.measured->regress_edges),
                      show_seconds(candidate.seconds));
    const std::string origin =
        trial.origin == MeasureOrigin::learnt ? "" : fmt::format("{}: ", to_string(trial.origin));
    text += fmt::format("   {}{}\n", origin, trial.measure.text());
    if (!trial.regressing.empty())
      text += fmt::format("   regress: {}\n", regress_text(system, trial.regressing));
  }
  return text;
}

/// What the slots can do on their own, those of one component together.
std::string locals_text(const ProgressAnswer& answer, const System& system) {
  if (answer.locals.empty()) return {};
  std::string text = fmt::format("\nparts on their own\n{:>10}{:>10}\n", "values", "places");
  for (const LocalMeasure& local : answer.locals) {
    const bool monotone = !local.is_cyclic();
    text += fmt::format("{:>10}{:>10}   {}{}\n", local.graph.size(), local.sccs.places, local.name(system),
                        monotone ? ", monotone" : "");
    if (monotone) continue;
    std::string actions;
    const std::vector<ActionId> regressing = regressing_actions(local.graph, local.tree);
    for (std::size_t i = 0; i < regressing.size() && i < shown_actions; ++i)
      actions += (i == 0 ? "" : "; ") + label_of(system, regressing[i]);
    if (regressing.size() > shown_actions)
      actions += fmt::format("; and {} more", show_plural(regressing.size() - shown_actions, "action"));
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

std::string answer_text(const ProgressAnswer& answer, const System& system) {
  return candidates_text(answer, system) + locals_text(answer, system);
}

std::string answer_json(const ProgressAnswer& answer, const System& system, int exit_code) {
  Json json = {{"tool", "tideline"},        {"version", TIDELINE_VERSION},
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
  json["exit_code"] = exit_code;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string measure_file(const ProgressAnswer& answer) {
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

}  // namespace tideline::app
