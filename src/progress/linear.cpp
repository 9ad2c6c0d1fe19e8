#include "progress/linear.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace tideline {

namespace {

/// The largest weight that a measure may be written with.
constexpr std::int64_t largest_weight = 1'000'000;
/// Numbers beyond this end the search.
constexpr std::int64_t largest_number = std::int64_t{1} << 31;

/// By slot, sorted; none is 0.
using Sparse = std::vector<std::pair<SlotId, std::int64_t>>;

std::int64_t at(const Sparse& vector, SlotId slot) {
  const auto found = std::ranges::lower_bound(vector, slot, {}, &Sparse::value_type::first);
  return found != vector.end() && found->first == slot ? found->second : 0;
}

/// The constant that the assignment adds to its slot; nothing when it does something else.
std::optional<std::int64_t> added(const Assignment& a) {
  const Expr& value = a.value;
  const bool sum = !a.index && (value.op == Op::add || value.op == Op::sub);
  if (!sum || value.args[0].op != Op::load || value.args[0].slot != a.slot || !value.args[1].is_constant())
    return std::nullopt;
  const std::int64_t by = value.args[1].value;
  if (by > largest_number || by < -largest_number) return std::nullopt;
  return value.op == Op::add ? by : -by;
}

/// What each action adds to each slot, without slots that are changed in another way.
std::vector<Sparse> additions(const System& system) {
  std::vector<bool> other(system.slots.size());
  for (const Action& action : system.actions)
    for (std::size_t i = 0; i < action.effects.size(); ++i) {
      const Assignment& a = action.effects[i];
      bool again = false;
      for (std::size_t j = 0; j < i; ++j) again |= action.effects[j].slot == a.slot;
      if (!added(a) || again)
        for (SlotId s = a.slot; s < a.slot + a.length; ++s) other[s] = true;
    }
  std::vector<Sparse> result(system.actions.size());
  for (ActionId action = 0; action < system.actions.size(); ++action) {
    for (const Assignment& a : system.actions[action].effects)
      if (!other[a.slot] && *added(a) != 0) result[action].emplace_back(a.slot, *added(a));
    std::ranges::sort(result[action]);
  }
  return result;
}

/// A fraction in lowest terms with a positive denominator; computing with too large numbers makes it invalid.
struct Fraction {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;
  bool valid = true;

  static Fraction of(std::int64_t n, std::int64_t d) {
    const std::int64_t common = std::gcd(n, d) * (d < 0 ? -1 : 1);
    const Fraction result{n / common, d / common};
    const bool fits = std::abs(result.numerator) <= largest_number && result.denominator <= largest_number;
    return {result.numerator, result.denominator, fits};
  }
  Fraction minus_product(std::int64_t factor, const Fraction& other) const {
    const Fraction product = of(factor, 1).times(other);
    const std::int64_t common = std::gcd(denominator, product.denominator);
    const Fraction left = of(numerator, 1).times(of(product.denominator / common, 1));
    const Fraction right = of(product.numerator, 1).times(of(denominator / common, 1));
    Fraction result = of(left.numerator - right.numerator, common)
                          .times(of(1, denominator / common).times(of(1, product.denominator / common)));
    result.valid &= valid && product.valid && left.valid && right.valid;
    return result;
  }
  Fraction times(const Fraction& other) const {
    const std::int64_t a = std::gcd(numerator, other.denominator), b = std::gcd(other.numerator, denominator);
    Fraction result =
        of((numerator / a) * (other.numerator / b), (denominator / b) * (other.denominator / a));
    result.valid &= valid && other.valid;
    return result;
  }
};

/// A row of the system of equations: changes . weights = offset.
struct Equation {
  Sparse changes;
  std::int64_t offset = 1;
  SlotId pivot = 0;  ///< its weight follows from those of the other slots in it
};

class Elimination {
 public:
  Elimination(const System& system, const std::vector<Sparse>& additions, std::uint64_t allowed_steps,
              Budget& budget)
      : system_(system), additions_(additions), allowed_steps_(allowed_steps), check_limits_(&budget) {}

