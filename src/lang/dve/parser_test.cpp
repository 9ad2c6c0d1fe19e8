// Errors in the text of a model: their places and messages; and no text, however bad, does harm.
#include "lang/dve/parser.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "testing/models.hpp"
#include "testing/skip_case.hpp"

namespace tideline::dve {
namespace {

/// "line:column: message" of every error in the text.
std::vector<std::string> errors_in(std::string text) {
  std::vector<std::string> list;
  try {
    model_of(std::move(text));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    for (const Diagnostic& d : error.diagnostics())
      list.push_back(std::to_string(d.where.line) + ":" + std::to_string(d.where.column) + ": " + d.message);
  }
  return list;
}

using Errors = std::vector<std::string>;

/// "line:column: message" of every warning of the text, which is a model.
std::vector<std::string> warnings_in(std::string text) {
  std::vector<std::string> list;
  for (const Diagnostic& d : system_of(std::move(text)).warnings)
    list.push_back(std::to_string(d.where.line) + ":" + std::to_string(d.where.column) + ": " + d.message);
  return list;
}

// A model around one process, whose text is line 2.
std::string in_process(const std::string& body) {
  return "byte x, a[2]; channel c;\n" + body + "\nsystem async;";
}

TEST(DveParser, ExpectedAndFound) {
  EXPECT_EQ(errors_in("byte x = 1\nprocess P { state s; init s; }\nsystem async;"),
            (Errors{"2:1: expected ';' after the declaration, found 'process'"}));
  EXPECT_EQ(errors_in(in_process("process P { state s; init s; trans s -> s { guard x == 1 } ; }")),
            (Errors{"2:58: expected ';' after the guard, found '}'"}));
  EXPECT_EQ(errors_in(in_process("process P { state s; init s; trans s -> s { guard (x + 1; }; }")),
            (Errors{"2:57: expected ')' to close '(' of line 2, column 51, found ';'"}));
  EXPECT_EQ(errors_in(in_process("process P { state s; init s; trans s -> s { effect a[1 = 2; }; }")),
            (Errors{"2:56: expected ']' after the index of 'a', found '='"}));
  EXPECT_EQ(errors_in(in_process("process P { state s; init s; trans s -> { }; }")),
            (Errors{"2:41: expected a name of the state that the transition enters, found '{'"}));
  EXPECT_EQ(errors_in(in_process("process P { state guard; init s; }")),
            (Errors{"2:19: expected a name of a state that is not a reserved word, found 'guard'"}));
  EXPECT_EQ(errors_in(in_process("process P { state s; init s; trans s -> s { guard x + ; }; }")),
            (Errors{"2:55: expected an expression, found ';'"}));
  EXPECT_EQ(errors_in("process P { state s; init s; }\nsystem later;"),
            (Errors{"2:8: expected 'async' or 'sync' after 'system', found 'later'"}));
  EXPECT_EQ(errors_in("process P { state s; init s; }"),
            (Errors{"1:31: expected 'system async;' or 'system sync;' at the end of the model"}));
  EXPECT_EQ(errors_in("process P { state s; init s; }\nsystem async; byte x;"),
            (Errors{"2:15: expected nothing after the system clause, found 'byte'"}));
}

TEST(DveParser, CaretUnderTheOffendingWord) {
  EXPECT_EQ(
      error_of("byte turn;\nprocess P { state s; init s; trans s -> s { guard turm; }; }\nsystem async;"),
      "test.dve:2:51: error: unknown variable 'turm'; did you mean 'turn'?\n"
      "     2 | process P { state s; init s; trans s -> s { guard turm; }; }\n"
      "       |                                                   ^");
}

TEST(DveParser, SeveralErrorsInOneRun) {
  EXPECT_EQ(errors_in("byte x = ;\n"
                      "process P {\n"
                      "  byte y\n"
                      "  byte z;\n"
                      "  state s t;\n"
                      "  init s;\n"
                      "  trans s -> s { guard x = 1; },\n"
                      "        s -> s { guard 1; guard 2; }\n"
                      "        s -> s { effct x = 1; };\n"
                      "}\n"
                      "process Q { state s; init s;\n"
                      "process R { state s; init s; }\n"
                      "system async;"),
            (Errors{"1:10: expected an expression, found ';'",
                    "4:3: expected ';' after the declaration, found 'byte'",
                    "5:11: expected ';' after the clause, found 't'",
                    "7:26: '=' assigns a value; a comparison is written '=='",
                    "8:27: this transition has a second 'guard'",
                    "9:18: expected 'guard', 'sync', 'effect' or '}', found 'effct'; did you mean 'effect'?",
                    "12:1: expected '}' to close process 'Q' of line 11, found 'process'"}));
}

TEST(DveParser, NotSupported) {
  EXPECT_EQ(errors_in(in_process("process P { state s, t; init s; trans s => { s: 1, t: 2 }, s -> t {}; }")),
            (Errors{"2:41: probabilistic transitions ('=>') are not supported"}));
  EXPECT_EQ(errors_in(in_process("process P { state s; init s; accept muller (s); }")),
            (Errors{"2:37: acceptance 'muller' is not supported: only 'buchi' and 'genbuchi' are"}));
  std::string sets = "()";
  for (int i = 0; i < 31; ++i) sets += ",()";
  EXPECT_EQ(errors_in(in_process("process P { state s; init s; accept genbuchi " + sets + "; }")), Errors{});
  EXPECT_EQ(errors_in(in_process("process P { state s; init s; accept genbuchi " + sets + ",(); }")).size(),
            1u);
}

TEST(DveParser, DeclarationErrors) {
  const std::string process = " process P { state s; init s; } system async;";
  EXPECT_EQ(errors_in("byte x; int x;" + process), (Errors{"1:13: 'x' is declared twice"}));
  EXPECT_EQ(errors_in("byte x; channel x;" + process), (Errors{"1:17: 'x' is declared twice"}));
  EXPECT_EQ(errors_in("byte n = 2, a[n];" + process),
            (Errors{"1:15: the length of an array must be a constant"}));
  EXPECT_EQ(errors_in("byte a[0];" + process),
            (Errors{"1:8: the length of an array is 0, but must be between 1 and 1000000"}));
  EXPECT_EQ(errors_in("byte a[2] = 1;" + process),
            (Errors{"1:6: array 'a' takes its initial values in braces"}));
  EXPECT_EQ(errors_in("byte a = {1};" + process),
            (Errors{"1:6: 'a' is not an array and takes a single initial value"}));
  EXPECT_EQ(errors_in("byte a = 1 / 0;" + process), (Errors{"1:12: this initial value cannot be computed"}));
  EXPECT_EQ(errors_in("const byte K;" + process), (Errors{"1:12: constant 'K' needs a value"}));
  EXPECT_EQ(errors_in("channel c[3];" + process),
            (Errors{"1:9: channel 'c' needs types to have a buffer: 'channel {byte} c[...]'"}));
  EXPECT_EQ(errors_in("byte a[900000], b[900000];" + process),
            (Errors{"1:17: a state has more than 1000000 values"}));
}

TEST(DveParser, ProcessErrors) {
  EXPECT_EQ(errors_in("byte x; system async;"), (Errors{"1:9: the model has no process"}));
  EXPECT_EQ(errors_in("process P { state s; init s; } system async property P;"),
            (Errors{"1:32: the model has no process"}));
  EXPECT_EQ(errors_in("process P { } system async;"), (Errors{"1:9: process 'P' has no states"}));
  EXPECT_EQ(errors_in("process P { state s; } system async;"),
            (Errors{"1:9: process 'P' has no initial state"}));
  EXPECT_EQ(errors_in("process P { state s, s; init s; } system async;"),
            (Errors{"1:22: state 's' is declared twice, first in line 1"}));
  EXPECT_EQ(errors_in("process P { state here; init hare; commit ther; } system async;"),
            (Errors{"1:30: process 'P' has no state 'hare'; did you mean 'here'?",
                    "1:43: process 'P' has no state 'ther'; did you mean 'here'?"}));
  EXPECT_EQ(errors_in("process P { state s; init s; } process P { state s; init s; } system async;"),
            (Errors{"1:40: process 'P' is declared twice, first in line 1"}));
  EXPECT_EQ(errors_in("byte P; process P { state s; init s; } system async;"),
            (Errors{"1:17: 'P' is already the name of a variable or channel"}));
  EXPECT_EQ(errors_in("process Prop { state s; init s; } system async property Prob;"),
            (Errors{"1:57: unknown property process 'Prob'; did you mean 'Prop'?"}));
}

TEST(DveParser, TypeErrors) {
  const auto in_transition = [](const std::string& body) {
    return errors_in(
        "byte x, a[2]; channel c, d; channel {byte} e[1]; const byte K = 1;\nprocess P { byte l; state s; "
        "init s; trans s -> s { " +
        body + " }; } process Q { state q; init q; }\nsystem async;");
  };
  EXPECT_EQ(in_transition("guard x[0];"), (Errors{"2:59: 'x' is not an array"}));
  EXPECT_EQ(in_transition("effect K = 2;"), (Errors{"2:60: 'K' is a constant and cannot be assigned to"}));
  EXPECT_EQ(in_transition("effect Q->x = 2;"),
            (Errors{"2:60: a process can change only its own variables and global ones"}));
  EXPECT_EQ(in_transition("sync f!;"), (Errors{"2:58: unknown channel 'f'"}));
  EXPECT_EQ(in_transition("sync e!{1, 2};"),
            (Errors{"2:58: this sends 2 values over channel 'e', but its messages have 1"}));
  EXPECT_EQ(in_transition("guard Q.r;"), (Errors{"2:59: process 'Q' has no state 'r'"}));
  EXPECT_EQ(in_transition("guard Q->l;"), (Errors{"2:59: process 'Q' has no variable 'l'"}));
  EXPECT_EQ(in_transition("guard P.l;"),
            (Errors{"2:59: process 'P' has no state 'l'; its variable is written 'P->l'"}));
  EXPECT_EQ(in_transition("guard Z.s;"), (Errors{"2:59: unknown process 'Z'"}));
}

TEST(DveParser, WordsAndNumbers) {
  EXPECT_EQ(errors_in(in_process(
                "process P { state s; init s; trans s -> s { guard x == 99999999999999999999; }; }")),
            (Errors{"2:56: the number 99999999999999999999 is too large"}));
  EXPECT_EQ(errors_in(in_process("process P { state s; init s; trans s -> s { guard x == 1y; }; }")),
            (Errors{"2:56: '1y' is neither a number nor a name"}));
  EXPECT_EQ(errors_in(in_process("process P { state s; init s; trans s -> s { guard x == 0x1F; }; }")),
            (Errors{"2:56: '0x1F' is neither a number nor a name; numbers are decimal"}));
  EXPECT_EQ(errors_in(in_process("process P { state s; $$$ init s; }")),
            (Errors{"2:22: unexpected character '$'"}));
  EXPECT_EQ(errors_in("byte x;\n  /* never\nclosed"), (Errors{"2:3: this comment is never closed"}));
}

TEST(DveParser, NotAModelAtAll) {
  EXPECT_EQ(errors_in(""), (Errors{"0:0: the file contains no model"}));
  EXPECT_EQ(errors_in(" // nothing but a comment\n"), (Errors{"0:0: the file contains no model"}));
  EXPECT_EQ(errors_in(std::string("byte x\0;", 8)),
            (Errors{"0:0: this is a binary file (it contains NUL bytes), not text"}));
}

TEST(DveParser, WhatOtherLanguagesHave) {
  const auto in_transition = [](const std::string& body) {
    return errors_in(in_process("process P { state s; init s; trans s -> s { " + body + " }; }"));
  };
  EXPECT_EQ(in_transition("guard x=0;"), (Errors{"2:52: '=' assigns a value; a comparison is written '=='"}));
  EXPECT_EQ(in_transition("guard not (x=0);"),
            (Errors{"2:57: '=' assigns a value; a comparison is written '=='"}));
  EXPECT_EQ(in_transition("guard x == 1 => a[0] == 1;"),
            (Errors{"2:58: '=>' is not an operator; an implication is written 'imply'"}));
  EXPECT_EQ(in_transition("guard (x == 1) -> (x == 2);"),
            (Errors{"2:60: '->' is not an operator; an implication is written 'imply'"}));
  EXPECT_EQ(in_transition("effect x++;"), (Errors{"2:53: '++' is not an operator; write 'x = x + 1'"}));
  EXPECT_EQ(in_transition("effect x--;"), (Errors{"2:53: '--' is not an operator; write 'x = x - 1'"}));
  EXPECT_EQ(in_transition("effect x += 2;"), (Errors{"2:54: '+=' is not an operator; write 'x = x + ...'"}));
  EXPECT_EQ(in_transition("effect x := 2;"),
            (Errors{"2:54: ':=' is not an operator; an assignment is written '='"}));
  EXPECT_EQ(in_transition("effect x == 2;"), (Errors{"2:54: '==' compares; an assignment is written '='"}));
  EXPECT_EQ(in_transition("sync Q->c!;"),
            (Errors{"2:51: channels do not belong to a process: write the name alone"}));

  EXPECT_EQ(in_transition("guard x == 1 AND x == 2;"),
            (Errors{"2:58: 'AND' is not an operator; it is written 'and'"}));
  EXPECT_EQ(in_transition("effect x = 1; a[0] = 2;"),
            (Errors{"2:59: write all assignments of a transition in one 'effect', separated by ','"}));

  const std::string process = " process P { state s; init s; } system async;";
  EXPECT_EQ(errors_in("byte m[2][2];" + process), (Errors{"1:10: an array has one index"}));
  EXPECT_EQ(errors_in("#define N 3\n" + process).at(1),
            "1:2: 'define' looks like a macro; expand macros first, for example with m4");
  EXPECT_EQ(errors_in("Process P { state s; init s; } system async;").at(0),
            "1:1: expected a declaration, 'process' or 'system', found 'Process'; did you mean 'process'?");
  EXPECT_EQ(errors_in("byte gr\xc3\xb6\xc3\x9f"
                      "e, b;" +
                      process),
            (Errors{"1:8: only comments can contain characters that are not ASCII"}));
  const std::string no_bool = "there is no type 'bool'; use 'byte', where 0 is false";
  EXPECT_EQ(errors_in("bool b;" + process), (Errors{"1:1: " + no_bool}));
  EXPECT_EQ(errors_in("const bool b = 1;" + process), (Errors{"1:7: " + no_bool}));
  EXPECT_EQ(errors_in("channel {byte, bool} c;" + process), (Errors{"1:16: " + no_bool}));
  EXPECT_EQ(errors_in("process P { bool b; state s; init s; } system async;"), (Errors{"1:13: " + no_bool}));
  EXPECT_EQ(
      errors_in("short n;" + process),
      (Errors{"1:1: there is no type 'short'; the types are 'byte' (0..255) and 'int' (-32768..32767)"}));
  EXPECT_EQ(errors_in("define(`N', 3)" + process).at(0),
            "1:1: 'define' looks like a macro; expand macros first, for example with m4");
  EXPECT_EQ(
      errors_in("process P[4] { state s; init s; } system async;"),
      (Errors{
          "1:10: a number of processes has a name for each; write 'P[i < N]' for N of them, in which i is "
          "0, 1 and so on"}));
  EXPECT_EQ(
      errors_in("process P(byte id) { state s; init s; } system async;"),
      (Errors{"1:10: processes have no parameters; write 'P[i < N]' for N of them, in which i is 0, 1 and "
              "so on"}));
  EXPECT_EQ(errors_in("process P { channel c; state s; init s; } system async;"),
            (Errors{"1:13: channels are declared outside of processes"}));
  EXPECT_EQ(errors_in("process P { state s, t; init s, t; } system async;"),
            (Errors{"1:31: a process has one initial state"}));
  EXPECT_EQ(errors_in("property process P { state s; init s; } system async;"),
            (Errors{
                "1:1: a property is a process that the last line names: 'system async property NAME;'",
            }));
}

// What readers of published models take.
TEST(DveParser, LooseSyntaxOfPublishedModels) {
  const auto warnings = [](const std::string& process) { return warnings_in(in_process(process)); };
  EXPECT_EQ(warnings("process P { state s; init s; trans s -> s {} }"), Errors{});
  EXPECT_EQ(warnings("process P { state s; init s; trans s -> s {} s -> s {} -> s {}; }"),
            (Errors{"2:46: missing ',' between this transition and the one before it"}));
  EXPECT_EQ(warnings("process P$1 { byte v#2; state s_; init s_; trans s_ -> s_ { effect v#2 = x; }; }"),
            Errors{});
  EXPECT_EQ(warnings("process P { state \\\n s, \\ \r\n t; init s; }"), Errors{});
  EXPECT_EQ(errors_in(in_process("process P { state \\ s; init s; }")).size(), 1U);
  EXPECT_EQ(warnings("process P { commit s; accept s; state s; byte z; init s; assert s: z == 0; };"),
            (Errors{"2:23: 'accept' is ignored outside of the property process"}));
}

TEST(DveParser, AnArrayWithoutAnIndex) {
  const auto hint = [](const std::string& where, const std::string& name) {
    return where + ": array '" + name + "' has no index here; its first element '" + name + "[0]' is used";
  };
  EXPECT_EQ(warnings_in(
                in_process("process P { byte l[2]; state s; init s; trans s -> s { guard a == 1; effect l[a] "
                           "= l, a = 2; }; }")),
            (Errors{hint("2:62", "a"), hint("2:79", "a"), hint("2:84", "l"), hint("2:87", "a")}));
  // A formula needs the index.
  const System system = system_of(in_process("process P { state s; init s; }"));
  try {
    parse_expression(system, "a == 1", "test");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.diagnostics().at(0).message, "array 'a' needs an index; its first element is 'a[0]'");
  }
}

TEST(DveParser, ByteOrderMarkAndLineEnds) {
  EXPECT_EQ(errors_in("\xef\xbb\xbf"
                      "byte x;\r\nprocess P { state s;\r\n init s; }\r\nsystem async;\r\n"),
            Errors{});
}

TEST(DveParser, StopsAtTwentyErrors) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "byte 1;\n";
  EXPECT_EQ(errors_in(text).size(), 20u);
  // A line as long as a file is not copied over and over.
  EXPECT_EQ(errors_in(std::string(200000, ';')).size(), 1u);
}

