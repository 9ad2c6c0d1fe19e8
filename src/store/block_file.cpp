#include "store/block_file.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "model/error.hpp"
#include "store/checksum.hpp"
#include "store/disk_file.hpp"

namespace tideline {

namespace {

constexpr int block_compression_level = 1;
constexpr std::uint64_t most_compression = 1 << 16;  // no block gets smaller than that

struct BlockHeader {
  std::uint64_t checksum = 0;  // of the rest of the header and of what follows it
  std::uint64_t previous = 0;  // checksum of the block before, 0 in the first one
  std::uint64_t first = 0;
  std::uint64_t records = 0;
  std::uint64_t content = 0;  // bytes
  std::uint64_t stored = 0;   // bytes, compressed
};
static_assert(sizeof(BlockHeader) == 48 && std::has_unique_object_representations_v<BlockHeader>);

std::uint64_t checksum_of(std::span<const std::byte> block) {
  constexpr std::size_t skipped = sizeof(BlockHeader::checksum);
  return XXH3_64bits(block.data() + skipped, block.size() - skipped);
}

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

/// What compressing and reading need. A thread has one for all of its files: a search may have hundreds of them open.
struct Scratch {
  std::unique_ptr<ZSTD_CCtx, FreeContext> compressor{ZSTD_createCCtx()};
  std::unique_ptr<ZSTD_DCtx, FreeContext> decompressor{ZSTD_createDCtx()};
  std::vector<std::byte> block = {};
};

Scratch& scratch() {
  thread_local Scratch of_this_thread;
  return of_this_thread;
}

/// "trace log" makes "trace-1234".
std::string stem_of(const std::string& what) {
  return fmt::format("{}-{}", what.substr(0, what.find(' ')), ::getpid());
}

}  // namespace

class BlockFile::Disk {
 public:
  Disk(const std::string& what, const FilePlace& place)
      : what_(what),
        folder_(place.folder),
        file_(DiskFile::create_in(place.folder, place.stem.empty() ? stem_of(what) : place.stem)) {
    if (!place.keep) {
      file_.remove_name();
      folder_.reset();
    }
    const std::string line = format_line();
    write_at_end(std::as_bytes(std::span(line)));
  }

  Disk(const std::string& what, const std::filesystem::path& file, const FilePosition& position)
      : what_(what), file_(DiskFile::open(file)) {
    rebuild_index(position);
    if (const int error = file_.truncate(bytes_))
      throw Error(ErrorKind::io, fmt::format("cannot shorten the {}: {}", what_, file_error(error, file)));
  }

  void append(std::uint64_t records, std::span<const std::byte> content) {
    if (!failure_.empty() || records == 0) return;
    BlockHeader header;
    header.previous = checksum_;
    header.first = size_;
    header.records = records;
    header.content = content.size();
    std::vector<std::byte>& buffer = scratch().block;
    buffer.resize(sizeof header + ZSTD_compressBound(content.size()));
    header.stored = ZSTD_compressCCtx(scratch().compressor.get(), buffer.data() + sizeof header,
                                      buffer.size() - sizeof header, content.data(), content.size(),
                                      block_compression_level);
    if (ZSTD_isError(header.stored)) throw std::bad_alloc();  // the buffer has room for the worst case
    std::memcpy(buffer.data(), &header, sizeof header);
    const auto block = std::span(buffer).first(sizeof header + header.stored);
    header.checksum = checksum_of(block);
    std::memcpy(buffer.data(), &header.checksum, sizeof header.checksum);

    const std::uint64_t offset = bytes_;
    write_at_end(block);
    if (!failure_.empty()) return;
    index_.push_back({size_, offset});
    checksum_ = header.checksum;
    size_ += records;
  }

  Block read(std::uint64_t record, std::vector<std::byte>& content) const {
    if (record >= size_)
      throw Error(ErrorKind::io, fmt::format("record {} of the {} is lost: {}", record, what_, failure_));
    const auto next =
        std::upper_bound(index_.begin(), index_.end(), record,
                         [](std::uint64_t n, const IndexEntry& entry) { return n < entry.first; });
    const std::uint64_t limit = next == index_.end() ? bytes_ : next->offset;
    const BlockHeader header = read_block((next - 1)->offset, limit);
    content.resize(header.content);
    if (ZSTD_decompressDCtx(scratch().decompressor.get(), content.data(), content.size(),
                            scratch().block.data() + sizeof header, header.stored) != content.size())
      damaged("a block does not decompress");
    return {header.first, header.records};
  }

