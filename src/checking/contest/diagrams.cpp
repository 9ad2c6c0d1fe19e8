#include "checking/contest/diagrams.hpp"

#include <algorithm>

#include "symbolic/ctl/check.hpp"
#include "symbolic/space/facts.hpp"

namespace tideline::contest {

namespace {

/// Lets a forest check a budget as long as this exists.
class Within {
 public:
  Within(symbolic::Forest& forest, Budget& budget) : forest_(forest) { forest_.set_budget(&budget); }
  ~Within() { forest_.set_budget(nullptr); }
  Within(const Within&) = delete;
  Within& operator=(const Within&) = delete;

 private:
  symbolic::Forest& forest_;
};

}  // namespace

bool MarkingDiagrams::explore(Budget& budget) {
  try {
    if (!space_)
      space_.emplace(system_,
                     symbolic::StateSpaceOptions{.threads = threads_, .forest = {.budget = &budget}});
    const Within limits(space_->forest(), budget);
    space_->explore();
    space_->run([&] { exact_ = symbolic::failures(space_->relations(), space_->reachable()).empty(); });
    all_known_ = true;
  } catch (const LimitReached&) {
    // The budget says why.
  }
  return all_known_;
}

void MarkingDiagrams::judge(std::size_t q, const Question& question, Budget& budget) {
  const Within limits(space_->forest(), budget);
  if (question.live.empty() && question.is_of_parts()) return judge_parts(q, question);
  if (!exact_) return;
  if (!question.live.empty()) {
    const bool live = all_live(space_->relations(), space_->reachable(), question.live);
    answers_.say(q, live ? Verdict::holds : Verdict::violated, by_diagrams);
  } else if (question.kind == Question::Kind::bound) {
    std::vector<std::int64_t> weights(system_.slots.size());
    for (const SlotId place : question.places) ++weights[place];
    answers_.say_value(q, std::to_string(greatest(weights)), by_diagrams);
  } else {
    count(q);
  }
}

void MarkingDiagrams::judge_parts(std::size_t q, const Question& question) {
  for (std::size_t p = 0; p < question.parts.size(); ++p) {
    const Property& part = question.parts[p];
    if (!answers_.is_open(q, p)) continue;
    if (part.kind == PropertyKind::ctl) {
      if (!sets_) sets_.emplace(*space_);
      if (const auto formula = read_(q, part))
        answers_.decide(q, p, ctl_verdict(*sets_, *formula, DeadlockPaths::maximal), by_diagrams);
      continue;
    }
    const bool found = symbolic::deciding_states(*space_, part) != symbolic::empty;
    const bool holds = found == (part.kind == PropertyKind::reach);
    if (found || exact_) answers_.decide(q, p, holds ? Verdict::holds : Verdict::violated, by_diagrams);
  }
}

std::int64_t MarkingDiagrams::greatest(const std::vector<std::int64_t>& weights) {
  return greatest_sum(space_->forest(), space_->levels(), space_->reachable(), weights);
}

void MarkingDiagrams::count(std::size_t q) {
  answers_.say_count("STATES", by_diagrams,
                     [&] { return space_->sets().count(space_->reachable()).get_str(); });
  answers_.say_count("MAX_TOKEN_PER_MARKING", by_diagrams, [&] {
    return std::to_string(greatest(std::vector<std::int64_t>(system_.slots.size(), 1)));
  });
  answers_.say_count("MAX_TOKEN_IN_PLACE", by_diagrams, [&] {
    std::int32_t most = 0;
    for (const Range& range : value_ranges(space_->forest(), space_->levels(), space_->reachable()))
      most = std::max(most, range.high);
    return std::to_string(most);
  });
  answers_.say_count("TRANSITIONS", by_diagrams, [&] {
    return count_edges(space_->relations(), space_->reachable()).transitions.get_str();
  });
  answers_.counted(q);
}

}  // namespace tideline::contest
