// The options of tideline check, as they were given.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bind/selection.hpp"
#include "checking/settings.hpp"
#include "checkpoints.hpp"
#include "engine_options.hpp"
#include "job.hpp"
#include "options.hpp"
#include "report/outputs.hpp"
#include "run_report.hpp"

namespace tideline::app {

struct CheckOptions {
  ModelOptions model;
  LimitOptions limits;
  RankOptions ranks;
  PropertySelection selection;
  Settings settings;
  MeasureOptions measure;
  CheckpointOptions checkpoint;
  std::vector<std::string> arguments;          ///< what a checkpoint remembers of all this
  std::shared_ptr<Checkpointer> resumed = {};  ///< the run is not new
  OutputRequest outputs;
  std::string certificate;  ///< file; empty: none is wanted
  ReportOptions report;
  bool no_trace = false, no_shorten = false, full = false, explain = false;
  std::set<std::string> given;  ///< the options that were given
};

}  // namespace tideline::app
