// What ranks do together, on threads with random delays.
#include "cluster/ranks/ranks.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <atomic>
#include <cstring>
#include <random>
#include <vector>

#include "cluster/ranks/distributed_table.hpp"
#include "cluster/ranks/parent_trail.hpp"
#include "model/error.hpp"
#include "testing/ranks_in_threads.hpp"

namespace tideline::cluster {
namespace {

using test::run_ranks;

Bytes bytes_of(std::uint64_t number) {
  Bytes bytes(sizeof number);
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}
std::uint64_t number_in(std::span<const std::byte> bytes) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data(), sizeof number);
  return number;
}

unsigned some_ranks() {
  return *rc::gen::inRange(1u, 8u);
}

// Runs of states from one rank, some without a parent, near and far, forth and back.
RC_GTEST_PROP(ParentTrail, KnowsWhatWasAdded, (std::uint32_t seed)) {
  std::mt19937_64 random(seed);
  ParentTrail trail;
  std::vector<GlobalId> added;
  const auto any_number = [&] { return static_cast<StateId>(random() >> random() % 64); };
  for (int runs = *rc::gen::inRange(0, 40); runs != 0; --runs) {
    const auto rank = static_cast<unsigned>(random() >> 32 >> random() % 32);
    StateId number = any_number();
    for (std::uint64_t left = random() % 40; left != 0; --left) {
      number = random() % 8 == 0 ? any_number() : number + static_cast<StateId>(random() % 4);
      added.push_back(random() % 20 == 0 ? no_global : global_id(rank, number));
      trail.add(added.back());
    }
  }
  RC_ASSERT(trail.size() == added.size());
  for (StateId id = 0; id < added.size(); ++id) RC_ASSERT(trail[id] == added[id]);
}

RC_GTEST_PROP(Ranks, CombineValues, ()) {
  const unsigned count = some_ranks();
  std::atomic<unsigned> right = 0;
  run_ranks(count, *rc::gen::arbitrary<std::uint32_t>(), [&](Ranks& ranks) {
    for (std::uint64_t round = 0; round < 20; ++round) {
      const std::uint64_t mine = ranks.rank() + round;
      right += ranks.all_reduce({mine, 1}) ==
               std::vector<std::uint64_t>{count * round + count * (count - 1) / 2, count};
      right += ranks.all_reduce({mine}, Combine::least) == std::vector<std::uint64_t>{round};
    }
  });
  RC_ASSERT(right == 40 * count);
}

RC_GTEST_PROP(Ranks, GatherAndBroadcast, ()) {
  const unsigned count = some_ranks();
  std::atomic<unsigned> right = 0;
  run_ranks(count, *rc::gen::arbitrary<std::uint32_t>(), [&](Ranks& ranks) {
    for (std::uint64_t round = 0; round < 20; ++round) {
      const std::vector<Bytes> all = ranks.gather(bytes_of(ranks.rank() + round));
      for (unsigned from = 0; from < count; ++from) right += number_in(all[from]) == from + round;
      const unsigned speaker = static_cast<unsigned>(round % count);
      right += number_in(ranks.broadcast(speaker, bytes_of(ranks.rank()))) == speaker;
    }
  });
  RC_ASSERT(right == 20 * count * (count + 1));
}

// Every batch causes another one, sometimes two, at ranks that chance chooses, until a depth is reached: most
// ranks are passive most of the time, while something goes round. When a phase is over, all batches of all ranks
// have arrived, and none of the next phase has.
RC_GTEST_PROP(Ranks, SettleWhenNothingIsLeft, ()) {
  const unsigned processes = *rc::gen::inRange(1u, 5u), threads = *rc::gen::inRange(1u, 4u);
  const unsigned count = processes * threads;
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  std::atomic<std::uint64_t> sent = 0, arrived = 0;
  std::atomic<bool> wrong = false;
  test::run_ranks_with_threads(processes, threads, seed, [&](Ranks& ranks) {
    std::mt19937_64 random(seed + ranks.rank());
    std::vector<std::uint64_t> work;
    ranks.set_receiver([&](unsigned, std::span<const std::byte> batch) {
      ++arrived;
      work.push_back(number_in(batch));
    });
    ranks.all_reduce({});
    for (int phase = 0; phase < 5; ++phase) {
      work.push_back(random() % 30);
      for (;;) {
        const bool any = ranks.poll();
        if (!work.empty()) {
          const std::uint64_t depth = work.back();
          work.pop_back();
          const int caused = depth == 0 || count == 1 ? 0 : random() % 8 == 0 ? 2 : 1;
          for (int i = 0; i < caused; ++i) {
            const unsigned to = (ranks.rank() + 1 + static_cast<unsigned>(random() % (count - 1))) % count;
            ++sent;
            ranks.send(to, bytes_of(depth - 1));
          }
        } else if (ranks.settled()) {
          break;
        } else if (!any) {
          ranks.pause();
        }
      }
      if (sent != arrived || !work.empty()) wrong = true;
      ranks.all_reduce({});
    }
  });
  RC_ASSERT(!wrong);
}

