// Partial order reduction against the whole state space: deadlocks, goals and model errors are found in one
// exactly when they are in the other.
#include <gtest/gtest.h>

#include "bind/bind.hpp"
#include "lang/lang.hpp"
#include "search/states/safety.hpp"
#include "testing/random_dve.hpp"
#include "testing/skip_case.hpp"

namespace tideline {
namespace {

constexpr std::uint64_t most_states = 200'000;

struct Counts {
  std::uint64_t states = 0, deadlocks = 0;
};

Counts counts_of(const System& system, bool reduce) {
  Budget budget{Budget::Limits{}};
  const Outcome outcome = check_safety(system, {}, {.reduce = reduce, .traces = false}, budget);
  const auto count = [&](Stat stat) { return std::get<std::uint64_t>(*outcome.statistics.find(stat)); };
  return {count("states"), count("deadlocks")};
}

TEST(Reduction, FindsEveryDeadlock) {
  std::uint64_t whole = 0, reduced = 0, deadlocks = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    testing::RandomDve random(seed);
    const std::string text = random.take();
    SCOPED_TRACE(text);
    const Model model = read_model({"random.dve", text});
    const Counts all = counts_of(model.system, false);
    const Counts some = counts_of(model.system, true);
    ASSERT_EQ(some.deadlocks, all.deadlocks) << seed;
    ASSERT_LE(some.states, all.states) << seed;
    whole += all.states;
    reduced += some.states;
    deadlocks += all.deadlocks;
  }
  EXPECT_GT(deadlocks, 1000u);
  EXPECT_LT(reduced, whole * 95 / 100);
}

}  // namespace
}  // namespace tideline
