#include "report/graph_export.hpp"

#include <gtest/gtest.h>

#include <set>

#include "testing/two_counters.hpp"

namespace tideline {
namespace {

using namespace two_counters;

std::optional<StateGraph> graph_of(const System& s, std::size_t max_states = 1000) {
  Budget budget;
  return build_graph(s, ErrorSemantics::stop, max_states, budget);
}

// The same graph by the reference semantics, the obvious way.
TEST(GraphExport, AgreesWithTheReference) {
  const System s = system();
  const Reference reference(s);
  std::vector<Values> order{s.initial};
  std::set<Values> seen{s.initial};
  std::size_t edges = 0, failures = 0;
  for (std::size_t i = 0; i < order.size(); ++i)
    for (ActionId a : reference.enabled(order[i])) {
      const auto firing = reference.fire(a, order[i]);
      if (firing.error.kind != ModelErrorKind::none) {
        ++failures;
        continue;
      }
      ++edges;
      if (seen.insert(firing.state).second) order.push_back(firing.state);
    }
  const auto graph = graph_of(s);
  ASSERT_TRUE(graph);
  EXPECT_EQ(std::set<Values>(graph->states.begin(), graph->states.end()), seen);
  EXPECT_EQ(graph->states.front(), s.initial);
  EXPECT_EQ(graph->edges.size(), edges);
  EXPECT_EQ(graph->failures.size(), failures);
  EXPECT_GT(failures, 0U);
  for (const auto& e : graph->edges)
    EXPECT_EQ(reference.fire(e.action, graph->states[e.from]).state, graph->states[e.to]);
}

TEST(GraphExport, RefusesPastTheBound) {
  const System s = system();
  const std::size_t size = graph_of(s)->states.size();
  EXPECT_TRUE(graph_of(s, size));
  EXPECT_FALSE(graph_of(s, size - 1));
}

TEST(GraphExport, WritesAldebaranAndDot) {
  System s = system();
  s.actions[once].label = "say \"hi\\\"";
  const auto graph = graph_of(s);
  const std::string aut = to_aut(s, *graph);
  EXPECT_EQ(aut.find("des (0, " + std::to_string(graph->edges.size()) + ", " +
                     std::to_string(graph->states.size()) + ")\n(0, \"A: idle -> work\", 1)\n"),
            0U)
      << aut;
  EXPECT_NE(aut.find("\"say \\\"hi\\\\\\\"\""), std::string::npos) << aut;
  const std::string dot = to_dot(s, *graph);
  EXPECT_EQ(dot.find("digraph \"two_counters\" {\n"), 0U);
  EXPECT_NE(dot.find("0 [label=\"0 initial\"]"), std::string::npos);
  EXPECT_NE(dot.find("1 [label=\"1 flag[0]=1 A=work\"]"), std::string::npos) << dot;
  EXPECT_NE(dot.find("-> error [label=\"A: idle -> work: array index out of bounds\", color=red]"),
            std::string::npos);
}

}  // namespace
}  // namespace tideline
