#include "checking/race.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <thread>

namespace tideline {

namespace {

using Clock = std::chrono::steady_clock;

class Race {
 public:
  Race(const std::vector<Entrant>& entrants, const Budget::Limits& limits, RaceOptions options)
      : entrants_(entrants), limits_(limits), options_(options), runners_(entrants.size()) {
    begin_turn(0);
  }

  RaceResult run() {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < entrants_.size(); ++i) try {
        threads.emplace_back([this, i] { work(i); });
      } catch (const std::exception&) {
        finish(i);  // no more threads, or no memory for one: the others can do without it
      }
    work(0);
    threads.clear();  // joins
    RaceResult result{.outcome = {}, .winner = {}, .seconds = seconds()};
    if (winner_) {
      result.winner = entrants_[*winner_].engine;
      result.outcome = std::move(runners_[*winner_].attempt->outcome);
    } else {
      result.outcome = best_of_all();
    }
    return result;
  }

 private:
  struct Runner {
    std::optional<Attempt> attempt;
    std::exception_ptr failure;
    bool done = false;
    unsigned turns = 0;
  };

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  /// Must not throw: the others wait until this one is done.
  void work(std::size_t me) {
    if (!may_go_on(me)) return finish(me);
    try {
      Budget::Limits limits = limits_;
      limits.gone += seconds();
      if (me != 0 && options_.mode == RaceMode::at_once) limits.on_status = {};
      limits.may_go_on = [this, me] { return (!limits_.may_go_on || limits_.may_go_on()) && may_go_on(me); };
      runners_[me].attempt = entrants_[me].search(limits);
    } catch (...) {
      runners_[me].failure = std::current_exception();
    }
    finish(me);
  }

  /// Waits for the turn. False: the race is over.
  bool may_go_on(std::size_t me) {
    std::unique_lock lock(mutex_);
    if (options_.mode == RaceMode::turns) {
      if (turn_ == me && Clock::now() >= turn_end_) pass_on();
      changed_.wait(lock, [&] { return winner_ || turn_ == me; });
    }
    return !winner_;
  }

  void finish(std::size_t me) {
    const std::lock_guard lock(mutex_);
    Runner& runner = runners_[me];
    runner.done = true;
    if (!winner_ && runner.attempt && runner.attempt->is_answer()) winner_ = me;
    if (turn_ == me) pass_on();
    changed_.notify_all();
  }

  /// To the next one that is not done; the same one again if there is no other.
  void pass_on() {
    for (std::size_t step = 1; step <= runners_.size(); ++step) {
      const std::size_t next = (turn_ + step) % runners_.size();
      if (runners_[next].done) continue;
      begin_turn(next);
      changed_.notify_all();
      return;
    }
  }

  void begin_turn(std::size_t entrant) {
    turn_ = entrant;
    const double length = options_.first_turn * entrants_[entrant].share *
                          static_cast<double>(1u << std::min(runners_[entrant].turns++, 20u));
    turn_end_ =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(length));
  }

  /// Whether a limit ended an entrant, so that what others found still counts.
  static bool is_of_limit(const std::exception_ptr& failure) {
    try {
      std::rethrow_exception(failure);
    } catch (const LimitReached&) {
      return true;
    } catch (const std::bad_alloc&) {
      return true;
    } catch (...) {
      return false;
    }
  }

  /// Nobody had the whole answer. One that could not even begin has nothing to say about any property.
  CombinedOutcome best_of_all() {
    const auto says_something = [](const Runner& runner) {
      return runner.attempt && !runner.attempt->outcome.results.empty();
    };
    const bool none = std::ranges::none_of(runners_, says_something);
    for (const Runner& runner : runners_)
      if (runner.failure && (none || !is_of_limit(runner.failure))) std::rethrow_exception(runner.failure);
    const auto decided = [&](const Runner& runner) {
      if (!says_something(runner)) return std::ptrdiff_t{-1};
      return std::ranges::count_if(runner.attempt->outcome.results,
                                   [](const auto& r) { return r.verdict != Verdict::unknown; });
    };
    const auto best = std::ranges::max_element(runners_, {}, decided);
    CombinedOutcome outcome = std::move(best->attempt->outcome);
    best->attempt.reset();
    for (const Runner& runner : runners_)
      if (runner.attempt) take_decided(runner.attempt->outcome, outcome);
    return outcome;
  }

  const std::vector<Entrant>& entrants_;
  const Budget::Limits& limits_;
  const RaceOptions options_;
  const Clock::time_point start_ = Clock::now();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Runner> runners_;
  std::optional<std::size_t> winner_;
  std::size_t turn_ = 0;
  Clock::time_point turn_end_;
};

}  // namespace

bool Attempt::is_answer() const {
  return whole || (!outcome.results.empty() && std::ranges::none_of(outcome.results, [](const auto& result) {
           return result.verdict == Verdict::unknown;
         }));
}

RaceResult race(const std::vector<Entrant>& entrants, const Budget::Limits& limits, RaceOptions options) {
  return Race(entrants, limits, options).run();
}

}  // namespace tideline
