// Decision diagrams against explicit search: verdicts on random systems, runs replayed, counts
// on BEEM models.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>

#include "lang/lang.hpp"
#include "search/states/safety.hpp"
#include "symbolic/ctl/check.hpp"
#include "testing/beem.hpp"
#include "testing/few_states.hpp"
#include "testing/random_system.hpp"
#include "testing/skip_case.hpp"
#include "trace/replay.hpp"

namespace tideline {
namespace {

RC_GTEST_PROP(Symbolic, VerdictsAreThoseOfBreadthFirstSearch, (std::uint32_t seed)) {
  const System system = RandomSystem(seed).take();
  if (test::skip_case(!test::has_few_states(system, 20'000))) RC_SUCCEED("too large");
  const auto compare = [&](SlotId slot, Op op, std::int64_t value) {
    return Expr::binary(op, Expr::load(slot), Expr::constant(value));
  };
  const auto slot = static_cast<SlotId>(seed % system.slots.size());
  const std::vector<Property> properties{
      {.name = "deadlock", .kind = PropertyKind::deadlock, .formula = ""},
      {.name = "invariant", .kind = PropertyKind::invariant, .formula = "", .expr = compare(slot, Op::le, 2)},
      {.name = "reach", .kind = PropertyKind::reach, .formula = "", .expr = compare(slot, Op::ge, 1)},
      {.name = "model-errors", .kind = PropertyKind::model_error, .formula = ""}};
  Budget explicit_budget, symbolic_budget;
  const Outcome expected = check_safety(system, properties, {.exhaustive = true}, explicit_budget);
  const Outcome found = symbolic::check_symbolic(system, properties, {}, symbolic_budget);
  RC_ASSERT(found.complete);
  RC_ASSERT(found.never_enabled == expected.never_enabled);
  for (const Stat size : {Stat("states"), Stat("transitions"), Stat("deadlocks")})
    RC_ASSERT(*found.statistics.find(size) == *expected.statistics.find(size));
  for (std::size_t i = 0; i < properties.size(); ++i) {
    RC_ASSERT(found.results[i].verdict == expected.results[i].verdict);
    RC_ASSERT(static_cast<bool>(found.results[i].path) == static_cast<bool>(expected.results[i].path));
    if (!found.results[i].path) continue;
    const Trace run = replay_proof(system, ErrorSemantics::stop, properties[i], found.results[i].path(),
                                   found.results[i].verdict);
    if (properties[i].kind != PropertyKind::model_error)
      RC_ASSERT(run.length() == expected.results[i].path().actions.size());
  }
}

class SymbolicBeemCounts : public testing::TestWithParam<dve::BeemCounts> {};

TEST_P(SymbolicBeemCounts, AreTheRecordedOnes) {
  const auto path = dve::beem_model(GetParam().model);
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no BEEM model at " << path;
  const Model model = load_model(path.string());
  Budget budget;
  const Outcome outcome = symbolic::check_symbolic(model.system, {}, {}, budget);
  EXPECT_EQ(std::get<std::uint64_t>(*outcome.statistics.find("states")), GetParam().states);
  EXPECT_EQ(std::get<std::uint64_t>(*outcome.statistics.find("transitions")), GetParam().edges);
  EXPECT_EQ(std::get<std::uint64_t>(*outcome.statistics.find("deadlocks")), GetParam().deadlocks);
}

INSTANTIATE_TEST_SUITE_P(Small, SymbolicBeemCounts, dve::small_beem_models(), dve::beem_test_name);

}  // namespace
}  // namespace tideline
