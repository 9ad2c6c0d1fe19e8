#include "run/side_by_side.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <utility>

#include "run/team.hpp"

namespace tideline {

namespace {

class SideBySide {
 public:
  SideBySide(const IndependentTasks& tasks, Budget& budget)
      : tasks_(tasks), budget_(budget), end_(tasks.count) {}

  void run(unsigned threads) {
    Team(threads).run([this](unsigned share) { work(share == 0); });
    // A limit that does not hold for all is one of memory, which is given back by now, or the task's own.
    if (!budget_.exhausted(budget_.latest()))
      for (const std::size_t task : limited_) tasks_.drop(task);
  }

 private:
  void work(bool reports) {
    std::size_t task = 0;
    bool sent_away = false;
    Budget own = budget_.beside(
        [&] {
          sent_away = !may_go_on(task);
          return !sent_away;
        },
        reports);
    while (const auto next = begin()) {
      task = *next;
      const bool failed = !attempt(task, own);
      end(task, own, !failed && !sent_away);
      if (!own.reason().empty()) return;
    }
  }

  /// False: it threw something that is not a limit.
  bool attempt(std::size_t task, Budget& own) {
    try {
      const bool is_last = tasks_.run(task, own);
      const std::scoped_lock lock(mutex_);
      if (is_last && own.reason().empty()) end_ = std::min(end_, task + 1);
    } catch (const LimitReached&) {
      return !own.reason().empty();
    } catch (const std::bad_alloc&) {
      const std::scoped_lock lock(mutex_);
      let_only_first_go_on();
      return false;
    } catch (...) {
      return false;
    }
    return true;
  }

  std::optional<std::size_t> begin() {
    const std::scoped_lock lock(mutex_);
    check_memory();
    if (alone_ || next_ >= end_) return std::nullopt;
    at_work_.insert(next_);
    return next_++;
  }

  bool may_go_on(std::size_t task) {
    const std::scoped_lock lock(mutex_);
    check_memory();
    return task < end_ && (!alone_ || task == *at_work_.begin());
  }

  void end(std::size_t task, const Budget& own, bool keep) {
    const std::scoped_lock lock(mutex_);
    const bool is_first = task == *at_work_.begin();
    at_work_.erase(task);
    if (!keep || (alone_ && !is_first))
      tasks_.drop(task);
    else
      (own.reason().empty() ? done_ : limited_).insert(task);
  }

  void check_memory() {
    if (!has_memory_for_several(budget_)) let_only_first_go_on();
  }

  void let_only_first_go_on() {
    if (std::exchange(alone_, true) || at_work_.empty()) return;
    const auto later = done_.upper_bound(*at_work_.begin());
    std::for_each(later, done_.end(), tasks_.drop);
    done_.erase(later, done_.end());
  }

  const IndependentTasks& tasks_;
  Budget& budget_;

  std::mutex mutex_;
  std::size_t next_ = 0;
  std::size_t end_;     ///< from here on tasks need not be done
  bool alone_ = false;  ///< there is memory for the first of the tasks at work only
  std::set<std::size_t> at_work_, done_;
  std::set<std::size_t> limited_;  ///< tasks that their budget has ended
};

}  // namespace

bool has_memory_for_several(const Budget& budget) {
  const auto limit = budget.memory_limit();
  return !limit || resident_bytes() <= *limit / 2;
}

void run_side_by_side(unsigned threads, const IndependentTasks& tasks, Budget& budget) {
  const auto useful = static_cast<unsigned>(std::min<std::size_t>(threads, tasks.count));
  if (useful > 1) SideBySide(tasks, budget).run(useful);
}

}  // namespace tideline
