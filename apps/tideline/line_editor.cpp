// How signals are handled. libedit would install handlers of its own and pass signals on to the whole process
// group. Instead our function that reads a character waits for one or for a signal, whichever comes first: Ctrl-C
// becomes a character that is bound to "forget this line", a changed window is measured again, and a process that
// was stopped and goes on sets up its terminal again. All of these signals are blocked except while it waits, so
// that none comes between looking and waiting.
//
// While a command runs the terminal is in its usual mode, in which the driver takes Ctrl-D as the end of the input and
// keeps a zero byte for it. What was typed until then is read here as it is, so that zero becomes Ctrl-D again.
#include "line_editor.hpp"

#include <unistd.h>

#include <iostream>

#include "output.hpp"
#include "signals.hpp"

#ifdef TIDELINE_HAS_LIBEDIT
#include <histedit.h>
#include <poll.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cwchar>

#include "history_file.hpp"
#endif

namespace tideline::app {

#ifdef TIDELINE_HAS_LIBEDIT

namespace {

constexpr wchar_t end_of_line_key = 5;  // Ctrl-E
constexpr wchar_t interrupt_key = 3;    // Ctrl-C
constexpr char end_of_input_key = 4;    // Ctrl-D
std::atomic<bool> window_changed{false}, continued{false};

void on_window_signal(int signal) {
  (signal == SIGWINCH ? window_changed : continued).store(true, std::memory_order_relaxed);
}

/// Handles two more signals, and blocks all that we handle, for as long as a line is edited.
class EditingSignals {
 public:
  EditingSignals() {
    struct sigaction action {};
    action.sa_handler = on_window_signal;
    sigemptyset(&action.sa_mask);
    sigaction(SIGWINCH, &action, &window_before_);
    sigaction(SIGCONT, &action, &continue_before_);
    sigset_t handled;
    sigemptyset(&handled);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGCONT}) sigaddset(&handled, signal);
    sigprocmask(SIG_BLOCK, &handled, &mask_before_);
  }
  ~EditingSignals() {
    sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
    sigaction(SIGWINCH, &window_before_, nullptr);
    sigaction(SIGCONT, &continue_before_, nullptr);
  }
  EditingSignals(const EditingSignals&) = delete;
  EditingSignals& operator=(const EditingSignals&) = delete;

  const sigset_t& while_waiting() const { return mask_before_; }

 private:
  struct sigaction window_before_ {
  }, continue_before_{};
  sigset_t mask_before_{};
};

std::string common_beginning(const std::vector<std::string>& words) {
  std::string common = words.front();
  for (const std::string& word : words) {
    const auto end = std::mismatch(common.begin(), common.end(), word.begin(), word.end()).first;
    common.erase(end, common.end());
  }
  return common;
}

/// In as many columns as fit, at most `rows` rows.
std::string in_columns(const std::vector<std::string>& words, std::size_t width, std::size_t rows) {
  std::size_t widest = 0;
  for (const std::string& word : words) widest = std::max(widest, word.size());
  const std::size_t columns = std::max<std::size_t>(1, width / (widest + 2));
  const std::size_t height = std::min((words.size() + columns - 1) / columns, rows);
  const std::size_t shown = std::min(words.size(), height * columns);
  std::string text;
  for (std::size_t row = 0; row < height; ++row) {
    for (std::size_t i = row; i < shown; i += height)
      text += words[i] + (i + height < shown ? std::string(widest + 2 - words[i].size(), ' ') : "");
    text += "\n";
  }
  if (shown < words.size()) text += "... " + std::to_string(words.size() - shown) + " more\n";
  return text;
}

}  // namespace

