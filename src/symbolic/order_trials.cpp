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
  Level highest = 0;
  trial.height = 0;
  try {
    StateSpace space(system, trial.order, {.forest = options});
    try {
      space.run([&] {
        Saturation<Direction::forward, false, HighestLevel>(space.relations(), HighestLevel(highest))
            .saturate(space.initial());
      });
      return true;
    } catch (const LimitReached&) {
      trial.height = static_cast<double>(highest) / space.levels().top();
    }
  } catch (const LimitReached&) {
    // Not even the initial state.
  }
  return false;
}

}  // namespace

ChosenOrder choose_by_trials(const System& system, std::vector<ChosenOrder> orders,
                             const ForestOptions& options) {
  std::vector<Trial> trials;
  for (ChosenOrder& order : orders) trials.push_back({std::move(order)});
  const std::uint64_t most = options.most_requests != 0 ? options.most_requests : ~std::uint64_t{0};
  for (std::uint64_t requests = first_requests; trials.size() > 1 && requests <= most; requests *= growth) {
    ForestOptions limited = options;
    limited.most_requests = requests;
    for (Trial& trial : trials) {
      if (run(system, trial, limited)) return trial.order;
      if (options.budget && !options.budget->reason().empty()) return trials.front().order;
    }
    std::ranges::stable_sort(trials, std::greater{}, &Trial::height);
    if (requests >= short_round) trials.resize((trials.size() + 1) / 2);
  }
  return trials.front().order;
}

}  // namespace tideline::symbolic
