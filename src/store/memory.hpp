// Memory: one block of zeroed bytes, resident only where it has been touched.
//
// Tables and arrays of states take their memory in large blocks straight from the operating system. A block
// is resident only as far as it has been written to, so that an array may reserve room for later, and a
// dropped block goes back at once: the general allocator would keep it, and the holes that growing tables
// leave behind would add up. Blocks below `mapped_from` come from the general allocator, where a page each
// would be a waste.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

namespace tideline {

inline constexpr std::size_t cache_line = 64;

class Memory {
 public:
  static constexpr std::size_t mapped_from = std::size_t{16} << 10;
  static constexpr std::size_t huge_page = std::size_t{2} << 20;

  enum class Pages {
    small,    ///< the usual 4 KiB: resident size follows use closely
    huge,     ///< 2 MiB where the system grants them: fewer TLB misses for memory that will be full anyway
    at_once,  ///< small ones that are resident from the beginning: no interrupt for each when it is touched
  };

  Memory() = default;
  /// Aligned to a cache line. The first `small` bytes have small pages in any case. Throws std::bad_alloc when
  /// there is no such block.
  explicit Memory(std::size_t bytes, Pages pages = Pages::small, std::size_t small = 0);
  /// How many bytes of addresses the process may have, in all.
  static std::size_t reservable();
  /// Takes a part of a block, which begins at a page, from the system before it is touched, where the system can do that.
  static void fetch(std::span<std::byte> part);
  ~Memory();

  Memory(Memory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Memory& operator=(Memory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Gives back to the system what the general allocator keeps of freed blocks, where it can: after a phase that has used much,
/// and before one that may grow.
void release_free_memory();

/// Asks for a cache line that will be read, or written, soon. GCC takes a function that does nothing but
/// __builtin_prefetch for one without effects and leaves out its calls, so that there must be something it cannot see
/// through.
[[gnu::always_inline]] inline void prefetch_line(const void* at) {
  __builtin_prefetch(at);
  asm volatile("");
}
[[gnu::always_inline]] inline void prefetch_line_to_write(const void* at) {
  __builtin_prefetch(at, 1);
  asm volatile("");
}

/// Prefetches the cache lines of [data, data + bytes), of which there are one or two.
[[gnu::always_inline]] inline void prefetch(const std::byte* data, std::size_t bytes) {
  prefetch_line(data);
  prefetch_line(data + bytes - (bytes != 0));
}

}  // namespace tideline
