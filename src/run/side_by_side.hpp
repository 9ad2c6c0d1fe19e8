// Independent tasks side by side: by several threads, as far as the memory allows.
//
// Threads take the tasks in order, and each thread has a budget of its own with the limits of all. Tasks at
// once need more memory than one after the other. So when half of the memory limit is in use, only the first
// of the tasks at work goes on. Those after it are dropped, even if they are done, and the caller does them
// later, one after the other, as one thread would have: threads may then save no time, but they never cost an
// answer.
//
// A task is dropped as well when it throws. The caller meets the exception when it does the task itself, if
// it still has to by then.
//
// Invariant: a task is begun only after all before it. So the first of the tasks at work is the first of all
// that are not over.
#pragma once

#include <cstddef>
#include <functional>

#include "run/budget.hpp"

namespace tideline {

struct IndependentTasks {
  std::size_t count = 0;
  /// Does a task, and ends early, without an exception or with LimitReached, when the budget is exhausted.
  /// Returns whether the tasks after it need not be done. Called by several threads, for different tasks.
  std::function<bool(std::size_t task, Budget& budget)> run;
  /// Forgets what the task has done, and gives its memory back. Called likewise.
  std::function<void(std::size_t task)> drop;
};

/// Whether there is memory for tasks side by side: less than half of what is allowed is in use.
bool has_memory_for_several(const Budget& budget);

/// Does tasks by so many threads. After that each task is done, was dropped, was never begun, or was left where
/// it was because the budget is exhausted: the caller does what is left. One thread: nothing is done here.
void run_side_by_side(unsigned threads, const IndependentTasks& tasks, Budget& budget);

}  // namespace tideline
