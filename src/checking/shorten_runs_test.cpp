// Shorter runs on random systems: still proofs, never longer, and where there is time as short as can be.
#include "checking/shorten_runs.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "bind/bind.hpp"
#include "lang/lang.hpp"
#include "search/lassos/liveness.hpp"
#include "search/states/safety.hpp"
#include "testing/random_dve.hpp"
#include "testing/random_ltl.hpp"

namespace tideline {
namespace {

struct Lengths {
  std::size_t before = 0, after = 0;
};

/// Of the runs of an outcome, before and after. `seconds`: a limit that the check has reached or not.
std::vector<Lengths> shortened(const System& system, const Outcome& outcome, const char* engine,
                               const Budget::Limits& limits = {}) {
  CheckResult result{.outcome = outcome};
  result.outcome.engine = engine;
  Budget budget(limits), wrap_up;
  auto traces = replay_all(system, ErrorSemantics::stop, result.outcome.results, wrap_up);
  std::vector<Lengths> lengths(traces.size());
  for (std::size_t i = 0; i < traces.size(); ++i)
    if (traces[i]) lengths[i].before = traces[i]->length();
  shorten_runs(system, ErrorSemantics::stop, result, limits, budget, wrap_up, traces);
  for (std::size_t i = 0; i < traces.size(); ++i) {
    if (!traces[i]) continue;
    const Trace& run = *traces[i];
    const PropertyResult& property = result.outcome.results[i];
    EXPECT_EQ(missing_proof(system, ErrorSemantics::stop, property.property, run, property.verdict),
              std::nullopt);
    lengths[i].after = run.length();
    EXPECT_LE(run.length(), lengths[i].before);
    EXPECT_EQ(run.length_before.has_value(), run.length() < lengths[i].before);
    EXPECT_EQ(run.length_before.value_or(lengths[i].before), lengths[i].before);
  }
  return lengths;
}

struct LassoCase {
  const char* name;
  LivenessOptions options;
  Fairness fairness = Fairness::none;
};

class ShorterLassos : public ::testing::TestWithParam<LassoCase> {};

TEST_P(ShorterLassos, AreAcceptedAndShortest) {
  int found = 0, shorter = 0, longer = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    testing::RandomDve random(seed, testing::RandomDve::Kind::loose);
    const std::string text = random.take();
    SCOPED_TRACE(text);
    const System system = read_model({"random.dve", text}).system;
    Property property = testing::random_property(random, system, false);
    property.fairness = GetParam().fairness;
    Budget budget;
    const Outcome outcome = check_liveness(system, property, GetParam().options, budget);
    if (!outcome.results[0].path) continue;
    const Lengths lengths = shortened(system, outcome, GetParam().name)[0];
    ++found;
    shorter += lengths.after < lengths.before;
    if (GetParam().fairness == Fairness::strong) continue;
    const Outcome shortest = check_liveness(system, property, {.shortest = true}, budget);
    longer += lengths.after > shortest.results[0].path().actions.size();
  }
  EXPECT_GT(found, 50);
  // Of lassos of one length through the product, the runs in them may differ in theirs.
  EXPECT_LE(longer, found / 20);
  EXPECT_EQ(shorter > 10, GetParam().fairness != Fairness::strong) << shorter;
}

INSTANTIATE_TEST_SUITE_P(By, ShorterLassos,
                         ::testing::Values(LassoCase{"scc", {}},  //
                                           LassoCase{"ndfs", {.engine = search_ndfs}},
                                           LassoCase{"owcty", {.engine = search_owcty}},
                                           LassoCase{"weak", {}, Fairness::weak},
                                           LassoCase{"strong", {}, Fairness::strong}),
                         [](const auto& test) { return std::string(test.param.name); });

std::vector<Property> properties_of(testing::RandomDve& random, const System& system) {
  std::vector<Property> properties{{.name = "deadlock", .kind = PropertyKind::deadlock, .formula = ""},
                                   {.name = "errors", .kind = PropertyKind::model_error, .formula = ""}};
  for (const PropertyKind kind : {PropertyKind::invariant, PropertyKind::reach})
    properties.push_back(bind_expression(
        system,
        {.name = std::string(to_string(kind)), .kind = kind, .formula = random.formula(), .origin = "test"}));
  return properties;
}

class ShorterRuns : public ::testing::TestWithParam<testing::RandomDve::Kind> {};

TEST_P(ShorterRuns, AreAsShortAsThoseOfBreadthFirstSearch) {
  int found = 0, shorter = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    testing::RandomDve random(seed, GetParam());
    const std::string text = random.take();
    SCOPED_TRACE(text);
    const System system = read_model({"random.dve", text}).system;
    const std::vector<Property> properties = properties_of(random, system);
    for (const StateEngine engine : {search_dfs, search_walk}) {
      Budget budget;
      const Outcome outcome = check_safety(system, properties, {.engine = engine, .walks = 5}, budget);
      const Outcome nearest = check_safety(system, properties, {.exhaustive = true}, budget);
      const auto lengths = shortened(system, outcome, "dfs");
      for (std::size_t i = 0; i < properties.size(); ++i) {
        if (!outcome.results[i].path) continue;
        ++found;
        shorter += lengths[i].after < lengths[i].before;
        // Runs to a state without a value keep their end, about which there is a remark.
        if (!outcome.results[i].reason.empty() || !nearest.results[i].reason.empty()) continue;
        const Path shortest = nearest.results[i].path();
        EXPECT_EQ(lengths[i].after, shortest.actions.size() + (shortest.failing_action != no_action))
            << properties[i].name << " " << properties[i].formula;
      }
    }
  }
  EXPECT_GT(found, 200);
  EXPECT_GT(shorter, 50);
}

