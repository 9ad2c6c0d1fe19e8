#include "files/write_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "files/file_system.hpp"
#include "model/error.hpp"

namespace tideline {

namespace {

[[noreturn]] void cannot_write(const std::string& path, int error) {
  throw Error(ErrorKind::io, fmt::format("cannot write {}: {}", path, std::strerror(error)));
}

/// A path that is removed unless it was kept.
class Scratch {
 public:
  explicit Scratch(std::string path) : path_(std::move(path)) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    if (!kept_) files().unlink(path_.c_str());
  }
  void keep() { kept_ = true; }

 private:
  std::string path_;
  bool kept_ = false;
};

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// Where the bytes must go: through symbolic links, so that a link stays one.
std::string resolved(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  return real ? real.get() : path;
}

std::optional<struct stat> status_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

/// What is no regular file may have no places to write at.
void write_directly(const std::string& path, std::string_view content) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.is_open()) cannot_write(path, errno);
  while (!content.empty()) {
    const ssize_t written = ::write(file.get(), content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) cannot_write(path, errno);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

void require_writable(const std::string& path) {
  const std::string target = resolved(path);
  if (const auto status = status_of(target)) {
    if (S_ISDIR(status->st_mode)) cannot_write(path, EISDIR);
    if (::access(target.c_str(), W_OK) != 0) cannot_write(path, errno);
    if (!S_ISREG(status->st_mode)) return;
  }
  if (path.empty() || path.ends_with('/')) cannot_write(path, EISDIR);
  if (::access(folder_of(target).c_str(), W_OK | X_OK) != 0) cannot_write(path, errno);
}

void write_file(const std::string& path, std::string_view content) {
  require_writable(path);
  const std::string target = resolved(path);
  const auto existing = status_of(target);
  if (existing && !S_ISREG(existing->st_mode)) return write_directly(path, content);

  std::string temporary;
  Descriptor file = create_beside(target, temporary);
  if (!file.is_open()) cannot_write(path, errno);
  Scratch scratch(temporary);
  if (existing && ::fchmod(file.get(), existing->st_mode & 07777) != 0) cannot_write(path, errno);
  if (const int error = file.write(std::as_bytes(std::span(content)), 0)) cannot_write(path, error);
  if (files().sync(file.get()) != 0) cannot_write(path, errno);
  if (const int error = file.close()) cannot_write(path, error);
  if (files().rename(temporary.c_str(), target.c_str()) != 0) cannot_write(path, errno);
  scratch.keep();
  sync_folder_of(target);
}

}  // namespace tideline
