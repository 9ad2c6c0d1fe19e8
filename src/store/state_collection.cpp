#include "store/state_collection.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <span>
#include <utility>

#include "model/error.hpp"
#include "run/budget.hpp"

namespace tideline {

namespace {

/// Of a lane, while there are few runs: so much is sorted in the cache.
constexpr std::size_t few_bytes = std::size_t{8} << 20;

/// Sorts records by their states, eight bytes at a time: what is the same in these is sorted by the next eight. Bytes
/// that are the same in all states are left out.
class StateOrder {
 public:
  StateOrder(std::span<const std::byte> records, std::size_t record_bytes, std::size_t state_bytes)
      : records_(records.data()), record_bytes_(record_bytes), state_bytes_(state_bytes) {
    const std::size_t count = records.size() / record_bytes;
    find_places(count);
    entries_.resize(count);
    for (std::size_t i = 0; i < count; ++i) entries_[i].record = static_cast<std::uint32_t>(i);
    sort(entries_, 0);
  }

  /// Calls emit(record) for different states, in order.
  template <class Emit>
  void each(const Emit& emit) const {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (i + read_ahead < entries_.size()) __builtin_prefetch(record(entries_[i + read_ahead]));
      if (i == 0 || !same(entries_[i - 1], entries_[i])) emit(record(entries_[i]));
    }
  }

 private:
  struct Entry {
    std::uint64_t key;
    std::uint32_t record;
  };

  static constexpr std::size_t read_ahead = 16;

  const std::byte* record(const Entry& entry) const { return records_ + entry.record * record_bytes_; }

  /// Of states that are the same all keys were compared, up to the same one.
  bool same(const Entry& a, const Entry& b) const {
    return a.key == b.key && std::memcmp(record(a), record(b), state_bytes_) == 0;
  }

  /// One pass over all states, a word after the other; the last word may overlap the one before.
  void find_places(std::size_t count) {
    if (count == 0 || state_bytes_ == 0) return;
    constexpr std::size_t word_bytes = sizeof(std::uint64_t);
    const std::size_t last_bytes = std::min(state_bytes_, word_bytes), last = state_bytes_ - last_bytes;
    const std::size_t words = (state_bytes_ - 1) / word_bytes;  // before the last
    std::vector<std::uint64_t> differs(words + 1);
    for (std::size_t i = 1; i < count; ++i) {
      const std::byte* const state = records_ + i * record_bytes_;
      for (std::size_t w = 0; w < words; ++w)
        differs[w] |= load(records_ + w * word_bytes, word_bytes) ^ load(state + w * word_bytes, word_bytes);
      differs[words] |= load(records_ + last, last_bytes) ^ load(state + last, last_bytes);
    }
    for (std::size_t b = 0; b < state_bytes_; ++b) {
      const std::size_t word = b / word_bytes;
      const std::size_t begin = word == words ? last : word * word_bytes;
      if ((differs[word] >> 8 * (b - begin) & 0xFF) != 0) places_.push_back(b);
    }
  }

  static std::uint64_t load(const std::byte* from, std::size_t bytes) {
    std::uint64_t word = 0;
    if (bytes == sizeof word)
      std::memcpy(&word, from, sizeof word);
    else
      std::memcpy(&word, from, bytes);
    return word;
  }

  std::uint64_t key_of(const Entry& entry, std::size_t first) const {
    const std::byte* const state = record(entry);
    std::uint64_t key = 0;
    const std::size_t end = std::min(first + sizeof key, places_.size());
    for (std::size_t i = first; i < end; ++i)
      key = key << 8 | std::to_integer<std::uint64_t>(state[places_[i]]);
    return key;
  }

  void sort(std::span<Entry> entries, std::size_t first) {
    if (first >= places_.size()) return;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (i + read_ahead < entries.size()) __builtin_prefetch(record(entries[i + read_ahead]));
      entries[i].key = key_of(entries[i], first);
    }
    std::ranges::sort(entries, {}, &Entry::key);
    for (std::size_t begin = 0, end = 0; begin < entries.size(); begin = end) {
      while (end < entries.size() && entries[end].key == entries[begin].key) ++end;
      if (end - begin > 1) sort(entries.subspan(begin, end - begin), first + sizeof(Entry::key));
    }
  }

  const std::byte* records_;
  std::size_t record_bytes_, state_bytes_;
  std::vector<std::size_t> places_;  // of the bytes in which states differ
  std::vector<Entry> entries_;
};

}  // namespace

StateCollection::StateCollection(const Options& options)
    : options_(options),
      room_(std::min(options.lane_bytes, few_bytes)),
      space_(options.folder, std::size_t{1} << 16) {}

StateCollection::Lane& StateCollection::open_lane() {
  const std::lock_guard lock(mutex_);
  lanes_.push_back(Lane(*this));
  return lanes_.back();
}

void StateCollection::Lane::add(const std::byte* state, const std::byte* extra) {
  if (collection_->failed_.load(std::memory_order_relaxed)) return;
  const Options& options = collection_->options_;
  if (records_.size() + collection_->record_bytes() > collection_->room_.load(std::memory_order_relaxed) &&
      !records_.empty())
    collection_->spill(*this);
  records_.insert(records_.end(), state, state + options.state_bytes);
  records_.insert(records_.end(), extra, extra + options.extra_bytes);
}

std::string StateCollection::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

template <class Emit>
void StateCollection::each_of(const Lane& lane, const Emit& emit) const {
  StateOrder(lane.records_, record_bytes(), options_.state_bytes).each([&](const std::byte* record) {
    emit(record, record + options_.state_bytes);
  });
}

void StateCollection::write_run(Lane& lane) {
  auto run = std::make_unique<StateRun>(space_, options_.state_bytes, options_.extra_bytes);
  each_of(lane, [&](const std::byte* state, const std::byte* extra) { run->append(state, extra); });
  run->finish();
  const std::lock_guard lock(mutex_);
  spilled_ += lane.records_.size();
  room_ = std::min(options_.lane_bytes, std::max(few_bytes, spilled_ / 16));
  lane.records_.clear();
  runs_.push_back(std::move(run));
}

/// By the thread of the lane.
void StateCollection::spill(Lane& lane) {
  std::string why;
  try {
    return write_run(lane);
  } catch (const LimitReached& limit) {
    why = limit.what();
  } catch (const Error& error) {
    why = error.what();
  } catch (const std::bad_alloc&) {
    why = "out of memory";
  }
  lane.records_.clear();
  fail(std::move(why));
}

void StateCollection::fail(std::string why) {
  const std::lock_guard lock(mutex_);
  failure_ = std::move(why);
  failed_ = true;
}

void StateCollection::for_each(
    const std::function<void(const std::byte* state, const std::byte* extra)>& emit) {
  std::erase_if(lanes_, [](const Lane& lane) { return lane.records_.empty(); });
  if (runs_.empty() && lanes_.size() == 1) return each_of(lanes_.front(), emit);
  for (Lane& lane : lanes_) write_run(lane);
  lanes_.clear();
  std::vector<const StateRun*> runs;
  for (const auto& run : runs_) runs.push_back(run.get());
  StateRun::merge(runs, emit);
}

}  // namespace tideline
