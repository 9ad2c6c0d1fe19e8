#include "store/memory.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace tideline {

namespace {

constexpr std::size_t huge_page = Memory::huge_page;

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

std::byte* map(std::size_t bytes, int flags = MAP_NORESERVE) {
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::byte*>(at);
}

// Huge pages need an aligned range: map more than that and give the ends back.
std::byte* map_aligned(std::size_t bytes, std::size_t small) {
  std::byte* const all = map(bytes + huge_page);
  const std::size_t skipped = huge_page - reinterpret_cast<std::uintptr_t>(all) % huge_page;
  std::byte* const data = all + skipped;
  munmap(all, skipped);
  if (skipped != huge_page) munmap(data + bytes, huge_page - skipped);
  small = round_up(small, huge_page);
  // A hint: without it everything works, only more slowly.
  if (small < bytes) madvise(data + small, bytes - small, MADV_HUGEPAGE);
  return data;
}

constexpr std::size_t small_page = 4096;

}  // namespace

Memory::Memory(std::size_t bytes, Pages pages, std::size_t small) : bytes_(bytes) {
  if (bytes == 0) return;
  if (bytes > SIZE_MAX / 2) throw std::bad_alloc();
  if (bytes < mapped_from) {
    const std::size_t whole_lines = round_up(bytes, cache_line);
    data_ = static_cast<std::byte*>(std::aligned_alloc(cache_line, whole_lines));
    if (!data_) throw std::bad_alloc();
    std::memset(data_, 0, whole_lines);
  } else {
    const std::size_t whole_pages = round_up(bytes, small_page);
    data_ = pages == Pages::huge      ? map_aligned(whole_pages, small)
            : pages == Pages::at_once ? map(whole_pages, MAP_POPULATE)
                                      : map(whole_pages);
  }
}

std::size_t Memory::reservable() {
  std::size_t most = SIZE_MAX;
  for (const auto kind : {RLIMIT_AS, RLIMIT_DATA})
    if (rlimit limit; getrlimit(kind, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
      most = std::min<std::size_t>(most, limit.rlim_cur);
  return most;
}

void Memory::fetch([[maybe_unused]] std::span<std::byte> part) {
#ifdef MADV_POPULATE_WRITE
  madvise(part.data(), part.size(), MADV_POPULATE_WRITE);
#endif
}

void release_free_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

Memory::~Memory() {
  if (bytes_ < mapped_from)
    std::free(data_);
  else
    munmap(data_, round_up(bytes_, small_page));
}

}  // namespace tideline
