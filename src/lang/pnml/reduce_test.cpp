// Reduced nets against the nets they come from, on all their markings: values of observed places, deadlocks,
// runs up to repetition, bisimulation; and each run of the reduced net fired in the given one.
#include "lang/pnml/reduce.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "testing/nets.hpp"
#include "testing/skip_case.hpp"

namespace tideline::pnml {
namespace {

/// All markings of a net, numbered from the initial one on.
struct Graph {
  std::vector<Marking> markings;
  std::vector<std::vector<std::pair<std::size_t, TransitionId>>> next;
};

/// Nothing when there are too many.
std::optional<Graph> explore(const Net& net, std::size_t most = 300) {
  Graph graph{{initial_marking(net)}, {}};
  std::map<Marking, std::size_t> numbers{{graph.markings[0], 0}};
  for (std::size_t s = 0; s < graph.markings.size(); ++s) {
    graph.next.emplace_back();
    for (TransitionId t = 0; t < net.transitions.size(); ++t) {
      const auto after = fire(net.transitions[t], graph.markings[s]);
      if (!after) continue;
      const auto [at, fresh] = numbers.try_emplace(*after, graph.markings.size());
      if (fresh) graph.markings.push_back(*after);
      graph.next[s].emplace_back(at->second, t);
    }
    if (graph.markings.size() > most) return std::nullopt;
  }
  return graph;
}

/// What is seen of each marking: a number for the tokens of the places.
using Letters = std::vector<std::size_t>;
using Alphabet = std::map<Marking, std::size_t>;

Letters letters_of(const Graph& graph, const std::vector<PlaceId>& places, Alphabet& alphabet) {
  Letters letters;
  for (const Marking& marking : graph.markings) {
    Marking seen;
    for (const PlaceId p : places) seen.push_back(marking[p]);
    letters.push_back(alphabet.try_emplace(seen, alphabet.size()).first->second);
  }
  return letters;
}

bool has_deadlock(const Graph& graph) {
  return std::ranges::any_of(graph.next, [](const auto& edges) { return edges.empty(); });
}

/// Markings that can stay at their letter for ever: by a deadlock, or by a cycle.
std::vector<bool> resting(const Graph& graph, const Letters& letters) {
  std::vector<bool> rests(graph.markings.size(), true);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t s = 0; s < rests.size(); ++s) {
      const bool stays = graph.next[s].empty() || std::ranges::any_of(graph.next[s], [&](const auto& edge) {
                           return letters[edge.first] == letters[s] && rests[edge.first];
                         });
      if (rests[s] && !stays) {
        rests[s] = false;
        changed = true;
      }
    }
  }
  return rests;
}

using Set = std::set<std::size_t>;

/// With all that is reached from there without a change of letter.
Set closed(const Graph& graph, const Letters& letters, Set set) {
  std::vector<std::size_t> open(set.begin(), set.end());
  while (!open.empty()) {
    const std::size_t s = open.back();
    open.pop_back();
    for (const auto& [to, t] : graph.next[s])
      if (letters[to] == letters[s] && set.insert(to).second) open.push_back(to);
  }
  return set;
}

/// The markings after the next change, by the letter after it.
std::map<std::size_t, Set> changes(const Graph& graph, const Letters& letters, const Set& set) {
  std::map<std::size_t, Set> result;
  for (const std::size_t s : set)
    for (const auto& [to, t] : graph.next[s])
      if (letters[to] != letters[s]) result[letters[to]].insert(to);
  for (auto& [letter, after] : result) after = closed(graph, letters, after);
  return result;
}

