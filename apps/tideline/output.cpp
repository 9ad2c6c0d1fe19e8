#include "output.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "colours.hpp"
#include "files/write_file.hpp"
#include "model/error.hpp"
#include "report/long_list.hpp"
#include "screen.hpp"

namespace tideline::app {

namespace {

bool reader_gone = false;
bool muted = false;

bool same_file(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::equivalent(a, b, error)) return fs::is_regular_file(a, error);
  const fs::path first = fs::weakly_canonical(a, error), second = fs::weakly_canonical(b, error);
  return !error && first == second && !fs::exists(first, error);
}

/// Also of a terminal that was closed, which isatty denies.
bool is_terminal(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && S_ISCHR(status.st_mode);
}

/// Throws Error(io), but not when the reader has closed it.
void write_to_stdout(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && (errno == EPIPE || (errno == EIO && is_terminal(STDOUT_FILENO)))) {
      reader_gone = true;
      return;
    }
    if (written < 0)
      throw Error(ErrorKind::io, fmt::format("cannot write to standard output: {}", std::strerror(errno)));
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

bool stdout_closed() {
  return reader_gone;
}

void mute() {
  muted = true;
}

void print(std::string_view text) {
  if (muted || text.empty()) return;
  screen().print([&] { write_to_stdout(text); });
}

void print_to_stderr(std::string_view line) {
  if (muted) return;
  // At once: other threads may have something to say, too.
  const std::string text = coloured_message(line, stderr_palette()) + "\n";
  screen().print([&] { std::fwrite(text.data(), 1, text.size(), stderr); });
}

void note(std::string_view text) {
  constexpr std::size_t most = 600;  // a measure may have hundreds of terms, which a file gets
  print_to_stderr("note: " + (::isatty(STDERR_FILENO) == 1 ? shortened_list(text, most) : std::string(text)));
}
void warn(std::string_view text) {
  print_to_stderr(fmt::format("warning: {}", text));
}
void fail(std::string_view text) {
  print_to_stderr(fmt::format("error: {}", text));
}

void write_output(const std::string& file, std::string_view text) {
  if (file == "-")
    print(text);
  else if (!muted)
    write_file(file, text);
}

bool require_outputs(const std::vector<std::string>& files, const std::vector<std::string>& inputs) {
  const auto to_stdout = std::count(files.begin(), files.end(), "-");
  if (to_stdout > 1) throw Error(ErrorKind::usage, "only one output can go to standard output");
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i].empty() || files[i] == "-") continue;
    for (const std::string& input : inputs)
      if (!input.empty() && same_file(files[i], input))
        throw Error(ErrorKind::usage, fmt::format("{} is read and would be overwritten", files[i]));
    for (std::size_t j = 0; j < i; ++j)
      if (same_file(files[i], files[j]))
        throw Error(ErrorKind::usage, fmt::format("{} is named for two outputs", files[i]));
    if (!muted) require_writable(files[i]);
  }
  return to_stdout == 0;
}

}  // namespace tideline::app
