#include "store/disk_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>

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

DiskFile::DiskFile(std::filesystem::path path, Descriptor descriptor)
    : path_(std::move(path)), descriptor_(std::move(descriptor)) {}

DiskFile DiskFile::create_in(const std::filesystem::path& folder, const std::string& stem) {
  constexpr std::string_view end = ".log";
  std::string name = (folder / fmt::format("{}-XXXXXX{}", stem, end)).string();
  Descriptor descriptor(files().create_unique(name.data(), static_cast<int>(end.size())));
  if (!descriptor.is_open())
    throw Error(ErrorKind::io, "cannot create a file in a folder: " + file_error(errno, folder));
  return DiskFile(std::move(name), std::move(descriptor));
}

DiskFile DiskFile::create_beside(const std::filesystem::path& target) {
  std::string name;
  Descriptor descriptor = tideline::create_beside(target, name);
  if (!descriptor.is_open()) throw Error(ErrorKind::io, "cannot create a file: " + file_error(errno, name));
  return DiskFile(std::move(name), std::move(descriptor));
}

DiskFile DiskFile::open(const std::filesystem::path& path) {
  Descriptor descriptor(files().open(path.c_str(), O_RDWR));
  if (!descriptor.is_open()) throw Error(ErrorKind::io, "cannot open a file: " + file_error(errno, path));
  return DiskFile(path, std::move(descriptor));
}

void DiskFile::remove_name() const {
  files().unlink(path_.c_str());
}

int DiskFile::rename_to(const std::filesystem::path& target) {
  if (files().rename(path_.c_str(), target.c_str()) != 0) return errno;
  path_ = target;
  sync_folder_of(path_);
  return 0;
}

int DiskFile::write(std::span<const std::byte> bytes, std::uint64_t offset) const {
  return descriptor_.write(bytes, offset);
}

int DiskFile::truncate(std::uint64_t bytes) const {
  return files().truncate(descriptor_.get(), static_cast<off_t>(bytes)) == 0 ? 0 : errno;
}

int DiskFile::sync() const {
  if (files().sync(descriptor_.get()) != 0) return errno;
  sync_folder_of(path_);
  return 0;
}

bool DiskFile::read(std::span<std::byte> to, std::uint64_t offset) const {
  std::size_t count = 0;
  if (const int error = descriptor_.read(to, offset, count))
    throw Error(ErrorKind::io, "cannot read a file: " + file_error(error, path_));
  return count == to.size();
}

MadeFolder::MadeFolder(const std::filesystem::path& path) : path_(path) {
  std::error_code ignored;
  made_ = !std::filesystem::exists(path, ignored);
  if (const int error = make_folders(path))
    throw Error(ErrorKind::io, "cannot create a folder: " + file_error(error, path));
}

MadeFolder::MadeFolder(MadeFolder&& other) noexcept
    : path_(std::move(other.path_)), made_(std::exchange(other.made_, false)) {}

MadeFolder& MadeFolder::operator=(MadeFolder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(made_, other.made_);
  return *this;
}

MadeFolder::~MadeFolder() {
  if (made_) files().remove_folder(path_.c_str());  // only succeeds when it is empty
}

}  // namespace tideline
