// The interface of searches: what they report to an observer, and the figures they return.
//
// A search walks a graph and decides nothing. It reports to an Observer:
//
//   o.on_state(state, locate)   a state, once when it is found (walks: every time it is met)
//   o.on_step(step, locate)     an enabled action in the state of `locate`
//   o.on_deadlock(locate)       that state has no enabled action; or on_deadlock(state, locate), which may return
//                               false: it does not count, since the model may end there
//   o.done()                    nothing is left to look for: end the search
//
// `locate()` yields a std::function<Path()> that rebuilds the run to the state. It is called only when that
// run is wanted, so other states cost nothing; it may return an empty function when the search keeps no
// traces. Observing is inlined into the search.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/step.hpp"
#include "run/outcome.hpp"

namespace tideline {

/// For checkpoints. A run is built when it is written: what it is built from goes with the search.
void archive_run(auto& file, PathBuilder& run) {
  std::optional<Path> path;
  if (run) path = run();
  file(path);
  if (path) run = PathBuilder(std::move(*path));
}

namespace detail {
struct NoLocate {
  PathBuilder operator()() const { return {}; }
};
}  // namespace detail

template <class O>
concept Observer = requires(O& observer, const std::byte* state, const Step& step, detail::NoLocate locate) {
  observer.on_state(state, locate);
  observer.on_step(step, locate);
  requires requires {
    observer.on_deadlock(locate);
  } || requires {
    observer.on_deadlock(state, locate);
  };
  { observer.done() } -> std::convertible_to<bool>;
};

/// Reports a deadlock to an observer that may or may not look at the state. Returns whether it counts.
template <class O, class Locate>
bool report_deadlock(O& observer, const std::byte* state, const Locate& locate) {
  if constexpr (requires {
                  { observer.on_deadlock(state, locate) } -> std::convertible_to<bool>;
                })
    return observer.on_deadlock(state, locate);
  else if constexpr (requires { observer.on_deadlock(state, locate); })
    observer.on_deadlock(state, locate);
  else
    observer.on_deadlock(locate);
  return true;
}

/// Searches by several threads have a copy of the observer for each of them. A copy can take over what another
/// has decided, adopt(other), and everything else that it has seen, absorb(other), any number of times.
template <class O>
concept SharedObserver = Observer<O> && std::copy_constructible<O> && requires(O& observer, const O& other) {
  observer.adopt(other);
  observer.absorb(other);
};

/// Lets a search go through everything, and only notices steps that end in a model error.
struct Bystander {
  bool model_errors = false;

  template <class Locate>
  void on_state(const std::byte*, const Locate&) {}
  template <class Locate>
  void on_step(const Step& step, const Locate&) {
    if (step.error != ModelErrorKind::none) model_errors = true;
  }
  template <class Locate>
  void on_deadlock(const Locate&) {}
  bool done() const { return false; }
  void adopt(const Bystander&) {}
  void absorb(const Bystander& other) { model_errors = model_errors || other.model_errors; }
  void archive(auto& file) { file(model_errors); }
};

struct SearchOptions {
  bool traces = true;
  std::uint64_t depth = 0;  ///< states this many steps from the start are not expanded; 0: no bound
};

/// Why a search ended.
enum class SearchEnd {
  complete,   ///< every reachable state was visited and expanded
  cut_off,    ///< states at the depth bound were not expanded
  sampled,    ///< the search is done, but cannot know whether it saw everything
  satisfied,  ///< the observer was done
  exhausted,  ///< the budget; its reason() says which part of it
};

struct SearchResult {
  SearchEnd end = SearchEnd::exhausted;
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;                ///< enabled actions of expanded states
  std::uint64_t deadlocks = 0;                  ///< expanded states without any
  std::uint64_t depth = 0;                      ///< of the deepest state met
  std::vector<std::uint64_t> level_sizes = {};  ///< breadth-first only: new states on each level
};

inline std::string full_table_reason(std::uint64_t states) {
  return "the state table is full (" + std::to_string(states) + " states)";
}

/// Searches check the budget once in this many transitions: a state may have a million of them.
inline constexpr std::uint64_t poll_every = 1024;

/// Says at which transitions a search checks the budget: once in poll_every of them, and more often where they take long, as
/// with partial order reduction in a system of thousands of actions.
class Pace {
 public:
  /// Called for every transition.
  bool is_due() {
    if (--left_ != 0) return false;
    choose();
    return true;
  }

 private:
  using Clock = std::chrono::steady_clock;

  void choose() {
    constexpr std::chrono::milliseconds quick{2}, slow{20};
    const auto now = Clock::now();
    const auto taken = now - last_;
    if (taken < quick && every_ < poll_every) every_ *= 2;
    if (taken > slow && every_ > 1) every_ /= 2;
    last_ = now;
    left_ = every_;
  }

  std::uint64_t every_ = 1, left_ = 1;
  Clock::time_point last_ = Clock::now();
};

}  // namespace tideline