// A rank that sends without end to one that is slow holds a bounded number of messages.
TEST(Ranks, KeepFewMessagesOnTheirWay) {
  constexpr std::uint64_t batches = 5000;
  std::atomic<std::uint64_t> arrived = 0;
  const std::size_t most = run_ranks(3, 1, [&](Ranks& ranks) {
    ranks.set_receiver([&](unsigned, std::span<const std::byte>) { ++arrived; });
    ranks.all_reduce({});
    for (std::uint64_t i = 0; i < batches; ++i) ranks.send((ranks.rank() + 1) % 3, bytes_of(i));
    while (!ranks.settled())
      if (!ranks.poll()) ranks.pause();
    ranks.all_reduce({});
  });
  EXPECT_EQ(arrived, 3 * batches);
  EXPECT_LE(most, 70u);
}

// Phases in which nobody sends because of what arrives. A rank that is ahead may send in the next phase already,
// but nothing of that counts in what was reported.
RC_GTEST_PROP(Ranks, TakeAllOfAPhase, ()) {
  const unsigned count = *rc::gen::inRange(1u, 5u), threads = *rc::gen::inRange(1u, 4u);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  std::atomic<bool> wrong = false;
  test::run_ranks_with_threads(count, threads, seed, [&](Ranks& ranks) {
    std::mt19937_64 random(seed * 100 + ranks.rank());
    std::uint64_t phase = 0, sent = 0, arrived = 0;
    ranks.set_receiver([&](unsigned, std::span<const std::byte> batch) {
      ++arrived;
      if (const std::uint64_t of = number_in(batch); of != phase && of != phase + 1) wrong = true;
    });
    ranks.all_reduce({});
    for (phase = 0; phase < 10; ++phase) {
      for (std::uint64_t left = random() % 20; left != 0; --left, ++sent)
        ranks.send(static_cast<unsigned>(random() % ranks.size()), bytes_of(phase));
      std::optional<Totals> totals;
      const auto report = [&] { return Totals{.sums = {sent, arrived}, .least = {phase}}; };
      while (!(totals = ranks.all_taken(report)))
        if (!ranks.poll()) ranks.pause();
      if (totals->sums[0] != totals->sums[1] || totals->least[0] != phase) wrong = true;
    }
    ranks.all_reduce({});
  });
  RC_ASSERT(!wrong);
}

// Threads leave like ranks, and users are told which process it was.
TEST(Ranks, NobodyWaitsForAThreadThatHasLeft) {
  for (unsigned culprit = 0; culprit < 6; ++culprit) {
    std::atomic<unsigned> told = 0;
    const auto work = [&](Ranks& ranks) {
      if (ranks.rank() == culprit) throw Error(ErrorKind::io, "no disk here");
      try {
        ranks.all_reduce({1});
      } catch (const RankLeft& left) {
        const std::string text = left.what();
        told += text.starts_with("rank " + std::to_string(culprit / 2) + " ") &&
                text.find("no disk here") != std::string::npos;
        throw;
      }
    };
    EXPECT_THROW(test::run_ranks_with_threads(3, 2, culprit, work), std::exception);
    EXPECT_EQ(told, 5u);
  }
}

// Processes and their threads take turns, as in a check of several properties.
TEST(Ranks, ThreadsComeAndGo) {
  std::atomic<unsigned> right = 0;
  run_ranks(3, 1, [&](Ranks& processes) {
    for (unsigned threads = 1; threads <= 4; ++threads) {
      in_threads(processes, threads, [&](Ranks& ranks, unsigned thread) {
        right += ranks.rank() == processes.rank() * threads + thread;
        right += ranks.all_reduce({1})[0] == 3 * threads;
      });
      right += processes.all_reduce({threads})[0] == 3 * threads;
    }
  });
  EXPECT_EQ(right, 3u * (2 * (1 + 2 + 3 + 4) + 4));
}

