// PagedArray: records of one fixed size, appended at the end, that never move.
//
// Packed states, parent links and search stacks all live in such arrays. Growing adds a page and copies
// nothing, so there is no moment in which the array needs twice its memory and no pause that grows with it.
// Pages are large (up to 32 MiB) because they are resident only as far as they are filled; all but the
// first ask for huge pages. The number of records per page is a power of two, so that finding one is a
// shift and a multiplication.
//
// Invariants: a record keeps its address until it is popped, or dropped from the front; index i is valid iff
// i < size() and it was not dropped.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <vector>

#include "store/hash.hpp"
#include "store/memory.hpp"

namespace tideline {

class PagedArray {
 public:
  static constexpr std::size_t largest_page = std::size_t{32} << 20;

  /// A record may have no bytes at all (a model without variables): it then takes one.
  explicit PagedArray(std::size_t record_bytes, std::size_t page_bytes = largest_page)
      : stride_(record_bytes ? record_bytes : 1),
        record_bytes_(record_bytes),
        shift_(static_cast<unsigned>(std::bit_width(page_bytes / stride_ | 1)) - 1),
        mask_((std::size_t{1} << shift_) - 1) {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::size_t record_bytes() const { return record_bytes_; }

  std::byte* operator[](std::size_t i) { return address(i); }
  const std::byte* operator[](std::size_t i) const { return address(i); }
  std::byte* back() { return address(size_ - 1); }

  /// Room for one more record, with whatever bytes were there before.
  std::byte* extend() {
    if (size_ >> shift_ == pages_.size()) [[unlikely]]
      add_page();
    return address(size_++);
  }
  void append(const std::byte* record) { copy_state(extend(), record, record_bytes_); }

  /// Forgets the records from index `size` on. One empty page is kept, so that a stack that moves up and
  /// down over a page boundary does not ask for memory each time.
  void truncate(std::size_t size) {
    size_ = size;
    const std::size_t used = (size_ + mask_) >> shift_;
    if (pages_.size() > used + 1) [[unlikely]]
      pages_.resize(used + 1);
  }

  /// Gives back pages that have only records below this one, which are not used any more.
  void drop_below(std::size_t first) {
    for (; dropped_ < first >> shift_; ++dropped_) pages_[dropped_] = Memory();
  }

  /// What the array keeps resident; pages that were filled once count in full while they are kept.
  std::size_t memory_bytes() const {
    if (pages_.empty()) return 0;
    const std::size_t page = pages_.back().size();
    const std::size_t in_use = (size_ - (dropped_ << shift_)) * stride_;
    const std::size_t spare = pages_.size() > 1 && size_ <= (pages_.size() - 1) << shift_ ? page : 0;
    return in_use + spare + pages_.capacity() * sizeof(Memory);
  }

 private:
  [[gnu::always_inline]] std::byte* address(std::size_t i) const {
    return pages_[i >> shift_].data() + (i & mask_) * stride_;
  }

  void add_page() {
    pages_.emplace_back(stride_ << shift_, pages_.empty() ? Memory::Pages::small : Memory::Pages::huge);
  }

  std::size_t stride_;
  std::size_t record_bytes_;
  unsigned shift_;
  std::size_t mask_;
  std::size_t size_ = 0;
  std::size_t dropped_ = 0;  // pages, from the first one on
  std::vector<Memory> pages_;
};

/// The same for records of a plain type.
template <class T>
requires std::is_trivially_copyable_v<T>
class PagedVector {
 public:
  PagedVector() : array_(sizeof(T)) {}

  std::size_t size() const { return array_.size(); }
  bool empty() const { return array_.empty(); }
  T& operator[](std::size_t i) { return *reinterpret_cast<T*>(array_[i]); }
  const T& operator[](std::size_t i) const { return *reinterpret_cast<const T*>(array_[i]); }
  T& back() { return (*this)[size() - 1]; }
  void push_back(const T& value) { ::new (array_.extend()) T(value); }
  void pop_back() { array_.truncate(size() - 1); }
  std::size_t memory_bytes() const { return array_.memory_bytes(); }

 private:
  PagedArray array_;
};

}  // namespace tideline
