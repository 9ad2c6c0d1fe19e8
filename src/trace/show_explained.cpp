#include "trace/show_explained.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "trace/step_text.hpp"

namespace tideline {

namespace {

constexpr std::size_t text_width = 100;
constexpr std::size_t most_variables = 12;
constexpr std::size_t widest_padded_label = 48;

/// A space where lines are not broken, until they are shown.
constexpr char firm_space = '\x1f';

std::string firm(std::string text) {
  std::ranges::replace(text, ' ', firm_space);
  return text;
}

/// "x = 1" stays together.
std::string with_firm_values(std::string text) {
  for (std::size_t at = 0; (at = text.find(" = ", at)) != std::string::npos; ++at)
    text[at] = text[at + 2] = firm_space;
  return text;
}

/// Breaks lines between words, and indents them.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t more_indent = 0) {
  std::string result, line;
  const auto flush = [&] {
    result += fmt::format("{:{}}{}\n", "", indent + (result.empty() ? 0 : more_indent), line);
    line.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!line.empty() && indent + line.size() + 1 + word.size() > text_width) flush();
    line += (line.empty() ? "" : " ") + word;
    at = end + 1;
  }
  if (!line.empty()) flush();
  std::ranges::replace(result, firm_space, ' ');
  return result;
}

class ExplainedText {
 public:
  ExplainedText(const System& system, const Trace& run, const RunExplanation& explanation,
                const ShowOptions& options)
      : system_(system),
        run_(run),
        explanation_(explanation),
        options_(options),
        check_limits_(options.budget),
        names_(system, {}, options.source),
        changes_(system, options.palette),
        number_width_(std::max<std::size_t>(5, std::to_string(run.length()).size() + 4)) {
    for (std::size_t i = 0; i < run_.actions.size(); ++i) {
      if (!shown(i)) continue;
      const std::size_t size = name(i).size();
      if (size <= widest_padded_label) label_width_ = std::max(label_width_, size);
    }
  }

  std::string text() {
    text_ = wrapped(with_firm_values(explanation_.text), 2);
    text_ += wrapped("variables that matter: " + variables(), 2, 2);
    start();
    const auto& groups = explanation_.groups;
    for (std::size_t g = 0; g < groups.size();) {
      if (run_.loop == groups[g].first)
        text_ += fmt::format("{:{}}  {}\n", "", number_width_,
                             options_.palette(Ink::cycle, "the cycle begins here"));
      const std::size_t end = end_of_folded(g);
      if (end == g)
        show_group(groups[g++]);
      else {
        fold_groups(g, end);
        g = end;
      }
    }
    finish();
    return std::move(text_);
  }

 private:
  /// A short cycle is shown as a whole.
  bool shown(std::size_t step) const {
    constexpr std::size_t short_cycle = 20;
    return options_.full || explanation_.matters[step] ||
           (run_.loop && step >= *run_.loop && run_.actions.size() - *run_.loop <= short_cycle);
  }

  /// After the groups from this one on of which nothing is shown.
  std::size_t end_of_folded(std::size_t group) const {
    const auto& groups = explanation_.groups;
    std::size_t end = group;
    for (; end < groups.size(); ++end) {
      if (end != group && run_.loop == groups[end].first) break;
      bool any = false;
      for (std::size_t i = 0; i < groups[end].count; ++i) any = any || shown(groups[end].first + i);
      if (any) break;
    }
    return end;
  }

  std::string variables() const {
    std::string text;
    std::size_t count = 0;
    for (const SlotId slot : explanation_.slots) {
      if (count++ == most_variables) break;
      text += (text.empty() ? "" : ", ") + system_.slots[slot].name;
    }
    if (explanation_.slots.size() > most_variables)
      text += fmt::format(" and {} more", explanation_.slots.size() - most_variables);
    return text.empty() ? "none" : text;
  }

  /// Whole, or the variables that matter.
  void start() {
    text_ += fmt::format("{:>{}}  initial state\n", 0, number_width_);
    if (options_.full) {
      text_ += show_state(system_, run_.states.front(), number_width_ + 4);
      return;
    }
    std::string values;
    std::size_t count = 0;
    for (const SlotId slot : explanation_.slots) {
      if (count++ == most_variables) break;
      const bool place = system_.variables[system_.slots[slot].variable].is_location;
      values += (values.empty() ? "" : ", ") +
                firm(fmt::format("{} {} {}", system_.slots[slot].name, place ? "at" : "=",
                                 system_.show_value(slot, run_.states.front()[slot])));
    }
    if (!values.empty())
      text_ += wrapped(values + (count > most_variables ? ", ..." : ""), number_width_ + 4, 2);
  }

  void show_group(const StepGroup& group) {
    if (group.component != no_component)
      text_ += fmt::format("{:{}}  {}\n", "", number_width_, system_.components[group.component].name);
    const std::vector<Line> lines = lines_of(group);
    for (std::size_t i = 0; i < lines.size();) {
      const auto [period, times] = repetition(lines, i);
      if (times == 0) {
        show_line(lines[i++]);
        continue;
      }
      // The first and the last time, and in between that it goes on like that.
      for (std::size_t k = 0; k < period; ++k) show_line(lines[i + k]);
      const std::size_t again = i + period, last = i + period * (times - 1);
      text_ += fmt::format("{:{}}    ... the same {} more times ({}-{})\n", "", number_width_, times - 2,
                           lines[again].first + 1, lines[last - 1].end);
      for (std::size_t k = 0; k < period; ++k) show_line(lines[last + k]);
      i += period * times;
    }
  }

