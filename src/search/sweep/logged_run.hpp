// From a record of a trace log to the run that ends there: the steps are read backwards from the log, and
// then taken again from the initial state.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "graph/graph.hpp"
#include "model/error.hpp"
#include "run/budget.hpp"
#include "run/outcome.hpp"
#include "store/trace_log.hpp"

namespace tideline {

/// Throws LimitReached.
template <Graph G>
Path logged_run(G& graph, TraceLog& log, LogNumber last, Budget& budget) {
  LimitCheck check_limits(&budget);
  std::vector<std::uint32_t> choices;
  for (LogNumber number = last; number != no_record;) {
    check_limits();
    const LogRecord record = log.read(number);
    choices.push_back(record.choice);
    number = record.parent;
  }
  std::reverse(choices.begin(), choices.end());

  const std::size_t bytes = graph.state_size();
  Path path;
  std::uint32_t skip = choices.front();
  graph.initial([&](const std::byte* state) {
    if (skip-- == 0) path.states.emplace_back(state, state + bytes);
  });
  for (std::size_t i = 1; i < choices.size() && path.states.size() == i; ++i) {
    check_limits();
    skip = choices[i];
    graph.successors(path.states[i - 1].data(), [&](const Step& step) {
      if (skip-- != 0 || !step.state) return;
      path.states.emplace_back(step.state, step.state + bytes);
      path.actions.push_back(step.action);
    });
  }
  if (path.states.size() != choices.size())
    throw Error(ErrorKind::internal, "the trace log does not fit the model");
  return path;
}

}  // namespace tideline
