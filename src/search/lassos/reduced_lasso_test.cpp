// Infinite runs of random systems: every engine finds one that a formula forbids exactly when engine scc does in
// the whole graph, in reduced graphs, and as its paper prints it.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "graph/regions.hpp"
#include "lang/lang.hpp"
#include "lang/pnml/bounds.hpp"
#include "search/lassos/liveness.hpp"
#include "testing/nets.hpp"
#include "testing/random_dve.hpp"
#include "testing/random_ltl.hpp"
#include "trace/replay.hpp"

namespace tideline {
namespace {

struct Search {
  const char* name;
  LivenessOptions options;
  bool any_automaton = false;
  por::Method method = por::Method::stubborn;
};

Measure measure_of(const System& system) {
  std::vector<MeasureTerm> terms;
  for (SlotId slot = 0; slot < 2; ++slot) terms.push_back(slot_term(system, slot));
  return {system, std::move(terms)};
}

bool uses(const LivenessOptions& options, LassoEngine engine) {
  const LassoEngine* const used = options.engine.target<LassoEngine>();
  return used && *used == engine;
}

Outcome check(const System& system, const Property& property, LivenessOptions options, por::Method reduce) {
  Budget budget{Budget::Limits{}};
  options.reduce = reduce;
  if (uses(options, search_swept_lassos)) options.sweep.measure = measure_of(system);
  return check_liveness(system, property, options, budget);
}

struct Totals {
  std::map<Verdict, int> verdicts;
  std::uint64_t whole = 0, reduced = 0;

  void add(const System& system, const Property& property, const Search& search) {
    const Outcome all = check(system, property, {}, por::Method::none);
    const Outcome some = check(system, property, search.options, search.method);
    const Verdict verdict = all.results[0].verdict;
    ASSERT_EQ(some.results[0].verdict, verdict) << property.formula;
    if (some.results[0].path) replay_proof(system, search.options.errors, property, some.results[0].path());
    ++verdicts[verdict];
    if (verdict != Verdict::holds) return;
    whole += std::get<std::uint64_t>(*all.statistics.find("product_transitions"));
    reduced += std::get<std::uint64_t>(
        *check(system, property, {}, search.method).statistics.find("product_transitions"));
  }
};

Totals compare_on_random_systems(const Search& search) {
  Totals totals;
  for (std::uint64_t seed = 1; seed <= 2000 && !::testing::Test::HasFatalFailure(); ++seed) {
    testing::RandomDve random(seed, testing::RandomDve::Kind::loose);
    const std::string text = random.take();
    SCOPED_TRACE(text);
    const System system = read_model({"random.dve", text}).system;
    const Property property = testing::random_property(random, system, search.any_automaton);
    if (!uses(search.options, search_bad_prefixes) || regions_of(*property.process).terminal)
      totals.add(system, property, search);
  }
  EXPECT_GT(totals.verdicts[Verdict::holds], 100);
  EXPECT_GT(totals.verdicts[Verdict::violated], 100);
  return totals;
}

class ReducedLassos : public ::testing::TestWithParam<Search> {};

TEST_P(ReducedLassos, AreFoundIfThereAreAny) {
  const Totals totals = compare_on_random_systems(GetParam());
  EXPECT_LT(totals.reduced, totals.whole);
}

class PublishedSearches : public ::testing::TestWithParam<Search> {};

TEST_P(PublishedSearches, FindALassoIfThereIsAny) {
  compare_on_random_systems(GetParam());
}

LivenessOptions swept_as_published(bool online) {
  LivenessOptions options{.engine = search_swept_lassos,
                          .automaton_order = AutomatonOrder::none,
                          .sweep_regions = false,
                          .ltl_sweep = as_published(online)};
  options.sweep.columns = false;
  return options;
}

INSTANTIATE_TEST_SUITE_P(
    By, PublishedSearches,
    ::testing::Values(
        Search{"Ndfs",
               {.engine = search_ndfs, .regions = false, .nested = NestedVariant::classic},
               false,
               por::Method::none},
        Search{"Cndfs", {.engine = search_cndfs, .threads = 2, .regions = false}, false, por::Method::none},
        Search{"Map", {.engine = search_map, .regions = false}, false, por::Method::none},
        Search{"Owcty", {.engine = search_owcty, .regions = false}, false, por::Method::none},
        Search{"OwctyMap", {.engine = search_owcty_map, .regions = false}, false, por::Method::none},
        Search{"BadPrefixes", {.engine = search_bad_prefixes, .regions = false}, false, por::Method::none},
        Search{"SweepOnLine", swept_as_published(true), false, por::Method::none},
        Search{"SweepOffLine", swept_as_published(false), false, por::Method::none}),
    [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(By, ReducedLassos,
                         ::testing::Values(Search{"Scc", {}, true},  //
                                           Search{"SccOnStates", {.errors = ErrorSemantics::stop}},
                                           Search{"AmpleSets", {}, true, por::Method::ample},
                                           Search{"BadPrefixes", {.engine = search_bad_prefixes}},
                                           Search{"Ndfs", {.engine = search_ndfs}},
                                           Search{"Cndfs", {.engine = search_cndfs, .threads = 2}},
                                           Search{"Map", {.engine = search_map, .threads = 2}},
                                           Search{"Owcty", {.engine = search_owcty, .threads = 2}},
                                           Search{"OwctyMap", {.engine = search_owcty_map}},
                                           Search{"Sweep", {.engine = search_swept_lassos}}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace tideline
