#include "checking/count.hpp"

#include <gtest/gtest.h>

#include "bind/bind.hpp"
#include "checking/store_choice.hpp"

namespace tideline {
namespace {

/// Counts to 3 and starts again.
Model counter_in_circles() {
  return read_model({"counter.dve",
                     "byte x;\n"
                     "process P { state q; init q; trans q -> q { guard x < 3; effect x = x + 1; },\n"
                     "                                   q -> q { guard x == 3; effect x = 0; }; }\n"
                     "system async;\n"});
}

/// A transition without inputs fills a place.
Model source_net() {
  return read_model({"source.pnml", R"(<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
<net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
<place id="p"/><transition id="t"/><arc id="a" source="t" target="p"/>
</page></net></pnml>)"});
}

Settings settings_with(const char* engine) {
  Settings settings;
  settings.engine = find_engine(engine);
  settings.states.device.is_cpu = true;
  return settings;
}

/// Diagrams count in numbers of any size, which are texts.
std::string figure(const Statistics::Value* value) {
  const auto* text = std::get_if<std::string>(value);
  return text ? *text : std::to_string(std::get<std::uint64_t>(*value));
}

TEST(Count, EveryStoreFindsAsManyStates) {
  const Model model = counter_in_circles();
  for (const char* engine : {"bfs", "dfs"})
    for (const StoreWord& row : store_words) {
      Settings settings = settings_with(engine);
      settings.states.store = row.store;
      Count count(model, nullptr, settings);
      Budget budget;
      count.run({}, budget);
      EXPECT_EQ(figure(count.outcome().statistics.find("states")), "4") << engine << row.word;
      // Hashes prove nothing, and it is said why.
      EXPECT_EQ(count.outcome().complete, row.store != Store::hash) << engine << row.word;
      EXPECT_EQ(count.unfinished(budget).empty(), row.store != Store::hash) << engine << row.word;
    }
}

TEST(Count, RacesRefuseHashes) {
  for (const Engine& engine : engines()) {
    Settings settings = settings_with(engine.name.data());
    settings.states.store = Store::hash;
    EXPECT_EQ(why_store_unfit(settings).empty(), !engine.is_race) << engine.name;
  }
}

TEST(StoreChoice, TakesTreesForWideStatesWhenMemoryIsShort) {
  constexpr std::uint64_t gigabyte = 1'000'000'000;
  EXPECT_EQ(store_for(200, gigabyte), Store::tree);
  EXPECT_EQ(store_for(200, 100 * gigabyte), Store::automatic);
  EXPECT_EQ(store_for(20, gigabyte / 100), Store::automatic);
  EXPECT_EQ(store_for(200, std::nullopt), Store::automatic);
}

TEST(Count, EveryEngineThatCountsFindsAsManyStates) {
  const Model model = counter_in_circles();
  for (const Engine& engine : engines()) {
    if (!engine.counts) continue;
    Budget budget;
    Count count(model, nullptr, settings_with(std::string(engine.name).c_str()));
    count.run({}, budget);
    EXPECT_TRUE(count.outcome().complete) << engine.name;
    EXPECT_EQ(figure(count.outcome().statistics.find("states")), "4") << engine.name;
    EXPECT_EQ(count.unfinished(budget), "") << engine.name;
  }
}

TEST(Count, ProductsAreCountedByTheEnginesThatCan) {
  EXPECT_NO_THROW(require_countable(settings_with("sweep"), true));
  EXPECT_NO_THROW(require_countable(settings_with("dfs"), false));
  EXPECT_THROW(require_countable(settings_with("dfs"), true), Error);
  const Model model = counter_in_circles();
  const auto property =
      bind(model.system, {.name = "ltl", .kind = PropertyKind::ltl, .formula = "G F \"x == 9\""}).process;
  Budget budget;
  Count count(model, property, settings_with("bfs"));
  count.run({}, budget);
  EXPECT_TRUE(count.outcome().complete);
  EXPECT_EQ(figure(count.outcome().statistics.find("product_states")), "8");
}

TEST(Count, UnboundedNetsAreNotCounted) {
  const Model model = source_net();
  Budget budget;
  Count count(model, nullptr, settings_with("bfs"));
  count.run({}, budget);
  EXPECT_TRUE(count.unbounded());
  EXPECT_FALSE(count.outcome().complete);
  EXPECT_TRUE(count.unfinished(budget).starts_with("the net is unbounded")) << count.unfinished(budget);
}

TEST(Count, ALimitLeavesWhatIsKnown) {
  const Model model = counter_in_circles();
  Budget over;
  over.exhaust("enough");
  Count count(model, nullptr, settings_with("bfs"));
  count.run({}, over);
  EXPECT_FALSE(count.outcome().complete);
  EXPECT_EQ(count.unfinished(over), "enough");
}

TEST(Count, TheRateLeavesOutTheSearchForAMeasure) {
  Outcome outcome;
  outcome.statistics.set("states", std::uint64_t{100});
  outcome.statistics.set("measure_time_s", 1e6);
  complete_count(counter_in_circles().system, Budget(), outcome);
  EXPECT_FALSE(outcome.statistics.find("states_per_s"));
  outcome.statistics.set("measure_time_s", 0.0);
  complete_count(counter_in_circles().system, Budget(Budget::Limits{.gone = 10}), outcome);
  EXPECT_EQ(figure(outcome.statistics.find("states_per_s")), "9");
}

}  // namespace
}  // namespace tideline
