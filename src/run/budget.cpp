#include "run/budget.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <utility>

namespace tideline {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

namespace {
constexpr auto look_every = 5ms;  // a search fills tens of megabytes in that time
constexpr auto report_every = 250ms;
}  // namespace

Budget::Budget(Limits limits)
    : limits_(std::move(limits)),
      start_(Clock::now()),
      next_look_(start_),
      next_report_(start_ + report_every) {}

double Budget::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

bool Budget::exhausted(RunStatus progress) {
  if (!reason_.empty()) return true;
  if (limits_.interrupted && limits_.interrupted->load(std::memory_order_relaxed)) {
    reason_ = "interrupted";
    return true;
  }
  const auto now = Clock::now();
  if (now < next_look_) return false;
  next_look_ = now + look_every;

  progress.seconds = std::chrono::duration<double>(now - start_).count();
  progress.memory_bytes = resident_bytes();
  if (limits_.seconds && progress.seconds >= *limits_.seconds)
    reason_ = fmt::format("time limit of {:g} s reached", *limits_.seconds);
  else if (limits_.memory_bytes && progress.memory_bytes >= *limits_.memory_bytes)
    reason_ = fmt::format("memory limit of {} reached", show_bytes(*limits_.memory_bytes));
  if (limits_.on_progress && now >= next_report_) {
    next_report_ = now + report_every;
    limits_.on_progress(progress);
  }
  return !reason_.empty();
}

std::uint64_t resident_bytes() {
  // The second number of statm is the resident size in pages; it is read often, and this file is short.
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (!file) return 0;
  unsigned long total = 0, resident = 0;
  const int read = std::fscanf(file, "%lu %lu", &total, &resident);
  std::fclose(file);
  return read == 2 ? std::uint64_t{resident} * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

std::uint64_t peak_resident_bytes() {
  // Not getrusage: what that reports begins with the peak of the program that started this one.
  std::FILE* file = std::fopen("/proc/self/status", "r");
  if (!file) return 0;
  char line[256];
  unsigned long kibibytes = 0;
  while (std::fgets(line, sizeof line, file))
    if (std::sscanf(line, "VmHWM: %lu kB", &kibibytes) == 1) break;
  std::fclose(file);
  return std::uint64_t{kibibytes} * 1024;
}

std::string show_bytes(std::uint64_t bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit < 4) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

std::optional<std::uint64_t> parse_bytes(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || !(value >= 0) || value > 1e18) return std::nullopt;
  std::string unit(rest, end);
  if (unit.ends_with("iB"))
    unit.resize(unit.size() - 2);
  else if (unit.size() == 2 && unit.ends_with("B"))
    unit.resize(1);
  double factor = 1;
  if (unit == "K" || unit == "k")
    factor = 1024.0;
  else if (unit == "M")
    factor = 1024.0 * 1024;
  else if (unit == "G")
    factor = 1024.0 * 1024 * 1024;
  else if (unit == "T")
    factor = 1024.0 * 1024 * 1024 * 1024;
  else if (!unit.empty() && unit != "B")
    return std::nullopt;
  if (value * factor > 1e18) return std::nullopt;
  return static_cast<std::uint64_t>(value * factor);
}

std::optional<double> parse_duration(const std::string& text) {
  if (text.empty()) return std::nullopt;
  double total = 0;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at != end) {
    double value = 0;
    const auto [rest, error] = std::from_chars(at, end, value);
    if (error != std::errc{} || !(value >= 0)) return std::nullopt;
    std::string unit;
    for (at = rest; at != end && *at >= 'a' && *at <= 'z'; ++at) unit += *at;
    if (unit == "ms")
      total += value / 1000;
    else if (unit == "s" || (unit.empty() && at == end && total == 0))
      total += value;
    else if (unit == "m" || unit == "min")
      total += value * 60;
    else if (unit == "h")
      total += value * 3600;
    else if (unit == "d")
      total += value * 86400;
    else
      return std::nullopt;
  }
  return total > 0 && total < 1e9 ? std::optional(total) : std::nullopt;
}

}  // namespace tideline
