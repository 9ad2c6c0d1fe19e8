// Conditions of any kind: random automata with random conditions, as HOA text, read and converted, against a
// definition of acceptance that does not use conversions.
#include "logic/acceptance.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "logic/hoa.hpp"
#include "logic/translate.hpp"
#include "testing/ltl.hpp"

namespace tideline {
namespace {

using testing::Lasso;

const std::vector<std::string> ab = {"a", "b"};
constexpr unsigned sets = 3;

/// Which sets, and which complements of sets (bits from `sets` on), have edges that come infinitely often.
using Recurring = std::uint32_t;

struct Condition {
  std::string text;
  std::function<bool(Recurring)> holds;
};

Condition random_condition(int size) {
  if (size <= 0) {
    const auto choice = *rc::gen::inRange(0, 20);
    if (choice == 0) return {"t", [](Recurring) { return true; }};
    if (choice == 1) return {"f", [](Recurring) { return false; }};
    const auto set = *rc::gen::inRange(0u, sets);
    const bool infinite = choice % 2 == 0, complement = choice < 6;
    const Recurring bit = 1u << (complement ? set + sets : set);
    return {fmt::format("{}({}{})", infinite ? "Inf" : "Fin", complement ? "!" : "", set),
            [=](Recurring seen) { return ((seen & bit) != 0) == infinite; }};
  }
  const int left = *rc::gen::inRange(0, size);
  const Condition a = random_condition(left), b = random_condition(size - 1 - left);
  const bool conjunction = *rc::gen::arbitrary<bool>();
  return {fmt::format("({} {} {})", a.text, conjunction ? '&' : '|', b.text), [=](Recurring seen) {
            return conjunction ? a.holds(seen) && b.holds(seen) : a.holds(seen) || b.holds(seen);
          }};
}

struct Label {
  std::string text;
  std::function<bool(std::uint64_t)> matches;
};
const std::vector<Label> labels = {{"t", [](std::uint64_t) { return true; }},
                                   {"0", [](std::uint64_t v) { return (v & 1) != 0; }},
                                   {"!0", [](std::uint64_t v) { return (v & 1) == 0; }},
                                   {"1", [](std::uint64_t v) { return (v & 2) != 0; }},
                                   {"0&!1 | !0&1", [](std::uint64_t v) { return v == 1 || v == 2; }}};

struct Edge {
  unsigned from, to, label;
  std::uint32_t marks;
};

struct Given {
  unsigned states;
  std::vector<unsigned> starts;
  std::vector<std::uint32_t> state_marks;
  std::vector<Edge> edges;
  Condition condition;
};

Given random_automaton() {
  Given g;
  g.states = *rc::gen::inRange(1u, 5u);
  const auto state = [&] { return *rc::gen::inRange(0u, g.states); };
  for (int i = *rc::gen::element(1, 1, 1, 2); i > 0; --i) g.starts.push_back(state());
  const bool on_states = *rc::gen::arbitrary<bool>();
  for (unsigned i = 0; i < g.states; ++i)
    g.state_marks.push_back(on_states ? *rc::gen::inRange(0u, 1u << sets) : 0);
  for (int i = *rc::gen::inRange(1, 10); i > 0; --i)
    g.edges.push_back({state(), state(), *rc::gen::inRange(0u, static_cast<unsigned>(labels.size())),
                       on_states ? 0 : *rc::gen::inRange(0u, 1u << sets)});
  g.condition = random_condition(*rc::gen::inRange(0, 6));
  return g;
}

std::string marks_text(std::uint32_t marks) {
  std::string text;
  for (unsigned set = 0; set < sets; ++set)
    if ((marks >> set) & 1) text += fmt::format(" {}", set);
  return fmt::format("{{{}}}", text);
}

std::string to_text(const Given& g) {
  std::string text = fmt::format("HOA: v1\nStates: {}\n", g.states);
  for (const unsigned start : g.starts) text += fmt::format("Start: {}\n", start);
  text += fmt::format("AP: 2 \"a\" \"b\"\nAcceptance: {} {}\n--BODY--\n", sets, g.condition.text);
  for (unsigned state = 0; state < g.states; ++state) {
    text += fmt::format("State: {} {}\n", state, marks_text(g.state_marks[state]));
    for (const Edge& edge : g.edges)
      if (edge.from == state)
        text += fmt::format("[{}] {} {}\n", labels[edge.label].text, edge.to, marks_text(edge.marks));
  }
  return text + "--END--\n";
}

/// Some choice of what recurs satisfies the condition, and a closed walk over exactly that is reachable.
bool accepts(const Given& g, const Lasso& lasso) {
  struct Move {
    std::size_t from, to;
    Recurring ext;
  };
  const std::size_t width = lasso.letters.size(), size = g.states * width;
  std::vector<Move> moves;
  for (const Edge& edge : g.edges)
    for (std::size_t at = 0; at < width; ++at) {
      if (!labels[edge.label].matches(lasso.letters[at] & 3)) continue;
      const std::uint32_t marks = edge.marks | g.state_marks[edge.from];
      moves.push_back({edge.from * width + at, edge.to * width + lasso.next(at),
                       marks | ((~marks & ((1u << sets) - 1)) << sets)});
    }
  const auto reach = [&](std::vector<bool> seen, Recurring allowed) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const Move& move : moves)
        if (seen[move.from] && !seen[move.to] && (move.ext & ~allowed) == 0) changed = seen[move.to] = true;
    }
    return seen;
  };
  constexpr Recurring all = (1u << (2 * sets)) - 1;
  std::vector<bool> start(size, false);
  for (const unsigned state : g.starts) start[state * width] = true;
  const std::vector<bool> reachable = reach(start, all);
  for (Recurring chosen = 1; chosen <= all; ++chosen) {
    if (!g.condition.holds(chosen)) continue;
    for (std::size_t at = 0; at < size; ++at) {
      if (!reachable[at]) continue;
      std::vector<bool> one(size, false);
      one[at] = true;
      const std::vector<bool> after = reach(one, chosen);
      Recurring seen = 0;
      for (const Move& move : moves) {
        if (!after[move.from] || (move.ext & ~chosen) != 0) continue;
        std::vector<bool> target(size, false);
        target[move.to] = true;
        if (reach(target, chosen)[at]) seen |= move.ext;
      }
      if (seen == chosen) return true;
    }
  }
  return false;
}

