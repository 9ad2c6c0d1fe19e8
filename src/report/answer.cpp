#include "report/answer.hpp"

#include <fmt/format.h>

#include <new>
#include <utility>

namespace tideline {

bool as_expected(const PropertyResult& result) {
  return result.verdict == result.property.expected.value_or(Verdict::holds);
}

Judgement judge(const std::vector<PropertyResult>& results) {
  Judgement judgement = Judgement::good;
  for (const PropertyResult& result : results) {
    if (as_expected(result)) continue;
    if (result.verdict != Verdict::unknown) return Judgement::bad;
    judgement = Judgement::undecided;
  }
  return judgement;
}

namespace {

void add_reason(PropertyResult& result, const std::string& reason) {
  result.reason += (result.reason.empty() ? "" : "; ") + reason;
}

void leave_out(PropertyResult& result, const std::string& reason) {
  add_reason(result, "the run is not shown: " + reason);
}

}  // namespace

std::vector<const Trace*> Answer::runs_of(std::size_t result) const {
  std::vector<const Trace*> runs;
  if (traces[result]) runs.push_back(&*traces[result]);
  if (result < more_traces.size())
    for (const Trace& run : more_traces[result]) runs.push_back(&run);
  return runs;
}

const RunExplanation* Answer::explanation_of(std::size_t result, std::size_t run) const {
  return result < explanations.size() && run < explanations[result].size() ? &explanations[result][run]
                                                                           : nullptr;
}

std::vector<std::optional<Trace>> replay_all(const System& system, ErrorSemantics errors,
                                             std::vector<PropertyResult>& results, Budget& budget) {
  std::vector<std::optional<Trace>> traces(results.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    PropertyResult& result = results[i];
    if (!result.path) continue;
    try {
      traces[i] = replay_proof(system, errors, result.property, result.path(budget), result.verdict, &budget);
    } catch (const LimitReached& limit) {  // of this process, or of another rank
      leave_out(result, limit.what());
    } catch (const std::bad_alloc&) {
      budget.exhaust_memory();
      leave_out(result, budget.reason());
    }
  }
  return traces;
}

std::vector<std::vector<Trace>> replay_more(const System& system, ErrorSemantics errors,
                                            std::vector<PropertyResult>& results, Budget& budget) {
  std::vector<std::vector<Trace>> traces(results.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    PropertyResult& result = results[i];
    const auto replay_one = [&](const PathBuilder& path) {
      traces[i].push_back(
          replay_proof(system, errors, result.property, path(budget), result.verdict, &budget));
    };
    for (const PathBuilder& path : result.more_paths) {
      if (!path || within_limits(budget, [&] { replay_one(path); })) continue;
      leave_out(result, budget.reason());
      break;
    }
  }
  return traces;
}

void explain_runs(const System& system, ErrorSemantics errors, Answer& answer, Budget& budget) {
  answer.explanations.resize(answer.traces.size());
  for (std::size_t i = 0; i < answer.traces.size(); ++i) {
    PropertyResult& result = answer.outcome.results[i];
    std::vector<Trace*> runs;
    if (answer.traces[i]) runs.push_back(&*answer.traces[i]);
    if (i < answer.more_traces.size())
      for (Trace& run : answer.more_traces[i]) runs.push_back(&run);
    if (runs.empty()) continue;
    if (const std::string why = why_not_explained(result.property); !why.empty()) {
      add_reason(result, why);
      continue;
    }
    const bool explained = within_limits(budget, [&] {
      for (Trace* run : runs) {
        ExplainedRun explained_run = explain_run(system, errors, result.property, result.verdict, *run,
                                                 {.same_end = runs.size() > 1, .budget = &budget});
        const std::size_t found = run->length_before.value_or(run->length());
        *run = std::move(explained_run.run);
        if (run->length() < found) run->length_before = found;
        answer.explanations[i].push_back(std::move(explained_run.explanation));
      }
    });
    if (explained) continue;
    add_reason(result, "the run is not explained: " + budget.reason());
    break;
  }
}

void add_model_warnings(const System& system, Outcome& outcome) {
  std::vector<std::string> all;
  for (const Diagnostic& d : system.warnings)
    all.push_back(d.where.line == 0
                      ? d.message
                      : fmt::format("{}:{}:{}: {}", d.file, d.where.line, d.where.column, d.message));
  all.insert(all.end(), outcome.warnings.begin(), outcome.warnings.end());
  outcome.warnings = std::move(all);
}

void drop_runs(Answer& answer, const std::string& reason) {
  for (std::size_t i = 0; i < answer.traces.size(); ++i)
    if (answer.traces[i]) {
      answer.traces[i].reset();
      if (i < answer.more_traces.size()) answer.more_traces[i].clear();
      leave_out(answer.outcome.results[i], reason);
    }
}

}  // namespace tideline
