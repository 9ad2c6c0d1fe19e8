// The report page: everything that is known about a check in one HTML file that needs nothing else.
//
// The page itself (web/) is bundled when the program is built, and has a place for the data: one JSON object,
// which docs/report-format.md explains and docs/tideline-report.schema.json fixes.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/lang.hpp"
#include "report/answer.hpp"
#include "report/page_exploration.hpp"
#include "report/page_runs.hpp"

namespace tideline {

/// Of a run that is watched while it goes on.
struct PageLive {
  RunStatus status = {};
  bool ended = false;
};

/// What a page shows.
struct PageData {
  std::string created = {};               ///< ISO 8601
  std::vector<std::string> command = {};  ///< what was typed
  std::string answer = {};                ///< JSON, see add_answer()
  std::vector<std::string> notes = {};    ///< sentences
  const System* system = nullptr;         ///< of the model; nothing: it is not known
  std::string model = {};                 ///< JSON, see page_model(); empty: left out, and the runs with it
  std::vector<PageRun> runs = {};
  PageExploration exploration = {};
  const Answer* of = nullptr;  ///< what was answered in this run; nothing: in another
  std::optional<PageLive> live = {};
};

/// Where there is no answer: one without properties and figures.
std::string empty_page_answer(const std::string& command, const std::string& version,
                              const std::string& model);

/// Adds the runs of an answer to those of the page, if that has the model, and the answer: as `--json` writes it, but each run has its
/// index among those of the page, and no states.
void add_answer(PageData& data, const Answer& answer, const System& system);

/// The JSON object. Throws LimitReached.
std::string page_json(const PageData& data, Budget* budget = nullptr);

/// The name of the element's content that the data replaces.
inline constexpr std::string_view page_data_mark = "@TIDELINE_DATA@";

/// The page with this data. `live`: from where the page fetches newer data; empty: from nowhere. Throws
/// Error(internal) when the page has no place for it.
std::string page_html(std::string_view page, std::string_view json, std::string_view live = {});

}  // namespace tideline
