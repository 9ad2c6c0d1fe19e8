#include "progress/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <utility>

#include "model/interval.hpp"

namespace tideline {

namespace {

constexpr unsigned most_bits = 64;

unsigned bits_for(std::uint64_t largest) {
  return static_cast<unsigned>(std::bit_width(largest));
}

/// The name of a slot, in quotes where it could be read as something else.
std::string slot_text(const System& system, SlotId slot) {
  const std::string& name = system.slots[slot].name;
  const bool plain = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_.[](), ").find(c) != std::string_view::npos;
  });
  const bool brackets = name.find_first_of("[(") != std::string::npos;
  if (plain && (brackets || name.find_first_of(", ") == std::string::npos)) return name;
  const char quote = name.find('"') == std::string::npos ? '"' : '\'';
  return quote + name + quote;
}

/// "x", or "(P, P.x)"
std::string slots_text(const System& system, const std::vector<SlotId>& slots) {
  if (slots.size() == 1) return slot_text(system, slots[0]);
  std::string text;
  for (const SlotId slot : slots) text += (text.empty() ? "(" : ", ") + slot_text(system, slot);
  return text + ")";
}

/// "idle", or "(idle, 3)"
std::string tuple_text(const System& system, const std::vector<SlotId>& slots, const std::int32_t* values) {
  if (slots.size() == 1) return system.show_value(slots[0], values[0]);
  std::string text;
  for (std::size_t i = 0; i < slots.size(); ++i)
    text += (i == 0 ? "(" : ", ") + system.show_value(slots[i], values[i]);
  return text + ")";
}

/// Values of an order, each with the sign before it: '<' or '='.
struct SignedValue {
  char sign = '<';
  std::int32_t value = 0;
};

/// Where the values from `first` on end to go up, or down, one by one with the same sign between them.
std::size_t end_of_run(const std::vector<SignedValue>& values, std::size_t first) {
  if (first + 1 == values.size()) return first + 1;
  const char sign = values[first + 1].sign;
  const std::int64_t step = std::int64_t{values[first + 1].value} - values[first].value;
  std::size_t end = first + 1;
  while (std::abs(step) == 1 && end < values.size() && values[end].sign == sign &&
         std::int64_t{values[end].value} - values[end - 1].value == step)
    ++end;
  return end;
}

/// "0 < .. < 8 < 10 = 12"
std::string numbers_text(const System& system, SlotId slot, const ProgressOrder& order) {
  constexpr std::size_t least_run = 5;
  std::vector<SignedValue> values;
  for (const auto& place : order)
    for (std::size_t at = 0; at < place.size(); ++at) values.push_back({at == 0 ? '<' : '=', place[at]});
  std::string text;
  const auto append = [&](const SignedValue& one) {
    text += text.empty() ? "" : fmt::format(" {} ", one.sign);
    text += system.show_value(slot, one.value);
  };
  for (std::size_t at = 0; at < values.size(); ++at) {
    append(values[at]);
    const std::size_t end = end_of_run(values, at);
    if (end - at < least_run) continue;
    text += fmt::format(" {} ..", values[end - 1].sign);
    at = end - 1;
    append(values[at]);
  }
  return text;
}

/// " {a < b = c}"
std::string order_text(const System& system, const Summand& summand) {
  if (summand.order.empty()) return "";
  if (summand.slots.size() == 1 && !system.variables[system.slots[summand.slots[0]].variable].is_location)
    return " {" + numbers_text(system, summand.slots[0], summand.order) + "}";
  std::string text;
  for (const auto& place : summand.order) {
    text += text.empty() ? " {" : " < ";
    for (std::size_t at = 0; at < place.size(); at += summand.slots.size())
      text += (at == 0 ? "" : " = ") + tuple_text(system, summand.slots, &place[at]);
  }
  return text + "}";
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
    text += slots_text(system, summand.slots) + order_text(system, summand);
  }
  return text;
}

/// The names of ranks, for display; none for a sum.
std::vector<std::string> names_of(const System& system, const MeasureTerm& term) {
  const Summand& only = term.summands[0];
  if (term.summands.size() != 1 || only.weight != 1 || only.slots.empty()) return {};
  const SlotId slot = only.slots[0];
  std::vector<std::string> names;
  for (const auto& place : only.order) names.push_back(tuple_text(system, only.slots, place.data()));
  if (!names.empty())
    names.push_back("other");
  else if (system.variables[system.slots[slot].variable].is_location)
    for (std::int64_t v = system.slots[slot].range.low; v <= system.slots[slot].range.high; ++v)
      names.push_back(system.show_value(slot, v));
  return names;
}

std::uint64_t sum_of(std::uint64_t sum, std::uint64_t weight, std::uint64_t largest) {
  std::uint64_t product = 0, result = 0;
  if (__builtin_mul_overflow(weight, largest, &product) || __builtin_add_overflow(sum, product, &result))
    throw Error(ErrorKind::usage,
                fmt::format("a term of the progress measure needs more than {} bits", most_bits));
  return result;
}

}  // namespace