TEST(DveParser, DeepExpressions) {
  const auto guard = [](const std::string& text) {
    return errors_in("byte x; process P { state s; init s; trans s -> s { guard " + text +
                     "; }; } system async;");
  };
  const auto repeat = [](const std::string& text, int count) {
    std::string result;
    for (int i = 0; i < count; ++i) result += text;
    return result;
  };
  EXPECT_EQ(guard(repeat("(", 1000) + "x" + repeat(")", 1000)), Errors{});
  EXPECT_EQ(guard(repeat("- ", 999) + "x"), Errors{});
  EXPECT_EQ(guard(repeat("x + ", 999) + "x"), Errors{});
  EXPECT_EQ(guard(repeat("x - (", 499) + "x" + repeat(")", 499)), Errors{});
  for (const std::string& text :
       {repeat("(", 100000), repeat("- ", 100000), repeat("x + ", 100000) + "x", repeat("x[", 100000),
        repeat("x imply x and x & x == x < x << x + x * (", 100000)}) {
    const Errors errors = guard(text);
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_NE(errors[0].find("expression is nested deeper than 1000"), std::string::npos);
  }
}

TEST(DveParser, TooLargeToBuild) {
  const auto many = [](const std::string& text) {
    std::string result = text;
    for (int i = 1; i < 1500; ++i) result += ", " + text;
    return result;
  };
  EXPECT_NE(
      error_of("channel c; process P { state s; init s; trans " + many("s -> s { sync c!; }") +
               "; } process Q { state s; init s; trans " + many("s -> s { sync c?; }") + "; } system async;")
          .find("too many pairs of transitions"),
      std::string::npos);
}

