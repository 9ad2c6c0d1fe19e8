#include "screen.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

namespace tideline::app {

void Screen::draw(const std::string& line) {
  const std::lock_guard lock(mutex_);
  // One write, and the old line is overwritten before the rest of it is erased: nothing flickers.
  const std::string text = "\r" + line + "\x1b[K";
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
  drawn_ = true;
}

void Screen::erase() {
  const std::lock_guard lock(mutex_);
  erase_locked();
}

void Screen::erase_locked() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

// A line as wide as the window would leave the cursor where terminals do not agree, and one that wraps could
// not be drawn again in place.
std::size_t Screen::width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1u : 79u;
}

Screen& screen() {
  static Screen the_screen;
  return the_screen;
}

}  // namespace tideline::app
