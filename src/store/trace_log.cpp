// A record is encoded as one byte: how far its parent lies after the parent of the record before (three
// bits), and the choice (five bits). States are mostly expanded in the order in which they were found, so the
// first is 0 or small whereas the distance from the record to its parent is large and always different. What
// does not fit is marked in the byte and follows it as a number of variable length, seven bits per byte.
#include "store/trace_log.hpp"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <system_error>
#include <utility>

#include "store/packed_number.hpp"

namespace tideline {

namespace {

constexpr const char* trace_log = "trace log";

constexpr unsigned choice_bits = 5;
constexpr std::uint32_t long_choice = (1u << choice_bits) - 1;  // the choice follows the byte
constexpr std::uint64_t long_distance = 7;                      // the distance follows the byte
constexpr std::size_t most_record_bytes = 1 + 10 + 5;           // with both numbers in full

void require(bool fits) {
  if (!fits) throw Error(ErrorKind::io, "the trace log is damaged: a block ends too early");
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

/// The inverse. Throws Error(io) when `from` holds less than that.
void decode(std::span<LogRecord> records, LogNumber first, std::span<const std::byte> from) {
  LogNumber before = first;
  for (LogRecord& record : records) {
    require(!from.empty());
    const auto byte = static_cast<std::uint64_t>(from.front());
    from = from.subspan(1);
    std::uint64_t distance = byte >> choice_bits;
    std::uint64_t choice = byte & long_choice;
    if (distance == long_distance) distance = unfolded(get_number(from));
    if (choice == long_choice) choice = get_number(from);
    before += distance;
    record = {before - 1, static_cast<std::uint32_t>(choice)};
  }
}

}  // namespace

TraceLog::TraceLog(const std::filesystem::path& folder, bool keep, const std::string& stem)
    : TraceLog(BlockFile(trace_log, {folder, keep, stem})) {}
TraceLog::TraceLog(BlockFile file)
    : pending_(std::make_unique<LogRecord[]>(block_records)),
      first_pending_(file.size()),
      file_(std::move(file)) {}

TraceLog TraceLog::reopen(const std::filesystem::path& file, const FilePosition& position) {
  return TraceLog(BlockFile(trace_log, file, position));
}

LogNumber TraceLog::append(std::span<const LogRecord> records) {
  LogNumber first = 0;
  std::size_t full = 0;
  {
    const std::scoped_lock lock(sharing_->gate);
    first = size();
    while (!records.empty()) {
      const std::size_t here = std::min<std::size_t>(records.size(), block_records - pending_count_);
      std::copy_n(records.begin(), here, pending_.get() + pending_count_);
      pending_count_ += static_cast<std::uint32_t>(here);
      records = records.subspan(here);
      if (pending_count_ == block_records) set_aside();
    }
    full = sharing_->full.size();
  }
  if (full != 0) write_full_blocks(full > Sharing::most_full);
  return first;
}

void TraceLog::set_aside() {
  std::vector<Records>& spare = sharing_->spare;
  Records empty = spare.empty() ? std::make_unique<LogRecord[]>(block_records) : std::move(spare.back());
  if (!spare.empty()) spare.pop_back();
  sharing_->full.push_back({first_pending_, nullptr});
  sharing_->full.back().records = std::exchange(pending_, std::move(empty));
  first_pending_ += std::exchange(pending_count_, 0);
}

void TraceLog::write_full_blocks(bool wait) {
  for (bool more = true; more;) {
    std::unique_lock writing(sharing_->writing, std::defer_lock);
    if (wait)
      writing.lock();
    else if (!writing.try_lock())
      return;
    for (;;) {
      std::unique_lock lock(sharing_->gate);
      if (sharing_->full.empty()) break;
      Sharing::FullBlock& block = sharing_->full.front();  // it stays there until it is written
      lock.unlock();
      write(block.first, {block.records.get(), block_records});
      lock.lock();
      Records written = std::move(block.records);
      sharing_->full.pop_front();
      sharing_->spare.push_back(std::move(written));
    }
    writing.unlock();
    const std::scoped_lock lock(sharing_->gate);  // one may have been put aside in between
    more = !sharing_->full.empty();
  }
}

void TraceLog::write_block() {
  write(first_pending_, {pending_.get(), pending_count_});
  first_pending_ += std::exchange(pending_count_, 0);
}

void TraceLog::write(LogNumber first, std::span<const LogRecord> records) {
  // Most of it is never touched, and takes no memory.
  if (!encoding_) encoding_ = std::make_unique_for_overwrite<std::byte[]>(block_records * most_record_bytes);
  const std::byte* const end = encode(records, first, encoding_.get());
  file_.append(records.size(), std::span<const std::byte>(encoding_.get(), end));
  if (!file_.failure().empty()) sharing_->failed.store(true, std::memory_order_release);
}

LogRecord TraceLog::read(LogNumber number) {
  if (number >= size())  // a checkpoint that somebody has changed may say so
    throw Error(ErrorKind::io, "the trace log is damaged: it has no record of a state");
  return number >= first_pending_ ? pending_[number - first_pending_] : read_from_disk(number);
}

LogRecord TraceLog::read_from_disk(LogNumber number) {
  auto block = std::find_if(cache_.begin(), cache_.end(), [&](auto& b) { return b.holds(number); });
  if (block == cache_.end()) {
    const auto [first, records] = file_.read(number, encoded_);
    require(records <= encoded_.size());  // a byte each, at least
    --block;
    block->records.clear();
    block->first = first;
    std::vector<LogRecord> decoded(records);
    decode(decoded, first, encoded_);
    block->records = std::move(decoded);
  }
  std::rotate(cache_.begin(), block, block + 1);
  return cache_.front().records[number - cache_.front().first];
}

FilePosition TraceLog::sync() {
  write_block();
  return file_.sync();
}

std::filesystem::path default_trace_folder() {
  if (const char* folder = std::getenv("TMPDIR"); folder && *folder) return folder;
  std::error_code error;
  return std::filesystem::is_directory("/var/tmp", error) ? "/var/tmp" : "/tmp";
}

}  // namespace tideline