TEST(DveParser, LabelsAreUnique) {
  const System system = system_of(
      "channel c; process P { state s; init s; trans s -> s {}, s -> s {}, s -> s { sync c!; }, "
      "s -> s { sync c!; }; } process Q { state s; init s; trans s -> s { sync c?; }; } system async;");
  std::set<std::string> labels;
  for (const Action& action : system.actions) labels.insert(action.label);
  EXPECT_EQ(labels.size(), system.actions.size());
}

TEST(DveParser, WhereThingsStand) {
  const System system = system_of(
      "byte x;\nprocess P {\n state s;\n init s;\n trans\n  s -> s { guard x == 1;\n   effect x = x + 1; "
      "};\n}\nsystem async;");
  const Action& action = system.actions.at(0);
  EXPECT_EQ(action.where, (SourcePoint{6, 3}));
  EXPECT_EQ(action.participants[0].guard.where, (SourcePoint{6, 20}));
  EXPECT_EQ(action.effects[1].where, (SourcePoint{7, 11}));
  EXPECT_EQ(action.effects[1].value.where, (SourcePoint{7, 17}));
}

// --- Random texts ---------------------------------------------------------------------------------------

const std::vector<std::string> fragments{"byte ",    "int ",      "const ",
                                         "x",        "y",         "P",
                                         "Q",        "s",         "t",
                                         "c",        "[",         "]",
                                         "{",        "}",         "(",
                                         ")",        ";",         ",",
                                         ":",        "->",        "=",
                                         "process ", "state ",    "init ",
                                         "trans ",   "guard ",    "sync ",
                                         "effect ",  "commit ",   "accept ",
                                         "assert ",  "channel ",  "system ",
                                         "async",    "property ", "0",
                                         "1",        "300",       "!",
                                         "?",        ".",         "+",
                                         "-",        "*",         "/",
                                         "==",       "&&",        "not ",
                                         "imply ",   "\n",        "//@ property p invariant x == 1\n",
                                         "/*",       "*/",        "=>",
                                         "genbuchi", "bool ",     "++",
                                         "\\",       "$",         "#"};

