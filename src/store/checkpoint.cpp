#include "store/checkpoint.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <span>
#include <string_view>

#include "files/file_system.hpp"
#include "model/error.hpp"
#include "store/checksum.hpp"

namespace tideline {

namespace {

constexpr std::string_view format_line = "tideline checkpoint 5\n";
constexpr std::string_view format_name = "tideline checkpoint ";
constexpr int checkpoint_compression_level = 1;

struct Free {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
};

using Checksum = std::unique_ptr<XXH3_state_t, Free>;

Checksum new_checksum() {
  Checksum checksum(XXH3_createState());
  if (!checksum) throw std::bad_alloc();
  XXH3_64bits_reset(checksum.get());
  return checksum;
}

[[noreturn]] void cannot(std::string_view what, const std::filesystem::path& file, int error) {
  throw Error(ErrorKind::io,
              fmt::format("cannot {} the checkpoint {}: {}", what, file.string(), std::strerror(error)));
}

}  // namespace

// --- Writing -----------------------------------------------------------------------------------------------

class CheckpointWriter::Disk {
 public:
  explicit Disk(const std::filesystem::path& file)
      : file_(file),
        new_file_(unfinished(file)),
        descriptor_(files().open(new_file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC)),
        in_(ZSTD_CStreamInSize()),
        out_(ZSTD_CStreamOutSize()) {
    if (!descriptor_.is_open()) cannot("write", new_file_, errno);
    if (!compressor_) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(compressor_.get(), ZSTD_c_compressionLevel, checkpoint_compression_level);
  }
  Disk(const Disk&) = delete;
  Disk& operator=(const Disk&) = delete;
  ~Disk() {
    if (descriptor_.is_open()) files().unlink(new_file_.c_str());
  }

  void begin() { put(std::as_bytes(std::span(format_line))); }

  void bytes(std::span<const std::byte> from) {
    while (!from.empty()) {
      const std::size_t count = std::min(from.size(), in_.size() - filled_);
      std::memcpy(in_.data() + filled_, from.data(), count);
      filled_ += count;
      from = from.subspan(count);
      if (filled_ == in_.size()) compress(ZSTD_e_continue);
    }
  }

  void finish() {
    compress(ZSTD_e_end);
    const std::uint64_t sum = XXH3_64bits_digest(checksum_.get());
    put(std::as_bytes(std::span(&sum, 1)));
    if (files().sync(descriptor_.get()) != 0) cannot("write", new_file_, errno);
    finished_ = true;
  }

  void commit() {
    if (!finished_) finish();
    if (files().rename(new_file_.c_str(), file_.c_str()) != 0) cannot("write", file_, errno);
    if (const int error = descriptor_.close()) cannot("write", file_, error);
    sync_folder_of(file_);
  }

 private:
  void compress(ZSTD_EndDirective how) {
    ZSTD_inBuffer in{in_.data(), filled_, 0};
    for (bool more = true; more;) {
      ZSTD_outBuffer out{out_.data(), out_.size(), 0};
      const std::size_t left = ZSTD_compressStream2(compressor_.get(), &out, &in, how);
      if (ZSTD_isError(left)) throw std::bad_alloc();  // nothing else can go wrong
      put(std::span(out_).first(out.pos));
      more = how == ZSTD_e_end ? left != 0 : in.pos != in.size;
    }
    filled_ = 0;
  }

  void put(std::span<const std::byte> bytes) {
    XXH3_64bits_update(checksum_.get(), bytes.data(), bytes.size());
    if (const int error = descriptor_.write(bytes, written_)) cannot("write", new_file_, error);
    written_ += bytes.size();
  }

  std::filesystem::path file_, new_file_;
  Descriptor descriptor_;
  Checksum checksum_ = new_checksum();
  std::unique_ptr<ZSTD_CCtx, Free> compressor_{ZSTD_createCCtx()};
  std::vector<std::byte> in_, out_;
  std::size_t filled_ = 0;  // of in_
  std::uint64_t written_ = 0;
  bool finished_ = false;
};

CheckpointWriter::CheckpointWriter(const std::filesystem::path& file) : disk_(std::make_unique<Disk>(file)) {
  disk_->begin();  // when this fails, the file is removed again
}
CheckpointWriter::~CheckpointWriter() = default;

void CheckpointWriter::bytes(const std::byte* from, std::size_t count) {
  disk_->bytes({from, count});
}
void CheckpointWriter::finish() {
  disk_->finish();
}
void CheckpointWriter::commit() {
  disk_->commit();
}
std::filesystem::path CheckpointWriter::unfinished(const std::filesystem::path& file) {
  return file.string() + ".new";
}

// --- Reading -----------------------------------------------------------------------------------------------

class CheckpointReader::Disk {
 public:
  explicit Disk(const std::filesystem::path& file)
      : file_(file),
        descriptor_(files().open(file.c_str(), O_RDONLY)),
        in_(ZSTD_DStreamInSize()),
        out_(ZSTD_DStreamOutSize()) {
    if (!descriptor_.is_open()) cannot("open", file_, errno);
    if (!decompressor_) throw std::bad_alloc();
    verify();
    at_ = format_line.size();
  }
  Disk(const Disk&) = delete;
  Disk& operator=(const Disk&) = delete;

