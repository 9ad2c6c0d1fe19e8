#include "certificate/writer/certificate_file.hpp"

#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "model/error.hpp"
#include "store/checksum.hpp"
#include "store/state_run.hpp"

namespace tideline::certificate {

namespace {

constexpr int compression_level = 1;
constexpr std::size_t most_shared = 0xFFFF;

void append(std::vector<std::byte>& to, std::span<const std::byte> bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

}  // namespace

struct CertificateFile::Compressor {
  Compressor() {
    if (!context) throw std::bad_alloc();
  }
  Compressor(const Compressor&) = delete;
  ~Compressor() { ZSTD_freeCCtx(context); }

  /// Appends to `to`.
  void compress(std::span<const std::byte> from, std::vector<std::byte>& to) const {
    const std::size_t before = to.size();
    to.resize(before + ZSTD_compressBound(from.size()));
    const std::size_t size = ZSTD_compressCCtx(context, to.data() + before, to.size() - before, from.data(),
                                               from.size(), compression_level);
    if (ZSTD_isError(size)) throw std::bad_alloc();  // nothing else can go wrong
    to.resize(before + size);
  }

  ZSTD_CCtx* context = ZSTD_createCCtx();
};

CertificateFile::CertificateFile(std::filesystem::path target, const std::string& head)
    : target_(std::move(target)),
      file_(DiskFile::create_beside(target_)),
      compressor_(std::make_unique<Compressor>()) {
  put(std::as_bytes(std::span(format_line)));
  write_text(FrameKind::head, head);
}

CertificateFile::~CertificateFile() {
  if (!committed_) file_.remove_name();
}

void CertificateFile::begin_section(const std::string& section, std::size_t state_bytes,
                                    std::size_t extra_bytes) {
  state_bytes_ = state_bytes;
  extra_bytes_ = extra_bytes;
  states_ = blocks_ = 0;
  last_.assign(state_bytes, std::byte{0});
  write_text(FrameKind::section, section);
}

void CertificateFile::add(const std::byte* state, const std::byte* extra) {
  if (shares_.size() + rests_.size() + extras_.size() >= block_bytes) write_block();
  std::size_t shared = 0;
  if (shares_.empty())
    first_.assign(state, state + state_bytes_);
  else
    shared = std::min(common_prefix(last_.data(), state, state_bytes_), most_shared);
  shares_.push_back(static_cast<std::byte>(shared));
  if (share_bytes(state_bytes_) == 2) shares_.push_back(static_cast<std::byte>(shared >> 8));
  if (shares_.size() > share_bytes(state_bytes_)) append(rests_, {state + shared, state_bytes_ - shared});
  append(extras_, {extra, extra_bytes_});
  std::copy_n(state + shared, state_bytes_ - shared, last_.begin() + static_cast<std::ptrdiff_t>(shared));
  ++states_;
}

void CertificateFile::write_block() {
  FrameHeader header{.kind = FrameKind::block,
                     .records = static_cast<std::uint32_t>(shares_.size() / share_bytes(state_bytes_))};
  raw_.clear();
  for (std::vector<std::byte>* part : {&shares_, &rests_, &extras_}) {
    append(raw_, *part);
    part->clear();
  }
  header.raw_bytes = static_cast<std::uint32_t>(raw_.size());
  stored_ = first_;
  compressor_->compress(raw_, stored_);
  write_frame(header, stored_);
  ++blocks_;
}

void CertificateFile::end_section() {
  if (!shares_.empty()) write_block();
  const std::uint64_t counts[] = {states_, blocks_};
  write_frame({.kind = FrameKind::end}, std::as_bytes(std::span(counts)));
}

void CertificateFile::commit() {
  write_frame({.kind = FrameKind::last}, {});
  int error = file_.sync();
  if (error == 0) error = file_.rename_to(target_);
  if (error != 0) throw Error(ErrorKind::io, "cannot write the certificate: " + file_error(error, target_));
  committed_ = true;
}

void CertificateFile::write_text(FrameKind kind, const std::string& text) {
  if (text.size() > most_raw_bytes)
    throw Error(ErrorKind::io, "cannot write the certificate: the properties are too long for it");
  stored_.clear();
  compressor_->compress(std::as_bytes(std::span(text)), stored_);
  write_frame({.kind = kind, .raw_bytes = static_cast<std::uint32_t>(text.size())}, stored_);
}

void CertificateFile::write_frame(FrameHeader header, std::span<const std::byte> stored) {
  header.stored_bytes = static_cast<std::uint32_t>(stored.size());
  const auto begin = std::as_bytes(std::span(&header, 1));
  frame_.assign(begin.begin(), begin.end());
  append(frame_, stored);
  constexpr std::size_t sum = sizeof header.checksum;
  header.checksum = XXH3_64bits_withSeed(frame_.data() + sum, frame_.size() - sum, frames_++);
  std::copy_n(begin.begin(), sum, frame_.begin());
  put(frame_);
}

void CertificateFile::put(std::span<const std::byte> bytes) {
  if (const int error = file_.write(bytes, bytes_))
    throw Error(ErrorKind::io, "cannot write the certificate: " + file_error(error, target_));
  bytes_ += bytes.size();
}

}  // namespace tideline::certificate
