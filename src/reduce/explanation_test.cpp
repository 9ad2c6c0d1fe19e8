// What is explained about a model is what the relations of its actions say.
#include "reduce/explanation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "bind/bind.hpp"
#include "lang/lang.hpp"
#include "reduce/relations.hpp"
#include "testing/random_dve.hpp"

namespace tideline::por {
namespace {

std::set<ComponentId> team_of(const System& system, ActionId action) {
  std::set<ComponentId> team;
  for (const Participant& participant : system.actions[action].participants)
    team.insert(participant.component);
  return team;
}

/// Whether each has a participant that the other lacks.
bool are_apart(const System& system, ActionId a, ActionId b) {
  const auto one = team_of(system, a), other = team_of(system, b);
  return !std::ranges::includes(one, other) && !std::ranges::includes(other, one);
}

bool uses(const Footprint& footprint, SlotId slot) {
  const auto reads = [&](const Condition& condition) {
    return std::ranges::binary_search(condition.reads, slot);
  };
  return footprint.write_of(slot) != nullptr || std::ranges::binary_search(footprint.effect_reads, slot) ||
         std::ranges::any_of(footprint.conditions, reads);
}

void expect_pairs_of_relations(const System& system, const Relations& relations, const Explanation& found) {
  Pairs sum;
  std::uint64_t pairs = 0;
  ASSERT_EQ(found.details.size(), system.actions.size());
  for (ActionId a = 0; a < system.actions.size(); ++a) {
    std::set<ActionId> conflicts, waits, found_conflicts, found_waits;
    for (ActionId b = 0; b < system.actions.size(); ++b) {
      if (b == a || !are_apart(system, a, b)) continue;
      if (a < b) ++pairs;
      if (std::ranges::binary_search(relations.conflicts(a), b)) conflicts.insert(b);
      for (const ConditionId c : relations.conditions(a))
        if (std::ranges::binary_search(relations.enablers(c), b)) waits.insert(b);
    }
    for (const auto& [b, about] : found.details[a].conflicts) {
      found_conflicts.insert(b);
      EXPECT_FALSE(about.empty());
      for (const SlotId slot : about)
        EXPECT_TRUE(uses(relations.footprint(a), slot) && uses(relations.footprint(b), slot) &&
                    (relations.footprint(a).write_of(slot) || relations.footprint(b).write_of(slot)));
      EXPECT_EQ(about, slots_in_conflict(relations, b, a));
    }
    for (const auto& [b, about] : found.details[a].waits_for) {
      found_waits.insert(b);
      EXPECT_TRUE(relations.footprint(b).writes_any(about));
    }
    EXPECT_EQ(found_conflicts, conflicts);
    EXPECT_EQ(found_waits, waits);
    sum.conflicts += conflicts.size();
    sum.waits += waits.size();
  }
  EXPECT_EQ(found.found.conflicts, sum.conflicts / 2);
  EXPECT_EQ(found.found.waits, sum.waits);
  EXPECT_EQ(found.pairs, pairs);
}

class EveryExplanation : public ::testing::TestWithParam<ErrorSemantics> {};

TEST_P(EveryExplanation, IsWhatTheRelationsSay) {
  std::size_t conflicts = 0, visible = 0, back = 0, failing = 0;
  for (std::uint64_t seed = 1; seed <= 1000 && !HasFailure(); ++seed) {
    testing::RandomDve random(seed);
    const std::string text = random.take();
    SCOPED_TRACE(text);
    const System system = read_model({"random.dve", text}).system;
    const Expr expr =
        bind_expression(
            system,
            {.name = "reach", .kind = PropertyKind::reach, .formula = random.formula(), .origin = "test"})
            .expr;
    const auto sets = StubbornSets::make(system, GetParam(), {.observed = {expr}});
    const Explanation found = explain(*sets, {.details = true});
    Relations relations(system, GetParam(), {});
    expect_pairs_of_relations(system, relations, found);

    std::vector<std::uint8_t> is_visible(system.actions.size(), 0);
    std::vector<ActionId> expected_visible, expected_back, expected_failing;
    for (ActionId a = 0; a < system.actions.size(); ++a) {
      if (relations.never_happens(a)) continue;
      for (const Condition& part : parts_of(expr, system))
        if (relations.can_make(a, part, true) || relations.can_make(a, part, false)) is_visible[a] = 1;
      if (is_visible[a] != 0) expected_visible.push_back(a);
      if (relations.footprint(a).may_fail) expected_failing.push_back(a);
    }
    EXPECT_EQ(found.visible, expected_visible);
    EXPECT_EQ(found.failing, expected_failing);
    if (found.has_proviso) {
      std::vector<std::uint8_t> is_dirty = is_visible;
      for (ActionId a = 0; a < system.actions.size(); ++a)
        if (sets->dirt(a) == Dirt::hastens_errors) is_dirty[a] = 1;
      const auto leads_on = relations.leading_on(is_dirty);
      for (ActionId a = 0; a < system.actions.size(); ++a)
        if (leads_on[a] == 0 && is_dirty[a] == 0 && !relations.never_happens(a)) expected_back.push_back(a);
    }
    EXPECT_EQ(found.leading_back, expected_back);
    conflicts += found.found.conflicts;
    visible += found.visible.size();
    back += found.leading_back.size();
    failing += found.failing.size();
  }
  for (const std::size_t count : {conflicts, visible, back, failing}) EXPECT_GT(count, 100U);
}

INSTANTIATE_TEST_SUITE_P(With, EveryExplanation,
                         ::testing::Values(ErrorSemantics::stop, ErrorSemantics::error_state),
                         [](const auto& test) {
                           return test.param == ErrorSemantics::stop ? "Errors" : "ErrorState";
                         });

Explanation explanation_of(const std::string& text, const ExplanationOptions& options = {},
                           Preserved preserved = {}) {
  const System system = read_model({"test.dve", text}).system;
  return explain(*StubbornSets::make(system, ErrorSemantics::stop, std::move(preserved)), options);
}

TEST(Explanation, WhatCommutesIsNotNamed) {
  // The additions to n commute, and so does the same value of m: the conflict is about x alone.
  const std::string step = "{ effect n = n + 1, m = 4, x = ";
  const System system =
      read_model({"test.dve", "byte n, m, x;\nprocess A { state s, t; init s; trans s -> t " + step +
                                  "1; }; }\nprocess B { state s, t; init s; trans s -> t " + step +
                                  "2; }; }\nsystem async;\n"})
          .system;
  const Relations relations(system, ErrorSemantics::stop, {});
  ASSERT_EQ(relations.conflicts(0), std::vector<ActionId>{1});
  EXPECT_EQ(slots_in_conflict(relations, 0, 1), std::vector<SlotId>{*system.find_slot("x")});
}

TEST(Explanation, ProcessesMeetInThirdOnes) {
  // Both clients want the server, by handshakes. These are no conflicts of client and server.
  const Explanation found = explanation_of(R"(channel c;
process A { state s, t; init s; trans s -> t { sync c!; }; }
process B { state s, t; init s; trans s -> t { sync c!; }; }
process Server { state s, t; init s; trans s -> t { sync c?; }; }
system async;
)");
  EXPECT_EQ(found.actions, 2U);
  ASSERT_EQ(found.between.size(), 1U);
  EXPECT_EQ(found.between[0].one, 0U);
  EXPECT_EQ(found.between[0].other, 1U);
  EXPECT_EQ(found.between[0].found.conflicts, 1U);
  EXPECT_EQ(found.between[0].all, 1U);
  EXPECT_EQ(found.between[0].about.size(), 1U);
  EXPECT_EQ(found.independent, 2U);
  EXPECT_EQ(found.nearly_all.size(), 2U);
}

TEST(Explanation, IsAboutTheProcessesThatAreChosen) {
  std::string text = "byte x;\n";
  for (const char* name : {"A", "B", "C"})
    text += std::string("process ") + name + " { state s; init s; trans s -> s { effect x = 1 - x; }; }\n";
  text += "system async;\n";
  EXPECT_EQ(explanation_of(text).between.size(), 3U);
  const Explanation found = explanation_of(text, {.processes = {1}, .details = true});
  EXPECT_EQ(found.between.size(), 2U);
  EXPECT_EQ(found.pairs, 2U);
  EXPECT_EQ(found.found.conflicts, 2U);
  EXPECT_EQ(found.independent, 0U);
  ASSERT_EQ(found.nearly_all.size(), 1U);
  EXPECT_EQ(found.nearly_all[0].others, 2U);
  ASSERT_EQ(found.details.size(), 1U);
  EXPECT_EQ(found.details[0].conflicts.size(), 2U);
  EXPECT_EQ(found.needed_in_sample, 1);
}

}  // namespace
}  // namespace tideline::por
