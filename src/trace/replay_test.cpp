#include "trace/replay.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "testing/two_counters.hpp"
#include "trace/show.hpp"

namespace tideline {
namespace {

using namespace two_counters;

std::string internal_error(const System& s, const Path& p) {
  try {
    replay(s, ErrorSemantics::stop, p);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::internal);
    return error.what();
  }
  return "";
}

TEST(Replay, TakesEveryStepAgain) {
  const System s = system();
  const Trace r = replay(s, ErrorSemantics::stop, path(s, {raise, once, pass}));
  EXPECT_EQ(r.states.size(), 4U);
  EXPECT_EQ(r.states[1][flag0], 1);
  EXPECT_EQ(r.states[2][x], 300);
  EXPECT_EQ(r.states[3][turn], 1);
  EXPECT_EQ(r.length(), 3U);
  EXPECT_FALSE(r.fails());
}

TEST(Replay, ExplainsTheModelErrorAtTheEnd) {
  const System s = system();
  const Trace r = replay(s, ErrorSemantics::stop, failing_path(s));
  EXPECT_TRUE(r.fails());
  EXPECT_EQ(r.error.kind, ModelErrorKind::index_out_of_bounds);
  EXPECT_EQ(r.error.where, (SourcePoint{2, 3}));
  EXPECT_EQ(r.length(), 5U);
}

TEST(Replay, RefusesWhatTheModelDoesNotDo) {
  const System s = system();
  const Path good = path(s, {raise, once});

  Path p = good;
  p.states[0] = p.states[1];
  EXPECT_NE(internal_error(s, p).find("initial state"), std::string::npos);
  p = good;
  p.actions[1] = raise;
  EXPECT_NE(internal_error(s, p).find("step 2: 'A: idle -> work' is not enabled"), std::string::npos);
  p = good;
  p.states[2] = p.states[1];
  EXPECT_NE(internal_error(s, p).find("step 2: 'B: only -> only' leads to another state"), std::string::npos);
  p = good;
  p.failing_action = pass;
  EXPECT_NE(internal_error(s, p).find("does not end in a model error"), std::string::npos);
  p = good;
  p.failing_action = raise;
  EXPECT_NE(internal_error(s, p).find("not enabled"), std::string::npos);
  // An action that fails may not be in the middle of a run.
  p = failing_path(s);
  p.actions.push_back(raise);
  p.failing_action = no_action;
  p.states.push_back(p.states.back());
  EXPECT_NE(internal_error(s, p).find("ends in a model error"), std::string::npos);
}

TEST(Replay, RefusesMalformedPaths) {
  const System s = system();
  const Path good = path(s, {raise, once});
  EXPECT_NE(internal_error(s, Path{}), "");
  Path p = good;
  p.actions.pop_back();
  EXPECT_NE(internal_error(s, p), "");
  p = good;
  p.actions[0] = 99;
  EXPECT_NE(internal_error(s, p), "");
  p = good;
  p.states[1].pop_back();
  EXPECT_NE(internal_error(s, p), "");
  p = good;
  p.failing_action = 99;
  EXPECT_NE(internal_error(s, p), "");
}

TEST(Replay, LoopsMustClose) {
  System s = system();
  // B's own loop, without its guard and with an effect that is a fixed point after one step.
  s.actions[once].guard = Expr::constant(1);
  Path p = path(s, {once});
  p.actions.push_back(once);
  p.loop = 1;
  EXPECT_EQ(internal_error(s, p), "");
  p.loop = 0;
  EXPECT_NE(internal_error(s, p).find("leads to another state"), std::string::npos);
  p.loop = 2;
  EXPECT_NE(internal_error(s, p).find("leads nowhere"), std::string::npos);
}

// Changing any byte of any state of a good path must be noticed.
RC_GTEST_PROP(Replay, NoticesEveryChangedByte, ()) {
  const System s = system();
  Path p = path(s, {raise, once, pass, raise, pass});
  const auto state = *rc::gen::inRange<std::size_t>(0, p.states.size());
  const auto byte = *rc::gen::inRange<std::size_t>(0, p.states[state].size());
  p.states[state][byte] ^= static_cast<std::byte>(*rc::gen::inRange(1, 256));
  RC_ASSERT_THROWS_AS(replay(s, ErrorSemantics::stop, p), Error);
}

TEST(MissingProof, LooksAtTheLastState) {
  const System s = system();
  const Trace one = run(s, {raise});
  const Expr low = Expr::binary(Op::eq, Expr::load(flag0), Expr::constant(0));
  const Expr high = Expr::binary(Op::eq, Expr::load(flag0), Expr::constant(1));
  const auto missing = [&](PropertyKind kind, const Expr& expr, const Trace& r) {
    return missing_proof(s, ErrorSemantics::stop, {.name = "p", .kind = kind, .formula = "f", .expr = expr},
                         r, kind == PropertyKind::reach ? Verdict::holds : Verdict::violated);
  };
  EXPECT_FALSE(missing(PropertyKind::invariant, low, one));
  EXPECT_EQ(missing(PropertyKind::invariant, high, one), "f is true in the last state");
  EXPECT_TRUE(missing(PropertyKind::assertion, high, one));
  EXPECT_FALSE(missing(PropertyKind::reach, high, one));
  EXPECT_EQ(missing(PropertyKind::reach, low, one), "f is false in the last state");
  EXPECT_EQ(missing(PropertyKind::deadlock, low, one), "'A: work -> idle' is enabled in the last state");
  EXPECT_TRUE(missing(PropertyKind::model_error, low, one));
  EXPECT_TRUE(missing(PropertyKind::automaton, low, one));
  const Trace failing = replay(s, ErrorSemantics::stop, failing_path(s));
  EXPECT_FALSE(missing(PropertyKind::model_error, low, failing));
}

TEST(MissingProof, AStateWithoutAValueShowsAViolation) {
  const System s = system();
  // 1 / flag0 == 1: no value in the initial state, true after the first step.
  const Expr division =
      Expr::binary(Op::eq, Expr::binary(Op::div, Expr::constant(1), Expr::load(flag0)), Expr::constant(1));
  for (const PropertyKind kind : {PropertyKind::invariant, PropertyKind::reach, PropertyKind::ltl,
                                  PropertyKind::ctl, PropertyKind::automaton}) {
    Property property{.name = "p", .kind = kind, .formula = "f"};
    if (is_of_states(kind))
      property.expr = division;
    else
      property.parts = {Expr::constant(1), division};
    const auto missing = [&](const Trace& r, Verdict verdict) {
      return missing_proof(s, ErrorSemantics::stop, property, r, verdict);
    };
    const Trace start = run(s, {});
    EXPECT_EQ(missing(start, Verdict::violated), std::nullopt);
    const Trace shown = replay_proof(s, ErrorSemantics::stop, property, path(s, {}));
    EXPECT_EQ(shown.no_value.kind, ModelErrorKind::division_by_zero);
    EXPECT_NE(show_run(s, shown).find("the property has no value here: division by zero\n"),
              std::string::npos);
    if (kind != PropertyKind::reach) continue;
    EXPECT_NE(missing(start, Verdict::holds), std::nullopt) << "no witness";
    EXPECT_NE(missing(run(s, {raise}), Verdict::violated), std::nullopt)
        << "it has a value there, and is true";
  }
}

TEST(MissingProof, DeadlockMeansNothingEnabled) {
  System s = system();
  s.actions.resize(3);
  s.actions[raise].guard = Expr::constant(0);
  const Trace stuck = run(s, {once});
  const Property deadlock{.name = "d", .kind = PropertyKind::deadlock, .formula = ""};
  EXPECT_FALSE(missing_proof(s, ErrorSemantics::stop, deadlock, stuck));
  EXPECT_NO_THROW(replay_proof(s, ErrorSemantics::stop, deadlock, path(s, {once})));
  EXPECT_THROW(replay_proof(s, ErrorSemantics::stop, deadlock, path(s, {})), Error);
}

TEST(Replay, FollowsTheErrorStateWhenErrorsDoNotStop) {
  System s = system();
  s.error_state = Values{0, 0, 0, 0, 5, 0};
  Path p = failing_path(s);
  p.actions.push_back(raise);
  p.failing_action = no_action;
  p.states.push_back(packed(s, *s.error_state));
  EXPECT_NO_THROW(replay(s, ErrorSemantics::error_state, p));
  EXPECT_THROW(replay(s, ErrorSemantics::stop, p), Error);
}

}  // namespace
}  // namespace tideline
