#include "bind/selection.hpp"

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "bind/bind.hpp"
#include "lang/mcc/mcc.hpp"
#include "logic/ltl_lexer.hpp"

namespace tideline {

namespace {

void add_assertions(const System& system, std::vector<Property>& properties) {
  for (const Assertion& assertion : system.assertions)
    properties.push_back({.name = assertion.name,
                          .kind = PropertyKind::assertion,
                          .formula = assertion.text,
                          .expr = assertion.condition});
}

void add_formula_files(const System& system, const std::vector<std::string>& files,
                       std::vector<Property>& properties) {
  if (!files.empty() && system.language != "pnml")
    throw Error(ErrorKind::usage,
                fmt::format("{}: files of formulas are about Petri nets, and the model is not a Petri net",
                            files.front()));
  for (const std::string& file : files) {
    mcc::PropertySet set = mcc::read_property_set(read_source(file), system, mcc::logic_of_file(file));
    if (!set.bounds.empty())
      throw Error(ErrorKind::usage,
                  fmt::format("{}: '{}' asks for a bound; 'tideline mcc DIR UpperBounds' computes bounds",
                              file, set.bounds.front().name));
    properties.insert(properties.end(), std::make_move_iterator(set.properties.begin()),
                      std::make_move_iterator(set.properties.end()));
  }
}

/// Whether SPIN reads the formula as another one: sequences of these operators from the left, where we begin on the right.
bool means_something_else_to_spin(const Property& property) {
  std::vector<std::set<int>> open_levels(
      1);  // by depth of parentheses: how tightly the operators so far bind
  for (const LtlToken& token : ltl_tokens(written_formula(property))) {
    if (token.kind == LtlToken::Kind::open) open_levels.emplace_back();
    if (token.kind == LtlToken::Kind::close && open_levels.size() > 1) open_levels.pop_back();
    const int level = ltl_binding(token.op);
    if (token.kind != LtlToken::Kind::operation || level == ltl_unary_binding) continue;
    std::set<int>& levels = open_levels.back();
    levels.erase(levels.upper_bound(level), levels.end());
    const bool to_the_right = level == ltl_binding(LtlOp::implies) || level == ltl_binding(LtlOp::until);
    if (!levels.insert(level).second && to_the_right) return true;
  }
  return false;
}

void note_grouping(const std::vector<Property>& properties,
                   const std::function<void(const std::string&)>& note) {
  for (const Property& property : properties)
    if (property.kind == PropertyKind::ltl && property.pattern.empty() &&
        means_something_else_to_spin(property))
      note(
          fmt::format("'{}' is read from the right, as in Spot; SPIN and ltl blocks begin on the left: write "
                      "the parentheses",
                      property.formula));
}

std::vector<Property> default_properties(const Model& model,
                                         const std::function<void(const std::string&)>& note) {
  std::vector<Property> properties;
  // Where a language says which ends are proper, the others are worth looking for.
  if (model.system.may_end) properties = unbound_properties({{.kind = PropertyKind::deadlock}});
  add_assertions(model.system, properties);
  properties.insert(properties.end(), model.properties.begin(), model.properties.end());
  if (auto property = own_property(model.system)) properties.push_back(std::move(*property));
  if (!properties.empty()) return properties;
  if (note) note("no property is given and the model has none: checking freedom from deadlock");
  return unbound_properties({{.kind = PropertyKind::deadlock}});
}

}  // namespace

std::vector<Property> unbound_properties(const std::vector<PropertyText>& texts) {
  std::vector<Property> properties;
  std::map<std::string_view, std::size_t> unnamed;
  for (const PropertyText& text : texts) {
    const std::string_view kind = text.is_pattern ? "pattern" : to_string(text.kind);
    properties.push_back({.name = text.name.empty() ? numbered(kind, unnamed[kind]++) : text.name,
                          .kind = text.kind,
                          .formula = text.is_pattern ? "" : text.text,
                          .pattern = text.is_pattern ? text.text : "",
                          .origin = text.origin});
  }
  return properties;
}

std::vector<Property> bind_texts(const System& system, const std::vector<PropertyText>& texts) {
  std::vector<Property> properties = unbound_properties(texts);
  for (Property& property : properties)
    if (property.kind == PropertyKind::invariant || property.kind == PropertyKind::reach)
      property = bind_expression(system, std::move(property));
  return properties;
}

std::vector<Property> select_properties(const PropertySelection& selection, const Model& model,
                                        const std::function<void(const std::string&)>& note) {
  if (selection.empty()) return default_properties(model, note);
  std::vector<Property> properties = bind_texts(model.system, selection.texts);
  if (note && model.system.language == "promela") note_grouping(properties, note);
  add_formula_files(model.system, selection.formula_files, properties);
  if (selection.assertions) add_assertions(model.system, properties);
  if (selection.all_named) {
    if (model.properties.empty())
      throw Error(ErrorKind::usage, "all named properties are asked for, and the model has none");
    properties.insert(properties.end(), model.properties.begin(), model.properties.end());
  }
  for (const std::string& name : selection.names) {
    Property property = named_property(model, name);
    const bool repeated = &name != &*std::ranges::find(selection.names, name);
    if (!selection.all_named && !repeated) properties.push_back(std::move(property));
  }
  // Those inside of atomic sequences are no properties; they fail as model errors.
  if (selection.assertions && model.system.assertions.empty()) {
    constexpr const char* none = "--assertions: the model has none that is a property of its own";
    if (properties.empty()) throw Error(ErrorKind::usage, none);
    if (note) note(none);
  }
  return properties;
}

}  // namespace tideline