/// Whether maximal runs of both show the same sequences of letters, but for repetitions. A sequence of
/// letters is followed in both; as graphs are finite, those that agree in all finite parts agree.
bool same_runs(const Graph& a, const Letters& of_a, const Graph& b, const Letters& of_b) {
  const auto rests_a = resting(a, of_a), rests_b = resting(b, of_b);
  const auto rests = [](const Set& set, const std::vector<bool>& where) {
    return std::ranges::any_of(set, [&](std::size_t s) { return where[s]; });
  };
  if (of_a[0] != of_b[0]) return false;
  std::set<std::pair<Set, Set>> seen;
  std::vector<std::pair<Set, Set>> open{{closed(a, of_a, {0}), closed(b, of_b, {0})}};
  while (!open.empty()) {
    const auto [in_a, in_b] = open.back();
    open.pop_back();
    if (!seen.emplace(in_a, in_b).second) continue;
    if (rests(in_a, rests_a) != rests(in_b, rests_b)) return false;
    const auto next_a = changes(a, of_a, in_a), next_b = changes(b, of_b, in_b);
    if (next_a.size() != next_b.size()) return false;
    for (const auto& [letter, after] : next_a) {
      const auto other = next_b.find(letter);
      if (other == next_b.end()) return false;
      open.emplace_back(after, other->second);
    }
  }
  return true;
}

/// Whether the initial markings are bisimilar, by refining a partition of all markings.
bool bisimilar(const Graph& a, Letters of_a, const Graph& b, Letters of_b) {
  for (std::size_t classes = 0;;) {
    std::map<std::pair<std::size_t, Set>, std::size_t> numbers;
    const auto refined = [&](const Graph& graph, const Letters& old) {
      Letters result;
      for (std::size_t s = 0; s < old.size(); ++s) {
        Set next;
        for (const auto& [to, t] : graph.next[s]) next.insert(old[to]);
        result.push_back(numbers.try_emplace({old[s], next}, numbers.size()).first->second);
      }
      return result;
    };
    of_a = refined(a, of_a);
    of_b = refined(b, of_b);
    if (numbers.size() == classes) return of_a[0] == of_b[0];
    classes = numbers.size();
  }
}

/// Nets to which rules apply: tokens mostly move, and a net is extended by what a rule removes.
class NetGenerator {
 public:
  explicit NetGenerator(std::uint64_t seed) : random_(seed) {}

  Net net() {
    net_ = {.id = "random"};
    for (std::uint32_t p = 2 + below(4); p > 0; --p) place(below(4) == 0 ? 2 : below(2));
    for (std::uint32_t t = 1 + below(5); t > 0; --t) {
      Transition fresh{.id = "t"};
      const std::uint32_t moved = 1 + below(2);
      arcs(fresh.consumes, moved);
      arcs(fresh.produces, below(6) == 0 ? below(3) : moved);
      if (below(8) == 0) arcs(fresh.tests, 1);
      if (below(8) == 0) arcs(fresh.inhibitors, 1);
      if (below(16) == 0) fresh.resets.push_back(some_place());
      add(std::move(fresh));
    }
    for (std::uint32_t i = below(5); i > 0; --i) extend();
    return std::move(net_);
  }

  std::vector<bool> some_places(const Net& net) {
    std::vector<bool> places(net.places.size());
    for (std::size_t i = below(3); i > 0; --i)
      places[below(static_cast<std::uint32_t>(places.size()))] = true;
    return places;
  }

  std::uint32_t below(std::uint32_t n) {
    return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(random_);
  }

 private:
  PlaceId place(std::uint32_t tokens) {
    net_.places.push_back({.id = fmt::format("p{}", net_.places.size()), .initial = tokens});
    return static_cast<PlaceId>(net_.places.size() - 1);
  }
  PlaceId some_place() { return below(static_cast<std::uint32_t>(net_.places.size())); }
  TransitionId some_transition() { return below(static_cast<std::uint32_t>(net_.transitions.size())); }
  std::uint32_t weight() { return below(5) == 0 ? 2 : 1; }
  void arcs(std::vector<Arc>& list, std::uint32_t number) {
    for (; number > 0; --number) list.push_back({some_place(), weight()});
  }
  void add(Transition t) {
    normalise(t);
    t.id = fmt::format("t{}", net_.transitions.size());
    net_.transitions.push_back(std::move(t));
  }

