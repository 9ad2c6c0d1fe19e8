// Atoms about steps: how they are read, and that bits which flip say the same.
#include "logic/step_atoms.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "logic/ctl.hpp"
#include "logic/stuttering.hpp"
#include "testing/ltl.hpp"

namespace tideline {
namespace {

TEST(StepAtoms, AreReadAsTheyAre) {
  LtlPool pool;
  const Ltl f = parse_ltl(pool, {"f", "G(act(P: a -> b, Q: c -> d (x)) -> F act( deliver* ))"});
  ASSERT_EQ(pool.atoms().size(), 2u);
  EXPECT_EQ(pool.atoms()[0].name, "act(P: a -> b, Q: c -> d (x))");
  EXPECT_EQ(step_pattern(pool.atoms()[1].name), " deliver* ");
  EXPECT_EQ(to_string(pool, f), "G(act(P: a -> b, Q: c -> d (x)) -> F act( deliver* ))");
  EXPECT_EQ(parse_ltl(pool, {"f", to_string(pool, f)}), f);
  EXPECT_EQ(parse_ltl(pool, {"f", "\"act(deliver)\""}), parse_ltl(pool, {"f", "act(deliver)"}));
  EXPECT_FALSE(is_step_atom("act"));
  EXPECT_FALSE(is_step_atom("action(x)"));
  EXPECT_THROW(parse_ltl(pool, {"f", "act(a"}), Error);
  EXPECT_NO_THROW(parse_ltl(pool, {"f", "act && b"}));
  CtlPool ctl;
  EXPECT_EQ(to_string(ctl, parse_ctl(ctl, {"f", "AG(act(send[1]) -> AF act(ack))"})),
            "AG(act(send[1]) -> AF act(ack))");
}

TEST(StepAtoms, StayInsensitiveToStuttering) {
  const auto stuttering = [](const std::string& text) {
    LtlPool pool;
    return stuttering_of(pool, over_bits(pool, parse_ltl(pool, {"f", text})));
  };
  for (const char* text : {"F act(a)", "GF act(a)", "G(act(a) -> F act(b))", "!act(b) W act(a)",
                           "G(act(a) -> p)", "F(act(a) && act(b))"})
    EXPECT_EQ(stuttering(text), Stuttering::invariant) << text;
  // In the last one a step may have led to p, and has not led to its repetition.
  for (const char* text : {"F(act(a) && X act(b))", "G(act(a) -> X act(a))", "G(p -> F act(a))"})
    EXPECT_NE(stuttering(text), Stuttering::invariant) << text;
}

/// A run: a state at each position, and which steps lead from it to the next. Bit 0 is p, bits 1 and 2 are a and b.
struct StepRun {
  std::vector<std::uint64_t> states, steps;
  std::size_t loop = 0;
};

const std::vector<std::string> step_names = {"p", "act(a)", "act(b)"};

/// The cycle is gone round three times, so that what led to its beginning is what closes it.
std::vector<std::size_t> unrolled(const StepRun& run, std::size_t rounds) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < run.loop; ++i) positions.push_back(i);
  for (std::size_t round = 0; round < rounds; ++round)
    for (std::size_t i = run.loop; i < run.states.size(); ++i) positions.push_back(i);
  return positions;
}

/// What the atoms mean: a step is seen in the state that it leads to.
testing::Lasso as_steps(const StepRun& run) {
  testing::Lasso lasso;
  std::uint64_t step = 0;
  for (const std::size_t i : unrolled(run, 2)) {
    lasso.letters.push_back(run.states[i] | step);
    step = run.steps[i];
  }
  lasso.loop = run.states.size();  // the second round
  return lasso;
}

/// The bits of a monitor that the steps flip.
testing::Lasso as_bits(const StepRun& run) {
  testing::Lasso lasso;
  std::uint64_t bits = 0;
  for (const std::size_t i : unrolled(run, 2)) {
    lasso.letters.push_back(run.states[i] | bits);
    bits ^= run.steps[i];
  }
  lasso.loop = run.loop;  // after two rounds every bit is as it was
  return lasso;
}

RC_GTEST_PROP(StepAtoms, BitsThatFlipSayTheSame, ()) {
  for (int round = 0; round < 10; ++round) {
    StepRun run{{}, {}, *rc::gen::inRange<std::size_t>(0, 4)};
    const std::size_t size = run.loop + *rc::gen::inRange<std::size_t>(1, 4);
    for (std::size_t i = 0; i < size; ++i) {
      run.states.push_back(*rc::gen::inRange<std::uint64_t>(0, 2));
      run.steps.push_back(2 * *rc::gen::inRange<std::uint64_t>(0, 4));
    }
    LtlPool pool;
    const Ltl f = testing::random_formula(pool, *rc::gen::inRange(0, 7), step_names);
    const Ltl g = over_bits(pool, f);
    if (testing::holds(pool, f, as_steps(run), step_names) !=
        testing::holds(pool, g, as_bits(run), step_names))
      RC_FAIL(to_string(pool, f) + "  as  " + to_string(pool, g) + "  on  " +
              testing::to_string(as_steps(run)));
  }
}

}  // namespace
}  // namespace tideline
