// The options of tideline check, as they were given.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "checkpoints.hpp"
#include "measure.hpp"
#include "options.hpp"
#include "search/states/safety.hpp"
#include "symbolic/ctl/check.hpp"
#include "symbolic/ltl/check.hpp"

namespace tideline::app {

struct CheckOptions {
  ModelOptions model;
  LimitOptions limits;
  bool deadlock = false, assertions = false, all = false;
  std::vector<std::string> invariants, reaches, formulas, ctl_formulas, automata, names, formula_files;
  std::string engine = "auto", translator = "own";
  std::string values = "mixed", order = "bfs", fairness = "none", deadlock_paths = "stutter";
  std::uint64_t value_count = 1;
  bool shortest = false;
  bool reduce_net = false;
  SafetyOptions safety;
  symbolic::SymbolicOptions symbolic;
  symbolic::LtlOptions symbolic_ltl;
  SweepOptionsGiven sweep;
  CheckpointOptions checkpoint;
  std::vector<std::string> arguments;          ///< what a checkpoint remembers of all this
  std::shared_ptr<Checkpointer> resumed = {};  ///< the run is not new
  std::string trace_file, json_file, junit_file;
  bool no_trace = false, full = false;
  std::set<std::string> given;  ///< the options that were

  /// Whether several engines are to search, see races.hpp; plans are then for the explicit one.
  bool is_race() const { return engine == "auto" || engine == "portfolio"; }
};

}  // namespace tideline::app
