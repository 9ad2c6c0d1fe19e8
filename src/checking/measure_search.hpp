// MeasureSearch: looks for a progress measure in a thread of its own, while a search has already begun.
//
// A sweep without a given measure begins as breadth-first search, which small models do not outlast. Meanwhile a
// measure is looked for. By the time the states are worth forgetting there is one.
//
// What there is to say about it is said by the thread that takes the measure.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "checking/measures.hpp"

namespace tideline {

class MeasureSearch {
 public:
  /// Looks for a measure within this budget, and tells these notes.
  using Find = std::function<Measure(SampleBudget&, const Notes&)>;

  /// Where the system refuses another thread, it is looked for when it is taken. Limits as for SampleBudget.
  MeasureSearch(Find find, Budget::Limits limits, double gone);
  /// A search that is not over ends at once.
  ~MeasureSearch();
  MeasureSearch(const MeasureSearch&) = delete;

  bool is_over() const { return over_.load(std::memory_order_acquire); }
  /// Waits for its end. The notes are told at the first call. Throws what the search has thrown.
  const Measure& take(const Notes& notes);
  /// How long it took; 0 before its end.
  double seconds() const { return is_over() ? seconds_ : 0; }

 private:
  void run();

  Find find_;
  SampleBudget budget_;
  Measure measure_;
  std::vector<std::string> notes_;
  std::exception_ptr failure_;
  double seconds_ = 0;
  std::atomic<bool> unwanted_ = false, over_ = false;
  std::jthread thread_;
};

}  // namespace tideline
