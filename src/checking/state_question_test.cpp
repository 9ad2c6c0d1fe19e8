// CTL formulas that are searched as questions about states: which ones, and that nothing else changes.
#include "checking/state_question.hpp"

#include <gtest/gtest.h>

#include "bind/bind.hpp"
#include "checking/check.hpp"
#include "trace/replay.hpp"

namespace tideline {
namespace {

Model counter() {
  return read_model({"counter.dve",
                     "byte x;\n"
                     "process P { state q; init q; trans q -> q { guard x < 30; effect x = x + 1; }; }\n"
                     "system async;\n"});
}

std::optional<PropertyKind> kind_of(const Model& model, const char* formula) {
  const Property ctl{.name = "ctl", .kind = PropertyKind::ctl, .formula = formula};
  const auto question = state_question(bind(model.system, ctl));
  return question ? std::optional(question->kind) : std::nullopt;
}

TEST(StateQuestions, AreEFAndAGOfWhatSpeaksOfOneState) {
  const Model model = counter();
  EXPECT_EQ(kind_of(model, "EF \"x == 3\""), PropertyKind::reach);
  EXPECT_EQ(kind_of(model, "!AG \"x == 3\""), PropertyKind::reach);
  EXPECT_EQ(kind_of(model, "AG \"x < 3\""), PropertyKind::invariant);
  EXPECT_EQ(kind_of(model, "!EF (\"x == 3\" && !\"x == 4\")"), PropertyKind::invariant);
  EXPECT_EQ(kind_of(model, "EF EF \"x == 3\""), PropertyKind::reach);
  for (const char* other : {"AF \"x == 3\"", "AG EF \"x == 3\"", "EX \"x == 1\"",
                            "\"x == 0\" || EF \"x == 3\"", "EF \"x / x == 1\""})  // which may have no value
    EXPECT_EQ(kind_of(model, other), std::nullopt) << other;
}

CheckResult answer(const Model& model, const char* formula, const char* engine) {
  Settings settings;
  settings.engine = find_engine(engine);
  Check check(model, {{.name = "ctl", .kind = PropertyKind::ctl, .formula = formula}}, settings);
  Budget budget;
  check.run({}, budget);
  return check.result();
}

TEST(StateQuestions, HaveTheVerdictsAndRunsOfTheFormula) {
  const Model model = counter();
  for (const char* formula :
       {"EF \"x == 3\"", "EF \"x == 31\"", "AG \"x < 3\"", "AG \"x < 31\"", "!EF \"x == 3\"",
        "!EF \"x == 31\"", "!AG \"x < 3\"", "!AG \"x < 31\"", "EF \"x == 0\""}) {
    const CheckResult labelled = answer(model, formula, "ctl");
    const PropertyResult& expected = labelled.outcome.results.front();
    for (const char* engine : {"auto", "bfs", "dfs", "sweep", "symbolic", "cache"}) {
      const CheckResult found = answer(model, formula, engine);
      const PropertyResult& result = found.outcome.results.front();
      EXPECT_EQ(result.verdict, expected.verdict) << formula << " " << engine;
      EXPECT_EQ(result.property.kind, PropertyKind::ctl);
      EXPECT_EQ(result.property.formula, expected.property.formula);
      ASSERT_EQ(static_cast<bool>(result.path), static_cast<bool>(expected.path)) << formula << " " << engine;
      if (result.path)
        replay_proof(model.system, ErrorSemantics::stop, result.property, result.path(), result.verdict);
    }
  }
}

TEST(StateQuestions, EndAtTheFirstWitness) {
  const CheckResult found = answer(counter(), "EF \"x == 3\"", "bfs");
  EXPECT_EQ(std::get<std::uint64_t>(*found.outcome.statistics.find("visited")), 4u);
}

}  // namespace
}  // namespace tideline
