#include "run/team.hpp"

#include "run/patience.hpp"

namespace tideline {

Team::Team(unsigned shares) : shares_(shares), share_(std::make_unique<Share[]>(shares)) {
  helpers_.reserve(shares);
  try {
    for (unsigned i = 1; i < shares; ++i)
      helpers_.emplace_back([this, i](const std::stop_token& stop) { help(i, stop); });
  } catch (const std::exception&) {  // no more threads, or no memory for one more
  }
}

Team::~Team() {
  for (std::jthread& helper : helpers_) helper.request_stop();
  run_.fetch_add(1, std::memory_order_release);
  run_.notify_all();
}

void Team::run(const std::function<void(unsigned)>& work) {
  work_ = &work;
  left_.store(shares_, std::memory_order_relaxed);
  const std::uint32_t run = run_.load(std::memory_order_relaxed) + 1;
  run_.store(run, std::memory_order_release);
  run_.notify_all();
  for (unsigned share = 0; share < shares_; ++share) do_share(share, run);
  for (std::uint32_t left; (left = left_.load(std::memory_order_acquire)) != 0;) wait_while(left_, left);
  for (unsigned share = 0; share < shares_; ++share)
    if (share_[share].failure) {
      const std::exception_ptr failure = share_[share].failure;
      for (unsigned i = share; i < shares_; ++i) share_[i].failure = nullptr;
      std::rethrow_exception(failure);
    }
}

void Team::help(unsigned own, const std::stop_token& stop) {
  for (std::uint32_t seen = 0;;) {
    wait_while(run_, seen);
    // In this order, because the destructor requests the stop first.
    const std::uint32_t run = run_.load(std::memory_order_acquire);
    if (stop.stop_requested()) return;
    if (run == seen) continue;
    seen = run;
    for (unsigned i = 0; i < shares_; ++i) {
      const unsigned share = (own + i) % shares_;
      if (share != 0) do_share(share, run);
    }
  }
}

bool Team::do_share(unsigned share, std::uint32_t run) {
  std::uint32_t before = run - 1;
  // A look first: to try takes the line away from the others.
  if (share_[share].claimed.load(std::memory_order_relaxed) != before) return false;
  if (!share_[share].claimed.compare_exchange_strong(before, run, std::memory_order_acq_rel)) return false;
  try {
    (*work_)(share);
  } catch (...) {
    share_[share].failure = std::current_exception();
  }
  if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) left_.notify_one();
  return true;
}

}  // namespace tideline
