// Patience: how a thread waits for what another thread is about to do.
//
// The other one needs microseconds as a rule, so looking again at once is the quickest way. But where there are more
// threads than cores the other one may not be running at all, and then looking keeps a core from it.
#pragma once

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
  bool lost() const { return looks_ == most_looks; }
  void begin_again() { looks_ = 0; }

 private:
  static constexpr unsigned most_looks = 2000;
  unsigned looks_ = 0;
};

}  // namespace tideline