  /// A step, or several that are folded.
  struct Line {
    std::size_t first = 0, end = 0;
    bool shown = false;
  };

  std::vector<Line> lines_of(const StepGroup& group) const {
    std::vector<Line> lines;
    for (std::size_t i = group.first; i < group.first + group.count; ++i)
      if (shown(i) || lines.empty() || lines.back().shown)
        lines.push_back({i, i + 1, shown(i)});
      else
        ++lines.back().end;
    return lines;
  }

  void show_line(const Line& line) {
    line.shown ? show_step(line.first) : show_folded(line.first, line.end, "");
  }

  bool are_alike(const Line& a, const Line& b) const {
    if (a.shown != b.shown || a.end - a.first != b.end - b.first || b.end > run_.actions.size()) return false;
    return std::equal(run_.actions.begin() + static_cast<std::ptrdiff_t>(a.first),
                      run_.actions.begin() + static_cast<std::ptrdiff_t>(a.end),
                      run_.actions.begin() + static_cast<std::ptrdiff_t>(b.first));
  }

  struct Repetition {
    std::size_t period = 0, times = 0;
  };

  /// The lines from here on that repeat, if leaving out some of them saves enough; else no times.
  Repetition repetition(const std::vector<Line>& lines, std::size_t from) const {
    constexpr std::size_t longest_period = 6, least_saved = 3;
    if (options_.full) return {};
    for (std::size_t period = 1; period <= longest_period; ++period) {
      std::size_t same = 0;
      while (from + period + same < lines.size() &&
             are_alike(lines[from + same], lines[from + period + same]))
        ++same;
      const std::size_t times = 1 + same / period;
      if (times >= 3 && period * (times - 2) >= least_saved + 1) return {period, times};
    }
    return {};
  }

  void fold_groups(std::size_t first, std::size_t end) {
    const auto& groups = explanation_.groups;
    std::vector<std::string> names;
    for (std::size_t g = first; g < end; ++g) {
      if (groups[g].component == no_component) continue;
      const std::string& name = system_.components[groups[g].component].name;
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    std::string of;
    for (std::size_t i = 0; i < names.size(); ++i)
      of += (i == 0 ? " of " : i + 1 == names.size() ? " and " : ", ") + names[i];
    show_folded(groups[first].first, groups[end - 1].first + groups[end - 1].count, of);
  }

  void show_folded(std::size_t first, std::size_t end, const std::string& of) {
    text_ += end == first + 1 ? fmt::format("{:{}}    ... 1 step{} that does not matter ({})\n", "",
                                            number_width_, of, end)
                              : fmt::format("{:{}}    ... {} steps{} that do not matter ({}-{})\n", "",
                                            number_width_, end - first, of, first + 1, end);
  }

  std::string name(std::size_t step) const { return names_.name(run_.actions[step], run_.states[step]); }

  std::string number(std::size_t step) const {
    return fmt::format("{} {:>{}}", explanation_.matters[step] ? " *" : "  ", step + 1, number_width_ - 3);
  }

  void show_step(std::size_t i) {
    check_limits_();
    if (i == run_.actions.size()) {
      text_ += fmt::format("{}    {}\n", number(i), system_.actions[run_.failing_action].label);
      return;
    }
    const Values& to = i + 1 < run_.states.size() ? run_.states[i + 1] : run_.states[*run_.loop];
    const std::string label = name(i);
    const std::string output = names_.output(run_.actions[i], run_.states[i], number_width_ + 6);
    if (options_.full) {
      text_ +=
          fmt::format("{}    {}\n{}{}", number(i), label, output, show_state(system_, to, number_width_ + 6));
      return;
    }
    std::string line = fmt::format("{}    {:<{}}    {}", number(i), label, label_width_,
                                   changes_.changes(run_.actions[i], run_.states[i], to));
    line.erase(line.find_last_not_of(' ') + 1);
    text_ += line + '\n' + output;
  }

  void finish() {
    if (run_.loop)
      text_ += fmt::format("{:{}}  and on from state {} for ever\n", "", number_width_, *run_.loop);
    if (run_.no_value.kind != ModelErrorKind::none)
      text_ += fmt::format("{:{}}  the property has no value here: {}\n", "", number_width_,
                           run_.no_value.message);
    if (!run_.fails()) return;
    std::string error = show_model_error(run_.error, options_.source);
    for (std::size_t at = 0; (at = error.find('\n', at)) != std::string::npos;)
      error.replace(at, 1, "\n" + std::string(number_width_ + 4, ' ')), at += number_width_ + 5;
    text_ += std::string(number_width_ + 4, ' ') + error + "\n";
  }

  const System& system_;
  const Trace& run_;
  const RunExplanation& explanation_;
  const ShowOptions& options_;
  LimitCheck check_limits_;
  StepText names_;    ///< plain: they are padded
  StepText changes_;  ///< marked
  std::size_t number_width_;
  std::size_t label_width_ = 0;
  std::string text_;
};

}  // namespace

std::string show_explained(const System& system, const Trace& run, const RunExplanation& explanation,
                           const ShowOptions& options) {
  return ExplainedText(system, run, explanation, options).text();
}

}  // namespace tideline
