// Searches by several ranks that die again and again, and resume from what they have saved together.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <atomic>
#include <string>

#include "cluster/states/saved_together.hpp"
#include "cluster/sweep/sweep.hpp"
#include "search/states/monitor.hpp"
#include "testing/mortal_search.hpp"
#include "testing/ranks_in_threads.hpp"

namespace tideline::cluster {
namespace {

using namespace test;
namespace fs = std::filesystem;

using NodeMonitor = Monitor<NodePredicate>;

/// The run in the folder, resumed or begun. Whether there is one is asked before any rank makes one.
std::shared_ptr<Checkpointer> checkpoints_in(const fs::path& folder, bool resumed, Ranks& ranks) {
  auto checkpoints = resumed ? std::make_shared<Checkpointer>(folder, saved_together(ranks))
                             : std::make_shared<Checkpointer>(folder, SavedRun{}, saved_together(ranks));
  checkpoints->configure(0, {});
  return checkpoints;
}

/// Calls search(ranks, life, checkpoints) on all ranks, with longer and longer lives, until it returns true.
template <class Search>
void die_and_resume(const Search& search) {
  const Scratch scratch;
  const auto count = *rc::gen::inRange(2u, 5u);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const auto life_time = *rc::gen::inRange<std::uint64_t>(1, 40);
  bool done = false;
  for (std::uint64_t lives = 1; !done; ++lives) {
    const auto life = std::make_shared<Life>();
    life->measure = Life::Measure::expansions;
    life->left = lives * life_time;
    const bool resumed = Checkpointer::ranks_of_run(scratch.folder()) != 0;
    try {
      run_ranks(count, seed + lives, [&](Ranks& ranks) {
        const bool answered = search(ranks, life, checkpoints_in(scratch.folder(), resumed, ranks));
        if (ranks.is_first()) done = answered;
      });
    } catch (const Killed&) {
    } catch (const LimitReached&) {  // of the others
    } catch (const Error& error) {
      RC_ASSERT(std::string(error.what()).find("ended early") != std::string::npos);
    }
  }
  RC_ASSERT(!fs::exists(scratch.folder()));
}

RC_GTEST_PROP(ClusterCheckpoints, ASweepThatDiesAgainAndAgainEndsLikeOneThatDoesNot, ()) {
  const MortalGraph graph{arbitrary_measured_graph(arbitrary_kind())};
  const auto target = *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(graph.edges.size()));
  NodeMonitor watch(1, graph.action_count(), true);
  watch.watch(0, is_node(target), true);
  NodeMonitor expected = watch;
  Budget unlimited;
  tideline::SweepSearch in_peace(graph, {});
  const SearchResult expected_result = in_peace.run(expected, unlimited);
  die_and_resume(
      [&](Ranks& ranks, const std::shared_ptr<Life>& life, const std::shared_ptr<Checkpointer>& checkpoints) {
        NodeMonitor monitor = watch;
        Budget budget = budget_of(*life);
        const SweepOptions options{
            .log = checkpoints->open<TraceLog>({}, false), .ahead = {3, 0}, .checkpoints = checkpoints};
        cluster::SweepSearch search(graph.with(life), ranks, options, monitor, budget);
        const SearchResult result = search.run();
        if (!budget.reason().empty()) return false;
        life->left = ~std::uint64_t{0};  // runs may be built
        RC_ASSERT(result.transitions == expected_result.transitions);
        RC_ASSERT(search.figures().expansions == in_peace.figures().expansions);
        RC_ASSERT(search.figures().sweeps == in_peace.figures().sweeps);
        RC_ASSERT(search.figures().persistent == in_peace.figures().persistent);
        RC_ASSERT(monitor.finding(0).has_value() == expected.finding(0).has_value());
        if (monitor.finding(0)) {
          const Path path = monitor.finding(0)->path();
          RC_ASSERT(graph.is_path(path));
          RC_ASSERT(graph.node(path.states.back().data()) == target);
        }
        checkpoints->remove();
        return true;
      });
}

/// Saves a number, which stands for a search.
void save_number(Checkpointer& checkpoints, std::uint64_t number) {
  checkpoints.save([&](CheckpointWriter& file) { file(number); });
}

/// What two ranks load together.
std::vector<std::uint64_t> loaded(const fs::path& folder) {
  std::vector<std::uint64_t> numbers(2);
  run_ranks(2, 1, [&](Ranks& ranks) {
    Checkpointer checkpoints(folder, saved_together(ranks));
    checkpoints.load([&](CheckpointReader& file) { file(numbers[ranks.rank()]); });
  });
  return numbers;
}

class ClusterCheckpoint : public testing::Test {
 protected:
  /// The ranks have saved a 2; what the second one had saved before is kept aside.
  void SetUp() override {
    run_ranks(2, 1, [&](Ranks& ranks) {
      const auto checkpoints = checkpoints_in(scratch.folder(), false, ranks);
      save_number(*checkpoints, 1);
      if (ranks.rank() == 1) fs::copy_file(part, before);
      save_number(*checkpoints, 2);
    });
  }

