#include "store/disk_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include "model/error.hpp"

namespace tideline {

std::string file_error(int error, const std::filesystem::path& path) {
  return fmt::format("{}: {}", std::strerror(error), path.string());
}

DiskFile::DiskFile(std::filesystem::path path, int descriptor)
    : path_(std::move(path)), descriptor_(descriptor) {}

DiskFile DiskFile::create_in(const std::filesystem::path& folder, const std::string& stem) {
  constexpr std::string_view end = ".log";
  std::string name = (folder / fmt::format("{}-XXXXXX{}", stem, end)).string();
  const int descriptor = ::mkostemps(name.data(), static_cast<int>(end.size()), O_CLOEXEC);
  if (descriptor < 0)
    throw Error(ErrorKind::io, "cannot create a file in a folder: " + file_error(errno, folder));
  return DiskFile(std::move(name), descriptor);
}

DiskFile DiskFile::create_beside(const std::filesystem::path& target) {
  std::string name;
  int descriptor = -1;
  for (int attempt = 0; attempt < 100; ++attempt) {  // one that a killed program has left behind is skipped
    name = fmt::format("{}.{}-{}.tmp", target.string(), ::getpid(), attempt);
    descriptor = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) break;
  }
  if (descriptor < 0) throw Error(ErrorKind::io, "cannot create a file: " + file_error(errno, name));
  return DiskFile(std::move(name), descriptor);
}

DiskFile DiskFile::open(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) throw Error(ErrorKind::io, "cannot open a file: " + file_error(errno, path));
  return DiskFile(path, descriptor);
}

DiskFile::DiskFile(DiskFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

DiskFile& DiskFile::operator=(DiskFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

DiskFile::~DiskFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void DiskFile::remove_name() const {
  ::unlink(path_.c_str());
}

int DiskFile::rename_to(const std::filesystem::path& target) {
  if (::rename(path_.c_str(), target.c_str()) != 0) return errno;
  path_ = target;
  sync_folder_of(path_);
  return 0;
}

int DiskFile::write(std::span<const std::byte> bytes, std::uint64_t offset) const {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return 0;
}

int DiskFile::truncate(std::uint64_t bytes) const {
  return ::ftruncate(descriptor_, static_cast<off_t>(bytes)) == 0 ? 0 : errno;
}

int DiskFile::sync() const {
  if (::fsync(descriptor_) != 0) return errno;
  sync_folder_of(path_);
  return 0;
}

bool DiskFile::read(std::span<std::byte> to, std::uint64_t offset) const {
  while (!to.empty()) {
    const ssize_t got = ::pread(descriptor_, to.data(), to.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(ErrorKind::io, "cannot read a file: " + file_error(errno, path_));
    if (got == 0) return false;
    to = to.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  return true;
}

void sync_folder_of(const std::filesystem::path& file) {
  const auto parent = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  const int folder = ::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  ::fsync(folder);  // if the file system cannot do this, the name is there all the same
  ::close(folder);
}

MadeFolder::MadeFolder(const std::filesystem::path& path) : path_(path) {
  std::error_code error;
  made_ = std::filesystem::create_directories(path, error);
  if (error) throw Error(ErrorKind::io, "cannot create a folder: " + file_error(error.value(), path));
}

MadeFolder::MadeFolder(MadeFolder&& other) noexcept
    : path_(std::move(other.path_)), made_(std::exchange(other.made_, false)) {}

MadeFolder& MadeFolder::operator=(MadeFolder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(made_, other.made_);
  return *this;
}

MadeFolder::~MadeFolder() {
  if (made_) ::rmdir(path_.c_str());  // only succeeds when it is empty
}

}  // namespace tideline
