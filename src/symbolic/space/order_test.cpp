// Variable orders: the candidates, their cost, and that a bad one does not win.
#include "symbolic/space/order.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <set>

#include "symbolic/space/order_trials.hpp"
#include "testing/net_families.hpp"
#include "testing/random_system.hpp"

namespace tideline::symbolic {
namespace {

mpz_class count(StateSpace& space) {
  return space.sets().count(space.reachable());
}

/// Sum over actions of (top - bottom + 1) * top, straight from the definition.
double cost_by_definition(const System& system, const VariableOrder& order) {
  double cost = 0;
  for (const Action& action : system.actions) {
    std::set<std::size_t> levels;
    for (std::size_t i = 0; i < order.size(); ++i)
      for (const SlotId slot : order[i])
        if (std::ranges::count(action.reads, slot) != 0 || std::ranges::count(action.writes, slot) != 0)
          levels.insert(order.size() - i);
    if (levels.empty()) continue;
    cost += static_cast<double>((*levels.rbegin() - *levels.begin() + 1) * *levels.rbegin());
  }
  return cost;
}

RC_GTEST_PROP(Order, CandidatesArePermutationsOfTheGroupsByCost, (std::uint32_t seed)) {
  const System system = seed % 2 == 0 ? random_net(seed) : RandomSystem(seed).take();
  const Groups groups = find_groups(system);
  std::set<std::vector<SlotId>> expected(groups.begin(), groups.end());
  std::set<SlotId> grouped;
  for (const auto& group : groups) grouped.insert(group.begin(), group.end());
  for (SlotId s = 0; s < system.slots.size(); ++s)
    if (!grouped.contains(s)) expected.insert({s});
  for (const OrderName name : {OrderName::best, OrderName::declared, OrderName::force, OrderName::sloan}) {
    const auto candidates = candidate_orders(system, groups, name);
    RC_ASSERT(!candidates.empty());
    std::set<VariableOrder> different;
    double before = 0;
    for (const ChosenOrder& candidate : candidates) {
      RC_ASSERT(candidate.order.size() == expected.size());
      RC_ASSERT(std::set(candidate.order.begin(), candidate.order.end()) == expected);
      RC_ASSERT(candidate.cost == cost_by_definition(system, candidate.order));
      RC_ASSERT(candidate.cost >= before);
      RC_ASSERT(different.insert(candidate.order).second);
      before = candidate.cost;
    }
  }
}

/// With few requests at first, and then more and more.
mpz_class explore_in_turns(const System& system, const ChosenOrder& order, int& turns) {
  StateSpace space(system, order, {});
  std::uint64_t requests = 8192;
  for (turns = 1;; ++turns, requests += requests / 2) {
    space.forest().set_most_requests(requests);
    try {
      space.explore();
      return count(space);
    } catch (const LimitReached&) {
      EXPECT_EQ(space.reachable(), space.initial());
    }
  }
}

TEST(Order, ExploringGoesOnAfterALimit) {
  for (const System& system : {slotted_ring(14), manufacturing(10), kanban(30)})
    for (const bool grouping : {false, true}) {
      const auto orders =
          candidate_orders(system, grouping ? find_groups(system) : Groups{}, OrderName::best);
      StateSpace at_once(system, orders.front(), {});
      at_once.explore();
      int turns = 0;
      EXPECT_EQ(explore_in_turns(system, orders.back(), turns), count(at_once));
      EXPECT_GT(turns, 1) << system.name;
    }
}

/// Slots on a ring, each of which may grow as long as it is at most as great as the next one: what is new
/// depends on two levels and is learnt.
System stairs(int count, std::int32_t greatest) {
  System system;
  system.name = "stairs";
  for (int i = 0; i < count; ++i) system.add_variable({.name = numbered("x", i)}, {0, greatest}, {0});
  for (SlotId i = 0; i < static_cast<SlotId>(count); ++i) {
    const SlotId next = (i + 1) % static_cast<SlotId>(count);
    Action action{.label = numbered("grow", i)};
    action.guard = conjunction(Expr::binary(Op::le, Expr::load(i), Expr::load(next)),
                               Expr::binary(Op::lt, Expr::load(i), Expr::constant(greatest)));
    action.effects.push_back({.slot = i, .value = Expr::binary(Op::add, Expr::load(i), Expr::constant(1))});
    system.actions.push_back(std::move(action));
  }
  complete(system);
  return system;
}

/// The same with slots that are coupled over levels, so that relations are learnt on the way.
TEST(Order, LearningGoesOnAfterALimit) {
  const System system = stairs(12, 8);
  const auto orders = candidate_orders(system, {}, OrderName::best);
  StateSpace at_once(system, orders.front(), {});
  at_once.explore();
  EXPECT_GT(at_once.relations().tuples_fired(), 0u);
  for (const ChosenOrder& order : orders) {
    int turns = 0;
    EXPECT_EQ(explore_in_turns(system, order, turns), count(at_once)) << order.name;
    EXPECT_GT(turns, 1);
  }
}

ChosenOrder shuffled(ChosenOrder order, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::ranges::shuffle(order.order, random);
  order.name = "shuffled";
  return order;
}

/// Orders that would take for ever, and a good one at the end.
std::vector<ChosenOrder> mostly_bad_orders(const System& system) {
  const ChosenOrder good = candidate_orders(system, find_groups(system), OrderName::best).front();
  std::vector<ChosenOrder> orders;
  for (std::uint32_t seed = 1; seed < 8; ++seed) orders.push_back(shuffled(good, seed));
  orders.push_back(good);
  return orders;
}

TEST(Trials, FindTheGoodOrderAmongBadOnes) {
  const System system = slotted_ring(40);
  const auto orders = mostly_bad_orders(system);
  StateSpace expected(system, orders.back(), {});
  expected.explore();
  StateSpace space = explore_by_trials(system, orders, {.forest = {.most_requests = 1 << 21}});
  EXPECT_EQ(space.order().name, orders.back().name);
  // An order that found all states in a trial has them already.
  EXPECT_NE(space.reachable(), space.initial());
  EXPECT_EQ(count(space), count(expected));
  const mpz_class before = count(space);
  space.explore();
  EXPECT_EQ(count(space), before);
}

TEST(Trials, KeepToTheLimits) {
  const System system = slotted_ring(40);
  const auto orders = mostly_bad_orders(system);
  StateSpace space = explore_by_trials(system, orders, {.forest = {.most_requests = 1 << 16}});
  EXPECT_EQ(space.order().name, orders.back().name);  // it has found most by then
  EXPECT_THROW(space.explore(), LimitReached);

  Budget budget;
  budget.exhaust("enough");
  const StateSpaceOptions no_time{.forest = {.budget = &budget}};
  EXPECT_THROW(explore_by_trials(system, orders, no_time).explore(), LimitReached);
}

// --- threads -----------------------------------------------------------------------------------------------

/// Systems for which trials take several rounds, with orders good and bad.
struct Candidates {
  System system;
  std::vector<ChosenOrder> orders;
};
Candidates random_candidates(std::uint32_t seed) {
  std::mt19937 random(seed);
  const int size = static_cast<int>(random() % 4);
  Candidates result;
  switch (random() % 4) {
    case 0:
      result.system = slotted_ring(8 + 2 * size);
      break;
    case 1:
      result.system = manufacturing(6 + size);
      break;
    case 2:
      result.system = kanban(5 + 3 * size);
      break;
    default:
      result.system = stairs(9 + size, 5);
  }
  result.orders = candidate_orders(result.system, find_groups(result.system), OrderName::best);
  for (auto bad = random() % 4; bad != 0; --bad)
    result.orders.push_back(shuffled(result.orders.front(), static_cast<std::uint32_t>(random())));
  std::ranges::shuffle(result.orders, random);
  for (std::size_t i = 0; i < result.orders.size(); ++i) result.orders[i].name += numbered(" ", i);
  return result;
}

/// What threads must not change: the order, the states, and how they were found.
struct TrialResult {
  std::string order;
  mpz_class states;
  std::uint64_t nodes, lookups;
  bool operator==(const TrialResult&) const = default;
};

/// Nothing: a limit was reached.
std::optional<TrialResult> try_orders(const Candidates& candidates, unsigned threads,
                                      std::optional<std::uint64_t> memory) {
  Budget budget({.memory_bytes = memory});
  StateSpace space =
      explore_by_trials(candidates.system, candidates.orders,
                        {.threads = threads, .forest = {.budget = &budget, .most_requests = 1 << 18}});
  if (!budget.reason().empty()) return std::nullopt;
  const ForestFigures figures = space.forest().figures();
  return TrialResult{space.order().name, count(space), figures.peak_nodes, figures.cache_lookups};
}

RC_GTEST_PROP(Trials, DoNotDependOnTheNumberOfThreads, (std::uint32_t seed)) {
  const Candidates candidates = random_candidates(seed);
  const unsigned threads = 2 + seed % 3;
  RC_ASSERT(try_orders(candidates, threads, {}) == try_orders(candidates, 1, {}));
  // With little memory some trials, or all, have to be made one after the other.
  const std::uint64_t memory = 2 * (resident_bytes() + (seed % 32 << 20));
  if (const auto expected = try_orders(candidates, 1, memory))
    RC_ASSERT(try_orders(candidates, threads, memory) == expected);
}

TEST(Trials, KeepToTheLimitsWithThreads) {
  const System system = slotted_ring(40);
  auto orders = mostly_bad_orders(system);
  orders.pop_back();
  for (const unsigned threads : {2u, 3u, 4u}) {
    std::atomic<int> looks = 0;
    Budget budget({.may_go_on = [&] { return ++looks < 5; }});
    EXPECT_THROW(
        explore_by_trials(system, orders, {.threads = threads, .forest = {.budget = &budget}}).explore(),
        LimitReached);
    EXPECT_EQ(budget.reason(), "another engine was first");
    Budget short_time({.seconds = 0.05});
    EXPECT_THROW(
        explore_by_trials(system, orders, {.threads = threads, .forest = {.budget = &short_time}}).explore(),
        LimitReached);
    EXPECT_EQ(short_time.reason(), "time limit of 0.05 s reached");
    Budget little_memory({.memory_bytes = resident_bytes() + (8 << 20)});
    EXPECT_THROW(explore_by_trials(system, orders, {.threads = threads, .forest = {.budget = &little_memory}})
                     .explore(),
                 LimitReached);
    EXPECT_NE(little_memory.reason().find("memory limit"), std::string::npos);
  }
}

}  // namespace
}  // namespace tideline::symbolic
