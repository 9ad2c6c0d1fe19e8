// The status line shows how far a run has come. It is redrawn in place on stderr when that is a terminal, and
// erased before anything else is printed. In a pipe or a file there is none.
#pragma once

#include <atomic>

#include "run/budget.hpp"

namespace tideline::app {

class StatusLine {
 public:
  explicit StatusLine(bool wanted);
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;
  ~StatusLine() { erase(); }

  bool active() const { return active_; }
  void show(const RunStatus& status);
  void erase();

 private:
  bool active_;
  std::atomic<bool> drawn_ = false;  ///< searches draw, and others speak, in threads of their own
};

}  // namespace tideline::app
