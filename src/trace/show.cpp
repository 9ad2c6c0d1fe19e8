#include "trace/show.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "trace/step_text.hpp"

namespace tideline {

namespace {

constexpr std::size_t widest_label = 48;  // longer labels are not padded, nor do they pad others

std::string indented(const std::string& text, std::size_t indent) {
  std::string result(indent, ' ');
  for (std::size_t i = 0; i < text.size(); ++i) {
    result += text[i];
    if (text[i] == '\n' && i + 1 < text.size()) result += std::string(indent, ' ');
  }
  return result;
}

/// The text of a run, line by line.
class RunText {
 public:
  RunText(const System& system, const Trace& run, const ShowOptions& options)
      : run_(run),
        options_(options),
        steps_(system, options.palette, options.source),
        number_width_(std::max<std::size_t>(3, std::to_string(run.length()).size() + 1)) {}

  std::string text() {
    LimitCheck check_limits(options_.budget);
    add_initial();
    if (!options_.full) find_label_width(check_limits);
    if (run_.loop == 0) begin_cycle();
    for (std::size_t i = 0; i < run_.actions.size(); ++i) {
      check_limits();
      add_step(i);
      if (run_.loop == i + 1) begin_cycle();
    }
    add_end();
    return std::move(text_);
  }

 private:
  /// A line without a number.
  void add_remark(const std::string& remark) {
    text_ += fmt::format("{:>{}}  {}\n", "", number_width_, remark);
  }

  void add_initial() {
    text_ += fmt::format("{:>{}}  initial state{}\n", 0, number_width_,
                         options_.initial_known ? ", as above" : "");
    if (!options_.initial_known) text_ += steps_.state(run_.states.front(), number_width_ + 4);
  }

  std::string name(std::size_t i) const { return steps_.name(run_.actions[i], run_.states[i]); }

  void find_label_width(LimitCheck& check_limits) {
    for (std::size_t i = 0; i < run_.actions.size(); ++i) {
      check_limits();
      if (const std::size_t width = shown_width(name(i)); width <= widest_label)
        label_width_ = std::max(label_width_, width);
    }
  }

  void begin_cycle() {
    const std::size_t first = *run_.loop + 1, last = run_.actions.size();
    add_remark(options_.palette(
        Ink::cycle, first == last ? fmt::format("the cycle begins here: step {} is repeated for ever", first)
                                  : fmt::format("the cycle begins here: steps {} to {} are repeated for ever",
                                                first, last)));
  }

  void add_step(std::size_t i) {
    const Values& to = i + 1 < run_.states.size() ? run_.states[i + 1] : run_.states[*run_.loop];
    const bool on_cycle = run_.loop && i >= *run_.loop;
    std::string line = fmt::format("{:>{}}{} {}", i + 1, number_width_,
                                   on_cycle ? options_.palette(Ink::cycle, "|") : " ", name(i));
    const std::string output = steps_.output(run_.actions[i], run_.states[i], number_width_ + 4);
    if (options_.full) {
      text_ += line + "\n" + output + steps_.state(to, number_width_ + 4, &run_.states[i]);
      return;
    }
    const std::string changes = steps_.changes(run_.actions[i], run_.states[i], to);
    const std::size_t width = number_width_ + 2 + label_width_, used = shown_width(line);
    if (!changes.empty()) line += std::string(used < width ? width - used : 0, ' ') + "    " + changes;
    text_ += line + "\n" + output;
  }

  void add_end() {
    if (run_.loop)
      add_remark(options_.palette(Ink::cycle, fmt::format("and on from state {} for ever", *run_.loop)));
    if (run_.no_value.kind != ModelErrorKind::none)
      add_remark("the property has no value here: " + run_.no_value.message);
    if (!run_.fails()) return;
    text_ += fmt::format("{:>{}}  {}\n", run_.length(), number_width_,
                         steps_.name(run_.failing_action, run_.states.back()));
    text_ += indented(show_model_error(run_.error, options_.source), number_width_ + 2) + "\n";
  }

  const Trace& run_;
  const ShowOptions& options_;
  StepText steps_;
  std::size_t number_width_;
  std::size_t label_width_ = 0;
  std::string text_;
};

}  // namespace

std::string show_state(const System& system, const Values& state, std::size_t indent,
                       const Palette& palette) {
  return StepText(system, palette).state(state, indent);
}

std::string show_changes(const System& system, ActionId action, const Values& from, const Values& to,
                         const Palette& palette) {
  return StepText(system, palette).changes(action, from, to);
}

std::string show_model_error(const ModelError& error, const SourceText* source) {
  if (source == nullptr || error.where.line == 0) return "model error: " + error.message;
  return to_string(error_at(*source, error.where, error.message));
}

std::string show_run(const System& system, const Trace& run, const ShowOptions& options) {
  return RunText(system, run, options).text();
}

}  // namespace tideline
