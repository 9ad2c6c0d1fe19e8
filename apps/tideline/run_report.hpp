// The report of a run: collects what a page shows while the run goes on, shows it on the way if asked to, and
// writes the page at the end.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "checking/settings.hpp"
#include "lang/lang.hpp"
#include "live_server.hpp"
#include "report/answer.hpp"
#include "report/page.hpp"
#include "report/timeline.hpp"
#include "run/budget.hpp"

namespace tideline::app {

/// --report, --report-states, --progress-port
struct ReportOptions {
  std::string file;
  std::optional<std::uint64_t> states;  ///< how many the page's own pass counts; nothing: what takes a moment

  std::optional<std::uint16_t> port;  ///< where a browser can watch the run; 0: anywhere

  void add_to(CLI::App& command);
};

/// --report-states
void add_survey_option(CLI::App& command, std::optional<std::uint64_t>& states);

/// How much a survey for a page counts; nothing: what takes a moment.
SurveyLimits survey_limits(std::optional<std::uint64_t> states);

/// What was typed, from the words of arguments_of(): {"tideline", "check", MODEL, "--time", "1h"}.
std::vector<std::string> typed_command(const std::string& name, const std::vector<std::string>& arguments);

/// The time now as ISO 8601.
std::string iso_time();

class RunReport {
 public:
  /// Throws Error(usage) when a page is wanted and there is none.
  RunReport(const ReportOptions& options, const std::string& command,
            const std::vector<std::string>& arguments);

  /// Writes a note where the run can be watched, unless it is not to be.
  void begin(const std::string& model);

  /// Has budgets with these limits, and searches with these settings, report here; it must outlive them.
  void watch(Budget::Limits& limits);
  void watch(Settings& settings);
  /// The model has been read; it must outlive the report.
  void show(const Model& model);

  /// Counts what is to be counted, and writes the page, and a note where it is unless `quiet`. `budget`: of
  /// the run.
  void write(const Answer& answer, const Model& model, ErrorSemantics errors, const Budget& budget,
             bool quiet);

 private:
  std::optional<Survey> count(const System& system, ErrorSemantics errors, bool limit_reached,
                              Budget& budget) const;

  ReportOptions options_;
  bool file_wanted() const { return !options_.file.empty(); }
  bool wanted() const { return file_wanted() || options_.port; }
  std::string live_json() const;
  std::string final_json(const Answer& answer, const Model& model, ErrorSemantics errors,
                         const Budget& budget);

  std::string command_name_;
  std::vector<std::string> command_;
  Timeline timeline_;
  mutable std::mutex mutex_;          ///< of what follows, which the server's thread reads
  std::string model_path_, model_;    ///< what is known of the model
  std::string final_;                 ///< the data at the end; empty: the run goes on
  std::optional<LiveServer> server_;  ///< last: its thread must end first
};

}  // namespace tideline::app
