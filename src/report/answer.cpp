#include "report/answer.hpp"

#include <algorithm>

namespace tideline {

bool as_expected(const PropertyResult& result) {
  return result.verdict == result.property.expected.value_or(Verdict::holds);
}

Judgement judge_verdicts(const std::vector<PropertyResult>& results) {
  const auto any = [&](Verdict verdict) {
    return std::any_of(results.begin(), results.end(), [&](const auto& r) { return r.verdict == verdict; });
  };
  if (any(Verdict::violated)) return Judgement::bad;
  return any(Verdict::unknown) ? Judgement::undecided : Judgement::good;
}

Judgement judge_expectations(const std::vector<PropertyResult>& results) {
  Judgement judgement = Judgement::good;
  for (const PropertyResult& result : results) {
    if (as_expected(result)) continue;
    if (result.verdict != Verdict::unknown) return Judgement::bad;
    judgement = Judgement::undecided;
  }
  return judgement;
}

std::vector<std::optional<Trace>> replay_all(const System& system, ErrorSemantics errors,
                                             const std::vector<PropertyResult>& results) {
  std::vector<std::optional<Trace>> traces;
  traces.reserve(results.size());
  for (const PropertyResult& result : results) {
    if (result.path)
      traces.push_back(replay_proof(system, errors, result.property, result.path(), result.verdict));
    else
      traces.emplace_back();
  }
  return traces;
}

}  // namespace tideline