std::string too_far_apart(const System& system, SlotId slot) {
  return fmt::format("the values in the order of {} lie too far apart", system.slots[slot].name);
}

MeasureTerm slot_term(const System& system, SlotId slot, ProgressOrder order) {
  return group_term(system, {slot}, std::move(order));
}

MeasureTerm group_term(const System& system, std::vector<SlotId> slots, ProgressOrder order) {
  const auto is_named = [&](const std::int32_t* tuple) {
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const Variable& variable = system.variables[system.slots[slots[i]].variable];
      if (variable.is_location &&
          static_cast<std::size_t>(tuple[i]) >= system.components[variable.owner].locations.size())
        return false;
    }
    return true;
  };
  const auto width = static_cast<std::ptrdiff_t>(slots.size());
  for (auto& place : order)
    for (auto tuple = place.begin(); tuple != place.end();)
      tuple = is_named(&*tuple) ? tuple + width : place.erase(tuple, tuple + width);
  std::erase_if(order, [](const auto& place) { return place.empty(); });
  return sum_term(system, {{.text = {}, .summands = {{std::move(slots), std::move(order)}}}});
}

MeasureTerm reversed_term(const System& system, SlotId slot) {
  return sum_term(system, {{.text = {}, .summands = {{{slot}, {}, -1}}}});
}

MeasureTerm sum_term(const System& system, const std::vector<MeasureTerm>& terms) {
  MeasureTerm sum;
  for (const MeasureTerm& term : terms)
    sum.summands.insert(sum.summands.end(), term.summands.begin(), term.summands.end());
  sum.text = sum_text(system, sum.summands);
  return sum;
}

Measure::Measure(const System& system, std::vector<MeasureTerm> terms) : terms_(std::move(terms)) {
  for (std::size_t i = monotone_terms(); i < terms_.size(); ++i) terms_[i].monotone = false;
  const Layout layout(system);
  std::string sizes;
  for (const MeasureTerm& term : terms_) {
    append(system, layout, term);
    bits_ += shapes_.back().bits;
    sizes += fmt::format("{}{} ({})", sizes.empty() ? "" : ", ", term.text, shapes_.back().bits);
  }
  if (bits_ > most_bits)
    throw Error(ErrorKind::usage,
                fmt::format("the progress measure needs {} bits but has only {}; bits of its terms: {}",
                            bits_, most_bits, sizes));
  arrange_parts();
}

void Measure::append(const System& system, const Layout& layout, const MeasureTerm& term) {
  Shape shape{.parts = term.summands.size(), .names = names_of(system, term)};
  const std::size_t first = parts_.size();
  std::uint64_t sum = 0;
  for (const Summand& summand : term.summands) {
    auto [part, largest] = summand.order.empty()       ? plain_part(system, layout, summand)
                           : summand.slots.size() == 1 ? ordered_part(system, summand)
                                                       : group_part(system, layout, summand);
    part.weight = static_cast<std::uint64_t>(std::abs(summand.weight));
    if (summand.order.empty()) shape.low += static_cast<std::int64_t>(part.weight) * part.low;
    if (summand.slots.size() == 1) {
      part.field = layout.field(summand.slots[0]);
      tabulate(part, largest);
    }
    sum = sum_of(sum, part.weight, largest);
    parts_.push_back(part);
  }
  shape.bits = bits_for(sum);
  // A term of 64 bits has nothing before it that would have to be moved.
  parts_[first].shift = shape.bits < most_bits ? shape.bits : 0;
  shapes_.push_back(std::move(shape));
}

std::pair<Measure::Part, std::uint64_t> Measure::plain_part(const System& system, const Layout& layout,
                                                            const Summand& summand) {
  const Interval values =
      interval_of(summand.slots.empty() ? summand.expr : Expr::load(summand.slots[0]), system);
  Part part{.low = values.may_fail ? std::min<std::int64_t>(values.low, 0) : values.low,
            .high = values.may_fail ? std::max<std::int64_t>(values.high, 0) : values.high};
  if (summand.slots.empty()) {
    part.kind = Part::Kind::expression;
    part.predicate = static_cast<std::uint32_t>(predicates_.size());
    predicates_.emplace_back(system, layout, summand.expr);
  } else if (summand.weight < 0) {
    part.kind = Part::Kind::negated_field;
    part.low = -std::exchange(part.high, -part.low);
  }
  return {part, static_cast<std::uint64_t>(part.high) - static_cast<std::uint64_t>(part.low)};
}

