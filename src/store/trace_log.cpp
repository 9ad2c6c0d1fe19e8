// The file begins with a line that names the format; blocks follow, each a header and compressed records.
//
// A record is encoded as one byte: how far its parent lies after the parent of the record before (three
// bits), and the choice (five bits). States are mostly expanded in the order in which they were found, so the
// first is 0 or small where the distance from the record to its parent is large and never twice the same.
// What does not fit is marked in the byte and follows it as a number of variable length, seven bits a byte.
//
// A header holds the checksum of the block before it, and its own checksum covers that too: the checksum of
// the last block vouches for the whole file.
#include "store/trace_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/error.hpp"
#include "store/hash.hpp"

namespace tideline {

namespace {

constexpr std::string_view format_line = "tideline trace log 1\n";
constexpr int compression_level = 1;
constexpr std::size_t cached_blocks = 4;

struct BlockHeader {
  std::uint64_t checksum = 0;  // of the rest of the header and of what follows it
  std::uint64_t previous = 0;  // checksum of the block before, 0 in the first one
  LogNumber first = 0;
  std::uint32_t records = 0;
  std::uint32_t encoded = 0;  // bytes
  std::uint64_t stored = 0;   // bytes, compressed
};
static_assert(sizeof(BlockHeader) == 40 && std::has_unique_object_representations_v<BlockHeader>);

constexpr unsigned choice_bits = 5;
constexpr std::uint32_t long_choice = (1u << choice_bits) - 1;  // the choice follows the byte
constexpr std::uint64_t long_distance = 7;                      // the distance follows the byte
constexpr std::size_t most_record_bytes = 1 + 10 + 5;           // with both numbers in full

std::uint64_t checksum_of(std::span<const std::byte> block) {
  constexpr std::size_t skipped = sizeof(BlockHeader::checksum);
  return XXH3_64bits(block.data() + skipped, block.size() - skipped);
}

std::byte* put_number(std::byte* to, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) *to++ = static_cast<std::byte>(number | 0x80);
  *to++ = static_cast<std::byte>(number);
  return to;
}

std::uint64_t get_number(const std::byte*& from) {
  std::uint64_t number = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<std::uint64_t>(*from++);
    number |= (byte & 0x7F) << shift;
    if (byte < 0x80) return number;
  }
}

// Distances in both directions as small numbers: 0, -1, 1, -2, 2, ... become 0, 1, 2, 3, 4, ...
std::uint64_t folded(std::uint64_t distance) {
  return distance << 1 ^ (distance >> 63 ? ~std::uint64_t{0} : 0);
}
std::uint64_t unfolded(std::uint64_t number) {
  return number >> 1 ^ (number & 1 ? ~std::uint64_t{0} : 0);
}

/// Returns the end of what it wrote.
std::byte* encode(std::span<const LogRecord> records, LogNumber first, std::byte* to) {
  LogNumber before = first;
  for (const LogRecord& record : records) {
    const LogNumber parent = record.parent + 1;  // no_record becomes 0
    const std::uint64_t distance = parent - before;
    *to++ = static_cast<std::byte>(std::min(distance, long_distance) << choice_bits |
                                   std::min(record.choice, long_choice));
    if (distance >= long_distance) to = put_number(to, folded(distance));
    if (record.choice >= long_choice) to = put_number(to, record.choice);
    before = parent;
  }
  return to;
}

/// The other way round; `from` holds what encode() wrote.
void decode(std::span<LogRecord> records, LogNumber first, const std::byte* from) {
  LogNumber before = first;
  for (LogRecord& record : records) {
    const auto byte = static_cast<std::uint64_t>(*from++);
    std::uint64_t distance = byte >> choice_bits;
    std::uint64_t choice = byte & long_choice;
    if (distance == long_distance) distance = unfolded(get_number(from));
    if (choice == long_choice) choice = get_number(from);
    before += distance;
    record = {before - 1, static_cast<std::uint32_t>(choice)};
  }
}

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};
using Compressor = std::unique_ptr<ZSTD_CCtx, FreeContext>;
using Decompressor = std::unique_ptr<ZSTD_DCtx, FreeContext>;

