#include "trace/spin_trail.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <utility>

namespace tideline {

namespace {

/// Steps without a line of their own between two lines, at most.
constexpr std::size_t most_silent_steps = 10'000;

/// The participants that have a line.
std::vector<SpinTrail::Line> lines_of(const Action& action) {
  std::vector<SpinTrail::Line> lines;
  for (const Participant& participant : action.participants)
    if (participant.statement != no_statement)
      lines.push_back({participant.component, participant.statement});
  return lines;
}

bool operator==(const SpinTrail::Line& a, const SpinTrail::Line& b) {
  return a.process == b.process && a.statement == b.statement;
}

/// "3:1:14"; nothing: it is something else.
std::optional<std::array<std::int64_t, 3>> numbers_of(std::string_view line) {
  std::array<std::int64_t, 3> result{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), result[i]);
    if (error != std::errc{}) return std::nullopt;
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    if (i == 2) break;
    if (!line.starts_with(':')) return std::nullopt;
    line.remove_prefix(1);
  }
  return line.empty() ? std::optional(result) : std::nullopt;
}

/// Calls use(line, number) for every line that is not empty, without what ends it.
template <class Use>
void for_each_line(std::string_view text, const Use& use) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    if (!line.empty() && !use(line, number)) return;
  }
}

/// Follows the lines of a trail through the system.
class Follower {
 public:
  Follower(const System& system, const SpinTrail& trail)
      : system_(system), trail_(trail), reference_(system) {
    run_.states.push_back(system.initial);
    for (const Action& action : system.actions)
      for (const SpinTrail::Line& line : lines_of(action)) statements_.insert(line.statement);
  }

  Trace follow() {
    for (std::size_t at = 0; at < trail_.lines.size() && !run_.fails();) {
      if (trail_.loop == at) {
        settle();
        loop_ = run_.states.size() - 1;
      }
      at += take(at);
    }
    if (!run_.fails()) settle();
    // Without what the claim does, the states of the system decide whether the cycle is closed.
    if (loop_ && !run_.fails() && *loop_ + 1 < run_.states.size() &&
        run_.states.back() == run_.states[*loop_]) {
      run_.states.pop_back();
      run_.loop = loop_;
    }
    return std::move(run_);
  }

 private:
  /// Takes the step of the line; returns how many lines that is.
  std::size_t take(std::size_t at) {
    const SpinTrail::Line& wanted = trail_.lines[at];
    // The end of a block is a step of SPIN where it is inside an atomic sequence.
    if (!statements_.contains(wanted.statement)) return 1;
    for (std::size_t silent = 0; silent < most_silent_steps; ++silent) {
      const std::vector<ActionId> enabled = reference_.enabled(run_.states.back());
      for (const ActionId action : enabled) {
        const std::vector<SpinTrail::Line> lines = lines_of(system_.actions[action]);
        if (lines.empty() || !(lines.front() == wanted)) continue;
        if (lines.size() == 2 && (at + 1 >= trail_.lines.size() || !(lines[1] == trail_.lines[at + 1])))
          continue;
        const std::size_t next = at + lines.size();
        if (!fire(action, next >= trail_.lines.size())) continue;
        for (const SpinTrail::Line& line : lines) take_merged(line.process, next);
        return lines.size();
      }
      std::optional<ActionId> between = silent_step(enabled, wanted.process);
      if (!between) between = jump(enabled, wanted.process);
      if (!between || !fire(*between, false)) break;
    }
    throw Error(ErrorKind::input,
                fmt::format("{}: process {} cannot take statement {} as step {}; the trail is one of another "
                            "model, or SPIN counts its statements differently",
                            trail_.name, wanted.process, wanted.statement, at + 1));
  }

  /// Where statements are merged, goes on until the process is before what its next line says.
  void take_merged(std::uint32_t process, std::size_t next) {
    const auto is_next = [&](const SpinTrail::Line& line) {
      return line.process == process && statements_.contains(line.statement);
    };
    const auto line =
        std::find_if(trail_.lines.begin() + static_cast<std::ptrdiff_t>(next), trail_.lines.end(), is_next);
    if (!trail_.merged || line == trail_.lines.end() || run_.fails()) return;
    const SlotId place = system_.components[process].location_slot;
    const auto is_there = [&](const Action& action) {
      return std::ranges::any_of(action.participants, [&](const Participant& p) {
        return p.component == process && p.statement == line->statement &&
               static_cast<std::int32_t>(p.from) == run_.states.back()[place];
      });
    };
    for (std::size_t steps = 0; steps < most_silent_steps; ++steps) {
      if (std::ranges::any_of(system_.actions, is_there)) return;
      const std::optional<ActionId> between = silent_step(reference_.enabled(run_.states.back()), process);
      if (!between || !fire(*between, false)) return;
    }
  }

  /// What has no line: steps inside of a d_step or between statements, and statements that are merged with others.
  std::optional<ActionId> silent_step(const std::vector<ActionId>& enabled, std::uint32_t process) const {
    const auto is_silent = [&](ActionId a) { return lines_of(system_.actions[a]).empty(); };
    if (const auto found = std::ranges::find_if(enabled, is_silent); found != enabled.end()) return *found;
    if (!trail_.merged) return std::nullopt;
    // Who is inside of an atomic sequence has nothing else to do, whoever has the next line.
    const bool inside = system_.transient != no_slot && run_.states.back()[system_.transient] != 0;
    std::optional<ActionId> only;
    for (const ActionId action : enabled) {
      const auto& participants = system_.actions[action].participants;
      if (participants.size() != 1 || (!inside && participants.front().component != process)) continue;
      if (only) return std::nullopt;
      only = action;
    }
    return only;
  }

