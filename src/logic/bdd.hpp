// A small package of binary decision diagrams, for the Boolean parts of automata: labels of edges, and the
// one-step unfolding of a formula over atoms and obligations.
//
// Diagrams are reduced and shared: equal functions have equal numbers (Bryant 1986). There is no garbage
// collection and no reordering; a manager lives as long as one translation, and refuses (BddOverflow) to grow
// past its limit.
#pragma once

#include <cstdint>
#include <vector>

#include "model/error.hpp"

namespace tideline {

/// A function; 0 is false and 1 is true.
using Bdd = std::uint32_t;

/// A conjunction of literals over at most 64 variables.
struct Cube {
  std::uint64_t positive = 0;
  std::uint64_t negative = 0;

  bool matches(std::uint64_t valuation) const {
    return (valuation & positive) == positive && (valuation & negative) == 0;
  }
  auto operator<=>(const Cube&) const = default;
};

/// A variable or its negation.
struct BddLiteral {
  std::uint32_t variable = 0;
  bool positive = true;
};

/// Thrown when diagrams or covers grow past the limit.
class BddOverflow : public Error {
 public:
  BddOverflow() : Error(ErrorKind::input, "the formula is too complex to be translated") {}
};

class BddManager {
 public:
  static constexpr std::size_t default_limit = std::size_t{1} << 22;

  explicit BddManager(std::size_t max_nodes = default_limit);

  static constexpr Bdd constant(bool value) { return value ? 1 : 0; }
  Bdd variable(std::uint32_t index) { return node(index, 0, 1); }

  Bdd and_(Bdd a, Bdd b);
  Bdd or_(Bdd a, Bdd b);
  Bdd not_(Bdd a);
  Bdd minus(Bdd a, Bdd b) { return and_(a, not_(b)); }
  bool implies(Bdd a, Bdd b) { return minus(a, b) == 0; }
  Bdd cube(const Cube& literals);

  bool is_constant(Bdd a) const { return a < 2; }
  std::uint32_t top(Bdd a) const { return nodes_[a].variable; }
  Bdd low(Bdd a) const { return nodes_[a].low; }
  Bdd high(Bdd a) const { return nodes_[a].high; }

  /// Cubes that cover a. None matches a valuation that another one matches, unless that would take more than
  /// a thousand of them. Throws BddOverflow when there are very many.
  std::vector<Cube> cubes(Bdd a);
  /// A small set of conjunctions that cover a (irredundant, prime implicants; Minato, Morreale). Literals are
  /// in ascending order. Throws BddOverflow when there are more of them than the limit.
  std::vector<std::vector<BddLiteral>> few_implicants(Bdd a, std::size_t limit = default_limit);
  /// The same for variables below 64.
  std::vector<Cube> few_cubes(Bdd a);

 private:
  struct Node {
    std::uint32_t variable;
    Bdd low;
    Bdd high;
  };
  Bdd node(std::uint32_t variable, Bdd low, Bdd high);
  void grow_index();
  /// Ways from a to true, or more than `limit`.
  std::size_t paths(Bdd a, std::size_t limit) const;
  struct Cover {
    std::vector<BddLiteral> prefix;
    std::vector<std::vector<BddLiteral>> found;
    std::size_t limit;
  };
  Bdd cover(Bdd lower, Bdd upper, Cover& cover);

  std::size_t max_nodes_;
  std::vector<Node> nodes_;
  std::vector<Bdd> index_;  // open addressing over nodes_; 0 is empty

  /// A cached result of an operation. A later entry with the same hash replaces an earlier one.
  struct Remembered {
    Bdd a, b, result;  // a = 0: empty, as operations on constants are never kept
  };
  Remembered& place(std::vector<Remembered>& cache, Bdd a, Bdd b) const;
  std::vector<Remembered> and_cache_, or_cache_, not_cache_;
};

}  // namespace tideline
