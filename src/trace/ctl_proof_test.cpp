// What a run shows about a CTL formula, and what it does not.
#include "trace/ctl_proof.hpp"

#include <gtest/gtest.h>

#include "logic/ctl_simplify.hpp"
#include "testing/two_counters.hpp"

namespace tideline {
namespace {

using namespace two_counters;

/// work: A is there; low: x < 0; zero, one, two: the value of turn.
Expr meaning(const std::string& name) {
  const auto test = [](SlotId slot, Op op, std::int64_t value) {
    return Expr::binary(op, Expr::load(slot), Expr::constant(value));
  };
  if (name == "work") return test(loc_a, Op::eq, 1);
  if (name == "low") return test(x, Op::lt, 0);
  return test(turn, Op::eq, name == "zero" ? 0 : name == "one" ? 1 : 2);
}

Property ctl(const std::string& text, DeadlockPaths paths = DeadlockPaths::stutter) {
  CtlPool pool;
  CtlFormula core = ctl_core(pool, parse_ctl(pool, {"", text}));
  for (const std::string& name : core.atom_names) core.atoms.push_back(meaning(name));
  return {.name = "p",
          .kind = PropertyKind::ctl,
          .formula = text,
          .ctl = std::make_shared<CtlFormula>(std::move(core)),
          .deadlock_paths = paths};
}

std::string missing(const std::string& text, bool value, const Trace& shown,
                    DeadlockPaths paths = DeadlockPaths::stutter) {
  return missing_ctl_proof(system(), ErrorSemantics::stop, ctl(text, paths), value, shown)
      .value_or("nothing");
}

Trace steps(const std::vector<ActionId>& actions) {
  return run(system(), actions);
}

TEST(CtlProof, WaysToStates) {
  EXPECT_EQ(missing("EF one", true, steps({raise, pass})), "nothing");
  EXPECT_EQ(missing("AG !one", false, steps({raise, pass})), "nothing");
  EXPECT_EQ(missing("EF one", true, steps({raise})), "it does not show that EF one is true");
  EXPECT_EQ(missing("AG !one", false, steps({raise})), "it does not show that AG !one is false");
  EXPECT_EQ(missing("E(low U one)", true, steps({raise, pass})), "nothing");
  EXPECT_EQ(missing("E(low U one)", true, steps({once, raise, pass})),
            "it does not show that E(low U one) is true");
  EXPECT_EQ(missing("EX work", true, steps({raise})), "nothing");
  EXPECT_EQ(missing("EX work", true, steps({once, raise})), "it does not show that EX work is true");
  EXPECT_EQ(missing("EX EX one", true, steps({raise, pass})), "nothing");
  EXPECT_EQ(missing("low", false, steps({})), "low is not false on it");
  EXPECT_EQ(missing("EF low", false, steps({})), "EF low is not false on it");
}

TEST(CtlProof, WhatOnlyOtherRunsShowIsBelievedInTheLastState) {
  EXPECT_EQ(missing("AG EF low", false, steps({once})), "nothing");
  EXPECT_EQ(missing("AG EF low", false, steps({})), "it does not show that AG EF low is false");
  EXPECT_EQ(missing("AG(work -> EF low)", false, steps({once, raise})), "nothing");
  EXPECT_EQ(missing("AG(work -> EF low)", false, steps({raise, once, pass})),
            "it does not show that AG(work -> EF low) is false");
  EXPECT_EQ(missing("EX AX work", true, steps({once})), "nothing");
  EXPECT_EQ(missing("EX AX work", true, steps({once, raise})), "it does not show that EX AX work is true");
  EXPECT_EQ(missing("AG AF low", false, steps({once})), "nothing");
  EXPECT_EQ(missing("E(low U AG !low)", true, steps({once})), "nothing");
  EXPECT_EQ(missing("E(low U AG !low)", true, steps({once, raise})),
            "it does not show that E(low U AG !low) is true");
}

TEST(CtlProof, RunsForEver) {
  // A system that goes round: turn is set back to 0.
  System s = system();
  s.actions[pass].effects[0].value = Expr::constant(0);
  s.actions[raise].effects.erase(s.actions[raise].effects.begin());
  complete(s);
  Trace round = replay(s, ErrorSemantics::stop, path(s, {raise}));
  round.actions.push_back(pass);
  round.loop = 0;
  const auto missing_in = [&](const std::string& text, bool value) {
    return missing_ctl_proof(s, ErrorSemantics::stop, ctl(text), value, round).value_or("nothing");
  };
  EXPECT_EQ(missing_in("EG low", true), "nothing");
  EXPECT_EQ(missing_in("AF !low", false), "nothing");
  EXPECT_EQ(missing_in("EG EF !low", true), "nothing");
  EXPECT_EQ(missing_in("EX EG zero", true), "nothing");
  EXPECT_EQ(missing_in("AF work", false), "it does not show that AF work is false");
  EXPECT_EQ(missing_in("AG AF one", false), "nothing");
  EXPECT_EQ(missing_in("EF AG low", true), "it does not show that EF AG low is true");
  EXPECT_EQ(missing_in("EX(work && EF !work)", true), "nothing");
  EXPECT_EQ(missing_in("EX EX EG low", false), "EX EX EG low is not false on it");
  EXPECT_EQ(missing("EG low", true, steps({raise})), "it does not show that EG low is true");
}

TEST(CtlProof, DeadlocksRepeatOrEndTheRun) {
  System s = system();  // once and raise, and nothing more
  s.actions[pass].guard = Expr::constant(0);
  complete(s);
  const Trace ended = replay(s, ErrorSemantics::stop, path(s, {once, raise}));
  Trace repeats = ended;
  repeats.actions.push_back(no_action);
  repeats.loop = 2;
  const auto missing_in = [&](const std::string& text, bool value, const Trace& shown, DeadlockPaths paths) {
    return missing_ctl_proof(s, ErrorSemantics::stop, ctl(text, paths), value, shown).value_or("nothing");
  };
  for (const DeadlockPaths paths : {DeadlockPaths::stutter, DeadlockPaths::maximal}) {
    EXPECT_EQ(missing_in("EG zero", true, ended, paths), "nothing");
    EXPECT_EQ(missing_in("AF one", false, ended, paths), "nothing");
    EXPECT_EQ(missing_in("EF(work && AG !low)", true, ended, paths), "nothing");
    EXPECT_EQ(missing_in("AF !low", false, ended, paths), "it does not show that AF !low is false");
    EXPECT_EQ(missing_in("EG zero", false, ended, paths), "EG zero is not false on it");
    EXPECT_EQ(missing_in("EF(work && EF low)", true, ended, paths),
              "it does not show that EF(work && EF low) is true");
  }
  EXPECT_EQ(missing_in("EG zero", true, repeats, DeadlockPaths::stutter), "nothing");
  EXPECT_EQ(missing_in("EG zero", true, repeats, DeadlockPaths::maximal),
            "it continues in a deadlock, where runs end");
  EXPECT_EQ(missing_in("EX EX EX work", true, ended, DeadlockPaths::stutter), "nothing");
  EXPECT_EQ(missing_in("EX EX EX work", true, ended, DeadlockPaths::maximal),
            "it does not show that EX EX EX work is true");
}

TEST(CtlProof, OneOfTwoClaimsIsEnough) {
  EXPECT_EQ(missing("EF one && EF !low", true, steps({raise, pass})), "nothing");
  EXPECT_EQ(missing("EF one && EF !low", true, steps({once})), "nothing");
  EXPECT_EQ(missing("EF one && EF !low", true, steps({raise})),
            "it does not show that EF one && EF !low is true");
  EXPECT_EQ(missing("EF one && work", true, steps({raise, pass})), "EF one && work is not true on it");
  EXPECT_EQ(missing("EF one || EF two", true, steps({raise, pass})), "nothing");
  EXPECT_EQ(missing("AG one || AG low", false, steps({once})), "nothing");
}

}  // namespace
}  // namespace tideline
