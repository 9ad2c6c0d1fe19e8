#include "signals.hpp"

#include <semaphore.h>

#include <cerrno>
#include <ctime>

namespace tideline::app {

namespace {

std::atomic<bool> interrupt_seen{false};
std::atomic<bool> end_seen{false};  ///< it was not Ctrl-C
std::atomic<unsigned> requests{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<unsigned>::is_always_lock_free,
              "set from a signal handler");

/// Counts what wakes the thread that waits. A signal handler may post to it.
sem_t* waker() {
  static sem_t semaphore;
  static const bool ready = ::sem_init(&semaphore, 0, 0) == 0;
  (void)ready;
  return &semaphore;
}

void on_interrupt(int signal) {
  if (signal != SIGINT) end_seen.store(true, std::memory_order_relaxed);
  interrupt_seen.store(true, std::memory_order_relaxed);
}

void on_status_request(int) {
  const int error = errno;
  requests.fetch_add(1, std::memory_order_relaxed);
  wake();
  errno = error;
}

void answer_status_requests() {
  waker();  // the handler finds it ready
  struct sigaction action {};
  action.sa_handler = on_status_request;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(status_request, &action, nullptr);
#ifdef SIGINFO
  sigaction(SIGINFO, &action, nullptr);
#endif
}

}  // namespace

void install_signal_handlers() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  sigemptyset(&action.sa_mask);
  // Reset after the first: the second signal has its usual effect. No SA_RESTART: waiting for a line of
  // input ends too.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  sigaction(rank_interrupt, &action, nullptr);
  // nohup starts programs with this signal ignored: the run is to go on when its terminal is closed.
  struct sigaction before {};
  if (sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
    sigaction(SIGHUP, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  answer_status_requests();
}

const std::atomic<bool>& interrupted() {
  return interrupt_seen;
}

unsigned status_requests() {
  return requests.load(std::memory_order_relaxed);
}

void wait_for_status_request(std::optional<std::chrono::milliseconds> longest) {
  if (!longest) {
    while (::sem_wait(waker()) != 0 && errno == EINTR) {
    }
    return;
  }
  timespec until{};
  ::clock_gettime(CLOCK_MONOTONIC, &until);
  const auto total = std::chrono::nanoseconds(until.tv_nsec) + *longest;
  until.tv_sec += static_cast<std::time_t>(total / std::chrono::seconds(1));
  until.tv_nsec = static_cast<long>((total % std::chrono::seconds(1)).count());
  while (::sem_clockwait(waker(), CLOCK_MONOTONIC, &until) != 0 && errno == EINTR) {
  }
}

void wake() {
  ::sem_post(waker());
}

bool forgive_interrupt() {
  install_signal_handlers();
  interrupt_seen.store(false, std::memory_order_relaxed);
  if (!end_seen.load(std::memory_order_relaxed)) return true;
  interrupt_seen.store(true, std::memory_order_relaxed);
  return false;
}

}  // namespace tideline::app
