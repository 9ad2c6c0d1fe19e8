#include "symbolic/ltl_lasso.hpp"

#include <algorithm>
#include <functional>

#include "graph/property_product.hpp"
#include "symbolic/fair_cycles.hpp"

namespace tideline::symbolic {

namespace {

/// Nodes that were made since the beginning, after which predecessors are taken event by event.
constexpr std::uint64_t patience_nodes = 50'000;

using State = std::vector<std::byte>;

/// Growing sets of states from which a target is reached without leaving a set.
class Approach {
 public:
  Approach(LtlSpace& space, NodeId targets, NodeId within)
      : relations_(space.relations()),
        sets_(space.sets()),
        forest_(space.forest()),
        within_(forest_.root(within)) {
    sets_known_.push_back(forest_.root(targets));
  }

  /// Until one of the states is in a set.
  void meet(std::span<const std::vector<Index>> states) {
    const auto met = [&] {
      return std::ranges::any_of(states, [&](const auto& s) { return sets_.contains(last(), s); });
    };
    while (!met()) {
      const std::size_t before = sets_known_.size();
      made_ > patience_nodes ? extend_by_events(met) : extend();
      if (sets_known_.size() == before)
        throw Error(ErrorKind::internal, "a state of a decision diagram cannot be reached");
    }
  }

  /// The first of the sets that a state is in, if it is in one before `before`.
  std::optional<std::size_t> first_with(std::span<const Index> state, std::size_t before) const {
    for (std::size_t at = 0; at < std::min(before, sets_known_.size()); ++at)
      if (sets_.contains(sets_known_[at].id(), state)) return at;
    return std::nullopt;
  }
  std::size_t size() const { return sets_known_.size(); }

 private:
  NodeId last() const { return sets_known_.back().id(); }

  void add(NodeId set) {
    if (set != last()) sets_known_.push_back(forest_.root(set));
  }

  void extend() {
    const std::uint64_t before = forest_.live_nodes();
    Kept sum(forest_, last());
    for (const Event& event : relations_.events()) {
      const Kept part(forest_, relations_.preimage(last(), event.root, within_.id()));
      sum.set(sets_.unite(sum.id(), part.id()));
    }
    add(sum.id());
    made_ += std::max(forest_.live_nodes(), before) - before;
  }

  /// Each event from all that is known so far: more steps than needed, but fewer rounds.
  void extend_by_events(const std::function<bool()>& met) {
    for (const Level level : relations_.levels().all())
      for (const EventId event : relations_.events_at(level)) {
        const Kept part(forest_, relations_.preimage(last(), relations_.events()[event].root, within_.id()));
        add(sets_.unite(last(), part.id()));
        if (met()) return;
      }
  }

  Relations& relations_;
  Sets& sets_;
  Forest& forest_;
  Forest::Root within_;
  std::vector<Forest::Root> sets_known_;
  std::uint64_t made_ = 0;
};

class LassoFinder {
 public:
  explicit LassoFinder(LtlSpace& space)
      : space_(space),
        product_(Interpreter(Program::compile(space.model(), ErrorSemantics::stop)), space.property()) {}

  Path find(const LassoPlace& place) {
    product_.initial([&](const std::byte* state) { path_.states.push_back(copy(state)); });
    if (place.component == empty) {
      go(place.stuck, place.known);
      stutter();
    } else {
      const Kept goals(space_.forest(), space_.accepting(place.component));
      go(goals.id(), place.known);
      go_round(place.component);
    }
    for (State& state : path_.states) state.resize(product_.system_state_size());
    return std::move(path_);
  }

 private:
  struct Move {
    ActionId action;
    State state;
    std::vector<Index> vector;
  };

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

  void take(Move move) {
    path_.actions.push_back(move.action);
    path_.states.push_back(std::move(move.state));
  }

  void walk(const Approach& approach, std::size_t at) {
    while (at != 0) {
      std::optional<std::size_t> best;
      std::optional<Move> chosen;
      for (Move& move : moves())
        if (const auto there = approach.first_with(move.vector, best.value_or(at))) {
          best = there;
          chosen = std::move(move);
        }
      if (!chosen) throw Error(ErrorKind::internal, "a run through a decision diagram has a gap");
      take(std::move(*chosen));
      at = *best;
    }
  }

  /// To one of the targets.
  void go(NodeId targets, NodeId within) {
    Approach approach(space_, targets, within);
    const std::vector<std::vector<Index>> here{vector_of(path_.states.back()).value()};
    approach.meet(here);
    walk(approach, *approach.first_with(here[0], approach.size()));
  }

  /// From an accepting state of a component back to it.
  void go_round(NodeId component) {
    const std::vector<Index> home = vector_of(path_.states.back()).value();
    path_.loop = path_.states.size() - 1;
    const Kept target(space_.forest(), space_.sets().single(space_.levels().all(), home));
    Approach approach(space_, target.id(), component);
    std::vector<Move> first = moves();
    std::erase_if(first, [&](const Move& move) { return !space_.sets().contains(component, move.vector); });
    std::vector<std::vector<Index>> vectors;
    for (const Move& move : first) vectors.push_back(move.vector);
    approach.meet(vectors);
    Move& best = *std::ranges::min_element(first, {}, [&](const Move& move) {
      return approach.first_with(move.vector, approach.size()).value_or(approach.size());
    });
    const std::size_t at = *approach.first_with(best.vector, approach.size());
    take(std::move(best));
    walk(approach, at);
    path_.states.pop_back();  // it is the first one of the cycle again
  }

  /// From a deadlock that goes on for ever: the automaton's own steps, until an accepting state comes back.
  void stutter() {
    const auto successors = [&](const State& from) {
      std::vector<State> result;
      product_.successors(from.data(), [&](const Step& step) {
        if (step.state) result.push_back(copy(step.state));
      });
      return result;
    };
    // A way to the goal of at least one step, breadth first; its states but the first.
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
      for (State& state : states) take({no_action, std::move(state), {}});
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
  PropertyProduct product_;
  Path path_;
};

}  // namespace

Path find_lasso(LtlSpace& space, const LassoPlace& place) {
  return LassoFinder(space).find(place);
}

}  // namespace tideline::symbolic