TEST(Ranks, StopReachesAll) {
  std::atomic<unsigned> stopped = 0;
  run_ranks(4, 1, [&](Ranks& ranks) {
    ranks.set_receiver([](unsigned, std::span<const std::byte>) {});
    if (ranks.rank() == 2) ranks.stop();
    while (!ranks.stopped())
      if (!ranks.poll()) ranks.pause();
    ++stopped;
    ranks.gather({});
    ranks.forget_stop();
    EXPECT_FALSE(ranks.stopped());
  });
  EXPECT_EQ(stopped, 4u);
}

TEST(Ranks, NobodyWaitsForARankThatHasLeft) {
  for (unsigned culprit = 0; culprit < 4; ++culprit) {
    std::atomic<unsigned> told = 0;
    EXPECT_THROW(run_ranks(4, culprit,
                           [&](Ranks& ranks) {
                             if (ranks.rank() == culprit) throw Error(ErrorKind::io, "no model here");
                             try {
                               ranks.all_reduce({1});
                             } catch (const RankLeft& left) {
                               const std::string text = left.what();
                               told += text.find("rank " + std::to_string(culprit)) != std::string::npos &&
                                       text.find("no model here") != std::string::npos;
                               throw;
                             }
                           }),
                 std::exception);
    EXPECT_EQ(told, 3u);
  }
}

TEST(Ranks, NoticeThatTheyDiffer) {
  EXPECT_NO_THROW(run_ranks(3, 1, [](Ranks& ranks) { ranks.require_same(17); }));
  EXPECT_THROW(run_ranks(3, 1, [](Ranks& ranks) { ranks.require_same(ranks.rank() / 2); }), Error);
}

// Small states are hashed again where they arrive, the hashes of others travel.
RC_GTEST_PROP(StateBatches, BringStatesNotesAndHashesToTheOwner, ()) {
  const auto bytes = *rc::gen::inRange<std::size_t>(8, 60);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  std::atomic<std::uint64_t> given = 0, arrived = 0;
  std::atomic<bool> wrong = false;
  run_ranks(*rc::gen::inRange(1u, 5u), seed, [&](Ranks& ranks) {
    struct Receiver {
      Ranks& ranks;
      std::size_t bytes;
      std::atomic<std::uint64_t>& arrived;
      std::atomic<bool>& wrong;
      void operator()(unsigned from, const FewStates<std::uint32_t>& few) {
        for (std::size_t i = 0; i < few.count(); ++i) {
          const std::uint64_t hash = StateHash{}(few.state(i), bytes);
          if (few.hash(i) != hash || owner_of(hash, ranks.size()) != ranks.rank() || few.note(i) != from)
            wrong = true;
          arrived += number_in({few.state(i), sizeof(std::uint64_t)});
        }
      }
      void out_of_memory() { wrong = true; }
    };
    StateBatches<std::uint32_t, Receiver> batches(ranks, bytes, {ranks, bytes, arrived, wrong});
    ranks.all_reduce({});
    std::mt19937_64 random(seed + ranks.rank());
    std::vector<std::byte> state(bytes);
    for (unsigned i = 0; i < 500; ++i) {
      for (std::byte& byte : state) byte = static_cast<std::byte>(random());
      given += number_in(state);
      batches.give(state.data(), ranks.rank());
    }
    batches.flush();
    while (!ranks.settled())
      if (!ranks.poll()) ranks.pause();
    ranks.all_reduce({});
  });
  RC_ASSERT(!wrong);
  RC_ASSERT(given == arrived);
}

// The states of a rank must still fill all segments and buckets of its table, and all ranks get their share.
TEST(DistributedTable, SpreadsStatesEvenly) {
  constexpr unsigned ranks = 7;
  std::vector<std::uint64_t> states(ranks);
  std::vector<std::uint64_t> in_segment(256);
  for (std::uint64_t i = 0; i < 700'000; ++i) {
    const std::uint64_t hash = StateHash{}(reinterpret_cast<const std::byte*>(&i), sizeof i);
    const unsigned owner = owner_of(hash, ranks);
    ++states.at(owner);
    if (owner == 3) ++in_segment[hash >> 56];
  }
  for (const std::uint64_t count : states) EXPECT_NEAR(static_cast<double>(count), 100'000, 2'000);
  for (const std::uint64_t count : in_segment) EXPECT_NEAR(static_cast<double>(count), 390, 120);
}

}  // namespace
}  // namespace tideline::cluster
