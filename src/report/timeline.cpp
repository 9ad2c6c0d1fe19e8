#include "report/timeline.hpp"

#include <algorithm>
#include <utility>

namespace tideline {

void Timeline::watch(Budget::Limits& limits) {
  const double shown_every = limits.status_every;
  limits.status_every = std::min(limits.status_every, look_every);
  next_shown_ = shown_every;
  limits.on_status = [this, shown_every, show = std::move(limits.on_status)](const RunStatus& status) {
    add(status);
    if (!show || (!status.ended && status.seconds < next_shown_)) return;
    next_shown_ = status.seconds + shown_every;
    show(status);
  };
}

void Timeline::add(const RunStatus& status) {
  const std::scoped_lock lock(mutex_);
  latest_ = status;
  points_.add(status);
}

void Timeline::add(const LayerReport& layer) {
  const std::scoped_lock lock(mutex_);
  layers_.add(layer);
}

std::vector<RunStatus> Timeline::points() const {
  const std::scoped_lock lock(mutex_);
  return points_.items();
}

std::vector<LayerReport> Timeline::layers() const {
  const std::scoped_lock lock(mutex_);
  return layers_.items();
}

std::optional<RunStatus> Timeline::latest() const {
  const std::scoped_lock lock(mutex_);
  return latest_;
}

}  // namespace tideline
