// How a sweep takes over from a search that has kept all states so far: a part of sweep.hpp.
//
// Every state that the other search has found is expanded, or waits. Those that wait go into their layers, and the sweep
// begins at the first of these. Those that are expanded count as passed by an earlier sweep: they are written to disk, and
// read back when the line comes to their layer (store/passed_states.hpp). So no state is expanded twice, and memory holds
// only what waits. A sweep without passed states keeps them in memory where the line has not passed yet; those behind it
// may be met and expanded again, as all that is forgotten.
//
// The log of runs begins with one record for each state that was found, which has a hash of the state in place of a
// choice. What the other search has told its observer is not told again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "search/sweep/sweep.hpp"

namespace tideline {

template <ProgressGraph G, class Watch>
void SweepSearch<G, Watch>::take_over(const FoundStates& found, Budget& budget) {
  LimitCheck check_limits(&budget);
  took_over_ = true;
  if (options_.log)
    for (std::uint64_t id = 0; id < found.count; ++id) {
      check_limits();
      log_found(found, static_cast<StateId>(id));
    }
  hashed_ = options_.log ? found.count : 0;
  if (!write_expanded(found, check_limits)) keep_expanded(found, check_limits);
  for (std::uint64_t id = found.expanded; id < found.count; ++id) {
    check_limits();
    put_found(found, static_cast<StateId>(id));
  }
  counts_ = {.expansions = found.expanded,
             .transitions = found.result.transitions,
             .deadlocks = found.result.deadlocks};
  result_ = found.result;
}

/// To disk. False: that is not possible.
template <ProgressGraph G, class Watch>
bool SweepSearch<G, Watch>::write_expanded(const FoundStates& found, LimitCheck& check_limits) {
  if (!passed_states_) return false;
  std::vector<std::pair<Progress, StateId>> expanded;
  expanded.reserve(found.expanded);
  for (std::uint64_t i = 0; i < found.expanded; ++i) {
    check_limits();
    const auto id = static_cast<StateId>(i);
    expanded.emplace_back(graph_.progress(found.state(id)), id);
  }
  passed_states_->append_sorted(expanded, found.state);
  passed_states_->end_sweep();
  return passed_states_->complete();
}

/// In memory.
template <ProgressGraph G, class Watch>
void SweepSearch<G, Watch>::keep_expanded(const FoundStates& found, LimitCheck& check_limits) {
  const auto progress = [&](std::uint64_t id) {
    check_limits();
    return graph_.progress(found.state(static_cast<StateId>(id)));
  };
  Progress first = ~Progress{0};
  for (std::uint64_t id = found.expanded; id < found.count; ++id)
    first = std::min<Progress>(first, progress(id));
  for (std::uint64_t id = 0; id < found.expanded; ++id)
    if (progress(id) >= first) put_found(found, static_cast<StateId>(id));
}

template <ProgressGraph G, class Watch>
void SweepSearch<G, Watch>::put_found(const FoundStates& found, StateId id) {
  const std::byte* const state = found.state(id);
  const std::uint64_t hash = StateHash{}(state, state_bytes_);
  const Progress progress = graph_.progress(state);
  Layers& part = layers_.of(hash);
  Layer& layer = part.at(progress);
  const StateId own = part.insert_passing(layer, state, hash).id;
  if (options_.log)
    put_log_number(layer.passing.extra(own), id);  // numbers of the log are those of the states
  if (id < found.expanded) part.note_expanded(layer);
  part.make_due(progress, layer);  // what is expanded has to be passed, too
}

template <ProgressGraph G, class Watch>
void SweepSearch<G, Watch>::log_found(const FoundStates& found, StateId id) {
  const StateId parent = found.parent(id);
  const std::uint64_t hash = StateHash{}(found.state(id), state_bytes_);
  options_.log->append(parent == no_state ? no_record : parent, logged_hash(hash));
}

}  // namespace tideline