struct LineEditor::Parts {
  explicit Parts(Complete complete_word) : complete(std::move(complete_word)) {
    // Wide characters are read as the user's locale has them; a C locale would refuse letters with accents.
    std::setlocale(LC_CTYPE, "");
    if (MB_CUR_MAX == 1) std::setlocale(LC_CTYPE, "C.UTF-8");
    editor = ::el_init("tideline", stdin, stdout, stderr);
    past = ::history_init();
    HistEvent event;
    ::history(past, &event, H_SETSIZE, static_cast<int>(HistoryFile::most_lines));
    ::history(past, &event, H_SETUNIQUE, 1);
    for (const std::string& line : file.load()) ::history(past, &event, H_ENTER, line.c_str());
    set_up();
  }
  ~Parts() {
    ::el_end(editor);
    ::history_end(past);
  }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  static Parts& of(EditLine* editor) {
    void* data = nullptr;
    ::el_get(editor, EL_CLIENTDATA, &data);
    return *static_cast<Parts*>(data);
  }

  void set_up() {
    ::el_set(editor, EL_CLIENTDATA, this);
    ::el_set(editor, EL_EDITOR, "emacs");
    ::el_source(editor, nullptr);  // ~/.editrc, which may prefer the keys of vi
    ::el_set(editor, EL_SIGNAL, 0);
    ::el_set(
        editor, EL_PROMPT, +[](EditLine* e) { return of(e).prompt.data(); });
    ::el_set(editor, EL_HIST, ::history, past);
    ::el_set(
        editor, EL_GETCFN, +[](EditLine* e, wchar_t* c) { return of(e).next_character(*c); });
    ::el_set(
        editor, EL_ADDFN, "tideline-complete", "Complete the word",
        +[](EditLine* e, int) { return of(e).complete_here(); });
    ::el_set(
        editor, EL_ADDFN, "tideline-forget", "Forget the line",
        +[](EditLine* e, int) { return of(e).forget_line(); });
    bind("^I", "tideline-complete");
    bind("^C", "tideline-forget");
    bind("^R", "em-inc-search-prev");
    bind("^W", "ed-delete-prev-word");
    for (const char* up : {"\\e[A", "\\eOA"}) bind(up, "ed-search-prev-history");
    for (const char* down : {"\\e[B", "\\eOB"}) bind(down, "ed-search-next-history");
    for (const char* home : {"\\e[H", "\\eOH", "\\e[1~"}) bind(home, "ed-move-to-beg");
    for (const char* end : {"\\e[F", "\\eOF", "\\e[4~"}) bind(end, "ed-move-to-end");
    bind("\\e[3~", "ed-delete-next-char");
    bind("\\e[1;5C", "em-next-word");
    bind("\\e[1;5D", "ed-prev-word");
  }

  void bind(const char* key, const char* function) { ::el_set(editor, EL_BIND, key, function, nullptr); }

  /// For libedit: 1 with a character, 0 at the end, -1 when nothing can be read.
  int next_character(wchar_t& character) {
    std::mbstate_t state{};
    for (int bytes = 0; bytes < MB_LEN_MAX; ++bytes) {
      while (!forgetting && !wait_for_byte())
        if (interrupted()) {
          if (!forgive_interrupt()) return 0;
          // First to the end of the line, which may have several rows.
          forgetting = true;
          character = end_of_line_key;
          return 1;
        }
      if (forgetting) {
        forgetting = false;
        character = interrupt_key;
        return 1;
      }
      char byte = 0;
      const ssize_t got = ::read(STDIN_FILENO, &byte, 1);
      if (got <= 0) return static_cast<int>(got);
      if (typed_before > 0) {
        --typed_before;
        if (byte == 0) byte = end_of_input_key;
      }
      const std::size_t used = std::mbrtowc(&character, &byte, 1, &state);
      if (used == static_cast<std::size_t>(-2)) continue;
      if (used == static_cast<std::size_t>(-1)) character = L'?';
      return 1;
    }
    character = L'?';
    return 1;
  }

