#include "status_line.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "report/numbers.hpp"

namespace tideline::app {

namespace {

/// A line that wraps could not be redrawn in place.
std::size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

}  // namespace

StatusLine::StatusLine(bool wanted) : active_(wanted && ::isatty(STDERR_FILENO) == 1) {}

void StatusLine::show(const RunStatus& status) {
  if (!active_) return;
  const std::string line = status_line(status).substr(0, terminal_width() - 1);
  std::fprintf(stderr, "\r%s\x1b[K", line.c_str());
  std::fflush(stderr);
  drawn_ = true;
}

void StatusLine::erase() {
  if (!drawn_.exchange(false)) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

}  // namespace tideline::app
