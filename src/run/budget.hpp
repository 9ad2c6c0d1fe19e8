// Budget: the one place where limits and interrupts are checked.
//
// Engines ask exhausted() every thousand transitions or so: must the run end now? The clock and the process's
// memory are read only every few milliseconds. The same call feeds the status line, so that engines never
// print. Phases that have nothing to show for half their work (reading a model, translating a formula) call
// require() instead, or hold a LimitCheck, and end in the exception LimitReached.
//
// A budget also knows which phase of the run it is for. The beginning and the end of each phase are reported,
// however short it was, so that a program that reads the status sees the same steps in every run.
//
// What comes after the end of a search (rebuilding a run, printing it) has a budget of its own, wrap_up():
// a little more time and memory than the search was given, whatever ended it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <string_view>

namespace tideline {

/// What a run is doing.
enum class Phase {
  reading,
  preparing,
  measuring,
  searching,  ///< for states
  writing,
  comparing,
  reducing,
  seeking_cycles,
  labelling,
  rebuilding,
  shortening,
  answering,
};

/// In words that follow "while": "looking for a progress measure".
std::string_view to_string(Phase phase);

/// How much of the work is done, as far as one can tell: a part of it, and a range that probably holds it.
struct Completion {
  double part = 0, least = 0, most = 0;
  double seconds_left = 0;
};

/// What a long run shows while it works.
struct RunStatus {
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint64_t frontier = 0;
  std::uint64_t depth = 0;
  std::uint64_t nodes = 0;                    ///< of decision diagrams
  std::uint64_t sweep = 0;                    ///< sweep-line: which sweep this is, if there are several
  std::optional<Completion> completion = {};  ///< of this sweep

  // Filled in by the budget.
  Phase phase = Phase::searching;
  std::string_view engine = {};    ///< the one that searches, if that is known; a name that lives for ever
  bool ended = false;              ///< the phase is over, and these are its last numbers
  double seconds = 0;              ///< since the start of the run
  double phase_seconds = 0;        ///< since the start of the phase
  std::uint64_t memory_bytes = 0;  ///< resident memory of the process
};

/// Thrown where a phase must end at once; what() is the reason. The caller of the phase answers *unknown*.
class LimitReached : public std::exception {
 public:
  explicit LimitReached(std::string reason) : reason_(std::move(reason)) {}
  const char* what() const noexcept override { return reason_.c_str(); }

 private:
  std::string reason_;
};

class Budget {
 public:
  struct Limits {
    std::optional<std::uint64_t> memory_bytes = {};  ///< resident memory of the process
    std::optional<double> seconds = {};              ///< wall-clock time from the budget's creation
    double gone = 0;                                 ///< time already spent before that
    const std::atomic<bool>* interrupted = nullptr;  ///< set from a signal handler
    /// Called from time to time, and at the beginning and the end of every phase.
    std::function<void(const RunStatus&)> on_status = {};
    double status_every = 0.25;      ///< seconds between two such calls within a phase
    Phase phase = Phase::searching;  ///< the budget is for this phase, until another one begins
    bool watched = true;             ///< somebody looks at the status all the time; off: only on demand
    /// Called at every limit check; false: another engine finished first. May block: a race parks the engine
    /// here between turns.
    std::function<bool()> may_go_on = {};
  };

  Budget() : Budget(Limits{}) {}
  explicit Budget(Limits limits);

  /// True when the run must end now; reason() then says why. Once true it stays true.
  bool exhausted(const RunStatus& status);
  /// Throws LimitReached when the run must end now.
  void require(const RunStatus& status = {});

  /// Ends the phase before, and begins this one, unless it goes on. Both are reported. `engine`: as in
  /// RunStatus.
  void begin(Phase phase, std::string_view engine = {});
  /// Reports the end of the phase that was begun, if one was, with these numbers. Nothing more is reported
  /// before the next one begins.
  void end_phase(const RunStatus& last);
  /// Likewise, with the latest numbers of which the budget was told.
  void end_phase() { end_phase(latest_); }
  Phase phase() const { return limits_.phase; }
  const RunStatus& latest() const { return latest_; }

  /// Ends the run for a reason of the engine's own (a table that is full, a disk that is).
  void exhaust(std::string reason) { reason_ = std::move(reason); }
  /// Ends the run because an allocation failed. The reason is the limit that was reached, or may have been;
  /// "out of memory" where all limits are far away.
  void exhaust_memory();

  /// "time limit of 10 s reached", "interrupted"; empty while the run may go on.
  const std::string& reason() const { return reason_; }
  double seconds() const;
  /// Somebody looks at the status: what is made only for that is worth its time.
  bool watched() const { return limits_.on_status && limits_.watched; }
  /// Other engines do the same work.
  bool raced() const { return static_cast<bool>(limits_.may_go_on); }
  /// For engines that can give memory back before the limit is reached.
  std::optional<std::uint64_t> memory_limit() const { return limits_.memory_bytes; }

  /// For what follows the search. It reports nothing before a phase of its own begins.
  Budget wrap_up() const;
  /// For a thread that works beside this one: the same limits, and may_go_on of both. on_status is called by
  /// one that reports only.
  Budget beside(std::function<bool()> may_go_on, bool reports) const;

 private:
  std::string memory_reason() const;
  void report(RunStatus status) const;

  Limits limits_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point next_look_;
  std::chrono::steady_clock::time_point next_report_;
  std::chrono::steady_clock::time_point phase_start_;
  std::string_view engine_;
  bool phase_open_ = false, phase_over_ = false;
  RunStatus latest_;
  std::optional<double> deadline_;        ///< limits_.seconds, or a little more for a wrap-up
  std::optional<std::uint64_t> ceiling_;  ///< likewise limits_.memory_bytes
  std::string reason_;
  std::string earlier_reason_;  ///< why what is being wrapped up ended
};

/// Checks a budget at every 256th call, so that it can be used in a loop over words or arcs.
class LimitCheck {
 public:
  /// No budget: no limits.
  explicit LimitCheck(Budget* budget) : budget_(budget) {}

  void operator()() {
    if (++calls_ % 256 == 0 && budget_) budget_->require();
  }

 private:
  Budget* budget_;
  unsigned calls_ = 0;
};

/// The memory that a process with this limit may reach: a run that keeps to its limit passes it a little
/// between two checks, and while it wraps up.
constexpr std::uint64_t memory_ceiling(std::uint64_t limit) {
  return limit + limit / 16 + (std::uint64_t{24} << 20);
}

/// Resident memory of this process now, and its highest value so far, in bytes (0 where unknown).
std::uint64_t resident_bytes();
std::uint64_t peak_resident_bytes();
/// Memory that this process can use without taking it from others: of the machine, or of its container.
/// Nothing where unknown.
std::optional<std::uint64_t> available_bytes();

/// "1.5 GiB"; sizes and durations as options spell them: "512M", "4gb", "90", "1h30m" (nullopt: not one).
std::string show_bytes(std::uint64_t bytes);
std::optional<std::uint64_t> parse_bytes(const std::string& text);
std::optional<double> parse_duration(const std::string& text);

/// Runs a phase of something longer. False: a limit ended it, and the budget says which, even if it was that of
/// another process.
template <class Phase>
bool within_limits(Budget& budget, Phase&& phase) {
  try {
    phase();
    return true;
  } catch (const LimitReached& limit) {
    if (budget.reason().empty()) budget.exhaust(limit.what());
  } catch (const std::bad_alloc&) {
    budget.exhaust_memory();
  }
  return false;
}

}  // namespace tideline
