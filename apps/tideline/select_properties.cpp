#include "select_properties.hpp"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "bind/bind.hpp"
#include "lang/mcc/mcc.hpp"
#include "output.hpp"

namespace tideline::app {

namespace {

void add_texts(PropertyKind kind, const std::vector<std::string>& texts, std::vector<Property>& properties) {
  for (std::size_t i = 0; i < texts.size(); ++i)
    properties.push_back({.name = numbered(to_string(kind), i),
                          .kind = kind,
                          .formula = texts[i],
                          .origin = fmt::format("--{}", to_string(kind))});
}

void add_assertions(const System& system, std::vector<Property>& properties) {
  for (const Assertion& assertion : system.assertions)
    properties.push_back({.name = assertion.name,
                          .kind = PropertyKind::assertion,
                          .formula = assertion.text,
                          .expr = assertion.condition});
}

/// The properties of files in the contest's XML, see lang/mcc.
void add_formula_files(const System& system, const std::vector<std::string>& files,
                       std::vector<Property>& properties) {
  if (!files.empty() && system.language != "pnml")
    throw Error(ErrorKind::usage,
                "--formulas: such files are about Petri nets, and the model is not a Petri net");
  for (const std::string& file : files) {
    mcc::PropertySet set = mcc::read_property_set(read_source(file), system, mcc::logic_of_file(file));
    if (!set.bounds.empty())
      throw Error(ErrorKind::usage,
                  fmt::format("--formulas {}: '{}' asks for a bound; 'tideline mcc DIR UpperBounds' computes "
                              "bounds",
                              file, set.bounds.front().name));
    properties.insert(properties.end(), std::make_move_iterator(set.properties.begin()),
                      std::make_move_iterator(set.properties.end()));
  }
}

/// What comes with the model; without anything, freedom from deadlock.
void add_defaults(const Model& model, bool quiet, std::vector<Property>& properties) {
  add_assertions(model.system, properties);
  properties.insert(properties.end(), model.properties.begin(), model.properties.end());
  if (auto property = own_property(model.system)) properties.push_back(std::move(*property));
  if (!properties.empty()) return;
  if (!quiet) complain("note: no property is given and the model has none: checking freedom from deadlock");
  properties.push_back({.name = "deadlock", .kind = PropertyKind::deadlock, .formula = ""});
}

}  // namespace

std::vector<Property> asked_properties(const CheckOptions& options) {
  std::vector<Property> properties;
  if (options.deadlock)
    properties.push_back({.name = "deadlock", .kind = PropertyKind::deadlock, .formula = ""});
  add_texts(PropertyKind::invariant, options.invariants, properties);
  add_texts(PropertyKind::reach, options.reaches, properties);
  add_texts(PropertyKind::ltl, options.formulas, properties);
  add_texts(PropertyKind::ctl, options.ctl_formulas, properties);
  add_texts(PropertyKind::automaton, options.automata, properties);
  return properties;
}

std::vector<Property> select_properties(const CheckOptions& options, const Model& model) {
  std::vector<Property> properties = asked_properties(options);
  for (Property& property : properties)
    if (property.kind == PropertyKind::invariant || property.kind == PropertyKind::reach)
      property = bind_expression(model.system, std::move(property));
  add_formula_files(model.system, options.formula_files, properties);
  if (options.assertions) add_assertions(model.system, properties);
  if (options.all) {
    if (model.properties.empty()) throw Error(ErrorKind::usage, "--all: the model has no named properties");
    properties.insert(properties.end(), model.properties.begin(), model.properties.end());
  }
  for (const std::string& name : options.names) {
    const Property& property = named_property(model, name, "--property: ");
    if (!options.all) properties.push_back(property);
  }
  const bool asked = options.assertions || options.all || !options.names.empty() ||
                     !options.formula_files.empty() || !asked_properties(options).empty();
  if (!asked) add_defaults(model, options.limits.quiet, properties);
  return properties;
}

}  // namespace tideline::app
