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
void leave_out(PropertyResult& result, const std::string& reason) {
  result.reason += fmt::format("{}the run is not shown: {}", result.reason.empty() ? "" : "; ", reason);
}
}  // namespace

std::vector<std::optional<Trace>> replay_all(const System& system, ErrorSemantics errors,
                                             std::vector<PropertyResult>& results, Budget& budget) {
  std::vector<std::optional<Trace>> traces(results.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    PropertyResult& result = results[i];
    if (!result.path) continue;
    try {
      traces[i] = replay_proof(system, errors, result.property, result.path(budget), result.verdict, &budget);
    } catch (const LimitReached&) {
      leave_out(result, budget.reason());
    } catch (const std::bad_alloc&) {
      budget.exhaust_memory();
      leave_out(result, budget.reason());
    }
  }
  return traces;
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
      leave_out(answer.outcome.results[i], reason);
    }
}

}  // namespace tideline
