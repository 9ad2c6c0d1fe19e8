// Unbounded nets: what is recognised is compared with Karp and Miller's tree, and proofs are fired again.
#include "lang/pnml/unbounded.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "testing/nets.hpp"
#include "testing/skip_case.hpp"

namespace tideline::pnml {
namespace {

enum class Judgement { bounded, unbounded, too_large };

/// The tree of Karp and Miller as they describe it, for nets without inhibitor and reset arcs; it ends with
/// the first place that gets infinitely many tokens.
class Tree {
 public:
  explicit Tree(const Net& net) : net_(net) {}

  Judgement judge() {
    branch_ = {initial_marking(net_)};
    return grow();
  }

 private:
  Judgement grow() {
    if (++nodes_ > 100'000 || branch_.size() > 1000) return Judgement::too_large;
    for (const Transition& t : net_.transitions) {
      const auto next = fire(t, branch_.back());
      if (!next) continue;
      for (const Marking& before : branch_)
        if (before != *next && std::ranges::equal(before, *next, std::less_equal<>{}))
          return Judgement::unbounded;
      if (std::ranges::find(branch_, *next) != branch_.end()) continue;
      branch_.push_back(*next);
      const Judgement below = grow();
      branch_.pop_back();
      if (below != Judgement::bounded) return below;
    }
    return Judgement::bounded;
  }

  const Net& net_;
  std::vector<Marking> branch_;
  std::size_t nodes_ = 0;
};

/// "" when the proof can be fired and repeated, and says what grows.
std::string flaw(const Net& net, const Pump& pump) {
  Marking marking = initial_marking(net);
  const auto fire_all = [&](const std::vector<TransitionId>& sequence) {
    for (const TransitionId t : sequence) {
      auto next = fire(net.transitions[t], marking);
      if (!next) return false;
      marking = std::move(*next);
    }
    return true;
  };
  if (!fire_all(pump.prefix)) return "the prefix cannot be fired";
  if (pump.grows.empty()) return "nothing grows";
  for (int round = 0; round < 20; ++round) {
    const Marking before = marking;
    if (!fire_all(pump.sequence)) return fmt::format("the sequence cannot be fired {} times", round + 1);
    for (PlaceId p = 0; p < net.places.size(); ++p) {
      if (marking[p] < before[p]) return fmt::format("place {} has lost tokens", p);
      const bool grows = std::ranges::find(pump.grows, p) != pump.grows.end();
      if (grows != (marking[p] > before[p]) && (grows || round > 0))
        return fmt::format("place {} {}", p, grows ? "does not grow" : "grows as well");
    }
  }
  return "";
}

std::optional<Pump> pump_of(const Net& net) {
  return find_pump(net, to_system(net));
}

Transition moves(std::string id, std::vector<PlaceId> from, std::vector<PlaceId> to) {
  Transition t{.id = std::move(id)};
  for (const PlaceId p : from) t.consumes.push_back({p, 1});
  for (const PlaceId p : to) t.produces.push_back({p, 1});
  normalise(t);
  return t;
}

TEST(Unbounded, RandomNetsAreRecognisedAsKarpAndMillerSay) {
  int unbounded = 0, bounded = 0;
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    Net net = random_net(seed);
    for (Transition& t : net.transitions) {
      t.inhibitors.clear();
      t.resets.clear();
    }
    const Judgement judgement = Tree(net).judge();
    if (test::skip_case(judgement == Judgement::too_large)) continue;
    ++(judgement == Judgement::unbounded ? unbounded : bounded);
    const auto pump = pump_of(net);
    ASSERT_EQ(pump.has_value(), judgement == Judgement::unbounded) << "seed " << seed << "\n" << to_pnml(net);
    if (pump) {
      ASSERT_EQ(flaw(net, *pump), "") << "seed " << seed << "\n" << to_pnml(net);
    }
  }
  EXPECT_GT(unbounded, 3000);
  EXPECT_GT(bounded, 3000);
}

/// A net in which transitions mostly give back what they take, and more, with an inhibitor or a reset arc.
Net random_growing_net(std::uint64_t seed) {
  Net net = random_net(seed);
  std::mt19937_64 random(seed);
  const auto some_place = [&] { return static_cast<PlaceId>(random() % net.places.size()); };
  for (Transition& t : net.transitions) {
    for (const Arc& a : t.consumes)
      if (random() % 8 != 0) t.produces.push_back(a);
    t.produces.push_back({some_place(), 1});
    for (Arc& a : t.inhibitors) a.weight += 4;
  }
  for (Place& p : net.places) p.initial += 2;
  Transition& odd = net.transitions[random() % net.transitions.size()];
  if (random() % 2 == 0)
    odd.inhibitors.push_back({some_place(), 5});
  else
    odd.resets.push_back(some_place());
  for (Transition& t : net.transitions) normalise(t);
  return net;
}

// Not all unbounded nets are found, but every proof must hold.
TEST(Unbounded, ProofsHoldWithInhibitorAndResetArcs) {
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    const Net net = random_growing_net(seed);
    const auto pump = pump_of(net);
    if (test::skip_case(!pump)) continue;
    ASSERT_EQ(flaw(net, *pump), "") << "seed " << seed << "\n" << to_pnml(net);
  }
}

TEST(Unbounded, AProofIsAsShortAsItCanBe) {
  const Net net{
      .id = "n",
      .places = {{.id = "start", .initial = 1}, {.id = "idle"}, {.id = "busy"}, {.id = "done"}},
      .transitions = {moves("finish", {2}, {1, 3}), moves("begin", {1}, {2}), moves("boot", {0}, {1})}};
  const auto pump = pump_of(net);
  ASSERT_TRUE(pump);
  EXPECT_EQ(pump->prefix, (std::vector<TransitionId>{2}));
  EXPECT_EQ(pump->sequence, (std::vector<TransitionId>{1, 0}));
  EXPECT_EQ(pump->grows, (std::vector<PlaceId>{3}));
}

TEST(Unbounded, MoreTokensElsewhereWouldBeNeeded) {
  // Three tokens for two: it could be repeated for ever if it could begin.
  Transition more{.id = "more", .consumes = {{0, 2}}, .produces = {{0, 3}}};
  Net net{.id = "n", .places = {{.id = "p", .initial = 1}}, .transitions = {more}};
  EXPECT_FALSE(pump_of(net));
  net.places[0].initial = 2;
  EXPECT_TRUE(pump_of(net));
}

TEST(Unbounded, InhibitorAndResetArcsEndWhatWouldBeEndless) {
  Net net{.id = "n", .places = {{.id = "p"}}, .transitions = {moves("t", {}, {0})}};
  net.transitions[0].inhibitors = {{0, 5}};
  EXPECT_FALSE(pump_of(net));
  net.transitions[0].inhibitors.clear();
  net.transitions[0].resets = {0};
  EXPECT_FALSE(pump_of(net));
  // Another place grows beside it.
  net.places.push_back({.id = "q"});
  net.transitions[0].produces.push_back({1, 1});
  const auto pump = pump_of(net);
  ASSERT_TRUE(pump);
  EXPECT_EQ(pump->grows, (std::vector<PlaceId>{1}));
}

/// `count` processes that go round through `length` places, written place by place; each round of the last
/// one leaves a token behind if `leaks`.
Net rings(std::uint32_t count, std::uint32_t length, bool leaks) {
  Net net{.id = "rings"};
  for (std::uint32_t at = 0; at < length; ++at)
    for (std::uint32_t ring = 0; ring < count; ++ring)
      net.places.push_back({.id = fmt::format("p{}_{}", ring, at), .initial = at == 0 ? 1u : 0u});
  const auto place = [&](std::uint32_t ring, std::uint32_t at) { return (at % length) * count + ring; };
  for (std::uint32_t at = 0; at < length; ++at)
    for (std::uint32_t ring = 0; ring < count; ++ring)
      net.transitions.push_back(
          moves(fmt::format("t{}_{}", ring, at), {place(ring, at)}, {place(ring, at + 1)}));
  net.places.push_back({.id = "left"});
  if (leaks) {
    net.transitions.back().produces.push_back({count * length, 1});
    normalise(net.transitions.back());
  }
  return net;
}

TEST(Unbounded, WhatIsHiddenAmongManyMarkingsIsFound) {
  const Net net = rings(30, 12, true);  // 12^30 markings without the leak
  const auto pump = pump_of(net);
  ASSERT_TRUE(pump);
  EXPECT_EQ(flaw(net, *pump), "");
  EXPECT_TRUE(pump->prefix.empty());
  EXPECT_EQ(pump->sequence.size(), 12u);
  EXPECT_FALSE(pump_of(rings(30, 12, false)));
}

}  // namespace
}  // namespace tideline::pnml
