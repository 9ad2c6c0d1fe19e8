// SimulatedCluster: the ranks of a job in one thread, each with a clock of its own, for jobs that are larger
// than the machine.
//
// The code of cluster/ranks runs on it as it is: a rank is a fiber, and the transport below takes messages from
// one to another. Only time is simulated. The clock of a rank goes on
//   - when the search says that it has worked (work()),
//   - with every message that it sends or takes, by what that costs a processor (Costs),
//   - when it has nothing to do: to the arrival of the next message.
// A message leaves its machine after those sent before it, goes through the network, and enters the other
// machine after those that came before it: a machine has one link, used in both directions at once.
//
// The rank whose clock is furthest behind goes first. A rank looks for messages only in receive(), which lets
// all others catch up first, so it never misses one that should have arrived. It is idle when nothing has
// happened on it between a few looks; it then sleeps until something arrives, or until there is a place again
// for what it wants to send. When all of them sleep, the protocol has deadlocked, and the simulation says so.
#pragma once

#include <ucontext.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "cluster/ranks/ranks.hpp"

namespace tideline::bench {

/// In seconds, for a processor unless stated.
struct Costs {
  double message = 1e-6;        ///< to send one, or to take one
  double take_byte = 0;         ///< of a batch: to take the states out of it and to insert them
  double latency = 10e-6;       ///< of the network
  double bandwidth = 1.25e9;    ///< of a machine's link, bytes a second in each direction
  double local_latency = 1e-6;  ///< between ranks of the same machine, which do not use the link
  unsigned ranks_per_machine = 1;
};

struct Traffic {
  std::uint64_t batches = 0, batch_bytes = 0;
  std::uint64_t control = 0;  ///< all other messages
  std::uint64_t up = 0;       ///< of these, reports of waves
  std::size_t most_outstanding = 0;
  double idle = 0;  ///< seconds in which ranks waited, together
};

class SimulatedCluster {
 public:
  SimulatedCluster(unsigned ranks, Costs costs)
      : costs_(costs), outstanding_(std::size_t{ranks} * ranks), links_(ranks / costs.ranks_per_machine + 1) {
    for (unsigned rank = 0; rank < ranks; ++rank) fibers_.push_back(std::make_unique<Fiber>(*this, rank));
  }

  using Work = std::function<void(cluster::Ranks&)>;

  /// Calls work(ranks) on each rank. Returns the time when the last one is done.
  double run(const Work& work) {
    for (auto& fiber : fibers_) {
      fiber->work = &work;
      start(*fiber);
      ready_.emplace(0.0, fiber->rank);
    }
    unsigned left = static_cast<unsigned>(fibers_.size());
    while (left != 0) {
      if (ready_.empty()) throw std::logic_error("the protocol has deadlocked: all ranks wait");
      Fiber& next = *fibers_[ready_.extract(ready_.begin()).value().second];
      running_ = &next;
      swapcontext(&scheduler_, &next.context);
      if (next.failure) std::rethrow_exception(next.failure);
      if (next.done) --left;
    }
    double last = 0;
    for (const auto& fiber : fibers_) last = std::max(last, fiber->clock);
    return last;
  }

  /// The rank that runs has computed for so long.
  void work(double seconds) {
    running_->clock += seconds;
    running_->idle_looks = 0;
  }

  const Traffic& traffic() const { return traffic_; }

 private:
  struct Arrival {
    double time = 0;
    std::uint64_t number = 0;  ///< in the order of sending
    cluster::Message message = {};
    bool operator<(const Arrival& other) const {  // of a heap: the first one on top
      return std::pair(time, number) > std::pair(other.time, other.number);
    }
  };
  struct Fiber;

  /// What a rank does when nothing arrives: the end of one wave, the beginning of the next, then nothing more.
  static constexpr unsigned looks_before_sleep = 4;

  class Endpoint : public cluster::Transport {
   public:
    Endpoint(SimulatedCluster& cluster, unsigned rank) : cluster_(cluster), rank_(rank) {}
    unsigned rank() const override { return rank_; }
    unsigned ranks() const override { return static_cast<unsigned>(cluster_.fibers_.size()); }
    unsigned ranks_on_machine() const override { return cluster_.costs_.ranks_per_machine; }
    void send(unsigned to, cluster::MessageKind kind, cluster::Bytes bytes) override {
      cluster_.send(*cluster_.fibers_[rank_], to, {rank_, kind, std::move(bytes)});
    }
    std::size_t outstanding(unsigned to) override {
      cluster_.fibers_[rank_]->wants_place_at = to;
      return cluster_.between(rank_, to);
    }
    std::optional<cluster::Message> receive() override { return cluster_.receive(*cluster_.fibers_[rank_]); }

   private:
    SimulatedCluster& cluster_;
    unsigned rank_;
  };

  struct Fiber {
    Fiber(SimulatedCluster& of, unsigned number) : cluster(of), rank(number), endpoint(of, number) {}
    static constexpr std::size_t stack_bytes = std::size_t{128} << 10;

