// DiskFile: an open file, with the few operations that files of blocks need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "files/file_system.hpp"

namespace tideline {

class DiskFile {
 public:
  /// A new file STEM-XXXXXX.log with a unique name in this folder. Throws Error(io).
  static DiskFile create_in(const std::filesystem::path& folder, const std::string& stem);
  /// A new file beside this one, which does not exist or will be replaced. Throws Error(io).
  static DiskFile create_beside(const std::filesystem::path& target);
  /// Throws Error(io) when there is none.
  static DiskFile open(const std::filesystem::path& path);
  const std::filesystem::path& path() const { return path_; }
  /// The file then disappears when it is closed, however the program ends.
  void remove_name() const;
  /// It takes the place of this one, in one step. Returns 0 or the error number.
  int rename_to(const std::filesystem::path& target);

  /// These return 0 or the error number.
  int write(std::span<const std::byte> bytes, std::uint64_t offset) const;
  int truncate(std::uint64_t bytes) const;
  /// Brings the content to disk, and the name with the folder that holds it.
  int sync() const;

  /// False when the file ends before that. Throws Error(io) when it cannot be read.
  bool read(std::span<std::byte> to, std::uint64_t offset) const;

 private:
  DiskFile(std::filesystem::path path, Descriptor descriptor);

  std::filesystem::path path_;
  Descriptor descriptor_;
};

/// "No space left on device: FILE"
std::string file_error(int error, const std::filesystem::path& path);

/// A folder that is made if missing; if so, it is removed again when nothing is in it.
class MadeFolder {
 public:
  /// Throws Error(io).
  explicit MadeFolder(const std::filesystem::path& path);
  MadeFolder(MadeFolder&& other) noexcept;
  MadeFolder& operator=(MadeFolder&& other) noexcept;
  ~MadeFolder();

 private:
  std::filesystem::path path_;
  bool made_ = false;
};

}  // namespace tideline