  void extend() {
    switch (below(6)) {
      case 0:
        return split(some_transition());
      case 1: {  // a place like another, or one that is filled more often
        const PlaceId like = some_place();
        const PlaceId fresh = place(net_.places[like].initial + below(2));
        const std::uint32_t times = weight();
        for (Transition& t : net_.transitions) {
          copy(t.consumes, like, fresh, times);
          copy(t.produces, like, fresh, times + (below(8) == 0 ? 1 : 0));
          copy(t.tests, like, fresh, times);
          normalise(t);
        }
        net_.places[fresh].initial *= times;
        return;
      }
      case 2: {  // a transition like another, with a condition more
        Transition t = net_.transitions[some_transition()];
        if (below(2) == 0) arcs(t.tests, 1);
        if (below(2) == 0 && !t.inhibitors.empty()) t.inhibitors[0].weight = 1 + below(3);
        return add(std::move(t));
      }
      case 3: {  // one that changes nothing, or only takes
        Transition t{.id = "t"};
        arcs(t.consumes, 1 + below(2));
        if (below(2) == 0) t.produces = t.consumes;
        return add(std::move(t));
      }
      case 4: {  // a counter that nothing reads, or that never gets empty
        const PlaceId fresh = place(below(3));
        for (Transition& t : net_.transitions) {
          const std::uint32_t kind = below(6);
          if (kind == 0) t.produces.push_back({fresh, 1});
          if (kind == 1) t.tests.push_back({fresh, 1});
          if (kind == 2) t.consumes.push_back({fresh, 1}), t.produces.push_back({fresh, 1});
          if (kind == 3 && below(3) == 0) t.inhibitors.push_back({fresh, 1 + below(2)});
          normalise(t);
        }
        return;
      }
      default:
        return split(some_transition());
    }
  }

  static void copy(std::vector<Arc>& list, PlaceId from, PlaceId to, std::uint32_t times) {
    for (std::size_t i = list.size(); i > 0; --i)
      if (list[i - 1].place == from) list.push_back({to, list[i - 1].weight * times});
  }

  /// Two transitions, with a place between them, instead of one; sometimes with others at that place.
  void split(TransitionId number) {
    Transition second{.id = "t"};
    const PlaceId between = place(below(6) == 0 ? 1 + below(2) : 0);
    const std::uint32_t tokens = weight();
    Transition& first = net_.transitions[number];
    if (below(2) == 0) {
      second.produces = std::exchange(first.produces, {{between, tokens}});
      if (below(3) == 0) std::swap(second.tests, first.tests);
    } else {
      second.produces = std::exchange(first.produces, {});
      first.produces.push_back({between, tokens});
      if (first.consumes.size() > 1) {
        second.consumes.push_back(first.consumes.back());
        first.consumes.pop_back();
      }
    }
    second.consumes.push_back({between, below(8) == 0 ? 3 - tokens : tokens});
    add(second);
    if (below(3) == 0) {
      Transition other{.id = "t", .consumes = second.consumes};
      arcs(other.produces, 1);
      add(std::move(other));
    }
    if (below(4) == 0) {
      Transition other{.id = "t", .produces = {{between, tokens}}};
      arcs(other.consumes, 1);
      add(std::move(other));
    }
  }

  std::mt19937_64 random_;
  Net net_;
};

/// The run of the given net that the transitions of the reduced one stand for; nothing: it cannot be fired.
std::optional<Marking> fire_all(const Net& net, const std::vector<TransitionId>& transitions,
                                Marking marking) {
  for (const TransitionId t : transitions) {
    auto after = fire(net.transitions[t], marking);
    if (!after) return std::nullopt;
    marking = std::move(*after);
  }
  return marking;
}

bool is_deadlock(const Net& net, const Marking& marking) {
  return std::ranges::none_of(net.transitions,
                              [&](const Transition& t) { return fire(t, marking).has_value(); });
}

