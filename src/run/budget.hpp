// Budget: the one place where limits and interrupts are looked at.
//
// Engines call poll() every few thousand states. It answers whether to go on; the clock and the process's
// memory are read only now and then, so a call costs a few nanoseconds. The same call feeds the display of
// progress, so that engines never print.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace tideline {

/// What a long run shows while it works.
struct RunStatus {
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint64_t frontier = 0;
  std::uint64_t depth = 0;
  double seconds = 0;              ///< filled in by the budget
  std::uint64_t memory_bytes = 0;  ///< filled in by the budget: resident memory of the process
};

class Budget {
 public:
  struct Limits {
    std::optional<std::uint64_t> memory_bytes = {};          ///< resident memory of the process
    std::optional<double> seconds = {};                      ///< wall-clock time from the budget's creation
    double gone = 0;                                         ///< of which so much was over before
    const std::atomic<bool>* interrupted = nullptr;          ///< set from a signal handler
    std::function<void(const RunStatus&)> on_progress = {};  ///< called a few times a second
    std::function<bool()> may_go_on = {};  ///< asked at every look at the clock; may take its time to say so
  };

  Budget() : Budget(Limits{}) {}
  explicit Budget(Limits limits);

  /// True when the run must end now; reason() then says why. Once true it stays true.
  bool exhausted(RunStatus progress);

  /// Ends the run for a reason of the engine's own (a table that is full, a disk that is).
  void exhaust(std::string reason) { reason_ = std::move(reason); }

  /// "time limit of 10 s reached", "interrupted"; empty while the run may go on.
  const std::string& reason() const { return reason_; }
  double seconds() const;
  /// For engines that can give memory back before the limit is reached.
  std::optional<std::uint64_t> memory_limit() const { return limits_.memory_bytes; }

 private:
  Limits limits_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point next_look_;
  std::chrono::steady_clock::time_point next_report_;
  std::string reason_;
};

/// Resident memory of this process now, and its highest value so far, in bytes (0 where unknown).
std::uint64_t resident_bytes();
std::uint64_t peak_resident_bytes();
/// What this process can have without others having to give way: of the machine, or of its share of it.
/// Nothing where unknown.
std::optional<std::uint64_t> available_bytes();

/// "1.5 GiB"; sizes and durations as options spell them: "512M", "4gb", "90", "1h30m" (nullopt: not one).
std::string show_bytes(std::uint64_t bytes);
std::optional<std::uint64_t> parse_bytes(const std::string& text);
std::optional<double> parse_duration(const std::string& text);

}  // namespace tideline
