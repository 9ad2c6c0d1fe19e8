// Diagrams against sets of vectors in a std::set.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "symbolic/diagrams/forest.hpp"
#include "symbolic/diagrams/sets.hpp"

namespace tideline::symbolic {
namespace {

using Vector = std::vector<Index>;
using Naive = std::set<Vector>;

constexpr std::uint32_t level_list[] = {3, 2, 1};

/// Indices are small most of the time and sometimes far apart, so that both forms of nodes occur.
Vector random_vector(std::mt19937& random) {
  Vector v;
  for (int k = 0; k < 3; ++k)
    v.push_back(static_cast<Index>(random() % 8 == 0 ? random() % 700 : random() % 4));
  return v;
}

Naive naive_of(const Sets& sets, NodeId set) {
  Naive result;
  sets.for_each(set, [&](std::span<const Index> v) { result.insert(Vector(v.begin(), v.end())); });
  return result;
}

void check_random_operations(std::uint32_t seed, ForestOptions options) {
  std::mt19937 random(seed);
  Forest forest(options);
  Sets sets(forest);
  std::vector<Forest::Root> roots(4, forest.root(empty));
  std::vector<Naive> naive(4);
  for (int step = 0; step < 60; ++step) {
    const std::size_t a = random() % 4, b = random() % 4, c = random() % 4;
    switch (random() % 6) {
      case 0:
        roots[c].set(sets.unite(roots[a].id(), roots[b].id()));
        naive[c] = [&] {
          Naive result = naive[a];
          result.insert(naive[b].begin(), naive[b].end());
          return result;
        }();
        break;
      case 1:
      case 2: {
        const bool keep = random() % 2 == 0;
        roots[c].set(keep ? sets.intersect(roots[a].id(), roots[b].id())
                          : sets.subtract(roots[a].id(), roots[b].id()));
        Naive result;
        for (const Vector& v : naive[a])
          if (naive[b].contains(v) == keep) result.insert(v);
        naive[c] = result;
        break;
      }
      default:
        for (int i = 0; i < 10; ++i) {
          const Vector v = random_vector(random);
          const Kept single(forest, sets.single(level_list, v));
          roots[a].set(sets.unite(roots[a].id(), single.id()));
          naive[a].insert(v);
        }
    }
    RC_ASSERT(naive_of(sets, roots[c].id()) == naive[c]);
    RC_ASSERT(sets.count(roots[a].id()) == naive[a].size());
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 4; ++j)
        RC_ASSERT((roots[i].id() == roots[j].id()) == (naive[i] == naive[j]));
    const Vector probe = random_vector(random);
    RC_ASSERT(sets.contains(roots[a].id(), probe) == naive[a].contains(probe));
    if (!naive[a].empty()) RC_ASSERT(sets.pick(roots[a].id()) == *naive[a].begin());
  }
}

RC_GTEST_PROP(Diagram, AgreesWithSetsOfVectors, (std::uint32_t seed)) {
  check_random_operations(seed, {});
}

RC_GTEST_PROP(Diagram, SurvivesACollectionAtEveryNode, (std::uint32_t seed)) {
  check_random_operations(seed, {.collect_always = true});
}

TEST(Diagram, UnreachableNodesAreCollected) {
  Forest forest;
  Sets sets(forest);
  {
    const Forest::Root root = forest.root(sets.single(level_list, Vector{1, 2, 3}));
    forest.collect();
    EXPECT_EQ(forest.live_nodes(), 3u);
    EXPECT_EQ(naive_of(sets, root.id()), Naive({{1, 2, 3}}));
  }
  forest.collect();
  EXPECT_EQ(forest.live_nodes(), 0u);
}

TEST(Diagram, ANodeOfTwoChildrenTakesSixteenBytes) {
  Forest forest;
  const std::uint64_t before = forest.figures().bytes;
  forest.make(1, std::vector<NodeId>{unit, unit});
  EXPECT_EQ(forest.figures().bytes - before, 16u);
}

TEST(Diagram, LongNodesInBothForms) {
  Forest forest;
  std::vector<NodeId> all(2000, unit), some(2000, empty);
  for (std::size_t i = 0; i < some.size(); i += 3) some[i] = unit;
  const NodeId full = forest.make(1, all), sparse = forest.make(1, some);
  EXPECT_FALSE(forest.view(full).sparse);
  EXPECT_TRUE(forest.view(sparse).sparse);
  for (Index i = 0; i < 2010; ++i) {
    EXPECT_EQ(forest.child(full, i) != empty, i < 2000);
    EXPECT_EQ(forest.child(sparse, i) != empty, i < 2000 && i % 3 == 0);
  }
  EXPECT_EQ(forest.make(1, all), full);
  EXPECT_EQ(forest.make(1, some), sparse);
}

TEST(Diagram, CountsAreExactBeyond64Bits) {
  Forest forest;
  Sets sets(forest);
  NodeId node = unit;
  for (std::uint32_t k = 1; k <= 200; ++k) node = forest.make(k, std::vector<NodeId>{node, node});
  mpz_class expected;
  mpz_ui_pow_ui(expected.get_mpz_t(), 2, 200);
  EXPECT_EQ(sets.count(node), expected);
  const NodeId roots[] = {node};
  EXPECT_EQ(forest.count_nodes(roots), 200u);
}

TEST(Diagram, TheBudgetEndsAnOperation) {
  Budget budget({.memory_bytes = 1, .seconds = {}, .interrupted = nullptr, .on_status = {}});
  Forest forest({.budget = &budget});
  EXPECT_THROW(
      {
        for (Index i = 0; i < 100'000; ++i) forest.make_single(1, i, unit);
      },
      LimitReached);
}

}  // namespace
}  // namespace tideline::symbolic
