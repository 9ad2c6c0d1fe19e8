// Acceptance of lassos, on a counter modulo 3 watched by small automata; and against brute force.
#include "trace/acceptance.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

namespace tideline {
namespace {

/// One variable x without actions: acceptance looks at the states only.
System one_variable() {
  System system;
  system.add_variable({.name = "x"}, byte_range, {0});
  return system;
}

Trace lasso(const std::vector<int>& word, std::size_t loop) {
  Trace run;
  for (const int x : word) run.states.push_back({x});
  run.actions.assign(word.size(), no_action);
  run.loop = loop;
  return run;
}

Expr x_is(int value) {
  return Expr::binary(Op::eq, Expr::load(0), Expr::constant(value));
}

/// Infinitely often x == 1: q0 waits, q1 is visited after each 1.
PropertyProcess infinitely_often_one() {
  PropertyProcess p;
  p.locations = {{.name = "q0"}, {.name = "q1"}};
  p.accepting = {{1}};
  for (LocationId from : {0u, 1u}) {
    p.edges.push_back({.from = from, .to = 1, .guard = x_is(1)});
    p.edges.push_back({.from = from, .to = 0, .guard = Expr::unary(Op::logic_not, x_is(1))});
  }
  return p;
}

TEST(Acceptance, IsAboutTheCycleAndNotThePrefix) {
  const System system = one_variable();
  const PropertyProcess p = infinitely_often_one();
  EXPECT_TRUE(accepts(system, p, lasso({0, 1, 2}, 0)));
  EXPECT_TRUE(accepts(system, p, lasso({0, 1, 2}, 1)));
  EXPECT_FALSE(accepts(system, p, lasso({0, 1, 2}, 2)));
  EXPECT_FALSE(accepts(system, p, lasso({1, 1, 1, 0}, 3)));
}

TEST(Acceptance, NeedsEverySetAndCountsMarksOnEdges) {
  const System system = one_variable();
  PropertyProcess p;
  p.locations = {{.name = "q"}};
  p.accepting = {{}, {}};
  p.edges.push_back({.from = 0, .to = 0, .guard = x_is(1), .marks = 1});
  p.edges.push_back({.from = 0, .to = 0, .guard = x_is(2), .marks = 2});
  p.edges.push_back({.from = 0, .to = 0, .guard = x_is(0)});
  EXPECT_TRUE(accepts(system, p, lasso({0, 1, 2}, 0)));
  EXPECT_FALSE(accepts(system, p, lasso({2, 0, 1}, 1)));
  p.accepting.clear();
  EXPECT_TRUE(accepts(system, p, lasso({0}, 0)));
  EXPECT_FALSE(accepts(system, p, lasso({3}, 0)));
}

TEST(Acceptance, MayGoAroundMoreThanOnce) {
  // q0 -> q1 -> q2 -> q0, one step each: three times around a cycle of one state.
  const System system = one_variable();
  PropertyProcess p;
  p.locations = {{.name = "q0"}, {.name = "q1"}, {.name = "q2"}};
  p.accepting = {{2}};
  for (LocationId l = 0; l < 3; ++l) p.edges.push_back({.from = l, .to = (l + 1) % 3});
  EXPECT_TRUE(accepts(system, p, lasso({0}, 0)));
}

TEST(Acceptance, ChecksTheVariablesOfTheProperty) {
  System system = one_variable();
  system.add_variable({.name = "L.seen"}, byte_range, {0});
  PropertyProcess p;
  p.locations = {{.name = "q"}};
  p.accepting = {{0}};
  p.slots = {1};
  p.edges.push_back({.from = 0, .to = 0, .effects = {{.slot = 1, .value = Expr::constant(7)}}});
  Trace run = lasso({0, 0}, 1);
  run.states = {{0, 0}, {0, 7}};
  EXPECT_TRUE(accepts(system, p, run));
  run.states = {{0, 0}, {0, 6}};
  EXPECT_FALSE(accepts(system, p, run));
}

/// The textbook way: nodes are pairs of position and location; an accepting cycle collects all marks.
bool brute_force(const System& system, const PropertyProcess& p, const Trace& run) {
  const Reference reference(system);
  const std::size_t q = p.locations.size(), n = run.states.size() * q;
  const auto next = [&](std::size_t i) { return i + 1 < run.states.size() ? i + 1 : *run.loop; };
  struct Arc {
    std::size_t to;
    std::uint32_t marks;
  };
  std::vector<std::vector<Arc>> arcs(n);
  for (std::size_t i = 0; i < run.states.size(); ++i)
    for (const auto& e : p.edges)
      if (reference.evaluate(e.guard, run.states[i]).value != 0)
        arcs[i * q + e.from].push_back({next(i) * q + e.to, e.marks | p.marks_of(e.from)});
  std::vector<std::vector<bool>> reach(n, std::vector<bool>(n));
  for (std::size_t a = 0; a < n; ++a)
    for (const Arc& arc : arcs[a]) reach[a][arc.to] = true;
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b)
        if (reach[a][k] && reach[k][b]) reach[a][b] = true;
  for (std::size_t s = 0; s < n; ++s) {
    if (!reach[s][s] || (s != p.initial && !reach[p.initial][s])) continue;
    std::uint32_t marks = 0;
    for (std::size_t a = 0; a < n; ++a)
      for (const Arc& arc : arcs[a])
        if ((a == s || reach[s][a]) && (arc.to == s || reach[arc.to][s])) marks |= arc.marks;
    if (marks == p.all_marks()) return true;
  }
  return false;
}

RC_GTEST_PROP(Acceptance, AgreesWithBruteForce, (std::uint64_t seed)) {
  std::mt19937_64 random(seed);
  const auto below = [&](unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(random); };
  const System system = one_variable();
  for (int round = 0; round < 20; ++round) {
    PropertyProcess p;
    const unsigned locations = 1 + below(4), sets = below(3);
    p.locations.resize(locations);
    p.accepting.resize(sets);
    for (auto& set : p.accepting)
      if (below(2)) set.push_back(below(locations));
    for (unsigned e = below(9); e > 0; --e)
      p.edges.push_back({.from = below(locations),
                         .to = below(locations),
                         .guard = below(3) ? x_is(static_cast<int>(below(2))) : Expr::constant(1),
                         .marks = sets ? below(1u << sets) : 0});
    std::vector<int> word(1 + below(5));
    for (int& x : word) x = static_cast<int>(below(2));
    const Trace run = lasso(word, below(static_cast<unsigned>(word.size())));
    RC_ASSERT(accepts(system, p, run) == brute_force(system, p, run));
  }
}

}  // namespace
}  // namespace tideline
