// Crew: the threads that work on one search, and their supervisor.
//
// The thread that starts the crew does no work itself. It looks at the budget while the workers run, so that
// for limits, interrupts and the status line they only have to look at a flag. When the budget is
// exhausted, a worker runs out of memory, or one has found what all are looking for, the flag goes up and
// every worker returns as soon as it sees it.
//
// WorkPool is how workers share what is left to do. Each has a queue of its own and works from it without any
// synchronisation; when another has nothing left and waits at the pool, a worker that notices gives away half
// of its queue, unless that is short: waking a thread takes longer than expanding a few states, and where
// there is never more to do at a time than that, workers would pass it to and fro. The search is over when
// all wait.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <utility>
#include <vector>

#include "run/budget.hpp"
#include "store/concurrent_table.hpp"

namespace tideline {

/// As many as are expanded while a thread wakes up, if a caller does not say otherwise; also a good part of
/// the work for one worker.
constexpr std::uint32_t few_states = 256;

class Crew {
 public:
  explicit Crew(unsigned workers) : workers_(workers) {}

  unsigned workers() const { return workers_; }

  /// Calls work(0), work(1), ... each on a thread of its own, and returns when all have. `look` returns what
  /// to show meanwhile. A worker that throws ends the run for all: std::bad_alloc exhausts the budget,
  /// anything else is rethrown.
  void run(Budget& budget, const std::function<RunStatus()>& look, const std::function<void(unsigned)>& work);

  /// Likewise for work on a number of states that can be done by one worker after the other: few are worked on
  /// right here, which takes less time than starting threads. Throws what a worker throws, then.
  void run_for(std::uint64_t states, Budget& budget, const std::function<RunStatus()>& look,
               const std::function<void(unsigned)>& work);

  bool stopped() const { return stop_.stop_requested(); }
  void stop() { stop_.request_stop(); }
  std::stop_token token() const { return stop_.get_token(); }

 private:
  unsigned workers_;
  std::stop_source stop_;
};

enum class WorkOrder {
  bfs,  ///< what was found first is expanded first
  dfs,  ///< what was found last is
};

/// States to be expanded. Consecutive states share an entry, so a queue of states in the order of their
/// discovery takes no space.
class WorkQueue {
 public:
  bool empty() const { return ranges_.empty(); }
  std::uint64_t size() const { return size_; }

  void push(StateId id) {
    if (!ranges_.empty() && ranges_.back().first + ranges_.back().count == id)
      ++ranges_.back().count;
    else
      ranges_.push_back({id, 1});
    ++size_;
  }
  void push(const StateRange& range) {
    ranges_.push_back(range);
    size_ += range.count;
  }
  StateId pop(WorkOrder order) {
    --size_;
    if (order == WorkOrder::bfs) {
      StateRange& range = ranges_.front();
      const StateId id = range.first++;
      if (--range.count == 0) ranges_.pop_front();
      return id;
    }
    StateRange& range = ranges_.back();
    const StateId id = range.first + --range.count;
    if (range.count == 0) ranges_.pop_back();
    return id;
  }
  /// Takes half of the states out.
  std::vector<StateRange> split();
  std::deque<StateRange> take_all() {
    size_ = 0;
    return std::exchange(ranges_, {});
  }

 private:
  std::deque<StateRange> ranges_;
  std::uint64_t size_ = 0;
};

/// The same states in ranges of at most `most`.
template <class Ranges>
std::vector<StateRange> cut_ranges(const Ranges& ranges, std::uint32_t most) {
  std::vector<StateRange> pieces;
  for (StateRange range : ranges)
    while (range.count != 0) {
      const std::uint32_t count = std::min(range.count, most);
      pieces.push_back({range.first, count});
      range.first += count;
      range.count -= count;
    }
  return pieces;
}

/// How many of so many states a worker should take at a time: those who are early wait for one that has begun with a piece.
constexpr std::uint32_t piece_of(std::uint64_t states, unsigned workers) {
  constexpr std::uint64_t least = 16, pieces_for_each = 32;
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(states / (pieces_for_each * workers), least, few_states));
}

/// Calls visit(worker, begin, end) on all workers, for parts of 0, ..., count - 1 that begin at multiples of 64:
/// the words of a BitSet are in one part each.
template <class Visit>
void share_out(Crew& crew, Budget& budget, const std::function<RunStatus()>& look, std::uint64_t count,
               const Visit& visit) {
  constexpr std::uint64_t part = 1 << 14;
  std::atomic<std::uint64_t> next{0};
  crew.run_for(count, budget, look, [&](unsigned worker) {
    for (std::uint64_t begin; !crew.stopped() && (begin = next.fetch_add(part)) < count;)
      visit(worker, begin, std::min(begin + part, count));
  });
}

class WorkPool {
 public:
  /// A queue with at most `few` states is not shared.
  WorkPool(unsigned workers, std::stop_token stop, std::uint64_t few)
      : workers_(workers), stop_(std::move(stop)), few_(few) {}

  /// Gives half of the queue away if a worker waits for work, and the pool has none.
  void share(WorkQueue& queue) {
    if (waiting_.load(std::memory_order_relaxed) != 0 && queue.size() > few_ &&
        !stocked_.load(std::memory_order_relaxed))
      give(queue.split());
  }
  /// Waits until there is work. False: all workers wait, or the crew was stopped.
  bool take(WorkQueue& queue);

 private:
  void give(std::vector<StateRange> ranges);

  unsigned workers_;
  std::stop_token stop_;
  std::uint64_t few_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<StateRange> ranges_;
  std::atomic<unsigned> waiting_{0};
  std::atomic<bool> stocked_{false};
  bool over_ = false;
};

}  // namespace tideline
