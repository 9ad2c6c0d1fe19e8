// Lines from somebody at a terminal: with editing, history and completion, by libedit.
//
// A build without libedit reads plain lines, as the terminal's driver edits them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tideline::app {

class LineEditor {
 public:
  struct Completion {
    std::size_t begin = 0;  ///< where in the line the word begins that `words` complete
    std::vector<std::string> words = {};
  };
  /// What can stand at the end of a line that begins like this.
  using Complete = std::function<Completion(std::string_view)>;

  explicit LineEditor(Complete complete);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  /// A line without its end; empty when Ctrl-C was pressed. Nothing: Ctrl-D, or the program was told to end.
  std::optional<std::string> read(const std::string& prompt);

  /// Whether this build has more than plain lines.
  static bool edits_lines();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tideline::app
