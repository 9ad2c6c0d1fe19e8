// Facts about the Promela front-end. The numbers of states are those that SPIN 6.5.2 stores without its optimisations
// (spin -a -o1 -o2 -o3; -DNOREDUCE -DSAFETY -DNOCLAIM).
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "exec/machine.hpp"
#include "exec/predicate.hpp"
#include "lang/lang.hpp"

namespace tideline {
namespace {

Model model_of(const std::string& text) {
  return read_model({"test.pml", text});
}

std::string error_of(const std::string& text) {
  try {
    model_of(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

struct Counts {
  std::size_t states = 0;
  std::size_t invalid_ends = 0;
  std::size_t failed_assertions = 0;
  std::size_t errors = 0;
};

Counts counts_of(const std::string& text) {
  const Model model = model_of(text);
  Machine machine(Program::compile(model.system, ErrorSemantics::stop));
  const Predicate valid_end(model.system, machine.layout(), *model.system.may_end);
  std::vector<Predicate> assertions;
  for (const Assertion& assertion : model.system.assertions)
    assertions.emplace_back(model.system, machine.layout(), assertion.condition);
  std::set<std::string> known;
  std::vector<std::string> todo;
  const auto add = [&](const std::byte* state) {
    std::string packed(reinterpret_cast<const char*>(state), machine.state_size());
    if (known.insert(packed).second) todo.push_back(std::move(packed));
  };
  Counts counts;
  machine.initial(add);
  while (!todo.empty()) {
    const std::string state = std::move(todo.back());
    todo.pop_back();
    const auto* const packed = reinterpret_cast<const std::byte*>(state.data());
    ModelErrorKind ignored = ModelErrorKind::none;
    for (const Predicate& assertion : assertions)
      if (assertion.evaluate(packed, ignored) == 0) ++counts.failed_assertions;
    bool moves = false;
    machine.successors(packed, [&](const Step& step) {
      if (step.error == ModelErrorKind::assertion_violated)
        ++counts.failed_assertions;
      else if (step.error != ModelErrorKind::none)
        ++counts.errors;
      moves = moves || step.state != nullptr;
      if (step.state != nullptr) add(step.state);
    });
    if (!moves && valid_end.evaluate(packed, ignored) == 0) ++counts.invalid_ends;
  }
  counts.states = known.size();
  return counts;
}

std::size_t states_of(const std::string& text) {
  return counts_of(text).states;
}

TEST(Promela, ProcessesEndFromTheYoungestOn) {
  EXPECT_EQ(states_of("active [3] proctype P() { skip }"), 15U);
}

TEST(Promela, AtomicSequencesAreOneStepWhileTheyGoOn) {
  EXPECT_EQ(states_of("byte x; active [2] proctype P() { atomic { x++; x++; x++ } }"), 7U);
  // The second process is blocked in the middle until the first one is through.
  EXPECT_EQ(states_of("byte x; active proctype A() { atomic { x = 1; x == 2; x = 3 } }\n"
                      "active proctype B() { x == 1; x = 2 }"),
            8U);
}

TEST(Promela, RendezvousInsideAtomicHandsControlOver) {
  EXPECT_EQ(states_of("chan c = [0] of {byte}; byte x;\n"
                      "active proctype A() { atomic { x = 1; c!3; x = 2; x = 3 } }\n"
                      "active proctype B() { byte y; atomic { c?y; x = 7; x = 8 } }"),
            6U);
}

TEST(Promela, ASequenceOfTrueAndSkipIsOneStepOfAnOption) {
  EXPECT_EQ(states_of("byte x; active proctype A() { if :: true -> skip; x = 1 fi }"), 4U);
  EXPECT_EQ(states_of("byte x; active proctype A() { if :: x == 0 -> skip; x = 1 fi }"), 5U);
}

TEST(Promela, AnEscapeComesBeforeOtherOptionsOfTheSamePoint) {
  EXPECT_EQ(states_of("bit b; byte a[2]; active [2] proctype P() { byte x; a[b] = 1;\n"
                      "if :: x = 1 :: { _pid } unless { a[1] } fi; b = !b }"),
            43U);
}

TEST(Promela, ADeclarationBelowAStatementIsAStep) {
  EXPECT_EQ(states_of("active proctype A() { byte k; k = 1; byte z; z = 2 }"), 5U);
}

TEST(Promela, RunsAreCountedBeforeTheSearch) {
  const Model model = model_of(
      "byte n; proctype P(byte i) { n = n + i }\n"
      "init { byte i; atomic { for (i : 1 .. 3) { run P(i) } } }");
  EXPECT_EQ(model.system.components.size(), 4U);
}

TEST(Promela, ARunBeyondTheLimitIsAModelError) {
  const std::string text = "proctype P() { false } init { do :: run P() od }";
  LoadOptions options;
  options.most_processes = 4;
  const Model model = read_model({"test.pml", text}, options);
  Machine machine(Program::compile(model.system, ErrorSemantics::stop));
  std::vector<std::vector<std::byte>> todo;
  machine.initial([&](const std::byte* s) { todo.emplace_back(s, s + machine.state_size()); });
  ModelErrorKind found = ModelErrorKind::none;
  while (!todo.empty()) {
    const auto state = todo.back();
    todo.pop_back();
    machine.successors(state.data(), [&](const Step& step) {
      if (step.state != nullptr) todo.emplace_back(step.state, step.state + machine.state_size());
      if (step.error != ModelErrorKind::none) found = step.error;
    });
  }
  EXPECT_EQ(found, ModelErrorKind::too_many_processes);
}

TEST(Promela, EndLabelsAllowProcessesToStay) {
  EXPECT_EQ(counts_of("chan c = [0] of {bit}; active proctype A() { end: c?0 }").invalid_ends, 0U);
  EXPECT_EQ(counts_of("chan c = [0] of {bit}; active proctype A() { c?0 }").invalid_ends, 1U);
}

TEST(Promela, AssertionsAreSeenInsideAtomicSequencesToo) {
  EXPECT_GT(counts_of("byte x; active proctype A() { x = 1; assert(x == 0) }").failed_assertions, 0U);
  EXPECT_GT(
      counts_of("byte x; active proctype A() { atomic { x = 1; assert(x == 0); x = 2 } }").failed_assertions,
      0U);
  EXPECT_EQ(
      counts_of("byte x; active proctype A() { atomic { x = 1; assert(x == 1); x = 2 } }").failed_assertions,
      0U);
}

TEST(Promela, AnEndlessAtomicSequenceIsAModelError) {
  EXPECT_EQ(counts_of("bit x; active proctype A() { atomic { do :: x = 1 - x od } }").errors, 1U);
}

TEST(Promela, ADStepThatBlocksIsAModelError) {
  EXPECT_EQ(counts_of("byte x; active proctype A() { d_step { x = 1; x == 2; x = 3 } }").errors, 1U);
}

TEST(Promela, TheAtomicSlotIsZeroInStatesThatAreSeen) {
  const Model model = model_of("byte x; active [2] proctype P() { atomic { x++; x < 3; x++ } }");
  ASSERT_NE(model.system.transient, no_slot);
  EXPECT_EQ(model.system.initial[model.system.transient], 0);
}

TEST(Promela, MacrosAndConditionsWorkAsInC) {
  EXPECT_EQ(states_of("#define INC(v, by) v = v + by\n#define TWO 2\n#if TWO > 1 && !defined(NO)\n"
                      "byte x;\n#else\nint nothing at all;\n#endif\n"
                      "active proctype A() { INC(x, TWO) }"),
            3U);
  EXPECT_NE(error_of("#if 1\nbyte x;").find("has no '#endif'"), std::string::npos);
  EXPECT_NE(error_of("#define A B\n#define B A\nactive proctype P() { A = 1 }").find("unknown variable"),
            std::string::npos);
}

TEST(Promela, MessagesPointToThePlace) {
  EXPECT_NE(
      error_of("byte x;\nactive proctype A() {\n  if :: x = 1 -> skip :: (x = 2) fi\n}").find("test.pml:3"),
      std::string::npos);
  EXPECT_NE(error_of("byte x; active proctype A() { (x = 2) }").find("compare with '=='"), std::string::npos);
  EXPECT_NE(
      error_of("byte x; active proctype A() { if x == 1 -> skip fi }").find("'::' before the first option"),
      std::string::npos);
  EXPECT_NE(error_of("byte turn; active proctype A() { turm = 1 }").find("did you mean 'turn'"),
            std::string::npos);
  EXPECT_NE(error_of("active proctype A() { c_code { x; } }").find("embedded C"), std::string::npos);
  EXPECT_NE(error_of("active proctype A() priority 3 { skip }").find("priorities"), std::string::npos);
  EXPECT_NE(error_of("active proctype A() { goto L }").find("unknown label 'L'"), std::string::npos);
}

TEST(Promela, PropertiesUseTheModelsOwnNames) {
  const Model model = model_of(
      "#define busy (x > 0)\ntypedef T { byte f[2] }; T t[2]; byte x; chan q = [2] of {byte};\n"
      "active [2] proctype A() { byte y; L: x = 1; q!x }");
  for (const char* text : {"x == 1", "busy", "len(q) < 2", "A[1]@L", "A[0]:y == 0", "t[1].f[0] == 0", "np_"})
    EXPECT_NO_THROW(parse_expression(model.system, text, "--invariant")) << text;
  EXPECT_THROW(parse_expression(model.system, "A[1]@M", "--invariant"), Error);
}

TEST(Promela, FormulasOfLtlBlocksAreNamedProperties) {
  const Model model = model_of("byte x; active proctype A() { x = 1 }\nltl p { [] (x < 2) && <> (x == 1) }");
  ASSERT_EQ(model.properties.size(), 1U);
  EXPECT_EQ(model.properties[0].name, "p");
  EXPECT_EQ(model.properties[0].atoms.size(), 2U);
}

}  // namespace
}  // namespace tideline
