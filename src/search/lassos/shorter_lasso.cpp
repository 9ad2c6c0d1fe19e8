#include "search/lassos/shorter_lasso.hpp"

#include <cstddef>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "graph/factory.hpp"
#include "graph/fair_graph.hpp"
#include "model/layout.hpp"
#include "search/lassos/shorten.hpp"
#include "search/lassos/system_lasso.hpp"
#include "store/segmented_table.hpp"

namespace tideline {

namespace {

/// The states of a run.
class StatesOfRun {
 public:
  /// The run must outlive it.
  explicit StatesOfRun(const Path& run) : bytes_(run.states.front().size()) {
    for (const auto& state : run.states) states_.insert(view(state.data()));
  }
  /// Whether the system's part of a state of a product, which comes first, is one of them.
  bool contains(const std::byte* state) const { return states_.contains(view(state)); }

 private:
  std::string_view view(const std::byte* state) const {
    return {reinterpret_cast<const char*>(state), bytes_};
  }

  std::size_t bytes_;
  std::unordered_set<std::string_view> states_;
};

/// A product without the states of the system that a run does not visit.
template <RegionGraph G>
class AlongRun {
 public:
  AlongRun(G graph, const StatesOfRun& states) : graph_(std::move(graph)), states_(&states) {}

  std::size_t state_size() const { return graph_.state_size(); }
  std::uint32_t all_marks() const { return graph_.all_marks(); }
  Region region(const std::byte* state) const { return graph_.region(state); }

  template <class Sink>
  void initial(Sink&& sink) {
    graph_.initial([&](const std::byte* state) {
      if (states_->contains(state)) sink(state);
    });
  }
  template <class Sink>
  void successors(const std::byte* state, Sink&& sink) {
    graph_.successors(state, [&](const Step& step) {
      if (step.state && states_->contains(step.state)) sink(step);
    });
  }

 private:
  G graph_;
  const StatesOfRun* states_;
};

/// A lasso through the product may be longer than the run of the system in it, by the steps that the automaton
/// takes to settle. So those that are a little longer than the best run are looked at, too.
template <class G>
void shorten_in(const G& graph, std::size_t slack, Path& best, Budget& budget) {
  Path bound = best;  // of which only the length counts
  bound.states.resize(best.states.size() + slack);
  const std::size_t length = bound.states.size();
  LassoShortening shortening(graph, SegmentedTable<>(graph.state_size()));
  ShortenedLasso shortened = shortening.run(std::move(bound), budget);
  if (shortened.lasso.states.size() == length) return;  // there is none, or there was no time
  Path run = system_lasso(std::move(shortened.lasso), best.states.front().size());
  if (run.states.size() < best.states.size()) best = std::move(run);
}

template <class G>
void shorten_twice(const G& product, std::size_t slack, Path& best, Budget& budget) {
  const Path given = best;
  const StatesOfRun states(given);
  shorten_in(AlongRun<G>(product, states), slack, best, budget);
  if (budget.reason().empty()) shorten_in(product, slack, best, budget);
}

}  // namespace

std::optional<Path> shorter_lasso(const System& system, const Property& property, ErrorSemantics errors,
                                  const Path& lasso, Budget& budget) {
  if (!lasso.loop || property.fairness == Fairness::strong) return std::nullopt;
  if (system.transient != no_slot && property.fairness != Fairness::none) {
    const System open = with_open_steps(system);
    return shorter_lasso(open, with_open_steps(property, open), errors, lasso, budget);
  }
  const PropertyProcess& process = *property.process;
  const std::size_t slack = process.locations.size();
  Path best = lasso;
  if (property.fairness == Fairness::weak)
    with_fair_product(system, process, fair_parties(system, property.fair_actions), {errors},
                      [&](const auto& product) { shorten_twice(WeaklyFair(product), slack, best, budget); });
  else
    with_product(system, process, {errors},
                 [&](const auto& product) { shorten_twice(product, slack, best, budget); });
  if (best.states.size() >= lasso.states.size()) return std::nullopt;
  return best;
}

}  // namespace tideline
