#include "search/sweep/forecast.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "search/sweep/preview.hpp"

namespace tideline {

namespace {

constexpr std::size_t most_points = 512;
/// The part of a sweep's time that a preview may take, and the time it may take when a limit has ended the
/// sweep, as if a step were a visit.
constexpr double preview_part = 0.05, last_preview_seconds = 0.03;
constexpr std::uint64_t least_steps = 1000, most_steps = 60'000;
/// When the first preview is made, and how much longer the sweep is when it is made again.
constexpr double first_preview_seconds = 2;
constexpr std::uint64_t longer = 4;
/// Neighbouring layers are estimated together: they are a part of all states that were found, not too few.
constexpr std::uint64_t groups = 8, least_group = 200;
/// How much the range is widened at the beginning of a sweep; at its end it is not.
constexpr double doubt = 2;

}  // namespace

void Forecast::on_layer(Progress progress, std::uint64_t expanded) {
  if (layers_ == 0) first_ = progress;
  last_ = progress;
  visited_ += expanded;
  if (++layers_ % stride_ != 0) return;
  history_.push_back({progress, visited_});
  if (history_.size() < most_points) return;
  stride_ *= 2;
  for (std::size_t i = 0; i < most_points / 2; ++i) history_[i] = history_[2 * i + 1];
  history_.resize(most_points / 2);
}

std::uint64_t Forecast::preview_due(double seconds) const {
  if (seconds < first_preview_seconds || visited_ < longer * previewed_at_) return 0;
  return previewed_steps_ == most_steps ? 0 : steps_for(preview_part * seconds, seconds);
}

std::uint64_t Forecast::last_preview_steps(double seconds) const {
  return steps_for(last_preview_seconds, seconds);
}

std::uint64_t Forecast::steps_for(double preview_seconds, double seconds) const {
  const double speed = static_cast<double>(visited_ - before_) / std::max(seconds, 1e-3);
  return std::clamp(static_cast<std::uint64_t>(preview_seconds * speed), least_steps, most_steps);
}

void Forecast::set_preview(std::vector<LayerEstimate> layers, std::uint64_t steps) {
  preview_ = std::move(layers);
  previewed_at_ = visited_;
  previewed_steps_ = steps;
  double sum = 0;
  for (LayerEstimate& layer : preview_) layer.states = sum += layer.states;
}

double Forecast::previewed(Progress progress) const {
  const auto next = std::ranges::upper_bound(preview_, progress, {}, &LayerEstimate::progress);
  return next == preview_.begin() ? 0 : std::prev(next)->states;
}

std::optional<Forecast::Total> Forecast::total(std::uint64_t waiting) const {
  if (preview_.empty() || layers_ == 0) return std::nullopt;
  // A sweep that began in the middle knows nothing about the layers before.
  const double skipped = first_ == 0 ? 0 : previewed(first_ - 1);
  const double seen = previewed(last_) - skipped, ahead = preview_.back().states - previewed(last_);
  const std::uint64_t visits = visited_ - before_;
  if (seen <= 0 || visits == 0) return std::nullopt;
  const double factor = static_cast<double>(visits) / seen;

  double latest = factor;
  const auto half = std::ranges::find_if(
      history_, [&](const Point& point) { return 2 * (point.visited - before_) >= visits; });
  if (half != history_.end() && half->visited < visited_) {
    const double since = previewed(last_) - previewed(half->progress);
    if (since > 0) latest = static_cast<double>(visited_ - half->visited) / since;
  }

  const auto known = static_cast<double>(visited_ + waiting);
  const auto all = [&](double times) {
    return std::max(static_cast<double>(visited_) + times * ahead, known);
  };
  const double states = all(latest);
  const auto [fewer, more] = std::minmax({states, all(factor)});
  const double wider = 1 + doubt * (1 - static_cast<double>(visited_) / states);
  return Total{.states = states, .least = std::max(fewer / wider, known), .most = more * wider};
}

double estimate_states(const FoundTimes& found) {
  const std::uint64_t all = std::accumulate(found.begin(), found.end(), std::uint64_t{0});
  const auto once = static_cast<double>(found[0]), twice = static_cast<double>(found[1]);
  const double part = (thin_sweeps - 1.0) / thin_sweeps;
  return static_cast<double>(all) + part * once * std::max(once - 1, 0.0) / (2 * (twice + 1));
}

std::vector<LayerEstimate> estimate_layers(const std::map<Progress, FoundTimes>& layers) {
  std::vector<LayerEstimate> result;
  std::size_t first = 0;
  std::uint64_t all = 0, found = 0;
  for (const auto& [progress, times] : layers) all = std::accumulate(times.begin(), times.end(), all);
  const std::uint64_t enough = std::max(least_group, all / groups);
  FoundTimes together = {};
  const auto share_out = [&] {
    const double factor = estimate_states(together) / static_cast<double>(found);
    for (; first < result.size(); ++first) result[first].states *= factor;
    found = 0;
    together = {};
  };
  for (const auto& [progress, times] : layers) {
    const std::uint64_t here = std::accumulate(times.begin(), times.end(), std::uint64_t{0});
    for (std::size_t i = 0; i < times.size(); ++i) together[i] += times[i];
    found += here;
    result.push_back({progress, static_cast<double>(here)});
    if (found >= enough) share_out();
  }
  if (found != 0) share_out();
  return result;
}

}  // namespace tideline
