#include "liveness.hpp"

#include <fmt/format.h>

#include "logic/hoa.hpp"
#include "logic/property_process.hpp"
#include "logic/spot.hpp"
#include "logic/translate.hpp"

namespace tideline::app {

namespace {

bool is_expression(const System& system, const std::string& text) {
  try {
    parse_expression(system, text, "");
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

Expr bind_atom(const System& system, const FormulaAtom& atom, const SourceText& formula,
               const std::vector<Proposition>& known) {
  for (const Proposition& p : known)
    if (p.name == atom.name) return p.expr;
  const std::string glued = atom.glued + atom.name;
  if (!atom.glued.empty() && is_expression(system, glued))
    throw Error(ErrorKind::input,
                {error_at(formula, atom.where,
                          fmt::format("'{0}' can be read as '{1} {2}' and as a name of the model; "
                                      "write \"{0}\" or {1} {2}",
                                      glued, atom.glued, atom.name))});
  try {
    return parse_expression(system, atom.name, formula.name);
  } catch (const Error& error) {
    throw Error(ErrorKind::input,
                {error_at(formula, atom.where,
                          fmt::format("in the atom '{}': {}", atom.name, error.diagnostics()[0].message))});
  }
}

Property ltl_property(const System& system, std::string name, const std::string& formula,
                      const std::string& origin, const LtlOptions& options,
                      const std::vector<Proposition>& known) {
  const SourceText source{origin, formula};
  LtlPool pool;
  const Ltl f = parse_ltl(pool, source);
  const AutomatonKind kind = options.buchi ? AutomatonKind::buchi : AutomatonKind::generalised;
  const Ltl wrong = pool.unary(LtlOp::not_, f);
  const Automaton automaton =
      options.spot ? translate_with_spot(pool, wrong, kind) : translate(pool, wrong, {.kind = kind});
  BoundAtoms bound = bind_atoms(system, pool, f, source, known);
  std::vector<Expr> atoms;
  for (const std::string& text : automaton.atoms)
    for (std::size_t i = 0; i < bound.atoms.size(); ++i)
      if (pool.atoms()[i].name == text) atoms.push_back(bound.atoms[i]);
  return {.name = std::move(name),
          .kind = PropertyKind::ltl,
          .formula = to_string(pool, f),
          .parts = std::move(bound.parts),
          .process = std::make_shared<PropertyProcess>(to_property_process(automaton, atoms))};
}

Property automaton_property(const System& system, std::string name, const std::string& file, bool buchi) {
  Automaton automaton = read_hoa(read_source(file));
  if (buchi) automaton = to_buchi(automaton);
  // A file may declare atoms that no label mentions, and that mean nothing in this model.
  const std::uint64_t used = used_atoms(automaton);
  std::vector<Expr> atoms, parts;
  for (std::size_t i = 0; i < automaton.atoms.size(); ++i) {
    Expr atom = (used >> i) & 1
                    ? parse_expression(system, automaton.atoms[i], fmt::format("atom of {}", file))
                    : Expr::constant(0);
    if (may_lack_value(atom, system)) parts.push_back(atom);
    atoms.push_back(with_value_everywhere(std::move(atom), system));
  }
  return {.name = std::move(name),
          .kind = PropertyKind::automaton,
          .formula = file,
          .parts = std::move(parts),
          .process = std::make_shared<PropertyProcess>(to_property_process(automaton, atoms))};
}

std::shared_ptr<const PropertyProcess> watched_property(const System& system, const std::string& model_path,
                                                        const std::optional<std::string>& formula,
                                                        const std::optional<std::string>& automaton_file) {
  if (formula) return ltl_property(system, "ltl", *formula, "--ltl", {}).process;
  if (automaton_file) return automaton_property(system, "automaton", *automaton_file, false).process;
  if (!system.property)
    throw Error(ErrorKind::usage, fmt::format("--product: {} has no property process; --ltl or --automaton "
                                              "give another property",
                                              model_path));
  return std::make_shared<PropertyProcess>(*system.property);
}

}  // namespace tideline::app
