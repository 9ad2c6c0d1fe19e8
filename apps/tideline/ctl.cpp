#include "ctl.hpp"

#include <algorithm>

#include "liveness.hpp"
#include "logic/ctl_simplify.hpp"

namespace tideline::app {

Property ctl_property(const System& system, std::string name, const std::string& formula,
                      const std::string& origin, DeadlockPaths paths, const std::vector<Proposition>& known) {
  const SourceText source{origin, formula};
  CtlPool pool;
  const Ctl f = parse_ctl(pool, source);
  CtlFormula core = ctl_core(pool, simplify(pool, f, paths));
  core.atoms.resize(core.atom_names.size());
  // All atoms are bound, so that a slip in one that does not matter is noticed as well.
  BoundAtoms bound = bind_atoms(system, pool, f, source, known);
  for (std::size_t i = 0; i < bound.atoms.size(); ++i) {
    const auto place = std::find(core.atom_names.begin(), core.atom_names.end(), pool.atoms()[i].name);
    if (place != core.atom_names.end())
      core.atoms[static_cast<std::size_t>(place - core.atom_names.begin())] = std::move(bound.atoms[i]);
  }
  return {.name = std::move(name),
          .kind = PropertyKind::ctl,
          .formula = to_string(pool, f),
          .parts = std::move(bound.parts),
          .ctl = std::make_shared<CtlFormula>(std::move(core)),
          .deadlock_paths = paths};
}

}  // namespace tideline::app
