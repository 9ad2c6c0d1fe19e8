#include "gpu/engine.hpp"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/device_search.hpp"
#include "gpu/space.hpp"

namespace tideline::gpu {

namespace {

class GpuSearch : public DeviceSearch {
 public:
  explicit GpuSearch(StateSearch& search)
      : DeviceSearch(search),
        space_(std::make_shared<Space>(search.system, search.options.errors, watches_of(search.monitor),
                                       Space::Options{.device = device_settings(search),
                                                      .threads = search.options.threads,
                                                      .keeps_log = search.options.traces,
                                                      .depth = search.options.depth,
                                                      .shows_ends = search.monitor.allows_ends()})) {}

  void run() {
    within_limits(search_.budget, [&] { search(); });
    if (!search_.budget.reason().empty()) end_ = SearchEnd::exhausted;
    report();
  }

 private:
  PathBuilder run_to(std::uint64_t number, const std::byte*) const override {
    return PathBuilder([space = space_, number](Budget& budget) { return space->run_to(number, budget); });
  }

  void search() {
    const auto initial = initial_states(*space_);
    started_ = search_.budget.seconds();
    space_->insert(initial);
    space_->begin();
    look_at_states(*space_);
    while (!search_.monitor.done()) {
      space_->expand();
      const Stop stop = space_->numbers().stop;
      look_at_states(*space_);
      step_given_up();
      if (search_.budget.exhausted(status())) return;
      if (stop == Stop::complete || stop == Stop::cut_off) {
        end_ = stop == Stop::complete ? SearchEnd::complete : SearchEnd::cut_off;
        return;
      }
      if ((stop == Stop::table || stop == Stop::log) && !space_->make_room(stop))
        return end_for_memory("the memory of the device is full");
    }
    end_ = SearchEnd::satisfied;
  }

  void step_given_up() {
    const auto successors =
        DeviceSearch::step_given_up(*space_, [&](std::uint64_t number) { space_->note_given_up(number); });
    if (successors.empty()) return;
    space_->insert(successors);
    look_at_states(*space_);
  }

  RunStatus status() const {
    const Search& numbers = space_->numbers();
    return {.states = numbers.count,
            .transitions = transitions(*space_),
            .frontier = numbers.count - numbers.cursor,
            .depth = numbers.levels - 1};
  }

  void report() {
    const Search& numbers = space_->numbers();
    SearchResult& result = search_.result;
    result.end = end_;
    result.states = numbers.count;
    result.transitions = transitions(*space_);
    result.deadlocks = deadlocks(*space_);
    result.level_sizes = space_->level_sizes();
    // The level that was being filled when the search ended has a size, too.
    if (numbers.count > numbers.level_end) result.level_sizes.push_back(numbers.count - numbers.level_end);
    result.depth = result.level_sizes.empty() ? 0 : result.level_sizes.size() - 1;
    search_.outcome.level_sizes = result.level_sizes;
    search_.set_counts();
    search_.set("levels", std::uint64_t{result.level_sizes.size()});
    search_.set("visited", result.states);
    search_.set("stored_peak", result.states);
    search_.set("table_bytes", space_->table_bytes());
    report_device(*space_, started_);
  }

  std::shared_ptr<Space> space_;  // shared with the runs that are not built yet
  SearchEnd end_ = SearchEnd::exhausted;
  double started_ = 0;
};

}  // namespace

void search_gpu(StateSearch& search) {
  std::optional<GpuSearch> gpu;
  if (within_limits(search.budget, [&] { gpu.emplace(search); })) gpu->run();
}

}  // namespace tideline::gpu
