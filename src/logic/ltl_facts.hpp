// Facts about LTL formulas that need no automata: their negation normal form, whether they are only about
// what comes eventually or about everything that follows, and whether one implies another.
//
// - A formula is *eventual* (a pure eventuality) if it stays true when any finite prefix is put before a
//   word, and *universal* if it stays true when a prefix is removed (Etessami and Holzmann 2000).
//   Both may be called suspendable: only the far end of the word matters.
// - implies() is the syntactic implication of Somenzi and Bloem (2000), with more rules. It is sound and
//   incomplete, and gives up (false) after a bounded number of comparisons.
//
// All answers are kept; a pool and its facts grow together.
#pragma once

#include <optional>

#include "logic/ltl.hpp"

namespace tideline {

class LtlFacts {
 public:
  explicit LtlFacts(LtlPool& pool) : pool_(pool) {}

  LtlPool& pool() { return pool_; }

  /// Equivalent to f, or to !f; negations are before atoms only, and only the operators !, &&, ||, X, F, G,
  /// U, R, W, M are left.
  Ltl negation_normal_form(Ltl f, bool negated = false);
  Ltl negation(Ltl f) { return negation_normal_form(f, true); }

  // The rest is for formulas in negation normal form.
  bool is_eventual(Ltl f) { return shape(f).eventual; }
  bool is_universal(Ltl f) { return shape(f).universal; }
  bool is_suspendable(Ltl f) { return is_eventual(f) && is_universal(f); }
  /// No temporal operators.
  bool is_boolean(Ltl f) { return shape(f).boolean; }
  /// A guarantee: a finite prefix of a word shows that it is satisfied. (Judged by its operators: no
  /// G, R, W.)
  bool is_guarantee(Ltl f) { return shape(f).guarantee; }

  /// True: every word of f is a word of g.
  bool implies(Ltl f, Ltl g);
  /// True: no word satisfies both.
  bool excludes(Ltl f, Ltl g) { return implies(f, negation(g)) || implies(g, negation(f)); }

 private:
  struct Shape {
    bool eventual, universal, boolean, guarantee;
  };
  Shape shape(Ltl f);
  Shape shape_of(LtlOp op, Ltl f) const;

  Ltl rewrite(Ltl f, bool negated);
  bool any_rule(Ltl f, Ltl g);
  bool by_boolean_structure(Ltl f, Ltl g);
  bool from_left(Ltl f, Ltl g);
  bool from_right(Ltl f, Ltl g);
  bool between_binaries(Ltl f, Ltl g);

  LtlPool& pool_;
  std::vector<Shape> shapes_;
  std::vector<std::optional<Ltl>> normal_[2];  // plain, negated
  std::unordered_map<std::uint64_t, bool> implications_;
  std::uint32_t depth_ = 0;
};

}  // namespace tideline