/// The table has one entry for each value between the smallest and the largest of the order, and one for
/// those in no group.
std::pair<Measure::Part, std::uint64_t> Measure::ordered_part(const System& system, const Summand& summand) {
  const auto& order = summand.order;
  const SlotId slot = summand.slots[0];
  std::int32_t lowest = order[0][0], highest = lowest;
  std::size_t named = 0;
  for (const auto& group : order)
    for (const std::int32_t value : group) {
      lowest = std::min(lowest, value);
      highest = std::max(highest, value);
      ++named;
    }
  if (std::int64_t{highest} - lowest > largest_order_span)
    throw Error(ErrorKind::usage, too_far_apart(system, slot));
  const Range range = system.slots[slot].range;
  const bool all_named = static_cast<std::uint64_t>(std::int64_t{range.high} - range.low) + 1 == named;
  const auto unnamed = static_cast<std::uint32_t>(order.size());
  const std::uint32_t largest = all_named ? unnamed - 1 : unnamed;
  Part part{.kind = Part::Kind::ranked_field,
            .table = static_cast<std::uint32_t>(tables_.size()),
            .low = lowest,
            .high = highest};
  tables_.resize(tables_.size() + static_cast<std::size_t>(part.high - part.low) + 2, unnamed);
  for (std::uint32_t rank = 0; rank < order.size(); ++rank)
    for (const std::int32_t value : order[rank])
      tables_[part.table + static_cast<std::size_t>(value - part.low)] = rank;
  if (summand.weight < 0)
    for (std::size_t i = part.table; i < tables_.size(); ++i)
      tables_[i] = largest - std::min(tables_[i], largest);
  return {part, largest};
}

std::pair<Measure::Part, std::uint64_t> Measure::group_part(const System& system, const Layout& layout,
                                                            const Summand& summand) {
  const Part part{.kind = Part::Kind::group, .group = static_cast<std::uint32_t>(groups_.size())};
  groups_.emplace_back(system, layout, summand.slots, summand.order);
  if (summand.weight < 0) groups_.back().reverse();
  return {part, groups_.back().largest()};
}

/// A slot of one byte needs only one load and one addition.
void Measure::tabulate(Part& part, std::uint64_t largest) {
  constexpr std::size_t bytes = 256;
  if (part.field.width != Width::u8) return;
  if (part.weight > std::numeric_limits<std::uint32_t>::max() / (largest + 1)) return;
  const auto table = static_cast<std::uint32_t>(tables_.size());
  for (std::size_t value = 0; value < bytes; ++value)
    tables_.push_back(
        static_cast<std::uint32_t>(part.weight * rank_of(part, static_cast<std::int64_t>(value))));
  part.kind = Part::Kind::byte;
  part.table = table;
}

std::int64_t Measure::evaluated(const Part& part, const std::byte* state) const {
  ModelErrorKind error = ModelErrorKind::none;
  const std::int64_t value = predicates_[part.predicate].evaluate(state, error);
  return error == ModelErrorKind::none ? value : 0;
}

std::vector<MeasurePart> Measure::parts() const {
  std::vector<MeasurePart> parts;
  for (const Part& part : parts_) {
    MeasurePart& to = parts.emplace_back();
    to = {
        .shift = part.shift, .weight = part.weight, .field = part.field, .low = part.low, .high = part.high};
    switch (part.kind) {
      case Part::Kind::byte:
        to.weight = 1;  // the table has it
        to.digits = {{part.field, 0, 256}};
        to.ranks = std::span(tables_).subspan(part.table, 256);
        break;
      case Part::Kind::field:
        break;
      case Part::Kind::negated_field:
        to.negated = true;
        break;
      case Part::Kind::ranked_field: {
        const auto named = static_cast<std::uint64_t>(part.high - part.low) + 1;
        to.digits = {{part.field, part.low, named}};
        to.ranks = std::span(tables_).subspan(part.table, named);
        to.other = tables_[part.table + named];
        break;
      }
      case Part::Kind::group:
        to.digits = groups_[part.group].digits();
        to.ranks = groups_[part.group].table();
        to.other = groups_[part.group].unnamed();
        break;
      case Part::Kind::expression:
        to.expr = &predicates_[part.predicate].expr();
        break;
    }
  }
  return parts;
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
  result.tables_ = tables_;
  result.groups_ = groups_;
  result.predicates_ = predicates_;
  auto part = parts_.begin();
  for (std::size_t i = 0; i < end; part += static_cast<std::ptrdiff_t>(shapes_[i].parts), ++i) {
    if (i < begin) continue;
    result.terms_.push_back(terms_[i]);
    result.shapes_.push_back(shapes_[i]);
    result.parts_.insert(result.parts_.end(), part, part + static_cast<std::ptrdiff_t>(shapes_[i].parts));
    result.bits_ += shapes_[i].bits;
  }
  result.arrange_parts();
  return result;
}

void Measure::arrange_parts() {
  unsigned above = bits_;
  auto part = parts_.begin();
  for (const Shape& shape : shapes_) {
    above -= shape.bits;
    const unsigned shift = std::min(above, most_bits - 1);
    for (std::size_t i = 0; i < shape.parts; ++i, ++part) {
      if (part->kind != Part::Kind::byte) {
        other_parts_.push_back({*part, shift});
        continue;
      }
      byte_parts_.push_back({part->field.offset, byte_values_.size()});
      for (std::size_t value = 0; value < 256; ++value)
        byte_values_.push_back(std::uint64_t{tables_[part->table + value]} << shift);
    }
  }
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
