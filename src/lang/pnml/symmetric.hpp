// The terms of symmetric nets: sorts, colours and how inscriptions and conditions are evaluated.
//
// A colour is a number: its position in its sort. Those of a product are numbered as in mixed radix, the last
// part fastest. Equal sorts have the same SortId: the dot, truth values, ranges with the same ends, products
// of the same parts; enumerations are equal only if they are the same declaration.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lang/diagnostics.hpp"
#include "lang/pnml/reader.hpp"

namespace tideline::pnml {

using SortId = std::uint32_t;
using Colour = std::uint64_t;

/// Larger sorts are refused.
inline constexpr Colour most_colours = 4'000'000'000;

struct Sort {
  enum class Kind : std::uint8_t { dot, enumeration, range, product };
  Kind kind = Kind::dot;
  std::string name = {};  ///< for messages
  Colour size = 1;
  std::vector<std::string> constants = {};  ///< of an enumeration; truth values and partitions are some too
  std::int64_t low = 0;                     ///< of a range
  std::vector<SortId> parts = {};           ///< of a product
};

struct ColourVariable {
  std::string name;
  SortId sort = 0;
};

/// A function on colours given by a table: which element of a partition a colour belongs to.
struct Partition {
  SortId base = 0;
  SortId elements = 0;
  std::vector<Colour> element_of = {};
};

struct Term {
  enum class Kind : std::uint8_t {
    // colours
    constant,   // value
    variable,   // number `value`
    shift,      // args[0] plus `value`, around the end of the sort
    partition,  // the element of partition number `value` that args[0] belongs to
    tuple,
    // multisets of colours; each of the above is one, too
    all,
    number_of,  // `value` times args[0]
    add,
    subtract,  // args[0] without the others
    // conditions
    equal,
    not_equal,
    less,
    less_equal,
    both,
    either,
    negation,
  };
  Kind kind = Kind::constant;
  SortId sort = 0;
  std::int64_t value = 0;
  std::vector<Term> args = {};
  SourcePoint where = {};
};

/// A multiset of colours: sorted, every colour once, with its number (more than 0).
using Bag = std::vector<std::pair<Colour, std::int64_t>>;
/// A colour for each variable.
using Binding = std::vector<Colour>;

class SymmetricTerms {
 public:
  /// Reads declarations. Errors go to the diagnostics.
  SymmetricTerms(const std::vector<Tree>& declarations, Diagnostics& diagnostics);

  const std::vector<Sort>& sorts() const { return sorts_; }
  const std::vector<ColourVariable>& variables() const { return variables_; }

  /// The sort that the structure of a place's type names. Errors end the reading.
  SortId read_sort(const Tree& structure);
  /// A multiset of colours of the sort.
  Term read_bag(const Tree& structure, SortId sort);
  Term read_condition(const Tree& structure);

  Colour colour(const Term& term, const Binding& binding) const;
  bool holds(const Term& condition, const Binding& binding) const;
  /// Throws Error(input) when more is subtracted than is there, or when there are more than `most` colours.
  Bag bag(const Term& term, const Binding& binding, std::size_t most) const;

  /// The colour as part of a name: "" for the dot, "1_T" for a tuple.
  std::string show(SortId sort, Colour colour) const;

 private:
  void declare(const Tree& tree);
  void read_variable(const Tree& tree);
  void read_partition(const Tree& tree);
  SortId named_sort(const std::string& id, SourcePoint where);
  SortId sort_of(const Tree& tree, const std::string& name);
  SortId enumeration(const Tree& tree, const std::string& name);
  SortId range(const Tree& tree);
  SortId product(const Tree& tree);
  SortId add_sort(Sort sort);

  Term bag_term(const Tree& tree, SortId sort);
  Term tuple_term(const Tree& tree, SortId sort);
  Term colour_term(const Tree& tree, const SortId* expected);
  Term colour_term_of_any_sort(const Tree& tree, const SortId* expected);
  Term condition_term(const Tree& tree);
  Term comparison(const Tree& tree, Term::Kind kind, bool swapped);

  std::int64_t integer(const Tree& tree, std::string_view attribute);
  const std::string& required(const Tree& tree, std::string_view attribute);
  const Tree& only_child(const Tree& tree);
  [[noreturn]] void fail(SourcePoint where, std::string message) const;

  Diagnostics& diagnostics_;
  std::vector<Sort> sorts_;
  std::vector<ColourVariable> variables_;
  std::vector<Partition> partitions_;
  std::unordered_map<std::string, const Tree*> sort_trees_;  ///< declared, by id
  std::unordered_map<std::string, SortId> named_sorts_;      ///< those that are read
  std::vector<std::string> open_sorts_;                      ///< being read: a sort cannot contain itself
  std::unordered_map<std::string, std::uint32_t> variable_ids_;
  std::unordered_map<std::string, std::uint32_t> partition_ids_;
  std::unordered_map<std::string, std::pair<SortId, Colour>> constants_;
  std::map<std::pair<std::int64_t, std::int64_t>, SortId> ranges_;
  std::map<std::vector<SortId>, SortId> products_;
  SortId dot_ = 0;
  SortId truth_ = 1;
};

}  // namespace tideline::pnml