  /// False when numbers become too large, or after too many steps.
  bool add(ActionId action) {
    Equation equation{additions_[action]};
    // Pivots of equations are not in those that came later: one pass in their order takes all of them out.
    for (const Equation& known : equations_) {
      const std::int64_t here = at(equation.changes, known.pivot);
      if (here != 0 && !take_out(equation, here, known)) return false;
      if (++steps_ > allowed_steps_) return false;
      check_limits_();
    }
    if (equation.changes.empty()) return true;  // its offset follows
    // The slot with the smallest range: the sum then needs few bits.
    equation.pivot = std::ranges::min_element(equation.changes, {}, [&](const auto& entry) {
                       const Range range = system_.slots[entry.first].range;
                       return std::int64_t{range.high} - range.low;
                     })->first;
    equations_.push_back(std::move(equation));
    return true;
  }

  /// Integers, by slot; empty when numbers become too large.
  std::vector<std::int64_t> weights() const {
    std::vector<Fraction> weight(system_.slots.size());
    for (auto e = equations_.rbegin(); e != equations_.rend(); ++e) {
      Fraction rest = Fraction::of(e->offset, 1);
      for (const auto& [slot, change] : e->changes)
        if (slot != e->pivot) rest = rest.minus_product(change, weight[slot]);
      weight[e->pivot] = rest.times(Fraction::of(1, at(e->changes, e->pivot)));
      if (!weight[e->pivot].valid) return {};
    }
    std::int64_t common = 1;
    for (const Fraction& w : weight) {
      common = std::lcm(common, w.denominator);
      if (common > largest_weight) return {};
    }
    std::vector<std::int64_t> result;
    for (const Fraction& w : weight) {
      result.push_back(w.numerator * (common / w.denominator));
      if (std::abs(result.back()) > largest_weight) return {};
    }
    return result;
  }

 private:
  bool take_out(Equation& equation, std::int64_t here, const Equation& known) {
    const std::int64_t there = at(known.changes, known.pivot);
    const std::int64_t common = std::gcd(here, there);
    const std::int64_t a = there / common, b = here / common;
    Sparse changes;
    auto i = equation.changes.begin();
    auto j = known.changes.begin();
    std::int64_t divisor = a * equation.offset - b * known.offset;
    equation.offset = divisor;
    bool fits = std::abs(divisor) <= largest_number;
    while (i != equation.changes.end() || j != known.changes.end()) {
      const bool left = j == known.changes.end() || (i != equation.changes.end() && i->first <= j->first);
      const bool right = i == equation.changes.end() || (j != known.changes.end() && j->first <= i->first);
      const SlotId slot = left ? i->first : j->first;
      const std::int64_t value = (left ? a * i->second : 0) - (right ? b * j->second : 0);
      fits &= std::abs(value) <= largest_number;
      if (value != 0) changes.emplace_back(slot, value);
      divisor = std::gcd(divisor, value);
      if (left) ++i;
      if (right) ++j;
      ++steps_;
    }
    equation.changes = std::move(changes);
    if (divisor > 1) {
      equation.offset /= divisor;
      for (auto& entry : equation.changes) entry.second /= divisor;
    }
    return fits;
  }

  const System& system_;
  const std::vector<Sparse>& additions_;
  std::vector<Equation> equations_;
  std::uint64_t allowed_steps_, steps_ = 0;
  LimitCheck check_limits_;
};

}  // namespace

std::optional<MeasureTerm> linear_term(const System& system, const std::vector<ActionId>& order,
                                       std::uint64_t allowed_steps, Budget& budget) {
  const std::vector<Sparse> changes = additions(system);
  Elimination elimination(system, changes, allowed_steps, budget);
  for (const ActionId action : order)
    if (!elimination.add(action)) return std::nullopt;
  const std::vector<std::int64_t> weights = elimination.weights();
  std::vector<MeasureTerm> terms;
  for (SlotId slot = 0; slot < weights.size(); ++slot) {
    if (weights[slot] == 0) continue;
    terms.push_back(slot_term(system, slot));
    terms.back().summands[0].weight = weights[slot];
  }
  if (terms.empty()) return std::nullopt;
  MeasureTerm result = sum_term(system, terms);
  result.monotone = std::ranges::all_of(changes, [&](const Sparse& change) {
    std::int64_t offset = 0;
    for (const auto& [slot, by] : change) offset += by * weights[slot];
    return offset >= 0;
  });
  return result;
}

}  // namespace tideline
