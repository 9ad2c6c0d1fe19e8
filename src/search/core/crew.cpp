#include "search/core/crew.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <latch>
#include <new>
#include <system_error>
#include <thread>

#include "search/core/observer.hpp"

namespace tideline {

namespace {
constexpr auto look_every = std::chrono::milliseconds(5);
}

void Crew::run(Budget& budget, const std::function<RunStatus()>& look,
               const std::function<void(unsigned)>& work) {
  if (stopped() || budget.exhausted(look())) {
    stop();
    return;
  }
  std::mutex mutex;
  std::condition_variable ended;
  unsigned running = 0;
  // Workers may wait for each other, so either all of them work or none. A late one works even if another has
  // stopped the crew by then.
  std::latch all_here(1);
  bool complete = false;
  bool out_of_memory = false;
  std::exception_ptr failure;

  const auto body = [&](unsigned worker) {
    try {
      all_here.wait();
      if (complete) work(worker);
    } catch (...) {
      const std::scoped_lock lock(mutex);
      try {
        throw;
      } catch (const std::bad_alloc&) {
        out_of_memory = true;
      } catch (...) {
        failure = std::current_exception();
      }
      stop();
    }
    const std::scoped_lock lock(mutex);
    --running;
    ended.notify_one();
  };

  std::vector<std::jthread> threads;
  try {
    for (; running < workers_; ++running) threads.emplace_back(body, running);
  } catch (const std::bad_alloc&) {
    out_of_memory = true;
  } catch (const std::system_error&) {  // no more threads
  }
  const unsigned started = running;
  complete = started == workers_;
  if (!complete) stop();
  all_here.count_down();
  for (std::unique_lock lock(mutex); !ended.wait_for(lock, look_every, [&] { return running == 0; });) {
    lock.unlock();
    if (!stopped() && budget.exhausted(look())) stop();
    lock.lock();
  }
  threads.clear();
  if (failure) std::rethrow_exception(failure);
  if (out_of_memory)
    budget.exhaust_memory();
  else if (!complete)
    budget.exhaust(fmt::format("only {} of {} threads could be started", started, workers_));
}

void Crew::run_for(std::uint64_t states, Budget& budget, const std::function<RunStatus()>& look,
                   const std::function<void(unsigned)>& work) {
  if (states > few_states) return run(budget, look, work);
  if (budget.exhausted(look())) stop();
  for (unsigned worker = 0; worker < workers_ && !stopped(); ++worker) work(worker);
}

std::vector<StateRange> WorkQueue::split() {
  std::vector<StateRange> half;
  std::uint64_t wanted = size_ / 2;
  while (wanted != 0) {
    StateRange& range = ranges_.front();
    const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, range.count));
    half.push_back({range.first, count});
    range.first += count;
    range.count -= count;
    if (range.count == 0) ranges_.pop_front();
    wanted -= count;
    size_ -= count;
  }
  return half;
}

void WorkPool::give(std::vector<StateRange> ranges) {
  const std::scoped_lock lock(mutex_);
  ranges_.insert(ranges_.end(), ranges.begin(), ranges.end());
  stocked_.store(true, std::memory_order_relaxed);
  changed_.notify_one();
}

bool WorkPool::take(WorkQueue& queue) {
  std::unique_lock lock(mutex_);
  if (ranges_.empty()) {
    if (waiting_.fetch_add(1, std::memory_order_relaxed) + 1 == workers_) {
      over_ = true;
      changed_.notify_all();
    }
    changed_.wait(lock, stop_, [&] { return over_ || !ranges_.empty(); });
    waiting_.fetch_sub(1, std::memory_order_relaxed);
  }
  if (over_ || stop_.stop_requested()) return false;
  // Waiting workers share what was given: each takes a fair part of it, at least one range.
  const std::size_t part =
      std::max<std::size_t>(1, ranges_.size() / (waiting_.load(std::memory_order_relaxed) + 1));
  for (std::size_t i = 0; i < part; ++i) {
    queue.push(ranges_.back());
    ranges_.pop_back();
  }
  stocked_.store(!ranges_.empty(), std::memory_order_relaxed);
  if (!ranges_.empty()) changed_.notify_one();
  return true;
}

}  // namespace tideline
