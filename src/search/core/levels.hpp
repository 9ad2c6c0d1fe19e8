// Work by levels: a crew that expands what it has, meets, and goes on with what it has found.
//
//   expand(worker)    expands a part of the level, until nothing of it is left or the crew is stopped
//   end_level()       on one thread alone, while the others wait: makes what was found the next level
//
// One worker expands levels with few states alone while the others wait: a meeting takes longer than that.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <vector>

#include "run/budget.hpp"
#include "run/patience.hpp"
#include "search/core/crew.hpp"
#include "store/state_table.hpp"

namespace tideline {

enum class NextLevel { over, small, large };

/// Runs until end_level() says that it is over; the first level must be there. Throws what a worker throws.
template <class Expand, class EndLevel>
void run_levels(Crew& crew, Budget& budget, const std::function<RunStatus()>& look, const Expand& expand,
                const EndLevel& end_level) {
  Meeting meeting(crew.workers());
  std::vector<std::exception_ptr> failures(crew.workers());
  bool over = false;  // written by one worker between two meetings, read by all after the second
  crew.run(budget, look, [&](unsigned worker) {
    // Whatever happens, a worker must reach the meeting.
    const auto guarded = [&](const auto& action) {
      try {
        action();
      } catch (...) {
        failures[worker] = std::current_exception();
        crew.stop();
      }
    };
    while (!over) {
      guarded([&] { expand(worker); });
      meeting.arrive_and_wait();
      if (worker == 0)
        guarded([&] {
          over = true;  // if this fails
          NextLevel next = end_level();
          for (; next == NextLevel::small; next = end_level()) expand(worker);
          over = next == NextLevel::over;
        });
      meeting.arrive_and_wait();
    }
    if (failures[worker]) std::rethrow_exception(failures[worker]);
  });
}

/// A level of states whose numbers may be any, and the next one.
class Frontier {
 public:
  explicit Frontier(unsigned workers) : parts_(workers) {}

  /// A worker has found a state of the next level.
  void push(unsigned worker, StateId id) { parts_[worker].found.push_back(id); }

  /// Calls visit(id) for states of the level that no worker has visited, as long as it returns true.
  template <class Visit>
  void visit(const Visit& visit) {
    for (std::size_t p; (p = next_piece_.fetch_add(1)) < level_.size();)
      for (const StateId id : level_[p])
        if (!visit(id)) return;
  }

  /// One thread alone: what was found is the next level. `few` states are few.
  NextLevel advance(std::uint64_t few = few_states);

 private:
  struct alignas(cache_line) Part {
    std::vector<StateId> level, found;
  };

  std::vector<Part> parts_;
  std::vector<std::span<const StateId>> level_;
  std::atomic<std::size_t> next_piece_{0};
};

}  // namespace tideline
