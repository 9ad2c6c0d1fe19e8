// The options of tideline check, as they were given.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "checking/settings.hpp"
#include "checkpoints.hpp"
#include "engine_options.hpp"
#include "options.hpp"

namespace tideline::app {

struct CheckOptions {
  ModelOptions model;
  LimitOptions limits;
  bool deadlock = false, assertions = false, all = false;
  std::vector<std::string> invariants, reaches, formulas, ctl_formulas, automata, names, formula_files;
  Settings settings;
  MeasureOptions measure;
  CheckpointOptions checkpoint;
  std::vector<std::string> arguments;          ///< what a checkpoint remembers of all this
  std::shared_ptr<Checkpointer> resumed = {};  ///< the run is not new
  std::string trace_file, json_file, junit_file;
  bool no_trace = false, full = false;
  std::set<std::string> given;  ///< the options that were
};

}  // namespace tideline::app
