// Templates, constants that are given, and end states: our extensions of DVE. Numbers are those of
// docs/semantics-dve.md.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>

#include "testing/models.hpp"

namespace tideline::dve {
namespace {

/// The rendered message without its lines of source.
std::string template_error(std::string text, const LoadOptions& options = {}) {
  try {
    model_of(std::move(text), options);
  } catch (const Error& error) {
    const Diagnostic& d = error.diagnostics()[0];
    return fmt::format("{}:{} {}", d.where.line, d.where.column, d.message);
  }
  return "no error";
}

std::vector<std::string> labels_of(const System& system) {
  std::vector<std::string> labels;
  for (const Action& action : system.actions) labels.push_back(action.label);
  return labels;
}

std::vector<std::string> slot_names_of(const System& system) {
  std::vector<std::string> list;
  for (const Slot& slot : system.slots) list.push_back(slot.name);
  return list;
}

TEST(Dve, S11_1_ATemplateIsAProcessForEachNumber) {
  const std::string body =
      "state s, t; init s; trans s -> t { guard P[(i + 1) % N].s; effect a[i] = i + 1; };";
  const System system =
      system_of("const byte N = 3; byte a[N]; process P[i < N] { " + body + " } system async;");
  ASSERT_EQ(system.components.size(), 3u);
  EXPECT_EQ(system.components[2].name, "P_2");
  EXPECT_EQ(system.actions[2].label, "P_2: s -> t");
  const Values state = Reference(system).fire(2, system.initial).state;
  EXPECT_EQ(state[*system.find_slot("a[2]")], 3);
  EXPECT_TRUE(parse_expression(system, "P_2.t and P[2].t", "test").args.size() == 2);
}

TEST(Dve, S11_2_ChannelsMayBeTemplates) {
  const System system = system_of(
      "const byte N = 2; channel {byte} ring[i < N][1]; channel go[i < N];"
      "process P[i < N] { byte x; state s, t; init s;"
      " trans s -> t { sync ring[i]!i; }, t -> s { sync ring[(i + 1) % N]?x; }, s -> s { sync go[i]!; }; }"
      "process Q { state s; init s; trans s -> s { sync go[1]?; }; } system async;");
  ASSERT_EQ(system.channels.size(), 4u);
  EXPECT_EQ(system.channels[1].name, "ring_1");
  EXPECT_EQ(system.channels[1].capacity, 1u);
  EXPECT_EQ(system.channels[2].capacity, 0u);
  EXPECT_NO_THROW(parse_expression(system, "ring_0.length + ring[1].length", "test"));
}

TEST(Dve, S11_3_ConstantsMayBeGiven) {
  const std::string text =
      "const byte N = 2, M = N + 1; byte a[M]; process P[i < N] { state s; init s; } system async;";
  const System system = system_of(text, {.defines = {{"N", 4}}});
  EXPECT_EQ(system.components.size(), 4u);
  EXPECT_EQ(system.find_variable("a")->length, 5u);
  EXPECT_EQ(system.find_constant("N")->value, 4);
  EXPECT_EQ(template_error(text, {.defines = {{"N", 256}}}), "1:12 --define: 256 does not fit 'N' (0..255)");
  EXPECT_EQ(template_error(text, {.defines = {{"NN", 2}}}),
            "0:0 --define: the model has no constant 'NN'; did you mean 'N'?");
  EXPECT_EQ(template_error(text, {.defines = {{"a", 2}}}), "0:0 --define: the model has no constant 'a'");
  EXPECT_EQ(
      read_model({"m.psl", "const N = 2; process P { S = a -> S; } system = P;"}, {.defines = {{"N", 5}}})
          .system.find_constant("N")
          ->value,
      5);
}

TEST(Dve, DefinesAreANameAndANumber) {
  const auto defines = parse_defines({"N=4", "low=-3"});
  ASSERT_EQ(defines.size(), 2u);
  EXPECT_EQ(defines[1].name, "low");
  EXPECT_EQ(defines[1].value, -3);
  for (const char* wrong : {"N", "N=", "=4", "N=x", "N=4 ", "N=99999999999999999999"})
    EXPECT_THROW(parse_defines({wrong}), Error) << wrong;
  EXPECT_THROW(parse_defines({"N=1", "N=2"}), Error);
}

TEST(Dve, S11_4_AStateMayBeAnEnd) {
  const auto system = [](const std::string& first, const std::string& second) {
    return system_of(
        "process P { state s, t, u; init s; " + first +
        " trans s -> t { }, s -> u { }, u -> u { guard 0; }; } process Q { state s, t; init s; " + second +
        " trans s -> t { }; } system async;");
  };
  EXPECT_FALSE(system("", "").may_end.has_value());
  const System given = system("end u;", "");
  ASSERT_TRUE(given.may_end.has_value());
  const auto may_end = [&](std::int32_t p, std::int32_t q) {
    return Reference(given).evaluate(*given.may_end, {p, q}).value != 0;
  };
  EXPECT_TRUE(may_end(2, 1));   // u is an end, Q's t is never left
  EXPECT_TRUE(may_end(1, 1));   // t is never left
  EXPECT_FALSE(may_end(2, 0));  // Q can still move
  EXPECT_FALSE(may_end(0, 1));
  // A state may be called `end`.
  EXPECT_EQ(system_of("process P { state end; init end; trans end -> end { }; } system async;")
                .components[0]
                .locations[0]
                .name,
            "end");
}

TEST(Dve, S11_5_StrictRefusesExtensions) {
  const LoadOptions strict{.strict = true};
  const auto refused = [&](const std::string& text) { return template_error(text, strict); };
  EXPECT_EQ(refused("process P[i < 2] { state s; init s; } system async;"),
            "1:11 a template of processes is an extension of DVE, which --strict refuses");
  EXPECT_EQ(refused("channel c[i < 2]; process P { state s; init s; } system async;"),
            "1:11 a template of channels is an extension of DVE, which --strict refuses");
  EXPECT_EQ(refused("channel c; process P { state s; init s; trans s -> s { sync c[0]!; }; } system async;"),
            "1:62 the index of a channel is an extension of DVE, which --strict refuses");
  EXPECT_EQ(refused("process P { state s; init s; trans s -> s { guard P[0].s; }; } system async;"),
            "1:55 the index of a process is an extension of DVE, which --strict refuses");
  EXPECT_EQ(refused("process P { state s; init s; end s; } system async;"),
            "1:30 an 'end' clause is an extension of DVE, which --strict refuses");
  EXPECT_EQ(
      refused("const byte N = 2; byte a[N]; channel {byte} c[N]; process P { state s; init s; trans s -> s { "
              "guard a[0] == 0; sync c!1; }; } system async;"),
      "no error");
}

TEST(Dve, ErrorsInTemplatesAreShownOnce) {
  const auto errors = [](const std::string& text) {
    try {
      model_of(text);
    } catch (const Error& error) {
      return error.diagnostics().size();
    }
    return std::size_t{0};
  };
  EXPECT_EQ(errors("process P[i < 5] { state s; init s; trans s -> s { guard x; }; } system async;"), 1u);
  EXPECT_EQ(errors("process P[i < 5] { state s; init s; trans s -> q { }; } system async;"), 1u);
  EXPECT_EQ(template_error("byte n; process P[i < n] { state s; init s; } system async;"),
            "1:23 the number of processes must be a constant");
  EXPECT_EQ(template_error("process P[i < 0] { state s; init s; } system async;"),
            "1:15 the number of processes is 0, but must be between 1 and 10000");
  EXPECT_EQ(template_error("process P[i] { state s; init s; } system async;"),
            "1:12 expected '<' and the number of processes, found ']'");
  EXPECT_EQ(template_error("process P[i < 2] { byte i; state s; init s; } system async;"),
            "1:25 'i' is declared twice");
  EXPECT_EQ(
      template_error("byte x; channel c[i < 2]; process P { state s; init s; trans s -> s { sync c[x]!; }; } "
                     "system async;"),
      "1:78 which channel this is must be a constant");
  EXPECT_EQ(template_error(
                "process P[i < 2] { state s; init s; trans s -> s { guard P[i + 1].s; }; } system async;")
                .substr(0, 30),
            "1:58 unknown process 'P_2'; di");
}

// ---- Against models that are written out

/// A process whose text depends on its number; `i` and neighbours are written by the given functions.
struct Writer {
  std::function<std::string(int)> number;                           ///< i + this, modulo N
  std::function<std::string(const std::string&, int)> of_instance;  ///< the name of that instance
};

std::string random_body(const std::vector<int>& choices, const Writer& w) {
  std::size_t next = 0;
  const auto choose = [&](int most) { return choices[next++ % choices.size()] % most; };
  static const char* const states[] = {"s", "t", "u"};
  std::string text =
      fmt::format("byte x = {}; state s, t, u; init {};", w.number(choose(2)), states[choose(3)]);
  if (choose(3) == 0) text += " commit t;";
  if (choose(3) == 0) text += " end u;";
  text += " trans ";
  for (int t = 0; t < 4; ++t) {
    text += fmt::format("{}{} -> {} {{ ", t == 0 ? "" : ", ", states[choose(3)], states[choose(3)]);
    switch (choose(5)) {
      case 0:
        text += fmt::format("guard a[{}] == {};", w.number(0), choose(2));
        break;
      case 1:
        text += fmt::format("guard {}.t or x == 0;", w.of_instance("P", 1));
        break;
      case 2:
        text += fmt::format("guard {}->x < 2;", w.of_instance("P", 2));
        break;
      default:
        break;
    }
    switch (choose(5)) {
      case 0:
        text += fmt::format(" sync {}!{};", w.of_instance("c", choose(2)), w.number(1));
        break;
      case 1:
        text += fmt::format(" sync {}?x;", w.of_instance("c", choose(2)));
        break;
      default:
        break;
    }
    switch (choose(3)) {
      case 0:
        text += fmt::format(" effect a[{}] = {};", w.number(1), w.number(0));
        break;
      case 1:
        text += fmt::format(" effect x = {};", choose(2));
        break;
      default:
        break;
    }
    text += " }";
  }
  return text + ";";
}

RC_GTEST_PROP(DveTemplates, AreTheModelsWrittenOut, ()) {
  const int n = *rc::gen::inRange(1, 4), capacity = *rc::gen::inRange(0, 2);
  const auto choices = *rc::gen::container<std::vector<int>>(60, rc::gen::inRange(0, 30));
  const Writer general{
      .number = [](int add) { return add == 0 ? std::string("i") : fmt::format("((i + {}) % N)", add); },
      .of_instance =
          [](const std::string& name, int add) {
            return add == 0 ? name + "[i]" : fmt::format("{}[(i + {}) % N]", name, add);
          }};
  const std::string head = fmt::format("const byte N = {}; byte a[N];\n", n);
  const std::string templated =
      head + fmt::format("channel {{byte}} c[j < N][{}];\nprocess P[i < N] {{ ", capacity) +
      random_body(choices, general) + " }\nsystem async;";
  std::string written = head;
  for (int k = 0; k < n; ++k) written += fmt::format("channel {{byte}} c_{}[{}];\n", k, capacity);
  for (int k = 0; k < n; ++k) {
    const Writer own{.number = [=](int add) { return std::to_string((k + add) % n); },
                     .of_instance = [=](const std::string& name,
                                        int add) { return fmt::format("{}_{}", name, (k + add) % n); }};
    written += fmt::format("process P_{} {{ ", k) + random_body(choices, own) + " }\n";
  }
  written += "system async;";
  RC_LOG() << templated << "\n" << written << "\n";
  const System first = system_of(templated), second = system_of(written);
  RC_ASSERT(labels_of(first) == labels_of(second));
  RC_ASSERT(slot_names_of(first) == slot_names_of(second));
  RC_ASSERT(first.may_end.has_value() == second.may_end.has_value());
  const StateSpace a = explore(first), b = explore(second);
  RC_ASSERT(a.states == b.states);
  RC_ASSERT(a.edges == b.edges);
  RC_ASSERT(a.deadlocks == b.deadlocks);
  RC_ASSERT(a.errors.size() == b.errors.size());
}

}  // namespace
}  // namespace tideline::dve
