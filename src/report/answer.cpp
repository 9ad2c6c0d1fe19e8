#include "report/answer.hpp"

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
