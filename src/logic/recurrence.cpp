#include "logic/recurrence.hpp"

namespace tideline {

namespace {

std::vector<Ltl> conjuncts(const LtlPool& pool, Ltl f) {
  if (pool.op(f) != LtlOp::and_) return {f};
  return {pool.operands(f).begin(), pool.operands(f).end()};
}

}  // namespace

Recurrences split_recurrences(LtlFacts& facts, Ltl f) {
  LtlPool& pool = facts.pool();
  Recurrences result{};
  std::vector<Ltl> rest;
  for (const Ltl part : conjuncts(pool, f)) {
    if (pool.op(part) != LtlOp::always) {
      rest.push_back(part);
      continue;
    }
    std::vector<Ltl> others;  // G distributes over &&
    for (const Ltl inner : conjuncts(pool, pool.left(part))) {
      const bool fits = pool.op(inner) == LtlOp::eventually && facts.is_guarantee(inner) &&
                        !facts.is_boolean(pool.left(inner));
      if (fits)
        result.recurring.push_back(pool.left(inner));
      else
        others.push_back(inner);
    }
    if (!others.empty()) rest.push_back(pool.unary(LtlOp::always, pool.many(LtlOp::and_, others)));
  }
  result.rest = pool.many(LtlOp::and_, rest);
  return result;
}

std::optional<SymbolicAutomaton> again_and_again(SymbolicAutomaton eventually) {
  const Sccs parts = sccs(eventually);
  const std::vector<bool> accepting = accepting_sccs(eventually, parts);
  const Marks all = eventually.all_marks();
  std::vector<bool> found(eventually.size(), false);
  for (std::uint32_t state = 0; state < eventually.size(); ++state) {
    if (!accepting[parts.of[state]]) continue;
    found[state] = std::ranges::any_of(eventually.edges[state], [&](const SymbolicEdge& edge) {
      return edge.to == state && edge.label == 1 && edge.marks == all;
    });
    if (!found[state]) return std::nullopt;
  }
  if (found[eventually.initial]) return std::nullopt;
  for (std::uint32_t state = 0; state < eventually.size(); ++state) {
    if (found[state]) eventually.edges[state].clear();
    for (SymbolicEdge& edge : eventually.edges[state]) {
      edge.marks = found[edge.to] ? 1 : 0;
      if (found[edge.to]) edge.to = eventually.initial;
    }
  }
  eventually.sets = 1;
  eventually.state_based = false;
  return eventually;
}

}  // namespace tideline
