// Measure: a progress measure that is a lexicographic tuple of terms.
//
//     P_0.seq, R.seq, P_0 {idle < sent = lost < done} + 2 * Q {off < on}
//
// A term is an expression over the state, a slot or a group of slots whose values are put in an order of their
// own, or a sum of such: then its parts advance together. All terms are packed into one number, the first one into the highest
// bits, so that numbers compare exactly as the tuples do. A term takes as many bits as the interval of its
// values needs; more than 64 in all is an error.
//
// The measure is evaluated for every transition of a sweep. A slot (as it is, negated, or ranked) is read
// straight from the packed state, one of a byte through a table; the tuple of a group is looked up
// (group_ranks.hpp); only other expressions run bytecode. Where
// an expression has no value it counts as 0. Values outside a term's interval are clamped into it, which
// changes no order that matters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "exec/predicate.hpp"
#include "graph/progress.hpp"
#include "model/layout.hpp"
#include "model/system.hpp"
#include "progress/group_ranks.hpp"

namespace tideline {

/// One of the things that a term adds up: a slot, a group of slots, or another expression.
struct Summand {
  std::vector<SlotId> slots = {};  ///< several are a group; none: `expr` counts
  ProgressOrder order = {};        ///< of what the slots hold; empty, unless it is a group: as numbers
  std::int64_t weight = 1;         ///< of its value, or of its place in the order; not 0
  Expr expr = {};                  ///< only without slots
};

/// One part of a measure.
struct MeasureTerm {
  /// Canonical spelling without the claim: "P_0 {NCS < wait < CS}"; parses back to the same term.
  std::string text;
  std::vector<Summand> summands;  ///< at least one; several have slots
  /// Claimed by the author: no transition decreases it as long as the terms before it stay equal. A measure
  /// keeps the claims of its first terms only, up to the first that claims nothing: only these are checked.
  bool monotone = false;
};

/// A summand, for those who make code of a measure: value = (value << shift) + weight * rank, from 0 on.
struct MeasurePart {
  unsigned shift = 0;
  std::uint64_t weight = 1;
  /// If there are digits, the rank is looked up by their number in a box, the first one counting most.
  std::vector<GroupRanks::Digit> digits = {};
  std::span<const std::uint32_t> ranks = {};  ///< empty: the box is too large for a table
  std::uint32_t other = 0;                    ///< the rank outside the box
  /// Else the rank is the distance from `low` of a value that is clamped to low..high: that of the field, with the sign
  /// changed or not, or that of an expression, 0 if it has none.
  Field field = {};
  bool negated = false;
  const Expr* expr = nullptr;
  std::int64_t low = 0, high = 0;
};

/// An order of a slot is a table from its smallest value to its largest, which are at most so far apart.
constexpr std::int64_t largest_order_span = std::int64_t{1} << 20;
/// What is wrong with an order in which they are not.
std::string too_far_apart(const System& system, SlotId slot);

/// A slot as a term, in its natural order or in the given one. Locations without a name, like that of the
/// error state, are left out of it.
MeasureTerm slot_term(const System& system, SlotId slot, ProgressOrder order = {});
/// A group of slots as a term, in the given order. Tuples with a location without a name are left out.
MeasureTerm group_term(const System& system, std::vector<SlotId> slots, ProgressOrder order);
/// A slot as a term, larger values first.
MeasureTerm reversed_term(const System& system, SlotId slot);
/// The sum of terms that are slots, groups or sums of these.
MeasureTerm sum_term(const System& system, const std::vector<MeasureTerm>& terms);

class Measure {
 public:
  /// The empty measure: every state has progress 0.
  Measure() = default;
  /// Throws Error(usage) when the terms need more than 64 bits together. The system need not outlive it.
  /// Claims after a term that claims nothing are dropped; text() would not parse back with them.
  Measure(const System& system, std::vector<MeasureTerm> terms);

  /// Progress of a packed state of the system (bytes after it are ignored).
  Progress operator()(const std::byte* state) const {
    Progress value = 0;
    for (const BytePart& part : byte_parts_)
      value += byte_values_[part.table + std::to_integer<std::size_t>(state[part.offset])];
    for (const OtherPart& part : other_parts_)
      value += part.part.weight * rank(part.part, state) << part.above;
    return value;
  }

