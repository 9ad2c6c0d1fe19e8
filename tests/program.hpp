// Runs the built program from a test: arguments in; exit code, stdout and stderr out.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tideline::test {

struct Result {
  int exit_code = -1;  ///< 128 + signal when a signal ended it
  std::string out;
  std::string err;
};

struct RunOptions {
  std::string input = {};
  std::string stdout_path = {};         ///< stdout goes to this file instead
  std::function<void()> in_child = {};  ///< called before the program starts (limits)
};

Result run(const std::vector<std::string>& arguments, const RunOptions& options = {});

/// Whether this machine has pseudo-terminals; a bare container may have none.
bool terminals_available();

struct TerminalOptions {
  std::vector<std::string> environment = {};  ///< more of it: "NO_COLOR=1"
  bool with_stdout = false;  ///< stdout is the terminal, too, and what appears there is `err`
  bool with_stderr = true;   ///< stderr is the terminal; else it goes where stdout goes
  unsigned short width = 0;  ///< columns; 0: unknown
};

/// A program whose stderr is a terminal, running.
class OnTerminal {
 public:
  explicit OnTerminal(const std::vector<std::string>& arguments, const TerminalOptions& options = {});
  ~OnTerminal();
  OnTerminal(const OnTerminal&) = delete;
  OnTerminal& operator=(const OnTerminal&) = delete;

  /// Reads what appears on the terminal until it contains the text or the program ends.
  bool wait_for(const std::string& text);
  /// All of it so far.
  const std::string& seen() const { return seen_; }
  void send(int signal);
  /// Another width, as when a window is resized.
  void resize(unsigned short width);
  /// Waits for the end; `err` is all that appeared on the terminal.
  Result finish();

 private:
  bool read_terminal();

  int terminal_ = -1;
  int out_ = -1;
  int pid_ = -1;
  std::string seen_;
};

/// A folder of its own, removed with everything in it.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path(const std::string& name = "") const;
  /// Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& text) const;
  std::string read(const std::string& name) const;
  std::vector<std::string> files() const;  ///< sorted names

 private:
  std::string path_;
};

/// Whether a part occurs in a text.
inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Models that several tests use.
extern const char* const peterson;  ///< correct mutual exclusion: 20 states; with named properties
extern const char* const overflow;  ///< a byte that is counted past 255
/// Many states without structure: neither they nor a diagram of them is small.
extern const char* const mixed_up;
extern const char* const endless;  ///< more states than can ever be visited
extern const char* const stuck;    ///< one step, then a deadlock
/// `count` switches that are flipped independently: 2^count states, and a small diagram.
std::string switches(int count);

}  // namespace tideline::test
