// Certificates of all engines that write them, on random models: each is accepted, and none of them is when a state is
// left out.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "bind/selection.hpp"
#include "cases.hpp"
#include "checking/engines.hpp"
#include "written.hpp"

namespace tideline::certify {
namespace {

using soak::Chance;
using soak::RandomModel;

struct Case {
  Model model;
  ErrorSemantics errors = ErrorSemantics::stop;
  std::vector<Property> properties = {};
};

PropertyText text_of(const soak::Question& question) {
  return {.kind = question.kind, .text = question.formula};
}

Model model_of(const RandomModel& random) {
  return read_model({random.file, random.text},
                    {.wrap_messages = random.errors == ErrorSemantics::error_state});
}

/// Others take their time and show nothing else.
bool is_small(const RandomModel& random) {
  return soak::explore(model_of(random).system, random.errors, 2000).has_value();
}

Case random_case(PropertyKind kind, const RandomModel& random, Chance& chance) {
  Case result{.model = model_of(random), .errors = random.errors};
  const soak::Question question = soak::random_question(kind, random, chance);
  result.properties = bind_texts(result.model.system, {text_of(question)});
  return result;
}

/// The ways to ask that write a certificate.
std::vector<Settings> ways(const Case& each, PropertyKind kind) {
  std::vector<Settings> all;
  for (const Engine& engine : engines()) {
    if (!engine.conclusive || !answers(engine, kind)) continue;
    for (const unsigned threads : {1U, 3U}) {
      if (threads > 1 && !engine.threads) continue;
      for (const Store store : {Store::plain, Store::tree, Store::disk}) {
        if (store == Store::tree && !uses_option(engine, "--store", kind, false)) continue;
        if (store == Store::disk && (!engine.disk || !is_of_states(kind))) continue;
        Settings settings{.engine = &engine, .errors = each.errors, .threads = threads};
        settings.states.store = store;
        all.push_back(settings);
      }
    }
  }
  for (const unsigned threads : {1U, 3U}) all.push_back({.errors = each.errors, .threads = threads});  // auto
  return all;
}

TEST(Certificates, OfAllEnginesAreAcceptedAndNotWithoutAState) {
  std::map<PropertyKind, int> accepted;
  std::map<std::string_view, int> by_engine;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Chance chance(seed);
    const RandomModel random = soak::random_model(chance);
    if (!is_small(random)) continue;
    for (const PropertyKind kind : soak::question_kinds) {
      const Case each = random_case(kind, random, chance);
      std::optional<bool> is_proven;  // by any of the engines
      for (const Settings& settings : ways(each, kind)) {
        const std::string what = fmt::format(
            "seed {}, {} {}, engine {}, {} threads", seed, to_string(kind), each.properties.front().formula,
            settings.engine ? settings.engine->name : "auto", settings.threads);
        const Written written = write_certificate(each.model, each.properties, settings);
        if (!written.refusal.empty()) continue;
        EXPECT_EQ(!written.bytes.empty(), is_proven.value_or(!written.bytes.empty())) << what;
        is_proven = !written.bytes.empty();
        if (written.bytes.empty()) continue;
        ++accepted[kind];
        ++by_engine[settings.engine ? settings.engine->name : "auto"];
        EXPECT_EQ(refusal(written.bytes, each.model, each.properties, each.errors, settings.threads), "")
            << what;
        const auto without_one = changed(written.bytes, [&](std::vector<Record>& records) {
          records.erase(records.begin() + chance.below(records.size()));
        });
        EXPECT_NE(refusal(without_one, each.model, each.properties, each.errors), "") << what;
      }
    }
  }
  for (const PropertyKind kind : soak::question_kinds) EXPECT_GE(accepted[kind], 10) << to_string(kind);
  for (const Engine& engine : engines())
    if (engine.conclusive && !engine.is_race && !engine.name.starts_with("gpu")) {  // a card may be missing
      EXPECT_GE(by_engine[engine.name], 3) << engine.name;
    }
}

/// A certificate of one property is none of another that does not hold.
TEST(Certificates, ProveNothingThatIsFalse) {
  int refused = 0;
  for (std::uint64_t seed = 100; seed < 130; ++seed) {
    Chance chance(seed);
    const RandomModel random = soak::random_model(chance);
    if (!is_small(random)) continue;
    const Case other = random_case(PropertyKind::invariant, random, chance);
    const auto always = bind_texts(other.model.system, {{.kind = PropertyKind::invariant, .text = "1 == 1"}});
    const Written written = write_certificate(other.model, always, {.errors = other.errors});
    if (written.bytes.empty()) continue;
    const Written direct = write_certificate(other.model, other.properties, {.errors = other.errors});
    EXPECT_EQ(direct.bytes.empty(),
              !refusal(written.bytes, other.model, other.properties, other.errors).empty())
        << "seed " << seed;
    refused += direct.bytes.empty() ? 1 : 0;
  }
  EXPECT_GE(refused, 5);
}

TEST(Certificates, AreRefusedByReasonWhereNoneCanBeWritten) {
  const Model model = load_model(TIDELINE_SOURCE_DIR "/models/peterson.dve");
  const auto deadlock = bind_texts(model.system, {{.kind = PropertyKind::deadlock}});
  const auto runs = bind_texts(model.system, {{.kind = PropertyKind::ltl, .text = "G F true"}});
  const auto why = [&](const std::vector<Property>& properties, const Settings& settings) {
    return write_certificate(model, properties, settings).refusal;
  };
  const auto mentions = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(mentions(why(deadlock, {.reduction = por::Method::stubborn}), "--por"));
  EXPECT_TRUE(mentions(why(deadlock, {.reduce_net = true}), "--reduce-net"));
  EXPECT_TRUE(mentions(why(runs, {.fairness = Fairness::weak}), "--fair"));
  EXPECT_TRUE(mentions(why(deadlock, {.engine = find_engine("bitstate")}), "proves nothing"));
  Settings hashed{.engine = find_engine("bfs")};
  hashed.states.store = Store::hash;
  EXPECT_TRUE(mentions(why(deadlock, hashed), "--store hash"));
}

}  // namespace
}  // namespace tideline::certify
