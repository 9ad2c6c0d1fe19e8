// The lines that were typed in earlier sessions: one per line, in $XDG_STATE_HOME/tideline/history or, without
// that variable, ~/.local/state/tideline/history.
//
// Nothing here is ever an error: where there is no home, or no permission, there is no history. A line is
// appended at once, so that sessions side by side lose nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tideline::app {

class HistoryFile {
 public:
  static constexpr std::size_t most_lines = 1000;

  HistoryFile();

  /// The last lines, oldest first. Shortens a file that has become too long.
  std::vector<std::string> load() const;
  void append(std::string_view line) const;

 private:
  std::string path_;  ///< empty: there is none
};

}  // namespace tideline::app
