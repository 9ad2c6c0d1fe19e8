// Saturation, breadth-first search and what is derived from them, against explicit search.
#include "symbolic/space/saturation.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "exec/interpreter.hpp"
#include "exec/predicate.hpp"
#include "symbolic/space/facts.hpp"
#include "symbolic/space/formulas.hpp"
#include "symbolic/space/runs.hpp"
#include "symbolic/space/state_space.hpp"
#include "testing/net_families.hpp"
#include "testing/random_system.hpp"
#include "testing/skip_case.hpp"

namespace tideline::symbolic {
namespace {

using State = Values;

using Families = std::vector<std::vector<ActionId>>;

Families each_alone(const System& system) {
  Families families;
  for (ActionId action = 0; action < system.actions.size(); ++action) families.push_back({action});
  return families;
}

/// What explicit search finds out; nothing when there are too many states.
struct Explicit {
  std::map<State, std::size_t> depth;
  std::set<State> deadlocks;
  std::set<std::pair<ActionId, State>> failing;
  std::map<ActionId, std::set<State>> enabled;
  std::multimap<State, State> edges;
  std::uint64_t transitions = 0;
  bool complete = true;

  /// From every state, and for every family, a state can be reached in which an action of the
  /// family is enabled.
  bool all_live(const Families& families) const {
    std::multimap<State, State> back;
    for (const auto& [from, to] : edges) back.emplace(to, from);
    for (const std::vector<ActionId>& family : families) {
      std::set<State> can;
      for (const ActionId action : family)
        if (enabled.contains(action)) can.insert(enabled.at(action).begin(), enabled.at(action).end());
      std::vector<State> open(can.begin(), can.end());
      while (!open.empty()) {
        const State state = open.back();
        open.pop_back();
        for (auto [at, end] = back.equal_range(state); at != end; ++at)
          if (can.insert(at->second).second) open.push_back(at->second);
      }
      if (can.size() != depth.size()) return false;
    }
    return true;
  }

  explicit Explicit(const System& system, std::size_t most = 2000) {
    Interpreter interpreter(Program::compile(system, ErrorSemantics::stop));
    const Layout& layout = interpreter.program().layout();
    std::vector<State> queue{system.initial};
    std::vector<std::byte> packed(layout.size());
    depth[queue[0]] = 0;
    for (std::size_t at = 0; at < queue.size(); ++at) {
      const State state = queue[at];
      bool dead = true;
      layout.pack(state, packed.data());
      interpreter.successors(packed.data(), [&](const Step& step) {
        dead = false;
        ++transitions;
        enabled[step.action].insert(state);
        if (!step.state) {
          failing.insert({step.action, state});
          return;
        }
        const State next = layout.unpack(step.state);
        edges.emplace(state, next);
        if (depth.emplace(next, depth[state] + 1).second) queue.push_back(next);
      });
      if (dead) deadlocks.insert(state);
      if (queue.size() > most) {
        complete = false;
        return;
      }
    }
  }
};

std::set<State> states_of(StateSpace& space, NodeId set) {
  std::set<State> result;
  space.sets().for_each(set, [&](std::span<const Index> v) {
    result.insert(space.levels().layout().unpack(space.levels().state_of(v).data()));
  });
  return result;
}

std::set<State> keys(const std::map<State, std::size_t>& map) {
  std::set<State> result;
  for (const auto& [key, ignored] : map) result.insert(key);
  return result;
}

NodeId single(StateSpace& space, const State& state) {
  std::vector<std::byte> packed(space.levels().layout().size());
  space.levels().layout().pack(state, packed.data());
  const auto vector = space.levels().find_vector(packed.data());
  RC_ASSERT(vector.has_value());
  return space.sets().single(space.levels().all(), *vector);
}

void check_facts(StateSpace& space, const Explicit& truth) {
  Relations& relations = space.relations();
  const NodeId reachable = space.reachable();
  RC_ASSERT(states_of(space, reachable) == keys(truth.depth));
  const Kept dead(space.forest(), deadlocks(relations, reachable));
  RC_ASSERT(states_of(space, dead.id()) == truth.deadlocks);
  const EdgeCount edges = count_edges(relations, reachable);
  RC_ASSERT(edges.states == truth.depth.size());
  RC_ASSERT(edges.transitions == truth.transitions);
  RC_ASSERT(edges.never.size() + truth.enabled.size() == space.system().actions.size());
  std::set<std::pair<ActionId, State>> failing_found;
  for (const auto& [action, set] : failures(relations, reachable))
    for (const State& state : states_of(space, set.id())) failing_found.insert({action, state});
  RC_ASSERT(failing_found == truth.failing);
  if (truth.failing.empty()) {
    Families families = each_alone(space.system());
    RC_ASSERT(all_live(relations, reachable, families) == truth.all_live(families));
    families.push_back({});
    for (std::size_t i = 0; i < families.size(); i += 2)
      families.back().insert(families.back().end(), families[i].begin(), families[i].end());
    families.erase(families.begin(), families.end() - 1);
    RC_ASSERT(all_live(relations, reachable, families) == truth.all_live(families));
  }
}

/// Runs to a few states are as long as the breadth-first depth, and each step is one of the graph. Without
/// patience they may be longer.
void check_runs(StateSpace& space, const Explicit& truth, const Patience& patience, std::size_t few) {
  std::size_t number = 0;
  for (const auto& [state, depth] : truth.depth) {
    if (number++ % (truth.depth.size() / few + 1) != 0) continue;
    const Kept target(space.forest(), single(space, state));
    const Path path = find_run(space, target.id(), patience);
    RC_ASSERT(path.actions.size() >= depth);
    if (depth <= patience.steps) RC_ASSERT(path.actions.size() == depth);
    const Layout& layout = space.levels().layout();
    RC_ASSERT(layout.unpack(path.states.back().data()) == state);
    for (std::size_t i = 0; i < path.actions.size(); ++i) {
      const auto [begin, end] = truth.edges.equal_range(layout.unpack(path.states[i].data()));
      const State next = layout.unpack(path.states[i + 1].data());
      RC_ASSERT(std::any_of(begin, end, [&](const auto& edge) { return edge.second == next; }));
    }
  }
}

/// Backward and constrained saturation: states from which a random set is reached without leaving another.
void check_until(StateSpace& space, const Explicit& truth, std::mt19937& random) {
  Sets& sets = space.sets();
  Forest::Root constraint = space.forest().root(empty), goal = space.forest().root(empty);
  std::set<State> inside, wanted;
  for (const auto& [state, ignored] : truth.depth) {
    const Kept one(space.forest(), single(space, state));
    if (random() % 3 != 0) {
      constraint.set(sets.unite(constraint.id(), one.id()));
      inside.insert(state);
      if (random() % 6 == 0) {
        goal.set(sets.unite(goal.id(), one.id()));
        wanted.insert(state);
      }
    }
  }
  std::set<State> expected = wanted;
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [from, to] : truth.edges)
      if (expected.contains(to) && inside.contains(from)) changed = expected.insert(from).second || changed;
  }
  Saturation<Direction::backward, true> saturation(space.relations());
  const Kept found(space.forest(), saturation.saturate(goal.id(), constraint.id()));
  RC_ASSERT(states_of(space, found.id()) == expected);

