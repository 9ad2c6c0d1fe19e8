#include "status_display.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "report/status.hpp"

namespace tideline::app {

namespace {

/// A line that wraps could not be redrawn in place.
std::size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

}  // namespace

StatusDisplay::StatusDisplay(StatusForm form)
    : form_(form == StatusForm::line && ::isatty(STDERR_FILENO) != 1 ? StatusForm::none : form) {}

void StatusDisplay::watch(Budget::Limits& limits) {
  if (form_ == StatusForm::line) {
    limits.on_status = [this](const RunStatus& status) { draw(status); };
  } else if (form_ == StatusForm::json) {
    limits.on_status = [](const RunStatus& status) {
      const std::string line = status_json(status) + "\n";
      std::fwrite(line.data(), 1, line.size(), stderr);  // at once: other threads may have something to say
    };
    limits.status_every = 1;
  }
}

void StatusDisplay::draw(const RunStatus& status) {
  if (status.ended) return;  // most phases are too short to be seen
  const std::string line = status_line(status).substr(0, terminal_width() - 1);
  std::fprintf(stderr, "\r%s\x1b[K", line.c_str());
  std::fflush(stderr);
  drawn_ = true;
}

void StatusDisplay::erase() {
  if (!drawn_.exchange(false)) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

}  // namespace tideline::app
