#include "progress/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

#include "progress/interval.hpp"

namespace tideline {

namespace {

constexpr unsigned most_bits = 64;
/// An order is a table from its smallest value to its largest.
constexpr std::int64_t largest_span = std::int64_t{1} << 20;

unsigned bits_for(std::uint64_t largest) {
  return static_cast<unsigned>(std::bit_width(largest));
}

/// " {a < b = c}"
std::string order_text(const System& system, SlotId slot,
                       const std::vector<std::vector<std::int32_t>>& order) {
  std::string text;
  for (std::size_t group = 0; group < order.size(); ++group) {
    text += group == 0 ? " {" : " < ";
    for (std::size_t i = 0; i < order[group].size(); ++i) {
      if (i > 0) text += " = ";
      text += system.show_value(slot, order[group][i]);
    }
  }
  return order.empty() ? text : text + "}";
}

/// Of a sum of slots: "P {a < b} + 2 * x - y".
std::string sum_text(const System& system, const std::vector<Summand>& summands) {
  std::string text;
  for (const Summand& summand : summands) {
    const bool negative = summand.weight < 0;
    if (!text.empty())
      text += negative ? " - " : " + ";
    else if (negative)
      text += '-';
    if (std::abs(summand.weight) != 1) text += fmt::format("{} * ", std::abs(summand.weight));
    text += system.slots[*summand.slot()].name + order_text(system, *summand.slot(), summand.order);
  }
  return text;
}

/// An order as a table of ranks.
struct Ranks {
  std::int64_t low = 0;                 ///< the value of the first entry
  std::vector<std::uint32_t> by_value;  ///< the last entry stands for all values beyond
  std::uint32_t largest = 0;
  std::vector<std::string> names;
};

Ranks ranks_of(const System& system, SlotId slot, const std::vector<std::vector<std::int32_t>>& order) {
  std::int32_t lowest = order[0][0], highest = lowest;
  for (const auto& group : order)
    for (const std::int32_t value : group) {
      lowest = std::min(lowest, value);
      highest = std::max(highest, value);
    }
  if (std::int64_t{highest} - lowest > largest_span)
    throw Error(ErrorKind::usage,
                fmt::format("the values in the order of {} lie too far apart", system.slots[slot].name));
  const auto unnamed = static_cast<std::uint32_t>(order.size());
  Ranks ranks{.low = lowest, .by_value = {}, .names = {}};
  ranks.by_value.assign(static_cast<std::size_t>(std::int64_t{highest} - lowest + 2), unnamed);
  std::size_t named = 0;
  for (std::uint32_t rank = 0; rank < order.size(); ++rank) {
    for (const std::int32_t value : order[rank])
      ranks.by_value[static_cast<std::size_t>(value - ranks.low)] = rank;
    named += order[rank].size();
    ranks.names.push_back(system.show_value(slot, order[rank][0]));
  }
  ranks.names.push_back("other");
  const Range range = system.slots[slot].range;
  const bool all_named = static_cast<std::uint64_t>(std::int64_t{range.high} - range.low) + 1 == named;
  ranks.largest = all_named ? unnamed - 1 : unnamed;
  return ranks;
}

std::uint64_t sum_of(std::uint64_t sum, std::uint64_t weight, std::uint64_t largest) {
  std::uint64_t product = 0, result = 0;
  if (__builtin_mul_overflow(weight, largest, &product) || __builtin_add_overflow(sum, product, &result))
    throw Error(ErrorKind::usage,
                fmt::format("a term of the progress measure needs more than {} bits", most_bits));
  return result;
}

}  // namespace

std::optional<SlotId> Summand::slot() const {
  return expr.op == Op::load ? std::optional(expr.slot) : std::nullopt;
}

MeasureTerm slot_term(const System& system, SlotId slot, std::vector<std::vector<std::int32_t>> order) {
  const Variable& variable = system.variables[system.slots[slot].variable];
  if (variable.is_location) {
    const std::size_t locations = system.components[variable.owner].locations.size();
    for (auto& group : order)
      std::erase_if(group, [&](std::int32_t v) { return static_cast<std::size_t>(v) >= locations; });
    std::erase_if(order, [](const auto& group) { return group.empty(); });
  }
  return sum_term(system, {{.text = {}, .summands = {{Expr::load(slot), std::move(order)}}}});
}

MeasureTerm reversed_term(const System& system, SlotId slot) {
  return sum_term(system, {{.text = {}, .summands = {{Expr::load(slot), {}, -1}}}});
}

MeasureTerm sum_term(const System& system, const std::vector<MeasureTerm>& terms) {
  MeasureTerm sum;
  for (const MeasureTerm& term : terms)
    sum.summands.insert(sum.summands.end(), term.summands.begin(), term.summands.end());
  sum.text = sum_text(system, sum.summands);
  return sum;
}

Measure::Measure(const System& system, std::vector<MeasureTerm> terms) : terms_(std::move(terms)) {
  const Layout layout(system);
  std::string sizes;
  for (const MeasureTerm& term : terms_) {
    append(system, layout, term);
    bits_ += shapes_.back().bits;
    sizes += fmt::format("{}{} ({})", sizes.empty() ? "" : ", ", term.text, shapes_.back().bits);
  }
  if (bits_ > most_bits)
    throw Error(ErrorKind::usage,
                fmt::format("the progress measure needs {} bits and has {}; bits of its terms: {}", bits_,
                            most_bits, sizes));
}

void Measure::append(const System& system, const Layout& layout, const MeasureTerm& term) {
  Shape shape{.parts = term.summands.size()};
  const std::size_t first = parts_.size();
  const bool single = term.summands.size() == 1;
  std::uint64_t largest = 0;
  for (const Summand& summand : term.summands) {
    const bool backwards = summand.weight < 0;
    Part part{.weight = static_cast<std::uint64_t>(std::abs(summand.weight))};
    const auto slot = summand.slot();
    if (slot) part.field = layout.field(*slot);
    std::uint64_t span = 0;
    if (!summand.order.empty()) {
      Ranks ranks = ranks_of(system, slot.value(), summand.order);
      part.kind = Part::Kind::ranked_field;
      part.low = ranks.low;
      part.ranks = std::move(ranks.by_value);
      span = ranks.largest;
      if (backwards)
        for (std::uint32_t& rank : part.ranks) rank = ranks.largest - std::min(rank, ranks.largest);
      else if (single)
        shape.names = std::move(ranks.names);
    } else {
      const Interval values = interval_of(summand.expr, system);
      part.low = values.may_fail ? std::min<std::int64_t>(values.low, 0) : values.low;
      part.high = values.may_fail ? std::max<std::int64_t>(values.high, 0) : values.high;
      if (slot && single && !backwards && system.variables[system.slots[*slot].variable].is_location)
        for (std::int64_t v = part.low; v <= part.high; ++v)
          shape.names.push_back(system.show_value(*slot, v));
      if (slot && backwards) {
        part.kind = Part::Kind::negated_field;
        part.low = -std::exchange(part.high, -part.low);
      } else if (!slot) {
        part.kind = Part::Kind::expression;
        part.predicate.emplace(system, layout, summand.expr);
      }
      span = static_cast<std::uint64_t>(part.high) - static_cast<std::uint64_t>(part.low);
      shape.low += static_cast<std::int64_t>(part.weight) * part.low;
    }
    largest = sum_of(largest, part.weight, span);
    parts_.push_back(std::move(part));
  }
  shape.bits = bits_for(largest);
  // A term of 64 bits has nothing before it that would have to be moved.
  parts_[first].shift = shape.bits < most_bits ? shape.bits : 0;
  shapes_.push_back(std::move(shape));
}

Progress Measure::evaluated(const Part& part, const std::byte* state) {
  ModelErrorKind error = ModelErrorKind::none;
  const std::int64_t value = part.predicate->evaluate(state, error);
  return clamped(part, error == ModelErrorKind::none ? value : 0);
}

bool Measure::claimed_monotone() const {
  return monotone_terms() == terms_.size();
}

std::size_t Measure::monotone_terms() const {
  const auto first_other =
      std::find_if(terms_.begin(), terms_.end(), [](const auto& term) { return !term.monotone; });
  return static_cast<std::size_t>(first_other - terms_.begin());
}

Measure Measure::slice(std::size_t begin, std::size_t end) const {
  Measure result;
  auto part = parts_.begin();
  for (std::size_t i = 0; i < end; part += static_cast<std::ptrdiff_t>(shapes_[i].parts), ++i) {
    if (i < begin) continue;
    result.terms_.push_back(terms_[i]);
    result.shapes_.push_back(shapes_[i]);
    result.parts_.insert(result.parts_.end(), part, part + static_cast<std::ptrdiff_t>(shapes_[i].parts));
    result.bits_ += shapes_[i].bits;
  }
  return result;
}

Measure Measure::prefix(std::size_t count) const {
  return slice(0, std::min(count, terms_.size()));
}

Measure Measure::suffix(std::size_t count) const {
  return slice(std::min(count, terms_.size()), terms_.size());
}

std::string Measure::text() const {
  std::string text;
  for (const MeasureTerm& term : terms_) {
    if (!text.empty()) text += ", ";
    if (term.monotone) text += "monotone ";
    text += term.text;
  }
  return text;
}

std::string Measure::show(Progress value) const {
  std::string text;
  for (auto shape = shapes_.rbegin(); shape != shapes_.rend(); ++shape) {
    const Progress rank = shape->bits == most_bits ? value : value & ((Progress{1} << shape->bits) - 1);
    value = shape->bits == most_bits ? 0 : value >> shape->bits;
    const std::string shown =
        rank < shape->names.size()
            ? shape->names[rank]
            : fmt::format("{}", static_cast<std::int64_t>(static_cast<std::uint64_t>(shape->low) + rank));
    text = text.empty() ? shown : shown + ", " + text;
  }
  return "(" + text + ")";
}

}  // namespace tideline