  std::set<State> reached = wanted;
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [from, to] : truth.edges)
      if (reached.contains(from) && inside.contains(to)) changed = reached.insert(to).second || changed;
  }
  Saturation<Direction::forward, true> forward(space.relations());
  const Kept further(space.forest(), forward.saturate(goal.id(), constraint.id()));
  RC_ASSERT(states_of(space, further.id()) == reached);
}

void check_system(const System& system, const StateSpaceOptions& options, std::uint32_t seed) {
  const Explicit truth(system, options.forest.collect_always ? 150 : 600);  // collections are slow
  if (test::skip_case(!truth.complete)) RC_SUCCEED("too large");
  std::mt19937 random(seed);
  StateSpace space(system, options);
  space.explore();
  check_facts(space, truth);
  check_runs(space, truth, {}, 12);
  for (const std::size_t steps : {0u, 3u}) check_runs(space, truth, {.steps = steps}, 4);
  check_until(space, truth, random);
}

StateSpaceOptions random_options(std::uint32_t seed) {
  constexpr OrderName names[] = {OrderName::best, OrderName::declared, OrderName::force, OrderName::sloan};
  return {.order = names[seed % 4],
          .grouping = seed / 4 % 2 == 0,
          .groups = {},
          .method = seed / 8 % 3 == 0 ? Method::chaining : Method::saturation,
          .forest = {.collect_always = seed / 24 % 2 == 0}};
}

RC_GTEST_PROP(Saturation, AgreesWithExplicitSearchOnNets, (std::uint32_t seed)) {
  check_system(random_net(seed), random_options(seed), seed);
}

RC_GTEST_PROP(Saturation, AgreesWithExplicitSearchOnSystems, (std::uint32_t seed)) {
  check_system(RandomSystem(seed).take(), random_options(seed), seed);
}

