#include "symbolic/space/formulas.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace tideline::symbolic {

namespace {

bool add_terms(const Expr& expr, std::int64_t factor, Sum& sum) {
  constexpr std::int64_t most = std::int64_t{1} << 24;  // far from any overflow, values being 32 bits
  switch (expr.op) {
    case Op::constant:
      if (expr.value > most || expr.value < -most || factor > most || factor < -most) return false;
      sum.constant += factor * expr.value;
      return true;
    case Op::load:
      sum.coefficients[expr.slot] += factor;
      return factor <= most && factor >= -most && sum.coefficients.size() < (1u << 20);
    case Op::negate:
      return add_terms(expr.args[0], -factor, sum);
    case Op::add:
      return add_terms(expr.args[0], factor, sum) && add_terms(expr.args[1], factor, sum);
    case Op::sub:
      return add_terms(expr.args[0], factor, sum) && add_terms(expr.args[1], -factor, sum);
    case Op::mul:
      for (const int side : {0, 1})
        if (const Expr& other = expr.args[side]; other.is_constant() && other.value <= most &&
                                                 other.value >= -most && factor <= most && factor >= -most)
          return add_terms(expr.args[1 - side], factor * other.value, sum);
      return false;
    default:
      return false;
  }
}

}  // namespace

std::optional<Sum> difference_of(const Expr& atom) {
  if (atom.op < Op::eq || atom.op > Op::ge) return std::nullopt;
  Sum sum;
  if (!add_terms(atom.args[0], 1, sum) || !add_terms(atom.args[1], -1, sum)) return std::nullopt;
  return sum;
}

namespace {

/// Walks down with what is known about an atom's slots; see formulas.hpp.
class AtomSelector {
 public:
  AtomSelector(const System& system, const Levels& levels, Sets& sets, const Expr& atom)
      : levels_(levels),
        forest_(sets.forest()),
        cache_(forest_, 0.1),
        atom_(atom),
        sum_(difference_of(atom)),
        predicate_(system, levels.layout(), atom),
        state_(levels.layout().size()) {
    std::vector<SlotId> slots;
    collect_reads(atom, slots);
    std::set<Level, std::greater<>> touched;
    for (const SlotId slot : slots) touched.insert(levels.level_of(slot));
    touched_.assign(touched.begin(), touched.end());
    touched_.push_back(0);
    std::copy_n(levels.initial_state(), state_.size(), state_.begin());
  }

  NodeId select(NodeId set) { return select(set, 0, sum_ ? number({sum_->constant}) : number({})); }

 private:
  using Known = std::vector<std::int64_t>;  ///< the sum so far, or the local states so far

  std::uint32_t number(const Known& known) {
    const auto [at, is_new] = numbers_.emplace(known, static_cast<std::uint32_t>(known_.size()));
    if (is_new) known_.push_back(known);
    return at->second;
  }

  NodeId select(NodeId set, std::uint32_t step, std::uint32_t known) {
    if (set == empty) return empty;
    if (touched_[step] == 0) return is_true(known_[known]) ? set : empty;
    const std::array<std::uint32_t, 4> key{1, set, step, known};
    std::array<NodeId, 1> result;
    if (cache_.find(key, result)) return result[0];
    const Forest::View view = forest_.view(set);
    const Level level = forest_.level(set);
    Builder builder(forest_, view.size);
    for (std::uint32_t e = 0; e < view.size; ++e) {
      const Index i = view.index(e);
      if (view.child(e) == empty) continue;
      builder.add(i, level == touched_[step] ? select(view.child(e), step + 1, extended(known, level, i))
                                             : select(view.child(e), step, known));
    }
    result[0] = builder.make(level);
    cache_.insert(key, result);
    return result[0];
  }

  std::uint32_t extended(std::uint32_t old, Level level, Index i) {
    Known known = known_[old];
    if (!sum_) {
      known.push_back(i);
      return number(known);
    }
    const auto slots = levels_.slots(level);
    const auto values = levels_.values(level, i);
    for (std::size_t s = 0; s < slots.size(); ++s)
      if (const auto at = sum_->coefficients.find(slots[s]); at != sum_->coefficients.end())
        known[0] += at->second * values[s];
    return number(known);
  }

  bool is_true(const Known& known) {
    ModelErrorKind error = ModelErrorKind::none;
    if (sum_) return apply_binary(atom_.op, known[0], 0, error) != 0;
    for (std::size_t k = 0; k < known.size(); ++k)
      levels_.write(touched_[k], static_cast<Index>(known[k]), state_.data());
    return predicate_.evaluate(state_.data(), error) != 0;
  }

  const Levels& levels_;
  Forest& forest_;
  OperationCache<4, 1, 0b10> cache_;
  const Expr& atom_;
  std::optional<Sum> sum_;
  Predicate predicate_;
  std::vector<std::byte> state_;
  std::vector<Level> touched_;  ///< top down, with 0 at the end
  std::map<Known, std::uint32_t> numbers_;
  std::vector<Known> known_;
};

}  // namespace

NodeId Formulas::satisfying(NodeId set, const Expr& expr) {
  switch (expr.op) {
    case Op::constant:
      return expr.value != 0 ? set : empty;
    case Op::logic_not: {
      const Kept wrong(forest_, satisfying(set, expr.args[0]));
      return sets_.subtract(set, wrong.id());
    }
    case Op::logic_and: {
      const Kept left(forest_, satisfying(set, expr.args[0]));
      return satisfying(left.id(), expr.args[1]);
    }
    case Op::logic_or:
    case Op::imply: {
      const Kept left(forest_, satisfying(set, expr.args[0]));
      const Kept rest(forest_, sets_.subtract(set, left.id()));
      const bool implies = expr.op == Op::imply;
      const Kept right(forest_, satisfying(implies ? left.id() : rest.id(), expr.args[1]));
      return sets_.unite(implies ? rest.id() : left.id(), right.id());
    }
    default:
      return AtomSelector(system_, levels_, sets_, expr).select(set);
  }
}

}  // namespace tideline::symbolic
