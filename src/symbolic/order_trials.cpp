#include "symbolic/order_trials.hpp"

#include <algorithm>

#include "symbolic/saturation.hpp"
#include "symbolic/state_space.hpp"

namespace tideline::symbolic {

namespace {

constexpr std::uint64_t first_requests = std::uint64_t{1} << 15;
constexpr std::uint64_t growth = 4;
/// Rounds up to this are for all: how high one has come says little so early.
constexpr std::uint64_t short_round = std::uint64_t{1} << 19;

struct HighestLevel : NoWatch {
  Level* highest;
  explicit HighestLevel(Level& level) : highest(&level) {}
  void on_saturated(Level level, NodeId) { *highest = std::max(*highest, level); }
};

struct Trial {
  ChosenOrder order;
  double height = 0;  ///< of all levels, how many were saturated
};

/// Whether it found all states.
bool run(const System& system, Trial& trial, const ForestOptions& options) {
  StateSpace space(system, trial.order, {.forest = options});
  Level highest = 0;
  bool complete = true;
  space.run([&] {
    try {
      Saturation<Direction::forward, false, HighestLevel>(space.relations(), HighestLevel(highest))
          .saturate(space.initial());
    } catch (const LimitReached&) {
      complete = false;
    }
  });
  trial.height = static_cast<double>(highest) / space.levels().top();
  return complete;
}

}  // namespace

ChosenOrder choose_by_trials(const System& system, std::vector<ChosenOrder> orders,
                             const ForestOptions& options) {
  std::vector<Trial> trials;
  for (ChosenOrder& order : orders) trials.push_back({std::move(order)});
  for (std::uint64_t requests = first_requests; trials.size() > 1; requests *= growth) {
    ForestOptions limited = options;
    limited.most_requests = requests;
    for (Trial& trial : trials) {
      if (run(system, trial, limited)) return trial.order;
      if (options.budget && !options.budget->reason().empty()) return trials.front().order;
    }
    if (requests < short_round) continue;
    std::ranges::stable_sort(trials, std::greater{}, &Trial::height);
    trials.resize((trials.size() + 1) / 2);
  }
  return trials.front().order;
}

}  // namespace tideline::symbolic
