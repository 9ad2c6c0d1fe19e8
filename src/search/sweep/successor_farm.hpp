// SuccessorFarm: several threads expand states, and one thread looks at their successors in order.
//
// Stepping the model, measuring and hashing what comes out takes the larger part of a sweep's time, and
// depends only on the state that is expanded. So that part is given to other threads, a few states at a time;
// the thread that runs the search takes the results in the order in which it handed the states out, stores
// them, and expands states itself whenever the others are behind. A search whose next state does not depend
// on pending results, as in a sweep, does exactly the same things in the same order whatever the number of
// threads: its runs, counts and logs do not depend on it.
//
// A portion is free, ready (states are in it), taken (some thread expands them) or done. Portions form a ring
// that is filled and emptied in order by the searching thread; any thread may take any ready one.
//
// With one thread nothing is handed out and nothing is copied.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "graph/progress.hpp"
#include "store/hash.hpp"

namespace tideline {

template <ProgressGraph G>
class SuccessorFarm {
 public:
  /// The graph is used by the searching thread; the others have copies. If the system refuses threads, the
  /// existing ones do the work.
  SuccessorFarm(G& graph, unsigned threads) : graph_(graph), state_bytes_(graph.state_size()) {
    if (threads < 2) return;
    ring_ = std::make_unique<std::array<Portion, ring_size>>();
    helpers_.reserve(threads - 1);
    try {
      for (unsigned i = 1; i < std::min(threads, most_threads); ++i)
        helpers_.emplace_back([this, own = graph](const std::stop_token& stop) mutable { help(own, stop); });
    } catch (const std::exception&) {  // no more threads, or no memory for one more
    }
  }
  SuccessorFarm(const SuccessorFarm&) = delete;
  ~SuccessorFarm() {
    for (std::jthread& helper : helpers_) helper.request_stop();
    published_.fetch_add(1, std::memory_order_release);
    published_.notify_all();
  }

  /// Expands what next() returns, until that is nullptr and everything is visited. For each state, in order,
  /// visit(state, successors) is called, where successors(sink) calls sink(step, progress, hash) for every
  /// step; progress and hash are valid for steps that have a state. next() is called again after every visit.
  template <class Next, class Visit>
  void run(const Next& next, const Visit& visit) {
    if (helpers_.empty()) {
      while (std::byte* const state = next())
        visit(state, [&](const auto& sink) { step(graph_, state, sink); });
      return;
    }
    try {
      run_in_portions(next, visit);
    } catch (...) {
      abandon();
      throw;
    }
  }

 private:
  enum Status : std::uint32_t { free, ready, taken, done };

  struct Portion {
    std::atomic<std::uint32_t> status{free};
    std::vector<std::byte*> states;
    std::vector<std::uint32_t> counts;  // of steps, by state
    std::vector<std::byte> steps;
    std::exception_ptr failure;
  };
  struct Record {
    Step step;
    Progress progress = 0;
    std::uint64_t hash = 0;
  };

  static constexpr unsigned most_threads = 6;  // more compute faster than one can store
  static constexpr std::size_t ring_size = 16;
  static constexpr std::size_t portion_states = 48;
  static constexpr unsigned patience = 4000;  // looks at a flag before going to sleep

  template <class Sink>
  void step(G& graph, const std::byte* state, const Sink& sink) const {
    graph.successors(state, [&](const Step& s) {
      if (s.state)
        sink(s, graph.progress(s.state), StateHash{}(s.state, state_bytes_));
      else
        sink(s, 0, 0);
    });
  }

  template <class Next, class Visit>
  void run_in_portions(const Next& next, const Visit& visit) {
    std::uint64_t first = 0, end = 0;  // portions in use; positions in the ring are modulo its size
    while (true) {
      while (end - first < ring_size && fill(at(end), next)) ++end;
      if (first == end) return;
      Portion& oldest = at(first);
      while (oldest.status.load(std::memory_order_acquire) != done) work_or_wait(first, end);
      if (oldest.failure) std::rethrow_exception(std::exchange(oldest.failure, nullptr));
      look_at(oldest, visit);
      oldest.status.store(free, std::memory_order_relaxed);
      ++first;
    }
  }

