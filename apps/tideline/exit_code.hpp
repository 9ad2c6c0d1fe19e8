// What the program's exit code says. docs/tideline.1 promises these to scripts.
#pragma once

namespace tideline::app {

enum ExitCode : int {
  exit_holds = 0,      ///< everything asked holds, or has the verdict its author expects
  exit_violated = 1,   ///< something is violated, not as expected, or (trace) does not replay
  exit_bad_input = 2,  ///< bad usage, bad input, a file that cannot be read or written
  exit_unknown = 3,    ///< a limit was reached or the run was interrupted
  exit_internal = 4,   ///< an internal error
};

}  // namespace tideline::app
