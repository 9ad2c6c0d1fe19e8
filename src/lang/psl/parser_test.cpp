// Errors and warnings about process models: their places and messages; and no text does harm.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

#include "testing/processes.hpp"

namespace tideline::psl {
namespace {

using Errors = std::vector<std::string>;

/// A model around the body of one process, which is line 2.
std::string with_body(const std::string& body) {
  return "const K = 3; range Seq = 0..2;\n" + body + "\nsystem = P;";
}

TEST(PslParser, CaretUnderTheOffendingWord) {
  try {
    model_of("process P { Ready = a -> Raedy; }\nsystem = P;");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "test.psl:1:26: error: process 'P' has no state 'Raedy'; did you mean 'Ready'?\n"
                 "     1 | process P { Ready = a -> Raedy; }\n"
                 "       |                          ^");
  }
}

TEST(PslParser, Syntax) {
  EXPECT_EQ(errors_in("prozess P {}"), (Errors{"1:1: expected 'const', 'range', 'process', 'network' or "
                                               "'system', found 'prozess'; did you mean 'process'?"}));
  EXPECT_EQ(errors_in(with_body("process P { A = a -> A }")),
            (Errors{"2:24: expected ';' or '|' after what the state can do, found '}'"}));
  EXPECT_EQ(errors_in(with_body("process P { A = a[0 -> A; }")),
            (Errors{"2:21: expected ']' after the index of 'a', found '->'"}));
  EXPECT_EQ(errors_in(with_body("process P { A = a[0]; }")),
            (Errors{"2:21: expected '->' and what follows, after the action, found ';'"}));
  EXPECT_EQ(errors_in(with_body("process P { A = tau; }")),
            (Errors{"2:20: expected '->' and what follows, after the action, found ';'"}));
  EXPECT_EQ(errors_in(with_body("process P { A = when K > 0 a -> A; }")),
            (Errors{"2:17: the condition comes after the action: 'a when n > 0 -> ...'"}));
  EXPECT_EQ(errors_in(with_body("process P { A = a(1) -> A; }")),
            (Errors{"2:17: 'a(...)' is a state; an action has its values in square brackets"}));
  EXPECT_EQ(errors_in(with_body("process P { A = a -> (b -> A; }")),
            (Errors{"2:29: expected ')' or '|' to close '(' of line 2, column 22, found ';'"}));
  EXPECT_EQ(errors_in(with_body("process P { A = a -> A when K > 0; }")),
            (Errors{"2:22: a condition belongs to an action, but none follows"}));
  EXPECT_EQ(errors_in(with_body("process P { process = a -> A; }")).front(),
            "2:13: expected a state, or '}' after the last one, found 'process'");
  EXPECT_EQ(errors_in(with_body("process P { A = stop; B(n) = stop; }")),
            (Errors{"2:26: expected ':' and a range after 'n', found ')'"}));
  EXPECT_EQ(errors_in(with_body("process P { A = stop; B(n: 3) = stop; }")),
            (Errors{"2:29: expected '..' between the first and the last value, found ')'"}));
  EXPECT_EQ(errors_in(with_body("process P { A = stop; B(n: Seq = 0) = stop; }")),
            (Errors{"2:32: only the first state of a process has initial values"}));
  EXPECT_EQ(errors_in(with_body("process P { A = hide -> A; }")),
            (Errors{"2:17: expected a name of an action that is not a reserved word, found 'hide'"}));
  EXPECT_EQ(errors_in(with_body("process P { A = a when K.x == 1 -> A; }")),
            (Errors{"2:24: a process cannot test the states of others; let it take part in an action"}));
  EXPECT_EQ(errors_in(with_body("process P { A = a when f(1) -> A; }")),
            (Errors{"2:24: expected a value, found 'f('"}));
  EXPECT_EQ(errors_in("process P { A = a -> A; }\nsystem = P || ;"),
            (Errors{"2:15: expected a name of a process, found ';'"}));
  EXPECT_EQ(errors_in("process P { A = a -> A; }\nsystem = P; system = P;"),
            (Errors{"2:13: there is already a system"}));
  EXPECT_EQ(errors_in("process P { A = a -> A; }\nsystem = P rename {a};"),
            (Errors{"2:21: expected '->' and the new label, after the old one, found '}'"}));
  EXPECT_EQ(errors_in("process P { A = a -> A; }\nsystem = (P;"),
            (Errors{"2:12: expected ')' or '||' to close '(' of line 2, column 10, found ';'"}));
  EXPECT_EQ(errors_in("process P { A = a -> A; }\nsystem = forall i: 0..1 P;"),
            (Errors{"2:25: expected '{' after the range, found 'P'"}));
  EXPECT_EQ(errors_in("process P { A = a -> A; } /* \nsystem = P;").front(),
            "1:27: this comment is never closed");
  EXPECT_EQ(errors_in("const K = 99999999999;").front(), "1:11: the number 99999999999 is too large");
  EXPECT_EQ(errors_in("const K = 9x;").front(), "1:11: '9x' is neither a number nor a name");
  EXPECT_EQ(errors_in("const K = 9 $;").front(), "1:13: unexpected character '$'");
}

TEST(PslParser, SeveralErrorsInOneRun) {
  EXPECT_EQ(
      errors_in("process P { A = a -> ; B = b -> A }\nprocess Q { A == a -> A; }\nsystem = P | Q;").size(),
      4U);
}

TEST(PslParser, Names) {
  EXPECT_EQ(errors_in("process P { A = a -> A; }"),
            (Errors{"1:26: the model has no system: write 'system = ... || ... ;'"}));
  EXPECT_EQ(errors_in("process Pump { A = a -> A; }\nsystem = Pumo;"),
            (Errors{"2:10: unknown process 'Pumo'; did you mean 'Pump'?"}));
  EXPECT_EQ(errors_in("process P { A = a -> A; }\nprocess P { A = b -> A; }\nsystem = P;"),
            (Errors{"2:9: 'P' is defined twice"}));
  EXPECT_EQ(errors_in(with_body("process P { A = a -> A; A = b -> A; }")),
            (Errors{"2:25: state 'A' is defined twice"}));
  EXPECT_EQ(errors_in(with_body("process P { }")), (Errors{"2:9: process 'P' has no state"}));
  EXPECT_EQ(errors_in(with_body("process P { A = a -> A(1); }")),
            (Errors{"2:22: 'A' has 0 parameters, but 1 is given"}));
  EXPECT_EQ(errors_in(with_body("process P { A = a -> B; B(n: Seq) = a -> A; }")),
            (Errors{"2:22: 'B' has 1 parameter, but 0 are given"}));
  EXPECT_EQ(errors_in(with_body("process P { A = a -> P; }")),
            (Errors{"2:22: process 'P' has no state 'P'; a process can only be part of a network"}));
  EXPECT_EQ(errors_in(with_body("process P { A = a[Kk] -> A; }")),
            (Errors{"2:19: unknown name 'Kk'; did you mean 'K'?"}));
  EXPECT_EQ(errors_in(with_body("process P { A = a when Seq > 1 -> A; }")),
            (Errors{"2:24: 'Seq' is a range, but a value is expected here"}));
  EXPECT_EQ(errors_in(with_body("process P { A = a[x: Sec] -> A; }")),
            (Errors{"2:22: unknown range 'Sec'; did you mean 'Seq'?"}));
  EXPECT_EQ(errors_in(with_body("process P { A(n: Seq) = a -> A(n); }")),
            (Errors{"2:15: the process begins here: 'n' needs an initial value, as in 'n: 0..3 = 0'"}));
  EXPECT_EQ(errors_in(with_body("process P { A(n: Seq = 0) = a[n: Seq] -> A(n); }")),
            (Errors{"2:31: 'n' already has a value here; to take only that value write 'a[n]'"}));
  EXPECT_EQ(errors_in(with_body("process P { A = a[K: Seq] -> A; }")),
            (Errors{"2:19: 'K' is already a constant or a range"}));
  EXPECT_EQ(errors_in(with_body("const K = 4; process P { A = a -> A; }")),
            (Errors{"2:7: 'K' is defined twice"}));
  EXPECT_EQ(errors_in("network N = M; network M = N; process P { A = a -> A; }\nsystem = P;"),
            (Errors{"1:9: network 'N' contains itself", "1:24: network 'M' contains itself"}));
  EXPECT_EQ(errors_in("process P { A = a -> A; }\nsystem = (P || P) as x;"),
            (Errors{"2:19: 'as' belongs right after a process, or before 'minimised'"}));
  EXPECT_EQ(errors_in("process P { A = a -> A; }\nsystem = (P hide {a}) minimised;"),
            (Errors{"2:23: a composition that is minimised needs a name: '(...) as NAME minimised'"}));
  EXPECT_EQ(errors_in("process P { A = a -> A; }\nsystem = P hide {tau};"),
            (Errors{"2:12: the internal action is already hidden"}));
  EXPECT_EQ(errors_in("process P { A = a -> A; }\nsystem = P rename {a -> tau};"),
            (Errors{"2:12: the internal action cannot be renamed; 'hide' makes labels internal"}));
  EXPECT_EQ(errors_in("process P { alphabet tau; A = a -> A; }\nsystem = P;"),
            (Errors{"1:9: an alphabet cannot contain the internal action"}));
}

TEST(PslParser, Values) {
  EXPECT_EQ(errors_in(with_body("process P { A(n: Seq = 0) = a -> A(n + 1); }")),
            (Errors{"2:38: 'n' of 'A' is in 0..2, but gets 3 here (in P at A(2))"}));
  EXPECT_EQ(errors_in(with_body("process P { A(n: Seq = 7) = a -> A(n); }")),
            (Errors{"2:24: 'n' of 'A' is in 0..2, but gets 7 here (in P)"}));
  EXPECT_EQ(errors_in("process P(i: 0..3) { A = a -> A; }\nsystem = forall i: 3..4 { P(i) };"),
            (Errors{"2:29: 'i' of 'P' is in 0..3, but gets 4 here"}));
  EXPECT_EQ(errors_in(with_body("process P { A(n: Seq = 0) = a[1 / n] -> A(n); }")),
            (Errors{"2:33: division by zero (in P at A(0))"}));
  EXPECT_EQ(
      errors_in("const A = 1; const B = A / 0;"),
      (Errors{"1:26: division by zero", "1:30: the model has no system: write 'system = ... || ... ;'"}));
  EXPECT_EQ(errors_in("range R = 0..100000000;").front(),
            "1:11: a range of more than 1000000 values, or of values too large");
  EXPECT_EQ(errors_in("process P { A = a -> A; }\nsystem = forall i: 1..0 { P };"),
            (Errors{"2:10: the system has no process"}));
  EXPECT_EQ(errors_in("process P { A = a -> A; }\nsystem = P || P;"),
            (Errors{"2:15: two components are called 'P'; 'P as NAME' gives one another name"}));
}

TEST(PslParser, Vectors) {
  const std::string p = "process P { A = put[0..1] -> A; } process Pump { A = get -> A | tau -> A; }\n";
  const auto with = [&](const std::string& vectors, const std::string& what = "(P || Pump)") {
    return errors_in(p + "system = " + what + "\nsync {" + vectors + "};");
  };
  EXPECT_EQ(with("P.put[0] * Pump.get -> x, P.put[1] -> tau"), Errors{});
  EXPECT_EQ(with("P.put[0] * Pum.get -> x"), (Errors{"3:18: unknown component 'Pum'; did you mean 'Pump'?"}));
  EXPECT_EQ(with("P(1).put[0] -> x"), (Errors{"3:7: unknown component 'P(1)'"}));
  EXPECT_EQ(
      with("P.put[0] * Pump.get -> x", "P || Pump"),
      (Errors{"3:7: unknown component 'P'; sync binds tighter than ||, write (... || ...) sync {...}"}));
  EXPECT_EQ(with("P.put * Pump.got -> x, P.put[0] * Pump.got -> x"),
            (Errors{"3:9: 'P' takes no action 'put' here; did you mean 'put[0]'?",
                    "3:46: 'Pump' takes no action 'got' here; did you mean 'get'?"}));
  EXPECT_EQ(with("P.put[0..2] -> x"),
            (Errors{"3:9: 'P' takes no action 'put[2]' here; did you mean 'put[0]'?"}));
  EXPECT_EQ(with("Pump.get -> x", "(P || Pump hide {get})"),
            (Errors{"3:12: 'Pump' takes no action 'get' here"}));
  EXPECT_EQ(with("P.put[0] * P.put[1] -> x"), (Errors{"3:18: 'P' can take part only once"}));
  EXPECT_EQ(with("P.put[0] * Pump.get -> x", "((P || Pump) hide {a})"),
            (Errors{"3:18: 'Pump' already synchronises as an earlier part and cannot be another one"}));
  EXPECT_EQ(with("Pump.tau -> x"), (Errors{"3:7: the internal action cannot synchronise"}));
  EXPECT_EQ(with("P.put[i: 0..1] -> x[j]"), (Errors{"3:27: unknown name 'j'"}));
  EXPECT_EQ(with("forall i: 0..1 { P.put[i: 0..1] -> x }").front().substr(0, 34),
            "3:30: 'i' already has a value here");
  EXPECT_EQ(with("forall i: 0..1 { P.put[1 / i] -> x }"), (Errors{"3:32: division by zero"}));
  EXPECT_EQ(with("P.put[0]"),
            (Errors{"3:15: expected '->' and the label of the common step, or '*', found '}'"}));
  EXPECT_EQ(with("P -> x"), (Errors{"3:9: expected '.' and an action of the component, found '->'"}));
  EXPECT_EQ(with("P.put[0] -> x; P.put[1] -> y").front(),
            "3:20: expected '}' or ',' after the vector, found ';'");
  // Every choice of five ranges is a vector of its own.
  EXPECT_EQ(with("P.put[0] -> x[0..99][0..99][0..99][0..99]"), (Errors{"3:7: there are too many vectors"}));
}

TEST(PslParser, UnguardedRecursion) {
  EXPECT_EQ(errors_in(with_body("process P { A = b -> A | B; B = c -> A | A; }")),
            (Errors{"2:17: 'A' includes itself before any action (in P at A)"}));
  EXPECT_EQ(
      errors_in(with_body("process P { A(n: 0..900 = 0) = a -> A(0) | A(n + 1) when n < 900; }")).front(),
      "2:32: more than 500 states include each other (in P at A(0))");
}

TEST(PslParser, AComponentThatExplodesIsNamed) {
  const LoadOptions small{.most_local_states = 1000};
  const std::string big = "process P { A(x: 0..1999 = 0) = a -> A((x + 1) % 2000); }\nsystem = P as big;";
  EXPECT_EQ(errors_in(big), Errors{});
  EXPECT_EQ(errors_in(big, small),
            (Errors{"1:9: 'big' alone has more than 1000 states; give its parameters smaller ranges"}));
  EXPECT_EQ(errors_in("process P { A = a[0..9999][0..9999] -> A; }\nsystem = P;", small),
            (Errors{"1:9: 'P' alone has more than 10000 transitions; give its parameters smaller ranges"}));
}

TEST(PslParser, ACompositionThatIsTooLargeToBeMinimisedIsNamed) {
  const LoadOptions small{.most_local_states = 1000};
  const std::string p =
      "process P(i: 0..9) { A(x: 0..9 = 0) = a[i] -> A((x + 1) % 10); }\n"
      "network Team(n: 0..9) = forall i: 0..n { P(i) };\n";
  EXPECT_EQ(errors_in(p + "system = Team(2) minimised;", small), Errors{});
  EXPECT_EQ(errors_in(p + "system = P(9) || Team(3) minimised;", small),
            (Errors{"3:18: 'Team(3)' alone has more than 1000 states, too many to be minimised"}));
  EXPECT_EQ(errors_in(p + "system = Team(5);", small), Errors{});
  EXPECT_EQ(errors_in("process P { A = a[0..99] -> A | b -> stop; }\n"
                      "system = (forall i: 0..1 { P as Q(i) rename {a -> c[0..99]} }) as T minimised;",
                      small),
            (Errors{"2:11: 'T' alone has more than 10000 transitions, too many to be minimised"}));
  // Names within do not matter outside; its own must be free.
  EXPECT_EQ(errors_in(p + "system = P(0) || Team(1) minimised || P(1);"), Errors{});
  EXPECT_EQ(errors_in(p + "system = Team(1) minimised || (Team(1) hide {a}) as Team(1) minimised;"),
            (Errors{"3:53: two components are called 'Team(1)'; '(...) as NAME' gives one another name"}));
  EXPECT_EQ(errors_in(p + "system = (forall i: 1..0 { P(i) }) as X minimised;"),
            (Errors{"3:11: there is no process to minimise"}));
}

TEST(PslParser, CombinationsThatComeToNothingAreBounded) {
  const LoadOptions small{.most_local_states = 1000};
  const std::string p = "process P { A = b -> A; }\n";
  EXPECT_EQ(errors_in("process P { A = a[0..9999][0..9999] when false -> A; }\nsystem = P;", small),
            (Errors{"1:17: there are too many combinations of values up to here"}));
  EXPECT_EQ(
      errors_in("process P { A = B | B; B = C | C; C = D | D; D = E | E; E = F | F; F = G | G; G = H | H;"
                "H = I | I; I = J | J; J = K | K; K = L | L; L = M | M; M = N | N; N = O | O; O = Q | Q;"
                "Q = R | R; R = S | S; S = a -> A; }\nsystem = P;",
                small)
          .size(),
      1U);
  EXPECT_EQ(
      errors_in(p + "system = forall i: 1..9999 { forall j: 1..9999 { forall k: 1..0 { P } } };", small),
      (Errors{"2:50: there are too many combinations of values up to here"}));
  EXPECT_EQ(errors_in(p + "system = P hide {a[0..9999][0..9999]};", small),
            (Errors{"2:18: there are too many combinations of values up to here"}));
  std::string doubled = "network N0 = P;\n";
  for (int i = 1; i < 60; ++i) doubled += fmt::format("network N{} = N{} || N{};\n", i, i - 1, i - 1);
  EXPECT_EQ(errors_in(p + doubled + "system = N59;", small).size(), 1U);
  // Renaming to several labels again and again doubles them only as long as they differ.
  std::string twice = "P rename {b -> c, b -> c}";
  for (int i = 0; i < 100; ++i) twice += " rename {c -> d, c -> e} rename {d -> c, e -> c}";
  EXPECT_EQ(system_of(p + "system = " + twice + ";").actions.size(), 1U);
}

TEST(PslParser, Remarks) {
  const auto warnings_in = [](const std::string& text) {
    Errors list;
    for (const Diagnostic& d : system_of(text).warnings)
      list.push_back(std::to_string(d.where.line) + ":" + std::to_string(d.where.column) + ": " + d.message);
    return list;
  };
  const std::string p = "process P { A = send[x: 0..3] -> A; }\n";
  EXPECT_EQ(
      warnings_in(p + "process Q { A = send[x: 0..2] -> A; }\nsystem = P || Q;"),
      (Errors{"1:9: 'P' takes 'send[3]' alone, while other labels 'send[...]' of it are shared; if that is "
              "intended, declare it by 'alphabet' in its process"}));
  EXPECT_EQ(
      warnings_in(p + "process Q { A = sent[0..3] -> A; }\nsystem = P || Q;"),
      (Errors{"1:9: 'P' takes 'send[0]' alone; did you mean 'sent'? If not, declare it by 'alphabet' in its "
              "process",
              "2:9: 'Q' takes 'sent[0]' alone; did you mean 'send'? If not, declare it by 'alphabet' in its "
              "process"}));
  // The cure works, for the whole family.
  EXPECT_EQ(warnings_in("process P { alphabet send[0]; A = send[x: 0..3] -> A; }\n"
                        "process Q { alphabet sent[0]; A = sent[0..3] -> A; }\nsystem = P || Q;"),
            Errors{});
  EXPECT_EQ(warnings_in("process P { alphabet send[3]; A = send[x: 0..3] -> A; }\n"
                        "process Q { A = send[x: 0..2] -> A; }\nsystem = P || Q;"),
            Errors{});
  EXPECT_EQ(warnings_in("process Node(i: 0..2) { alphabet pass[i]; A = pass[i] -> pass[i + 1] -> A; }\n"
                        "system = forall i: 0..2 { Node(i) };"),
            Errors{});
  EXPECT_EQ(system_of("process Node(i: 0..2) { alphabet pass[i]; A = pass[i] -> pass[i + 1] -> A; }\n"
                      "system = forall i: 0..2 { Node(i) };")
                .actions.size(),
            4U);
  // A new name is chosen on purpose, and numbered names belong together.
  EXPECT_EQ(warnings_in(p + "system = P as L rename {send -> left} || P as R rename {send -> lift};"),
            Errors{});
  EXPECT_EQ(warnings_in(p + "system = P as One rename {send[0] -> done} || P as Two;"), Errors{});
  EXPECT_EQ(warnings_in("process P { A = send1 -> A; }\nprocess Q { A = send2 -> A; }\nsystem = P || Q;"),
            Errors{});
  EXPECT_EQ(warnings_in("process P { A = send -> A; }\nprocess Q { A = sendAck -> A; }\nsystem = P || Q;"),
            Errors{});
  // Renaming comes first: here both meet.
  EXPECT_EQ(warnings_in(p + "process Q { A = sent[0..3] -> A; }\nsystem = P || Q rename {sent -> send};"),
            Errors{});
  EXPECT_EQ(warnings_in(p + "process Q { A = off -> A; }\nsystem = P;"),
            (Errors{"2:9: process 'Q' is not part of the system"}));
  // To keep others from an action is what an alphabet is declared for.
  EXPECT_EQ(warnings_in(p + "process Q { alphabet send[1]; A = off -> A; }\nsystem = P || Q;"), Errors{});
  EXPECT_EQ(warnings_in("process P { A(n: 0..1 = 0) = a -> A(0) | b when n == 1 -> A(n); }\nsystem = P;"),
            (Errors{"1:42: no 'P' in the system ever takes this action"}));
  EXPECT_EQ(warnings_in(p + "system = P hide {snd} rename {x -> y};"),
            (Errors{"2:12: there is no label 'snd' to hide", "2:23: there is no label 'x' to rename"}));
}

// Whatever the text is, it is a model or an Error of kind input.
RC_GTEST_PROP(PslParser, NoTextDoesHarm, (std::uint64_t seed)) {
  static const std::vector<std::string> words{
      "const", "range", "process", "network",   "system", "alphabet", "when", "stop", "tau", "hide", "rename",
      "sync",  "*",     "as",      "minimised", "forall", "P",        "Q",    "A",    "B",   "a",    "b",
      "n",     "K",     "0",       "1",         "7",      "->",       "..",   "|",    "||",  "=",    "==",
      "<",     "+",     "-",       "/",         "%",      "(",        ")",    "[",    "]",   "{",    "}",
      ",",     ";",     ":",       ".",         "not",    "\n",       "$"};
  std::mt19937_64 random(seed);
  std::string text = seed % 2 == 0 ? "process P { A = a -> " : "";
  for (int i = 0; i < 60; ++i) text += words[random() % words.size()] + " ";
  if (seed % 3 == 0) text += "; } system = P;";
  try {
    model_of(text);
  } catch (const Error& error) {
    RC_ASSERT(error.kind() == ErrorKind::input);
  }
}

TEST(PslParser, DeepNestingEndsInAMessage) {
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "a -> (";
  EXPECT_FALSE(errors_in("process P { A = " + deep).empty());
  deep.clear();
  for (int i = 0; i < 5000; ++i) deep += "a -> ";
  EXPECT_FALSE(errors_in("process P { A = " + deep + "A; } system = P;").empty());
  EXPECT_FALSE(errors_in("process P { A = a -> A; } system = " + std::string(5000, '(')).empty());
  deep.clear();
  for (int i = 0; i < 5000; ++i) deep += "forall a: 0..1 {";
  EXPECT_FALSE(errors_in("process P { A = a -> A; } system = P sync {" + deep).empty());
  EXPECT_FALSE(errors_in("const K = " + std::string(5000, '-') + "1;").empty());
}

}  // namespace
}  // namespace tideline::psl
