// Team: threads that do the same piece of work together, again and again.
//
// run(work) calls work(0), work(1), ... once each and returns when all have returned; the caller does the
// first. Between two runs the others look at a flag for a while, which is quick, and then sleep. One that
// comes late finds that another has done its share: a share that nobody has begun is anybody's, except the
// first. If the system refuses threads, those that there are do everything.
//
// Invariant: a share is claimed once in every run, so a thread that has claimed one knows that the run, and
// what it has to do, is still the present one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

namespace tideline {

class Team {
 public:
  explicit Team(unsigned shares);
  Team(const Team&) = delete;
  ~Team();

  unsigned shares() const { return shares_; }
  /// How many threads there are to do them.
  unsigned threads() const { return static_cast<unsigned>(helpers_.size()) + 1; }

  /// What work throws is thrown here when all have returned; if several do, what the first of them threw.
  void run(const std::function<void(unsigned)>& work);

 private:
  static constexpr std::size_t cache_line = 64;

  struct alignas(cache_line) Share {
    std::atomic<std::uint32_t> claimed{0};  // in which run
    std::exception_ptr failure;
  };

  void help(unsigned own, const std::stop_token& stop);
  /// True: it was this thread that did it.
  bool do_share(unsigned share, std::uint32_t run);

  unsigned shares_;
  std::unique_ptr<Share[]> share_;
  const std::function<void(unsigned)>* work_ = nullptr;
  alignas(cache_line) std::atomic<std::uint32_t> run_{0};
  alignas(cache_line) std::atomic<std::uint32_t> left_{0};
  std::vector<std::jthread> helpers_;
};

}  // namespace tideline