std::string message_of(int error, const std::filesystem::path& path) {
  return fmt::format("{}: {}", std::strerror(error), path.string());
}

/// A folder that was made when it was missing, and goes again if it was and nobody else uses it.
class Folder {
 public:
  explicit Folder(const std::filesystem::path& path) : path_(path) {
    std::error_code error;
    made_ = std::filesystem::create_directories(path, error);
    if (error) throw Error(ErrorKind::io, "cannot create a folder: " + message_of(error.value(), path));
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    if (made_) ::rmdir(path_.c_str());  // only succeeds when it is empty
  }

 private:
  std::filesystem::path path_;
  bool made_;
};

/// An open file. Writing and syncing answer 0 or the error number.
class File {
 public:
  static File create_in(const std::filesystem::path& folder) {
    std::string name = (folder / fmt::format("trace-{}-XXXXXX.log", ::getpid())).string();
    const int descriptor = ::mkostemps(name.data(), 4, O_CLOEXEC);
    if (descriptor < 0) throw Error(ErrorKind::io, "cannot create a trace log: " + message_of(errno, folder));
    return File(std::move(name), descriptor);
  }
  static File open(const std::filesystem::path& path) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0) throw Error(ErrorKind::io, "cannot open the trace log: " + message_of(errno, path));
    return File(path, descriptor);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { ::close(descriptor_); }

  const std::filesystem::path& path() const { return path_; }
  void remove_name() const { ::unlink(path_.c_str()); }
  /// The content, and the name with the folder that holds it.
  int sync() const {
    if (::fsync(descriptor_) != 0) return errno;
    const auto folder = path_.has_parent_path() ? path_.parent_path() : ".";
    if (const int f = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); f >= 0) {
      ::fsync(f);
      ::close(f);
    }
    return 0;
  }
  int truncate(std::uint64_t bytes) const {
    return ::ftruncate(descriptor_, static_cast<off_t>(bytes)) == 0 ? 0 : errno;
  }

  int write(std::span<const std::byte> bytes, std::uint64_t offset) const {
    while (!bytes.empty()) {
      const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return errno;
      bytes = bytes.subspan(static_cast<std::size_t>(written));
      offset += static_cast<std::uint64_t>(written);
    }
    return 0;
  }

  /// False when the file ends before that.
  bool read(std::span<std::byte> to, std::uint64_t offset) const {
    while (!to.empty()) {
      const ssize_t got = ::pread(descriptor_, to.data(), to.size(), static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw Error(ErrorKind::io, "cannot read the trace log: " + message_of(errno, path_));
      if (got == 0) return false;
      to = to.subspan(static_cast<std::size_t>(got));
      offset += static_cast<std::uint64_t>(got);
    }
    return true;
  }

 private:
  File(std::filesystem::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  std::filesystem::path path_;
  int descriptor_;
};

}  // namespace

/// The file, where its blocks begin, and the few that were read last.
class TraceLog::Disk {
 public:
  Disk(const std::filesystem::path& folder, bool keep);
  Disk(const std::filesystem::path& file, const Position& position);

  /// Appends a block, or sets failure() and drops it.
  void write(std::span<const LogRecord> records, LogNumber first);
  LogRecord read(LogNumber number);
  Position sync();

  const std::filesystem::path& file() const { return file_.path(); }
  std::uint64_t bytes() const { return bytes_; }
  const std::string& failure() const { return failure_; }

 private:
  struct IndexEntry {
    LogNumber first;
    std::uint64_t offset;
  };
  struct CachedBlock {
    LogNumber first = 0;
    std::vector<LogRecord> records = {};
    bool holds(LogNumber number) const { return number - first < records.size(); }
  };

