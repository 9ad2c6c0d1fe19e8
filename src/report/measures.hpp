// What was found out about the progress measures of a model, for people, for programs and as a file that the
// engine sweep reads; and what a sweep met at each position of its line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "progress/projection.hpp"
#include "search/sweep/sweep.hpp"

namespace tideline {

/// A measure, what was predicted for it, and what came of it.
struct Candidate {
  MeasureTrial trial;
  std::optional<SweepFigures> measured = {};
  double seconds = 0;
};

struct Proposals {
  std::vector<Candidate> candidates = {};  ///< the best one first
  std::uint64_t sample_states = 0, sample_edges = 0;
  bool whole = false;              ///< the sample is the whole graph
  std::string limit_reached = {};  ///< which limit ended it early; empty: none

  /// Whether a sweep with the best one saves enough memory to be worth its visits.
  bool helps() const;
};

struct MeasureAnswer {
  std::string version;
  std::string model;  ///< the path as the user gave it
  bool product = false;
  Proposals proposals = {};
  std::vector<LocalMeasure> locals = {};  ///< what slots, and groups asked for, can do on their own
  int exit_code = 0;
};

std::string measures_text(const MeasureAnswer& answer, const System& system);
/// docs/tideline-progress.schema.json fixes its fields.
std::string measures_json(const MeasureAnswer& answer, const System& system);
/// The best measure as text, one term a line. There must be one.
std::string measure_file(const MeasureAnswer& answer);

/// A line of CSV for every position of the line.
std::string layers_csv(const std::vector<LayerReport>& layers);

}  // namespace tideline
