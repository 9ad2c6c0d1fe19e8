#include "signals.hpp"

#include <csignal>

namespace tideline::app {

namespace {

std::atomic<bool> interrupt_seen{false};
std::atomic<bool> end_seen{false};  ///< it was not Ctrl-C
static_assert(std::atomic<bool>::is_always_lock_free, "set from a signal handler");

void on_signal(int signal) {
  if (signal != SIGINT) end_seen.store(true, std::memory_order_relaxed);
  interrupt_seen.store(true, std::memory_order_relaxed);
}

}  // namespace

void install_signal_handlers() {
  struct sigaction action {};
  action.sa_handler = on_signal;
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
}

const std::atomic<bool>& interrupted() {
  return interrupt_seen;
}

bool forgive_interrupt() {
  install_signal_handlers();
  interrupt_seen.store(false, std::memory_order_relaxed);
  if (!end_seen.load(std::memory_order_relaxed)) return true;
  interrupt_seen.store(true, std::memory_order_relaxed);
  return false;
}

}  // namespace tideline::app
