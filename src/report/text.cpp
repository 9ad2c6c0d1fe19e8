#include "report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "report/numbers.hpp"
#include "trace/show.hpp"
#include "trace/show_explained.hpp"
#include "trace/step_text.hpp"

namespace tideline {

namespace {

Ink ink_of(Verdict verdict) {
  return verdict == Verdict::holds ? Ink::good : verdict == Verdict::violated ? Ink::bad : Ink::doubtful;
}

std::string verdict_line(const PropertyResult& result, const Palette& palette) {
  const Property& property = result.property;
  std::string line =
      fmt::format("{}: {}  ({}", property.name, palette(ink_of(result.verdict), to_string(result.verdict)),
                  to_string(property.kind));
  if (!property.formula.empty()) line += ", " + property.formula;
  if (!property.pattern.empty()) line += ", pattern " + property.pattern;
  if (property.fairness != Fairness::none)
    line += ", " + fairness_text(property.fairness, property.fair_actions);
  if (property.deadlock_paths != DeadlockPaths::stutter)
    line += fmt::format(", {} runs", to_string(property.deadlock_paths));
  line += ")";
  if (property.expected)
    line += as_expected(result)
                ? ", as expected"
                : ", " + palette(Ink::bad, fmt::format("EXPECTED {}", to_string(*property.expected)));
  return line + "\n";
}

/// "counterexample 2 of 3, of 8 steps"; "counterexample of 8 steps, shortened from 20, 5 of which matter, in 3 groups"
std::string run_title(const PropertyResult& result, const Trace& run, const RunExplanation* explanation,
                      const std::string& number) {
  std::string text =
      fmt::format("  {}{} of {}", result.verdict == Verdict::holds ? "witness" : "counterexample", number,
                  show_plural(run.length(), "step"));
  if (run.length_before) text += fmt::format(", shortened from {}", show_count(*run.length_before));
  if (explanation) {
    const std::size_t steps = explanation->steps().size();
    if (run.length() != 0)
      text += fmt::format(", {}, in {}",
                          steps == run.length() ? "all of which matter"
                          : steps == 1          ? "1 of which matters"
                                                : show_count(steps) + " of which matter",
                          show_plural(explanation->groups.size(), "group"));
  }
  return text + ":\n";
}

/// `initial_known`: a run before has shown the initial state; set when one of these has.
std::string property_block(const Answer& answer, std::size_t i, const System& system,
                           const TextOptions& options, bool& initial_known) {
  const PropertyResult& result = answer.outcome.results[i];
  std::string text = verdict_line(result, options.palette);
  if (options.quiet) return text;
  if (!result.reason.empty()) text += fmt::format("  {}\n", result.reason);
  ShowOptions how{
      .full = options.full, .source = options.source, .budget = options.budget, .palette = options.palette};
  const std::vector<const Trace*> runs = answer.runs_of(i);
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const RunExplanation* explanation = answer.explanation_of(i, r);
    text += run_title(result, *runs[r], explanation,
                      runs.size() == 1 ? "" : fmt::format(" {} of {},", r + 1, runs.size()));
    // One that is explained begins with the variables that matter.
    how.initial_known = !explanation && std::exchange(initial_known, true);
    text +=
        explanation ? show_explained(system, *runs[r], *explanation, how) : show_run(system, *runs[r], how);
  }
  return text;
}

/// "1 state", "at most 12 states stored", "weak automaton"
std::string phrase_of(Stat stat, const Statistics::Value& value) {
  const std::string number = show_statistic(stat, value);
  constexpr std::string_view plural = "(s)";
  const std::size_t at = stat->phrase.find(plural);
  if (at == std::string_view::npos) return fmt::format(fmt::runtime(stat->phrase), number);
  return fmt::format(fmt::runtime(stat->phrase.substr(0, at)), number) + (number == "1" ? "" : "s") +
         std::string(stat->phrase.substr(at + plural.size()));
}

/// "20 states, 34 transitions, 0.010 s, 5.9 MiB": phrases of those that `shown` accepts.
std::string phrases(const Statistics& statistics, const std::function<bool(Stat)>& shown) {
  std::string text;
  for (const Stat stat : Stat::all()) {
    const Statistics::Value* value = statistics.find(stat);
    if (!value || stat->phrase.empty() || !shown(stat)) continue;
    text += (text.empty() ? "" : ", ") + phrase_of(stat, *value);
  }
  return text;
}

std::string statistics_line(const std::string& title, const Statistics& statistics, bool complete) {
  return fmt::format("{}: {} ({})\n", title, statistics_phrases(statistics),
                     complete ? "complete" : "not complete");
}

/// "bfs for mutex, quiet and 3 more"
std::string search_title(const SearchReport& search) {
  constexpr std::size_t shown = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(shown, search.properties.size()); ++i)
    names += (i == 0 ? "" : ", ") + search.properties[i];
  if (search.properties.size() > shown)
    names += fmt::format(" and {} more", search.properties.size() - shown);
  return fmt::format("{} for {}", search.engine, names);
}

