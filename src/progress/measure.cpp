#include "progress/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
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

bool is_negated_slot(const Expr& expr) {
  return expr.op == Op::negate && expr.args[0].op == Op::load;
}

}  // namespace

std::string term_text(const System& system, SlotId slot,
                      const std::vector<std::vector<std::int32_t>>& order) {
  std::string text = system.slots[slot].name;
  for (std::size_t group = 0; group < order.size(); ++group) {
    text += group == 0 ? " {" : " < ";
    for (std::size_t i = 0; i < order[group].size(); ++i) {
      if (i > 0) text += " = ";
      text += system.show_value(slot, order[group][i]);
    }
  }
  return order.empty() ? text : text + "}";
}

MeasureTerm slot_term(const System& system, SlotId slot, std::vector<std::vector<std::int32_t>> order) {
  const Variable& variable = system.variables[system.slots[slot].variable];
  if (variable.is_location) {
    const std::size_t locations = system.components[variable.owner].locations.size();
    for (auto& group : order)
      std::erase_if(group, [&](std::int32_t v) { return static_cast<std::size_t>(v) >= locations; });
    std::erase_if(order, [](const auto& group) { return group.empty(); });
  }
  MeasureTerm term{.text = term_text(system, slot, order), .expr = Expr::load(slot)};
  term.order = std::move(order);
  return term;
}

MeasureTerm reversed_term(const System& system, SlotId slot) {
  return {.text = "-" + system.slots[slot].name, .expr = Expr::unary(Op::negate, Expr::load(slot))};
}

Measure::Measure(const System& system, std::vector<MeasureTerm> terms) : terms_(std::move(terms)) {
  const Layout layout(system);
  std::string sizes;
  for (const MeasureTerm& term : terms_) {
    parts_.push_back(compile(system, layout, term));
    bits_ += parts_.back().bits;
    sizes += fmt::format("{}{} ({})", sizes.empty() ? "" : ", ", term.text, parts_.back().bits);
  }
  if (bits_ > most_bits)
    throw Error(ErrorKind::usage,
                fmt::format("the progress measure needs {} bits and has {}; bits of its terms: {}", bits_,
                            most_bits, sizes));
}

Measure::Part Measure::compile(const System& system, const Layout& layout, const MeasureTerm& term) {
  Part part;
  const Interval values = interval_of(term.expr, system);
  part.low = values.may_fail ? std::min<std::int64_t>(values.low, 0) : values.low;
  part.high = values.may_fail ? std::max<std::int64_t>(values.high, 0) : values.high;
  if (term.expr.op == Op::load) {
    part.kind = Part::Kind::field;
    part.field = layout.field(term.expr.slot);
    if (system.variables[system.slots[term.expr.slot].variable].is_location)
      for (std::int64_t v = part.low; v <= part.high; ++v)
        part.names.push_back(system.show_value(term.expr.slot, v));
  } else if (is_negated_slot(term.expr)) {
    part.kind = Part::Kind::negated_field;
    part.field = layout.field(term.expr.args[0].slot);
  } else {
    part.kind = Part::Kind::expression;
    part.predicate.emplace(system, layout, term.expr);
  }
  if (!term.order.empty())
    compile_order(system, term, part);
  else
    part.bits = bits_for(static_cast<std::uint64_t>(part.high) - static_cast<std::uint64_t>(part.low));
  return part;
}

void Measure::compile_order(const System& system, const MeasureTerm& term, Part& part) {
  if (part.kind != Part::Kind::field) throw Error(ErrorKind::internal, "only a slot has an order of its own");
  part.kind = Part::Kind::ranked_field;
  part.names.clear();
  // The table ends with the largest value that is named: what lies beyond is unnamed, and so is its last
  // entry.
  std::int32_t lowest = term.order[0][0], highest = lowest;
  for (const auto& group : term.order)
    for (const std::int32_t value : group) {
      lowest = std::min(lowest, value);
      highest = std::max(highest, value);
    }
  if (std::int64_t{highest} - lowest > largest_span)
    throw Error(ErrorKind::usage, fmt::format("the values in the order of {} lie too far apart",
                                              system.slots[term.expr.slot].name));
  const auto unnamed = static_cast<std::uint32_t>(term.order.size());
  std::size_t named = 0;
  const std::int64_t slot_low = part.low, slot_high = part.high;
  part.low = lowest;
  part.high = highest;
  part.ranks.assign(static_cast<std::size_t>(std::int64_t{highest} - lowest + 2), unnamed);
  for (std::uint32_t rank = 0; rank < term.order.size(); ++rank) {
    for (const std::int32_t value : term.order[rank])
      part.ranks[static_cast<std::size_t>(value - part.low)] = rank;
    named += term.order[rank].size();
    part.names.push_back(system.show_value(term.expr.slot, term.order[rank][0]));
  }
  part.names.push_back("other");
  const bool all_named = static_cast<std::uint64_t>(slot_high - slot_low) + 1 == named;
  part.bits = bits_for(all_named ? unnamed - 1 : unnamed);
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
  for (std::size_t i = begin; i < end; ++i) {
    result.terms_.push_back(terms_[i]);
    result.parts_.push_back(parts_[i]);
    result.bits_ += parts_[i].bits;
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
  for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) {
    const Progress rank = part->bits == most_bits ? value : value & ((Progress{1} << part->bits) - 1);
    value = part->bits == most_bits ? 0 : value >> part->bits;
    const std::string shown =
        rank < part->names.size()
            ? part->names[rank]
            : fmt::format("{}", static_cast<std::int64_t>(static_cast<std::uint64_t>(part->low) + rank));
    text = text.empty() ? shown : shown + ", " + text;
  }
  return "(" + text + ")";
}

}  // namespace tideline