  /// Inside of an atomic sequence, the end of a loop may be a step here and none of SPIN's: the only thing that the process
  /// can do, and it changes nothing but its place.
  std::optional<ActionId> jump(const std::vector<ActionId>& enabled, std::uint32_t process) const {
    if (system_.transient == no_slot || run_.states.back()[system_.transient] == 0) return std::nullopt;
    if (enabled.size() != 1 || process >= system_.components.size()) return std::nullopt;
    const Action& action = system_.actions[enabled.front()];
    const auto is_place = [&](SlotId slot) {
      return slot == system_.transient || slot == system_.components[process].location_slot;
    };
    const bool jumps = action.participants.size() == 1 && action.participants.front().component == process &&
                       !action.message && std::ranges::all_of(action.writes, is_place);
    return jumps ? std::optional(enabled.front()) : std::nullopt;
  }

  /// Goes on to a state that is seen.
  void settle() {
    for (std::size_t silent = 0; silent < most_silent_steps; ++silent) {
      if (system_.transient == no_slot || run_.states.back()[system_.transient] == 0) return;
      const std::optional<ActionId> next = silent_step(reference_.enabled(run_.states.back()), no_component);
      if (!next || !fire(*next, false)) return;
    }
  }

  /// A step that fails is one only at the end of the trail: before it, another one goes on.
  bool fire(ActionId action, bool may_fail) {
    Reference::Firing firing = reference_.fire(action, run_.states.back());
    if (firing.error.kind == ModelErrorKind::none) {
      run_.actions.push_back(action);
      run_.states.push_back(std::move(firing.state));
      return true;
    }
    if (!may_fail) return false;
    run_.failing_action = action;
    run_.error = std::move(firing.error);
    return true;
  }

  const System& system_;
  const SpinTrail& trail_;
  Reference reference_;
  std::set<std::int32_t> statements_;  ///< that some action takes
  Trace run_;
  std::optional<std::size_t> loop_;
};

}  // namespace

void require_trace_format(const std::string& path, const System& system) {
  if (!path.ends_with(spin_trail_ending)) return;
  const auto has_number = [](const Action& action) { return !lines_of(action).empty(); };
  if (std::ranges::none_of(system.actions, has_number))
    throw Error(ErrorKind::usage,
                fmt::format("{}: only runs of Promela models can be written as trails of SPIN", path));
}

std::string to_spin_trail(const System& system, const Trace& run) {
  std::string text;
  std::size_t depth = 0;
  const auto add = [&](ActionId action) {
    if (action == no_action) return;
    for (const SpinTrail::Line& line : lines_of(system.actions[action]))
      text += fmt::format("{}:{}:{}\n", depth++, line.process, line.statement);
  };
  for (std::size_t i = 0; i < run.actions.size(); ++i) {
    if (run.loop == i) text += "-1:-1:-1\n";
    add(run.actions[i]);
  }
  if (run.fails()) add(run.failing_action);
  return text;
}

std::string to_trace_file(const std::string& path, const System& system, const Trace& run,
                          const TraceHeader& header, Budget* budget) {
  return path.ends_with(spin_trail_ending) ? to_spin_trail(system, run) : to_itf(system, run, header, budget);
}

bool is_spin_trail(const std::string& path, std::string_view text) {
  bool result = path.ends_with(spin_trail_ending);
  for_each_line(text, [&](std::string_view line, std::size_t) {
    result = numbers_of(line).has_value();
    return false;
  });
  return result;
}

SpinTrail read_spin_trail(std::string_view text, const std::string& name) {
  SpinTrail trail{.name = name};
  bool has_claim = false;
  for_each_line(text, [&](std::string_view line, std::size_t number) {
    const auto numbers = numbers_of(line);
    if (!numbers)
      throw Error(ErrorKind::input, fmt::format("{}:{}: expected three numbers of a trail, found '{}'", name,
                                                number, line.substr(0, 40)));
    const auto [depth, process, statement] = *numbers;
    if (depth == -1) trail.loop = trail.lines.size();
    if (depth == -2) has_claim = true;
    if (depth == -4) trail.merged = true;
    if (depth <= -5)
      throw Error(ErrorKind::input,
                  fmt::format("{}: a trail of a search in a changed order cannot be read", name));
    if (depth < 0 || (has_claim && process == 0)) return true;
    trail.lines.push_back(
        {static_cast<std::uint32_t>(process - (has_claim ? 1 : 0)), static_cast<std::int32_t>(statement)});
    return true;
  });
  return trail;
}

Trace follow_spin_trail(const System& system, const SpinTrail& trail) {
  return Follower(system, trail).follow();
}

ItfTrace to_itf_trace(const System& system, const SpinTrail& trail, const std::string& model) {
  return read_itf(to_itf(system, follow_spin_trail(system, trail), {.model = model}), trail.name);
}

std::optional<std::string> model_of_trail(const std::string& file) {
  if (!file.ends_with(spin_trail_ending) || file.size() == spin_trail_ending.size()) return std::nullopt;
  return file.substr(0, file.size() - spin_trail_ending.size());
}

}  // namespace tideline
