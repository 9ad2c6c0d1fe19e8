#include <memory>
#include <optional>
#include <vector>

#include "gpu/engine.hpp"
#include "gpu/product_space.hpp"
#include "gpu/product_system.hpp"
#include "search/lassos/lasso_task.hpp"

namespace tideline::gpu {

namespace {

class GpuOwcty {
 public:
  GpuOwcty(const LassoTask& task, Budget& budget)
      : task_(task),
        budget_(budget),
        product_(task.system, task.process(), regions_of(task.process())),
        space_(product_.system(), task.options.errors, product_.region_measure(),
               Space::Options{.device = task.options.device, .threads = task.options.threads}) {}

  LassoFound run() {
    LassoResult& result = found_.result;
    if (build()) {
      const bool has_cycle = space_.trim(budget_);
      result.end = has_cycle ? SearchEnd::satisfied : SearchEnd::complete;
      result.expansions += space_.taken_away();
      result.rounds = space_.rounds();
      if (has_cycle && task_.options.traces) result.lasso = product_.translated(space_.lasso(budget_));
    }
    return found_;
  }
  /// So far.
  LassoFound& found() {
    LassoResult& result = found_.result;
    result.states = result.expansions = space_.numbers().count;
    result.transitions = space_.numbers().transitions + transitions_here_;
    found_.memory_bytes = space_.bytes_peak();
    return found_;
  }

 private:
  /// False: a limit was reached.
  bool build() {
    std::vector<std::vector<std::byte>> initial;
    space_.machine().initial([&](const std::byte* state) { initial.emplace_back(state, state + size()); });
    space_.insert(initial);
    space_.begin();
    for (;;) {
      space_.expand();
      const Stop stop = space_.numbers().stop;
      space_.take_deadlocked();
      step_given_up();
      const Search& numbers = space_.numbers();
      found();
      if (budget_.exhausted({.states = numbers.count,
                             .transitions = numbers.transitions + transitions_here_,
                             .frontier = numbers.count - numbers.cursor,
                             .depth = numbers.levels}))
        return false;
      if (stop == Stop::complete) return true;
      if ((stop == Stop::table || stop == Stop::log) && !space_.make_room(stop)) {
        budget_.exhaust("the memory of the device is full");
        return false;
      }
    }
  }

  std::size_t size() const { return space_.code().layout().size(); }

  void step_given_up() {
    std::vector<std::vector<std::byte>> successors;
    for (const std::uint64_t number : space_.take_given_up()) {
      const std::vector<std::byte> state = space_.state(number);
      space_.machine().successors(state.data(), [&](const Step& step) {
        ++transitions_here_;
        if (step.error != ModelErrorKind::none) found_.result.model_errors = true;
        if (step.state) successors.emplace_back(step.state, step.state + size());
      });
      space_.note_given_up(number);
    }
    if (!successors.empty()) space_.insert(successors);
  }

  const LassoTask& task_;
  Budget& budget_;
  ProductSystem product_;
  ProductSpace space_;
  LassoFound found_;
  std::uint64_t transitions_here_ = 0;
};

}  // namespace

LassoFound search_gpu_owcty(const LassoTask& task, Budget& budget) {
  std::optional<GpuOwcty> search;
  LassoFound found;
  if (!within_limits(budget, [&] { search.emplace(task, budget); })) return found;
  if (within_limits(budget, [&] { found = search->run(); })) return found;
  return search->found();
}

}  // namespace tideline::gpu
