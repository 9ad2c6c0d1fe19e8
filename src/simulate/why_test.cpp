#include "simulate/why.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "testing/conversation.hpp"
#include "testing/random_system.hpp"

namespace tideline {
namespace {

using test::Conversation;

TEST(Why, NamesTheFalsePartsWithTheirValues) {
  Conversation talk(R"(byte a = 1, b[3], i = 2;
process P { state s, t; init s; trans
  s -> t { guard a == 1 && b[i] == 1 && i < 2; },
  s -> s { guard a == 1; }; }
process Q { state u; init u; trans u -> u { guard a / b[0] == 1; }; }
system async;
)");
  EXPECT_EQ(talk("why s -> t"),
            "P: s -> t  (line 3) is not enabled\n       b[i] == 1 is false: i = 2, b[2] = 0\n"
            "       i < 2 is false: i = 2\n");
  EXPECT_EQ(talk("why s -> s"), "P: s -> s  (line 4) is enabled: number 1\n");
  EXPECT_EQ(talk("why Q"), "Q: u -> u  (line 5) is enabled: number 2\n");  // it ends in a model error
  EXPECT_EQ(talk("disabled"), "       P: s -> t    b[i] == 1 is false: i = 2, b[2] = 0, and 1 more\n");
}

TEST(Why, NamesTheProcessesThatAreElsewhere) {
  Conversation talk(test::two_processes);
  EXPECT_EQ(talk("why P_1 idle -> want"), "P_1: idle -> want  (line 17) is enabled: number 2\n");
  EXPECT_EQ(talk("why P_0: want"),
            "P_0: want -> wait  (line 8) is not enabled\n       P_0 is at idle, not at want\n");
  EXPECT_EQ(talk("disabled"), "     6 actions begin at another location of their process\n");
  EXPECT_NE(talk("disabled P_1").find("P_1: want -> wait    P_1 is at idle, not at want\n"),
            std::string::npos);
}

TEST(Why, OfManyActionsWithALabelTheClosestCount) {
  Conversation talk(R"(process P { A = a -> B | b -> A; B = c -> C; C = a -> A | b -> C; }
process Q { X = a -> Y | c -> X; Y = a -> X | c -> Y; }
system = P || Q;
)",
                    "m.psl");
  EXPECT_NE(talk("why a").find("a  (line 1) is enabled: number 1\n"), std::string::npos) << talk.said;
  EXPECT_EQ(talk.said.find("not enabled"), std::string::npos) << talk.said;
  EXPECT_EQ(talk("why c"), "c  (line 1) is not enabled\n       P is at A, not at B\n");
}

RC_GTEST_PROP(Why, HasAReasonExactlyForWhatIsNotEnabled, (std::uint64_t seed)) {
  const System system = RandomSystem(seed).take();
  std::mt19937_64 random(seed);
  for (const ErrorSemantics errors : {ErrorSemantics::stop, ErrorSemantics::error_state}) {
    Simulation simulation(system, {.errors = errors, .seed = seed});
    for (int i = 0; i < 10 && !simulation.enabled().empty(); ++i) {
      for (ActionId a = 0; a < system.actions.size(); ++a) {
        ModelError ignored;
        RC_ASSERT(why_not_enabled(simulation.reference(), system, a, simulation.state()).empty() ==
                  simulation.reference().enabled(a, simulation.state(), ignored));
      }
      simulation.take(simulation.random_action());
    }
  }
}

}  // namespace
}  // namespace tideline