  std::atomic<bool> is_ending = false;
  const Scratch scratch;
  const fs::path part = scratch.folder() / "rank-1" / "checkpoint";
  const fs::path before = scratch.folder() / "before";
};

TEST_F(ClusterCheckpoint, IsResumedByAllFromTheSameMoment) {
  EXPECT_EQ(loaded(scratch.folder()), std::vector<std::uint64_t>({2, 2}));
}

TEST_F(ClusterCheckpoint, IsCompleteWhenAPartStillLiesBesideTheOldOne) {
  fs::rename(part, part.string() + ".new");
  fs::rename(before, part);
  EXPECT_EQ(loaded(scratch.folder()), std::vector<std::uint64_t>({2, 2}));
}

TEST_F(ClusterCheckpoint, IsNotMadeOfPartsOfDifferentMoments) {
  fs::remove(part);
  fs::rename(before, part);
  EXPECT_THROW(loaded(scratch.folder()), Error);
}

TEST_F(ClusterCheckpoint, IsOverForAllOrForNone) {
  // The second rank comes to its end while the first still writes the answer, and then another time without the first.
  run_ranks(2, 1, [&](Ranks& ranks) {
    Checkpointer checkpoints(scratch.folder(), saved_together(ranks));
    EXPECT_FALSE(checkpoints.all_are_done(ranks.rank() == 1));
    EXPECT_TRUE(fs::exists(part));
    checkpoints.keep();
  });
  EXPECT_EQ(loaded(scratch.folder()), std::vector<std::uint64_t>({2, 2}));
  run_ranks(2, 1, [&](Ranks& ranks) {
    SavedTogether together = saved_together(ranks);
    together.first = [&, first = together.first](std::uint64_t mine) {
      const std::uint64_t value = first(mine);
      EXPECT_TRUE(!is_ending ||
                  (!fs::exists(scratch.folder() / "rank-0" / "checkpoint") && fs::exists(part)) ||
                  ranks.rank() == 0);
      return value;
    };
    Checkpointer checkpoints(scratch.folder(), together);
    ASSERT_TRUE(checkpoints.all_are_done(true));
    is_ending = true;
    checkpoints.end();
  });
  EXPECT_FALSE(fs::exists(part));
  EXPECT_THROW(loaded(scratch.folder()), Error);
}

TEST_F(ClusterCheckpoint, IsNotResumedByAnotherNumberOfRanks) {
  for (const unsigned count : {1u, 3u})
    EXPECT_THROW(run_ranks(count, 1,
                           [&](Ranks& ranks) {
                             const Checkpointer checkpoints(scratch.folder(), saved_together(ranks));
                           }),
                 Error);
}

}  // namespace
}  // namespace tideline::cluster
