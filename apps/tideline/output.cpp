#include "output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "model/error.hpp"
#include "trace/write_file.hpp"

namespace tideline::app {

void print(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EPIPE) return;
    if (written < 0)
      throw Error(ErrorKind::io, fmt::format("cannot write to standard output: {}", std::strerror(errno)));
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void complain(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fputc('\n', stderr);
}

void write_output(const std::string& file, std::string_view text) {
  if (file == "-")
    print(text);
  else
    write_file(file, text);
}

bool require_outputs(const std::vector<std::string>& files) {
  const auto to_stdout = std::count(files.begin(), files.end(), "-");
  if (to_stdout > 1) throw Error(ErrorKind::usage, "only one output can go to standard output");
  for (const std::string& file : files)
    if (!file.empty() && file != "-") require_writable(file);
  return to_stdout == 0;
}

}  // namespace tideline::app