  Portion& at(std::uint64_t position) { return (*ring_)[position % ring_size]; }

  template <class Next>
  bool fill(Portion& portion, const Next& next) {
    portion.states.clear();
    while (portion.states.size() < portion_states) {
      std::byte* const state = next();
      if (!state) break;
      portion.states.push_back(state);
    }
    if (portion.states.empty()) return false;
    portion.status.store(ready, std::memory_order_release);
    published_.fetch_add(1);  // ordered with sleeping_: a thread that goes to sleep has seen it, or is woken
    if (sleeping_.load() != 0) published_.notify_all();
    return true;
  }

  template <class Visit>
  void look_at(const Portion& portion, const Visit& visit) {
    const std::byte* at = portion.steps.data();
    for (std::size_t i = 0; i < portion.states.size(); ++i)
      visit(portion.states[i], [&](const auto& sink) {
        for (std::uint32_t n = 0; n < portion.counts[i]; ++n) {
          Record record;
          std::memcpy(&record, at, sizeof record);
          at += sizeof record;
          if (record.step.state) {
            record.step.state = at;
            at += padded();
          }
          sink(record.step, record.progress, record.hash);
        }
      });
  }
  std::size_t padded() const { return (state_bytes_ + 7) / 8 * 8; }

  void work_or_wait(std::uint64_t first, std::uint64_t end) {
    for (std::uint64_t i = first; i < end; ++i)
      if (take(at(i))) return expand(graph_, at(i));
    Portion& oldest = at(first);
    for (unsigned i = 0; i < patience; ++i)
      if (oldest.status.load(std::memory_order_acquire) == done) return;
    oldest.status.wait(taken, std::memory_order_acquire);
  }

  static bool take(Portion& portion) {
    std::uint32_t expected = ready;
    return portion.status.load(std::memory_order_relaxed) == ready &&
           portion.status.compare_exchange_strong(expected, taken, std::memory_order_acquire);
  }

  void expand(G& graph, Portion& portion) {
    try {
      portion.counts.assign(portion.states.size(), 0);
      portion.steps.clear();
      for (std::size_t i = 0; i < portion.states.size(); ++i)
        step(graph, portion.states[i], [&](const Step& s, Progress progress, std::uint64_t hash) {
          ++portion.counts[i];
          const Record record{s, progress, hash};
          const auto* const bytes = reinterpret_cast<const std::byte*>(&record);
          portion.steps.insert(portion.steps.end(), bytes, bytes + sizeof record);
          if (!s.state) return;
          portion.steps.insert(portion.steps.end(), s.state, s.state + state_bytes_);
          portion.steps.resize(portion.steps.size() + padded() - state_bytes_);
        });
    } catch (...) {
      portion.failure = std::current_exception();
    }
    portion.status.store(done, std::memory_order_release);
    portion.status.notify_one();
  }

  void help(G& graph, const std::stop_token& stop) {
    while (true) {
      // In this order, because the destructor requests the stop first and then publishes.
      const std::uint32_t seen = published_.load(std::memory_order_acquire);
      if (stop.stop_requested()) return;
      bool worked = false;
      for (Portion& portion : *ring_)
        if (take(portion)) {
          expand(graph, portion);
          worked = true;
        }
      if (worked) continue;
      for (unsigned i = 0; i < patience && published_.load(std::memory_order_relaxed) == seen; ++i) {
      }
      if (published_.load(std::memory_order_relaxed) != seen) continue;
      ++sleeping_;
      published_.wait(seen);
      --sleeping_;
    }
  }

  /// After an exception in the searching thread: waits for what others have taken and drops the rest.
  void abandon() {
    for (Portion& portion : *ring_) {
      if (take(portion)) portion.status.store(free, std::memory_order_relaxed);
      portion.status.wait(taken, std::memory_order_acquire);
      portion.status.store(free, std::memory_order_relaxed);
      portion.failure = nullptr;
    }
  }

  G& graph_;
  std::size_t state_bytes_;
  std::unique_ptr<std::array<Portion, ring_size>> ring_;
  std::atomic<std::uint32_t> published_{0};
  std::atomic<unsigned> sleeping_{0};
  std::vector<std::jthread> helpers_;
};

}  // namespace tideline
