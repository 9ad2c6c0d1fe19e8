// From a record of a trace log to the run that ends there: the moves are read backwards from the log, and
// then made again from the initial state. Some records at the beginning of a log may have a hash of their
// state in place of a choice: that of a search that did not know better.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "graph/graph.hpp"
#include "model/error.hpp"
#include "run/budget.hpp"
#include "run/outcome.hpp"
#include "store/hash.hpp"
#include "store/trace_log.hpp"

namespace tideline {

/// A stored state knows the number of its record by so many bytes: a million million states.
inline constexpr std::size_t logged_bytes = 5;

/// Both go by the same two words: a processor has to wait where it reads as one what it has just written as two.
inline void put_log_number(std::byte* to, LogNumber number) {
  const auto low = static_cast<std::uint32_t>(number);
  const auto high = static_cast<std::uint8_t>(number >> 32);
  std::memcpy(to, &low, sizeof low);
  std::memcpy(to + sizeof low, &high, sizeof high);
}
inline LogNumber get_log_number(const std::byte* from) {
  std::uint32_t low;
  std::uint8_t high;
  static_assert(sizeof low + sizeof high == logged_bytes);
  std::memcpy(&low, from, sizeof low);
  std::memcpy(&high, from + sizeof low, sizeof high);
  return LogNumber{high} << 32 | low;
}

/// What a record has of the hash of its state.
inline std::uint32_t logged_hash(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash);
}

/// How a state of a run was chosen: as in LogRecord, or by a part of its hash.
struct LoggedMove {
  std::uint32_t choice = 0;
  bool is_hash = false;
};

/// The run of these moves. Throws LimitReached.
template <Graph G>
Path run_of_moves(G& graph, const std::vector<LoggedMove>& moves, Budget& budget) {
  LimitCheck check_limits(&budget);
  const std::size_t bytes = graph.state_size();
  Path path;
  // Whether the state, the next one that is offered, is the one that the move leads to.
  std::uint32_t offered = 0;
  const auto is_meant = [&](const LoggedMove& move, const std::byte* state) {
    const std::uint32_t place = offered++;
    if (!state) return false;
    return move.is_hash ? logged_hash(StateHash{}(state, bytes)) == move.choice : place == move.choice;
  };
  graph.initial([&](const std::byte* state) {
    if (is_meant(moves.front(), state) && path.states.empty()) path.states.emplace_back(state, state + bytes);
  });
  for (std::size_t i = 1; i < moves.size() && path.states.size() == i; ++i) {
    check_limits();
    offered = 0;
    graph.successors(path.states[i - 1].data(), [&](const Step& step) {
      if (!is_meant(moves[i], step.state) || path.states.size() > i) return;
      path.states.emplace_back(step.state, step.state + bytes);
      path.actions.push_back(step.action);
    });
  }
  if (path.states.size() != moves.size()) throw Error(ErrorKind::io, "the trace log does not fit the model");
  return path;
}

/// `hashed`: records below this number have hashes. Throws LimitReached.
template <Graph G>
Path logged_run(G& graph, TraceLog& log, LogNumber last, Budget& budget, LogNumber hashed = 0) {
  LimitCheck check_limits(&budget);
  std::vector<LoggedMove> moves;
  for (LogNumber number = last; number != no_record;) {
    check_limits();
    const LogRecord record = log.read(number);
    moves.push_back({record.choice, number < hashed});
    if (record.parent != no_record && record.parent >= number)
      throw Error(ErrorKind::io,
                  "the trace log is damaged: a state comes before the one that it was found from");
    number = record.parent;
  }
  std::reverse(moves.begin(), moves.end());
  return run_of_moves(graph, moves, budget);
}

}  // namespace tideline
