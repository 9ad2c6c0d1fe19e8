// Which processes move, and the marks that follow, on systems built by hand.
#include "graph/fair_product.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "exec/interpreter.hpp"

namespace tideline {
namespace {

static_assert(FairGraph<FairProduct<Interpreter>>);
static_assert(Graph<WeaklyFair<FairProduct<Interpreter>>>);

constexpr SlotId turn = 0;

Expr turn_is(int value) {
  return Expr::binary(Op::eq, Expr::load(turn), Expr::constant(value));
}

/// Four processes with one location each, of which the second, Idle, takes part in nothing. `turn`
/// is in 0..2.
///   alone  A, when turn is 0: turn becomes 1        together  A and B, when turn is 1: turn becomes 0
///   stop   C, when turn is 0: turn becomes 2        fail      B, when turn is 1: turn becomes 3, an error
System four_processes() {
  System system;
  system.add_variable({.name = "turn"}, {0, 2}, {0});
  for (const std::string name : {"A", "Idle", "B", "C"}) {
    const auto id = static_cast<ComponentId>(system.components.size());
    system.components.push_back({.name = name, .location_slot = id + 1, .locations = {{.name = "l"}}});
    system.add_variable({.name = name, .owner = id, .is_location = true}, {0, 1}, {0});
  }
  const auto add = [&](std::string label, std::vector<ComponentId> who, int from, int to) {
    Action action{.label = std::move(label), .guard = turn_is(from)};
    for (const ComponentId c : who) action.participants.push_back({.component = c});
    action.effects.push_back({.slot = turn, .value = Expr::constant(to)});
    system.actions.push_back(std::move(action));
  };
  add("alone", {0}, 0, 1);
  add("together", {0, 2}, 1, 0);
  add("stop", {3}, 0, 2);
  add("fail", {2}, 1, 3);
  complete(system);
  return system;
}

/// One location that everything belongs to, and two edges, one of which has the first of two sets.
PropertyProcess anything() {
  PropertyProcess property;
  property.locations = {{.name = "q"}};
  property.accepting = {{}, {0}};
  property.edges.push_back({.from = 0, .to = 0});
  property.edges.push_back({.from = 0, .to = 0, .marks = 1});
  return property;
}

Interpreter interpreter(const System& system, ErrorSemantics errors = ErrorSemantics::stop) {
  return Interpreter(Program::compile(system, errors));
}

/// A step as "label from > to marks", where marks are in octal: processes, then sets.
using Steps = std::multiset<std::string>;

Steps all_steps(const System& system, const PropertyProcess& property) {
  WeaklyFair product(FairProduct(interpreter(system), property, fair_parties(system)));
  Steps result;
  std::set<std::string> seen;
  std::vector<std::vector<std::byte>> work;
  const auto add = [&](const std::byte* s) {
    if (seen.emplace(reinterpret_cast<const char*>(s), product.state_size()).second)
      work.emplace_back(s, s + product.state_size());
  };
  const Layout layout(system);
  const auto show = [&](const std::byte* s) {
    return s ? std::to_string(layout.unpack(s)[0]) : std::string("error");
  };
  product.initial(add);
  while (!work.empty()) {
    const auto state = work.back();
    work.pop_back();
    product.successors(state.data(), [&](const Step& step) {
      const std::string label = step.action == no_action ? "-" : system.actions[step.action].label;
      std::string marks;
      for (int bit = 4; bit >= 0; --bit) marks += (step.marks >> bit & 1) != 0 ? '1' : '0';
      result.insert(label + " " + show(state.data()) + " > " + show(step.state) + " " + marks);
      EXPECT_EQ(step.state == nullptr, step.error != ModelErrorKind::none);
      if (step.state) add(step.state);
    });
  }
  return result;
}

TEST(FairProduct, NumbersTheProcessesThatDoSomething) {
  const System system = four_processes();
  const PropertyProcess property = anything();
  const FairProduct product(interpreter(system), property, fair_parties(system));
  EXPECT_EQ(product.all_processes(), 0b111u);
  EXPECT_EQ(product.participants(0), 0b001u);
  EXPECT_EQ(product.participants(1), 0b011u);
  EXPECT_EQ(product.participants(2), 0b100u);
  EXPECT_EQ(product.participants(3), 0b010u);
  EXPECT_EQ(product.participants(no_action), 0u);
}

TEST(WeaklyFair, MarksStepsForProcessesThatMoveOrCannot) {
  const System system = four_processes();
  const PropertyProcess property = anything();
  EXPECT_EQ(WeaklyFair(FairProduct(interpreter(system), property, fair_parties(system))).all_marks(),
            0b11111u);
  // Of the marks the last two are the property's: the location is in the second set, one edge in the first.
  // Before them come C, B and A. Where turn is 0, B is not enabled; where it is 1, C is not; where it is 2,
  // no process is.
  const Steps expected{
      "alone 0 > 1 01110",    "alone 0 > 1 01111",     //
      "stop 0 > 2 11010",     "stop 0 > 2 11011",      //
      "together 1 > 0 11110", "together 1 > 0 11111",  //
      "fail 1 > error 11010", "fail 1 > error 11011",  //
      "- 2 > 2 11110",        "- 2 > 2 11111",
  };
  EXPECT_EQ(all_steps(system, property), expected);
}

TEST(WeaklyFair, KeepsTheRegionsOfTheProperty) {
  const System system = four_processes();
  PropertyProcess property = anything();
  property.locations.push_back({.name = "dead end"});
  property.edges.push_back({.from = 0, .to = 1});
  WeaklyFair product(FairProduct(interpreter(system), property, fair_parties(system)));
  std::set<Region> regions;
  product.initial([&](const std::byte* state) {
    regions.insert(product.region(state));
    std::vector<std::byte> copy(state, state + product.state_size());
    product.successors(copy.data(), [&](const Step& step) { regions.insert(product.region(step.state)); });
  });
  EXPECT_EQ(regions.size(), 2u);
  EXPECT_TRUE(regions.contains(no_region));
}

/// This many processes that do nothing but step.
System many_processes(std::uint32_t count) {
  System system;
  for (ComponentId c = 0; c < count; ++c) {
    const std::string name = "P_" + std::to_string(c);
    system.components.push_back({.name = name, .location_slot = c, .locations = {{.name = "l"}}});
    system.add_variable({.name = name, .owner = c, .is_location = true}, {0, 1}, {0});
    system.actions.push_back({.label = name, .participants = {{.component = c}}});
  }
  complete(system);
  return system;
}

std::string refusal(const auto& construct) {
  try {
    construct();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  return "";
}

TEST(WeaklyFair, HasRoomFor32Sets) {
  const PropertyProcess property = anything();  // has two of them
  const System most = many_processes(30), more = many_processes(31);
  WeaklyFair product(FairProduct(interpreter(most), property, fair_parties(most)));
  EXPECT_EQ(product.all_marks(), ~std::uint32_t{0});
  std::uint32_t marks = 0;
  product.initial([&](const std::byte* state) {
    const std::vector<std::byte> copy(state, state + product.state_size());
    product.successors(copy.data(), [&](const Step& step) { marks |= step.marks; });
  });
  EXPECT_EQ(marks, ~std::uint32_t{0});
  const std::string message =
      refusal([&] { WeaklyFair(FairProduct(interpreter(more), property, fair_parties(more))); });
  EXPECT_NE(message.find("31 processes and a property with 2 acceptance sets takes 33"), std::string::npos)
      << message;
}

TEST(FairProduct, HasRoomFor64Processes) {
  const PropertyProcess property = anything();
  const System most = many_processes(64), more = many_processes(65);
  const FairProduct product(interpreter(most), property, fair_parties(most));
  EXPECT_EQ(product.all_processes(), ~ProcessSet{0});
  EXPECT_EQ(product.participants(63), ProcessSet{1} << 63);
  const std::string message = refusal([&] { FairProduct(interpreter(more), property, fair_parties(more)); });
  EXPECT_NE(message.find("65 processes"), std::string::npos) << message;
}

}  // namespace
}  // namespace tideline
