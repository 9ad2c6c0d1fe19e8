// Infinite runs on a device, by threads of the processor: verdicts against engine scc, counts of the product, and lassos that
// are replayed.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "gpu/cuda_driver.hpp"
#include "gpu/engine.hpp"
#include "gpu/kernels.hpp"
#include "graph/regions.hpp"
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

Outcome on_device(const System& system, const Property& property, bool is_cpu, unsigned threads = 1) {
  LivenessOptions options;
  options.engine = search_gpu_owcty;
  options.threads = threads;
  options.device = {.is_cpu = is_cpu, .first_states = 4};
  Budget budget;
  return check_liveness(system, property, options, budget);
}

std::map<Verdict, int> compare(std::uint64_t seeds, bool is_cpu) {
  std::map<Verdict, int> verdicts;
  for (std::uint64_t seed = 1; seed <= seeds && !::testing::Test::HasFailure(); ++seed) {
    testing::RandomDve random(
        seed, seed % 2 == 0 ? testing::RandomDve::Kind::loose : testing::RandomDve::Kind::busy);
    const std::string text = random.take();
    const System system = read_model({"random.dve", text}).system;
    const Property property = testing::random_property(random, system, seed % 3 == 0);
    if (!regions_of(*property.process).weak) continue;
    SCOPED_TRACE(text + property.formula);
    Budget budget;
    const Outcome expected = check_liveness(system, property, {}, budget);
    const Outcome found = on_device(system, property, is_cpu, is_cpu && seed % 16 == 0 ? 2 : 1);
    EXPECT_EQ(to_string(found.results[0].verdict), to_string(expected.results[0].verdict));
    EXPECT_EQ(found.results[0].reason, expected.results[0].reason);
    if (expected.complete) {
      EXPECT_EQ(statistic(found, "product_states"), statistic(expected, "product_states"));
      EXPECT_EQ(statistic(found, "product_transitions"), statistic(expected, "product_transitions"));
    }
    EXPECT_EQ(static_cast<bool>(found.results[0].path), found.results[0].verdict == Verdict::violated);
    if (found.results[0].path) replay_proof(system, ErrorSemantics::stop, property, found.results[0].path());
    ++verdicts[found.results[0].verdict];
  }
  return verdicts;
}

TEST(GpuOwcty, FindsALassoIfThereIsAny) {
  auto verdicts = compare(2000, true);
  EXPECT_GT(verdicts[Verdict::holds], 100);
  EXPECT_GT(verdicts[Verdict::violated], 100);
}

TEST(Card, FindsALassoIfThereIsAny) {
  if (std::string why; CudaDriver::find(why) == nullptr) GTEST_SKIP() << why;
  if (kernel_text(1, true).empty()) GTEST_SKIP() << "this build has no kernels for cards";
  compare(60, false);
}

}  // namespace
}  // namespace tideline::gpu
