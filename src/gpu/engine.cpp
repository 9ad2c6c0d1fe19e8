#include "gpu/engine.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/device_search.hpp"
#include "gpu/spread_space.hpp"

namespace tideline::gpu {

namespace {

class GpuSearch : public DeviceSearch {
 public:
  explicit GpuSearch(StateSearch& search)
      : DeviceSearch(search),
        space_(std::make_shared<SpreadSpace>(Space::Options{.device = device_settings(search),
                                                            .threads = search.options.threads,
                                                            .keeps_log = search.options.traces,
                                                            .depth = search.options.depth,
                                                            .shows_ends = search.monitor.allows_ends()},
                                             [&](const Space::Options& own) {
                                               return std::make_unique<Space>(
                                                   search.system, search.options.errors,
                                                   watches_of(search.monitor), own);
                                             })) {}

  void run() {
    within_limits(search_.budget, [&] { search(); });
    if (!search_.budget.reason().empty()) end_ = SearchEnd::exhausted;
    report();
  }

 private:
  PathBuilder run_to(std::uint64_t number, const std::byte*) const override {
    return PathBuilder([space = space_, part = part_, number](Budget& budget) {
      return space->run_to({part, number}, budget);
    });
  }

  void search() {
    const auto initial = initial_states(*space_->parts()[0]);
    started_ = search_.budget.seconds();
    space_->insert(initial);
    space_->begin();
    look_at_all();
    while (!search_.monitor.done()) {
      const Stop stop = space_->expand();
      look_at_all();
      step_given_up();
      if (search_.budget.exhausted(status())) return;
      if (stop == Stop::complete || stop == Stop::cut_off) {
        end_ = stop == Stop::complete ? SearchEnd::complete : SearchEnd::cut_off;
        return;
      }
      if (!space_->make_room()) return end_for_memory("the memory of the device is full");
    }
    end_ = SearchEnd::satisfied;
  }

  void look_at_all() {
    for (part_ = 0; part_ < space_->parts().size(); ++part_) look_at_states(*space_->parts()[part_]);
  }

  void step_given_up() {
    std::vector<std::vector<std::byte>> successors;
    for (part_ = 0; part_ < space_->parts().size(); ++part_) {
      Space& space = *space_->parts()[part_];
      std::ranges::move(
          DeviceSearch::step_given_up(space, [&](std::uint64_t number) { space.note_given_up(number); }),
          std::back_inserter(successors));
    }
    if (successors.empty()) return;
    space_->insert(successors);
    look_at_all();
  }

  RunStatus status() const {
    return {.states = space_->sum(&Search::count),
            .transitions = transitions(space_->sum(&Search::transitions)),
            .frontier = space_->waiting(),
            .depth = space_->levels() - 1};
  }

  void report() {
    SearchResult& result = search_.result;
    result.end = end_;
    result.states = space_->sum(&Search::count);
    result.transitions = transitions(space_->sum(&Search::transitions));
    result.deadlocks = deadlocks(space_->sum(&Search::deadlocks));
    result.level_sizes = space_->level_sizes();
    result.depth = result.level_sizes.empty() ? 0 : result.level_sizes.size() - 1;
    search_.outcome.level_sizes = result.level_sizes;
    search_.set_counts();
    search_.set("levels", std::uint64_t{result.level_sizes.size()});
    search_.set("visited", result.states);
    search_.set("stored_peak", result.states);
    std::uint64_t table_bytes = 0;
    for (const auto& part : space_->parts()) table_bytes += part->table_bytes();
    search_.set("table_bytes", table_bytes);
    report_device(pointers_to(space_->parts()), started_);
  }

  std::shared_ptr<SpreadSpace> space_;  // shared with the runs that are not built yet
  std::size_t part_ = 0;                ///< that is looked at
  SearchEnd end_ = SearchEnd::exhausted;
  double started_ = 0;
};

}  // namespace

void search_gpu(StateSearch& search) {
  std::optional<GpuSearch> gpu;
  if (within_limits(search.budget, [&] { gpu.emplace(search); })) gpu->run();
}

}  // namespace tideline::gpu
