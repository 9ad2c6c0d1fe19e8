#include "symbolic/ltl/product.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "exec/predicate.hpp"
#include "model/layout.hpp"
#include "symbolic/space/formulas.hpp"

namespace tideline::symbolic {

namespace {

constexpr Range any_number{std::numeric_limits<std::int32_t>::min(),
                           std::numeric_limits<std::int32_t>::max()};

std::set<SlotId> slots_of(const Expr& expr) {
  std::vector<SlotId> slots;
  collect_reads(expr, slots);
  return {slots.begin(), slots.end()};
}

bool writes(const Assignment& effect, SlotId slot) {
  return slot >= effect.slot && slot < effect.slot + (effect.index ? effect.length : 1);
}

/// The constant by which an action changes a slot, if any.
std::optional<std::int64_t> change_of(const Action& action, SlotId slot) {
  std::optional<std::int64_t> change = 0;
  for (const Assignment& effect : action.effects) {
    if (!writes(effect, slot)) continue;
    const Expr& value = effect.value;
    const bool steps = *change == 0 && !effect.index && (value.op == Op::add || value.op == Op::sub) &&
                       value.args[0].op == Op::load && value.args[0].slot == slot &&
                       value.args[1].is_constant();
    if (!steps) return std::nullopt;
    change = value.op == Op::add ? value.args[1].value : -value.args[1].value;
  }
  return change;
}

Expr expression_of(const std::map<SlotId, std::int64_t>& coefficients) {
  std::vector<Expr> terms;
  for (const auto& [slot, factor] : coefficients)
    terms.push_back(Expr::binary(Op::mul, Expr::constant(factor), Expr::load(slot)));
  return balanced(Op::add, std::move(terms), 0);
}

class ProductMaker {
 public:
  ProductMaker(const System& system, const PropertyProcess& property, const VariableOrder& order)
      : system_(system), property_(property), own_(property.slots.begin(), property.slots.end()) {
    for (std::size_t level = 0; level < order.size(); ++level)
      for (const SlotId slot : order[level]) level_of_[slot] = level;
    product_.system = system;
    product_.order = order;
  }

  LtlProduct make() {
    std::vector<Expr> guards;
    for (const PropertyProcess::Edge& edge : property_.edges) guards.push_back(over_letter(edge.guard));
    const Range range{0, static_cast<std::int32_t>(property_.locations.size())};
    product_.location = add_slot("(location)", range, static_cast<std::int32_t>(property_.initial));
    for (std::size_t e = 0; e < guards.size(); ++e) add_choice(property_.edges[e], guards[e]);
    if (guards.empty())
      product_.choices.push_back({.slots = {}, .guards = {Expr::constant(0)}, .effects = {}});
    set_order();
    return std::move(product_);
  }

 private:
  SlotId add_slot(const std::string& name, Range range, std::int32_t value) {
    const std::uint32_t variable = product_.system.add_variable({.name = name}, range, {value});
    return product_.system.variables[variable].first;
  }

  /// The guard with its atoms replaced by their values in the letter.
  Expr over_letter(Expr expr) {
    switch (expr.op) {
      case Op::constant:
        return expr;
      case Op::logic_not:
      case Op::logic_and:
      case Op::logic_or:
      case Op::imply:
        if (guards_itself(expr)) return atom_over_letter(expr);
        for (Expr& arg : expr.args) arg = over_letter(std::move(arg));
        return expr;
      default:
        return atom_over_letter(expr);
    }
  }

  /// Whether an operand may keep another one from being evaluated where that has no value. A letter for each
  /// of them would be evaluated everywhere.
  bool guards_itself(const Expr& expr) const {
    return std::ranges::any_of(expr.args, [](const Expr& arg) { return can_fail(arg); }) &&
           std::ranges::none_of(slots_of(expr), [&](SlotId slot) { return own_.contains(slot); });
  }

  Expr atom_over_letter(const Expr& atom) {
    const std::set<SlotId> slots = slots_of(atom);
    if (std::ranges::includes(own_, slots)) return atom;
    if (std::ranges::any_of(slots, [&](SlotId slot) { return own_.contains(slot); })) refuse();
    std::set<std::size_t> levels;
    for (const SlotId slot : slots) levels.insert(level_of_.at(slot));
    const auto sum = levels.size() > 1 ? difference_of(atom) : std::nullopt;
    if (sum)
      return Expr::binary(atom.op, Expr::load(letter_for(expression_of(sum->coefficients), &*sum)),
                          Expr::constant(-sum->constant));
    return Expr::load(letter_for(Expr::binary(Op::ne, atom, Expr::constant(0)), nullptr));
  }

