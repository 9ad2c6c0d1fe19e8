#include <memory>
#include <optional>
#include <vector>

#include "gpu/engine.hpp"
#include "gpu/product_system.hpp"
#include "gpu/spread_product.hpp"
#include "search/lassos/bad_prefix.hpp"
#include "search/lassos/lasso_task.hpp"

namespace tideline::gpu {

namespace {

class GpuOwcty {
 public:
  GpuOwcty(const LassoTask& task, Budget& budget)
      : task_(task),
        budget_(budget),
        regions_(regions_of(task.process())),
        product_(task.system, task.process(), regions_),
        parts_(product_.system(), task.options.errors, watches(), product_.acceptance(), regions_.weak,
               Space::Options{.device = task.options.device, .threads = task.options.threads}),
        space_(parts_.space()) {}

  LassoFound run() {
    LassoResult& result = found_.result;
    if (!build()) return found_;
    const bool has_cycle = parts_.trim(budget_);
    result.end = has_cycle ? SearchEnd::satisfied : SearchEnd::complete;
    result.expansions += parts_.expanded();
    result.rounds = parts_.rounds();
    if (has_cycle && task_.options.traces) result.lasso = product_.translated(parts_.lasso(budget_));
    return found_;
  }
  /// So far.
  LassoFound& found() {
    LassoResult& result = found_.result;
    result.states = result.expansions = space_.sum(&Search::count);
    result.transitions = space_.sum(&Search::transitions) + transitions_here_;
    found_.memory_bytes = 0;
    for (const auto& part : space_.parts()) found_.memory_bytes += part->bytes_peak();
    return found_;
  }

 private:
  /// If the automaton is terminal, entering a region is the violation.
  Watches watches() const {
    if (!regions_.terminal) return {};
    return {.states = {{.expr = product_.in_region(), .if_true = 0}}, .deadlocks = {}, .facts = 1};
  }

  /// False: there is no more to be done, as a limit was reached or a violation was found.
  bool build() {
    std::vector<std::vector<std::byte>> initial;
    space_.parts()[0]->machine().initial(
        [&](const std::byte* state) { initial.emplace_back(state, state + size()); });
    space_.insert(initial);
    space_.begin();
    for (;;) {
      const Stop stop = space_.expand();
      step_given_up();
      const LassoResult& result = found().result;
      for (std::size_t part = 0; part < space_.parts().size(); ++part) {
        space_.parts()[part]->take_deadlocked();
        for (const std::uint64_t number : space_.parts()[part]->take_reports())
          if (is_violation({part, number})) return false;
      }
      if (budget_.exhausted({.states = result.states,
                             .transitions = result.transitions,
                             .frontier = space_.waiting(),
                             .depth = space_.levels()}))
        return false;
      if (stop == Stop::complete) return true;
      if (!space_.make_room()) {
        budget_.exhaust("the memory of the device is full");
        return false;
      }
    }
  }

  /// Whether a run that ends in a region goes on for ever. If it does not, other runs may, and all states are needed.
  bool is_violation(const StatePlace& place) {
    Path prefix = product_.translated(space_.run_to(place, budget_));
    return with_product(task_.system, task_.process(), regions_, task_.stepping(), [&](const auto& product) {
      LassoResult whole = continued(product, std::move(prefix), budget_);
      if (!whole.lasso) return false;
      found_.result.end = SearchEnd::satisfied;
      found_.result.early = true;
      found_.result.lasso = std::move(whole.lasso);
      return true;
    });
  }

  std::size_t size() const { return space_.parts()[0]->code().layout().size(); }

  void step_given_up() {
    std::vector<std::vector<std::byte>> successors;
    for (const auto& part : space_.parts())
      for (const std::uint64_t number : part->take_given_up()) {
        const std::vector<std::byte> state = part->state(number);
        // Where it is an error to ask whether an action is enabled, it is one to ask whether none is: that does not count.
        std::uint64_t joint = 0, alone = 0;
        part->machine().successors(state.data(), [&](const Step& step) {
          ++(product_.is_alone(step.action) ? alone : joint);
          if (step.error != ModelErrorKind::none) found_.result.model_errors = true;
          if (step.state) successors.emplace_back(step.state, step.state + size());
        });
        transitions_here_ += joint != 0 ? joint : alone;
        part->note_given_up(number);
      }
    space_.insert(successors);
  }

  const LassoTask& task_;
  Budget& budget_;
  const Regions regions_;
  ProductSystem product_;
  SpreadProduct parts_;
  SpreadSpace& space_;
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
