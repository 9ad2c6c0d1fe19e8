// Which properties are searched with reduction: those for which the answer stays the same.
#include "checking/reduction.hpp"

#include <gtest/gtest.h>

#include "bind/bind.hpp"
#include "checking/check.hpp"
#include "testing/random_dve.hpp"

namespace tideline {
namespace {

struct Checked {
  Verdict verdict;
  std::vector<std::string> notes;
};

Checked checked_with(const Model& model, const Property& property, por::Method method) {
  std::vector<std::string> notes;
  Settings settings;
  settings.engine = find_engine("scc");
  settings.reduction = method;
  settings.notes = [&](const std::string& text) { notes.push_back(text); };
  Check check(model, {property}, settings);
  Budget budget;
  check.run({}, budget);
  return {check.result().outcome.results.front().verdict, notes};
}

// Formulas with X: those that do not see repetitions are reduced, the others are not, and all answers stay.
TEST(Reductions, ChangeNoAnswer) {
  int reduced = 0, not_reduced = 0, violated = 0;
  for (std::uint64_t seed = 1; seed <= 1500 && !HasFatalFailure(); ++seed) {
    testing::RandomDve random(seed, testing::RandomDve::Kind::loose);
    const std::string text = random.take();
    SCOPED_TRACE(text);
    const Model model = read_model({"random.dve", text});
    Property property{
        .name = "ltl", .kind = PropertyKind::ltl, .formula = random.temporal(4, true), .origin = "test"};
    if (property.formula.find('X') == std::string::npos) continue;
    for (const char* name : {"p", "q"})
      property.atoms.push_back({name, bind_expression(model.system, {.name = name,
                                                                     .kind = PropertyKind::reach,
                                                                     .formula = random.formula(),
                                                                     .origin = "test"})
                                          .expr});
    const Checked whole = checked_with(model, property, por::Method::none);
    const Checked some = checked_with(model, property, por::Method::stubborn);
    ASSERT_EQ(some.verdict, whole.verdict) << property.formula;
    ++(some.notes.empty() ? reduced : not_reduced);
    violated += whole.verdict == Verdict::violated ? 1 : 0;
  }
  EXPECT_GT(reduced, 50);
  EXPECT_GT(not_reduced, 50);
  EXPECT_GT(violated, 100);
}

TEST(Reductions, AreForWhatTheTheoremsAllow) {
  const Model model = read_model({"t.dve", "process P { state q; init q; trans q -> q {}; } system async;"});
  const auto why = [&](Property property) {
    property.origin = "test";
    return why_not_reduced(bind(model.system, property), model.system);
  };
  EXPECT_EQ(why({.name = "d", .kind = PropertyKind::deadlock, .formula = ""}), "");
  EXPECT_EQ(why({.name = "l", .kind = PropertyKind::ltl, .formula = "G F P.q"}), "");
  EXPECT_NE(why({.name = "x", .kind = PropertyKind::ltl, .formula = "F (P.q && X P.q)"}), "");
  EXPECT_NE(why({.name = "f", .kind = PropertyKind::ltl, .formula = "G F P.q", .fairness = Fairness::weak}),
            "");
  EXPECT_NE(why({.name = "c", .kind = PropertyKind::ctl, .formula = "AG EF P.q"}), "");
}

// An automaton that gives up late, or reads what has no value, tells apart what its language does not.
TEST(Reductions, AreNotForAutomataWithDeadEnds) {
  const auto why = [](const std::string& transitions) {
    const Model model = read_model({"t.dve",
                                    "byte x = 1; process P { state q; init q; trans q -> q {}; }\n"
                                    "process L { state a, b, c; init a; accept c; trans " +
                                        transitions + "; } system async property L;"});
    return why_not_reduced(*own_property(model.system), model.system);
  };
  EXPECT_EQ(why("a -> a {}, a -> c { guard x == 1; }, c -> c { guard x == 1; }"), "");
  EXPECT_NE(why("a -> a {}, a -> b {}, a -> c { guard x == 1; }, c -> c { guard x == 1; }"), "");
  EXPECT_NE(why("a -> a {}, a -> c { guard 4 / x == 1; }, c -> c { guard 4 / x == 1; }"), "");
}

}  // namespace
}  // namespace tideline
