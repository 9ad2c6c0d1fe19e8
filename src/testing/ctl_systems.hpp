// For tests of CTL: systems that do what a random structure does, with formulas about them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "logic/ctl_simplify.hpp"
#include "model/system.hpp"
#include "run/property.hpp"
#include "testing/ctl.hpp"

namespace tideline::test {

using testing::pick;
using testing::Structure;

inline const std::vector<std::string> names{"p", "q"};

inline DeadlockPaths arbitrary_paths() {
  return pick(0, 2) == 1 ? DeadlockPaths::maximal : DeadlockPaths::stutter;
}

/// A system that does what a structure does: the state is x. Padding makes the state as large as those of
/// real models.
inline System system_of(const Structure& structure) {
  System s;
  s.name = "structure";
  const auto last = static_cast<std::int32_t>(structure.next.size()) - 1;
  s.add_variable({.name = "x"}, {0, last}, {0});
  s.add_variable({.name = "padding", .length = 8, .is_array = true}, int16_range, {});
  for (std::size_t from = 0; from < structure.next.size(); ++from)
    for (const std::uint32_t to : structure.next[from]) {
      Action action{.label = std::to_string(from) + " -> " + std::to_string(to)};
      action.guard = Expr::binary(Op::eq, Expr::load(0), Expr::constant(static_cast<std::int64_t>(from)));
      action.effects.push_back({.slot = 0, .value = Expr::constant(to)});
      s.actions.push_back(std::move(action));
    }
  complete(s);
  return s;
}

inline Expr has_label(const Structure& structure, std::uint64_t bit) {
  Expr expr = Expr::constant(0);
  for (std::size_t state = 0; state < structure.labels.size(); ++state)
    if ((structure.labels[state] >> bit & 1) != 0)
      expr =
          Expr::binary(Op::logic_or, std::move(expr),
                       Expr::binary(Op::eq, Expr::load(0), Expr::constant(static_cast<std::int64_t>(state))));
  return expr;
}

inline Property property_of(const Structure& structure, CtlPool& pool, Ctl f, DeadlockPaths paths) {
  CtlFormula core = ctl_core(pool, simplify(pool, f, paths));
  for (const std::string& name : core.atom_names)
    core.atoms.push_back(has_label(structure, name == names[0] ? 0 : 1));
  return {.name = "f",
          .kind = PropertyKind::ctl,
          .formula = to_string(pool, f),
          .ctl = std::make_shared<CtlFormula>(std::move(core)),
          .deadlock_paths = paths};
}

}  // namespace tideline::test
