#include "bind/selection.hpp"

#include <gtest/gtest.h>

namespace tideline {
namespace {

constexpr std::string_view counter =
    "byte x;\n"
    "process P { state q; init q; trans q -> q { guard x < 3; effect x = x + 1; }; }\n"
    "system async;\n";
constexpr std::string_view property_lines =
    "//@ property small invariant x < 4\n"
    "//@ property ends ltl F \"x == 3\"\n";

Model model_of(std::initializer_list<std::string_view> parts) {
  SourceText source{"counter.dve", {}};
  for (const std::string_view part : parts) source.text += part;
  return read_model(source);
}
Model plain_model() {
  return model_of({counter});
}
Model model_with_properties() {
  return model_of({property_lines, counter});
}

std::vector<std::string> names(const std::vector<Property>& properties) {
  std::vector<std::string> result;
  for (const Property& property : properties) result.push_back(property.name);
  return result;
}

std::string error_of(const PropertySelection& selection, const Model& model) {
  try {
    select_properties(selection, model);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

using Names = std::vector<std::string>;

TEST(Selection, TextsWithoutANameAreNumberedByTheirKind) {
  const std::vector<PropertyText> texts{{PropertyKind::invariant, "x < 4"},
                                        {PropertyKind::ltl, "F p"},
                                        {PropertyKind::invariant, "x < 3", "mine"},
                                        {PropertyKind::invariant, "x < 2"}};
  EXPECT_EQ(names(unbound_properties(texts)), (Names{"invariant", "ltl", "mine", "invariant-2"}));
}

TEST(Selection, ExpressionsAreBoundAndFormulasAreNotYet) {
  const Model model = plain_model();
  const auto bound = bind_texts(model.system, {{PropertyKind::reach, "x == 3"}, {PropertyKind::ltl, "F !!"}});
  EXPECT_NE(bound[0].expr, Expr::constant(1));
  EXPECT_EQ(bound[1].formula, "F !!");
}

TEST(Selection, ErrorsCallATextByItsOrigin) {
  const Model model = plain_model();
  EXPECT_NE(
      error_of({.texts = {{PropertyKind::invariant, "y", "", "--invariant"}}}, model).find("--invariant"),
      std::string::npos);
  EXPECT_NE(error_of({.texts = {{PropertyKind::invariant, "y"}}}, model).find("property invariant"),
            std::string::npos);
}

TEST(Selection, WithoutAnythingItIsWhatComesWithTheModel) {
  Names notes;
  const auto note = [&](const std::string& text) { notes.push_back(text); };
  EXPECT_EQ(names(select_properties({}, model_with_properties(), note)), (Names{"small", "ends"}));
  EXPECT_TRUE(notes.empty());
  EXPECT_EQ(names(select_properties({}, plain_model(), note)), Names{"deadlock"});
  EXPECT_EQ(notes.size(), 1u);
}

TEST(Selection, NamedPropertiesAreFoundOnce) {
  const Model model = model_with_properties();
  EXPECT_EQ(names(select_properties({.names = {"ends"}}, model)), Names{"ends"});
  EXPECT_EQ(names(select_properties({.names = {"ends"}, .all_named = true}, model)),
            (Names{"small", "ends"}));
  EXPECT_EQ(error_of({.names = {"end"}, .all_named = true}, model),
            "error: the model has no property 'end' (it has small, ends); did you mean 'ends'?");
  EXPECT_EQ(error_of({.all_named = true}, plain_model()),
            "error: all named properties are asked for, and the model has none");
}

TEST(Selection, AClaimOfTheModelIsFoundByItsName) {
  Model model = model_with_properties();
  model.system.property.emplace().name = "never";
  EXPECT_EQ(names(select_properties({.names = {"never"}}, model)), Names{"never"});
  EXPECT_EQ(error_of({.names = {"ever"}}, model),
            "error: the model has no property 'ever' (it has small, ends, never); did you mean 'never'?");
}

/// Nothing would be checked, and the answer would be that all is well.
TEST(Selection, AssertionsAloneHaveToBeThere) {
  EXPECT_EQ(error_of({.assertions = true}, plain_model()),
            "error: --assertions: the model has none that is a property of its own");
  std::string noted;
  const auto properties =
      select_properties({.texts = {{.kind = PropertyKind::deadlock}}, .assertions = true}, plain_model(),
                        [&](const std::string& text) { noted += text; });
  EXPECT_EQ(properties.size(), 1U);
  EXPECT_EQ(noted, "--assertions: the model has none that is a property of its own");
}

TEST(Selection, FilesOfFormulasAreForPetriNets) {
  EXPECT_EQ(
      error_of({.formula_files = {"CTLCardinality.xml"}}, plain_model()),
      "error: CTLCardinality.xml: files of formulas are about Petri nets, and the model is not a Petri net");
}

}  // namespace
}  // namespace tideline