RC_GTEST_PROP(Acceptance, ConversionKeepsTheLanguage, ()) {
  const Given given = random_automaton();
  const std::string text = to_text(given);
  const Automaton read = read_hoa({"", text});
  const Automaton buchi = to_buchi(read);
  RC_ASSERT(buchi.sets <= 1u && has_state_marks(buchi));
  for (int i = 0; i < 6; ++i) {
    const Lasso lasso = testing::random_lasso();
    RC_LOG() << text << testing::to_string(lasso);
    const bool expected = accepts(given, lasso);
    RC_ASSERT(testing::accepts(read, lasso, ab) == expected);
    RC_ASSERT(testing::accepts(buchi, lasso, ab) == expected);
  }
}

/// Edges with a are in set 0, edges with b in set 1.
Automaton letters(const std::string& condition) {
  return read_hoa(
      {"", fmt::format("HOA: v1 States: 1 Start: 0 AP: 2 \"a\" \"b\" Acceptance: {} --BODY-- State: 0 "
                       "[0&!1] 0 {{0}} [!0&1] 0 {{1}} [!0&!1] 0 --END--",
                       condition)});
}

TEST(Acceptance, NamedConditionsMeanWhatTheyMean) {
  const Lasso only_a{{2, 1}, 1}, only_b{{1, 2}, 1}, in_turn{{1, 2}, 0}, neither{{1, 2, 0}, 2};
  const auto accepted = [&](const std::string& condition) {
    const Automaton automaton = letters(condition);
    std::string result;
    for (const Lasso& lasso : {only_a, only_b, in_turn, neither})
      result += testing::accepts(automaton, lasso, ab) ? '1' : '0';
    return result;
  };
  EXPECT_EQ(accepted("2 Inf(0)"), "1010");
  EXPECT_EQ(accepted("2 Fin(0)"), "0101");           // co-Büchi
  EXPECT_EQ(accepted("2 Fin(0) & Inf(1)"), "0100");  // Rabin
  EXPECT_EQ(accepted("2 Fin(0) | Inf(1)"), "0111");  // Streett, and parity min odd
  EXPECT_EQ(accepted("2 Inf(0) | Fin(1)"), "1011");  // parity min even
  EXPECT_EQ(accepted("2 Inf(0) | Inf(1)"), "1110");  // generalised co-Büchi's dual
  EXPECT_EQ(accepted("2 Fin(0) & Fin(1)"), "0001");
  EXPECT_EQ(accepted("2 Inf(0) & Inf(1)"), "0010");
  EXPECT_EQ(accepted("2 Inf(!0)"), "0111");
  EXPECT_EQ(accepted("2 Fin(!0)"), "1000");
}

TEST(Acceptance, ConversionsAddNoStatesWithoutNeed) {
  EXPECT_EQ(letters("2 Inf(0) | Inf(1)").states, 1u);
  EXPECT_EQ(letters("2 Inf(0) & (Inf(0) | Fin(1))").states, 1u);
  EXPECT_EQ(letters("2 Fin(0) & Inf(0)").states, 1u);
  EXPECT_EQ(letters("2 Fin(0)").states, 2u);
  EXPECT_EQ(letters("2 Inf(0) | Fin(1)").states, 2u);
}

}  // namespace
}  // namespace tideline
