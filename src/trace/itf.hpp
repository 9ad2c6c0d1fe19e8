// Runs as files: the Informal Trace Format (ITF), JSON that other tools read too.
//
// A file has the names of the variables, the states with a value for each of them, and what we add under
// "#meta": the action that led into each state, the property, the model, and the action that failed when a
// model error ends the run. docs/trace-format.md describes it field by field.
//
// A variable is named as in the model's messages ("turn", "P_0.place"); an array is a list; the location of
// a process is a variable with the process's name and a string as its value.
//
// Reading is in two steps. read_itf() looks at the shape alone and needs no model; check_against() binds the
// names to a System and takes the run again, step by step. A file that is not a trace of this model at all
// throws Error(input); one with steps that the model cannot take is a finding.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "run/fairness.hpp"
#include "trace/replay.hpp"

namespace tideline {

/// What a trace file says about itself. Fields may be empty.
struct TraceHeader {
  std::string model = {};                 ///< path of the model
  std::vector<std::string> defines = {};  ///< values of its constants that were given, "N=4"
  std::string property = {};              ///< its name
  std::string kind = {};                  ///< to_string(PropertyKind), or "simulation"
  std::string formula = {};
  std::string verdict = {};
  ErrorSemantics errors = ErrorSemantics::stop;
  Fairness fairness = Fairness::none;
  std::vector<std::string> fair_actions = {};  ///< fair to these actions, not to processes
  DeadlockPaths deadlock_paths = DeadlockPaths::stutter;
  std::string tool_version = {};
};

struct ItfTrace {
  using Value = std::variant<std::int64_t, std::string, std::vector<std::int64_t>>;
  struct Step {
    std::optional<std::string> action;  ///< the label; absent in files of other tools
    std::optional<ActionId> action_id;
    bool empty() const { return !action && !action_id; }
  };
  struct State {
    Step reached_by;  ///< empty in the first state
    std::map<std::string, Value> values;
  };
  struct Failure {
    Step step;
    std::string message;
  };

  std::string name;  ///< of the file, for messages
  TraceHeader header;
  std::vector<std::string> variables;
  std::vector<State> states;
  std::optional<std::size_t> loop;
  Step closes_loop;
  std::optional<Failure> failure;
};

/// The name of a variable in ITF: its slot's name without an index.
std::string itf_name(const System& system, const Variable& variable);

/// The run as the JSON answer has it: "length", "vars" and "states" as in a trace file, and where they apply
/// "loop" and "failure". Throws LimitReached.
std::string trace_text(const System& system, const Trace& run, Budget* budget = nullptr);

/// What that has besides the variables and the states, as members of an object without its braces.
std::string trace_facts(const System& system, const Trace& run);

/// The run as the text of a trace file: one state per line. Throws LimitReached.
std::string to_itf(const System& system, const Trace& run, const TraceHeader& header,
                   Budget* budget = nullptr);

/// Reads the text of a trace file; `name` is what messages call it. Throws Error(input).
ItfTrace read_itf(std::string_view text, const std::string& name);

/// How far a trace follows a model.
struct ItfCheck {
  Trace run;                                ///< the steps that replay
  std::size_t failed_step = 0;              ///< 0: the initial state
  std::optional<std::string> failure = {};  ///< why the trace cannot continue; absent: all of it replays
};

/// Takes the run again. Throws Error(input) when names, types or sizes are not those of this system.
ItfCheck check_against(const System& system, const ItfTrace& trace);

}  // namespace tideline
