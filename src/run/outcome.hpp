// Outcome: what every engine returns. Verdicts, the runs that prove them, and statistics; text, JSON and
// tables are all rendered from these.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/budget.hpp"
#include "run/property.hpp"
#include "run/statistics.hpp"

namespace tideline {

/// A run through the state space as an engine found it; trace/ replays it before it is shown.
struct Path {
  std::vector<std::vector<std::byte>> states;  ///< packed, from an initial state on
  /// actions[i] leads from states[i] to states[i + 1]; no_action: the state is a deadlock and repeats.
  std::vector<ActionId> actions;
  std::optional<std::size_t> loop;      ///< index of the state to which the last action returns
  ActionId failing_action = no_action;  ///< taken in the last state, it ends in a model error

  /// For checkpoints.
  void archive(auto& file) { file(states, actions, loop, failing_action); }
};

/// A run that is built on demand.
class PathBuilder {
 public:
  PathBuilder() = default;
  /// Path build(Budget&) throws LimitReached when the budget ends before the run is built.
  template <std::invocable<Budget&> Build>
  PathBuilder(Build build) : build_(std::move(build)) {}
  /// For a function that needs no budget.
  template <std::invocable Build>
  PathBuilder(Build build) : build_([build = std::move(build)](Budget&) { return build(); }) {}
  /// For a path that is known already.
  PathBuilder(Path path)
      : build_([path = std::make_shared<const Path>(std::move(path))](Budget&) { return *path; }) {}

  explicit operator bool() const { return static_cast<bool>(build_); }
  Path operator()(Budget& budget) const { return build_(budget); }
  /// Without limits.
  Path operator()() const {
    Budget no_limits;
    return build_(no_limits);
  }

 private:
  std::function<Path(Budget&)> build_;
};

struct PropertyResult {
  Property property;
  Verdict verdict = Verdict::unknown;
  std::string reason;  ///< why unknown; otherwise a short remark or nothing
  PathBuilder path;    ///< builds the counterexample or witness; empty when there is none
  std::vector<PathBuilder> more_paths = {};  ///< to other such states, if several runs are wanted
};

/// Why nothing follows from a complete search that met model errors.
inline constexpr const char* not_followed_reason =
    "runs that end in a model error were not followed; what they would do is not known";

/// Why a property is violated that has no value in a reachable state.
inline std::string no_value_reason(ModelErrorKind error) {
  return "the property has no value in a reachable state: " + std::string(to_string(error));
}

/// Why a property that was found to be true is unknown: elsewhere it may have no value.
inline std::string open_value_reason(const std::string& why_not_everywhere) {
  return "a state where it is true was found, but in others it may have no value: " + why_not_everywhere;
}

struct Outcome {
  std::string engine;
  bool complete = false;      ///< every reachable state was visited
  bool model_errors = false;  ///< a search of a product met steps that end in one, and did not follow them
  std::vector<PropertyResult> results;
  Statistics statistics;
  std::vector<std::string> warnings;
  std::vector<ActionId> never_enabled;     ///< known only after a complete search
  std::vector<std::uint64_t> level_sizes;  ///< new states on each BFS level
};

}  // namespace tideline
