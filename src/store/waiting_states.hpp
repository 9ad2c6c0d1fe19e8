// WaitingStates: numbers for states, and what is needed of each until it has been expanded.
//
// For tables that know whether a state is there and not where (key_set.hpp): a breadth-first search numbers its states
// as it finds them and needs each once more, when its turn comes. Numbers are given out in blocks, one block to a
// thread at a time, so that threads do not meet at a counter. A block has a page of memory as long as one of its
// states waits; then another block gets the page. So the memory is that of the states that wait at one time.
//
// Invariant: a page belongs to one block; its owner alone writes its records, each before anybody else knows its number.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>
#include <vector>

#include "store/memory.hpp"
#include "store/state_table.hpp"

namespace tideline {

class WaitingStates {
 public:
  static constexpr std::uint32_t block = 256;

  struct Options {
    std::uint64_t first = 0;          ///< the first number; a multiple of `block`
    std::uint64_t states = no_state;  ///< no number is given out from here on
    bool keep = false;                ///< all of them, expanded or not
  };

  WaitingStates(std::size_t record_bytes, Options options)
      : record_bytes_(record_bytes),
        page_bytes_((sizeof(Page) + block * record_bytes + cache_line - 1) / cache_line * cache_line),
        chunk_pages_(std::max<std::size_t>(1, chunk_bytes / page_bytes_)),
        limit_(std::min<std::uint64_t>(options.states, no_state)),
        keep_(options.keep),
        pages_((limit_ / block + 1) * sizeof(Page*)),
        next_(options.first) {}

  /// A thread's block: the number that it gives out next, if it has one.
  struct Numbers {
    std::uint64_t next = 0, end = 0;
  };

  /// Makes sure that there is a number to give out. False: there are no more.
  bool require(Numbers& numbers) {
    if (numbers.next != numbers.end) [[likely]]
      return true;
    std::uint64_t first = next_.load(std::memory_order_relaxed);
    do {
      if (first >= limit_) return false;
    } while (!next_.compare_exchange_weak(first, first + block, std::memory_order_relaxed));
    Page* const page = take_page();
    numbers = {first, std::min(first + block, limit_)};
    page->left.store(static_cast<std::uint32_t>(numbers.end - first), std::memory_order_relaxed);
    page_of(first).store(page, std::memory_order_release);
    return true;
  }
  /// The next number, for this record.
  StateId add(Numbers& numbers, const std::byte* record) {
    const auto id = static_cast<StateId>(numbers.next++);
    std::memcpy(record_at(id), record, record_bytes_);
    return id;
  }

  const std::byte* operator[](StateId id) const { return record_at(id); }

  /// These states do not wait any longer.
  void drop(StateRange states) {
    if (keep_) return;
    while (states.count != 0) {
      const std::uint32_t in_block = std::min(states.count, block - states.first % block);
      drop_in_block(states.first, in_block);
      states = {states.first + in_block, states.count - in_block};
    }
  }

  std::uint64_t memory_bytes() const {
    return chunks_made_.load(std::memory_order_relaxed) * chunk_pages_ * page_bytes_;
  }

 private:
  struct Page {
    std::atomic<std::uint32_t> left;  // states that wait, or will
    std::uint32_t unused;
  };

  static constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

  void drop_in_block(StateId first, std::uint32_t count) {
    Page* const page = page_of(first).load(std::memory_order_relaxed);
    if (page->left.fetch_sub(count, std::memory_order_acq_rel) != count) return;
    page_of(first).store(nullptr, std::memory_order_relaxed);
    const std::scoped_lock lock(mutex_);
    free_.push_back(page);
  }

  std::atomic_ref<Page*> page_of(std::size_t id) const {
    return std::atomic_ref(reinterpret_cast<Page**>(pages_.data())[id / block]);
  }
  std::byte* record_at(std::size_t id) const {
    Page* const page = page_of(id).load(std::memory_order_relaxed);
    return reinterpret_cast<std::byte*>(page + 1) + id % block * record_bytes_;
  }

  Page* take_page() {
    const std::scoped_lock lock(mutex_);
    if (free_.empty()) {
      chunks_.emplace_back(chunk_pages_ * page_bytes_, Memory::Pages::small);
      chunks_made_.store(chunks_.size(), std::memory_order_relaxed);
      free_.reserve(chunks_.size() * chunk_pages_);
      for (std::size_t i = chunk_pages_; i-- > 0;)
        free_.push_back(reinterpret_cast<Page*>(chunks_.back().data() + i * page_bytes_));
    }
    Page* const page = free_.back();
    free_.pop_back();
    return page;
  }

  std::size_t record_bytes_, page_bytes_, chunk_pages_;
  std::uint64_t limit_;
  bool keep_;
  Memory pages_;  // by block: its page; resident as far as there are blocks
  std::atomic<std::uint64_t> next_;
  std::mutex mutex_;
  std::vector<Memory> chunks_;
  std::vector<Page*> free_;
  std::atomic<std::uint64_t> chunks_made_{0};
};

}  // namespace tideline
