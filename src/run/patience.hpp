// Patience: how a thread waits for what another thread is about to do. ShortLock: a lock for a few instructions.
//
// The other one needs microseconds as a rule, so looking again at once is the quickest way. But where there are more
// threads than cores the other one may not be running at all, and then looking keeps a core from it.
#pragma once

#include <atomic>
#include <thread>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace tideline {

class Patience {
 public:
  /// Between two looks.
  void wait() {
    if (looks_ == most_looks) return std::this_thread::yield();
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

}  // namespace tideline
