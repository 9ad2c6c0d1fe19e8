// What tideline progress has found out, for people, for programs and as a file of a measure.
#pragma once

#include <string>
#include <vector>

#include "checking/proposals.hpp"
#include "progress/projection.hpp"

namespace tideline::app {

struct ProgressAnswer {
  std::string model;
  bool product = false;
  Proposals proposals = {};
  std::vector<LocalMeasure> locals = {};  ///< what slots, and groups asked for, can do on their own
};

std::string answer_text(const ProgressAnswer& answer, const System& system);
std::string answer_json(const ProgressAnswer& answer, const System& system, int exit_code);
/// What --progress-file reads: the best measure, one term a line.
std::string measure_file(const ProgressAnswer& answer);

}  // namespace tideline::app
