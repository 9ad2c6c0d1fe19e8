// Checks of a smaller net: what is said about the original one.
#include "checking/reduce_net.hpp"

#include <gtest/gtest.h>

namespace tideline {
namespace {

Model chain() {
  return read_model({"chain.pnml", R"(<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
<net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
<place id="a"><initialMarking><text>1</text></initialMarking></place><place id="b"/><place id="c"/>
<transition id="t"/><arc id="1" source="a" target="t"/><arc id="2" source="t" target="b"/>
<transition id="u"/><arc id="3" source="b" target="u"/><arc id="4" source="u" target="c"/>
</page></net></pnml>)"});
}

TEST(ReducedCheck, SaysWhyARunCouldNotBeTranslated) {
  const Model model = chain();
  Plan plan;
  plan.states.properties = {{.name = "d", .kind = PropertyKind::deadlock, .formula = ""}};
  const ReducedCheck reduced(model, plan, {});
  Outcome outcome;
  outcome.results.push_back({.property = plan.states.properties.front(),
                             .verdict = Verdict::violated,
                             .reason = "",
                             .path = PathBuilder([](Budget&) -> Path {
                               throw LimitReached("rank 1 has ended early: interrupted");
                             })});
  Budget budget;
  reduced.restore(outcome, budget);
  EXPECT_EQ(outcome.results.front().verdict, Verdict::unknown);
  EXPECT_FALSE(outcome.results.front().path);
  EXPECT_NE(outcome.results.front().reason.find("rank 1 has ended early: interrupted"), std::string::npos)
      << outcome.results.front().reason;
}

}  // namespace
}  // namespace tideline
