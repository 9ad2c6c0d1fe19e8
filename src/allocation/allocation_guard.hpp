// AllocationGuard: limits in the phases that do not look at them themselves.
//
// Engines ask their Budget whether to go on. Reading a model, unfolding a net, translating a formula or
// writing a report is a thousand small functions, all of which allocate: so the operator new of a program
// that links this room checks the limits for them, every megabyte or so, and refuses what would pass them
// with std::bad_alloc. The room is not part of the library: a program that links that has its own allocator.
//
// Memory: an allocation that would take the process past memory_ceiling(limit) fails, on any thread; a vector
// that doubles is refused before it has doubled. Time and interrupts: on the thread that made the guard,
// allocations fail when the run should have ended a moment ago, and engines, which end in good order, have
// had their chance. Budget::exhaust_memory() finds out which limit it was.
//
// Invariant: at most one guard exists at a time.
#pragma once

#include "run/budget.hpp"

namespace tideline {

class AllocationGuard {
 public:
  /// Sanitizers take memory of their own: with them only time counts.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  static constexpr bool memory_counts = false;
#else
  static constexpr bool memory_counts = true;
#endif

  /// The limits count from now.
  explicit AllocationGuard(const Budget::Limits& limits);
  ~AllocationGuard();
  AllocationGuard(const AllocationGuard&) = delete;
  AllocationGuard& operator=(const AllocationGuard&) = delete;

  /// As Budget::wrap_up(): a moment more for what follows the search.
  void wrap_up();
};

/// For tests: of the allocations from now on, on any thread, this one fails, counted from 1. There is one at a time, and no
/// other thread allocates when it begins.
class FailingAllocation {
 public:
  explicit FailingAllocation(std::uint64_t number);
  ~FailingAllocation();
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;

  /// How many there have been.
  std::uint64_t count() const;
};

}  // namespace tideline
