// Named properties and expressions from outside of the model (docs/properties.md), and reading files.
#include "lang/properties.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "exec/reference.hpp"
#include "lang/lang.hpp"

namespace tideline {
namespace {

const std::string peterson_like = R"(byte turn = 1, flag[2] = {1, 0};
process P_0 { byte x = 4; state wait, CS; init wait; trans wait -> CS {}; }
process P_1 { byte CS = 9; state wait; init wait; }
system async;
)";

/// A folder of its own for one test, removed with everything in it.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "tideline-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

System system_of(const std::string& text) {
  return read_model({"test.dve", text}).system;
}

std::vector<Property> properties_of(const std::string& lines, System& system) {
  const SourceText source{"test.props", lines};
  std::vector<Property> properties;
  std::optional<ProgressClause> progress;
  read_properties(property_file_lines(source), source, system, properties, progress);
  return properties;
}

std::string error_of(const std::string& lines) {
  System system = system_of(peterson_like);
  try {
    properties_of(lines, system);
    return {};
  } catch (const Error& error) {
    std::string text;
    for (const Diagnostic& d : error.diagnostics())
      text += std::to_string(d.where.line) + ":" + std::to_string(d.where.column) + ": " + d.message + "\n";
    return text;
  }
}

std::int64_t initially(const System& system, const std::string& text) {
  return Reference(system).evaluate(parse_expression(system, text, "--invariant"), system.initial).value;
}

TEST(Properties, EveryKindOfLine) {
  System system = system_of(peterson_like);
  const auto properties = properties_of(
      "# a comment\n\n"
      "define busy = P_0.CS + P_1.wait > 1  // another\n"
      "property mutex expect holds invariant not busy\n"
      "property no-end expect violated deadlock\n"
      "property v1.2 expect unknown reach busy && turn == 1\n"
      "property plain deadlock\n",
      system);
  ASSERT_EQ(properties.size(), 4u);
  EXPECT_EQ(properties[0].name, "mutex");
  EXPECT_EQ(properties[0].kind, PropertyKind::invariant);
  EXPECT_EQ(properties[0].expected, Verdict::holds);
  EXPECT_EQ(properties[0].formula, "not busy");
  EXPECT_EQ(Reference(system).evaluate(properties[0].expr, system.initial).value, 1);
  EXPECT_EQ(properties[1].name, "no-end");
  EXPECT_EQ(properties[1].kind, PropertyKind::deadlock);
  EXPECT_EQ(properties[1].expected, Verdict::violated);
  EXPECT_EQ(properties[2].name, "v1.2");
  EXPECT_EQ(properties[2].kind, PropertyKind::reach);
  EXPECT_EQ(properties[2].expected, Verdict::unknown);
  EXPECT_FALSE(properties[3].expected.has_value());
  ASSERT_EQ(system.propositions.size(), 1u);
  EXPECT_EQ(initially(system, "busy + 1"), 1);
}

TEST(Properties, ContinuedLinesKeepTheirPlaces) {
  System system = system_of(peterson_like);
  const auto properties =
      properties_of("property p invariant turn == 1 && \\\n   flag[0] \\ # why\n  == 1\n", system);
  ASSERT_EQ(properties.size(), 1u);
  EXPECT_EQ(Reference(system).evaluate(properties[0].expr, system.initial).value, 1);
  EXPECT_EQ(error_of("property p invariant turn == 1 && \\\n   flak[0] == 1\n"),
            "2:4: unknown variable 'flak'; did you mean 'flag'?\n");
}

TEST(Properties, InCommentsOfTheModel) {
  const Model model = read_model({"test.dve",
                                  "//@ property first expect holds invariant turn == 1 \\\n"
                                  "  //@   && flag[0] == 1\n"
                                  "//  @ property none deadlock\n" +
                                      peterson_like + "//@property last deadlock"});
  ASSERT_EQ(model.properties.size(), 2u);
  EXPECT_EQ(model.properties[0].name, "first");
  EXPECT_EQ(Reference(model.system).evaluate(model.properties[0].expr, model.system.initial).value, 1);
  EXPECT_EQ(model.properties[1].name, "last");
  try {
    read_model({"test.dve", "byte z; //@ property p invariant zz == 1\n" + peterson_like});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "test.dve:1:34: error: unknown variable 'zz'; did you mean 'z'?\n"
              "     1 | byte z; //@ property p invariant zz == 1\n"
              "       |                                  ^");
  }
}

