#include "symbolic/ltl/lasso.hpp"

#include <algorithm>
#include <functional>

#include "graph/factory.hpp"
#include "symbolic/space/approach.hpp"

namespace tideline::symbolic {

namespace {

using State = std::vector<std::byte>;

class LassoFinder {
 public:
  explicit LassoFinder(LtlSpace& space) : space_(space), product_(stepper(space.model()), space.property()) {}

  Path find(const LassoPlace& place) {
    product_.initial([&](const std::byte* state) { path_.states.push_back(copy(state)); });
    if (place.scc == empty) {
      go(place.stuck, place.known);
      stutter();
    } else {
      const Kept goals(space_.forest(), space_.accepting(place.scc));
      go(goals.id(), place.known);
      go_round(place.scc);
    }
    for (State& state : path_.states) state.resize(product_.system_state_size());
    return std::move(path_);
  }

 private:
  State copy(const std::byte* state) const { return {state, state + product_.state_size()}; }
  std::optional<std::vector<Index>> vector_of(const State& state) const {
    return space_.find_vector(state.data(), product_.location(state.data()));
  }

  std::vector<Move> moves() {
    const State from = path_.states.back();
    std::vector<Move> result;
    product_.successors(from.data(), [&](const Step& step) {
      if (step.state) result.push_back({step.action, copy(step.state), {}});
    });
    std::erase_if(result, [&](Move& move) {
      const auto vector = vector_of(move.state);
      if (vector) move.vector = *vector;
      return !vector;
    });
    return result;
  }

  /// To one of the targets.
  void go(NodeId targets, NodeId within) {
    Approach approach(space_.relations(), targets, within);
    const std::vector<std::vector<Index>> here{vector_of(path_.states.back()).value()};
    approach.meet(here);
    approach.walk(path_, here[0], [this] { return moves(); });
  }

  /// From an accepting state of an SCC back to it.
  void go_round(NodeId scc) {
    const std::vector<Index> home = vector_of(path_.states.back()).value();
    path_.loop = path_.states.size() - 1;
    const Kept target(space_.forest(), space_.sets().single(space_.levels().all(), home));
    Approach approach(space_.relations(), target.id(), scc);
    std::vector<Move> first = moves();
    std::erase_if(first, [&](const Move& move) { return !space_.sets().contains(scc, move.vector); });
    std::vector<std::vector<Index>> vectors;
    for (const Move& move : first) vectors.push_back(move.vector);
    approach.meet(vectors);
    // Only those that were met.
    std::erase_if(first, [&](const Move& move) { return !approach.first_with(move.vector); });
    const Move& best = *std::ranges::min_element(
        first, {}, [&](const Move& move) { return *approach.first_with(move.vector); });
    take(path_, best);
    approach.walk(path_, best.vector, [this] { return moves(); });
    path_.states.pop_back();  // it is the first one of the cycle again
  }

  /// From a deadlock that repeats for ever: the automaton's own steps, until an accepting state recurs.
  void stutter() {
    const auto successors = [&](const State& from) {
      std::vector<State> result;
      product_.successors(from.data(), [&](const Step& step) {
        if (step.state) result.push_back(copy(step.state));
      });
      return result;
    };
    // A path to the goal of at least one step, breadth first; its states except the first.
    const auto way = [&](const State& from, const std::function<bool(const State&)>& goal) {
      std::vector<State> reached;
      std::vector<std::size_t> parent;
      const auto add_next = [&](const State& state, std::size_t number) {
        for (State& next : successors(state))
          if (std::ranges::find(reached, next) == reached.end()) {
            reached.push_back(std::move(next));
            parent.push_back(number);
          }
      };
      constexpr std::size_t none = ~std::size_t{0};
      add_next(from, none);
      for (std::size_t at = 0; at < reached.size(); ++at) {
        if (goal(reached[at])) {
          std::vector<State> result;
          for (std::size_t i = at; i != none; i = parent[i]) result.insert(result.begin(), reached[i]);
          return result;
        }
        add_next(State(reached[at]), at);
      }
      return std::vector<State>();
    };
    const auto add = [&](std::vector<State> states) {
      for (State& state : states) take(path_, {no_action, std::move(state), {}});
    };
    const auto returns = [&](const State& state) {
      return product_.accepting(state.data()) &&
             !way(state, [&](const State& other) { return other == state; }).empty();
    };
    if (!returns(path_.states.back())) add(way(path_.states.back(), returns));
    path_.loop = path_.states.size() - 1;
    const State home = path_.states.back();
    add(way(home, [&](const State& other) { return other == home; }));
    path_.states.pop_back();
  }

  LtlSpace& space_;
  PropertyProduct<Interpreter> product_;
  Path path_;
};

}  // namespace

Path find_lasso(LtlSpace& space, const LassoPlace& place) {
  return LassoFinder(space).find(place);
}

}  // namespace tideline::symbolic
