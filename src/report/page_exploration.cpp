#include "report/page_exploration.hpp"

#include <algorithm>
#include <numeric>
#include <variant>

#include "report/numbers.hpp"

namespace tideline {

namespace {

/// Whether a search left steps out, and with them states.
bool is_reduced(const Answer& answer) {
  const auto reduced = [](const Statistics& statistics) { return statistics.find("reduction") != nullptr; };
  return reduced(answer.outcome.statistics) ||
         std::ranges::any_of(answer.searches,
                             [&](const SearchReport& search) { return reduced(search.statistics); });
}

/// The sizes of levels that the engine counted, if they are those of all states: searches of a product, and
/// those that leave steps out, have levels of their own.
const std::vector<std::uint64_t>* levels_of(const Answer* answer) {
  if (!answer || !answer->outcome.complete || is_reduced(*answer)) return nullptr;
  const auto* states = answer->outcome.statistics.find("states");
  const auto* count = states ? std::get_if<std::uint64_t>(states) : nullptr;
  const auto& levels = answer->outcome.level_sizes;
  return count && std::accumulate(levels.begin(), levels.end(), std::uint64_t{0}) == *count ? &levels
                                                                                            : nullptr;
}

/// Actions that the engine has shown to be never enabled.
std::vector<ActionId> never_enabled(const Answer* answer) {
  return answer && answer->outcome.complete ? answer->outcome.never_enabled : std::vector<ActionId>{};
}

std::string survey_text(const Survey& survey) {
  const std::string states = show_plural(survey.states, "state");
  if (survey.complete)
    return survey.states == 1 ? "Counted by a breadth-first pass over the only state."
                              : fmt::format("Counted by a breadth-first pass over all {}.", states);
  return fmt::format(
      "Counted by a breadth-first pass over the first {}, ended by {}; the model may have more, and what "
      "they "
      "do is not in these figures.",
      states, survey.ended_by);
}

void write_profile(JsonText& json, const ValueProfile& profile, bool with_top) {
  json.open('{');
  json.add("distinct", profile.distinct);
  json.add("entropy", profile.entropy);
  if (with_top) {
    json.key("top");
    json.open('[');
    for (const auto& [value, count] : profile.top) {
      json.open('[');
      json.value(value);
      json.value(count);
      json.close(']');
    }
    json.close(']');
  }
  json.close('}');
}

/// One for each of `count` things; those that were not profiled have no values.
void write_profiles(JsonText& json, std::string_view name, const std::vector<ValueProfile>& profiles,
                    std::size_t count, bool with_top) {
  json.key(name);
  json.open('[');
  for (std::size_t i = 0; i < count; ++i)
    write_profile(json, i < profiles.size() ? profiles[i] : ValueProfile{}, with_top);
  json.close(']');
}

void write_layers(JsonText& json, const std::vector<LayerReport>& layers) {
  json.key("layers");
  json.open('[');
  for (const LayerReport& layer : layers) {
    json.open('{');
    json.add("progress", std::to_string(layer.progress));  // 64 bits: more than a number of JavaScript holds
    json.add("expanded", layer.expanded);
    json.add("stored", layer.stored);
    json.add("persistent", layer.persistent);
    json.add("sweep", layer.sweep);
    json.close('}');
  }
  json.close(']');
}

void write_edge(JsonText& json, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  json.open('[');
  json.value(a);
  json.value(b);
  json.value(c);
  json.close(']');
}

void write_fold(JsonText& json, const FoldedGraph& fold) {
  json.open('{');
  json.key("by");
  json.list(std::vector<SlotId>{fold.by});
  json.key("classes");
  json.open('[');
  for (const FoldedGraph::Class& one : fold.classes) {
    json.open('{');
    json.key("values");
    json.list(std::vector<std::int32_t>{one.value});
    json.add("states", one.states);
    json.close('}');
  }
  json.close(']');
  json.key("edges");
  json.open('[');
  for (const FoldedGraph::Edge& edge : fold.edges) write_edge(json, edge.from, edge.to, edge.count);
  json.close(']');
  json.close('}');
}

/// A longer list is left out: it would take more room than all else, and no chart has so many points.
constexpr std::size_t most_levels = 20'000;

}  // namespace

std::string exploration_text(const PageExploration& exploration, const Answer* answer) {
  std::string text = exploration.survey ? survey_text(*exploration.survey)
                                        : "No pass has counted actions and values for this page.";
  if (const auto& survey = exploration.survey; survey && survey->profiled < survey->states)
    text += survey->profiled == 0
                ? " Values of variables were not counted: there was no time left."
                : fmt::format(" Values of variables are those of {} states, evenly spread over these.",
                              show_count(survey->profiled));
  if (exploration.survey && exploration.survey->complete) return text;
  if (const std::size_t never = never_enabled(answer).size(); never != 0)
    text += fmt::format(" The search by {} saw all states: it knows of {} that {} never enabled.",
                        answer->outcome.engine, show_plural(never, "action"), never == 1 ? "is" : "are");
  if (levels_of(answer)) text += " The sizes of levels are those of the search.";
  return text;
}

void write_timeline(JsonText& json, const std::vector<RunStatus>& points) {
  json.key("timeline");
  json.open('[');
  for (const RunStatus& point : points) {
    json.open('{');
    json.add("t", point.seconds);
    json.add("states", point.states);
    json.add("memory_bytes", point.memory_bytes);
    json.add("frontier", point.frontier);
    json.add("phase", to_string(point.phase));
    json.add("engine", point.engine);
    json.close('}');
  }
  json.close(']');
}

void write_exploration(JsonText& json, const System& system, const PageExploration& exploration,
                       const Answer* answer) {
  const Survey survey = exploration.survey.value_or(Survey{});
  std::vector<std::uint64_t> actions = survey.actions;
  actions.resize(system.actions.size());
  const auto unseen = static_cast<std::size_t>(std::ranges::count(actions, std::uint64_t{0}));
  const std::vector<ActionId> never = never_enabled(answer);
  json.open('{');
  json.add("complete", survey.complete);
  json.add("states", survey.states);
  json.add("transitions", survey.transitions);
  json.add("deadlocks", survey.deadlocks);
  json.add("how", exploration_text(exploration, answer));
  json.list("actions", actions);
  if (!survey.edges.empty()) {
    json.key("edges");
    json.open('[');
    for (const std::vector<std::uint64_t>& counts : survey.edges) json.list(counts);
    json.close(']');
  }
  json.add("never_enabled_is_proven",
           survey.complete || unseen == never.size());  // those that are never enabled are among the unseen
  if (!survey.complete && !never.empty()) json.list("never_enabled", never);
  const auto* levels = survey.complete || !levels_of(answer) ? &survey.levels : levels_of(answer);
  if (!levels->empty() && levels->size() <= most_levels) json.list("levels", *levels);
  if (!exploration.layers.empty()) write_layers(json, exploration.layers);
  if (!exploration.timeline.empty()) write_timeline(json, exploration.timeline);
  write_profiles(json, "slots", survey.slots, system.slots.size(), true);
  write_profiles(json, "components", survey.components, system.components.size(), false);
  if (!survey.folds.empty()) {
    json.key("folded");
    json.open('[');
    for (const FoldedGraph& fold : survey.folds) write_fold(json, fold);
    json.close(']');
  }
  json.close('}');
}

void write_graph(JsonText& json, const StateGraph& graph) {
  json.open('{');
  json.key("states");
  json.open('[');
  for (const Values& state : graph.states) json.list(state);
  json.close(']');
  json.key("initial");
  json.list(std::vector<int>{0});
  json.key("edges");
  json.open('[');
  for (const StateGraph::Edge& edge : graph.edges) write_edge(json, edge.from, edge.action, edge.to);
  json.close(']');
  json.close('}');
}

}  // namespace tideline
