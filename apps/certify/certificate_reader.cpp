#include "certificate_reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "model/ctl_claims.hpp"
#include "model/error.hpp"

namespace tideline::certify {

namespace {

using certificate::FrameHeader;
using certificate::FrameKind;

constexpr std::size_t most_state_bytes = 0xFFFF;
constexpr std::size_t most_extra_bytes = 2 * sizeof(certificate::Rank) * most_claimed_nodes;

[[noreturn]] void damaged(std::uint64_t frame, std::string_view what) {
  throw Refused(fmt::format("the certificate is damaged: frame {} {}", frame, what));
}

class File : public Bytes {
 public:
  explicit File(const std::string& path)
      : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat status {};
    if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0) fail();
    if (!S_ISREG(status.st_mode)) throw Error(ErrorKind::io, path_ + " is not a regular file");
    size_ = static_cast<std::uint64_t>(status.st_size);
  }
  ~File() override {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;

  std::uint64_t size() const override { return size_; }
  void read(std::uint64_t offset, std::span<std::byte> to) const override {
    while (!to.empty()) {
      const ssize_t got = ::pread(descriptor_, to.data(), to.size(), static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail();
      if (got == 0) throw Error(ErrorKind::io, path_ + " has become shorter while it was read");
      to = to.subspan(static_cast<std::size_t>(got));
      offset += static_cast<std::uint64_t>(got);
    }
  }

 private:
  [[noreturn]] void fail() const {
    throw Error(ErrorKind::io, fmt::format("cannot read {}: {}", path_, std::strerror(errno)));
  }

  std::string path_;
  int descriptor_;
  std::uint64_t size_ = 0;
};

std::vector<std::byte> decompress(std::span<const std::byte> from, std::size_t size, std::uint64_t frame) {
  std::vector<std::byte> content(size);
  const std::size_t got = ZSTD_decompress(content.data(), size, from.data(), from.size());
  if (ZSTD_isError(got) || got != size) damaged(frame, "cannot be decompressed");
  return content;
}

nlohmann::json parse(std::span<const std::byte> text, std::uint64_t frame) {
  const auto* const begin = reinterpret_cast<const char*>(text.data());
  nlohmann::json json = nlohmann::json::parse(begin, begin + text.size(), nullptr, false);
  if (!json.is_object()) damaged(frame, "has no JSON object");
  return json;
}

std::string text_in(const nlohmann::json& json, const char* key, std::uint64_t frame) {
  const auto value = json.find(key);
  if (value == json.end() || !value->is_string()) damaged(frame, fmt::format("has no text '{}'", key));
  return value->get<std::string>();
}

std::size_t number_in(const nlohmann::json& json, const char* key, std::size_t most, std::uint64_t frame) {
  const auto value = json.find(key);
  if (value == json.end() || !value->is_number_unsigned() || value->get<std::uint64_t>() > most)
    damaged(frame, fmt::format("has no number '{}' up to {}", key, most));
  return value->get<std::size_t>();
}

}  // namespace

std::unique_ptr<Bytes> open_bytes(const std::string& file) {
  return std::make_unique<File>(file);
}

CertificateReader::CertificateReader(std::unique_ptr<Bytes> bytes) : bytes_(std::move(bytes)) {
  const std::string_view line = certificate::format_line;
  std::string begin(std::min<std::uint64_t>(line.size(), bytes_->size()), ' ');
  bytes_->read(0, std::as_writable_bytes(std::span(begin)));
  if (begin != line)
    throw Refused(begin.starts_with(certificate::format_name)
                      ? "the certificate is of another version of the format"
                      : "this is not a certificate");
  std::uint64_t offset = line.size(), frame = 0;
  const FrameHeader head = header_at(offset);
  if (head.kind != FrameKind::head) damaged(frame, "is not the first one");
  const auto json = parse(decompress(stored(head, offset, frame), head.raw_bytes, frame), frame);
  model_ = text_in(json, "model", frame);
  digest_ = text_in(json, "digest", frame);
  for (offset += sizeof head + head.stored_bytes, ++frame;;) {
    const FrameHeader header = header_at(offset);
    if (header.kind == FrameKind::last) {
      stored(header, offset, frame);
      if (offset + sizeof header + header.stored_bytes != bytes_->size())
        damaged(frame, "should be the last one");
      return;
    }
    if (header.kind != FrameKind::section) damaged(frame, "does not begin a section");
    read_section(offset, frame);
  }
}

FrameHeader CertificateReader::header_at(std::uint64_t offset) const {
  FrameHeader header;
  if (bytes_->size() < offset || bytes_->size() - offset < sizeof header)
    throw Refused("the certificate is cut off: it ends without its last frame");
  bytes_->read(offset, std::as_writable_bytes(std::span(&header, 1)));
  if (header.stored_bytes > bytes_->size() - offset - sizeof header)
    throw Refused("the certificate is cut off or damaged: a frame goes beyond its end");
  if (header.raw_bytes > certificate::most_raw_bytes ||
      header.stored_bytes > ZSTD_compressBound(certificate::most_raw_bytes) + most_state_bytes)
    throw Refused("the certificate is damaged: a frame is too large");
  return header;
}

/// What follows the header, verified.
std::vector<std::byte> CertificateReader::stored(const FrameHeader& header, std::uint64_t offset,
                                                 std::uint64_t frame) const {
  constexpr std::size_t sum = sizeof header.checksum;
  std::vector<std::byte> bytes(sizeof header - sum + header.stored_bytes);
  bytes_->read(offset + sum, bytes);
  if (XXH3_64bits_withSeed(bytes.data(), bytes.size(), frame) != header.checksum)
    damaged(frame, "has a wrong checksum");
  bytes.erase(bytes.begin(), bytes.begin() + (sizeof header - sum));
  return bytes;
}

void CertificateReader::read_section(std::uint64_t& offset, std::uint64_t& frame) {
  FrameHeader header = header_at(offset);
  const auto json = parse(decompress(stored(header, offset, frame), header.raw_bytes, frame), frame);
  Section section;
  section.kind = text_in(json, "kind", frame);
  section.buchi = json.value("buchi", nlohmann::json(false)) == true;
  section.state_bytes = number_in(json, "state_bytes", most_state_bytes, frame);
  section.extra_bytes = number_in(json, "extra_bytes", most_extra_bytes, frame);
  const auto properties = json.find("properties");
  if (properties == json.end() || !properties->is_array()) damaged(frame, "has no properties");
  for (const auto& property : *properties) {
    if (!property.is_object()) damaged(frame, "has a property that is none");
    section.properties.push_back({text_in(property, "name", frame), text_in(property, "kind", frame),
                                  text_in(property, "formula", frame)});
  }
  for (;;) {
    offset += sizeof header + header.stored_bytes;
    ++frame;
    header = header_at(offset);
    if (header.kind == FrameKind::end) break;
    if (header.kind != FrameKind::block) damaged(frame, "is not one of a section");
    if (header.records == 0 || header.stored_bytes < section.state_bytes) damaged(frame, "has no states");
    if (header.records > header.raw_bytes) damaged(frame, "is too short for its states");
    section.blocks.push_back({.offset = offset, .frame = frame, .first = section.states, .header = header});
    section.states += header.records;
    section.firsts.resize(section.firsts.size() + section.state_bytes);
    bytes_->read(offset + sizeof header, std::span(section.firsts).last(section.state_bytes));
  }
  const std::vector<std::byte> end = stored(header, offset, frame);
  std::uint64_t counts[2] = {};
  if (end.size() != sizeof counts) damaged(frame, "does not say how many states there are");
  std::memcpy(counts, end.data(), sizeof counts);
  if (counts[0] != section.states || counts[1] != section.blocks.size())
    damaged(frame, fmt::format("says that there are {} states in {} blocks; there are {} in {}", counts[0],
                               counts[1], section.states, section.blocks.size()));
  offset += sizeof header + header.stored_bytes;
  ++frame;
  sections_.push_back(std::move(section));
}

void CertificateReader::read(const Section& section, const Block& block,
                             std::vector<std::byte>& content) const {
  const std::vector<std::byte> bytes = stored(block.header, block.offset, block.frame);
  content = decompress(std::span(bytes).subspan(section.state_bytes), block.header.raw_bytes, block.frame);
}

void BlockCursor::load(std::size_t block) {
  const Block& loaded = section_.blocks[block];
  reader_.read(section_, loaded, content_);
  const std::uint64_t records = loaded.header.records;
  const std::uint64_t besides =
      records * (certificate::share_bytes(section_.state_bytes) + section_.extra_bytes);
  if (content_.size() < besides) damaged(loaded.frame, "is too short for its states");
  block_ = block;
  taken_ = 0;
  rest_ = records * certificate::share_bytes(section_.state_bytes);
  rests_end_ = content_.size() - records * section_.extra_bytes;
  state_.assign(section_.first_of(block), section_.first_of(block) + section_.state_bytes);
}

bool BlockCursor::next() {
  const Block& block = section_.blocks[block_];
  if (taken_ == block.header.records) {
    if (rest_ != rests_end_) damaged(block.frame, "has more bytes than its states");
    return false;
  }
  if (taken_++ == 0) return true;
  const std::size_t bytes = section_.state_bytes;
  const std::size_t share_bytes = certificate::share_bytes(bytes);
  std::size_t shared = 0;
  std::memcpy(&shared, content_.data() + share_bytes * (taken_ - 1), share_bytes);
  if (shared >= bytes || bytes - shared > rests_end_ - rest_)
    damaged(block.frame, "has a state of a wrong length");
  if (std::memcmp(content_.data() + rest_, state_.data() + shared, bytes - shared) <= 0)
    damaged(block.frame, "has states in a wrong order");
  std::memcpy(state_.data() + shared, content_.data() + rest_, bytes - shared);
  rest_ += bytes - shared;
  return true;
}

std::uint32_t BlockCursor::extra(std::size_t number) const {
  std::uint32_t value = 0;
  std::memcpy(&value, extras() + number * sizeof value, sizeof value);
  return value;
}

}  // namespace tideline::certify
