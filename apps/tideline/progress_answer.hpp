// What tideline progress has found out, for people, for programs and as a file of a measure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "progress/projection.hpp"
#include "search/sweep/sweep.hpp"

namespace tideline::app {

/// A measure, what was predicted for it, and what came of it.
struct Candidate {
  MeasureTrial trial;
  std::optional<SweepFigures> measured = {};
  double seconds = 0;
};

struct ProgressAnswer {
  std::string model;
  bool product = false;
  std::vector<Candidate> candidates = {};
  std::vector<LocalMeasure> locals =
      {};  ///< what slots of the model, and groups asked for, can do on their own
  std::uint64_t sample_states = 0, sample_edges = 0;
  bool whole = false;              ///< the sample is the whole graph
  std::string limit_reached = {};  ///< which limit ended it early; empty: none
};

std::string answer_text(const ProgressAnswer& answer, const System& system);
std::string answer_json(const ProgressAnswer& answer, const System& system, int exit_code);
/// What --progress-file reads: the best measure, one term a line.
std::string measure_file(const ProgressAnswer& answer);

}  // namespace tideline::app
