// Measure: a progress measure that is a lexicographic tuple of terms.
//
//     P_0.seq, R.seq, P_0 {idle < sent = lost < done}
//
// A term is an expression over the state, or a slot whose values are put in an order of their own. All terms
// are packed into one number, the first one into the highest bits, so that numbers compare exactly as the
// tuples do. A term takes as many bits as the interval of its values needs; more than 64 in all is an error.
//
// The measure is evaluated for every transition of a sweep. A term that is a slot (as it is, negated, or
// ranked) is read straight from the packed state; only other expressions run bytecode. Where an expression
// has no value it counts as 0. Values outside a term's interval are clamped into it, which changes no order
// that anybody could rely on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "exec/predicate.hpp"
#include "graph/progress.hpp"
#include "model/layout.hpp"
#include "model/system.hpp"

namespace tideline {

/// One part of a measure.
struct MeasureTerm {
  /// Canonical spelling without the claim: "P_0 {NCS < wait < CS}"; parses back to the same term.
  std::string text;
  Expr expr;
  /// Values in order of progress, those of one group being equal; empty: as numbers. Only where `expr` is a
  /// slot. Values in no group come after all others, and are equal.
  std::vector<std::vector<std::int32_t>> order = {};
  /// Claimed by the author: no transition decreases it as long as the terms before it stay equal.
  bool monotone = false;
};

/// The text of a term that is a slot: its name, and its order when it has one.
std::string term_text(const System& system, SlotId slot, const std::vector<std::vector<std::int32_t>>& order);

/// A slot as a term, in its natural order or in the given one. Locations that have no name, as that of the
/// error state, are left out of it.
MeasureTerm slot_term(const System& system, SlotId slot, std::vector<std::vector<std::int32_t>> order = {});
/// A slot as a term, larger values first.
MeasureTerm reversed_term(const System& system, SlotId slot);

class Measure {
 public:
  /// The empty measure: every state has progress 0.
  Measure() = default;
  /// Throws Error(usage) when the terms need more than 64 bits together. The system need not outlive it.
  Measure(const System& system, std::vector<MeasureTerm> terms);

  /// Progress of a packed state of the system (further bytes after it are not looked at).
  Progress operator()(const std::byte* state) const {
    Progress value = 0;
    for (const Part& part : parts_)
      value = part.bits == 64 ? rank(part, state) : value << part.bits | rank(part, state);
    return value;
  }

  /// Values lie below 2^bits().
  unsigned bits() const { return bits_; }
  const std::vector<MeasureTerm>& terms() const { return terms_; }
  /// All terms are claimed monotone: no transition is a regress edge.
  bool claimed_monotone() const;
  /// How many terms from the first on are claimed monotone.
  std::size_t monotone_terms() const;

  /// The first `count` terms, and the rest: the measure of a product puts its own part between them.
  Measure prefix(std::size_t count) const;
  Measure suffix(std::size_t count) const;

  /// "monotone P_0.seq, R.seq": parses back to the same measure.
  std::string text() const;
  /// A value of this measure as people read it: "(3, CS)".
  std::string show(Progress value) const;

 private:
  struct Part {
    enum class Kind : std::uint8_t { field, negated_field, ranked_field, expression };
    Kind kind = Kind::field;
    Field field = {};
    unsigned bits = 0;
    std::int64_t low = 0;  ///< the interval of its values, or of its slot where they are ranked
    std::int64_t high = 0;
    std::vector<std::uint32_t> ranks = {};  ///< by value - low
    std::optional<Predicate> predicate = {};
    std::vector<std::string> names = {};  ///< of ranks, or of values from `low` on; empty: numbers
  };

  static Progress rank(const Part& part, const std::byte* state) {
    switch (part.kind) {
      case Part::Kind::field:
        return clamped(part, load_field(state, part.field));
      case Part::Kind::negated_field:
        return clamped(part, -std::int64_t{load_field(state, part.field)});
      case Part::Kind::ranked_field: {
        const auto at = static_cast<std::uint64_t>(load_field(state, part.field) - part.low);
        return at < part.ranks.size() ? part.ranks[at] : part.ranks.back();
      }
      default:
        return evaluated(part, state);
    }
  }
  static Progress clamped(const Part& part, std::int64_t value) {
    value = value < part.low ? part.low : value > part.high ? part.high : value;
    return static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(part.low);
  }
  static Progress evaluated(const Part& part, const std::byte* state);
  static Part compile(const System& system, const Layout& layout, const MeasureTerm& term);
  static void compile_order(const System& system, const MeasureTerm& term, Part& part);
  Measure slice(std::size_t begin, std::size_t end) const;

  std::vector<MeasureTerm> terms_;
  std::vector<Part> parts_;
  unsigned bits_ = 0;
};

}  // namespace tideline
