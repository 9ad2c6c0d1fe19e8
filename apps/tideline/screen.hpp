// The screen: where stderr is a terminal, the status line and everything that is printed take turns on it.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>

namespace tideline::app {

class Screen {
 public:
  /// Shows this line in place of the status line before. It must fit the width.
  void draw(const std::string& line);
  void erase();

  /// Calls write() when there is no status line; it comes back when it is drawn again.
  template <class Write>
  void print(const Write& write) {
    const std::lock_guard lock(mutex_);
    erase_locked();
    write();
  }

  /// How many characters a line may have, as the window is now.
  static std::size_t width();

 private:
  void erase_locked();

  std::mutex mutex_;
  bool drawn_ = false;
};

/// The one of this process.
Screen& screen();

}  // namespace tideline::app