  FilePosition sync() {
    if (failure_.empty()) {
      if (const int error = file_.sync()) failure_ = file_error(error, file());
    }
    if (!failure_.empty())
      throw Error(ErrorKind::io, fmt::format("cannot write the {}: {}", what_, failure_));
    return {size_, bytes_, checksum_};
  }

  std::uint64_t size() const { return size_; }
  std::uint64_t bytes() const { return bytes_; }
  const std::filesystem::path& file() const { return file_.path(); }
  const std::string& failure() const { return failure_; }

 private:
  struct IndexEntry {
    std::uint64_t first;  // record
    std::uint64_t offset;
  };

  std::string format_line() const { return fmt::format("tideline {} 2\n", what_); }

  void write_at_end(std::span<const std::byte> bytes) {
    if (const int error = file_.write(bytes, bytes_))
      failure_ = file_error(error, file());
    else
      bytes_ += bytes.size();
  }

  /// Reads the block at the offset into the scratch and verifies its header and checksum. It must end
  /// by the limit.
  BlockHeader read_block(std::uint64_t offset, std::uint64_t limit) const {
    BlockHeader header;
    std::vector<std::byte>& block = scratch().block;
    block.resize(sizeof header);
    if (limit - offset < sizeof header || !file_.read(block, offset)) damaged("it ends inside a block");
    std::memcpy(&header, block.data(), sizeof header);
    if (header.stored > limit - offset - sizeof header) damaged("it ends inside a block");
    block.resize(sizeof header + header.stored);
    if (!file_.read(std::span(block).subspan(sizeof header), offset + sizeof header))
      damaged("it ends inside a block");
    if (checksum_of(block) != header.checksum) damaged("a checksum is wrong");
    return header;
  }

  void rebuild_index(const FilePosition& position) {
    const std::string expected = format_line();
    std::vector<std::byte> line(expected.size());
    if (!file_.read(line, 0) || std::memcmp(line.data(), expected.data(), line.size()) != 0)
      damaged("it does not begin like one");
    for (bytes_ = line.size(); bytes_ < position.bytes;) {
      const BlockHeader header = read_block(bytes_, position.bytes);
      if (header.previous != checksum_ || header.first != size_)
        damaged("its blocks do not follow each other");
      // A record takes a byte, at least.
      if (header.records > header.content || header.content / most_compression > header.stored)
        damaged("a block is too large");
      index_.push_back({header.first, bytes_});
      size_ += header.records;
      checksum_ = header.checksum;
      bytes_ += sizeof header + header.stored;
    }
    if (FilePosition{size_, bytes_, checksum_} != position) damaged("it is not the one that was saved");
  }

  [[noreturn]] void damaged(std::string_view how) const {
    throw Error(ErrorKind::io, fmt::format("the {} {} is damaged: {}", what_, file().string(), how));
  }

  std::string what_;
  std::optional<MadeFolder> folder_ = {};  // of a new file that has a name
  DiskFile file_;
  std::uint64_t bytes_ = 0;
  std::uint64_t size_ = 0;      // records on disk
  std::uint64_t checksum_ = 0;  // of the last block
  std::string failure_ = {};
  std::vector<IndexEntry> index_ = {};
};

BlockFile::BlockFile(const std::string& what, const FilePlace& place)
    : disk_(std::make_unique<Disk>(what, place)) {}
BlockFile::BlockFile(const std::string& what, const std::filesystem::path& file, const FilePosition& position)
    : disk_(std::make_unique<Disk>(what, file, position)) {}
BlockFile::~BlockFile() = default;
BlockFile::BlockFile(BlockFile&&) noexcept = default;
BlockFile& BlockFile::operator=(BlockFile&&) noexcept = default;

void BlockFile::append(std::uint64_t records, std::span<const std::byte> content) {
  disk_->append(records, content);
}
BlockFile::Block BlockFile::read(std::uint64_t record, std::vector<std::byte>& content) const {
  return disk_->read(record, content);
}
FilePosition BlockFile::sync() {
  return disk_->sync();
}
std::uint64_t BlockFile::size() const {
  return disk_->size();
}
std::uint64_t BlockFile::bytes() const {
  return disk_->bytes();
}
const std::filesystem::path& BlockFile::file() const {
  return disk_->file();
}
const std::string& BlockFile::failure() const {
  return disk_->failure();
}

}  // namespace tideline