RC_GTEST_PROP(Saturation, AgreesWhenSlotsShareLevelsAtRandom, (std::uint32_t seed)) {
  const System system = seed % 2 == 0 ? random_net(seed) : RandomSystem(seed).take();
  std::mt19937 random(seed);
  StateSpaceOptions options = random_options(seed);
  options.grouping = true;
  options.groups.resize(2);
  for (SlotId s = 0; s < system.slots.size(); ++s)
    if (const auto g = random() % 4; g < 2) options.groups[g].push_back(s);
  std::erase_if(options.groups, [](const auto& group) { return group.empty(); });
  check_system(system, options, seed);
}

RC_GTEST_PROP(Saturation, SurvivesACollectionAtEveryNode, (std::uint32_t seed)) {
  const System system = random_joins(seed, 5);
  const Explicit truth(system);
  StateSpaceOptions options = random_options(seed);
  options.forest.collect_always = true;
  StateSpace space(system, options);
  space.explore();
  check_facts(space, truth);
  check_runs(space, truth, {}, 2);
}

/// All local states of the top level but the first are found while its only event is being fired.
TEST(Saturation, LocalStatesThatAreFoundAreFiredAsWell) {
  NetBuilder net("countdown");
  const SlotId left = net.place("left", 5), done = net.place("done", 0);
  net.transition("tick", {left}, {done});
  const System system = net.take();
  StateSpace space(system, {.order = OrderName::declared, .grouping = false});
  space.explore();
  EXPECT_EQ(space.sets().count(space.reachable()), 6);
}

// --- formulas and greatest values --------------------------------------------------------------------------

class RandomFormula {
 public:
  RandomFormula(const System& system, std::uint32_t seed) : system_(system), random_(seed) {}

  Expr formula(int depth) {
    if (depth == 0) return atom();
    switch (random_() % 5) {
      case 0:
        return Expr::unary(Op::logic_not, formula(depth - 1));
      case 1:
        return atom();
      default: {
        constexpr Op ops[] = {Op::logic_and, Op::logic_or, Op::imply};
        return Expr::binary(ops[random_() % 3], formula(depth - 1), formula(depth - 1));
      }
    }
  }

 private:
  Expr load() { return Expr::load(static_cast<SlotId>(random_() % system_.slots.size())); }
  Expr sum(int depth) {
    if (depth == 0)
      return random_() % 3 == 0 ? Expr::constant(static_cast<std::int64_t>(random_() % 4)) : load();
    constexpr Op ops[] = {Op::add, Op::sub, Op::mul, Op::div, Op::mod};
    return Expr::binary(ops[random_() % 8 == 0 ? 2 + random_() % 3 : random_() % 2], sum(depth - 1),
                        sum(depth - 1));
  }
  Expr atom() {
    if (random_() % 6 == 0) return load();
    return Expr::binary(static_cast<Op>(static_cast<std::uint32_t>(Op::eq) + random_() % 6), sum(2), sum(1));
  }

  const System& system_;
  std::mt19937 random_;
};

RC_GTEST_PROP(Facts, FormulasAndRangesAgreeWithEvaluation, (std::uint32_t seed)) {
  const System system = seed % 2 == 0 ? random_net(seed) : RandomSystem(seed).take();
  const Explicit truth(system, 600);
  if (test::skip_case(!truth.complete)) RC_SUCCEED("too large");
  StateSpace space(system, random_options(seed));
  space.explore();
  Formulas formulas(system, space.levels(), space.sets());
  const Layout& layout = space.levels().layout();
  RandomFormula random(system, seed);
  for (int round = 0; round < 5; ++round) {
    const Expr expr = random.formula(3);
    const Predicate predicate(system, layout, expr);
    std::set<State> expected;
    std::vector<std::byte> packed(layout.size());
    for (const auto& [state, ignored] : truth.depth) {
      ModelErrorKind error = ModelErrorKind::none;
      layout.pack(state, packed.data());
      if (predicate.evaluate(packed.data(), error) != 0) expected.insert(state);
    }
    const Kept found(space.forest(), formulas.satisfying(space.reachable(), expr));
    RC_ASSERT(states_of(space, found.id()) == expected);
  }

  std::mt19937 weight_source(seed);
  std::vector<std::int64_t> weights;
  for (std::size_t s = 0; s < system.slots.size(); ++s)
    weights.push_back(static_cast<std::int64_t>(weight_source() % 5) - 2);
  std::vector<Range> ranges(system.slots.size(), {INT32_MAX, INT32_MIN});
  std::int64_t greatest_weighted = INT64_MIN;
  for (const auto& [values, ignored] : truth.depth) {
    std::int64_t sum = 0;
    for (std::size_t s = 0; s < values.size(); ++s) {
      ranges[s] = {std::min(ranges[s].low, values[s]), std::max(ranges[s].high, values[s])};
      sum += weights[s] * values[s];
    }
    greatest_weighted = std::max(greatest_weighted, sum);
  }
  RC_ASSERT(value_ranges(space.forest(), space.levels(), space.reachable()) == ranges);
  RC_ASSERT(greatest_sum(space.forest(), space.levels(), space.reachable(), weights) == greatest_weighted);
}

