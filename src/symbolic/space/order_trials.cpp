#include "symbolic/space/order_trials.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "run/side_by_side.hpp"

namespace tideline::symbolic {

namespace {

constexpr std::uint64_t first_requests = std::uint64_t{1} << 15;
constexpr std::uint64_t first_requests_a_level = 64;
/// Where relations are learnt, all candidates take part in rounds up to this, and each round is several times
/// the one before.
constexpr std::uint64_t short_round = std::uint64_t{1} << 19;

/// After this many requests only one continues.
constexpr std::uint64_t long_round = std::uint64_t{1} << 23;

class Trial {
 public:
  explicit Trial(ChosenOrder order) : order_(std::move(order)) {}

  /// Does the rounds that it has not done yet, and returns whether it has found all states. `rounds`: the most
  /// requests in each, including those of the rounds before. Ends early when the budget is exhausted.
  bool go_on(const System& system, const StateSpaceOptions& options, std::span<const std::uint64_t> rounds) {
    if (!space_) space_.emplace(system, order_, options);
    Forest& forest = space_->forest();
    forest.set_budget(options.forest.budget);
    while (!done_ && rounds_ < rounds.size()) {
      forest.set_most_requests(rounds[rounds_]);
      try {
        space_->explore();
        done_ = true;
      } catch (const LimitReached&) {
        if (options.forest.budget && !options.forest.budget->reason().empty()) break;
      }
      ++rounds_;
    }
    forest.set_most_requests(options.forest.most_requests);
    nodes_ = forest.figures().peak_nodes;
    local_states_ = 0;
    for (const Level level : space_->levels().all()) local_states_ += space_->levels().local_states(level);
    return done_;
  }

  /// It will do all rounds again.
  void drop() {
    space_.reset();
    rounds_ = 0;
    done_ = false;
  }

  /// Local states found, and the number of them per node made.
  std::uint64_t local_states() const { return local_states_; }
  double sharing() const { return static_cast<double>(local_states_) / static_cast<double>(nodes_); }

  bool learns() { return std::ranges::any_of(space_->relations().events(), &Event::learns); }

  StateSpace take() { return std::move(*space_); }

 private:
  ChosenOrder order_;
  std::optional<StateSpace> space_;
  std::size_t rounds_ = 0;  ///< done
  bool done_ = false;       ///< all states are known
  std::uint64_t local_states_ = 0;
  std::uint64_t nodes_ = 1;  ///< at the peak
};

/// Keeps those that continue after a round, the best first: by local states, and in any case the one
/// that shares most.
void drop(std::vector<Trial>& trials, std::uint64_t requests, const Budget* budget) {
  const bool is_full = budget && budget->memory_limit() && resident_bytes() > *budget->memory_limit() / 4;
  const std::size_t most =
      is_full || requests >= long_round ? 1 : std::max<std::size_t>(2, trials.size() / 2);
  if (trials.size() <= most) return;
  std::ranges::stable_sort(trials, std::greater{}, &Trial::local_states);
  const auto end = trials.begin() + static_cast<std::ptrdiff_t>(most);
  const auto sharing = std::ranges::max_element(trials, {}, &Trial::sharing);
  if (sharing >= end && most > 1) std::iter_swap(sharing, end - 1);
  trials.erase(end, trials.end());
}

/// A round by several threads, as far as the memory allows: the first trial that finds all states ends it.
void go_on_side_by_side(std::vector<Trial>& trials, const System& system, const StateSpaceOptions& options,
                        std::span<const std::uint64_t> rounds) {
  Budget unlimited;
  const auto go_on = [&](std::size_t trial, Budget& own) {
    StateSpaceOptions with_own = options;
    with_own.forest.budget = &own;
    return trials[trial].go_on(system, with_own, rounds);
  };
  run_side_by_side(
      options.threads,
      {.count = trials.size(), .run = go_on, .drop = [&](std::size_t trial) { trials[trial].drop(); }},
      options.forest.budget ? *options.forest.budget : unlimited);
}

}  // namespace

StateSpace explore_by_trials(const System& system, std::vector<ChosenOrder> orders,
                             const StateSpaceOptions& options) {
  const Budget* const budget = options.forest.budget;
  const std::uint64_t most =
      options.forest.most_requests != 0 ? options.forest.most_requests : ~std::uint64_t{0};
  std::uint64_t requests = std::max(first_requests, first_requests_a_level * orders.front().order.size());
  if (orders.size() == 1 || requests > most) return StateSpace(system, std::move(orders.front()), options);
  std::vector<Trial> trials;
  for (ChosenOrder& order : orders) trials.emplace_back(std::move(order));
  std::vector<std::uint64_t> rounds;
  while (trials.size() > 1 && requests <= most) {
    rounds.push_back(requests);
    go_on_side_by_side(trials, system, options, rounds);
    for (Trial& trial : trials) {  // those that have done the round already only say so
      if (trial.go_on(system, options, rounds)) return trial.take();
      if (budget && !budget->reason().empty()) return trials.front().take();
    }
    const bool is_for_all = trials.front().learns() && requests < short_round;
    if (!is_for_all) drop(trials, requests, budget);
    requests *= is_for_all ? 4 : 2;
  }
  return trials.front().take();
}

}  // namespace tideline::symbolic
