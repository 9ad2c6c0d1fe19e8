// For tests: the ranks of a job as threads of one process, with a transport that delays messages at random.
//
// Messages from one rank to another keep their order, as they do with MPI. Everything else is left to chance:
// which sender's message is taken next, and for how long what a sender has sent is not seen yet.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cluster/ranks/in_threads.hpp"
#include "cluster/ranks/ranks.hpp"
#include "cluster/ranks/shared_transport.hpp"

namespace tideline::test {

class QueuesBetweenRanks {
 public:
  explicit QueuesBetweenRanks(unsigned ranks) : ranks_(ranks), queues_(ranks * ranks) {}

  unsigned ranks() const { return ranks_; }

  void push(unsigned to, cluster::Message message) {
    Queue& queue = between(message.from, to);
    const std::scoped_lock lock(queue.mutex);
    queue.messages.push_back(std::move(message));
    most_ = std::max<std::size_t>(most_, queue.messages.size());
  }
  std::optional<cluster::Message> pop(unsigned from, unsigned to) {
    Queue& queue = between(from, to);
    const std::scoped_lock lock(queue.mutex);
    if (queue.messages.empty()) return std::nullopt;
    cluster::Message message = std::move(queue.messages.front());
    queue.messages.pop_front();
    return message;
  }
  std::size_t size(unsigned from, unsigned to) {
    Queue& queue = between(from, to);
    const std::scoped_lock lock(queue.mutex);
    return queue.messages.size();
  }
  /// Most messages that were on their way from one rank to another at a time.
  std::size_t most() const { return most_; }

 private:
  struct Queue {
    std::mutex mutex;
    std::deque<cluster::Message> messages;
  };
  Queue& between(unsigned from, unsigned to) { return queues_[from * ranks_ + to]; }

  unsigned ranks_;
  std::deque<Queue> queues_;
  std::atomic<std::size_t> most_ = 0;
};

class QueueTransport : public cluster::Transport {
 public:
  QueueTransport(QueuesBetweenRanks& queues, unsigned rank, std::uint64_t seed)
      : queues_(queues), rank_(rank), random_(seed * 1000 + rank), looks_until_seen_(queues.ranks()) {}

  unsigned rank() const override { return rank_; }
  unsigned ranks() const override { return queues_.ranks(); }
  unsigned ranks_on_machine() const override { return ranks(); }
  bool is_for_threads() const override { return true; }
  void send(unsigned to, cluster::MessageKind kind, cluster::Bytes bytes) override {
    queues_.push(to, {rank_, kind, std::move(bytes)});
  }
  std::size_t outstanding(unsigned to) override { return queues_.size(rank_, to); }
  std::optional<cluster::Message> receive() override {
    const unsigned first = static_cast<unsigned>(random_() % ranks());
    for (unsigned i = 0; i < ranks(); ++i) {
      const unsigned from = (first + i) % ranks();
      if (looks_until_seen_[from] != 0) {
        --looks_until_seen_[from];
      } else if (auto message = queues_.pop(from, rank_)) {
        if (random_() % 8 == 0) looks_until_seen_[from] = random_() % 200;
        return message;
      }
    }
    return std::nullopt;
  }

 private:
  QueuesBetweenRanks& queues_;
  unsigned rank_;
  std::mt19937_64 random_;
  std::vector<std::uint64_t> looks_until_seen_;  ///< by sender
};

/// Calls work(Ranks&) on each of so many ranks. A rank that throws leaves; the first exception is rethrown.
/// Returns the most messages that were on their way from one rank to another.
template <class Work>
std::size_t run_ranks(unsigned count, std::uint64_t seed, const Work& work) {
  QueuesBetweenRanks queues(count);
  std::vector<std::exception_ptr> failures(count);
  {
    std::vector<std::jthread> threads;
    for (unsigned rank = 0; rank < count; ++rank)
      threads.emplace_back([&, rank] {
        QueueTransport transport(queues, rank, seed);
        cluster::SharedTransport shared(transport);
        cluster::Ranks ranks(shared.process());
        std::string reason;
        try {
          try {
            work(ranks);
          } catch (const std::exception& error) {
            reason = error.what();
            throw;
          }
        } catch (...) {  // failed assertions, too
          failures[rank] = std::current_exception();
          if (reason.empty()) reason = "failed";
        }
        ranks.leave(reason);
      });
  }
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
  return queues.most();
}

/// Likewise, with so many threads on each, every one of which is a rank.
template <class Work>
void run_ranks_with_threads(unsigned count, unsigned threads, std::uint64_t seed, const Work& work) {
  run_ranks(count, seed, [&](cluster::Ranks& processes) {
    cluster::in_threads(processes, threads, [&](cluster::Ranks& ranks, unsigned) { work(ranks); });
  });
}

}  // namespace tideline::test
