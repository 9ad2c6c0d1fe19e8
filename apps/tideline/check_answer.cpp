#include "check_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "bind/bind.hpp"
#include "output.hpp"
#include "report/json.hpp"
#include "report/junit.hpp"
#include "report/text.hpp"
#include "trace/itf.hpp"

namespace tideline::app {

namespace {

/// FILE for a single run, else FILE-NAME with FILE's extension, each name once.
std::vector<std::string> trace_files(const std::string& file, const Answer& answer) {
  const auto runs =
      std::count_if(answer.traces.begin(), answer.traces.end(), [](const auto& t) { return t.has_value(); });
  const auto slash = file.rfind('/');
  const auto name_start = slash == std::string::npos ? 0 : slash + 1;
  // ".itf.json" is one extension; a dot at the start of the name begins none.
  const auto dot = std::min(file.find('.', name_start + 1), file.size());
  std::set<std::string> taken;
  std::vector<std::string> files;
  for (std::size_t i = 0; i < answer.traces.size(); ++i) {
    std::string name = file;
    if (runs > 1 && answer.traces[i]) {
      std::string property = answer.outcome.results[i].property.name;
      for (char& c : property)
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_' && c != '-') c = '_';
      for (std::size_t n = 0; n == 0 || taken.contains(name); ++n)
        name = fmt::format("{}-{}{}", file.substr(0, dot), numbered(property, n), file.substr(dot));
      taken.insert(name);
    }
    files.push_back(name);
  }
  return files;
}

/// A file, or - for standard output, and what goes there.
struct Output {
  std::string file;
  std::string text;
};

void render_traces(const CheckOptions& options, const Model& model, const Answer& answer, Budget* budget,
                   std::vector<Output>& outputs) {
  const auto files = trace_files(options.trace_file, answer);
  for (std::size_t i = 0; i < answer.traces.size(); ++i) {
    if (!answer.traces[i]) continue;
    const PropertyResult& result = answer.outcome.results[i];
    outputs.push_back({files[i], to_itf(model.system, *answer.traces[i],
                                        {.model = options.model.path,
                                         .property = result.property.name,
                                         .kind = std::string(to_string(result.property.kind)),
                                         .formula = result.property.formula,
                                         .verdict = std::string(to_string(result.verdict)),
                                         .errors = options.model.semantics(),
                                         .fairness = result.property.fairness,
                                         .deadlock_paths = result.property.deadlock_paths,
                                         .tool_version = TIDELINE_VERSION},
                                        budget)});
  }
}

void say_where_traces_are(const CheckOptions& options, const Answer& answer) {
  const auto files = trace_files(options.trace_file, answer);
  bool written = false;
  for (std::size_t i = 0; i < answer.traces.size(); ++i)
    if (answer.traces[i]) {
      written = true;
      complain(
          fmt::format("note: the run of '{}' is in {}", answer.outcome.results[i].property.name, files[i]));
    }
  if (!written) complain("note: there is no run to write to " + options.trace_file);
}

std::vector<Output> render(const CheckOptions& options, const Model& model, const Answer& answer,
                           bool text_on_stdout, Budget* budget) {
  std::vector<Output> outputs;
  if (text_on_stdout)
    outputs.push_back({"-", check_text(answer, model.system,
                                       {.quiet = options.limits.quiet,
                                        .full = options.full,
                                        .budget = budget,
                                        .source = &model.source})});
  if (!options.json_file.empty())
    outputs.push_back({options.json_file, answer_json(answer, model.system, budget)});
  if (!options.junit_file.empty())
    outputs.push_back({options.junit_file, answer_junit(answer, model.system, &model.source, budget)});
  if (!options.trace_file.empty()) render_traces(options, model, answer, budget, outputs);
  return outputs;
}

}  // namespace

ExitCode exit_code_for(const Outcome& outcome) {
  switch (judge(outcome.results)) {
    case Judgement::good:
      return exit_holds;
    case Judgement::bad:
      return exit_violated;
    case Judgement::undecided:
      return exit_unknown;
  }
  return exit_internal;
}

void write_answer(const CheckOptions& options, const Model& model, Answer& answer, bool text_on_stdout,
                  Budget& budget) {
  std::vector<Output> outputs;
  if (!within_limits(budget, [&] { outputs = render(options, model, answer, text_on_stdout, &budget); })) {
    outputs.clear();
    drop_runs(answer, budget.reason());
    outputs = render(options, model, answer, text_on_stdout, nullptr);
  }
  for (const Output& output : outputs) write_output(output.file, output.text);
  if (!options.trace_file.empty() && !options.limits.quiet) say_where_traces_are(options, answer);
}

}  // namespace tideline::app
