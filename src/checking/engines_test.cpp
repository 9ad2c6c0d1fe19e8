#include "checking/engines.hpp"

#include <gtest/gtest.h>

#include <set>

namespace tideline {
namespace {

constexpr Purpose all_purposes[] = {Purpose::states,          Purpose::ctl,    Purpose::fair_lassos,
                                    Purpose::bad_prefixes,    Purpose::lassos, Purpose::weak_lassos,
                                    Purpose::parallel_lassos, Purpose::sets,   Purpose::little_memory,
                                    Purpose::first_look};

TEST(Engines, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const Engine& engine : engines()) {
    EXPECT_TRUE(names.insert(engine.name).second) << engine.name;
    EXPECT_EQ(find_engine(engine.name), &engine);
    EXPECT_FALSE(engine.is.empty()) << engine.name;
  }
  EXPECT_EQ(find_engine("no such"), nullptr);
}

TEST(Engines, TheDefaultIsARaceThatTakesTurns) {
  EXPECT_TRUE(default_engine().is_race && !default_engine().races_at_once);
}

TEST(Engines, AnswerSomethingOrAreRaces) {
  for (const Engine& engine : engines())
    EXPECT_NE(engine.is_race, engine.states || engine.lassos || engine.ctl) << engine.name;
}

TEST(Engines, EveryPurposeHasOneAndAReason) {
  for (const Purpose purpose : all_purposes) {
    const ChosenEngine chosen = engine_for(purpose);
    EXPECT_FALSE(chosen.why.empty()) << chosen.engine->name;
    std::size_t rows = 0;
    for (const Engine& engine : engines())
      for (const Choice& choice : engine.chosen) rows += choice.purpose == purpose;
    EXPECT_EQ(rows, 1u) << chosen.engine->name;
  }
}

// What auto takes is fit for what it is taken for.
TEST(Engines, ChosenOnesCanDoIt) {
  EXPECT_TRUE(engine_for(Purpose::states).engine->states && engine_for(Purpose::states).engine->conclusive);
  EXPECT_TRUE(engine_for(Purpose::ctl).engine->ctl);
  EXPECT_TRUE(engine_for(Purpose::fair_lassos).engine->fairness);
  EXPECT_EQ(engine_for(Purpose::bad_prefixes).engine->automata, Automata::bad_prefixes);
  EXPECT_EQ(engine_for(Purpose::lassos).engine->automata, Automata::any);
  EXPECT_TRUE(engine_for(Purpose::weak_lassos).engine->threads);
  EXPECT_TRUE(engine_for(Purpose::parallel_lassos).engine->threads);
  for (const Purpose purpose : {Purpose::sets, Purpose::little_memory}) {
    const Engine& engine = *engine_for(purpose).engine;
    EXPECT_TRUE(engine.states && engine.lassos && engine.ctl) << engine.name;
  }
  EXPECT_TRUE(engine_for(Purpose::little_memory).engine->takes_measure);
}

TEST(Engines, ListsOfNamesReadAsEnglish) {
  EXPECT_EQ(engine_names([](const Engine& e) { return e.ctl != nullptr; }), "ctl, sweep and symbolic");
  EXPECT_EQ(engine_names([](const Engine& e) { return e.ctl != nullptr; }, "or"), "ctl, sweep or symbolic");
  EXPECT_EQ(engine_names([](const Engine& e) { return e.fairness; }), "scc");
}

TEST(Engines, SayWhyTheyCannot) {
  const auto why = [](const char* engine, PropertyKind kind, const Settings& settings = {}) {
    const Property property{.name = "p", .kind = kind, .formula = ""};
    return why_unfit(*find_engine(engine), property, settings);
  };
  EXPECT_EQ(why("bfs", PropertyKind::deadlock), "");
  const auto states = [](const Engine& e) { return e.states != nullptr; };
  const auto ctl = [](const Engine& e) { return e.ctl != nullptr; };
  const auto cycles = [](const Engine& e) { return e.lassos && e.automata != Automata::bad_prefixes; };
  EXPECT_EQ(why("bfs", PropertyKind::ctl),
            "engine bfs looks for states; CTL needs " + engine_names(ctl, "or"));
  EXPECT_EQ(why("ctl", PropertyKind::invariant),
            "engine ctl decides CTL formulas; properties of states need " + engine_names(states, "or"));
  EXPECT_EQ(why("dfs", PropertyKind::ltl),
            "engine dfs looks for states; infinite runs need " + engine_names(cycles, "or"));
  EXPECT_EQ(why("dfs", PropertyKind::reach, {.threads = 2}),
            "engine dfs uses one thread; " +
                engine_names([](const Engine& e) { return e.states && e.threads; }) + " take more");
  EXPECT_EQ(why("symbolic", PropertyKind::reach, {.errors = ErrorSemantics::error_state}),
            "engine symbolic does not follow model errors to an error state");
}

TEST(Engines, LookAtTheirOptions) {
  const auto looks = [](const char* engine, const char* option, PropertyKind kind, bool traces = true) {
    return uses_option(*find_engine(engine), option, kind, traces);
  };
  EXPECT_TRUE(looks("cache", "--cache", PropertyKind::deadlock));
  EXPECT_FALSE(looks("cache", "--bits", PropertyKind::deadlock));
  EXPECT_FALSE(looks("sweep", "--progress-fil", PropertyKind::deadlock));
  EXPECT_TRUE(looks("sweep", "--no-columns", PropertyKind::reach));
  EXPECT_TRUE(looks("sweep", "--sweep", PropertyKind::ltl));
  EXPECT_FALSE(looks("sweep", "--sweep", PropertyKind::reach));
  EXPECT_TRUE(looks("sweep", "--sweep", PropertyKind::ctl));
  EXPECT_TRUE(looks("map", "--regions", PropertyKind::ltl));
  EXPECT_FALSE(looks("scc", "--regions", PropertyKind::ltl));
  EXPECT_FALSE(looks("map", "--ndfs", PropertyKind::ltl));
  EXPECT_FALSE(looks("sweep", "--trace-dir", PropertyKind::reach, false));
  EXPECT_TRUE(looks("sweep", "--trace-dir", PropertyKind::ctl, false));
}

}  // namespace
}  // namespace tideline