    SimulatedCluster& cluster;
    unsigned rank;
    Endpoint endpoint;
    ucontext_t context = {};
    std::unique_ptr<char[]> stack = std::make_unique_for_overwrite<char[]>(stack_bytes);
    const Work* work = nullptr;
    std::exception_ptr failure = {};
    std::vector<Arrival> inbox = {};  ///< a heap
    double clock = 0;
    unsigned idle_looks = 0;  ///< for messages, since something has happened
    bool asleep = false;
    std::optional<double> wakes_at = {};  ///< when it sleeps, and that is known
    bool done = false;
    std::optional<unsigned> wants_place_at = {};
  };

  /// A machine's link: when it is free again.
  struct Link {
    double out = 0, in = 0;
  };

  std::uint32_t& between(unsigned from, unsigned to) { return outstanding_[from * fibers_.size() + to]; }
  unsigned machine_of(unsigned rank) const { return rank / costs_.ranks_per_machine; }

  void start(Fiber& fiber) {
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = Fiber::stack_bytes;
    fiber.context.uc_link = &scheduler_;
    const auto address = reinterpret_cast<std::uintptr_t>(&fiber);  // makecontext() passes on ints only
    makecontext(&fiber.context, reinterpret_cast<void (*)()>(&SimulatedCluster::body), 2,
                static_cast<unsigned>(address >> 32), static_cast<unsigned>(address));
  }

  static void body(unsigned high, unsigned low) {
    auto& fiber = *reinterpret_cast<Fiber*>(std::uintptr_t{high} << 32 | low);
    try {
      cluster::Ranks ranks(fiber.endpoint);
      (*fiber.work)(ranks);
    } catch (...) {
      fiber.failure = std::current_exception();
    }
    fiber.done = true;
  }

  void switch_away(Fiber& fiber) { swapcontext(&fiber.context, &scheduler_); }

  void send(Fiber& from, unsigned to, cluster::Message message) {
    from.clock += costs_.message;
    from.idle_looks = 0;
    from.wants_place_at.reset();
    const auto bytes = static_cast<double>(message.bytes.size());
    if (message.kind == cluster::MessageKind::batch) {
      ++traffic_.batches;
      traffic_.batch_bytes += message.bytes.size();
    } else {
      ++traffic_.control;
      traffic_.up += message.kind == cluster::MessageKind::up;
    }
    double arrival = from.clock + costs_.local_latency;
    if (machine_of(from.rank) != machine_of(to)) {
      Link &out = links_[machine_of(from.rank)], &in = links_[machine_of(to)];
      const double transfer = bytes / costs_.bandwidth;
      out.out = std::max(out.out, from.clock) + transfer;
      in.in = std::max(in.in + transfer, out.out + costs_.latency);
      arrival = in.in;
    }
    traffic_.most_outstanding = std::max<std::size_t>(traffic_.most_outstanding, ++between(from.rank, to));
    Fiber& receiver = *fibers_[to];
    receiver.inbox.push_back({arrival, sent_++, std::move(message)});
    std::push_heap(receiver.inbox.begin(), receiver.inbox.end());
    if (receiver.asleep) wake(receiver, receiver.inbox.front().time);
  }

  std::optional<cluster::Message> receive(Fiber& me) {
    if (!ready_.empty() && ready_.begin()->first < me.clock) {
      ready_.emplace(me.clock, me.rank);
      switch_away(me);
    }
    if (!arrived(me)) {
      if (++me.idle_looks < looks_before_sleep) return std::nullopt;
      sleep(me);
      if (!arrived(me)) return std::nullopt;  // there is a place
    }
    std::pop_heap(me.inbox.begin(), me.inbox.end());
    cluster::Message message = std::move(me.inbox.back().message);
    me.inbox.pop_back();
    me.idle_looks = 0;
    me.clock += costs_.message;
    if (message.kind == cluster::MessageKind::batch)
      me.clock += static_cast<double>(message.bytes.size()) * costs_.take_byte;
    --between(message.from, me.rank);
    Fiber& sender = *fibers_[message.from];
    if (sender.asleep && sender.wants_place_at == me.rank) wake(sender, me.clock + costs_.latency);
    return message;
  }

  static bool arrived(const Fiber& me) { return !me.inbox.empty() && me.inbox.front().time <= me.clock; }

  void sleep(Fiber& me) {
    const double since = me.clock;
    me.wakes_at.reset();
    me.asleep = true;
    if (!me.inbox.empty()) wake(me, me.inbox.front().time);
    switch_away(me);
    me.asleep = false;
    me.clock = std::max(since, *me.wakes_at);
    traffic_.idle += me.clock - since;
  }

  /// At this time, or earlier when that has been said before.
  void wake(Fiber& fiber, double time) {
    if (fiber.wakes_at) {
      if (*fiber.wakes_at <= time) return;
      ready_.erase({*fiber.wakes_at, fiber.rank});
    }
    fiber.wakes_at = std::max(time, fiber.clock);
    ready_.emplace(*fiber.wakes_at, fiber.rank);
  }

  Costs costs_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<std::uint32_t> outstanding_;       ///< messages by sender and receiver
  std::vector<Link> links_;                      ///< by machine
  std::set<std::pair<double, unsigned>> ready_;  ///< when a rank goes on, and which
  std::uint64_t sent_ = 0;
  Traffic traffic_;
  ucontext_t scheduler_ = {};
  Fiber* running_ = nullptr;
};

}  // namespace tideline::bench
