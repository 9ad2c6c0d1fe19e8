// The status display shows on stderr how far a run has come.
//
// For people it is a line that is redrawn in place when stderr is a terminal, and erased before anything else
// is printed; in a pipe or a file there is none. For programs it is one JSON object on each line, whatever
// stderr is: one at the end of every phase, and within a phase one a second.
#pragma once

#include <atomic>

#include "run/budget.hpp"

namespace tideline::app {

enum class StatusForm { none, line, json };

class StatusDisplay {
 public:
  explicit StatusDisplay(StatusForm form);
  StatusDisplay(const StatusDisplay&) = delete;
  StatusDisplay& operator=(const StatusDisplay&) = delete;
  ~StatusDisplay() { erase(); }

  /// Has budgets with these limits report to this display, which must outlive them.
  void watch(Budget::Limits& limits);
  void erase();

 private:
  void draw(const RunStatus& status);

  StatusForm form_;
  std::atomic<bool> drawn_ = false;  ///< searches draw, and others speak, in threads of their own
};

}  // namespace tideline::app
