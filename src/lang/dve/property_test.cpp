// Lines 9.7 to 9.11 of docs/semantics-dve.md: how a property process moves with its system.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "exec/interpreter.hpp"
#include "graph/property_product.hpp"
#include "testing/models.hpp"

namespace tideline::dve {
namespace {

struct ProductSpace {
  std::set<std::string> states;  ///< "x L" with the value of x and the location of L
  std::size_t edges = 0;
  std::size_t errors = 0;
};

/// All of the product; x is the system's first variable, a byte.
ProductSpace explore_product(const System& system) {
  PropertyProduct product(Interpreter(Program::compile(system, ErrorSemantics::stop)), *system.property);
  const Layout layout(system);
  ProductSpace space;
  std::set<std::string> seen;
  std::vector<std::vector<std::byte>> open;
  const auto add = [&](const std::byte* state) {
    if (!seen.emplace(reinterpret_cast<const char*>(state), product.state_size()).second) return;
    open.emplace_back(state, state + product.state_size());
    space.states.insert(std::to_string(layout.unpack(state)[0]) + " " +
                        system.property->locations[product.location(state)].name);
  };
  product.initial(add);
  while (!open.empty()) {
    const auto state = open.back();
    open.pop_back();
    product.successors(state.data(), [&](const Step& step) {
      ++space.edges;
      if (step.state)
        add(step.state);
      else
        ++space.errors;
    });
  }
  return space;
}

/// x counts to `steps`; L is as given.
System counting(int steps, const std::string& property) {
  return system_of("byte x; process P { state s; init s; trans s -> s { guard x < " + std::to_string(steps) +
                   "; effect x = x + 1; }; } process L { " + property + " } system async property L;");
}

using States = std::set<std::string>;

TEST(Dve, S9_7_OneStepOfThePropertyWithEveryStepOfTheSystem) {
  const auto space =
      explore_product(counting(1, "state a, b, c; init a; accept b; trans a -> b {}, a -> c {};"));
  EXPECT_EQ(space.states, (States{"0 a", "1 b", "1 c"}));
  EXPECT_EQ(space.edges, 2u);
}

TEST(Dve, S9_8_GuardsAreReadBeforeTheStep) {
  const auto space =
      explore_product(counting(1,
                               "state a, b, c; init a; accept b; trans a -> b { guard x == 0; }, "
                               "a -> c { guard x == 1; };"));
  EXPECT_EQ(space.states, (States{"0 a", "1 b"}));
}

TEST(Dve, S9_9_ThePropertyMayEndTheRun) {
  const auto space =
      explore_product(counting(3, "state a; init a; accept a; trans a -> a { guard x == 0; };"));
  EXPECT_EQ(space.states, (States{"0 a", "1 a"}));
}

TEST(Dve, S9_10_InADeadlockThePropertyMovesAlone) {
  const auto space =
      explore_product(counting(0, "state a, b; init a; accept b; trans a -> b {}, b -> b {};"));
  EXPECT_EQ(space.states, (States{"0 a", "0 b"}));
  EXPECT_EQ(space.edges, 2u);
}

TEST(Dve, S9_11_EffectsComeLastAndErrorsAreNotPassedOver) {
  const auto space = explore_product(
      counting(1,
               "byte seen; state a, b, c; init a; accept b; trans a -> b { effect seen = x; }, "
               "b -> c { guard seen == 1; }, b -> a { guard 1 / 0; }, b -> a { effect seen = 256; };"));
  EXPECT_EQ(space.states, (States{"0 a", "1 b", "1 c"}));
  EXPECT_EQ(space.errors, 2u);
}

}  // namespace
}  // namespace tideline::dve