/// Follows the edges of a spanning tree of the reduced graph in the given net: markings must agree in all
/// places that are left; a deadlock must lead to one.
void follow(const Net& net, const std::vector<bool>& observed, const Reduced& reduced, const Graph& graph,
            Keeps keeps) {
  std::vector<std::optional<Marking>> given(graph.markings.size());
  given[0] = fire_all(net, reduced.prefix, initial_marking(net));
  ASSERT_TRUE(given[0]);
  for (std::size_t s = 0; s < graph.markings.size(); ++s) {
    ASSERT_TRUE(given[s]);
    for (PlaceId p = 0; p < reduced.given_place.size(); ++p) {
      const PlaceId place = reduced.given_place[p];
      ASSERT_EQ(graph.markings[s][p], place == no_place ? 0 : (*given[s])[place]);
    }
    for (const auto& [to, t] : graph.next[s]) {
      const auto after = fire_all(net, reduced.given_transitions(t), *given[s]);
      ASSERT_TRUE(after) << "transition " << t;
      if (!given[to]) given[to] = after;
    }
    if (!graph.next[s].empty() || keeps.states_only()) continue;
    Marking last = *given[s];
    for (const auto& sequence : reduced.before_deadlock())
      while (const auto after = fire_all(net, sequence, last)) last = *after;
    ASSERT_TRUE(is_deadlock(net, last));
    for (PlaceId p = 0; p < observed.size(); ++p)
      if (observed[p]) {
        ASSERT_EQ(last[p], (*given[s])[p]);
      }
  }
}

/// Goes at random until a marking of the reduced net returns, and repeats that loop in the given net until a
/// marking returns there.
void close_a_loop(const Net& net, const Reduced& reduced, const Graph& graph, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::map<std::size_t, std::size_t> met;  // marking to the number of steps before it
  std::vector<TransitionId> steps;
  std::size_t s = 0;
  while (met.try_emplace(s, steps.size()).second) {
    if (graph.next[s].empty()) return;
    const auto& [to, t] = graph.next[s][random() % graph.next[s].size()];
    steps.push_back(t);
    s = to;
  }
  auto marking = fire_all(net, reduced.prefix, initial_marking(net));
  const auto take = [&](std::size_t from, std::size_t to) {
    for (; from < to && marking; ++from)
      marking = fire_all(net, reduced.given_transitions(steps[from]), *marking);
  };
  take(0, met[s]);
  std::set<Marking> seen;
  while (marking && seen.insert(*marking).second) {
    ASSERT_LT(seen.size(), 4u) << "the loop does not close";
    take(met[s], steps.size());
  }
  ASSERT_TRUE(marking);
}

constexpr Keeps all_keeps[] = {{}, {.deadlocks = true}, {.runs = true}, {.steps = true}};

void compare(const Net& net, const std::vector<bool>& observed, Keeps keeps, RuleUses& uses) {
  const auto given = explore(net);
  if (test::skip_case(!given)) return;
  const Reduced reduced = reduce(net, observed, keeps);
  for (std::size_t r = 0; r < reduction_rules; ++r) uses[r] += reduced.uses[r];
  const auto smaller = explore(reduced.net, 1000);
  ASSERT_TRUE(smaller);
  std::vector<PlaceId> places, places_now;
  for (PlaceId p = 0; p < observed.size(); ++p)
    if (observed[p]) {
      places.push_back(p);
      places_now.push_back(reduced.place_of[p]);
      ASSERT_NE(reduced.place_of[p], no_place);
    }
  Alphabet alphabet;
  const Letters letters = letters_of(*given, places, alphabet);
  const Letters letters_now = letters_of(*smaller, places_now, alphabet);
  EXPECT_EQ(Set(letters.begin(), letters.end()), Set(letters_now.begin(), letters_now.end()));
  if (!keeps.states_only()) {
    EXPECT_EQ(has_deadlock(*given), has_deadlock(*smaller));
  }
  if (keeps.runs || keeps.steps) {
    EXPECT_TRUE(same_runs(*given, letters, *smaller, letters_now));
  }
  if (keeps.steps) {
    EXPECT_TRUE(bisimilar(*given, letters, *smaller, letters_now));
  }
  follow(net, observed, reduced, *smaller, keeps);
  if (keeps.runs || keeps.steps) close_a_loop(net, reduced, *smaller, smaller->markings.size());
}

class RandomNets : public testing::TestWithParam<std::size_t> {};

