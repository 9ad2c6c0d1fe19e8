#include "report/explanation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "report/numbers.hpp"

namespace tideline {

namespace {

using Json = nlohmann::ordered_json;
using por::Explanation;

constexpr std::size_t shown_rows = 10;

// --- For people -----------------------------------------------------------------------------------------

/// A table of at most shown_rows rows, all columns but the last one with a width of their own: flush left at
/// first, flush right from `numbers` on.
class Rows {
 public:
  explicit Rows(std::size_t numbers, std::vector<std::string> heading = {}) : numbers_(numbers) {
    if (!heading.empty()) add(std::move(heading));
    headings_ = rows_.size();
  }

  void add(std::vector<std::string> row) {
    widths_.resize(row.size());
    if (rows_.size() < headings_ + shown_rows)
      for (std::size_t i = 0; i < row.size(); ++i) widths_[i] = std::max(widths_[i], row[i].size());
    rows_.push_back(std::move(row));
  }

  std::string text() const {
    std::string text;
    const std::size_t shown = std::min(rows_.size(), headings_ + shown_rows);
    for (std::size_t r = 0; r < shown; ++r) {
      text += "  ";
      for (std::size_t i = 0; i + 1 < widths_.size(); ++i)
        text += i < numbers_ ? fmt::format("{:<{}}  ", rows_[r][i], widths_[i])
                             : fmt::format("{:>{}}  ", rows_[r][i], widths_[i]);
      text += rows_[r].back();
      text.erase(text.find_last_not_of(' ') + 1);
      text += "\n";
    }
    if (rows_.size() > shown) text += fmt::format("  and {} more\n", show_count(rows_.size() - shown));
    return text;
  }

 private:
  std::size_t numbers_, headings_ = shown_rows;
  std::vector<std::size_t> widths_;
  std::vector<std::vector<std::string>> rows_;
};

/// As many of the names as fit into the width, at least one, and how many more there are.
std::string names_within(std::size_t width, const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string more = i + 1 < names.size() ? fmt::format(" and {} more", names.size() - i - 1) : "";
    const std::string longer = text.empty() ? names[i] : text + ", " + names[i];
    if (!text.empty() && longer.size() + more.size() > width)
      return text + fmt::format(" and {} more", names.size() - i);
    text = longer;
  }
  return text;
}

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  return fmt::format("{} of {}", show_count(part), show_count(whole));
}

std::string head_text(const ExplanationAnswer& answer) {
  const Explanation& e = answer.explanation;
  std::string text = show_plural(e.actions, "action");
  if (e.processes != 0)
    text += fmt::format(", {} {}", show_count(e.processes), e.processes == 1 ? "process" : "processes");
  text += fmt::format("; {}: {}\n", answer.properties.size() == 1 ? "property" : "properties",
                      fmt::join(answer.properties, ", "));
  if (e.given_up) return text + "there are too many conflicts to be kept: nothing is left out\n";
  if (e.needed_in_sample >= 1)
    return text + "every step is needed in a sample of states: nothing is left out\n";
  return text + fmt::format("{:.0f}% of the steps in a sample of states are needed\n",
                            std::clamp(100 * e.needed_in_sample, 1.0, 99.0));
}

/// Pairs of processes; those that look alike in one row.
std::string processes_text(const Explanation& e, const System& system) {
  if (e.processes < 2) return {};
  std::string text = "\nBetween processes: pairs of actions in conflict, or one waiting for the other\n";
  if (e.between.empty()) return text + "  none\n";
  const auto alike = [](const Explanation::Processes& a, const Explanation::Processes& b) {
    return a.found == b.found && a.all == b.all && a.about == b.about;
  };
  // A line of 80 columns has room for two processes, figures, and a few names.
  std::size_t processes_width = 0;
  for (const Explanation::Processes& row : e.between)
    processes_width = std::max(
        processes_width, system.components[row.one].name.size() + system.components[row.other].name.size());
  const std::size_t width_of_names = 50 - std::min<std::size_t>(processes_width, 25);
  Rows rows(2, {"", "", "conflicts", "waits", "over"});
  for (std::size_t i = 0; i < e.between.size();) {
    const Explanation::Processes& row = e.between[i];
    std::size_t end = i;
    while (end < e.between.size() && alike(e.between[end], row)) ++end;
    const std::string over = names_within(width_of_names, slot_names(row.about, system));
    rows.add({system.components[row.one].name, system.components[row.other].name,
              share_text(row.found.conflicts, row.all), show_count(row.found.waits),
              end - i == 1 ? over : fmt::format("{} ({} pairs alike)", over, show_count(end - i))});
    i = end;
  }
  text += rows.text();
  if (e.independent != 0)
    text += fmt::format("  neither: {} of processes\n", show_plural(e.independent, "pair"));
  return text;
}

