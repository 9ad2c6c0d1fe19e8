// The status display shows on stderr how far a run has come.
//
// For people it is a line that is redrawn in place when stderr is a terminal, and erased before anything else
// is printed; in a pipe or a file there is none. For programs it is one JSON object on each line, whatever
// stderr is: one at the beginning and at the end of every phase, and within a phase one a second. Whoever
// sends SIGUSR1 gets a line at once, whatever the form is.
//
// Searches only leave their numbers here. A thread of the display shows them, so that the time goes on where
// a phase has no numbers to tell, and no search waits for a slow terminal.
#pragma once

#include <chrono>
#include <mutex>
#include <thread>

#include "report/status.hpp"
#include "run/budget.hpp"

namespace tideline::app {

enum class StatusForm { none, line, json };

class StatusDisplay {
 public:
  explicit StatusDisplay(StatusForm form);
  StatusDisplay(const StatusDisplay&) = delete;
  StatusDisplay& operator=(const StatusDisplay&) = delete;
  ~StatusDisplay();

  /// Has budgets with these limits report to this display, which must outlive them.
  void watch(Budget::Limits& limits);
  /// Ends the line; it does not come back before something else is reported.
  void erase();

 private:
  using Clock = std::chrono::steady_clock;

  void take(const RunStatus& status);
  void show_until_over();
  void show_what_is_due();
  StatusView view_now();

  StatusForm form_;
  std::mutex mutex_;  ///< guards what follows
  RunStatus latest_;
  Clock::time_point reported_;     ///< when latest_ was
  Clock::time_point next_object_;  ///< for programs
  RateMeter rate_;
  bool open_ = false;     ///< a phase has begun, and not ended
  bool visible_ = false;  ///< something was reported since the line was erased
  bool over_ = false;
  unsigned answered_ = 0;  ///< requests
  std::thread thread_;
};

}  // namespace tideline::app
