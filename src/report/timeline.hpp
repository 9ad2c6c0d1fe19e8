// Timeline: how a run went on, from the status that its budget reports, for a report to draw.
//
// It looks more often than a status line does, since most runs are over in a second, and keeps an even
// choice of what it sees. Searches report from threads of their own.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "report/thinned.hpp"
#include "run/budget.hpp"
#include "search/sweep/forecast.hpp"

namespace tideline {

class Timeline {
 public:
  /// Has budgets with these limits report here, and, as often as before, to whom they reported until now. It
  /// must outlive them.
  void watch(Budget::Limits& limits);
  void add(const RunStatus& status);
  /// A layer of a sweep.
  void add(const LayerReport& layer);

  std::vector<RunStatus> points() const;
  std::vector<LayerReport> layers() const;
  /// What was reported last, if anything was.
  std::optional<RunStatus> latest() const;

  static constexpr double look_every = 0.05;  ///< seconds

 private:
  mutable std::mutex mutex_;
  Thinned<RunStatus> points_;
  Thinned<LayerReport> layers_;
  std::optional<RunStatus> latest_;
  std::atomic<double> next_shown_ = 0;  ///< when those that were told before are told again
};

}  // namespace tideline
