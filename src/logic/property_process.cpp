#include "logic/property_process.hpp"

#include <fmt/format.h>

#include <utility>

#include "logic/ltl.hpp"
#include "logic/symbolic_automaton.hpp"

namespace tideline {

namespace {

Expr guard_of(const Cube& cube, const std::vector<Expr>& atoms) {
  Expr guard = Expr::constant(1);
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    if (cube.positive & bit) guard = conjunction(std::move(guard), atoms[i]);
    if (cube.negative & bit) guard = conjunction(std::move(guard), Expr::unary(Op::logic_not, atoms[i]));
  }
  return guard;
}

/// Guards as diagrams over the atoms found in them.
class GuardAtoms {
 public:
  explicit GuardAtoms(BddManager& bdds) : bdds_(bdds) {}

  Bdd label(const Expr& guard) {
    const auto argument = [&](std::size_t i) { return label(guard.args[i]); };
    const auto compared = [&](Op op, bool swapped) {
      return atom(Expr::binary(op, guard.args[swapped ? 1 : 0], guard.args[swapped ? 0 : 1]));
    };
    switch (guard.op) {
      case Op::constant:
        return BddManager::constant(guard.value != 0);
      case Op::logic_not:
        return bdds_.not_(argument(0));
      case Op::logic_and:
        return bdds_.and_(argument(0), argument(1));
      case Op::logic_or:
        return bdds_.or_(argument(0), argument(1));
      case Op::imply:
        return bdds_.or_(bdds_.not_(argument(0)), argument(1));
      case Op::ne:
        return bdds_.not_(compared(Op::eq, false));
      case Op::gt:
        return compared(Op::lt, true);
      case Op::le:
        return bdds_.not_(compared(Op::lt, true));
      case Op::ge:
        return bdds_.not_(compared(Op::lt, false));
      default:
        return atom(guard);
    }
  }

  std::vector<Expr> take() { return std::move(atoms_); }

 private:
  Bdd atom(const Expr& expr) {
    std::uint32_t index = 0;
    while (index < atoms_.size() && !is_same(atoms_[index], expr)) ++index;
    if (index == atoms_.size()) atoms_.push_back(expr);
    if (atoms_.size() > max_ltl_atoms) throw BddOverflow();
    return bdds_.variable(index);
  }

  static bool is_same(const Expr& a, const Expr& b) {
    return same_expression(a, b) ||
           (a.op == Op::eq && b.op == Op::eq && same_expression(a.args[0], b.args[1]) &&
            same_expression(a.args[1], b.args[0]));
  }

  BddManager& bdds_;
  std::vector<Expr> atoms_;
};

}  // namespace

PropertyProcess to_property_process(const Automaton& automaton, const std::vector<Expr>& atoms) {
  PropertyProcess process;
  process.name = automaton.name;
  process.initial = automaton.initial;
  for (std::uint32_t s = 0; s < automaton.states; ++s)
    process.locations.push_back({.name = fmt::format("q{}", s)});
  process.accepting.resize(automaton.sets);
  for (std::uint32_t set = 0; set < automaton.sets && automaton.state_based; ++set)
    for (std::uint32_t s = 0; s < automaton.states; ++s)
      if (automaton.state_marks(s) >> set & 1) process.accepting[set].push_back(s);
  for (const AutomatonEdge& edge : automaton.edges)
    process.edges.push_back({.from = edge.from,
                             .to = edge.to,
                             .guard = guard_of(edge.label, atoms),
                             .marks = automaton.state_based ? 0 : edge.marks});
  return process;
}

std::optional<BoundAutomaton> to_automaton(const PropertyProcess& process) try {
  BddManager bdds;
  GuardAtoms guards(bdds);
  SymbolicAutomaton symbolic;
  symbolic.sets = static_cast<std::uint32_t>(process.accepting.size());
  symbolic.initial = process.initial;
  symbolic.edges.resize(process.locations.size());
  for (const PropertyProcess::Edge& edge : process.edges)
    symbolic.edges[edge.from].push_back(
        {edge.to, process.marks_of(edge.from) | edge.marks, guards.label(edge.guard)});
  merge_edges(symbolic, bdds);
  BoundAutomaton result{with_cubes(symbolic, bdds), guards.take()};
  result.automaton.name = process.name;
  for (std::size_t i = 0; i < result.atoms.size(); ++i)
    result.automaton.atoms.push_back(fmt::format("p{}", i));
  return result;
} catch (const BddOverflow&) {
  return std::nullopt;
}

}  // namespace tideline
