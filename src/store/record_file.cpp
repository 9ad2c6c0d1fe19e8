#include "store/record_file.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "model/error.hpp"

namespace tideline {

namespace {

constexpr const char* layers_file = "layers file";
constexpr std::size_t block_bytes = std::size_t{1} << 18;

std::span<const std::byte> cut(std::span<const std::byte> bytes, const std::vector<std::uint64_t>& ends,
                               std::uint64_t i) {
  const std::uint64_t begin = i == 0 ? 0 : ends[i - 1];
  return bytes.subspan(begin, ends[i] - begin);
}

void require(bool fits) {
  if (!fits) throw Error(ErrorKind::io, "the layers file is damaged: its records do not fill a block");
}

}  // namespace

bool RecordFile::are_ends(const std::vector<std::uint64_t>& ends, std::uint64_t bytes) {
  return std::is_sorted(ends.begin(), ends.end()) && (ends.empty() ? 0 : ends.back()) == bytes;
}

RecordFile::RecordFile(const std::filesystem::path& folder, bool keep, const std::string& stem)
    : RecordFile(BlockFile(layers_file, {folder, keep, stem})) {}
RecordFile::RecordFile(BlockFile file) : file_(std::move(file)), first_pending_(file_.size()) {}

RecordFile RecordFile::reopen(const std::filesystem::path& file, const FilePosition& position) {
  return RecordFile(BlockFile(layers_file, file, position));
}

void RecordFile::append(std::span<const std::byte> record) {
  ends_.push_back(pending_.size() + record.size());
  pending_.insert(pending_.end(), record.begin(), record.end());
  if (pending_.size() >= block_bytes) write_block();
}

void RecordFile::write_block() {
  const auto ends = std::as_bytes(std::span(ends_));
  pending_.insert(pending_.begin(), ends.begin(), ends.end());
  file_.append(ends_.size(), pending_);
  first_pending_ += ends_.size();
  ends_.clear();
  pending_.clear();
}

std::span<const std::byte> RecordFile::read(std::uint64_t number) {
  if (number >= first_pending_) return cut(pending_, ends_, number - first_pending_);
  if (number < cached_first_ || number - cached_first_ >= cached_ends_.size()) load(number);
  const std::size_t directory = cached_ends_.size() * sizeof(std::uint64_t);
  return cut(std::span(cached_).subspan(directory), cached_ends_, number - cached_first_);
}

void RecordFile::load(std::uint64_t number) {
  cached_ends_.clear();
  const auto [first, records] = file_.read(number, cached_);
  require(records <= cached_.size() / sizeof(std::uint64_t));
  cached_first_ = first;
  std::vector<std::uint64_t> ends(records);
  std::memcpy(ends.data(), cached_.data(), records * sizeof(std::uint64_t));
  require(are_ends(ends, cached_.size() - records * sizeof(std::uint64_t)));
  cached_ends_ = std::move(ends);
}

}  // namespace tideline
