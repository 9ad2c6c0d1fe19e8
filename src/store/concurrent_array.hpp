// ConcurrentArray: records of one fixed size that never move, for many threads at once.
//
// The sharing counterpart of PagedArray: a directory of pages with room for every record there may ever be
// (it is resident only as far as it is used), and pages that are made when a record in them is first needed.
// Finding a record takes no lock; making a page does, once in millions of records. Records are zeroed when
// they are first seen.
//
// Invariant: a thread that uses a record has called require() for it, or got its number through an atomic
// operation from a thread that has.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "store/memory.hpp"
#include "store/paged_array.hpp"

namespace tideline {

class ConcurrentArray {
 public:
  /// The first `small` bytes have small pages.
  ConcurrentArray(std::size_t record_bytes, std::uint64_t most_records,
                  std::size_t small = PagedArray::largest_page)
      : stride_(record_bytes ? record_bytes : 1),
        small_(small),
        shift_(static_cast<unsigned>(std::bit_width(PagedArray::largest_page / stride_ | 1)) - 1),
        mask_((std::size_t{1} << shift_) - 1),
        directory_(((most_records >> shift_) + 1) * sizeof(std::byte*)) {}

  std::size_t records_a_page() const { return mask_ + 1; }

  /// Makes sure that there is memory for record i and the others of its page.
  void require(std::size_t i) {
    if (page(i).load(std::memory_order_acquire)) return;
    const std::scoped_lock lock(mutex_);
    if (page(i).load(std::memory_order_relaxed)) return;
    pages_.emplace_back(stride_ << shift_, Memory::Pages::huge, pages_.empty() ? small_ : 0);
    page(i).store(pages_.back().data(), std::memory_order_release);
  }

  /// For a thread that begins with records [i, i + count) of a page. If they are the first in a huge page, the next one should
  /// come from the system now: a page is zeroed when it is first touched, and all threads that touch it wait for that.
  std::span<std::byte> due_after(std::size_t i, std::size_t count) const {
    const std::size_t begin = (i & mask_) * stride_, last = begin + count * stride_ - 1;
    const std::size_t here = last / Memory::huge_page;
    const bool is_first = begin == 0 || (begin - 1) / Memory::huge_page != here;
    const bool may_be_all = i >> shift_ == 0 && here == 0;
    if (!is_first || may_be_all) return {};
    const std::size_t next = (here + 1) * Memory::huge_page, bytes = stride_ << shift_;
    if (next >= bytes) return {};
    return {page(i).load(std::memory_order_relaxed) + next, std::min(Memory::huge_page, bytes - next)};
  }

  /// Gives back pages that have only records below this one, which are not used any more. No thread makes a page meanwhile.
  void drop_below(std::size_t first) {
    for (; dropped_ < first >> shift_; ++dropped_) {
      const std::byte* const gone = page(dropped_ << shift_).exchange(nullptr, std::memory_order_relaxed);
      std::erase_if(pages_, [&](const Memory& made) { return made.data() == gone; });
    }
  }

  [[gnu::always_inline]] std::byte* operator[](std::size_t i) const {
    return page(i).load(std::memory_order_relaxed) + (i & mask_) * stride_;
  }

  std::uint64_t bytes_of(std::uint64_t records) const { return records * stride_; }

 private:
  std::atomic_ref<std::byte*> page(std::size_t i) const {
    return std::atomic_ref(reinterpret_cast<std::byte**>(directory_.data())[i >> shift_]);
  }

  std::size_t stride_;
  std::size_t small_;
  unsigned shift_;
  std::size_t mask_;
  Memory directory_;
  std::mutex mutex_;
  std::vector<Memory> pages_;
  std::size_t dropped_ = 0;  // pages, from the first one on
};

}  // namespace tideline
