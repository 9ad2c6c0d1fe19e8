#include "status_display.hpp"

#include <cstdio>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "colours.hpp"
#include "output.hpp"
#include "screen.hpp"
#include "signals.hpp"

namespace tideline::app {

namespace {

using namespace std::chrono_literals;
constexpr auto redraw_every = 250ms;
constexpr auto object_every = 1s;

/// At once: other threads may have something to say.
void print_object(const StatusView& view) {
  const std::string line = status_json(view) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace

StatusDisplay::StatusDisplay(StatusForm form)
    : form_(form == StatusForm::line && !stderr_redraws() ? StatusForm::none : form),
      reported_(Clock::now()),
      next_object_(reported_ + object_every) {
  latest_.phase = Phase::reading;
  try {
    thread_ = std::thread([this] { show_until_over(); });
  } catch (const std::system_error&) {
    // A system that refuses threads: reports are shown as they come.
  }
}

StatusDisplay::~StatusDisplay() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  wake();
  if (thread_.joinable()) thread_.join();
  screen().erase();
}

void StatusDisplay::watch(Budget::Limits& limits) {
  limits.on_status = [this](const RunStatus& status) { take(status); };
  limits.watched = form_ != StatusForm::none;
}

void StatusDisplay::erase() {
  const std::lock_guard lock(mutex_);
  visible_ = false;
  screen().erase();
}

void StatusDisplay::take(const RunStatus& status) {
  {
    const std::lock_guard lock(mutex_);
    const bool begins = !open_ || status.phase != latest_.phase || status.engine != latest_.engine;
    if (begins) rate_ = {};
    latest_ = status;
    reported_ = Clock::now();
    open_ = !status.ended;
    visible_ = true;
    if (open_) rate_.add(status.seconds, status.states);
    if (form_ == StatusForm::json && (begins || status.ended)) {
      next_object_ = reported_ + object_every;
      print_object({.status = status});
    }
  }
  if (!thread_.joinable()) show_what_is_due();
}

void StatusDisplay::show_until_over() {
  const auto is_over = [this] {
    const std::lock_guard lock(mutex_);
    return over_;
  };
  while (!is_over()) {
    wait_for_status_request(form_ == StatusForm::none ? std::nullopt : std::optional(redraw_every));
    try {
      show_what_is_due();
    } catch (const std::bad_alloc&) {
      // There may be more memory the next time.
    }
  }
}

void StatusDisplay::show_what_is_due() {
  bool asked = false, line = false, object = false;
  StatusView view;
  {
    const std::lock_guard lock(mutex_);
    if (over_) return;
    const unsigned requests = status_requests();
    asked = std::exchange(answered_, requests) != requests;
    line = form_ == StatusForm::line && visible_;
    object = form_ == StatusForm::json && open_ && Clock::now() >= next_object_;
    if (!asked && !line && !object) return;
    view = view_now();
    if (object) next_object_ = Clock::now() + object_every;
  }
  // Without the lock: searches do not wait until a terminal is ready.
  if (asked) print_to_stderr(status_line(view));
  if (object) print_object(view);
  if (line) screen().draw(status_line(view, Screen::width()));
}

/// The latest numbers, as of now.
StatusView StatusDisplay::view_now() {
  RunStatus status = latest_;
  const double since = std::chrono::duration<double>(Clock::now() - reported_).count();
  status.seconds += since;
  status.phase_seconds += since;
  status.memory_bytes = resident_bytes();
  if (open_) rate_.add(status.seconds, status.states);
  return {.status = status, .states_per_second = rate_.per_second()};
}

}  // namespace tideline::app
