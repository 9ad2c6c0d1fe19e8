// The reachable markings of a net as a decision diagram, and what they say about the questions of an
// examination. What is computed is kept, so that a search that a limit ended goes on from there.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "checking/contest/answers.hpp"
#include "symbolic/ctl/values.hpp"
#include "symbolic/space/state_space.hpp"

namespace tideline::contest {

class MarkingDiagrams {
 public:
  /// A CTL formula in the form that engines evaluate; nothing: it has none.
  using ReadCtl = std::function<std::shared_ptr<const CtlFormula>(std::size_t q, const Property&)>;

  MarkingDiagrams(const System& system, unsigned threads, Answers& answers, ReadCtl read)
      : system_(system), threads_(threads), answers_(answers), read_(std::move(read)) {}

  bool all_known() const { return all_known_; }
  /// Computes the markings; false: the budget ended that. Throws std::bad_alloc.
  bool explore(Budget& budget);

  /// Runs something on a stack that is deep enough for judge(). All markings are known.
  void run(const std::function<void()>& work) const { space_->run(work); }
  /// Answers a question, which is number q, as far as the budget allows. Throws LimitReached.
  void judge(std::size_t q, const Question& question, Budget& budget);

 private:
  void judge_parts(std::size_t q, const Question& question);
  void count(std::size_t q);
  std::int64_t greatest(const std::vector<std::int64_t>& weights);

  const System& system_;
  unsigned threads_;
  Answers& answers_;
  ReadCtl read_;
  std::optional<symbolic::StateSpace> space_;
  std::optional<symbolic::CtlSets> sets_;
  bool all_known_ = false;
  bool exact_ = false;  ///< no model error was met
};

}  // namespace tideline::contest
