// Infinite runs of reduced graphs: every engine finds one that a formula forbids exactly when there is one in
// the whole graph.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "bind/bind.hpp"
#include "graph/regions.hpp"
#include "lang/lang.hpp"
#include "lang/pnml/bounds.hpp"
#include "search/lassos/liveness.hpp"
#include "testing/nets.hpp"
#include "testing/random_dve.hpp"
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

Outcome check(const System& system, const Property& property, LivenessOptions options, por::Method reduce) {
  Budget budget{Budget::Limits{}};
  options.reduce = reduce;
  if (options.engine == search_swept_lassos) options.sweep.measure = measure_of(system);
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

Property random_property(testing::RandomDve& random, const System& system, bool any_automaton) {
  Property property{
      .name = "ltl", .kind = PropertyKind::ltl, .formula = random.temporal(4), .origin = "test"};
  for (const char* name : {"p", "q"})
    property.atoms.push_back(
        {name, bind_expression(
                   system,
                   {.name = name, .kind = PropertyKind::reach, .formula = random.formula(), .origin = "test"})
                   .expr});
  return bind(system, property, {.buchi = !any_automaton});
}

class ReducedLassos : public ::testing::TestWithParam<Search> {};

TEST_P(ReducedLassos, AreFoundIfThereAreAny) {
  Totals totals;
  for (std::uint64_t seed = 1; seed <= 2000 && !HasFatalFailure(); ++seed) {
    testing::RandomDve random(seed, testing::RandomDve::Kind::loose);
    const std::string text = random.take();
    SCOPED_TRACE(text);
    const System system = read_model({"random.dve", text}).system;
    const Property property = random_property(random, system, GetParam().any_automaton);
    if (GetParam().options.engine != search_bad_prefixes || regions_of(*property.process).terminal)
      totals.add(system, property, GetParam());
  }
  EXPECT_GT(totals.verdicts[Verdict::holds], 100);
  EXPECT_GT(totals.verdicts[Verdict::violated], 100);
  EXPECT_LT(totals.reduced, totals.whole);
}

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
