#include "files/file_system.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace tideline {

int FileSystem::open(const char* path, int flags, mode_t mode) {
  return ::open(path, flags | O_CLOEXEC, mode);
}
int FileSystem::create_unique(char* name, int last) {
  return ::mkostemps(name, last, O_CLOEXEC);
}
int FileSystem::close(int file) {
  return ::close(file);
}
ssize_t FileSystem::read(int file, std::span<std::byte> to, off_t at) {
  return ::pread(file, to.data(), to.size(), at);
}
ssize_t FileSystem::write(int file, std::span<const std::byte> bytes, off_t at) {
  return ::pwrite(file, bytes.data(), bytes.size(), at);
}
int FileSystem::truncate(int file, off_t size) {
  return ::ftruncate(file, size);
}
int FileSystem::sync(int file) {
  return ::fsync(file);
}
int FileSystem::rename(const char* from, const char* to) {
  return ::rename(from, to);
}
int FileSystem::unlink(const char* path) {
  return ::unlink(path);
}
int FileSystem::make_folder(const char* path) {
  return ::mkdir(path, 0777);
}
int FileSystem::remove_folder(const char* path) {
  return ::rmdir(path);
}

namespace {

FileSystem machine;
std::atomic<FileSystem*> in_use = &machine;

}  // namespace

FileSystem& files() {
  return *in_use.load(std::memory_order_relaxed);
}

FilesInUse::FilesInUse(FileSystem& others) : before_(in_use.exchange(&others)) {}
FilesInUse::~FilesInUse() {
  in_use = before_;
}

int Descriptor::write(std::span<const std::byte> bytes, std::uint64_t at) const {
  while (!bytes.empty()) {
    const ssize_t written = files().write(number_, bytes, static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    at += static_cast<std::uint64_t>(written);
  }
  return 0;
}

int Descriptor::read(std::span<std::byte> to, std::uint64_t at, std::size_t& count) const {
  for (count = 0; count < to.size();) {
    const ssize_t got = files().read(number_, to.subspan(count), static_cast<off_t>(at + count));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) break;
    count += static_cast<std::size_t>(got);
  }
  return 0;
}

int Descriptor::close() {
  return files().close(std::exchange(number_, -1)) == 0 ? 0 : errno;
}

Descriptor create_beside(const std::filesystem::path& target, std::string& name) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    name = fmt::format("{}.{}-{}.tmp", target.string(), ::getpid(), attempt);
    Descriptor file(files().open(name.c_str(), O_RDWR | O_CREAT | O_EXCL));
    if (file.is_open() || errno != EEXIST) return file;
  }
  return Descriptor();
}

void sync_folder_of(const std::filesystem::path& file) {
  const auto parent = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  const Descriptor folder(files().open(parent.c_str(), O_RDONLY | O_DIRECTORY));
  if (folder.is_open())
    files().sync(folder.get());  // if the file system cannot do this, the name is there all the same
}

int make_folders(const std::filesystem::path& folder) {
  std::filesystem::path path;
  int failure = ENOTDIR;
  for (const std::filesystem::path& name : folder) {
    path /= name;
    if (files().make_folder(path.c_str()) == 0)
      sync_folder_of(path);
    else if (errno != EEXIST)
      failure = errno;
  }
  std::error_code ignored;
  return std::filesystem::is_directory(folder, ignored) ? 0 : failure;
}

}  // namespace tideline