  /// Values lie below 2^bits().
  unsigned bits() const { return bits_; }
  const std::vector<MeasureTerm>& terms() const { return terms_; }
  /// All terms are claimed monotone: no transition is a regress edge.
  bool claimed_monotone() const;
  /// How many terms from the first on are claimed monotone.
  std::size_t monotone_terms() const;
  /// Values of these terms are value >> claimed_shift(); 64: there are none.
  unsigned claimed_shift() const { return monotone_terms() == 0 ? 64 : suffix(monotone_terms()).bits(); }

  /// Valid as long as the measure.
  std::vector<MeasurePart> parts() const;

  /// The first `count` terms, and the rest: the measure of a product puts its own part between them.
  Measure prefix(std::size_t count) const;
  Measure suffix(std::size_t count) const;

  /// "monotone P_0.seq, R.seq": parses back to the same measure.
  std::string text() const;
  /// A value of this measure for display: "(3, CS)".
  std::string show(Progress value) const;

 private:
  /// A summand. Its rank counts from 0, so that a sum is adding up.
  struct Part {
    enum class Kind : std::uint8_t { byte, field, negated_field, ranked_field, group, expression };
    Kind kind = Kind::field;
    Field field = {};
    unsigned shift = 0;  ///< bits of the term that begins here; 0 inside a term
    std::uint32_t table =
        0;  ///< where its table begins: of weighted ranks for all bytes, or of ranks by value - low
    std::uint32_t predicate = 0;  ///< of an expression
    std::uint32_t group = 0;      ///< its ranks
    std::uint64_t weight = 1;     ///< without its sign
    std::int64_t low = 0;         ///< the interval of its values, or of the values in its order
    std::int64_t high = 0;
  };
  /// A part of one byte, and where the table of what it adds to the progress begins.
  struct BytePart {
    std::size_t offset = 0, table = 0;
  };
  /// Another part, and how many bits the terms after its own take.
  struct OtherPart {
    Part part;
    unsigned above = 0;
  };
  /// What is known about a term besides its parts.
  struct Shape {
    std::size_t parts = 0;
    unsigned bits = 0;
    std::int64_t low = 0;                 ///< the value of rank 0
    std::vector<std::string> names = {};  ///< of ranks; empty: numbers
  };

  Progress rank(const Part& part, const std::byte* state) const {
    if (part.kind == Part::Kind::expression) return clamped(part, evaluated(part, state));
    if (part.kind == Part::Kind::group) return groups_[part.group](state);
    return rank_of(part, load_field(state, part.field));
  }
  /// Of a value of its slot.
  Progress rank_of(const Part& part, std::int64_t value) const {
    if (part.kind == Part::Kind::field) return clamped(part, value);
    if (part.kind == Part::Kind::negated_field) return clamped(part, -value);
    const bool named = part.low <= value && value <= part.high;
    return tables_[part.table + static_cast<std::size_t>((named ? value : part.high + 1) - part.low)];
  }
  static Progress clamped(const Part& part, std::int64_t value) {
    value = value < part.low ? part.low : value > part.high ? part.high : value;
    return static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(part.low);
  }
  /// Of an expression; 0 where it has no value.
  std::int64_t evaluated(const Part& part, const std::byte* state) const;

  void append(const System& system, const Layout& layout, const MeasureTerm& term);
  /// These return the part and the largest rank it has.
  std::pair<Part, std::uint64_t> ordered_part(const System& system, const Summand& summand);
  std::pair<Part, std::uint64_t> group_part(const System& system, const Layout& layout,
                                            const Summand& summand);
  std::pair<Part, std::uint64_t> plain_part(const System& system, const Layout& layout,
                                            const Summand& summand);
  void tabulate(Part& part, std::uint64_t largest);
  Measure slice(std::size_t begin, std::size_t end) const;
  /// For the parts that there are: what operator() goes through. Their order makes no difference to their sum.
  void arrange_parts();

  std::vector<MeasureTerm> terms_;
  std::vector<Shape> shapes_;  // by term
  std::vector<Part> parts_;
  std::vector<std::uint32_t> tables_;
  std::vector<GroupRanks> groups_;
  std::vector<Predicate> predicates_;
  std::vector<BytePart> byte_parts_;
  std::vector<std::uint64_t> byte_values_;
  std::vector<OtherPart> other_parts_;
  unsigned bits_ = 0;
};

}  // namespace tideline
