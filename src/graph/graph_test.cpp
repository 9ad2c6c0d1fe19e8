#include "graph/graph.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "exec/interpreter.hpp"
#include "graph/property_product.hpp"

namespace tideline {
namespace {

static_assert(Graph<Interpreter>);
static_assert(Graph<PropertyProduct<Interpreter>>);

/// A counter x that goes 0, 1, 2 and stops, watched by a property process q0 -> q1 (when x == 1), q1 -> q1;
/// in q0 it may wait. Its own variable `seen` counts its steps.
System counter_with_property(bool may_wait) {
  System system;
  system.components.push_back({.name = "P", .location_slot = 0, .locations = {{.name = "a"}}});
  system.add_variable({.name = "P", .owner = 0, .is_location = true}, {0, 1}, {});
  system.add_variable({.name = "x"}, byte_range, {0});
  system.add_variable({.name = "W.seen"}, byte_range, {0});
  Action step{.label = "step"};
  step.participants.push_back(
      {.component = 0, .guard = Expr::binary(Op::lt, Expr::load(1), Expr::constant(2))});
  step.effects.push_back({.slot = 1, .value = Expr::binary(Op::add, Expr::load(1), Expr::constant(1))});
  system.actions.push_back(step);

  PropertyProcess watch;
  watch.name = "W";
  watch.locations = {{.name = "q0"}, {.name = "q1"}};
  watch.accepting = {{1}};
  watch.slots = {2};
  const Assignment count{.slot = 2, .value = Expr::binary(Op::add, Expr::load(2), Expr::constant(1))};
  const Expr at_one = Expr::binary(Op::eq, Expr::load(1), Expr::constant(1));
  if (may_wait) watch.edges.push_back({.from = 0, .to = 0, .effects = {}});
  watch.edges.push_back({.from = 0, .to = 1, .guard = at_one, .effects = {count}});
  watch.edges.push_back({.from = 1, .to = 1, .effects = {}});
  system.property = watch;
  complete(system);
  return system;
}

/// Every reachable product state as "x seen location", with the number of its successors.
std::map<std::string, int> reachable(const System& system) {
  PropertyProduct product(Interpreter(Program::compile(system, ErrorSemantics::stop)), *system.property);
  std::set<std::string> seen;
  std::vector<std::vector<std::byte>> work;
  const auto add = [&](const std::byte* s) {
    if (seen.emplace(reinterpret_cast<const char*>(s), product.state_size()).second)
      work.emplace_back(s, s + product.state_size());
  };
  product.initial(add);
  std::map<std::string, int> result;
  while (!work.empty()) {
    const auto state = work.back();
    work.pop_back();
    int successors = 0;
    product.successors(state.data(), [&](const Step& step) {
      EXPECT_EQ(step.marks, product.location(state.data()) == 1 ? 1u : 0u);
      ++successors;
      add(step.state);
    });
    result[std::to_string(std::to_integer<int>(state[1])) + std::to_string(std::to_integer<int>(state[2])) +
           std::to_string(product.location(state.data()))] = successors;
  }
  return result;
}

TEST(PropertyProduct, ReadsGuardsBeforeTheStepAndMovesAloneInADeadlock) {
  // x == 1 is seen in the state before the step to 2; in x == 2, a deadlock, the property goes on alone.
  const std::map<std::string, int> expected{{"000", 1}, {"100", 2}, {"200", 1}, {"211", 1}};
  EXPECT_EQ(reachable(counter_with_property(true)), expected);
}

TEST(PropertyProduct, HasNoSuccessorWhereThePropertyHasNone) {
  const std::map<std::string, int> expected{{"000", 0}};
  EXPECT_EQ(reachable(counter_with_property(false)), expected);
}

}  // namespace
}  // namespace tideline
