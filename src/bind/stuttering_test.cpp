// Whether bound properties see repetitions: formulas, automata from files, and those of models.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "bind/bind.hpp"
#include "testing/beem.hpp"

namespace tideline {
namespace {

System counter_with(const std::string& property_process) {
  const std::string end = property_process.empty() ? "" : " property watch";
  return read_model({"counter.dve",
                     "byte x;\n"
                     "process P { state q; init q; trans q -> q { guard x < 3; effect x = x + 1; }; }\n" +
                         property_process + "system async" + end + ";\n"})
      .system;
}

Stuttering of_formula(const std::string& formula, const Translation& translation = {}) {
  const Property property{.name = "f", .kind = PropertyKind::ltl, .formula = formula};
  return stuttering_of(bind(counter_with(""), property, translation));
}

Stuttering of_process(const std::string& body) {
  return stuttering_of(*own_property(counter_with("process watch { " + body + " }\n")));
}

TEST(BoundStuttering, FormulasAreDecidedByWhatTheyMean) {
  for (const bool buchi : {false, true}) {
    EXPECT_EQ(of_formula("F(\"x == 1\" && X \"x == 2\")", {.buchi = buchi}), Stuttering::sensitive);
    EXPECT_EQ(of_formula("F(\"x == 1\" && X(!\"x == 1\" && \"x == 2\"))", {.buchi = buchi}),
              Stuttering::invariant);
    EXPECT_EQ(of_formula("G(\"x == 1\" -> F \"x == 2\")", {.buchi = buchi}), Stuttering::invariant);
  }
}

TEST(BoundStuttering, ProcessesOfModelsAreDecidedByTheirGuards) {
  // F(x == 1 && X x != 1) looks at a change, as one condition is the negation of the other.
  const std::string some_step =
      "state s, t, u; init s; accept u; trans s -> s {}, u -> u {}, s -> t { guard x == 1; }, t -> u ";
  EXPECT_EQ(of_process(some_step + "{ guard x != 1; };"), Stuttering::invariant);
  EXPECT_EQ(of_process(some_step + "{ guard not (1 == x); };"), Stuttering::invariant);
  EXPECT_EQ(of_process(some_step + "{ guard x < 2; };"), Stuttering::sensitive);
  EXPECT_EQ(of_process("byte steps; state s; init s; accept s; trans s -> s { guard steps < 3; "
                       "effect steps = steps + 1; };"),
            Stuttering::unknown_with_variables);
}

TEST(BoundStuttering, AutomataFromFilesAreDecided) {
  const std::string file = ::testing::TempDir() + "tideline-stuttering.hoa";
  const auto of_file = [&](const std::string& second_step) {
    std::ofstream(file) << "HOA: v1 States: 3 Start: 0 AP: 1 \"x == 1\" Acceptance: 1 Inf(0) --BODY-- "
                           "State: 0 [t] 0 [0] 1 State: 1 "
                        << second_step << " 2 State: 2 {0} [t] 2 --END--";
    const Property property{.name = "a", .kind = PropertyKind::automaton, .formula = file};
    return stuttering_of(bind(counter_with(""), property));
  };
  EXPECT_EQ(of_file("[!0]"), Stuttering::invariant);
  EXPECT_EQ(of_file("[0]"), Stuttering::sensitive);
  std::filesystem::remove(file);
}

TEST(BoundStuttering, AutomataOfBeemAreInvariant) {
  if (!std::filesystem::exists(dve::beem_folder()))
    GTEST_SKIP() << "no models of BEEM at " << dve::beem_folder();
  for (const char* name :
       {"bopdp.1.prop2", "leader_election.1.prop2", "rether.2.prop2", "szymanski.1.prop4"}) {
    const auto property = own_property(read_model(read_source(dve::beem_model(name).string())).system);
    ASSERT_TRUE(property.has_value()) << name;
    EXPECT_EQ(stuttering_of(*property), Stuttering::invariant) << name;
  }
}

}  // namespace
}  // namespace tideline