/// Switches that are independent: 2^n states, and each can be thrown in every one. With 60 the states fit in
/// 64 bits and the transitions do not.
TEST(Facts, NumbersOfAnySizeAreExact) {
  for (const int count : {1, 20, 59, 60, 63, 64, 200}) {
    NetBuilder net("switches");
    for (int i = 0; i < count; ++i) {
      const SlotId on = net.place(numbered("on", i), 0), off = net.place(numbered("off", i), 1);
      net.transition(numbered("up", i), {off}, {on});
      net.transition(numbered("down", i), {on}, {off});
    }
    const System system = net.take();
    StateSpace space(system, {});
    space.explore();
    const EdgeCount edges = count_edges(space.relations(), space.reachable());
    const mpz_class states = mpz_class(1) << static_cast<unsigned long>(count);
    EXPECT_EQ(edges.states, states);
    EXPECT_EQ(edges.transitions, states * count);
    EXPECT_TRUE(edges.never.empty());
  }
}

TEST(Facts, ATransitionThatFiresOnceIsNotLive) {
  const auto live = [](const System& system) {
    StateSpace space(system, {});
    space.explore();
    return all_live(space.relations(), space.reachable(), each_alone(system));
  };
  EXPECT_TRUE(live(kanban(2)));
  EXPECT_FALSE(live(philosophers(3)));  // each may take one fork
  for (const bool again : {false, true}) {
    NetBuilder net("ring");
    const SlotId a = net.place("a", 1), b = net.place("b", 0), once = net.place("once", 1);
    net.transition("there", {a}, {b});
    net.transition("back", {b}, {a});
    net.transition("aside", {b, once}, again ? std::vector{a, once} : std::vector{a});
    const System system = net.take();
    EXPECT_EQ(live(system), again);
    StateSpace space(system, {});
    space.explore();
    EXPECT_TRUE(all_live(space.relations(), space.reachable(), {{0}, {1, 2}}));
  }
}

// --- families ----------------------------------------------------------------------------------------------

mpz_class states(const System& system, StateSpaceOptions options = {}) {
  StateSpace space(system, options);
  space.explore();
  return space.sets().count(space.reachable());
}

mpz_class lucas(unsigned long n) {
  mpz_class result;
  mpz_lucnum_ui(result.get_mpz_t(), n);
  return result;
}

TEST(Families, PhilosophersAreLucasNumbers) {
  for (const int n : {2, 3, 10, 100, 1000})
    EXPECT_EQ(states(philosophers(n)), lucas(3 * static_cast<unsigned long>(n))) << n;
}

TEST(Families, PhilosophersHaveTwoDeadlocks) {
  const System system = philosophers(50);
  StateSpace space(system, {});
  space.explore();
  space.run([&] {
    const Kept dead(space.forest(), deadlocks(space.relations(), space.reachable()));
    EXPECT_EQ(space.sets().count(dead.id()), 2);
    const Path path = find_run(space, dead.id());
    EXPECT_EQ(path.actions.size(), 100u);
  });
}

TEST(Families, Kanban) {
  const std::pair<int, const char*> known[] = {{1, "160"}, {2, "4600"}, {5, "2546432"}, {10, "1005927208"}};
  for (const auto& [cards, count] : known) EXPECT_EQ(states(kanban(cards)), mpz_class(count)) << cards;
}

TEST(Families, SlottedRing) {
  const std::pair<int, const char*> known[] = {{2, "52"}, {5, "53856"}};
  for (const auto& [stations, count] : known)
    EXPECT_EQ(states(slotted_ring(stations)), mpz_class(count)) << stations;
}

TEST(Families, EveryOrderAndMethodAgrees) {
  const System systems[] = {philosophers(4), kanban(2), slotted_ring(4), manufacturing(2), token_ring(5)};
  for (const System& system : systems) {
    const mpz_class expected = states(system);
    for (const OrderName order : {OrderName::declared, OrderName::force, OrderName::sloan})
      for (const bool grouping : {false, true})
        for (const Method method : {Method::saturation, Method::chaining})
          EXPECT_EQ(
              states(system,
                     {.order = order, .grouping = grouping, .groups = {}, .method = method, .forest = {}}),
              expected)
              << system.name;
  }
}

}  // namespace
}  // namespace tideline::symbolic
