// Facts about the Promela front-end. The numbers of states are those that SPIN 6.5.2 stores without its optimisations
// (spin -a -o1 -o2 -o3; -DNOREDUCE -DSAFETY -DNOCLAIM).
#include <gtest/gtest.h>

#include <algorithm>
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
      if (goes_on_after(step.error))
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

TEST(Promela, OnlyTheEndOfAnAtomicSequenceIsApartFromWhatFollows) {
  const std::string receiver = "chan c = [0] of { byte }; byte a; active proctype P() { byte y; c?y } ";
  EXPECT_EQ(
      states_of(receiver + "active proctype Q() { atomic { if :: c!1 :: c!2 fi; if :: a == 1 fi; a = 2 } }"),
      3U);
  EXPECT_EQ(states_of(receiver + "active proctype Q() { atomic { if :: c!1 :: c!2 fi; a == 1 } }"), 5U);
  EXPECT_EQ(states_of(receiver + "active proctype Q() { atomic { c!1; goto L; a = 1; L: a == 1; a = 2 } }"),
            2U);
}

TEST(Promela, AnElseThatBeginsADStepIsAboutItAlone) {
  EXPECT_EQ(states_of("byte a; active proctype P() { if :: a = 2 :: if :: d_step { if :: a == 5 -> a = 1 :: "
                      "else fi; a = 3 } fi fi }"),
            5U);
}

TEST(Promela, ALabelOfAForIsThatOfItsLoop) {
  EXPECT_EQ(states_of("byte x; active proctype P() { L: for (x : 0 .. 1) { skip }; if :: x = 0; goto L :: x "
                      "= 1; goto L fi }"),
            9U);
}