  /// False: there was a signal instead.
  bool wait_for_byte() {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    const int ready = interrupted() ? -1 : ::ppoll(&input, 1, nullptr, &signals->while_waiting());
    if (ready >= 0) return true;
    if (window_changed.exchange(false)) ::el_resize(editor);
    if (continued.exchange(false)) {
      // The shell has changed the terminal meanwhile, of which libedit does not know.
      ::el_set(editor, EL_PREP_TERM, 0);
      ::el_set(editor, EL_PREP_TERM, 1);
      ::el_set(editor, EL_REFRESH);
    }
    return false;
  }

  unsigned char forget_line() {
    std::fputs("^C\n", stdout);
    std::fflush(stdout);
    forgotten = true;
    return CC_NEWLINE;
  }

  unsigned char complete_here() {
    const LineInfo* line = ::el_line(editor);
    const std::string text(line->buffer, static_cast<std::size_t>(line->cursor - line->buffer));
    const Completion found = complete(text);
    if (found.words.empty()) return CC_REFRESH_BEEP;
    const std::string common = common_beginning(found.words);
    const std::size_t typed = text.size() - found.begin;
    std::string more = common.substr(std::min(typed, common.size()));
    // A name that is complete ends with a blank; after a folder or a process more may follow.
    const bool only_one = found.words.size() == 1;
    if (only_one && !common.ends_with('/') && line->cursor == line->lastchar) more += ' ';
    if (!more.empty()) {
      ::el_insertstr(editor, more.c_str());
      return CC_REFRESH;
    }
    winsize window{};
    ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window);
    std::fputs(("\n" + in_columns(found.words, window.ws_col ? window.ws_col : 80U,
                                  window.ws_row > 8 ? window.ws_row - 4U : 20U))
                   .c_str(),
               stdout);
    std::fflush(stdout);
    return CC_REDISPLAY;
  }

  void remember(const std::string& line) {
    if (line.find_first_not_of(" \t") == std::string::npos) return;
    HistEvent event;
    const bool repeated = ::history(past, &event, H_FIRST) == 0 && line == event.str;
    ::history(past, &event, H_ENTER, line.c_str());
    if (!repeated) file.append(line);
  }

  Complete complete;
  EditLine* editor = nullptr;
  History* past = nullptr;
  HistoryFile file;
  std::string prompt;
  bool forgetting = false;  ///< Ctrl-C comes next
  bool forgotten = false;
  int typed_before = 0;  ///< bytes that were typed before this line was asked for, and are not read yet
  const EditingSignals* signals = nullptr;
};

LineEditor::LineEditor(Complete complete) : parts_(std::make_unique<Parts>(std::move(complete))) {}
LineEditor::~LineEditor() = default;

std::optional<std::string> LineEditor::read(const std::string& prompt) {
  const EditingSignals signals;
  parts_->signals = &signals;
  parts_->prompt = prompt;
  parts_->forgotten = false;
  // Before the prompt appears: libedit would do so only after it, and a Ctrl-D in between would be lost.
  ::el_set(parts_->editor, EL_PREP_TERM, 1);
  if (::ioctl(STDIN_FILENO, FIONREAD, &parts_->typed_before) != 0) parts_->typed_before = 0;
  int size = 0;
  const char* text = ::el_gets(parts_->editor, &size);
  if (parts_->forgotten) return "";
  if (!text || size <= 0) return std::nullopt;
  std::string line(text, static_cast<std::size_t>(size));
  if (line.ends_with('\n')) line.pop_back();
  parts_->remember(line);
  return line;
}

bool LineEditor::edits_lines() {
  return true;
}

#else

struct LineEditor::Parts {};

LineEditor::LineEditor(Complete) {}
LineEditor::~LineEditor() = default;

std::optional<std::string> LineEditor::read(const std::string& prompt) {
  print(prompt);
  std::string line;
  if (std::getline(std::cin, line)) return line;
  if (!interrupted() || !forgive_interrupt()) return std::nullopt;
  std::cin.clear();
  print("\n");
  return "";
}

bool LineEditor::edits_lines() {
  return false;
}

#endif

}  // namespace tideline::app
