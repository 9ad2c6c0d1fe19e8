// Population: which processes can exist at the same time, and under which numbers.
//
// A state vector has a fixed size, so every process that can ever run needs its place in it. Processes are numbered by a
// stack: `run` takes the first free number, and only the process with the highest number can be removed. So the question
// is which stacks of processes there can be, and that is answered by exploring the model with everything left out but
// runs, ends and what is known of a process's own variables (a loop that starts N processes counts with one of them).
// What is not known is taken to be possible: the answer contains at least all stacks that occur.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "lang/promela/ast.hpp"
#include "lang/promela/control.hpp"

namespace tideline::promela {

using ControlGraphs = std::map<const Process*, ControlGraph>;

struct Population {
  /// By number: the proctypes that can have it.
  std::vector<std::vector<const Process*>> types;
  /// Those that are there from the beginning.
  std::vector<const Process*> initial;
  /// (number and proctype of the one that runs it, the step) to the numbers that the new process can have.
  std::map<std::tuple<std::uint32_t, const Process*, const ControlStep*>, std::set<std::uint32_t>> started;
  /// Some run may need a number that is not in `types`.
  bool is_cut = false;
};

Population population(const Program& program, const ControlGraphs& graphs, std::uint32_t most_processes);

/// The run of a statement, or nothing: `run P()` and `x = run P()`.
const Ex* run_of(const Statement* statement);

}  // namespace tideline::promela
