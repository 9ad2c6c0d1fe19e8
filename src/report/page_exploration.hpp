// What was explored, in the data of a report page: figures of a survey, of the engine's own search, and of
// the time it took.
//
// Two passes over the states meet here, and the page says which number is from which: the survey counts
// everything, but may see only the first states; the engine may have seen all of them, and then knows which
// actions are never enabled and how large the levels are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/answer.hpp"
#include "report/json_text.hpp"
#include "report/timeline.hpp"
#include "search/core/survey.hpp"

namespace tideline {

struct PageExploration {
  std::optional<Survey> survey = {};
  std::vector<RunStatus> timeline = {};
  std::vector<LayerReport> layers = {};

  bool empty() const { return !survey && timeline.empty() && layers.empty(); }
};

/// How the figures came about, in a sentence or several. `answer`: of the check; nothing: not known.
std::string exploration_text(const PageExploration& exploration, const Answer* answer);

/// Writes the object `exploration`.
void write_exploration(JsonText& json, const System& system, const PageExploration& exploration,
                       const Answer* answer);

/// Writes the list `timeline`.
void write_timeline(JsonText& json, const std::vector<RunStatus>& points);

/// Writes the object `graph`.
void write_graph(JsonText& json, const StateGraph& graph);

}  // namespace tideline