RC_GTEST_PROP(DveParser, AnyTextIsReadOrRefused, ()) {
  std::string text;
  for (const auto& piece : *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(fragments)))
    text += piece;
  try {
    model_of(text);
  } catch (const Error& error) {
    RC_ASSERT(error.kind() == ErrorKind::input);
    RC_ASSERT(!error.diagnostics().empty());
    RC_ASSERT(error.diagnostics().size() <= 20u);
  }
}

// A valid model with a piece cut out or put in: the errors must stay inside the text.
void require_errors_inside_text() {
  std::string text =
      "const byte N = 2;\nbyte x, a[N] = {1, 2};\nchannel c;\nchannel {byte, int} d[2];\n"
      "process P {\n  byte l;\n  state s, t;\n  init s;\n  commit t;\n  assert s: x == 0;\n  trans\n"
      "    s -> t { guard a[l] > 0 and not Q.t; sync c!l + 1; effect x = x + 1, a[0] = 3; },\n"
      "    -> s { sync d!{1, -2}; };\n}\n"
      "process Q {\n  byte m;\n  int n;\n  state s, t;\n  init s;\n  trans s -> t { sync c?m; }, t -> s { "
      "sync d?{m, n}; };\n}\n"
      "system async;\n";
  const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
  const auto cut = *rc::gen::inRange<std::size_t>(3, 15);
  text.replace(at, cut, *rc::gen::oneOf(rc::gen::just(std::string()), rc::gen::elementOf(fragments)));
  const auto lines = static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  try {
    model_of(text);
    test::skip_case(true);
  } catch (const Error& error) {
    test::skip_case(false);
    for (const Diagnostic& d : error.diagnostics()) {
      RC_ASSERT(d.where.line <= lines);
      RC_ASSERT(d.where.column <= d.source_line.size() + 1);
    }
  }
}

