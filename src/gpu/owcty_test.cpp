// Infinite runs on a device, by threads of the processor: verdicts against engine scc, counts of the product, and lassos that
// are replayed.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "bind/bind.hpp"
#include "gpu/cuda_driver.hpp"
#include "gpu/engine.hpp"
#include "gpu/kernels.hpp"
#include "lang/lang.hpp"
#include "model/error.hpp"
#include "search/lassos/liveness.hpp"
#include "testing/random_dve.hpp"
#include "testing/random_ltl.hpp"
#include "trace/replay.hpp"

namespace tideline::gpu {
namespace {

std::uint64_t statistic(const Outcome& outcome, Stat stat) {
  return std::get<std::uint64_t>(*outcome.statistics.find(stat));
}

Outcome on_device(const System& system, const Property& property, bool is_cpu, unsigned threads = 1,
                  unsigned cards = 1) {
  LivenessOptions options;
  options.engine = search_gpu_owcty;
  options.threads = threads;
  options.device = {.is_cpu = is_cpu, .cards = cards, .first_states = 4};
  Budget budget;
  return check_liveness(system, property, options, budget);
}

Property ltl_property(const System& system, const std::string& formula) {
  return bind(system, {.name = "ltl", .kind = PropertyKind::ltl, .formula = formula, .origin = "test"},
              {.buchi = true});
}

/// What kind of automaton the property has, and the verdict.
using Answer = std::pair<std::string, Verdict>;

std::map<Answer, int> compare(std::uint64_t seeds, bool is_cpu, bool is_spread) {
  std::map<Answer, int> answers;
  for (std::uint64_t seed = 1; seed <= seeds && !::testing::Test::HasFailure(); ++seed) {
    testing::RandomDve random(
        seed, seed % 2 == 0 ? testing::RandomDve::Kind::loose : testing::RandomDve::Kind::busy);
    const std::string text = random.take();
    const System system = read_model({"random.dve", text}).system;
    const Property property = testing::random_property(random, system, false);
    SCOPED_TRACE(text + property.formula);
    Budget budget;
    const Outcome expected = check_liveness(system, property, {}, budget);
    const Outcome found = on_device(system, property, is_cpu, is_cpu && seed % 16 == 0 ? 2 : 1,
                                    is_spread ? 2 + static_cast<unsigned>(seed / 2 % 4) : 1);
    EXPECT_EQ(to_string(found.results[0].verdict), to_string(expected.results[0].verdict));
    EXPECT_EQ(found.results[0].reason, expected.results[0].reason);
    if (expected.complete) {
      EXPECT_EQ(statistic(found, "product_states"), statistic(expected, "product_states"));
      EXPECT_EQ(statistic(found, "product_transitions"), statistic(expected, "product_transitions"));
    }
    EXPECT_EQ(static_cast<bool>(found.results[0].path), found.results[0].verdict == Verdict::violated);
    if (found.results[0].path) replay_proof(system, ErrorSemantics::stop, property, found.results[0].path());
    const auto automaton = std::get<std::string>(*found.statistics.find("automaton"));
    ++answers[{automaton, found.results[0].verdict}];
  }
  return answers;
}

void expect_all_kinds(std::map<Answer, int> answers, int least) {
  for (const char* kind : {"terminal", "weak", "general"})
    for (const Verdict verdict : {Verdict::holds, Verdict::violated})
      EXPECT_GT((answers[{kind, verdict}]), least) << kind << ' ' << to_string(verdict);
}

TEST(GpuOwcty, FindsALassoIfThereIsAny) {
  expect_all_kinds(compare(2000, true, false), 50);
}

TEST(GpuOwcty, DoesSoOnSeveralCards) {
  expect_all_kinds(compare(800, true, true), 20);
}

TEST(GpuOwcty, EndsWithABadPrefix) {
  const System system = read_model({"counters.dve", R"(
byte x = 0, y = 0;
process X { state s; init s; trans s -> s { guard x < 200; effect x = x + 1; }; }
process Y { state s; init s; trans s -> s { guard y < 200; effect y = y + 1; }; }
system async;
)"})
                            .system;
  const Property property = ltl_property(system, "G \"x < 2\"");
  const Outcome found = on_device(system, property, true);
  EXPECT_EQ(std::get<std::string>(*found.statistics.find("automaton")), "terminal");
  EXPECT_EQ(found.results[0].verdict, Verdict::violated);
  EXPECT_LT(statistic(found, "product_states"), 100);
  replay_proof(system, ErrorSemantics::stop, property, found.results[0].path());
}

TEST(GpuOwcty, TakesAsManyRoundsAsItNeeds) {
  const System system = read_model({"rounds.dve", R"(
byte x = 0;
process X { state up; init up; trans up -> up { guard x < 9; effect x = x + 1; }, up -> up { guard x == 9; }; }
system async;
)"})
                            .system;
  // The automaton waits for each value below 9 in a place that accepts, and leaves it for ever.
  const Property property = ltl_property(system, "F G \"x % 2 == 0\" || F G \"x == 9\"");
  std::uint64_t rounds = 0;
  for (const unsigned cards : {1, 3}) {
    const Outcome found = on_device(system, property, true, 1, cards);
    EXPECT_EQ(std::get<std::string>(*found.statistics.find("automaton")), "general");
    EXPECT_EQ(found.results[0].verdict, Verdict::holds);
    EXPECT_GT(statistic(found, "rounds"), 1);
    if (cards != 1) {
      EXPECT_EQ(statistic(found, "rounds"), rounds);
    }
    rounds = statistic(found, "rounds");
  }
}

TEST(Card, FindsALassoIfThereIsAny) {
  if (std::string why; CudaDriver::find(why) == nullptr) GTEST_SKIP() << why;
  if (kernel_text(1, true).empty()) GTEST_SKIP() << "this build has no kernels for cards";
  compare(60, false, false);
  compare(30, false, true);
}

}  // namespace
}  // namespace tideline::gpu