  void bytes(std::span<std::byte> to) {
    while (!to.empty()) {
      if (taken_ == out_filled_ && !refill()) damaged("it ends too early");
      const std::size_t count = std::min(to.size(), out_filled_ - taken_);
      std::memcpy(to.data(), out_.data() + taken_, count);
      taken_ += count;
      to = to.subspan(count);
    }
  }

  void require_end() {
    if (taken_ != out_filled_ || refill()) damaged("there is more in it than there should be");
  }

  [[noreturn]] void damaged(std::string_view how) const {
    throw Error(ErrorKind::io, fmt::format("the checkpoint {} is damaged: {}", file_.string(), how));
  }

 private:
  /// The line at the beginning and the checksum at the end.
  void verify() {
    Checksum checksum = new_checksum();
    std::vector<std::byte> begin, end;  // the first bytes, and the last ones: maybe the checksum
    std::uint64_t size = 0;
    while (const std::size_t count = read(size)) {
      size += count;
      const auto piece = std::span(in_).first(count);
      if (begin.size() < format_line.size()) begin.insert(begin.end(), piece.begin(), piece.end());
      end.insert(end.end(), piece.begin(), piece.end());
      if (end.size() <= sizeof(std::uint64_t)) continue;
      const auto sure = static_cast<std::ptrdiff_t>(end.size() - sizeof(std::uint64_t));
      XXH3_64bits_update(checksum.get(), end.data(), static_cast<std::size_t>(sure));
      end.erase(end.begin(), end.begin() + sure);
    }
    const auto begins_with = [&](std::string_view text) {
      return begin.size() >= text.size() && std::memcmp(begin.data(), text.data(), text.size()) == 0;
    };
    if (!begins_with(format_name)) damaged("it does not begin like one");
    if (!begins_with(format_line))
      throw Error(ErrorKind::io, fmt::format("the checkpoint {} is of another version", file_.string()));
    std::uint64_t sum = 0;
    if (size < format_line.size() + sizeof sum) damaged("it ends too early");
    std::memcpy(&sum, end.data(), sizeof sum);
    if (sum != XXH3_64bits_digest(checksum.get())) damaged("its checksum is wrong");
    end_ = size - sizeof sum;
  }

  /// Fills in_ from the offset on; returns how many bytes.
  std::size_t read(std::uint64_t offset) {
    std::size_t count = 0;
    if (const int error = descriptor_.read(in_, offset, count)) cannot("read", file_, error);
    return count;
  }

  /// Puts the next bytes into out_; false: there are none.
  bool refill() {
    taken_ = out_filled_ = 0;
    while (out_filled_ == 0) {
      if (in_taken_ == in_filled_ && !frame_is_full_) {
        in_filled_ = static_cast<std::size_t>(std::min<std::uint64_t>(read(at_), end_ - at_));
        at_ += in_filled_;
        in_taken_ = 0;
        if (in_filled_ == 0) return false;
      }
      ZSTD_inBuffer in{in_.data(), in_filled_, in_taken_};
      ZSTD_outBuffer out{out_.data(), out_.size(), 0};
      const std::size_t left = ZSTD_decompressStream(decompressor_.get(), &out, &in);
      if (ZSTD_isError(left)) damaged("it does not decompress");
      in_taken_ = in.pos;
      out_filled_ = out.pos;
      frame_is_full_ = out.pos == out.size;  // there may be more inside the decompressor
    }
    return true;
  }

  std::filesystem::path file_;
  Descriptor descriptor_;
  std::unique_ptr<ZSTD_DCtx, Free> decompressor_{ZSTD_createDCtx()};
  std::vector<std::byte> in_, out_;
  std::uint64_t at_ = 0, end_ = 0;  // in the file: what comes next, and where the checksum begins
  std::size_t in_filled_ = 0, in_taken_ = 0, out_filled_ = 0, taken_ = 0;
  bool frame_is_full_ = false;
};

CheckpointReader::CheckpointReader(const std::filesystem::path& file) : disk_(std::make_unique<Disk>(file)) {}
CheckpointReader::~CheckpointReader() = default;
CheckpointReader::CheckpointReader(CheckpointReader&&) noexcept = default;

void CheckpointReader::bytes(std::byte* to, std::size_t count) {
  disk_->bytes({to, count});
}
void CheckpointReader::require_end() {
  disk_->require_end();
}
void CheckpointReader::refuse() const {
  disk_->damaged("its parts do not fit together, or not with this search");
}

// --- In memory ---------------------------------------------------------------------------------------------

void ByteReader::require(bool fits) const {
  if (!fits) throw Error(ErrorKind::io, "the searches of the saved run are not those of this one");
}

void ByteReader::bytes(std::byte* to, std::size_t count) {
  require(count <= rest_.size());
  std::copy_n(rest_.begin(), count, to);
  rest_ = rest_.subspan(count);
}

void ByteReader::require_end() const {
  require(rest_.empty());
}

}  // namespace tideline