  void write_at_end(std::span<const std::byte> bytes);
  BlockHeader read_block(std::uint64_t offset, std::uint64_t limit);
  void load(LogNumber number, CachedBlock& block);
  void rebuild_index(const Position& position);
  [[noreturn]] void damaged(std::string_view how) const;

  std::optional<Folder> folder_ = {};  // of a new log
  File file_;
  std::uint64_t bytes_ = 0;
  LogNumber stored_ = 0;        // records on disk
  std::uint64_t checksum_ = 0;  // of the last block
  std::string failure_ = {};
  std::vector<IndexEntry> index_ = {};
  std::array<CachedBlock, cached_blocks> cache_ = {};  // the one used last comes first

  Compressor compressor_{ZSTD_createCCtx()};
  Decompressor decompressor_{ZSTD_createDCtx()};
  std::vector<std::byte> encoded_ = {}, block_ = {};  // room to work in
};

TraceLog::Disk::Disk(const std::filesystem::path& folder, bool keep)
    : folder_(folder), file_(File::create_in(folder)) {
  if (!keep) file_.remove_name();
  write_at_end(std::as_bytes(std::span(format_line)));
}

TraceLog::Disk::Disk(const std::filesystem::path& file, const Position& position) : file_(File::open(file)) {
  rebuild_index(position);
  if (const int error = file_.truncate(bytes_))
    throw Error(ErrorKind::io, "cannot shorten the trace log: " + message_of(error, file));
}

void TraceLog::Disk::write_at_end(std::span<const std::byte> bytes) {
  if (const int error = file_.write(bytes, bytes_))
    failure_ = message_of(error, file());
  else
    bytes_ += bytes.size();
}

void TraceLog::Disk::write(std::span<const LogRecord> records, LogNumber first) {
  if (!failure_.empty() || records.empty()) return;
  encoded_.resize(block_records * most_record_bytes);
  block_.resize(sizeof(BlockHeader) + ZSTD_compressBound(encoded_.size()));
  BlockHeader header;
  header.previous = checksum_;
  header.first = first;
  header.records = static_cast<std::uint32_t>(records.size());
  header.encoded = static_cast<std::uint32_t>(encode(records, first, encoded_.data()) - encoded_.data());
  header.stored =
      ZSTD_compressCCtx(compressor_.get(), block_.data() + sizeof header, block_.size() - sizeof header,
                        encoded_.data(), header.encoded, compression_level);
  if (ZSTD_isError(header.stored)) throw std::bad_alloc();  // there is room for the worst case
  std::memcpy(block_.data(), &header, sizeof header);
  const auto block = std::span(block_).first(sizeof header + header.stored);
  header.checksum = checksum_of(block);
  std::memcpy(block_.data(), &header.checksum, sizeof header.checksum);

  const std::uint64_t offset = bytes_;
  write_at_end(block);
  if (!failure_.empty()) return;
  index_.push_back({first, offset});
  checksum_ = header.checksum;
  stored_ = first + records.size();
}

TraceLog::Position TraceLog::Disk::sync() {
  if (failure_.empty()) {
    if (const int error = file_.sync()) failure_ = message_of(error, file());
  }
  if (!failure_.empty()) throw Error(ErrorKind::io, "cannot write the trace log: " + failure_);
  return {stored_, bytes_, checksum_};
}

LogRecord TraceLog::Disk::read(LogNumber number) {
  if (number >= stored_)
    throw Error(ErrorKind::io, fmt::format("record {} of the trace log is lost: {}", number, failure_));
  auto block = std::find_if(cache_.begin(), cache_.end(), [&](auto& b) { return b.holds(number); });
  if (block == cache_.end()) load(number, *--block);
  std::rotate(cache_.begin(), block, block + 1);
  return cache_.front().records[number - cache_.front().first];
}

