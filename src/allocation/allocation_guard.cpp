#include "allocation/allocation_guard.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <limits>
#include <new>

namespace tideline {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t check_bytes = std::size_t{1} << 20;  // allocated between two checks
constexpr std::size_t least_weight = 1024;                 // of an allocation, however small
constexpr auto patience = std::chrono::milliseconds(100);
constexpr auto never = Clock::time_point::max();

/// Bytes that the process may have.
std::atomic<std::uint64_t> ceiling = std::numeric_limits<std::uint64_t>::max();

/// What ends the thread that made the guard.
struct Watch {
  Clock::time_point deadline = never;
  const std::atomic<bool>* interrupted = nullptr;
};
thread_local Watch watch;
thread_local std::size_t until_check = 0;
/// What this thread may allocate before it looks again how much memory the process has: a small part of what was left,
/// and never much, since there may be many threads.
thread_local std::uint64_t allowance = 0;
constexpr std::uint64_t allowance_share = 64, most_allowance = 8 * check_bytes;

bool is_too_much(std::size_t bytes) {
  const std::uint64_t most = ceiling.load(std::memory_order_relaxed), wanted = bytes + check_bytes;
  if (most == std::numeric_limits<std::uint64_t>::max()) return false;
  if (wanted <= allowance) {
    allowance -= wanted;
    return false;
  }
  const std::uint64_t resident = resident_bytes();
  if (resident + bytes > most) return true;
  allowance = std::min((most - resident) / allowance_share, most_allowance);
  return false;
}

bool refused(std::size_t bytes) {
  if (std::uncaught_exceptions() > 0) return false;  // destructors must not fail
  if (is_too_much(bytes)) return true;
  if (watch.deadline == never && !watch.interrupted) return false;
  const auto now = Clock::now();
  if (watch.interrupted && watch.interrupted->load(std::memory_order_relaxed)) {
    watch.interrupted = nullptr;
    watch.deadline = std::min(watch.deadline, now + patience);
  }
  if (now < watch.deadline) return false;
  watch.deadline = now + patience;  // so that a handler of the exception can allocate
  return true;
}

/// For tests: allocations are counted, and one of them fails.
std::atomic<bool> are_counted = false;
std::atomic<std::uint64_t> counted = 0, failing = 0;

/// Whether this allocation may be made.
bool may_allocate(std::size_t bytes) {
  const std::size_t weight = bytes < least_weight ? least_weight : bytes;
  if (weight < until_check) [[likely]] {
    until_check -= weight;
    return true;
  }
  if (are_counted.load(std::memory_order_relaxed)) {
    until_check = 0;
    return ++counted != failing;
  }
  until_check = check_bytes;
  return !refused(bytes);
}

/// Nothing: refused, or there is no memory.
void* try_allocate(std::size_t bytes) noexcept {
  return may_allocate(bytes) ? std::malloc(bytes == 0 ? 1 : bytes) : nullptr;
}
void* try_allocate(std::size_t bytes, std::align_val_t alignment) noexcept {
  const auto unit = static_cast<std::size_t>(alignment);
  const std::size_t whole = (bytes + unit - 1) / unit * unit;
  return may_allocate(bytes) ? std::aligned_alloc(unit, whole == 0 ? unit : whole) : nullptr;
}

void* or_throw(void* memory) {
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

AllocationGuard::AllocationGuard(const Budget::Limits& limits) {
  if (limits.memory_bytes && memory_counts) ceiling = memory_ceiling(*limits.memory_bytes);
  allowance = 0;
  watch.interrupted = limits.interrupted;
  if (limits.seconds)
    watch.deadline = Clock::now() + patience +
                     std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(*limits.seconds - limits.gone));
}

void AllocationGuard::wrap_up() {
  if (watch.deadline != never) watch.deadline = std::max(watch.deadline, Clock::now() + 2 * patience);
}

AllocationGuard::~AllocationGuard() {
  ceiling = std::numeric_limits<std::uint64_t>::max();
  watch = {};
}

FailingAllocation::FailingAllocation(std::uint64_t number) {
  counted = 0;
  failing = number;
  are_counted = true;
  until_check = 0;
}

FailingAllocation::~FailingAllocation() {
  are_counted = false;
}

std::uint64_t FailingAllocation::count() const {
  return counted;
}

}  // namespace tideline

// All forms of operator new and delete: sanitizers define those that are left out, and the two do not mix.
using tideline::or_throw;
using tideline::try_allocate;

void* operator new(std::size_t bytes) {
  return or_throw(try_allocate(bytes));
}
void* operator new[](std::size_t bytes) {
  return or_throw(try_allocate(bytes));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return or_throw(try_allocate(bytes, alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return or_throw(try_allocate(bytes, alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return try_allocate(bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return try_allocate(bytes);
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return try_allocate(bytes, alignment);
}
void* operator new[](std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return try_allocate(bytes, alignment);
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
