#include "report/outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "report/json.hpp"
#include "report/junit.hpp"
#include "report/text.hpp"
#include "trace/spin_trail.hpp"

namespace tideline {

namespace {

std::string in_file_name(std::string name) {
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_' && c != '-') c = '_';
  return name;
}

TraceHeader header_of(const PropertyResult& result, const Answer& answer, ErrorSemantics errors) {
  const Property& property = result.property;
  return {.model = answer.model,
          .defines = answer.defines,
          .property = property.name,
          .kind = std::string(to_string(property.kind)),
          .formula = property.formula,
          .verdict = std::string(to_string(result.verdict)),
          .errors = errors,
          .fairness = property.fairness,
          .fair_actions = property.fair_actions,
          .deadlock_paths = property.deadlock_paths,
          .tool_version = answer.version};
}

/// No budget: no limits.
std::vector<Output> render(const OutputRequest& request, const RenderOptions& options, const Model& model,
                           const Answer& answer, Budget* budget) {
  std::vector<Output> outputs;
  if (options.text)
    outputs.push_back({"-", check_text(answer, model.system,
                                       {.quiet = options.quiet,
                                        .full = options.full,
                                        .budget = budget,
                                        .source = &model.source,
                                        .palette = options.palette})});
  if (!request.json_file.empty())
    outputs.push_back({request.json_file, answer_json(answer, model.system, &model.source, budget)});
  if (!request.junit_file.empty())
    outputs.push_back({request.junit_file, answer_junit(answer, model.system, &model.source, budget)});
  if (request.trace_file.empty()) return outputs;
  const auto files = trace_files(request.trace_file, answer);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::vector<const Trace*> runs = answer.runs_of(i);
    const TraceHeader header = header_of(answer.outcome.results[i], answer, options.errors);
    for (std::size_t r = 0; r < runs.size(); ++r)
      outputs.push_back({files[i][r], to_trace_file(files[i][r], model.system, *runs[r], header, budget)});
  }
  return outputs;
}

}  // namespace

std::vector<std::vector<std::string>> trace_files(const std::string& file, const Answer& answer) {
  std::size_t runs = 0;
  for (std::size_t i = 0; i < answer.traces.size(); ++i) runs += answer.runs_of(i).size();
  const auto slash = file.rfind('/');
  const auto name_start = slash == std::string::npos ? 0 : slash + 1;
  // ".itf.json" is one extension; a dot at the start of the name does not begin one.
  const auto dot = std::min(file.find('.', name_start + 1), file.size());
  std::set<std::string> taken;
  std::vector<std::vector<std::string>> files(answer.traces.size());
  for (std::size_t i = 0; i < files.size(); ++i)
    for (std::size_t r = 0; r < answer.runs_of(i).size(); ++r) {
      std::string name = file;
      const std::string property = in_file_name(answer.outcome.results[i].property.name);
      for (std::size_t n = 0; runs > 1 && (n == 0 || taken.contains(name)); ++n)
        name = fmt::format("{}-{}{}", file.substr(0, dot), numbered(property, n), file.substr(dot));
      taken.insert(name);
      files[i].push_back(std::move(name));
    }
  return files;
}

std::vector<Output> render_outputs(const OutputRequest& request, const RenderOptions& options,
                                   const Model& model, Answer& answer, Budget& budget) {
  std::vector<Output> outputs;
  if (within_limits(budget, [&] { outputs = render(request, options, model, answer, &budget); }))
    return outputs;
  outputs.clear();
  drop_runs(answer, budget.reason());
  return render(request, options, model, answer, nullptr);
}

}  // namespace tideline
