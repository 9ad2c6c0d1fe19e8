// FileSystem: what the program asks of files that it writes, in one place. Tests put another one in its place, in which disks
// are full, reads fail, and the power goes off (testing/faulty_files.hpp).
//
// Its functions are those of the operating system, and fail like those: with -1, and errno says why. What is built on
// them (store/disk_file.hpp, store/checkpoint.hpp, files/write_file.hpp) knows how to go on from there.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <utility>

namespace tideline {

/// The machine's own.
class FileSystem {
 public:
  FileSystem() = default;
  FileSystem(const FileSystem&) = delete;
  FileSystem& operator=(const FileSystem&) = delete;
  virtual ~FileSystem() = default;

  virtual int open(const char* path, int flags, mode_t mode = 0666);
  /// A new file; in its name, six X before so many last characters are replaced.
  virtual int create_unique(char* name, int last);
  virtual int close(int file);
  virtual ssize_t read(int file, std::span<std::byte> to, off_t at);
  virtual ssize_t write(int file, std::span<const std::byte> bytes, off_t at);
  virtual int truncate(int file, off_t size);
  /// Brings a file, or the names in a folder, to disk.
  virtual int sync(int file);
  virtual int rename(const char* from, const char* to);
  virtual int unlink(const char* path);
  virtual int make_folder(const char* path);
  virtual int remove_folder(const char* path);
};

/// The one in use.
FileSystem& files();

/// For tests: another one is in use for as long as this lives.
class FilesInUse {
 public:
  explicit FilesInUse(FileSystem& others);
  FilesInUse(const FilesInUse&) = delete;
  FilesInUse& operator=(const FilesInUse&) = delete;
  ~FilesInUse();

 private:
  FileSystem* before_;
};

/// A file that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (is_open()) files().close(number_);
  }
  bool is_open() const { return number_ >= 0; }
  int get() const { return number_; }

  /// These return 0 or the error number, and do not mind when the system takes or gives less than it was asked for.
  int write(std::span<const std::byte> bytes, std::uint64_t at) const;
  /// How many bytes were read: fewer where the file ends.
  int read(std::span<std::byte> to, std::uint64_t at, std::size_t& count) const;
  /// Some file systems report only here that the disk is full.
  int close();

 private:
  int number_;
};

/// A new file in the folder of the target, to take its place later: two programs with the same target do not mix their bytes, and
/// what a killed program has left behind is skipped. Readable and writable; not open: errno says why.
Descriptor create_beside(const std::filesystem::path& target, std::string& name);

/// The names of a folder's files are on disk when this returns, as far as the file system supports that.
void sync_folder_of(const std::filesystem::path& file);
/// Makes the folder, and those above it, where they are missing; on disk when this returns. 0 or the error number.
int make_folders(const std::filesystem::path& folder);

}  // namespace tideline