RC_GTEST_PROP(DveParser, ErrorsPointIntoTheText, ()) {
  for (int i = 0; i < 10; ++i) require_errors_inside_text();
}

// Printing an expression and reading it again gives the same expression, whatever its shape.
std::string random_expression(int depth) {
  static const std::vector<std::string> binary{
      "imply", "and", "or", "&&", "||", "&", "|", "^", "==", "!=", "<",
      "<=",    ">",   ">=", "<<", ">>", "+", "-", "*", "/",  "%"};
  static const std::vector<std::string> leaves{"x", "y",   "a[x]", "0",    "1",
                                               "7", "P.s", "P.t",  "P->l", "a[2 - y]"};
  static const std::vector<std::string> unary{"- ", "~", "not ", "!"};
  const int shape = depth == 0 ? 0 : *rc::gen::inRange(0, 5);
  if (shape == 0) return *rc::gen::elementOf(leaves);
  if (shape == 1) return *rc::gen::elementOf(unary) + random_expression(depth - 1);
  if (shape == 2) return "(" + random_expression(depth - 1) + ")";
  return random_expression(depth - 1) + " " + *rc::gen::elementOf(binary) + " " +
         random_expression(depth - 1);
}

RC_GTEST_PROP(DveParser, PrintedExpressionsReadBackTheSame, ()) {
  const System system = system_of("byte x, y, a[3]; process P { byte l; state s, t; init s; } system async;");
  const std::string text = random_expression(4);
  const Expr first = parse_expression(system, text, "test");
  const std::string printed = to_string(first, system);
  const Expr second = parse_expression(system, printed, "test");
  RC_ASSERT(to_string(second, system) == printed);
}

}  // namespace
}  // namespace tideline::dve
