#include "gpu/shelf.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "model/error.hpp"
#include "run/budget.hpp"

namespace tideline::gpu {

namespace {

/// So many chunks may wait for the disk; then the search waits for it, too.
constexpr std::size_t most_waiting = 16;

std::uint64_t bytes_of(std::uint64_t words) {
  return words * sizeof(Word);
}

}  // namespace

Shelf::~Shelf() {
  writer_.request_stop();
}

void Shelf::open() {
  if (file_) return;
  file_ = DiskFile::create_in(folder_, "tideline-device");
  file_->remove_name();
  writer_ = std::jthread([this](const std::stop_token& stop) { write_all(stop); });
}

Shelf::Chunk Shelf::put(std::vector<Word> words) {
  std::unique_lock lock(mutex_);
  Chunk chunk = 0;
  if (free_entries_.empty()) {
    chunk = static_cast<Chunk>(entries_.size());
    entries_.emplace_back();
  } else {
    chunk = free_entries_.back();
    free_entries_.pop_back();
  }
  const std::uint64_t count = words.size();
  entries_[chunk] = {std::make_shared<const std::vector<Word>>(std::move(words)), count};
  memory_ += bytes_of(count);
  if (memory_ > limit_) {
    open();
    to_write_.push_back(chunk);
    changed_.notify_all();
    changed_.wait(lock, [&] { return to_write_.size() < most_waiting || !failure_.empty(); });
    if (!failure_.empty()) throw LimitReached(failure_);
  }
  memory_peak_ = std::max(memory_peak_, memory_);
  return chunk;
}

Shelf::Words Shelf::get(Chunk chunk) {
  std::unique_lock lock(mutex_);
  const Entry entry = entries_[chunk];
  lock.unlock();
  if (entry.words) return entry.words;
  std::vector<Word> words(entry.count);
  if (!file_->read(std::as_writable_bytes(std::span(words)), entry.slot * bytes_of(most_words_)))
    throw Error(ErrorKind::io, "the file of states that a device has no room for is damaged");
  return std::make_shared<const std::vector<Word>>(std::move(words));
}

void Shelf::drop(Chunk chunk) {
  const std::scoped_lock lock(mutex_);
  Entry& entry = entries_[chunk];
  if (entry.words) memory_ -= bytes_of(entry.count);
  if (entry.slot != nowhere) {
    disk_ -= bytes_of(entry.count);
    free_slots_.push_back(entry.slot);
  }
  std::erase(to_write_, chunk);
  entry = {};
  free_entries_.push_back(chunk);
}

/// The chunk that is being written stays first in the list, and in memory, until it is on disk. Should it be dropped
/// meanwhile, its words are no longer those of the entry.
void Shelf::write_all(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [&] { return !to_write_.empty(); })) {
    const Chunk chunk = to_write_.front();
    const Words words = entries_[chunk].words;
    std::uint64_t slot = slots_;
    if (free_slots_.empty()) {
      ++slots_;
    } else {
      slot = free_slots_.back();
      free_slots_.pop_back();
    }
    lock.unlock();
    const int error = file_->write(std::as_bytes(std::span(*words)), slot * bytes_of(most_words_));
    lock.lock();
    Entry& entry = entries_[chunk];
    if (error == 0 && entry.words == words) {
      entry.slot = slot;
      entry.words.reset();
      memory_ -= bytes_of(entry.count);
      disk_ += bytes_of(entry.count);
      disk_peak_ = std::max(disk_peak_, disk_);
      to_write_.pop_front();
    } else {
      free_slots_.push_back(slot);
    }
    if (error != 0) failure_ = "the disk has no room for more states: " + file_error(error, file_->path());
    changed_.notify_all();
    if (error != 0) return;
  }
}

}  // namespace tideline::gpu
