#include "store/record_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

#include "model/error.hpp"
#include "store/hash.hpp"

namespace tideline {

namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 18;
constexpr int compression_level = 1;

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

}  // namespace

class RecordFile::Disk {
 public:
  explicit Disk(const std::filesystem::path& folder) : folder_(folder) {
    std::error_code error;
    const bool made = std::filesystem::create_directories(folder, error);
    std::string name = (folder / fmt::format("layers-{}-XXXXXX", ::getpid())).string();
    descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor_ < 0)
      throw Error(ErrorKind::io,
                  fmt::format("cannot create a file in {}: {}", folder.string(), std::strerror(errno)));
    ::unlink(name.c_str());
    if (made) ::rmdir(folder.c_str());  // the file needs it no longer
  }
  Disk(const Disk&) = delete;
  Disk& operator=(const Disk&) = delete;
  ~Disk() { ::close(descriptor_); }

  void append(std::span<const std::byte> record) {
    ends_.push_back(pending_.size() + record.size());
    pending_.insert(pending_.end(), record.begin(), record.end());
    if (pending_.size() >= block_bytes) write_block();
  }

  std::span<const std::byte> read(std::uint64_t number) {
    if (number >= first_pending_) return cut(pending_, ends_, number - first_pending_);
    if (number < cached_first_ || number - cached_first_ >= cached_ends_.size()) load(number);
    return cut(cached_, cached_ends_, number - cached_first_);
  }

  std::uint64_t size() const { return first_pending_ + ends_.size(); }
  std::uint64_t bytes() const { return bytes_; }
  const std::string& failure() const { return failure_; }

 private:
  struct Block {
    std::uint64_t first;  // record
    std::uint64_t offset;
    std::uint64_t stored;  // bytes
    std::uint64_t length;  // bytes, decompressed: the ends of its records, then the records
    std::uint64_t checksum;
    std::uint64_t records;
  };

  static std::span<const std::byte> cut(const std::vector<std::byte>& bytes,
                                        const std::vector<std::uint64_t>& ends, std::uint64_t i) {
    const std::uint64_t begin = i == 0 ? 0 : ends[i - 1];
    return std::span(bytes).subspan(begin, ends[i] - begin);
  }

  void write_block() {
    const auto ends = std::as_bytes(std::span(ends_));
    room_.assign(ends.begin(), ends.end());
    room_.insert(room_.end(), pending_.begin(), pending_.end());
    std::vector<std::byte> block(ZSTD_compressBound(room_.size()));
    const std::size_t stored = ZSTD_compressCCtx(compressor_.get(), block.data(), block.size(), room_.data(),
                                                 room_.size(), compression_level);
    if (ZSTD_isError(stored)) throw std::bad_alloc();  // there is room for the worst case
    block.resize(stored);
    blocks_.push_back(
        {first_pending_, bytes_, stored, room_.size(), XXH3_64bits(block.data(), stored), ends_.size()});
    write(block);
    first_pending_ += ends_.size();
    ends_.clear();
    pending_.clear();
  }

  void write(std::span<const std::byte> bytes) {
    while (!bytes.empty() && failure_.empty()) {
      const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(bytes_));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) {
        failure_ = fmt::format("{}: {}", std::strerror(errno), folder_.string());
        return;
      }
      bytes = bytes.subspan(static_cast<std::size_t>(written));
      bytes_ += static_cast<std::uint64_t>(written);
    }
  }

  void load(std::uint64_t number) {
    const auto next = std::upper_bound(blocks_.begin(), blocks_.end(), number,
                                       [](std::uint64_t n, const Block& block) { return n < block.first; });
    const Block& block = *(next - 1);
    std::vector<std::byte> stored(block.stored);
    std::span<std::byte> rest(stored);
    for (std::uint64_t offset = block.offset; !rest.empty();) {
      const ssize_t got = ::pread(descriptor_, rest.data(), rest.size(), static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) damaged();
      rest = rest.subspan(static_cast<std::size_t>(got));
      offset += static_cast<std::uint64_t>(got);
    }
    cached_.resize(block.length);
    if (XXH3_64bits(stored.data(), stored.size()) != block.checksum ||
        ZSTD_decompressDCtx(decompressor_.get(), cached_.data(), cached_.size(), stored.data(),
                            stored.size()) != block.length)
      damaged();
    cached_ends_.resize(block.records);
    const std::size_t directory = block.records * sizeof(std::uint64_t);
    std::memcpy(cached_ends_.data(), cached_.data(), directory);
    cached_.erase(cached_.begin(), cached_.begin() + static_cast<std::ptrdiff_t>(directory));
    cached_first_ = block.first;
  }

  [[noreturn]] void damaged() const {
    throw Error(ErrorKind::io, fmt::format("a file in {} cannot be read back{}{}", folder_.string(),
                                           failure_.empty() ? "" : ": ", failure_));
  }

  std::filesystem::path folder_;
  int descriptor_ = -1;
  std::uint64_t bytes_ = 0;
  std::string failure_;
  std::vector<Block> blocks_;
  std::uint64_t first_pending_ = 0;
  std::vector<std::byte> pending_;
  std::vector<std::uint64_t> ends_;  // of pending records
  std::uint64_t cached_first_ = 0;
  std::vector<std::byte> cached_;
  std::vector<std::uint64_t> cached_ends_;
  std::vector<std::byte> room_;  // to work in
  std::unique_ptr<ZSTD_CCtx, FreeContext> compressor_{ZSTD_createCCtx()};
  std::unique_ptr<ZSTD_DCtx, FreeContext> decompressor_{ZSTD_createDCtx()};
};

RecordFile::RecordFile(const std::filesystem::path& folder) : disk_(std::make_unique<Disk>(folder)) {}
RecordFile::~RecordFile() = default;
RecordFile::RecordFile(RecordFile&&) noexcept = default;
RecordFile& RecordFile::operator=(RecordFile&&) noexcept = default;

void RecordFile::append(std::span<const std::byte> record) {
  disk_->append(record);
}
std::span<const std::byte> RecordFile::read(std::uint64_t number) {
  return disk_->read(number);
}
std::uint64_t RecordFile::size() const {
  return disk_->size();
}
std::uint64_t RecordFile::bytes() const {
  return disk_->bytes();
}
const std::string& RecordFile::failure() const {
  return disk_->failure();
}

void put_number(std::vector<std::byte>& to, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) to.push_back(static_cast<std::byte>(number | 0x80));
  to.push_back(static_cast<std::byte>(number));
}

std::uint64_t get_number(std::span<const std::byte>& from) {
  std::uint64_t number = 0;
  std::size_t i = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<std::uint64_t>(from[i++]);
    number |= (byte & 0x7F) << shift;
    if (byte < 0x80) break;
  }
  from = from.subspan(i);
  return number;
}

}  // namespace tideline