std::string slots_text(const Explanation& e, const System& system) {
  if (e.slots.empty()) return {};
  constexpr std::size_t width_of_names = 40;
  Rows rows(1, {"", "conflicts", "waits", ""});
  for (const Explanation::Slots& row : e.slots)
    rows.add({names_within(width_of_names, slot_names(row.slots, system)), show_count(row.found.conflicts),
              show_count(row.found.waits),
              fmt::format("read by {}, written by {}", show_plural(row.readers, "action"),
                          show_count(row.writers))});
  return fmt::format("\n{} in most conflicts\n", e.processes == 0 ? "Places" : "Variables and locations") +
         rows.text();
}

/// Labels, each once, and how many actions have it. (Moves of a network of processes share labels.)
std::vector<std::pair<std::string, std::size_t>> labels_of(const std::vector<ActionId>& actions,
                                                           const System& system) {
  std::vector<std::pair<std::string, std::size_t>> labels;
  std::map<std::string_view, std::size_t> places;
  for (const ActionId action : actions) {
    const std::string& label = system.actions[action].label;
    const auto [place, is_new] = places.try_emplace(label, labels.size());
    if (is_new) labels.emplace_back(label, 0);
    ++labels[place->second].second;
  }
  return labels;
}

std::string actions_text(const char* heading, const char* meaning, const std::vector<ActionId>& actions,
                         const Explanation& e, const System& system) {
  std::string text = fmt::format(
      "\n{}: {} ({})\n", heading,
      actions.empty() ? "no action" : share_text(actions.size(), e.actions) + " actions", meaning);
  Rows rows(0);
  for (const auto& [label, count] : labels_of(actions, system))
    rows.add({count == 1 ? label : fmt::format("{} ({} actions)", label, show_count(count))});
  return text + rows.text();
}

std::string roles_text(const Explanation& e, const System& system) {
  std::string text;
  if (!e.nearly_all.empty()) {
    text += fmt::format("\nIn conflict with nearly all{} actions\n",
                        e.processes == 0 ? " other" : " other processes'");
    Rows rows(0);
    for (const Explanation::Conflicting& row : e.nearly_all)
      rows.add({share_text(row.conflicts, row.others), system.actions[row.action].label});
    text += rows.text();
  }
  if (e.has_property)
    text += actions_text("Visible", "they can change what the property sees", e.visible, e, system);
  if (e.has_proviso)
    text += actions_text("Lead back", "a set with one of them has to be complete", e.leading_back, e, system);
  if (!e.failing.empty())
    text += actions_text("May end in a model error", "it must not be missed", e.failing, e, system);
  return text;
}

/// All conflicts of each action, and what it waits for.
std::string details_text(const Explanation& e, const System& system) {
  std::string text;
  for (const Explanation::Details& details : e.details) {
    text += fmt::format("\n{}\n", system.actions[details.action].label);
    const auto list = [&](const char* what, const std::vector<Explanation::Details::With>& with) {
      for (const auto& [action, about] : with)
        text += fmt::format("  {} {}   over {}\n", what, system.actions[action].label,
                            fmt::join(slot_names(about, system), ", "));
    };
    list("in conflict with", details.conflicts);
    list("waits for", details.waits_for);
    if (details.conflicts.empty() && details.waits_for.empty())
      text += "  no conflict, and waits for no other process\n";
  }
  return text;
}

