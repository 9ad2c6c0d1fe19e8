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
// before it. A reader verifies the checksum first, so what it returns is what was written; by whom, it cannot
// know. So whatever is read and then relied on is looked at once more: file.require(...) says what has to be
// true of the parts, and refuses a file where it is not. The writer makes a new file beside the old one, which
// commit() replaces in one step once everything is on disk.
//
// ByteWriter and ByteReader do the same in memory.
#pragma once

#include <algorithm>
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

/// Any bytes are one.
template <class T>
concept PlainPart = (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) || std::is_same_v<T, std::byte>;
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
  } else if constexpr (std::is_same_v<T, bool>) {
    auto bit = static_cast<std::uint8_t>(part);
    file(bit);
    file.require(bit <= 1);
    part = bit != 0;
  } else if constexpr (std::is_enum_v<T>) {  // last_value() knows what can be read
    auto number = static_cast<std::uint32_t>(part);
    file(number);
    if constexpr (File::reads) {
      file.require(number <= static_cast<std::uint32_t>(last_value(part)));
      part = static_cast<T>(number);
    }
  } else if constexpr (std::is_same_v<T, std::vector<bool>>) {
    std::vector<std::uint8_t> bits(part.begin(), part.end());
    file(bits);
    part.assign(bits.begin(), bits.end());
  } else if constexpr (ContiguousParts<T>) {
    std::uint64_t count = part.size();
    file(count);
    // It grows as there is more to read, whatever the file says.
    using Element = std::remove_reference_t<decltype(*part.data())>;
    constexpr std::uint64_t at_once = PlainPart<Element> ? 1 << 16 : 1;
    if (File::reads) part.resize(0);
    for (std::uint64_t from = 0; from < count;) {
      const std::uint64_t here = std::min(at_once, count - from);
      if (File::reads) part.resize(from + here);
      if constexpr (PlainPart<Element>)
        file.bytes(reinterpret_cast<std::byte*>(part.data() + from), here * sizeof(Element));
      else
        file(part[from]);
      from += here;
    }
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
  void require(bool) {}

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
  /// Throws Error(io) unless the parts fit together.
  void require(bool fits) {
    if (!fits) refuse();
  }

  /// Throws Error(io) unless everything was read.
  void require_end();

 private:
  class Disk;
  [[noreturn]] void refuse() const;

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
  void require(bool) {}

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
  /// Throws Error(io) when there are no more.
  void bytes(std::byte* to, std::size_t count);
  /// Throws Error(io) unless the parts fit together.
  void require(bool fits) const;

  /// Throws Error(io) unless everything was read.
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
