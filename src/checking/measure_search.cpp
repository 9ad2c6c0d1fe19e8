#include "checking/measure_search.hpp"

#include <chrono>
#include <exception>
#include <utility>

#include "store/memory.hpp"

namespace tideline {

namespace {

/// Also ends when it is unwanted.
Budget::Limits until(Budget::Limits limits, const std::atomic<bool>& unwanted) {
  limits.on_status = {};  // the numbers of a sample would look like those of the search
  limits.may_go_on = [&unwanted, before = std::move(limits.may_go_on)] {
    return !unwanted.load(std::memory_order_relaxed) && (!before || before());
  };
  return limits;
}

}  // namespace

MeasureSearch::MeasureSearch(Find find, Budget::Limits limits, double gone)
    : find_(std::move(find)), budget_(until(std::move(limits), unwanted_), gone) {
  try {
    thread_ = std::jthread([this] { run(); });
  } catch (const std::exception&) {  // no more threads, or no memory for one
  }
}

MeasureSearch::~MeasureSearch() {
  unwanted_ = true;
}

const Measure& MeasureSearch::take(const Notes& notes) {
  if (thread_.joinable())
    thread_.join();
  else if (!is_over())
    run();
  find_ = {};
  release_free_memory();  // the sample's
  for (const std::string& note : std::exchange(notes_, {}))
    if (notes) notes(note);
  if (failure_) std::rethrow_exception(failure_);
  return measure_;
}

void MeasureSearch::run() {
  const auto start = std::chrono::steady_clock::now();
  try {
    measure_ = find_(budget_, [this](const std::string& note) { notes_.push_back(note); });
    budget_.budget.require();  // one that was not looked for to the end is not worth much
  } catch (...) {
    failure_ = std::current_exception();
  }
  seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  over_.store(true, std::memory_order_release);
}

}  // namespace tideline
