// Linear measures: independent actions advance them equally, and names of any kind are read back.
#include "progress/linear.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <random>

#include "lang/lang.hpp"
#include "progress/parse_measure.hpp"
#include "testing/skip_case.hpp"

namespace tideline {
namespace {

using Vector = std::vector<std::int64_t>;

std::optional<MeasureTerm> term_for(const System& system, const std::vector<ActionId>& order) {
  Budget budget;
  return linear_term(system, order, 1'000'000, budget);
}

/// Actions that add small constants to some of a few slots.
System random_additions(std::mt19937_64& random, std::vector<Vector>& changes) {
  const auto below = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
  System system;
  const int slots = 1 + below(6);
  for (int s = 0; s < slots; ++s)
    system.add_variable({.name = fmt::format("s{}", s)}, {0, below(2) ? 1 : 100}, {});
  for (int a = 0, count = 1 + below(7); a < count; ++a) {
    Action action{.label = fmt::format("a{}", a)};
    Vector change(static_cast<std::size_t>(slots));
    for (SlotId s = 0; s < change.size(); ++s) {
      if (below(2)) continue;
      change[s] = below(5) - 2;
      const auto by = static_cast<std::int64_t>(std::abs(change[s]));
      action.effects.push_back(
          {.slot = s,
           .value = Expr::binary(change[s] < 0 ? Op::sub : Op::add, Expr::load(s), Expr::constant(by))});
    }
    changes.push_back(change);
    system.actions.push_back(std::move(action));
  }
  complete(system);
  return system;
}

constexpr std::int64_t prime = 1'000'003;

std::int64_t inverse(std::int64_t value) {
  std::int64_t result = 1;
  for (std::int64_t exponent = prime - 2, base = value; exponent > 0;
       exponent /= 2, base = base * base % prime)
    if (exponent % 2 == 1) result = result * base % prime;
  return result;
}

/// Modulo a prime, one row after another: a row that nothing remains of depends on those before it.
class Rank {
 public:
  bool is_independent(Vector row) {
    for (std::int64_t& x : row) x = (x % prime + prime) % prime;
    for (const auto& [pivot, known] : rows_) {
      const std::int64_t factor = row[pivot] * inverse(known[pivot]) % prime;
      for (std::size_t i = 0; i < row.size(); ++i)
        row[i] = ((row[i] - factor * known[i]) % prime + prime) % prime;
    }
    const auto pivot = std::ranges::find_if(row, [](std::int64_t x) { return x != 0; });
    if (pivot == row.end()) return false;
    rows_.emplace_back(pivot - row.begin(), row);
    return true;
  }

 private:
  std::vector<std::pair<std::size_t, Vector>> rows_;
};

void require_equal_advance(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Vector> changes;
  const System system = random_additions(random, changes);
  std::vector<ActionId> order(system.actions.size());
  std::iota(order.begin(), order.end(), ActionId{0});
  std::shuffle(order.begin(), order.end(), random);
  const auto term = term_for(system, order);
  Rank rank;
  std::vector<ActionId> independent;
  for (const ActionId a : order)
    if (rank.is_independent(changes[a])) independent.push_back(a);
  RC_ASSERT(term.has_value() == !independent.empty());
  if (test::skip_case(!term)) return;

  Vector weights(system.slots.size());
  for (const Summand& summand : term->summands) weights[summand.slots[0]] = summand.weight;
  const auto offset = [&](ActionId a) {
    return std::inner_product(weights.begin(), weights.end(), changes[a].begin(), std::int64_t{0});
  };
  for (const ActionId a : independent) {
    RC_ASSERT(offset(a) > 0);
    RC_ASSERT(offset(a) == offset(independent[0]));
  }
  bool monotone = true;
  for (ActionId a = 0; a < changes.size(); ++a) monotone &= offset(a) >= 0;
  RC_ASSERT(term->monotone == monotone);
}

RC_GTEST_PROP(LinearMeasure, AdvancesEquallyByIndependentActions, (std::uint64_t seed)) {
  for (std::uint64_t i = 0; i < 10; ++i) require_equal_advance(seed + i);
}

TEST(LinearMeasure, LeavesOutWhatIsNotAdded) {
  System system;
  for (const char* name : {"x", "y"}) system.add_variable({.name = name}, byte_range, {});
  const auto plus = [](SlotId s, std::int64_t by) {
    return Assignment{.slot = s, .value = Expr::binary(Op::add, Expr::load(s), Expr::constant(by))};
  };
  system.actions.push_back({.label = "a", .effects = {plus(0, 1), plus(1, 1)}});
  system.actions.push_back({.label = "b", .effects = {{.slot = 1, .value = Expr::constant(0)}}});
  complete(system);
  const auto term = term_for(system, {0, 1});
  ASSERT_TRUE(term);
  EXPECT_EQ(term->text, "x");
  EXPECT_TRUE(term->monotone);
  system.actions[0].effects[0] = {.slot = 0, .value = Expr::load(1)};
  EXPECT_FALSE(term_for(system, {0, 1}));
}

TEST(LinearMeasure, IsReadBackWhateverSlotsAreCalled) {
  System system;
  system.language = "pnml";
  for (const char* name : {"a-b", "c, d", "e+\"f", "g"}) system.add_variable({.name = name}, byte_range, {});
  Action action{.label = "t"};
  for (SlotId s = 0; s < 4; ++s) {
    action.effects = {{.slot = s, .value = Expr::binary(Op::add, Expr::load(s), Expr::constant(1))}};
    system.actions.push_back(action);
  }
  complete(system);
  const auto term = term_for(system, {0, 1, 2, 3});
  ASSERT_TRUE(term);
  EXPECT_EQ(term->text, "\"a-b\" + \"c, d\" + 'e+\"f' + g");
  const SourceText source{"test", term->text + ", 2 * \"a-b\""};
  const auto read = [&](std::string_view text, SourcePoint, const SourceText&) {
    return parse_expression(system, text, "test");
  };
  EXPECT_EQ(parse_measure(system, source, read, ErrorSemantics::stop).text(), source.text);
}

TEST(LinearMeasure, EndsWithTheBudgetAndAfterItsSteps) {
  System system;
  std::vector<ActionId> order;
  for (SlotId s = 0; s < 41; ++s) system.add_variable({.name = fmt::format("s{}", s)}, byte_range, {});
  for (SlotId s = 0; s < 40; ++s) {
    Action action{.label = "t"};
    for (const SlotId slot : {s, s + 1})
      action.effects.push_back(
          {.slot = slot, .value = Expr::binary(Op::add, Expr::load(slot), Expr::constant(1))});
    order.push_back(s);
    system.actions.push_back(std::move(action));
  }
  complete(system);
  EXPECT_TRUE(term_for(system, order));
  Budget unlimited;
  EXPECT_FALSE(linear_term(system, order, 100, unlimited));
  const std::atomic<bool> interrupted = true;
  Budget budget({.memory_bytes = {}, .seconds = {}, .interrupted = &interrupted, .on_status = {}});
  EXPECT_THROW(linear_term(system, order, 1'000'000, budget), LimitReached);
}

}  // namespace
}  // namespace tideline