  /// The letter would have to follow changes by both.
  [[noreturn]] void refuse() const {
    throw Error(ErrorKind::usage, "engine symbolic: the property process " + property_.name +
                                      " mixes its own variables with those of the model; use scc");
  }

  /// The slot that has the value of the expression in every state: a sum, or 0 or 1.
  SlotId letter_for(const Expr& meaning, const Sum* sum) {
    const auto known = std::ranges::find(product_.meanings, meaning);
    if (known != product_.meanings.end())
      return product_.letter[static_cast<std::size_t>(known - product_.meanings.begin())];
    const Layout layout(system_);
    std::vector<std::byte> initial(layout.size());
    layout.pack(system_.initial, initial.data());
    ModelErrorKind error = ModelErrorKind::none;
    const std::int64_t value = Predicate(system_, layout, meaning).evaluate(initial.data(), error);
    if (error != ModelErrorKind::none || !any_number.contains(value))
      throw Error(ErrorKind::input, "an atom of the property has no value in the initial state");
    const SlotId slot = add_slot("(letter " + std::to_string(product_.letter.size()) + ")",
                                 sum ? any_number : Range{0, 1}, static_cast<std::int32_t>(value));
    if (can_fail(meaning) || (sum && may_overflow(*sum))) product_.letters_can_fail = true;
    for (Action& action : product_.system.actions) keep_up(action, slot, meaning, sum);
    product_.letter.push_back(slot);
    product_.meanings.push_back(meaning);
    return slot;
  }

  bool may_overflow(const Sum& sum) const {
    double low = 0, high = 0;
    for (const auto& [slot, factor] : sum.coefficients) {
      const Range range = system_.slots[slot].range;
      const double a = static_cast<double>(factor) * range.low, b = static_cast<double>(factor) * range.high;
      low += std::min(a, b);
      high += std::max(a, b);
    }
    return low < any_number.low || high > any_number.high;
  }

  static void keep_up(Action& action, SlotId letter, const Expr& meaning, const Sum* sum) {
    const std::set<SlotId> slots = slots_of(meaning);
    const bool touched = std::ranges::any_of(action.effects, [&](const Assignment& effect) {
      return std::ranges::any_of(slots, [&](SlotId slot) { return writes(effect, slot); });
    });
    if (!touched) return;
    std::optional<std::int64_t> change;
    if (sum) {
      change = 0;
      for (const auto& [slot, factor] : sum->coefficients) {
        const auto one = change_of(action, slot);
        if (change) change = one ? std::optional(*change + factor * *one) : std::nullopt;
      }
    }
    if (change == 0) return;
    action.effects.push_back(
        {.slot = letter,
         .index = {},
         .value = change ? Expr::binary(Op::add, Expr::load(letter), Expr::constant(*change)) : meaning});
  }

  void add_choice(const PropertyProcess::Edge& edge, const Expr& guard) {
    for (const Assignment& effect : edge.effects) {
      std::set<SlotId> read = slots_of(effect.value);
      if (effect.index) read.merge(slots_of(*effect.index));
      if (!std::ranges::includes(own_, read)) refuse();
    }
    Part choice{.slots = {}, .guards = conjuncts(guard), .effects = edge.effects};
    choice.guards.push_back(Expr::binary(Op::eq, Expr::load(product_.location), Expr::constant(edge.from)));
    choice.effects.push_back({.slot = product_.location, .index = {}, .value = Expr::constant(edge.to)});
    product_.choices.push_back(std::move(choice));
  }

  void set_order() {
    for (std::vector<SlotId>& level : product_.order)
      std::erase_if(level, [&](SlotId slot) { return own_.contains(slot); });
    std::erase_if(product_.order, [](const std::vector<SlotId>& level) { return level.empty(); });
    std::vector<SlotId> lowest(property_.slots);
    lowest.insert(lowest.end(), product_.letter.begin(), product_.letter.end());
    lowest.push_back(product_.location);
    product_.order.push_back(std::move(lowest));
  }

  const System& system_;
  const PropertyProcess& property_;
  std::set<SlotId> own_;
  std::map<SlotId, std::size_t> level_of_;
  LtlProduct product_;
};

}  // namespace

LtlProduct make_ltl_product(const System& system, const PropertyProcess& property,
                            const VariableOrder& order) {
  return ProductMaker(system, property, order).make();
}

}  // namespace tideline::symbolic
