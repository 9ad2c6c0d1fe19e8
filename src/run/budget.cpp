#include "run/budget.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <utility>

namespace tideline {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

namespace {
constexpr auto look_every = 5ms;  // a search fills tens of megabytes in that time
constexpr double wrap_up_seconds = 0.2;

/// The first line of the file that has this form, in bytes.
std::optional<std::uint64_t> line_in_kibibytes(const char* path, const char* form) {
  std::FILE* file = std::fopen(path, "r");
  if (!file) return std::nullopt;
  char line[256];
  unsigned long kibibytes = 0;
  bool found = false;
  while (!found && std::fgets(line, sizeof line, file)) found = std::sscanf(line, form, &kibibytes) == 1;
  std::fclose(file);
  return found ? std::optional(std::uint64_t{kibibytes} * 1024) : std::nullopt;
}

Clock::duration in_ticks(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// Whether an allocation may have failed because of this limit: the system lets the process have as much, and
/// it had a quarter of that at least, as a vector that doubles has, whose old and new places count.
bool may_reach(std::uint64_t limit) {
  rlimit addresses{};
  if (getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur < limit) return false;
  return peak_resident_bytes() >= limit / 4;
}

std::string in_lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}
}  // namespace

std::string_view to_string(Phase phase) {
  switch (phase) {
    case Phase::reading:
      return "reading the model";
    case Phase::preparing:
      return "preparing the search";
    case Phase::measuring:
      return "looking for a progress measure";
    case Phase::searching:
      return "searching";
    case Phase::writing:
      return "writing the graph";
    case Phase::comparing:
      return "comparing actions";
    case Phase::reducing:
      return "reducing the net";
    case Phase::seeking_cycles:
      return "searching for cycles";
    case Phase::labelling:
      return "evaluating formulas";
    case Phase::rebuilding:
      return "building the run";
    case Phase::shortening:
      return "shortening the run";
    case Phase::answering:
      return "writing the answer";
  }
  return {};
}

Budget::Budget(Limits limits)
    : limits_(std::move(limits)),
      start_(Clock::now() - in_ticks(limits_.gone)),
      next_look_(start_),
      next_report_(Clock::now() + in_ticks(limits_.status_every)),
      phase_start_(Clock::now()),
      deadline_(limits_.seconds),
      ceiling_(limits_.memory_bytes) {}

double Budget::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

void Budget::begin(Phase phase, std::string_view engine) {
  if (phase_open_ && limits_.phase == phase && engine_ == engine) return;
  end_phase();
  limits_.phase = phase;
  engine_ = engine;
  phase_start_ = Clock::now();
  phase_open_ = true;
  phase_over_ = false;
  latest_ = {};
  if (limits_.on_status) report(latest_);
}

void Budget::end_phase(const RunStatus& last) {
  if (!std::exchange(phase_open_, false)) return;
  phase_over_ = true;
  RunStatus status = last;
  status.ended = true;
  if (limits_.on_status) report(status);
}

void Budget::report(RunStatus status) const {
  const auto now = Clock::now();
  status.phase = limits_.phase;
  status.engine = engine_;
  status.seconds = std::chrono::duration<double>(now - start_).count();
  status.phase_seconds = std::chrono::duration<double>(now - phase_start_).count();
  status.memory_bytes = resident_bytes();
  limits_.on_status(status);
}

bool Budget::exhausted(const RunStatus& status) {
  latest_ = status;
  if (!reason_.empty()) return true;
  if (limits_.interrupted && limits_.interrupted->load(std::memory_order_relaxed)) {
    reason_ = "interrupted";
    return true;
  }
  auto now = Clock::now();
  if (now < next_look_) return false;
  if (limits_.may_go_on) {
    if (!limits_.may_go_on()) {
      reason_ = "another engine was first";
      return true;
    }
    now = Clock::now();
  }
  next_look_ = now + look_every;

  if (deadline_ && seconds() >= *deadline_)
    reason_ = !earlier_reason_.empty() ? earlier_reason_
                                       : fmt::format("time limit of {:g} s reached", *limits_.seconds);
  else if (ceiling_ && resident_bytes() >= *ceiling_)
    reason_ = memory_reason();
  if (limits_.on_status && !phase_over_ && now >= next_report_) {
    next_report_ = now + in_ticks(limits_.status_every);
    report(status);
  }
  return !reason_.empty();
}

void Budget::require(const RunStatus& status) {
  if (exhausted(status)) throw LimitReached(reason_);
}

void Budget::exhaust_memory() {
  next_look_ = start_;
  if (exhausted(latest_)) return;  // a limit that was reached says why, too
  reason_ = limits_.memory_bytes && may_reach(*limits_.memory_bytes) ? memory_reason() : "out of memory";
}

std::string Budget::memory_reason() const {
  return fmt::format("memory limit of {} reached", show_bytes(*limits_.memory_bytes));
}

Budget Budget::wrap_up() const {
  Limits limits = limits_;
  limits.gone = seconds();
  limits.may_go_on = {};
  if (!reason_.empty()) limits.interrupted = nullptr;  // that signal has done its work
  Budget result(std::move(limits));
  result.earlier_reason_ = reason_;
  result.phase_over_ = true;
  const double least = seconds() + wrap_up_seconds;
  if (!reason_.empty())
    result.deadline_ = least;
  else if (deadline_)
    result.deadline_ = std::max(*deadline_, least);
  if (limits_.memory_bytes) result.ceiling_ = memory_ceiling(*limits_.memory_bytes);
  return result;
}

Budget Budget::beside(std::function<bool()> may_go_on, bool reports) const {
  Budget result = *this;
  if (!reports) result.limits_.on_status = {};
  result.limits_.may_go_on = [own = std::move(may_go_on), of_all = limits_.may_go_on] {
    return own() && (!of_all || of_all());
  };
  return result;
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
  return line_in_kibibytes("/proc/self/status", "VmHWM: %lu kB").value_or(0);
}

std::optional<std::uint64_t> available_bytes() {
  auto available = line_in_kibibytes("/proc/meminfo", "MemAvailable: %lu kB");
  if (available) *available += resident_bytes();
  // A container's limit; the file says "max" where there is none.
  if (std::FILE* file = std::fopen("/sys/fs/cgroup/memory.max", "r")) {
    unsigned long limit = 0;
    if (std::fscanf(file, "%lu", &limit) == 1)
      available = std::min<std::uint64_t>(limit, available.value_or(limit));
    std::fclose(file);
  }
  return available;
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
  std::string unit = in_lower_case({rest, end});
  if (unit.size() == 3 && unit.ends_with("ib"))
    unit.resize(1);
  else if (unit.ends_with("b"))
    unit.pop_back();
  double factor = 1;
  if (unit == "k")
    factor = 1024.0;
  else if (unit == "m")
    factor = 1024.0 * 1024;
  else if (unit == "g")
    factor = 1024.0 * 1024 * 1024;
  else if (unit == "t")
    factor = 1024.0 * 1024 * 1024 * 1024;
  else if (!unit.empty())
    return std::nullopt;
  if (value * factor > 1e18) return std::nullopt;
  return static_cast<std::uint64_t>(value * factor);
}

std::optional<double> parse_duration(const std::string& given) {
  if (given.empty()) return std::nullopt;
  const std::string text = in_lower_case(given);
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
