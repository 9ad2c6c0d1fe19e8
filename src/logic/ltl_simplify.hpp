// Simplification of LTL: equivalent formulas that are smaller, or that the translation handles better.
//
// Rules come from Etessami and Holzmann (2000), Somenzi and Bloem (2000) and later work: Boolean laws,
// operators pulled together (G a && G b = G(a && b)) or outwards (F X a = X F a), pure eventualities and
// universalities that an operator does not change, and operands that another one implies or excludes. A rule
// fires only when its result is no worse; they are applied bottom-up until none fires.
#pragma once

#include "logic/ltl_facts.hpp"

namespace tideline {

class LtlSimplifier {
 public:
  explicit LtlSimplifier(LtlFacts& facts) : facts_(facts), pool_(facts.pool()) {}

  /// f is in negation normal form, and so is the result.
  Ltl simplify(Ltl f);

 private:
  Ltl rebuild(Ltl f);
  Ltl at_top(Ltl f);
  Ltl next(Ltl f);
  Ltl eventually(Ltl f);
  Ltl always(Ltl f);
  Ltl in_the_end(Ltl f);
  Ltl let_out(Ltl f);
  Ltl until(Ltl f);
  Ltl weak_until(Ltl f);
  Ltl release(Ltl f);
  Ltl strong_release(Ltl f);
  Ltl common_binary(Ltl f);
  Ltl conjunction_or_disjunction(Ltl f);

  // Steps of the last one. Each returns true when it changed the parts.
  bool drop_redundant(LtlOp op, std::vector<Ltl>& parts);
  bool use_context(LtlOp op, std::vector<Ltl>& parts);
  bool merge_unary(LtlOp op, std::vector<Ltl>& parts);
  bool merge_binary(LtlOp op, std::vector<Ltl>& parts);
  bool fold_unfolding(LtlOp op, std::vector<Ltl>& parts);
  bool pull_in(LtlOp op, std::vector<Ltl>& parts);

  Ltl in_context(LtlOp op, Ltl part, const std::vector<Ltl>& others);
  Ltl without(Ltl f, LtlOp op, auto&& superfluous);
  Ltl for_each_part(Ltl f, LtlOp op, auto&& replace);

  LtlOp op(Ltl f) const { return pool_.op(f); }
  Ltl make(LtlOp op, Ltl f) { return pool_.unary(op, f); }
  Ltl make(LtlOp op, Ltl f, Ltl g) { return pool_.binary(op, f, g); }

  LtlFacts& facts_;
  LtlPool& pool_;
  std::unordered_map<std::uint32_t, Ltl> known_;
};

}  // namespace tideline
