// Patience: how a thread waits for what another thread is about to do. ShortLock: a lock for a few instructions. Meeting: threads
// wait for each other, again and again.
//
// The other one needs microseconds as a rule, so looking again at once is the quickest way. But where there are more
// threads than cores the other one may not be running at all, and then looking keeps a core from it. Who has looked for
// long sleeps for a moment: to yield instead costs a thread its share of the core where other processes want it, too.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace tideline {

class Patience {
 public:
  /// Between two looks.
  void wait() {
    if (looks_ == most_looks) return std::this_thread::sleep_for(std::chrono::microseconds(20));
    ++looks_;
#ifdef __SSE2__
    _mm_pause();
#endif
  }
  bool lost() const {
    return looks_ == most_looks;
  }

 private:
  static constexpr unsigned most_looks = 2000;
  unsigned looks_ = 0;
};

/// Returns when the flag has another value. To wake threads takes longer than most pieces of work, so this one sleeps only
/// after a while. Whoever changes the flag has to notify.
inline void wait_while(const std::atomic<std::uint32_t>& flag, std::uint32_t value) {
  for (Patience patience; !patience.lost(); patience.wait())
    if (flag.load(std::memory_order_acquire) != value) return;
  flag.wait(value, std::memory_order_acquire);
}

/// A mutex puts threads to sleep that have to wait, which takes longer than what they wait for here.
class ShortLock {
 public:
  void lock() {
    for (Patience patience; taken_.exchange(true, std::memory_order_acquire);)
      while (taken_.load(std::memory_order_relaxed)) patience.wait();
  }
  void unlock() { taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> taken_ = false;
};

/// What std::barrier does, except that threads look for a while before they sleep: where levels of a search take less than a
/// millisecond, waking sixteen threads twice for each takes as long as the search. It must stay until the threads have ended.
class Meeting {
 public:
  explicit Meeting(unsigned threads) : threads_(threads) {}

  /// Returns when as many threads have called it. What they did before happens before what any of them does after.
  void arrive_and_wait() {
    const std::uint32_t meeting = meetings_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 != threads_)
      return wait_while(meetings_, meeting);
    arrived_.store(0, std::memory_order_relaxed);
    meetings_.store(meeting + 1, std::memory_order_release);
    meetings_.notify_all();
  }

 private:
  unsigned threads_;
  alignas(64) std::atomic<unsigned> arrived_ = 0;
  alignas(64) std::atomic<std::uint32_t> meetings_ = 0;
};

}  // namespace tideline
