#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/device_search.hpp"
#include "gpu/engine.hpp"
#include "gpu/spread_sweep.hpp"

namespace tideline::gpu {

namespace {

/// The rest is for what the search needs besides: the driver of a card takes some, and states on their way.
std::uint64_t host_bytes(const StateSearch& search) {
  if (search.options.device.host_bytes) return *search.options.device.host_bytes;
  const auto limit = search.budget.memory_limit();
  if (!limit) return available_bytes().value_or(0) / 2;
  return (*limit - std::min(*limit, resident_bytes())) / 4;
}

class GpuSweep : public DeviceSearch {
 public:
  explicit GpuSweep(StateSearch& search)
      : DeviceSearch(search),
        space_(std::make_shared<SpreadSweep>(
            search.system, search.options.errors, watches_of(search.monitor), search.options.sweep.measure,
            SweptSpace::Options{.device = device_settings(search),
                                .threads = search.options.threads,
                                .traces = search.options.traces,
                                .shows_ends = search.monitor.allows_ends(),
                                .folder = search.options.sweep.log_folder(),
                                .host_bytes = host_bytes(search),
                                .columns = search.options.sweep.columns},
            [this](unsigned part) { look_at_states(*space_->parts()[part]); })) {}

  void run() {
    within_limits(search_.budget, [&] { search(); });
    if (!search_.budget.reason().empty()) end_ = SearchEnd::exhausted;
    // Runs start from what was expanded.
    if (search_.monitor.has_findings()) within_limits(search_.budget, [&] { space_->leave_band(); });
    report();
  }

 private:
  PathBuilder run_to(std::uint64_t, const std::byte* state) const override {
    const std::size_t size = space_->parts()[0]->code().layout().size();
    return PathBuilder([space = space_, rounds = space_->rounds(), found = std::vector(state, state + size)](
                           Budget& budget) { return space->run_to(found, rounds, budget); });
  }

  void search() {
    const auto initial = initial_states(*space_->parts()[0]);
    started_ = search_.budget.seconds();
    space_->insert(initial);
    do {
      if (!search_band()) return;
    } while (space_->next_band(search_.budget));
    end_ = SearchEnd::complete;
  }

  /// False: the search is over.
  bool search_band() {
    const std::uint64_t before = space_->expanded();
    for (Stop stop = Stop::none; stop != Stop::complete;) {
      if (search_.monitor.done()) {
        end_ = SearchEnd::satisfied;
        return false;
      }
      stop = space_->expand();
      std::vector<std::vector<std::byte>> successors;
      for (const auto& part : space_->parts()) {
        look_at_states(*part);
        std::ranges::move(step_given_up(*part, [&](std::uint64_t number) { part->note_given_up(number); }),
                          std::back_inserter(successors));
      }
      if (!successors.empty()) space_->insert(successors);
      if ((broken_claim_ = space_->broken_claim())) return false;
      if (search_.budget.exhausted(status())) return false;
      space_->make_room();
    }
    space_->leave_band();
    if (search_.options.sweep.on_layer)
      search_.options.sweep.on_layer({space_->sweeps(), space_->layer(), space_->expanded() - before,
                                      space_->sum(&SweptSpace::stored),
                                      space_->sum(&SweptSpace::fallen_back)});
    return true;
  }

  RunStatus status() const {
    return {.states = space_->expanded(),
            .transitions = transitions(space_->sum_of(&Search::transitions)),
            .frontier = space_->sum(&SweptSpace::stored),
            .depth = space_->bands(),
            .sweep = space_->sweeps()};
  }

  void report() {
    SearchResult& result = search_.result;
    result.end = end_;
    result.states = space_->expanded();
    result.transitions = transitions(space_->sum_of(&Search::transitions));
    result.deadlocks = deadlocks(space_->sum_of(&Search::deadlocks));
    const SweepFigures figures{.each_once = true,
                               .sweeps = space_->sweeps(),
                               .layers = space_->bands() + (end_ == SearchEnd::complete ? 0 : 1),
                               .expansions = space_->expanded(),
                               .stored_peak = space_->sum(&SweptSpace::stored_peak),
                               .persistent = space_->sum(&SweptSpace::fallen_back),
                               .regress_edges = space_->sum(&SweptSpace::fallen_back),
                               .broken_claim = broken_claim_};
    require_claim(figures, search_.system,
                  [&](Progress value) { return space_->parts()[0]->code().measure().show(value); });
    report_sweep(search_, figures);
    report_device(pointers_to(space_->parts()), started_);
    search_.set("host_bytes", space_->sum([](const auto& part) { return part.shelf().memory_peak(); }));
    search_.set("disk_bytes", space_->sum([](const auto& part) { return part.shelf().disk_peak(); }));
  }

  std::shared_ptr<SpreadSweep> space_;  // shared with the runs that are not built yet
  SearchEnd end_ = SearchEnd::exhausted;
  std::optional<RegressEdge> broken_claim_;
  double started_ = 0;
};

}  // namespace

void search_gpu_sweep(StateSearch& search) {
  std::optional<GpuSweep> sweep;
  if (within_limits(search.budget, [&] { sweep.emplace(search); })) sweep->run();
}

}  // namespace tideline::gpu