void TraceLog::Disk::load(LogNumber number, CachedBlock& block) {
  const auto next = std::upper_bound(index_.begin(), index_.end(), number,
                                     [](LogNumber n, const IndexEntry& entry) { return n < entry.first; });
  const std::uint64_t limit = next == index_.end() ? bytes_ : next->offset;
  const BlockHeader header = read_block((next - 1)->offset, limit);
  encoded_.resize(header.encoded);
  if (ZSTD_decompressDCtx(decompressor_.get(), encoded_.data(), encoded_.size(),
                          block_.data() + sizeof header, header.stored) != encoded_.size())
    damaged("a block does not decompress");
  block.first = header.first;
  block.records.resize(header.records);
  decode(block.records, header.first, encoded_.data());
}

/// Reads the block at the offset into block_ and checks what it says about itself. It must end by the limit.
BlockHeader TraceLog::Disk::read_block(std::uint64_t offset, std::uint64_t limit) {
  BlockHeader header;
  block_.resize(sizeof header);
  if (limit - offset < sizeof header || !file_.read(block_, offset)) damaged("it ends inside a block");
  std::memcpy(&header, block_.data(), sizeof header);
  if (header.stored > limit - offset - sizeof header) damaged("it ends inside a block");
  block_.resize(sizeof header + header.stored);
  if (!file_.read(std::span(block_).subspan(sizeof header), offset + sizeof header))
    damaged("it ends inside a block");
  if (checksum_of(block_) != header.checksum) damaged("a checksum is wrong");
  return header;
}

void TraceLog::Disk::rebuild_index(const Position& position) {
  std::array<std::byte, format_line.size()> line;
  if (!file_.read(line, 0) || std::memcmp(line.data(), format_line.data(), line.size()) != 0)
    damaged("it does not begin like one");
  for (bytes_ = line.size(); bytes_ < position.bytes;) {
    const BlockHeader header = read_block(bytes_, position.bytes);
    if (header.previous != checksum_ || header.first != stored_)
      damaged("its blocks do not follow each other");
    index_.push_back({header.first, bytes_});
    stored_ += header.records;
    checksum_ = header.checksum;
    bytes_ += block_.size();
  }
  if (Position{stored_, bytes_, checksum_} != position) damaged("it is not the one that was saved");
}

void TraceLog::Disk::damaged(std::string_view how) const {
  throw Error(ErrorKind::io, fmt::format("the trace log {} is damaged: {}", file().string(), how));
}

TraceLog::TraceLog(const std::filesystem::path& folder, bool keep)
    : TraceLog(std::make_unique<Disk>(folder, keep), 0) {}
TraceLog::TraceLog(std::unique_ptr<Disk> disk, LogNumber size)
    : pending_(std::make_unique<LogRecord[]>(block_records)), first_pending_(size), disk_(std::move(disk)) {}
TraceLog::~TraceLog() = default;
TraceLog::TraceLog(TraceLog&&) noexcept = default;
TraceLog& TraceLog::operator=(TraceLog&&) noexcept = default;

void TraceLog::write_block() {
  disk_->write({pending_.get(), pending_count_}, first_pending_);
  first_pending_ += std::exchange(pending_count_, 0);
}

LogRecord TraceLog::read(LogNumber number) {
  return number >= first_pending_ ? pending_[number - first_pending_] : disk_->read(number);
}

std::uint64_t TraceLog::bytes() const {
  return disk_->bytes();
}
const std::filesystem::path& TraceLog::file() const {
  return disk_->file();
}
const std::string& TraceLog::failure() const {
  return disk_->failure();
}

TraceLog::Position TraceLog::sync() {
  write_block();
  return disk_->sync();
}

TraceLog TraceLog::reopen(const std::filesystem::path& file, const Position& position) {
  return TraceLog(std::make_unique<Disk>(file, position), position.size);
}

std::filesystem::path default_trace_folder() {
  if (const char* folder = std::getenv("TMPDIR"); folder && *folder) return folder;
  std::error_code error;
  return std::filesystem::is_directory("/var/tmp", error) ? "/var/tmp" : "/tmp";
}

}  // namespace tideline