/// A line for each search, and one for all of them if there are several.
std::string statistics_lines(const Answer& answer) {
  const Outcome& outcome = answer.outcome;
  if (answer.searches.empty()) return statistics_line(outcome.engine, outcome.statistics, outcome.complete);
  std::string text;
  for (const SearchReport& search : answer.searches)
    text += statistics_line(search_title(search), search.statistics, search.complete);
  // The sizes of the model are in the line of each search: here they would look like sums.
  const auto shown = [](Stat stat) { return stat->merge != Merge::model; };
  return text + fmt::format("all together: {}\n", phrases(outcome.statistics, shown));
}

}  // namespace

std::string check_text(const Answer& answer, const System& system, const TextOptions& options) {
  std::string text;
  bool initial_known = false;
  for (std::size_t i = 0; i < answer.outcome.results.size(); ++i)
    text += property_block(answer, i, system, options, initial_known);
  if (!options.quiet) text += statistics_lines(answer);
  return text;
}

std::string statistics_phrases(const Statistics& statistics) {
  // An engine that keeps all states has visited and stored those that it found.
  const bool forgets = statistics.find("sweeps");
  return phrases(statistics,
                 [&](Stat stat) { return forgets || (stat != "visited" && stat != "stored_peak"); });
}

std::string explore_text(const Answer& answer, const TextOptions& options) {
  const Outcome& outcome = answer.outcome;
  std::vector<std::pair<std::string, std::string>> rows;
  rows.emplace_back("engine", outcome.engine);
  rows.emplace_back("complete", outcome.complete ? "yes" : "no");
  for (const auto& [stat, value] : outcome.statistics.entries())
    rows.emplace_back(stat->label, show_statistic(stat, value));
  if (answer.level_sizes && !options.quiet)
    for (std::size_t i = 0; i < outcome.level_sizes.size(); ++i)
      rows.emplace_back(fmt::format("level {}", i), show_count(outcome.level_sizes[i]));

  std::size_t name_width = 0, value_width = 0;
  for (const auto& [name, value] : rows) {
    name_width = std::max(name_width, name.size());
    value_width = std::max(value_width, value.size());
  }
  std::string text;
  for (const auto& [name, value] : rows)
    text += fmt::format("{:<{}}  {:>{}}\n", name, name_width, value, value_width);
  return text;
}

std::string unbounded_text(const Unboundedness& proof, const System& system) {
  constexpr std::size_t shown = 12;
  const auto list = [&](const auto& items, std::string_view noun, const auto& name) {
    std::string text;
    for (std::size_t i = 0; i < std::min(shown, items.size()); ++i)
      text += (i == 0 ? "" : ", ") + name(items[i]);
    return items.size() <= shown ? text : fmt::format("{}, ... ({})", text, show_plural(items.size(), noun));
  };
  const auto label = [&](ActionId action) { return system.actions[action].label; };
  const auto place = [&](SlotId slot) { return system.slots[slot].name; };
  std::string text = "the net is unbounded: ";
  if (!proof.prefix.empty()) text += fmt::format("after {} ", list(proof.prefix, "transition", label));
  if (proof.sequence.size() > 1) text += "the sequence ";
  return text + fmt::format("{} can be repeated for ever, and adds tokens to {} each time",
                            list(proof.sequence, "transition", label), list(proof.grows, "place", place));
}

std::string never_enabled_text(const Outcome& outcome, const System& system, std::size_t shown,
                               const SourceText* source) {
  const auto& actions = outcome.never_enabled;
  if (actions.empty()) return {};
  std::string text = fmt::format(
      "{} never enabled:", actions.size() == 1 ? "1 action is" : show_count(actions.size()) + " actions are");
  for (std::size_t i = 0; i < std::min(shown, actions.size()); ++i) {
    const Action& action = system.actions[actions[i]];
    text += fmt::format("\n    {}", with_places(action.label, system, action, source));
  }
  if (actions.size() > shown) text += fmt::format("\n    and {} more", show_count(actions.size() - shown));
  return text;
}

}  // namespace tideline