TEST(Promela, FieldsOfAMessageMayStandInParentheses) {
  const std::string text =
      "chan q = [2] of { byte, byte, byte }; active proctype P() { byte x, y; q!1(2, 3); ";
  EXPECT_EQ(states_of(text + "q?(x, y, 3); x == 1 && y == 2 }"),
            states_of(text + "q?x,y(3); x == 1 && y == 2 }"));
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

TEST(Promela, AnElseInAnEscapeCanAlwaysBeTaken) {
  EXPECT_EQ(states_of("byte x; active proctype A() { { x == 5 } unless { else -> x = 2 } }"), 4U);
  EXPECT_EQ(
      states_of("byte x; active proctype A() { x = 1; { x == 5 } unless { if :: x == 1 -> x = 3 :: else "
                "-> x = 2 fi } }"),
      8U);
  EXPECT_EQ(states_of("byte x; active proctype A() { { x == 5 } unless { do :: else -> break od } }"), 3U);
}

TEST(Promela, InTheMiddleOfARendezvousAnEscapeCanOnlyReceive) {
  const std::string sender =
      "chan c = [0] of {byte}; byte g; active proctype S() { g = 6; c!1; assert(false) }\n";
  const Counts counts = counts_of(sender + "active proctype R() { byte v; { c?v } unless { g > 5 } }");
  EXPECT_EQ(counts.states, 9U);
  EXPECT_GT(counts.failed_assertions, 0U);
  const std::string choice =
      "active proctype R() { byte v; { c?v; g = 7 } unless { c?1; g = 8 }; assert(g == 8) }";
  EXPECT_EQ(states_of(sender + choice), 11U);
}

TEST(Promela, TheEscapeOfAnEscapeDoesNotBeginTheOuterOne) {
  const std::string escape = "unless { { y > 2 -> x = 0 } unless { x == 1 -> y = 7 } }";
  const Counts counts =
      counts_of("byte x, y; active proctype A() { { x = 1; x = 2; assert(false) } " + escape + " }");
  EXPECT_EQ(counts.states, 5U);
  EXPECT_GT(counts.failed_assertions, 0U);
  // An `if` that begins with the whole comes later than all of it, and has both.
  EXPECT_EQ(states_of("byte x = 1, y; active proctype A() { if :: { x = 2; x = 3 } " + escape + " fi }"), 4U);
}

TEST(Promela, UnlessInsideOfADStepMeansNothing) {
  const std::string text = "byte x; active proctype A() { d_step { { x = 1 } unless { x == 1 } } }";
  EXPECT_EQ(states_of(text), 3U);
  ASSERT_EQ(model_of(text).system.warnings.size(), 1U);
  EXPECT_NE(model_of(text).system.warnings[0].message.find("means nothing"), std::string::npos);
}

TEST(Promela, ALabelledUnlessHasAPointOfItsOwn) {
  const std::string unless = "{ do :: x = 0 :: b -> break od } unless { x == 1 -> b = 1 }";
  EXPECT_EQ(states_of("bit b; byte x; active proctype P() { " + unless + " }"), 1U);
  EXPECT_EQ(states_of("bit b; byte x; active proctype P() { L: " + unless + " }"), 2U);
}

TEST(Promela, ProvidedIsAskedBeforeStepsAndNotInsideADStep) {
  const Counts counts = counts_of(
      "byte g; active [2] proctype P() provided (g < 2) { d_step { g = 2; g = g + 1; g = 0 } g = 1 }");
  EXPECT_EQ(counts.states, 16U);
  EXPECT_EQ(counts.errors, 0U);
  // Behind the block control is lost, before the atomic sequence is over.
  EXPECT_EQ(states_of("byte g; active [2] proctype P() provided (g < 2) {\n"
                      "byte x; atomic { { g = (g + 1) % 3 } unless { g == 3 -> x = 1 } } }"),
            7U);
}

TEST(Promela, AJumpWithALabelForSpinIsAStep) {
  EXPECT_EQ(states_of("bit b; active proctype A() { L: b = 1; b = 0; M: goto L }"), 2U);
  EXPECT_EQ(states_of("bit b; active proctype A() { L: b = 1; b = 0; progress: goto L }"), 3U);
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

TEST(Promela, HiddenVariablesAreForgottenWhereNobodyReadsThem) {
  EXPECT_EQ(states_of("hidden byte h; byte a = 1, b = 2;\n"
                      "active [2] proctype P() { d_step { h = a; a = b; b = h }; a++ }"),
            19U);
  EXPECT_EQ(states_of("hidden byte h; byte a; active [2] proctype P() { h = a + _pid; a++; h++ }"), 21U);
  // Somebody does: SPIN's 21 states depend on the order of its search.
  const std::string text =
      "hidden byte h; byte a; active [2] proctype P() { h = _pid; if :: h == 1 -> a++ :: else fi }";
  EXPECT_EQ(states_of(text), 39U);
  ASSERT_EQ(model_of(text).system.warnings.size(), 1U);
  EXPECT_NE(model_of(text).system.warnings[0].message.find("stays a part of the state"), std::string::npos);
}

TEST(Promela, ClaimsAboutChannelsAreChecked) {
  const std::string reader = "active proctype R() { byte x; xr q; end: do :: q?x od }";
  const Counts two =
      counts_of("chan q = [2] of {byte}; active [2] proctype S() { xs q; q!1; q!2 }\n" + reader);
  EXPECT_EQ(two.states, 31U) << "the search goes on";
  EXPECT_GT(two.failed_assertions, 0U);
  const Counts one = counts_of("chan q = [2] of {byte}; active proctype S() { xs q; q!1; q!2 }\n" + reader);
  EXPECT_EQ(one.failed_assertions, 0U);
}

TEST(Promela, TraceAssertionsMoveWithMessages) {
  const std::string sender =
      "chan q = [2] of {byte}; active proctype S() { q!1; q!2; q!3 }\n"
      "active proctype R() { byte x; do :: q?x :: empty(q) -> break od }\n";
  const Counts allowed = counts_of(sender + "trace { q!1; q!2; q!3 }");
  EXPECT_EQ(allowed.failed_assertions, 0U);
  const Counts wrong = counts_of(sender + "trace { end: do :: q!1 :: q!2 od }");
  EXPECT_EQ(wrong.states, 30U);
  EXPECT_GT(wrong.failed_assertions, 0U);
  const Counts matched = counts_of(sender + "notrace { q!1; q?1; q!2 }");
  EXPECT_EQ(matched.states, 30U);
  EXPECT_GT(matched.failed_assertions, 0U);
  EXPECT_EQ(counts_of(sender + "notrace { q!2; q!1 }").failed_assertions, 0U);
  // A run that ends in the middle of the assertion is no valid end.
  EXPECT_GT(counts_of(sender + "trace { q!1; q!2; q!3; q!4 }").invalid_ends, 0U);
  EXPECT_NE(error_of(sender + "trace { skip }").find("sends and receives"), std::string::npos);
}

/// What a run of first choices looks like, in lines of a trail.
std::vector<std::pair<ComponentId, std::int32_t>> numbers_of(const std::string& text) {
  const Model model = model_of(text);
  std::vector<std::pair<ComponentId, std::int32_t>> numbers;
  for (const Action& action : model.system.actions)
    for (const Participant& p : action.participants)
      if (p.statement != no_statement) numbers.emplace_back(p.component, p.statement);
  return numbers;
}

TEST(Promela, NobodyAsksWhereATraceAssertionIsWhenAllProcessesAreGone) {
  const std::string text = "chan q = [1] of { bit }; trace { do :: q!0; q?0 od } active proctype P() { q!0";
  EXPECT_EQ(counts_of(text + " }").invalid_ends, 0U);
  EXPECT_EQ(counts_of(text + "; end: q?1 }").invalid_ends, 1U);
}

TEST(Promela, StatementsHaveSpinsNumbers) {
  // As `spin -a` writes them to pan.t.
  using Numbers = std::vector<std::pair<ComponentId, std::int32_t>>;
  EXPECT_EQ(numbers_of("byte x; active proctype P() { x = 1; if :: x == 1 -> x = 2 :: else fi; x = 3 }"),
            (Numbers{{0, 0}, {0, 1}, {0, 3}, {0, 2}, {0, 6}, {0, 7}}));
  // 6 and 7 come after the end of the 'if', which has 4 and 5. A 'do' takes three numbers, blocks take one.
  EXPECT_EQ(
      numbers_of("byte x; active proctype P() { do :: x = 1 :: break od; atomic { x = 2; x = 3 }; x = 4 }"),
      (Numbers{{0, 0}, {0, 1}, {0, 5}, {0, 6}, {0, 8}, {0, 9}}));
  EXPECT_EQ(
      numbers_of("byte x; active proctype P() { { x = 1 } unless { x == 5 }; d_step { x = 2; x = 3 } }"),
      (Numbers{{0, 1}, {0, 0}, {0, 6}, {0, 7}}))
      << "escapes come first";
  // A second skip in a row has a number, though it is not taken.
  EXPECT_EQ(numbers_of("byte x; active proctype P() { if :: true -> skip; x = 1 fi }"),
            (Numbers{{0, 0}, {0, 2}, {0, 5}}));
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

TEST(Promela, UsualMistakesGetAHint) {
  const auto body = [](const std::string& text) {
    return error_of("byte x; active proctype A() { " + text + " }");
  };
  EXPECT_NE(body("x += 1").find("write 'x = x + ...'"), std::string::npos);
  EXPECT_NE(body("if :: x =< 1 -> skip fi").find("at most is '<='"), std::string::npos);
  EXPECT_NE(body("while (x < 2) { x++ }").find("no 'while'"), std::string::npos);
  EXPECT_NE(body("if :: x < 1 -> skip :: else :: else -> x = 1 fi").find("another 'else'"),
            std::string::npos);
  const auto warning = [](const std::string& text) {
    const Model model = model_of("byte x; active proctype A() { " + text + " }");
    return model.system.warnings.empty() ? "" : model.system.warnings[0].message;
  };
  EXPECT_NE(warning("if :: x = 1 -> skip :: else fi").find("'else' is never taken"), std::string::npos);
  EXPECT_NE(warning("if :: x = 1 -> skip :: else fi").find("'==' compares"), std::string::npos);
  EXPECT_NE(warning("do :: true -> x = 1 :: else -> break od").find("'else' is never taken"),
            std::string::npos);
  EXPECT_EQ(warning("if :: x == 1 -> skip :: else fi"), "");
}

TEST(Promela, WhatOtherLanguagesHaveIsRefusedWithTheWayOfPromela) {
  const auto body = [](const std::string& text) {
    return error_of("byte x; active proctype A() { byte i; " + text + " }");
  };
  EXPECT_NE(body("if :: x == 1 => x = 2 fi").find("followed by '->'"), std::string::npos);
  EXPECT_NE(body("for (i = 0; i < 3; i++) { skip }").find("'for (i : first .. last) { ... }'"),
            std::string::npos);
  EXPECT_NE(body("x = x > 1 ? 2 : 3").find("(condition -> value : other)"), std::string::npos);
  EXPECT_NE(body("x = i++ + 1").find("a statement of its own"), std::string::npos);
  EXPECT_NE(body("string s = 1").find("unknown type 'string'"), std::string::npos);
  EXPECT_NE(body("x = 1; return").find("'return' belongs into an 'inline'"), std::string::npos);
  EXPECT_NE(body("y = 1 } byte y; active proctype B() { skip").find("declared further down, in line 1"),
            std::string::npos);
  EXPECT_NE(body("{ x = 1 } unless { x == 2 } unless { x == 3 }").find("put braces around the first"),
            std::string::npos);
  EXPECT_NE(body("do :: x == 1 -> skip").find("expected 'od' to close the 'do' of line 1"),
            std::string::npos);
  EXPECT_NE(error_of("int main() { x = 1 }").find("no functions"), std::string::npos);
  EXPECT_NE(error_of("const int N = 3;").find("#define NAME value"), std::string::npos);
  EXPECT_NE(error_of("byte x; ltl p { G x } init { skip }").find("'[]' or 'always'"), std::string::npos);
  EXPECT_NE(error_of("init { skip }\n/* open").find("test.pml:2:1"), std::string::npos);
}

TEST(Promela, EmbeddedCHidesWhatIsWrongBehindIt) {
  const std::string error = error_of("init { c_code { char c = 'ab'; now.x = \\1; } }");
  EXPECT_NE(error.find("embedded C"), std::string::npos);
  EXPECT_EQ(error.find("character"), std::string::npos);
}

TEST(Promela, AModelOfFiveThousandLinesIsRead) {
  std::string text = "#define MAX 4\n#define INC(v) v = (v + 1) % MAX\nbyte total;\n";
  for (int i = 0; i < 60; ++i)
    text += "inline step" + std::to_string(i) +
            "(a, b) {\n  if\n  :: a < b -> a = a + b\n  :: else -> a = 0\n  fi;\n  INC(b)\n}\n";
  for (int i = 0; i < 200; ++i) {
    const std::string n = std::to_string(i);
    text += "active proctype P" + n +
            "() {\n  byte x;\n  byte y = 1;\nstart:\n  do\n  :: x < 2 ->\n     INC(x);\n";
    for (int k = 0; k < 4; ++k) text += "     step" + std::to_string((i + k) % 60) + "(x, y);\n";
    text +=
        "  :: y == 3 ->\n     break\n  :: atomic {\n     x == y ->\n     total = 0\n     }\n  od;\n"
        "  assert(x < MAX);\n  if\n  :: x == 0 -> goto start\n  :: else\n  fi\n}\n";
  }
  ASSERT_GT(std::ranges::count(text, '\n'), 5000);
  EXPECT_EQ(model_of(text).system.components.size(), 200U);
}

TEST(Promela, AProcessOfTensOfThousandsOfStatementsIsRead) {
  std::string text = "byte x; active proctype P() { ";
  for (int i = 0; i < 25'000; ++i) text += "x = 1; ";
  const Model model = model_of(text + "skip }");
  EXPECT_EQ(model.system.actions.size(), 25'002U);
}

TEST(Promela, ChannelsOfDifferentFieldsMayHaveOneName) {
  const std::string channels = "chan one = [1] of {byte}; chan two = [1] of {byte, byte};\n";
  const Model model = model_of(channels +
                               "proctype P(chan c) { if :: c == one -> c!1 :: else -> c!1,2 fi }\n"
                               "init { run P(one); run P(two) }");
  ASSERT_EQ(model.system.warnings.size(), 1U);
  EXPECT_NE(model.system.warnings[0].message.find("channel 'one' has 1 field, not 2"), std::string::npos);
  EXPECT_EQ(states_of(channels + "proctype P(chan c) { if :: c == one -> c!1 :: else -> c!1,2 fi }\n"
                                 "init { run P(one); run P(two) }"),
            22U);
  EXPECT_NE(error_of(channels + "active proctype P() { one!1,2 }").find("has 1 field, not 2"),
            std::string::npos);
}

TEST(Promela, AVariableThatIsNeverAChannelGetsAWarning) {
  const Model model = model_of("chan c; chan d = [1] of { byte }; active proctype P() { d!1; c!1 }");
  ASSERT_EQ(model.system.warnings.size(), 1U);
  EXPECT_NE(model.system.warnings[0].message.find("'c' is never set to a channel"), std::string::npos);
}

TEST(Promela, AssertionsOfALineAreNumberedFromTheLeft) {
  const Model model =
      model_of("byte x; active proctype A() { assert(x < 1); x = 1; assert(x < 2); assert(x < 3) }");
  ASSERT_EQ(model.system.assertions.size(), 3U);
  EXPECT_EQ(model.system.assertions[0].name, "assert:1");
  EXPECT_EQ(model.system.assertions[1].name, "assert:1-2");
  EXPECT_EQ(model.system.assertions[2].text, "assert(x < 3)");
  EXPECT_EQ(model.system.assertions[2].name, "assert:1-3");
}

TEST(Promela, PropertiesUseTheModelsOwnNames) {
  const Model model = model_of(
      "#define busy (x > 0)\ntypedef T { byte f[2] }; T t[2]; byte x; chan q = [2] of {byte};\n"
      "active [2] proctype A() { byte y; L: x = 1; q!x }");
  for (const char* text :
       {"x == 1", "busy", "len(q) < 2", "A[1]@L", "A[0]:y == 0", "t[1].f[0] == 0", "np_", "ended_"})
    EXPECT_NO_THROW(parse_expression(model.system, text, "--invariant")) << text;
  EXPECT_THROW(parse_expression(model.system, "A[1]@M", "--invariant"), Error);
}

TEST(Promela, FormulasOfLtlBlocksAreNamedProperties) {
  const Model model = model_of("byte x; active proctype A() { x = 1 }\nltl p { [] (x < 2) && <> (x == 1) }");
  ASSERT_EQ(model.properties.size(), 1U);
  EXPECT_EQ(model.properties[0].name, "p");
  EXPECT_EQ(model.properties[0].atoms.size(), 2U);
}

std::string formula_of(const std::string& text) {
  return model_of("bit p, q, r; byte x; init { skip } ltl f { " + text + " }").properties.at(0).formula;
}

TEST(Promela, OperatorsOfFormulasBindAsInTheGrammarOfSpin) {
  // As `spin -a` prints them with all parentheses.
  EXPECT_EQ(formula_of("[] p -> q"), R"(([] ("p") -> "q"))");
  EXPECT_EQ(formula_of("p -> q -> r"), R"((("p" -> "q") -> "r"))");
  EXPECT_EQ(formula_of("p <-> q -> r"), R"((("p" <-> "q") -> "r"))");
  EXPECT_EQ(formula_of("p || q U r && p"), R"(("p" || (("q" U "r") && "p")))");
  EXPECT_EQ(formula_of("[] p U q"), R"(([] ("p") U "q"))");
  EXPECT_EQ(formula_of("p /\\ q \\/ r"), R"((("p" && "q") || "r"))");
  EXPECT_EQ(formula_of("!x == 1"), R"("!x == 1")") << "compares !x, as in C";
  EXPECT_EQ(formula_of("!p U q;"), R"((! ("p") U "q"))");
  EXPECT_EQ(formula_of("p<->q"), R"(("p" <-> "q"))");
}

TEST(Promela, OnlyFormulasWithoutNamesAreNumbered) {
  const Model model = model_of("bit p; init { skip } ltl a { p } ltl { p } ltl b { p } ltl { !p }");
  ASSERT_EQ(model.properties.size(), 4U);
  EXPECT_EQ(model.properties[1].name, "ltl_0");
  EXPECT_EQ(model.properties[3].name, "ltl_1");
}

TEST(Promela, ADeclarationInAnOptionIsKnownBehindIt) {
  EXPECT_EQ(states_of("active proctype A() { if :: true -> byte y = 9 fi; y = 3; assert(y == 3) }"), 6U);
  EXPECT_NE(error_of("active proctype A() { atomic { byte y = 9 }; y = 3 }").find("unknown variable 'y'"),
            std::string::npos);
}

TEST(Promela, ALabelThatBeginsAnOptionIsAboutTheStateBehindTheStatement) {
  EXPECT_EQ(
      counts_of("byte x; active proctype A() { do :: end: x == 1 -> x = 2 :: endx: x == 3 od }").invalid_ends,
      0U);
  EXPECT_EQ(
      counts_of("byte x; active proctype A() { x = 5; if :: end: false; x = 2 :: x == 3 fi }").invalid_ends,
      1U);
  // Inside an atomic sequence SPIN has a state of its own behind the `if` where one statement is left.
  const std::string before =
      "chan q = [0] of {bit}; byte g; active proctype A() { atomic { if :: end: skip :: g = 1 fi; q!0";
  EXPECT_EQ(counts_of(before + "; g = 3 } }").invalid_ends, 0U);
  EXPECT_EQ(counts_of(before + " } }").invalid_ends, 0U);
  const Model model = model_of("byte x; active proctype A() { do :: progress: x = 1 :: x = 2; x = 3 od }");
  ASSERT_EQ(model.system.warnings.size(), 1U);
  EXPECT_NE(model.system.warnings[0].message.find("begins an option"), std::string::npos);
  EXPECT_EQ(model.system.actions.size(), 4U) << "nobody jumps to it, so that its step is there once";
}

TEST(Promela, AProcessThatMayNotMoveMayNotEndEither) {
  // Both wait for x == 0 at their ends, so that the timeout is possible.
  EXPECT_EQ(states_of("byte x; active proctype A() { x = 1; timeout; x = 0 }\n"
                      "active [2] proctype B() provided (x == 0) { skip }"),
            29U);
}

TEST(Promela, EnabledIsNotAskedInCircles) {
  EXPECT_EQ(states_of("active proctype A() { enabled(1); skip } active proctype B() { skip }"), 10U);
  EXPECT_NE(
      error_of("active proctype A() { enabled(1) } active proctype B() { enabled(0) }").find("asks it, too"),
      std::string::npos);
}

TEST(Promela, AnInlineMayGiveAValue) {
  EXPECT_EQ(
      counts_of(
          "inline f(x) { x++; return x } active proctype P() { int y = 2, z; z = f(y); assert(z == 3) }")
          .failed_assertions,
      0U);
  EXPECT_EQ(states_of("inline f(x) { return x + 1 } active proctype P() { int y; y = f(3); assert(y == 4) }"),
            4U);
  EXPECT_NE(error_of("inline f(x) { return x } active proctype P() { f(3) }").find("'x = f(...)'"),
            std::string::npos);
}

TEST(Promela, AVariableWithAValueIsALength) {
  const Model model = model_of("byte N = 3; byte a[N]; active [N] proctype P() { a[_pid] = 1 }");
  EXPECT_EQ(model.system.components.size(), 3U);
  EXPECT_EQ(model.system.warnings.size(), 2U);
  EXPECT_NE(error_of("byte N; byte a[N]; active proctype P() { a[_pid] = 1 }").find("has to be a constant"),
            std::string::npos);
}

TEST(Promela, DefinesReplaceMacros) {
  LoadOptions options;
  options.defines = parse_defines({"N=3"});
  const std::string text = "#ifndef N\n#define N 1\n#endif\n#define N 2\nactive [N] proctype P() { skip }";
  EXPECT_EQ(model_of(text).system.components.size(), 2U);
  EXPECT_EQ(read_model({"test.pml", text}, options).system.components.size(), 3U);
  options.defines = parse_defines({"M=3"});
  EXPECT_THROW(read_model({"test.pml", text}, options), Error);
}

}  // namespace
}  // namespace tideline