// --- For programs ---------------------------------------------------------------------------------------

Json slots_json(const std::vector<SlotId>& slots, const System& system) {
  Json json = Json::array();
  for (const SlotId slot : slots) json.push_back(system.slots[slot].name);
  return json;
}

Json labels_json(const std::vector<ActionId>& actions, const System& system) {
  Json json = Json::array();
  for (const ActionId action : actions) json.push_back(system.actions[action].label);
  return json;
}

Json with_json(const std::vector<Explanation::Details::With>& list, const System& system) {
  Json json = Json::array();
  for (const auto& [action, about] : list)
    json.push_back({{"action", system.actions[action].label}, {"over", slots_json(about, system)}});
  return json;
}

}  // namespace

std::vector<std::string> slot_names(const std::vector<SlotId>& slots, const System& system) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < slots.size();) {
    const std::size_t first = i++;
    const Slot& slot = system.slots[slots[first]];
    const Variable& variable = system.variables[slot.variable];
    while (i < slots.size() && slots[i] == slots[i - 1] + 1 &&
           system.slots[slots[i]].variable == slot.variable)
      ++i;
    if (i - first == 1) {
      names.push_back(slot.name);
      continue;
    }
    names.push_back(fmt::format("{}[{}..{}]", slot.name.substr(0, slot.name.rfind('[')),
                                slots[first] - variable.first, slots[i - 1] - variable.first));
  }
  return names;
}

std::string explanation_text(const ExplanationAnswer& answer, const System& system) {
  const Explanation& e = answer.explanation;
  const std::string head = head_text(answer);
  if (e.given_up) return head;
  return head + processes_text(e, system) + slots_text(e, system) + roles_text(e, system) +
         details_text(e, system);
}

std::string explanation_json(const ExplanationAnswer& answer, const System& system) {
  const Explanation& e = answer.explanation;
  Json json = {
      {"tool", "tideline"},     {"version", answer.version},       {"command", "explain-por"},
      {"model", answer.model},  {"properties", answer.properties}, {"complete", answer.complete},
      {"actions", e.actions},   {"processes", e.processes},        {"needed_in_sample", e.needed_in_sample},
      {"given_up", e.given_up}, {"conflicts", e.found.conflicts},  {"waits", e.found.waits},
      {"pairs", e.pairs}};
  Json& between = json["between"] = Json::array();
  for (const Explanation::Processes& row : e.between)
    between.push_back({{"processes", {system.components[row.one].name, system.components[row.other].name}},
                       {"conflicts", row.found.conflicts},
                       {"waits", row.found.waits},
                       {"pairs", row.all},
                       {"over", slots_json(row.about, system)}});
  Json& slots = json["slots"] = Json::array();
  for (const Explanation::Slots& row : e.slots)
    slots.push_back({{"names", slots_json(row.slots, system)},
                     {"conflicts", row.found.conflicts},
                     {"waits", row.found.waits},
                     {"readers", row.readers},
                     {"writers", row.writers}});
  Json& nearly_all = json["nearly_all"] = Json::array();
  for (const Explanation::Conflicting& row : e.nearly_all)
    nearly_all.push_back(
        {{"action", system.actions[row.action].label}, {"conflicts", row.conflicts}, {"pairs", row.others}});
  if (e.has_property) json["visible"] = labels_json(e.visible, system);
  if (e.has_proviso) json["leading_back"] = labels_json(e.leading_back, system);
  json["failing"] = labels_json(e.failing, system);
  if (!e.details.empty()) {
    Json& details = json["details"] = Json::array();
    for (const Explanation::Details& entry : e.details)
      details.push_back({{"action", system.actions[entry.action].label},
                         {"conflicts", with_json(entry.conflicts, system)},
                         {"waits_for", with_json(entry.waits_for, system)}});
  }
  json["exit_code"] = answer.exit_code;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tideline
