#include "report/status.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "report/numbers.hpp"

namespace tideline {

namespace {

/// Of this phase: every search counts from the beginning.
std::uint64_t states_per_second(const RunStatus& status) {
  if (status.phase_seconds <= 0) return 0;
  return static_cast<std::uint64_t>(static_cast<double>(status.states) / status.phase_seconds);
}

std::string show_completion(const Completion& completion) {
  const auto percent = [](double part) { return std::lround(100 * part); };
  return fmt::format("{}% ({}-{}), about {} s left", percent(completion.part), percent(completion.least),
                     percent(completion.most), std::lround(completion.seconds_left));
}

std::string show_work(const RunStatus& status) {
  if (status.nodes != 0) return show_plural(status.nodes, "node");
  if (status.states == 0) return std::string(to_string(status.phase));
  return fmt::format("{} states, {}/s, frontier {}, depth {}", show_count(status.states),
                     show_count(states_per_second(status)), show_count(status.frontier),
                     show_count(status.depth));
}

}  // namespace

std::string status_line(const RunStatus& status) {
  std::string how_far;
  if (status.sweep != 0) how_far = fmt::format("sweep {}", status.sweep);
  if (status.completion) how_far += (how_far.empty() ? "" : ": ") + show_completion(*status.completion);
  if (!how_far.empty()) how_far += ", ";
  return fmt::format("{}{}, {}, {}", how_far, show_work(status), show_bytes(status.memory_bytes),
                     show_seconds(status.seconds));
}

std::string status_json(const RunStatus& status) {
  nlohmann::ordered_json json = {{"phase", to_string(status.phase)}, {"ended", status.ended}};
  if (!status.engine.empty()) json["engine"] = status.engine;
  json["time_s"] = status.seconds;
  json["phase_time_s"] = status.phase_seconds;
  json["memory_bytes"] = status.memory_bytes;
  json["states"] = status.states;
  json["transitions"] = status.transitions;
  json["states_per_s"] = states_per_second(status);
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
