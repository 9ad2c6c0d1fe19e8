#include "logic/property_process.hpp"

#include <fmt/format.h>

#include <utility>

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

}  // namespace tideline
