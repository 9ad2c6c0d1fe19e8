// The progress line: redrawn in place on stderr when that is a terminal, and erased before anything else is
// said. In a pipe or a file there is none.
#pragma once

#include <atomic>

#include "run/budget.hpp"

namespace tideline::app {

class ProgressDisplay {
 public:
  explicit ProgressDisplay(bool wanted);
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;
  ~ProgressDisplay() { erase(); }

  void show(const RunStatus& progress);
  void erase();

 private:
  bool active_;
  std::atomic<bool> drawn_ = false;  ///< searches draw, and others speak, in threads of their own
};

}  // namespace tideline::app