TEST_P(RandomNets, AreReducedToWhatKeepsTheAnswers) {
  const Keeps keeps = all_keeps[GetParam()];
  RuleUses uses = {};
  for (std::uint64_t seed = 0; seed < 20000 && !HasFailure(); ++seed) {
    NetGenerator generator(seed);
    const Net net = seed % 8 == 0 ? random_net(seed) : generator.net();
    compare(net, generator.some_places(net), keeps, uses);
    if (HasFailure()) ADD_FAILURE() << "seed " << seed << "\n" << to_pnml(net);
  }
  for (std::size_t r = 0; r < reduction_rules; ++r) {
    const auto rule = static_cast<ReductionRule>(r);
    const bool agglomerates =
        rule == ReductionRule::pre_agglomeration || rule == ReductionRule::post_agglomeration;
    const bool allowed = rule == ReductionRule::irrelevant_node      ? keeps.states_only()
                         : rule == ReductionRule::useless_transition ? !keeps.runs && !keeps.steps
                                                                     : !agglomerates || !keeps.steps;
    RecordProperty(std::string(to_string(rule)), static_cast<int>(uses[r]));
    EXPECT_EQ(uses[r] > 20, allowed) << to_string(rule) << ": " << uses[r];
  }
}

INSTANTIATE_TEST_SUITE_P(Reduce, RandomNets, testing::Values(0, 1, 2, 3));

// --- single facts

Transition moves(std::vector<Arc> from, std::vector<Arc> to) {
  return {.id = "t", .consumes = std::move(from), .produces = std::move(to)};
}

std::uint64_t uses(const Reduced& reduced, ReductionRule rule) {
  return reduced.uses[static_cast<std::size_t>(rule)];
}

TEST(Reduce, CountersWithoutBoundStayWhereLoopsMustClose) {
  Net net{.id = "n", .places = {{.id = "a", .initial = 1}, {.id = "b"}, {.id = "sum"}}};
  net.transitions = {moves({{0, 1}}, {{1, 1}, {2, 1}}), moves({{1, 1}}, {{0, 1}})};
  const std::vector<bool> observed{true, true, false};
  for (const Keeps keeps : all_keeps) {
    const bool loops = keeps.runs || keeps.steps;
    EXPECT_EQ(reduce(net, observed, keeps).place_of[2] != no_place, loops);
  }
  net.transitions[1].consumes.push_back({2, 1});  // more than enough of it
  net.transitions[0].produces[1].weight = 2;
  for (const Keeps keeps : all_keeps) {
    const bool loops = keeps.runs || keeps.steps;
    EXPECT_EQ(uses(reduce(net, observed, keeps), ReductionRule::dominated_place), loops ? 0u : 1u);
  }
}

TEST(Reduce, ClaimsOfTheFileProveNothing) {
  Net net{.id = "n", .places = {{.id = "a", .initial = 1}, {.id = "b"}, {.id = "c"}}, .safe = true};
  net.transitions = {moves({{0, 1}}, {{1, 2}}), moves({{1, 2}}, {{2, 1}})};
  EXPECT_EQ(uses(reduce(net, {false, false, true}, {.steps = true}), ReductionRule::dead_transition), 0u);
}

TEST(Reduce, APlaceIsLeft) {
  Net net{.id = "n", .places = {{.id = "a", .initial = 1}}, .transitions = {moves({{0, 1}}, {{0, 1}})}};
  for (const Keeps keeps : all_keeps) {
    const Reduced reduced = reduce(net, {false}, keeps);
    EXPECT_EQ(reduced.given_place, std::vector<PlaceId>{no_place});
    EXPECT_EQ(reduced.net.places.size(), 1u);
  }
}

TEST(Reduce, LongChainsTakeLittleTime) {
  constexpr PlaceId length = 50'000;
  Net net{.id = "n", .places = {{.id = "p", .initial = 1}}};
  for (PlaceId p = 1; p <= length; ++p) {
    net.places.push_back({.id = "p"});
    net.transitions.push_back(moves({{p - 1, 1}}, {{p, 1}}));
  }
  std::vector<bool> observed(net.places.size());
  observed.back() = true;
  const Reduced reduced = reduce(net, observed, {.runs = true});
  EXPECT_LE(reduced.net.transitions.size(), 10u);
  std::size_t fired = reduced.prefix.size();
  for (TransitionId t = 0; t < reduced.net.transitions.size(); ++t)
    fired += reduced.given_transitions(t).size();
  EXPECT_EQ(fired, length);
}

}  // namespace
}  // namespace tideline::pnml
