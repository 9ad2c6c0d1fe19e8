#include "cluster/ranks/in_threads.hpp"

#include <exception>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tideline::cluster {

namespace {

/// A thread of this process, as a rank.
struct Part {
  explicit Part(std::unique_ptr<Transport> own) : end(std::move(own)), ranks(*end) {}

  std::unique_ptr<Transport> end;
  Ranks ranks;
  std::exception_ptr failure = {};

  void take(const std::function<void(Ranks&, unsigned)>& work, unsigned thread) {
    std::string reason;
    try {
      try {
        work(ranks, thread);
      } catch (const std::exception& error) {
        reason = error.what();
        throw;
      }
    } catch (...) {
      failure = std::current_exception();
      if (reason.empty()) reason = "failed";
    }
    ranks.leave(reason);
  }
};

}  // namespace

void in_threads(Ranks& processes, unsigned threads, const std::function<void(Ranks&, unsigned)>& work) {
  if (threads <= 1) return work(processes, 0);
  std::vector<std::unique_ptr<Part>> parts;
  std::vector<std::jthread> helpers;
  std::latch begin(1);
  bool goes_on = false;
  try {
    for (unsigned thread = 0; thread < threads; ++thread)
      if (auto end = processes.end_of_thread(thread, threads))
        parts.push_back(std::make_unique<Part>(std::move(end)));
    helpers.reserve(threads);
    for (unsigned thread = 1; thread < parts.size(); ++thread)
      helpers.emplace_back([&, thread] {
        begin.wait();
        if (goes_on) parts[thread]->take(work, thread);
      });
  } catch (const std::exception&) {  // no more threads, or no memory for one more
  }
  // A process without its threads would keep those of others waiting for ever.
  const bool ready = helpers.size() + 1 == threads;
  try {
    goes_on = processes.all_reduce({!ready})[0] == 0;
  } catch (...) {
    begin.count_down();
    throw;
  }
  begin.count_down();
  if (!goes_on) throw LimitReached("a rank cannot have so many threads");
  parts.front()->take(work, 0);
  helpers.clear();  // all of them return
  std::exception_ptr failure;
  for (const auto& part : parts) {
    processes.add_sent(part->ranks);
    if (!failure) failure = part->failure;
  }
  // What has made others leave says more than that they have left.
  for (const auto& part : parts) try {
      if (part->failure) std::rethrow_exception(part->failure);
    } catch (const RankLeft&) {
    } catch (...) {
      failure = std::current_exception();
    }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace tideline::cluster
