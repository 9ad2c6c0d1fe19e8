#include "checking/plan.hpp"

#include <gtest/gtest.h>

#include "checking/run.hpp"
#include "testing/ranks_in_threads.hpp"

namespace tideline {
namespace {

/// Counts to 3 and stays there.
Model counter() {
  return read_model({"counter.dve",
                     "byte x;\n"
                     "process P { state q; init q; trans q -> q { guard x < 3; effect x = x + 1; },\n"
                     "                                   q -> q { guard x == 3; }; }\n"
                     "system async;\n"});
}

Property ltl(const char* formula) {
  return {.name = "ltl", .kind = PropertyKind::ltl, .formula = formula};
}
Property ctl(const char* formula) {
  return {.name = "ctl", .kind = PropertyKind::ctl, .formula = formula};
}
Property deadlock() {
  return {.name = "deadlock", .kind = PropertyKind::deadlock, .formula = ""};
}

class Plans : public ::testing::Test {
 protected:
  Planned plan(const char* engine, const std::vector<Property>& properties, Settings settings = {}) {
    notes.clear();
    settings.engine = find_engine(engine);
    settings.notes = [this](const std::string& text) { notes.push_back(text); };
    return make_plan(model, properties, settings);
  }

  const Model model = counter();
  std::vector<std::string> notes;
};

TEST_F(Plans, TakeTheEngineThatIsAskedForWhereItCan) {
  const Planned planned = plan("ndfs", {deadlock(), ltl("F \"x == 3\""), ctl("AF \"x == 3\"")});
  ASSERT_TRUE(planned) << planned.refusal;
  EXPECT_EQ(planned.plan.states.engine->name, "bfs");
  EXPECT_EQ(planned.plan.lassos.at(0).engine->name, "ndfs");
  EXPECT_EQ(planned.plan.ctl.engine->name, "ctl");
  EXPECT_EQ(notes, (std::vector<std::string>{"engine bfs for states: ndfs looks for infinite runs",
                                             "engine ctl for CTL: ndfs looks for infinite runs"}));
}

TEST_F(Plans, AreRefusedWhenTheEngineCanDoNothing) {
  EXPECT_TRUE(plan("ctl", {deadlock()})
                  .refusal.starts_with(
                      "property deadlock: engine ctl decides CTL formulas; properties of states need"));
  EXPECT_TRUE(plan("scc", {deadlock(), ltl("F \"x == 3\"")}, {.threads = 2})
                  .refusal.starts_with("property ltl: engine scc uses one thread; cndfs"));
  EXPECT_EQ(plan("ndfs", {ltl("F \"x == 3\"")}, {.fairness = Fairness::weak}).refusal,
            "property ltl: engine ndfs does not support fairness; scc does");
}

TEST_F(Plans, WithStatesOnDiskAreForPropertiesOfStates) {
  Settings settings;
  settings.states.store = Store::disk;
  EXPECT_EQ(plan("dfs", {deadlock()}, settings).refusal,
            "property deadlock: engine dfs does not keep states on disk; bfs does");
  for (const auto& properties : {std::vector{ltl("G \"x < 3\"")}, {deadlock(), ltl("G \"x < 3\"")}})
    EXPECT_TRUE(plan("bfs", properties, settings)
                    .refusal.starts_with("property ltl: with --store disk only properties of states"));
  const Planned planned = plan("bfs", {deadlock()}, settings);
  ASSERT_TRUE(planned) << planned.refusal;
  settings.engine = find_engine("bfs");
  EXPECT_EQ(idle_options({"--trace-dir", "--keep-trace-log"}, planned.plan, settings),
            std::vector<std::string>{});
  settings.states.store = Store::plain;
  EXPECT_EQ(idle_options({"--trace-dir"}, planned.plan, settings), std::vector<std::string>{"--trace-dir"});
}

TEST_F(Plans, OfAutoAreRefusedWhenNoEngineCanDoIt) {
  Settings settings{.fairness = Fairness::strong};
  settings.lassos.shortest = true;
  EXPECT_EQ(plan("auto", {ltl("F \"x == 4\"")}, settings).refusal,
            "property ltl: strongly fair runs cannot be made shortest");
}

TEST_F(Plans, OfAutoOnRanksTakeEnginesThatRunThere) {
  test::QueuesBetweenRanks queues(1);
  test::QueueTransport transport(queues, 0, 1);
  cluster::Ranks ranks(transport);
  const auto planned = [&](Property property, Settings settings = {}) {
    settings.ranks = &ranks;
    return plan("auto", {std::move(property)}, settings);
  };
  EXPECT_EQ(planned(deadlock()).plan.states.engine->name, "bfs");
  for (const char* formula : {"G \"x < 3\"", "F \"x == 4\"", "!(G F \"x == 3\" && G F \"x == 2\")"})
    EXPECT_EQ(planned(ltl(formula)).plan.lassos.at(0).engine->name, "owcty-map");
  EXPECT_NE(planned(ctl("AF \"x == 3\"")).refusal.find("several ranks do not check CTL"), std::string::npos);
  EXPECT_NE(
      planned(ltl("F \"x == 4\""), {.fairness = Fairness::weak}).refusal.find("do not support fairness"),
      std::string::npos);
  Settings shortest;
  shortest.lassos.shortest = true;
  EXPECT_NE(planned(ltl("F \"x == 4\""), shortest).refusal.find("do not make lassos shortest"),
            std::string::npos);
}

TEST_F(Plans, OfAutoDependOnTheAutomatonAndTheThreads) {
  const auto chosen = [&](const char* formula, unsigned threads, Fairness fairness = Fairness::none) {
    return plan("auto", {ltl(formula)}, {.threads = threads, .fairness = fairness})
        .plan.lassos.at(0)
        .engine->name;
  };
  EXPECT_EQ(chosen("G \"x < 3\"", 1), "bfs");
  EXPECT_EQ(chosen("F \"x == 4\"", 1), "scc");
  EXPECT_EQ(chosen("F \"x == 4\"", 2), "cndfs");
  EXPECT_EQ(chosen("!(G F \"x == 3\" && G F \"x == 2\")", 2), "owcty-map");
  EXPECT_EQ(chosen("F \"x == 4\"", 2, Fairness::strong), "scc");
}

TEST_F(Plans, OfDiagramsHaveStatesAndCtlInOneSearch) {
  const Planned planned = plan("symbolic", {ctl("AF \"x == 3\""), deadlock()});
  ASSERT_TRUE(planned) << planned.refusal;
  ASSERT_EQ(planned.plan.states.properties.size(), 2u);
  EXPECT_EQ(planned.plan.states.properties[0].name, "deadlock");
  EXPECT_TRUE(planned.plan.ctl.properties.empty());
}

TEST_F(Plans, KnowTheOptionsThatNothingLooksAt) {
  const Settings settings{.engine = find_engine("bfs")};
  const Planned planned = make_plan(model, {deadlock()}, settings);
  EXPECT_EQ(idle_options({"--bits", "--depth", "--fair", "--json", "--sweep"}, planned.plan, settings),
            (std::vector<std::string>{"--bits", "--fair", "--sweep"}));
}

// Whatever engine is asked for, the answers are the same wherever it says something.
TEST_F(Plans, OfAllEnginesAgree) {
  std::vector<Property> properties{deadlock(), ltl("F \"x == 3\""), ltl("G F \"x == 2\""),
                                   ctl("AG EF \"x == 3\""), ctl("EF AG \"x == 2\"")};
  const bool holds[] = {true, true, false, true, false};
  for (std::size_t i = 0; i < properties.size(); ++i) properties[i].name = std::to_string(i);
  for (const Engine& engine : engines()) {
    if (engine.is_race) continue;
    Settings settings{.engine = &engine};
    settings.states.device.is_cpu = true;
    const Planned planned = make_plan(model, properties, settings);
    ASSERT_TRUE(planned) << engine.name << planned.refusal;
    Budget budget;
    const CombinedOutcome outcome = run_plan(model.system, planned.plan, {}, budget);
    EXPECT_NE(outcome.engine.find(engine.name), std::string::npos) << outcome.engine;
    std::size_t decided = 0;
    for (const PropertyResult& result : outcome.results) {
      if (result.property.kind == PropertyKind::model_error || result.verdict == Verdict::unknown) continue;
      ++decided;
      EXPECT_EQ(result.verdict == Verdict::holds, holds[std::stoul(result.property.name)])
          << engine.name << ", property " << result.property.name;
    }
    EXPECT_EQ(decided, properties.size() - (engine.conclusive ? 0 : 1)) << engine.name;
  }
}

}  // namespace
}  // namespace tideline
