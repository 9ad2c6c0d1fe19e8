#include "bind/bind.hpp"

#include <fmt/format.h>

#include "bind/atoms.hpp"
#include "lang/diagnostics.hpp"
#include "logic/ctl_simplify.hpp"
#include "logic/hoa.hpp"
#include "logic/patterns.hpp"
#include "logic/property_process.hpp"
#include "logic/spot.hpp"
#include "logic/step_atoms.hpp"
#include "logic/translate.hpp"

namespace tideline {

namespace {

bool is_expression(const System& system, const std::string& text) {
  try {
    parse_expression(system, text, "");
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// What messages call the formula.
std::string origin_of(const Property& property) {
  return property.origin.empty() ? "property " + property.name : property.origin;
}

Ltl read_ltl(LtlPool& pool, const Property& property) {
  return property.pattern.empty() ? parse_ltl(pool, written_formula(property))
                                  : parse_pattern(pool, written_formula(property));
}

Property bind_ltl(const System& system, Property property, const Translation& translation) {
  const SourceText source = written_formula(property);
  LtlPool pool;
  const Ltl given = read_ltl(pool, property);
  const Ltl f = over_bits(pool, given);
  const AutomatonKind kind = translation.buchi ? AutomatonKind::buchi : AutomatonKind::generalised;
  const Ltl wrong = pool.unary(LtlOp::not_, f);
  const Automaton automaton =
      translation.spot ? translate_with_spot(pool, wrong, kind) : translate(pool, wrong, {.kind = kind});
  BoundAtoms bound = bind_atoms(system, pool, f, source, property.atoms);
  std::vector<Expr> atoms;
  for (const std::string& text : automaton.atoms)
    for (std::size_t i = 0; i < bound.atoms.size(); ++i)
      if (pool.atoms()[i].name == text) atoms.push_back(bound.atoms[i]);
  property.formula = to_string(pool, given);
  property.parts = std::move(bound.parts);
  property.process = std::make_shared<PropertyProcess>(to_property_process(automaton, atoms));
  return property;
}

/// The formula is the name of a file in HOA; its automaton accepts the runs that are wrong.
Property bind_automaton(const System& system, Property property, const Translation& translation) {
  const std::string& file = property.formula;
  Automaton automaton = read_hoa(read_source(file));
  if (translation.buchi) automaton = to_buchi(automaton);
  // A file may declare atoms that no label mentions, and that mean nothing in this model.
  const std::uint64_t used = used_atoms(automaton);
  std::vector<Expr> atoms;
  for (std::size_t i = 0; i < automaton.atoms.size(); ++i) {
    Expr atom = (used >> i) & 1
                    ? parse_expression(system, automaton.atoms[i], fmt::format("atom of {}", file))
                    : Expr::constant(0);
    if (may_lack_value(atom, system)) property.parts.push_back(atom);
    atoms.push_back(with_value_everywhere(std::move(atom), system));
  }
  property.process = std::make_shared<PropertyProcess>(to_property_process(automaton, atoms));
  return property;
}

Property bind_ctl(const System& system, Property property) {
  const SourceText source{origin_of(property), property.formula};
  CtlPool pool;
  const Ctl f = parse_ctl(pool, source);
  CtlFormula core = ctl_core(pool, simplify(pool, f, property.deadlock_paths));
  core.atoms.resize(core.atom_names.size());
  // All atoms are bound, so that a mistake is noticed even in one that simplification removed.
  BoundAtoms bound = bind_atoms(system, pool, f, source, property.atoms);
  for (std::size_t i = 0; i < bound.atoms.size(); ++i) {
    const auto place = std::find(core.atom_names.begin(), core.atom_names.end(), pool.atoms()[i].name);
    if (place != core.atom_names.end())
      core.atoms[static_cast<std::size_t>(place - core.atom_names.begin())] = std::move(bound.atoms[i]);
  }
  property.formula = to_string(pool, f);
  property.parts = std::move(bound.parts);
  property.ctl = std::make_shared<CtlFormula>(std::move(core));
  return property;
}

}  // namespace

SourceText written_formula(const Property& property) {
  return {origin_of(property), property.pattern.empty() ? property.formula : property.pattern};
}

std::vector<FormulaAtom> formula_atoms(const Property& property) {
  if (property.kind == PropertyKind::ltl) {
    LtlPool pool;
    read_ltl(pool, property);
    return pool.atoms();
  }
  if (property.kind != PropertyKind::ctl || property.ctl) return {};
  CtlPool pool;
  parse_ctl(pool, written_formula(property));
  return pool.atoms();
}

Expr bind_atom(const System& system, const FormulaAtom& atom, const SourceText& formula,
               const std::vector<Proposition>& known) {
  for (const Proposition& p : known)
    if (p.name == atom.name) return p.expr;
  if (is_step_atom(atom.name))
    throw Error(ErrorKind::input,
                {error_at(formula, atom.where, "actions are watched by 'tideline check' only")});
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

Property bind(const System& system, const Property& property, const Translation& translation) {
  switch (property.kind) {
    case PropertyKind::ltl:
      return property.process ? property : bind_ltl(system, property, translation);
    case PropertyKind::automaton:
      return property.process ? property : bind_automaton(system, property, translation);
    case PropertyKind::ctl:
      return property.ctl ? property : bind_ctl(system, property);
    default:
      return property;
  }
}

Property bind_expression(const System& system, Property property) {
  property.expr = parse_expression(system, property.formula, origin_of(property));
  return property;
}

Stuttering stuttering_of(const Property& property) {
  if (property.kind != PropertyKind::ltl) return stuttering_of(*property.process);
  LtlPool pool;
  return stuttering_of(pool, over_bits(pool, read_ltl(pool, property)));
}

std::optional<Property> own_property(const System& system) {
  if (!system.property) return std::nullopt;
  return Property{.name = system.property->name,
                  .kind = PropertyKind::automaton,
                  .formula = "",
                  .process = std::make_shared<PropertyProcess>(*system.property)};
}

Property named_property(const Model& model, const std::string& name) {
  std::vector<Property> all = model.properties;
  if (auto own = own_property(model.system)) all.push_back(std::move(*own));
  std::string known;
  Suggestion suggestion(name);
  for (Property& property : all) {
    if (property.name == name) return std::move(property);
    known += (known.empty() ? "" : ", ") + property.name;
    suggestion.offer(property.name);
  }
  throw Error(ErrorKind::usage,
              fmt::format("the model has no property '{}' ({}){}", name,
                          known.empty() ? "it has none" : "it has " + known, suggestion.text()));
}

}  // namespace tideline
