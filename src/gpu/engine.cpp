#include "gpu/engine.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpu/space.hpp"
#include "search/states/state_search.hpp"

namespace tideline::gpu {

namespace {

/// What a monitor wants to know, as facts for the device. A state that tells one is shown to the monitor.
Watches watches_of(const Monitor<Predicate>& monitor) {
  Watches watches;
  monitor.for_each_watched(
      [&](const Predicate& predicate, bool truth) {
        Watch watch{.expr = predicate.expr()};
        (truth ? watch.if_true : watch.if_false) = watches.facts++;
        watches.states.push_back(std::move(watch));
      },
      [&] { watches.deadlocks.push_back({.expr = Expr::constant(0), .if_false = watches.facts++}); });
  return watches;
}

/// Memory of the processor is the process's own: its limit is one for the device, too.
DeviceSettings device_settings(const StateSearch& search) {
  DeviceSettings settings = search.options.device;
  if (const auto limit = search.budget.memory_limit(); settings.is_cpu && limit && !settings.memory_bytes)
    settings.memory_bytes = *limit - std::min(*limit, resident_bytes());
  return settings;
}

class GpuSearch {
 public:
  explicit GpuSearch(StateSearch& search)
      : search_(search),
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
  void search() {
    std::vector<std::vector<std::byte>> initial;
    space_->machine().initial([&](const std::byte* state) { initial.push_back(copy_of(state)); });
    started_ = search_.budget.seconds();
    space_->insert(initial);
    space_->begin();
    look_at_states();
    while (!search_.monitor.done()) {
      space_->expand();
      const Stop stop = space_->numbers().stop;
      look_at_states();
      step_given_up();
      if (search_.budget.exhausted(status())) return;
      if (stop == Stop::complete || stop == Stop::cut_off) {
        end_ = stop == Stop::complete ? SearchEnd::complete : SearchEnd::cut_off;
        return;
      }
      if ((stop == Stop::table || stop == Stop::log) && !space_->make_room(stop)) return end_for_memory();
    }
    end_ = SearchEnd::satisfied;
  }

  void end_for_memory() {
    if (search_.options.device.is_cpu && !search_.options.device.memory_bytes)
      search_.budget.exhaust_memory();
    else
      search_.budget.exhaust("the memory of the device is full");
  }

  std::vector<std::byte> copy_of(const std::byte* state) const {
    return {state, state + space_->code().layout().size()};
  }

  /// Builds the run to a state, if that is wanted.
  auto locate(std::uint64_t number) const {
    return [this, number]() -> PathBuilder {
      if (!search_.options.traces) return {};
      return PathBuilder([space = space_, number](Budget& budget) { return space->run_to(number, budget); });
    };
  }

  void look_at_states() {
    const auto show = [&](const std::vector<std::uint64_t>& numbers, const auto& to) {
      const auto states = space_->states(numbers);
      for (std::size_t i = 0; i < numbers.size(); ++i) to(states[i].data(), locate(numbers[i]));
    };
    Monitor<Predicate>& monitor = search_.monitor;
    show(space_->take_reports(),
         [&](const auto* state, const auto& where) { monitor.on_state(state, where); });
    show(space_->take_deadlocked(), [&](const auto* state, const auto& where) {
      if (monitor.on_deadlock(state, where) && monitor.allows_ends()) ++deadlocks_here_;
    });
  }

  /// States in which the model may fail: the interpreter knows what that means.
  void step_given_up() {
    std::vector<std::vector<std::byte>> successors;
    const std::vector<std::uint64_t> given_up = space_->take_given_up();
    const auto states = space_->states(given_up);
    for (std::size_t i = 0; i < given_up.size(); ++i) {
      const std::uint64_t number = given_up[i];
      const std::vector<std::byte>& state = states[i];
      std::uint64_t steps = 0;
      space_->machine().successors(state.data(), [&](const Step& step) {
        ++steps;
        search_.monitor.on_step(step, locate(number));
        if (step.state) successors.push_back(copy_of(step.state));
      });
      transitions_here_ += steps;
      if (steps == 0 && search_.monitor.on_deadlock(state.data(), locate(number))) ++deadlocks_here_;
      space_->note_given_up(number);
    }
    if (successors.empty()) return;
    space_->insert(successors);
    look_at_states();
  }

  RunStatus status() const {
    const Search& numbers = space_->numbers();
    return {.states = numbers.count,
            .transitions = numbers.transitions + transitions_here_,
            .frontier = numbers.count - numbers.cursor,
            .depth = numbers.levels - 1};
  }

  void report() {
    const Search& numbers = space_->numbers();
    SearchResult& result = search_.result;
    result.end = end_;
    result.states = numbers.count;
    result.transitions = numbers.transitions + transitions_here_;
    result.deadlocks = numbers.deadlocks + deadlocks_here_;
    result.level_sizes = space_->level_sizes();
    // The level that was being filled when the search ended has a size, too.
    if (numbers.count > numbers.level_end) result.level_sizes.push_back(numbers.count - numbers.level_end);
    result.depth = result.level_sizes.empty() ? 0 : result.level_sizes.size() - 1;
    const std::vector<std::uint8_t> enabled = space_->enabled();
    for (ActionId action = 0; action < enabled.size(); ++action)
      if (enabled[action] != 0) search_.monitor.on_step({.action = action}, detail::NoLocate{});
    search_.keeps_states = false;
    search_.outcome.level_sizes = result.level_sizes;
    search_.set_counts();
    search_.set("levels", std::uint64_t{result.level_sizes.size()});
    search_.set("visited", result.states);
    search_.set("stored_peak", result.states);
    search_.set("table_bytes", space_->table_bytes());
    search_.set("device", space_->device().name());
    search_.set("device_bytes", space_->bytes_peak());
    search_.set("device_start_time_s", started_);
  }

  StateSearch& search_;
  std::shared_ptr<Space> space_;  // shared with the runs that are not built yet
  SearchEnd end_ = SearchEnd::exhausted;
  double started_ = 0;
  std::uint64_t transitions_here_ = 0, deadlocks_here_ = 0;  ///< of states that the host has looked at
};

}  // namespace

void search_gpu(StateSearch& search) {
  std::optional<GpuSearch> gpu;
  if (within_limits(search.budget, [&] { gpu.emplace(search); })) gpu->run();
}

}  // namespace tideline::gpu