TEST(Properties, Errors) {
  EXPECT_EQ(error_of("propety p deadlock"),
            "1:1: expected 'property', 'define' or 'progress', found 'propety'; did you mean 'property'?\n");
  EXPECT_EQ(error_of("property p expect hold deadlock"),
            "1:19: expected 'holds', 'violated' or 'unknown', found 'hold'; did you mean 'holds'?\n");
  EXPECT_EQ(error_of("property p invarient x == 1"),
            "1:12: expected 'deadlock', 'invariant', 'reach', 'ltl', 'ctl' or 'pattern', found 'invarient'; "
            "did you mean "
            "'invariant'?\n");
  EXPECT_EQ(error_of("property"), "1:9: expected the name of a property, found the end of the line\n");
  EXPECT_EQ(error_of("property 1a deadlock"), "1:10: expected the name of a property, found '1a'\n");
  EXPECT_EQ(error_of("property p ctlstar G x"),
            "1:12: expected 'deadlock', 'invariant', 'reach', 'ltl', 'ctl' or 'pattern', found 'ctlstar'\n");
  EXPECT_EQ(error_of("property p ctl"), "1:15: expected a formula after 'ctl'\n");
  EXPECT_EQ(error_of("property p expect maybe deadlock"),
            "1:19: expected 'holds', 'violated' or 'unknown', found 'maybe'\n");
  EXPECT_EQ(error_of("property p deadlock turn"), "1:21: expected nothing after 'deadlock', found 'turn'\n");
  EXPECT_EQ(error_of("property p invariant"), "1:21: expected an expression after 'invariant'\n");
  EXPECT_EQ(error_of("property p invariant turn == 1 turn"),
            "1:32: expected an operator or the end of the expression, found 'turn'\n");
  EXPECT_EQ(error_of("property p deadlock\nproperty p deadlock"), "2:10: property 'p' is already defined\n");
  EXPECT_EQ(error_of("define d = 1\ndefine d = 2"), "2:8: 'd' is already defined\n");
  EXPECT_EQ(error_of("define turn = 1"), "1:8: 'turn' is already a name in the model\n");
  EXPECT_EQ(error_of("define P_0 = 1"), "1:8: 'P_0' is already a name in the model\n");
  EXPECT_EQ(error_of("define guard = 1"), "1:8: 'guard' is a reserved word\n");
  EXPECT_EQ(error_of("define d == 1"), "1:10: expected '=' after 'd', found '='\n");
  EXPECT_EQ(error_of("property p reach later\ndefine later = 1\nproperty q reach P_0.nowhere"),
            "1:18: unknown variable 'later'\n3:18: process 'P_0' has no state 'nowhere'\n");
}

TEST(Properties, DefinitionsCannotGrowWithoutBound) {
  std::string lines = "define d0 = turn + turn\n";
  for (int i = 1; i < 40; ++i)
    lines += "define d" + std::to_string(i) + " = d" + std::to_string(i - 1) + " + d" +
             std::to_string(i - 1) + "\n";
  EXPECT_NE(error_of(lines).find("replaced by its definition"), std::string::npos);
}

TEST(Expressions, NamesOfTheSystem) {
  const System system = system_of(peterson_like);
  EXPECT_EQ(initially(system, "P_0.wait * 10 + P_0->x"), 14);
  EXPECT_EQ(initially(system, "P_0.x"), 4);  // a variable, since P_0 has no such state
  EXPECT_EQ(initially(system, "P_1.CS"), 9);
  EXPECT_EQ(initially(system, "P_0.CS"), 0);  // a state
  EXPECT_EQ(initially(system, "flag[1 - turn]"), 1);
}

TEST(Expressions, ErrorsPointIntoTheText) {
  const System system = system_of(peterson_like);
  const auto error = [&](const std::string& text) {
    try {
      parse_expression(system, text, "--invariant");
      return std::string();
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::input);
      return std::string(e.what());
    }
  };
  EXPECT_EQ(error("turn == trun"),
            "--invariant:1:9: error: unknown variable 'trun'; did you mean 'turn'?\n"
            "     1 | turn == trun\n"
            "       |         ^");
  EXPECT_NE(error("P_7.CS").find("unknown process 'P_7'; did you mean 'P_0'?"), std::string::npos);
  EXPECT_NE(error("").find("expected an expression, found the end of the text"), std::string::npos);
  EXPECT_NE(error("turn)").find("expected an operator or the end of the expression, found ')'"),
            std::string::npos);
  EXPECT_NE(error("flag").find("array 'flag' needs an index"), std::string::npos);
  EXPECT_NE(error("turn $ 1").find("unexpected character '$'"), std::string::npos);
}

TEST(Files, TheFileBesideTheModel) {
  const Folder folder;
  const std::string path = folder.write("a.1.dve", "//@ property one deadlock\n" + peterson_like);
  EXPECT_EQ(load_model(path).properties.size(), 1u);
  folder.write("a.1.props", "property two invariant turn == 1\n");
  const Model model = load_model(path);
  ASSERT_EQ(model.properties.size(), 2u);
  EXPECT_EQ(model.properties[1].name, "two");
  EXPECT_EQ(model.system.name, "a.1.dve");
  EXPECT_EQ(model.system.language, "dve");

  const std::string other = folder.write("other.props", "property three deadlock\nproperty one deadlock\n");
  try {
    load_model(path, {.property_file = other});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("other.props:2:10: error: property 'one' is already defined"),
              std::string::npos);
  }
}

TEST(Files, WhatCannotBeRead) {
  const Folder folder;
  const auto error = [](const std::string& path) {
    try {
      load_model(path);
      return std::pair{ErrorKind::internal, std::string()};
    } catch (const Error& e) {
      return std::pair{e.kind(), std::string(e.what())};
    }
  };
  const auto missing = error(folder.path() + "/none.dve");
  EXPECT_EQ(missing.first, ErrorKind::io);
  EXPECT_NE(missing.second.find("No such file"), std::string::npos);
  const auto directory = error(folder.path());
  EXPECT_EQ(directory.first, ErrorKind::io);
  EXPECT_NE(directory.second.find("it is a folder"), std::string::npos);
  const auto unknown = error(folder.write("model.txt", "x"));
  EXPECT_EQ(unknown.first, ErrorKind::input);
  EXPECT_NE(unknown.second.find("--language, or end the name of the model with one of .dve"), std::string::npos);
  const std::string huge = folder.write("huge.dve", "");
  std::filesystem::resize_file(huge, (std::uintmax_t{256} << 20) + 1);
  const auto too_large = error(huge);
  EXPECT_EQ(too_large.first, ErrorKind::io);
  EXPECT_NE(too_large.second.find("larger than 256 MiB"), std::string::npos);
  EXPECT_EQ(error(folder.write("empty.dve", "")).first, ErrorKind::input);
}

}  // namespace
}  // namespace tideline
