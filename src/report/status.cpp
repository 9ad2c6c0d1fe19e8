#include "report/status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "report/numbers.hpp"
#include "trace/palette.hpp"

namespace tideline {

namespace {

constexpr double window = 3;          // seconds over which a rate is measured
constexpr double sample_every = 0.1;  // seconds

std::uint64_t states_per_second(const StatusView& view) {
  const RunStatus& status = view.status;
  if (view.states_per_second) return static_cast<std::uint64_t>(*view.states_per_second);
  if (status.phase_seconds <= 0) return 0;
  return static_cast<std::uint64_t>(static_cast<double>(status.states) / status.phase_seconds);
}

/// "2.0 s", "2 min 05 s": tenths, so that one sees it move.
std::string show_elapsed(double seconds) {
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::uint64_t>(seconds);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min {:02} s", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string show_left(double seconds) {
  if (seconds < 99.5) return fmt::format("about {} s left", std::lround(seconds));
  if (seconds < 5400) return fmt::format("about {} min left", std::lround(seconds / 60));
  return fmt::format("about {} h left", std::lround(seconds / 3600));
}

/// "exploring (bfs)": what is done, and by which engine.
std::string show_phase(const RunStatus& status) {
  std::string text(status.phase == Phase::searching ? "exploring" : to_string(status.phase));
  if (!status.engine.empty()) text += fmt::format(" ({})", status.engine);
  if (status.sweep != 0) text += fmt::format(", sweep {} of ?", status.sweep);
  return text;
}

/// Something that a line may have; the less it matters, the higher its rank.
struct Part {
  std::string text;
  int rank = 0;
};

std::vector<Part> parts_of(const StatusView& view) {
  const RunStatus& status = view.status;
  std::vector<Part> parts;
  const auto percent = [](double part) { return std::lround(100 * part); };
  if (const auto& completion = status.completion) {
    parts.push_back({fmt::format("{}% ({}-{})", percent(completion->part), percent(completion->least),
                                 percent(completion->most)),
                     1});
    parts.push_back({show_left(completion->seconds_left), 2});
  }
  if (status.nodes != 0) {
    parts.push_back({show_plural(status.nodes, "node"), 3});
  } else if (status.states != 0) {
    parts.push_back({show_plural(status.states, "state"), 3});
    parts.push_back({show_count(states_per_second(view)) + "/s", 4});
    parts.push_back({"frontier " + show_count(status.frontier), 6});
    parts.push_back({"depth " + show_count(status.depth), 7});
  }
  parts.push_back({show_bytes(status.memory_bytes), 5});
  parts.push_back({show_elapsed(status.seconds), 0});
  return parts;
}

std::string joined(const std::string& phase, const std::vector<Part>& parts) {
  std::string line = phase;
  for (std::size_t i = 0; i < parts.size(); ++i) line += (i == 0 ? ": " : ", ") + parts[i].text;
  return line;
}

}  // namespace

void RateMeter::add(double seconds, std::uint64_t number) {
  if (!samples_.empty() && (number < samples_.back().number || seconds < samples_.back().seconds))
    samples_.clear();
  if (samples_.size() > 1 && seconds - samples_[samples_.size() - 2].seconds < sample_every)
    samples_.back() = {seconds, number};
  else
    samples_.push_back({seconds, number});
  while (samples_.size() > 1 && seconds - samples_[1].seconds >= window) samples_.pop_front();
}

std::optional<double> RateMeter::per_second() const {
  if (samples_.size() < 2) return std::nullopt;
  const double seconds = samples_.back().seconds - samples_.front().seconds;
  if (seconds <= 0) return std::nullopt;
  return static_cast<double>(samples_.back().number - samples_.front().number) / seconds;
}

std::string status_line(const StatusView& view, std::size_t width) {
  const std::string phase = show_phase(view.status);
  std::vector<Part> parts = parts_of(view);
  std::string line = joined(phase, parts);
  while (shown_width(line) > width && parts.size() > 1) {
    parts.erase(std::ranges::max_element(parts, {}, &Part::rank));
    line = joined(phase, parts);
  }
  return line.substr(0, std::min(line.size(), width));
}

std::string status_json(const StatusView& view) {
  const RunStatus& status = view.status;
  nlohmann::ordered_json json = {{"phase", to_string(status.phase)}, {"ended", status.ended}};
  if (!status.engine.empty()) json["engine"] = status.engine;
  json["time_s"] = status.seconds;
  json["phase_time_s"] = status.phase_seconds;
  json["memory_bytes"] = status.memory_bytes;
  json["states"] = status.states;
  json["transitions"] = status.transitions;
  json["states_per_s"] = states_per_second(view);
  json["frontier"] = status.frontier;
  json["depth"] = status.depth;
  if (status.nodes != 0) json["nodes"] = status.nodes;
  if (status.sweep != 0) json["sweep"] = status.sweep;
  if (const auto& completion = status.completion)
    json["completion"] = {{"done", completion->part},
                          {"least", completion->least},
                          {"most", completion->most},
                          {"time_left_s", completion->seconds_left}};
  return json.dump();
}

}  // namespace tideline
