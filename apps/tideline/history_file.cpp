#include "history_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "files/write_file.hpp"
#include "model/error.hpp"

namespace tideline::app {

namespace {

namespace fs = std::filesystem;

/// Empty where the environment does not say. A relative path in the variable is to be ignored, its
/// specification says.
fs::path state_folder() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state && fs::path(state).is_absolute()) return state;
  if (const char* home = std::getenv("HOME"); home && fs::path(home).is_absolute())
    return fs::path(home) / ".local" / "state";
  return {};
}

}  // namespace

HistoryFile::HistoryFile() {
  const fs::path folder = state_folder();
  if (!folder.empty()) path_ = (folder / "tideline" / "history").string();
}

std::vector<std::string> HistoryFile::load() const {
  std::vector<std::string> lines;
  std::ifstream file(path_);
  std::size_t count = 0;
  for (std::string line; std::getline(file, line); ++count) {
    if (lines.size() == 2 * most_lines) lines.erase(lines.begin(), lines.begin() + most_lines);
    lines.push_back(std::move(line));
  }
  if (lines.size() > most_lines) lines.erase(lines.begin(), lines.end() - most_lines);
  if (count > 2 * most_lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    try {
      write_file(path_, text);
    } catch (const Error&) {
      // It stays long.
    }
  }
  return lines;
}

void HistoryFile::append(std::string_view line) const {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::create_directories(fs::path(path_).parent_path(), ignored);
  // Only for its owner: expressions may say something about the models.
  const int file = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
  if (file < 0) return;
  const std::string text = std::string(line) + "\n";
  [[maybe_unused]] const ssize_t written = ::write(file, text.data(), text.size());
  ::close(file);
}

}  // namespace tideline::app
