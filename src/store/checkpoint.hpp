// Checkpoints: what a search needs to continue, in a file that is never half written.
//
// Whatever can be saved has one function for both directions, so that what is written and what is read
// cannot differ:
//
//   void archive(auto& file) { file(line_, roots_, figures_); }
//
// file(...) takes numbers, enums, strings, vectors, optionals, and whatever has archive() itself;
// file.bytes(...) takes bytes as they are; File::reads says which direction it is.
//
// The file is a line that names the format, one zstd frame with the parts, and the checksum of everything
// before it. A reader verifies the checksum first, so what it returns is what was written. The writer makes a
// new file beside the old one, which commit() replaces in one step once everything is on disk.
//
// ByteWriter and ByteReader do the same in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace tideline {

namespace detail {

template <class T>
concept PlainPart = std::is_arithmetic_v<T> || std::is_enum_v<T>;
template <class T>
concept ContiguousParts = requires(T& parts) {
  parts.data();
  parts.resize(1);
};
template <class File, class T>
void archive_part(File& file, T& part) {
  if constexpr (requires { part.archive(file); }) {
    part.archive(file);
  } else if constexpr (PlainPart<T>) {
    file.bytes(reinterpret_cast<std::byte*>(&part), sizeof part);
  } else if constexpr (std::is_same_v<T, std::vector<bool>>) {
    std::vector<std::uint8_t> bits(part.begin(), part.end());
    file(bits);
    part.assign(bits.begin(), bits.end());
  } else if constexpr (ContiguousParts<T>) {
    std::uint64_t count = part.size();
    file(count);
    part.resize(count);
    using Element = std::remove_reference_t<decltype(*part.data())>;
    if constexpr (PlainPart<Element>)
      file.bytes(reinterpret_cast<std::byte*>(part.data()), count * sizeof(Element));
    else
      for (Element& element : part) file(element);
  } else {
    bool is_there = part.has_value();  // an optional
    file(is_there);
    if (File::reads) part.reset();
    if (!is_there) return;
    if (File::reads) part.emplace();
    file(*part);
  }
}

}  // namespace detail

class CheckpointWriter {
 public:
  static constexpr bool reads = false;

  /// Writes a new file; the old one stays until commit(). This and all others throw Error(io).
  explicit CheckpointWriter(const std::filesystem::path& file);
  /// Removes what was not committed.
  ~CheckpointWriter();

  template <class... T>
  void operator()(T&... parts) {
    (detail::archive_part(*this, parts), ...);
  }
  void bytes(const std::byte* from, std::size_t count);

  /// Everything is on disk when this returns, in the unfinished file.
  void finish();
  /// The same, under the file's name.
  void commit();

  /// What the new file is called until then.
  static std::filesystem::path unfinished(const std::filesystem::path& file);

 private:
  class Disk;
  std::unique_ptr<Disk> disk_;
};

class CheckpointReader {
 public:
  static constexpr bool reads = true;

  /// Throws Error(io) when the file is damaged, or of another kind or version.
  explicit CheckpointReader(const std::filesystem::path& file);
  ~CheckpointReader();
  CheckpointReader(CheckpointReader&&) noexcept;

  template <class... T>
  void operator()(T&... parts) {
    (detail::archive_part(*this, parts), ...);
  }
  /// Throws Error(io) when there are no more.
  void bytes(std::byte* to, std::size_t count);

  /// Throws Error(io) unless everything was read.
  void require_end();

 private:
  class Disk;
  std::unique_ptr<Disk> disk_;
};

class ByteWriter {
 public:
  static constexpr bool reads = false;

  template <class... T>
  void operator()(T&... parts) {
    (detail::archive_part(*this, parts), ...);
  }
  void bytes(const std::byte* from, std::size_t count) { bytes_.insert(bytes_.end(), from, from + count); }

  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

class ByteReader {
 public:
  static constexpr bool reads = true;

  /// The bytes must outlive this.
  explicit ByteReader(const std::vector<std::byte>& bytes) : rest_(bytes) {}

  template <class... T>
  void operator()(T&... parts) {
    (detail::archive_part(*this, parts), ...);
  }
  /// Throws Error(internal) when there are no more.
  void bytes(std::byte* to, std::size_t count);

  /// Throws Error(internal) unless everything was read.
  void require_end() const;

 private:
  std::span<const std::byte> rest_;
};

/// A type that can be saved.
template <class T>
concept Archivable = requires(T& t, CheckpointWriter& writer, CheckpointReader& reader) {
  t.archive(writer);
  t.archive(reader);
};

}  // namespace tideline