INSTANTIATE_TEST_SUITE_P(On, ShorterRuns,
                         ::testing::Values(testing::RandomDve::Kind::busy, testing::RandomDve::Kind::loose),
                         [](const auto& test) {
                           return std::string(test.param == testing::RandomDve::Kind::busy ? "Busy"
                                                                                           : "Loose");
                         });

// Twenty rings of counters that depth-first search runs through, and a state space that no second suffices for.
TEST(ShortenRuns, RemovesDetoursWhereTheStateSpaceIsTooLargeToBeSearched) {
  std::string text = "byte x;\n";
  for (int i = 0; i < 20; ++i)
    text +=
        "process R" + std::to_string(i) +
        " { byte n; state s; init s; trans s -> s { guard x < 200; effect n = (n + 1) % 250, x = 1; }; }\n";
  text += "process Z { state a, b; init a; trans a -> b {}; }\nsystem async;\n";
  const System system = read_model({"m.dve", text}).system;
  const Property property =
      bind_expression(system, {.name = "r", .kind = PropertyKind::reach, .formula = "Z.b", .origin = "test"});
  Budget budget;
  const Outcome outcome =
      check_safety(system, {property}, {.engine = search_walk, .depth = 3000, .walks = 1}, budget);
  ASSERT_TRUE(outcome.results[0].path);
  EXPECT_EQ(shortened(system, outcome, "walk")[0].after, 1u);
}

TEST(ShortenRuns, LeavesRunsOfBreadthFirstSearchAndOfEndedChecksAlone) {
  const System system = read_model({"m.dve",
                                    "byte x;\nprocess P { state a, b, c; init a;\n"
                                    "trans a -> b {}, b -> c {}, a -> c {}; }\nsystem async;\n"})
                            .system;
  const Property property =
      bind_expression(system, {.name = "r", .kind = PropertyKind::reach, .formula = "P.c", .origin = "test"});
  Budget budget;
  const Outcome outcome = check_safety(system, {property}, {.engine = search_dfs}, budget);
  const std::size_t found = outcome.results[0].path().actions.size();
  EXPECT_EQ(shortened(system, outcome, "bfs")[0].after, found) << "it is said to be shortest";
  EXPECT_EQ(shortened(system, outcome, "dfs")[0].after, 1u);
  EXPECT_EQ(shortened(system, outcome, "dfs", {.seconds = 1e-9})[0].after, found) << "there is no time";
}

}  // namespace
}  // namespace tideline
