#include "symbolic/order_trials.hpp"

#include <algorithm>
#include <optional>

namespace tideline::symbolic {

namespace {

constexpr std::uint64_t first_requests = std::uint64_t{1} << 15;
constexpr std::uint64_t first_requests_a_level = 64;
constexpr std::uint64_t growth = 2;
/// How many rounds all take part in, and after how many requests only one goes on.
constexpr int rounds_for_all = 2;
constexpr std::uint64_t long_round = std::uint64_t{1} << 23;

class Trial {
 public:
  explicit Trial(ChosenOrder order) : order_(std::move(order)) {}

  /// Whether it found all states with no more requests than that, those of earlier rounds among them.
  bool go_on(const System& system, const StateSpaceOptions& options, std::uint64_t requests) {
    if (!space_) space_.emplace(system, order_, options);
    space_->forest().set_most_requests(requests);
    bool done = true;
    try {
      space_->explore();
    } catch (const LimitReached&) {
      done = false;
    }
    space_->forest().set_most_requests(options.forest.most_requests);
    local_states_ = 0;
    for (const Level level : space_->levels().all()) local_states_ += space_->levels().local_states(level);
    return done;
  }

  std::uint64_t local_states() const { return local_states_; }

  StateSpace take() { return std::move(*space_); }

 private:
  ChosenOrder order_;
  std::optional<StateSpace> space_;
  std::uint64_t local_states_ = 0;  ///< that were found
};

/// How many go on after a round.
std::size_t remaining(std::size_t count, int round, std::uint64_t requests, const Budget* budget) {
  const bool is_full = budget && budget->memory_limit() && resident_bytes() > *budget->memory_limit() / 4;
  if (is_full || requests >= long_round) return 1;
  return round < rounds_for_all ? count : std::min(count, std::max<std::size_t>(2, count / 2));
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
  for (int round = 1; trials.size() > 1 && requests <= most; ++round, requests *= growth) {
    for (Trial& trial : trials) {
      if (trial.go_on(system, options, requests)) return trial.take();
      if (budget && !budget->reason().empty()) return trials.front().take();
    }
    std::ranges::stable_sort(trials, std::greater{}, &Trial::local_states);
    trials.erase(
        trials.begin() + static_cast<std::ptrdiff_t>(remaining(trials.size(), round, requests, budget)),
        trials.end());
  }
  return trials.front().take();
}

}  // namespace tideline::symbolic
