// Random walks: start, take an enabled action at random, and so on; then start again.
//
// A walk needs no memory at all and reaches depths that no exhaustive search of a large system does, so it is
// a quick first look at a model. It proves nothing: what walks do not meet may still be there.
//
// Every walk has a random number generator of its own, seeded from the seed of the run and the walk's
// number. A walk can therefore be repeated, and that is how its run is built when it is needed: no states
// are kept meanwhile.
//
// All enabled actions are equally likely, whatever their number: the k-th one that the graph offers replaces
// the one chosen so far with probability 1/k. The observer sees all of them, also those not taken.
//
// Invariant: a walk's choices depend on the seed, its number and the graph alone, never on the observer.
#pragma once

#include <algorithm>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include "graph/graph.hpp"
#include "run/budget.hpp"
#include "search/core/observer.hpp"

namespace tideline {

struct WalkOptions {
  bool traces = true;
  std::uint64_t walks = 1000;
  std::uint64_t steps = 10'000;  ///< longest walk
  std::uint64_t seed = 1;
};

template <Graph G>
class RandomWalk {
 public:
  RandomWalk(G graph, WalkOptions options) : graph_(std::move(graph)), options_(options) {}

  /// The result counts visits rather than states: every state each time it is met.
  template <Observer O>
  SearchResult run(O& observer, Budget& budget) {
    result_.end = SearchEnd::sampled;
    while (result_.end == SearchEnd::sampled && walks_ < options_.walks) walk(walks_++, observer, budget);
    return result_;
  }

  std::uint64_t walks() const { return walks_; }
  std::uint64_t steps() const { return steps_; }

 private:
  // One walk under way. Choosing is separate from observing, so that a repeated walk makes the same choices.
  class Walker {
   public:
    Walker(G& graph, std::uint64_t seed, std::uint64_t number) : graph_(graph), next_(graph.state_size()) {
      std::seed_seq words{low(seed), high(seed), low(number), high(number)};
      random_.seed(words);
    }

    /// False when there is no initial state.
    bool start() {
      offered_ = 0;
      graph_.initial([&](const std::byte* state) { offer(no_action, state); });
      return take();
    }

    /// Shows all enabled actions to `watch` and takes one; false when there is none or it has no successor.
    template <class Watch>
    bool step(Watch&& watch) {
      offered_ = 0;
      graph_.successors(state_.data(), [&](const Step& step) {
        watch(step);
        offer(step.action, step.state);
      });
      return take();
    }

    const std::vector<std::byte>& state() const { return state_; }
    ActionId action() const { return action_; }
    std::uint64_t offered() const { return offered_; }

   private:
    static std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
    static std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

    void offer(ActionId action, const std::byte* state) {
      if (random_() % ++offered_ != 0) return;
      action_ = action;
      leads_somewhere_ = state != nullptr;
      if (state) std::memcpy(next_.data(), state, next_.size());
    }

    bool take() {
      if (offered_ == 0 || !leads_somewhere_) return false;
      state_ = next_;
      return true;
    }

    G& graph_;
    std::mt19937_64 random_;
    std::vector<std::byte> state_;
    std::vector<std::byte> next_;
    ActionId action_ = no_action;
    std::uint64_t offered_ = 0;
    bool leads_somewhere_ = false;
  };

  template <class O>
  void walk(std::uint64_t number, O& observer, Budget& budget) {
    Walker walker(graph_, options_.seed, number);
    if (!walker.start()) return;
    std::uint64_t length = 0;
    const auto locate = [&] { return path_of(number, length); };
    for (;; ++length, ++steps_) {
      ++result_.states;
      result_.depth = std::max(result_.depth, length);
      observer.on_state(walker.state().data(), locate);
      if (ended(observer, budget) || length == options_.steps) return;
      const bool moved = walker.step([&](const Step& step) {
        ++result_.transitions;
        observer.on_step(step, locate);
      });
      if (walker.offered() == 0) {
        if (report_deadlock(observer, walker.state().data(), locate)) ++result_.deadlocks;
      }
      if (!moved) {
        ended(observer, budget);
        return;
      }
    }
  }

  template <class O>
  bool ended(const O& observer, Budget& budget) {
    if (observer.done())
      result_.end = SearchEnd::satisfied;
    else if (result_.states % poll_every == 1 && poll(budget))
      result_.end = SearchEnd::exhausted;
    return result_.end != SearchEnd::sampled;
  }

  bool poll(Budget& budget) const {
    RunStatus status;
    status.states = result_.states;
    status.transitions = result_.transitions;
    status.depth = result_.depth;
    return budget.exhausted(status);
  }

  PathBuilder path_of(std::uint64_t number, std::uint64_t length) const {
    if (!options_.traces) return {};
    return PathBuilder([graph = graph_, seed = options_.seed, number, length](Budget& budget) mutable {
      LimitCheck check_limits(&budget);
      Walker walker(graph, seed, number);
      walker.start();
      Path path;
      path.states.push_back(walker.state());
      for (std::uint64_t i = 0; i < length; ++i) {
        check_limits();
        walker.step([](const Step&) {});
        path.actions.push_back(walker.action());
        path.states.push_back(walker.state());
      }
      return path;
    });
  }

  G graph_;
  WalkOptions options_;
  SearchResult result_;
  std::uint64_t walks_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace tideline
