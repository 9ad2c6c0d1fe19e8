// Bad input: each ends in the right exit code and one clear error, and leaves no file behind.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "program.hpp"

namespace tideline::test {
namespace {

/// One error, of one line (and, when it points into a source, that line and the caret).
void expect_one_error(const Result& r, const std::string& part) {
  EXPECT_EQ(r.exit_code, 2) << r.err;
  EXPECT_EQ(r.out, "");
  EXPECT_NE(r.err.find(part), std::string::npos) << r.err;
  std::size_t errors = 0;
  for (std::size_t at = r.err.find("error: "); at != std::string::npos; at = r.err.find("error: ", at + 1))
    ++errors;
  EXPECT_EQ(errors, 1U) << r.err;
}

class BadModel : public testing::Test {
 protected:
  Result check(const std::string& text) const {
    const std::string model = folder_.write("m.dve", text);
    Result r = run({"check", model, "--trace", folder_.path("t.json"), "--json", folder_.path("j.json")});
    EXPECT_EQ(folder_.files(), std::vector<std::string>{"m.dve"});
    return r;
  }
  Folder folder_;
};

TEST_F(BadModel, Empty) {
  expect_one_error(check(""), "m.dve");
}

TEST_F(BadModel, TruncatedAnywhere) {
  const std::string text = peterson;
  const std::size_t begin = text.find("byte flag");
  for (std::size_t end = begin; end + 2 < text.size(); end += 37) {
    const Result r = check(text.substr(0, end));
    EXPECT_EQ(r.exit_code, 2) << end << r.out << r.err;
    EXPECT_NE(r.err.find("error: "), std::string::npos) << end;
  }
}

TEST_F(BadModel, Binary) {
  std::string noise;
  std::uint32_t state = 12345;
  for (int i = 0; i < 5000; ++i) noise += static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  const Result r = check(noise);
  EXPECT_EQ(r.exit_code, 2);
  for (const char c : r.err) EXPECT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7f)) << "the terminal must be safe";
}

TEST_F(BadModel, DeeplyNested) {
  const std::string open(100000, '('), close(100000, ')');
  std::string text = stuck;
  text.replace(text.find("x == 9"), 6, open + "x" + close + " == 9");
  expect_one_error(check(text), "nested");
}

TEST(BadFile, MissingFolderAndUnreadable) {
  const Folder folder;
  expect_one_error(run({"check", folder.path("none.dve")}), "No such file or directory");
  std::filesystem::create_directory(folder.path("folder.dve"));
  expect_one_error(run({"check", folder.path("folder.dve")}), "folder.dve");
  // Not readable, even by root: its first page is not mapped.
  std::filesystem::create_symlink("/proc/self/mem", folder.path("mem.dve"));
  expect_one_error(run({"check", folder.path("mem.dve")}), "mem.dve");
  if (::geteuid() != 0) {
    const std::string secret = folder.write("secret.dve", stuck);
    std::filesystem::permissions(secret, std::filesystem::perms::none);
    expect_one_error(run({"check", secret}), "Permission denied");
  }
}

TEST(BadFile, UnknownExtension) {
  const Folder folder;
  expect_one_error(run({"check", folder.write("m.xyz", stuck)}), "m.xyz");
}

TEST(BadFile, AModelWithoutACommand) {
  const Folder folder;
  const std::string model = folder.write("m.dve", stuck);
  expect_one_error(run({model}), "to check a model write 'tideline check " + model + "'");
}

TEST(BadFile, MacrosAreExpandedFirst) {
  const Folder folder;
  expect_one_error(run({"check", folder.write("m.mdve", stuck)}), "has macros; expand them first");
}

/// Whatever the language: the mark that some editors put in front is not part of the text, and a binary file
/// is reported as such.
TEST(AnyText, ByteOrderMarksAndBinaryFiles) {
  const std::string mark = "\xef\xbb\xbf";
  const std::string net =
      "<pnml><net id='n' type='ptnet'><page id='g'><place id='p'/><transition id='t'/>"
      "<arc id='a' source='t' target='p'/></page></net></pnml>";
  const std::vector<std::pair<std::string, std::string>> texts{
      {"m.dve", stuck},
      {"m.psl", "process P { A = a -> A; }\nsystem = P;\n"},
      {"m.aut", "des (0, 1, 1)\n(0, \"a\", 0)\n"},
      {"m.net", "component P \"part.aut\"\nparallel\n"},
      {"m.pnml", net},
  };
  const Folder folder;
  folder.write("part.aut", mark + "des (0, 1, 1)\n(0, \"a\", 0)\n");
  for (const auto& [name, text] : texts) {
    const std::string model = folder.write(name, mark + text);
    EXPECT_NE(run({"check", model, "--deadlock", "--depth", "5"}).exit_code, 2) << name;
    std::string binary = text;
    binary[binary.size() / 2] = '\0';
    expect_one_error(run({"check", folder.write(name, binary)}),
                     "this is a binary file (it contains NUL bytes)");
    folder.write(name, text);
  }
  const std::string model = folder.path("m.dve");
  EXPECT_EQ(run({"check", model, "--properties", folder.write("p.props", mark + "property q reach x == 7\n")})
                .exit_code,
            0);
  expect_one_error(run({"check", model, "--properties",
                        folder.write("p.props", std::string("property q\0 deadlock", 20))}),
                   "p.props: error: this is a binary file");
  expect_one_error(run({"check", folder.write("u.dve", std::string("\xff\xfe"
                                                                   "b\0y\0",
                                                                   6))}),
                   "this text is UTF-16; save it as UTF-8");
}

TEST(BadExpression, PointsIntoTheText) {
  const Folder folder;
  const std::string model = folder.write("m.dve", stuck);
  Result r = run({"check", model, "--invariant", "x == yy"});
  expect_one_error(r, "yy");
  EXPECT_NE(r.err.find("--invariant:1:6: error: "), std::string::npos) << r.err;
  EXPECT_NE(r.err.find("| x == yy\n"), std::string::npos) << r.err;
  expect_one_error(run({"check", model, "--reach", ""}), "--reach");
  expect_one_error(run({"check", model, "--reach", "x == "}), "--reach");
  expect_one_error(
      run({"check", model, "--invariant", std::string(60000, '(') + "x" + std::string(60000, ')')}),
      "nested");
}

TEST(BadProperty, UnknownVariableAndMissingFile) {
  const Folder folder;
  expect_one_error(
      run({"check", folder.write("m.dve", std::string("//@ property p invariant zz == 1\n") + stuck)}), "zz");
  folder.write("m.dve", stuck);
  expect_one_error(run({"check", folder.path("m.dve"), "--properties", folder.path("none.props")}),
                   "none.props");
  folder.write("m.dve", peterson);
  expect_one_error(run({"check", folder.path("m.dve"), "--property", "mutx"}), "did you mean 'mutex'?");
}

TEST(BadTarget, IsFoundBeforeAnythingIsDone) {
  const Folder folder;
  const std::string model = folder.write("m.dve", stuck);
  const std::string target = folder.path("no/such/folder/file");
  for (const std::string option : {"--trace", "--json", "--junit"})
    expect_one_error(run({"check", model, option, target}), "cannot write " + target);
  for (const std::string option : {"--dot", "--aut", "--json"})
    expect_one_error(run({"explore", model, option, target}), "cannot write " + target);
  expect_one_error(run({"simulate", model, "--trace", folder.path()}), "Is a directory");
  EXPECT_EQ(folder.files(), std::vector<std::string>{"m.dve"});
}

// The verdict is known by then: it is printed, but the exit code shows that the file is missing.
TEST(BadTarget, FullDisk) {
  const Folder folder;
  const std::string model = folder.write("m.dve", stuck);
  for (const std::string option : {"--json", "--junit", "--trace"}) {
    const Result r = run({"check", model, "--deadlock", option, "/dev/full"});
    EXPECT_EQ(r.exit_code, 2);
    EXPECT_NE(r.err.find("cannot write /dev/full: No space left on device"), std::string::npos) << r.err;
    EXPECT_NE(r.out.find("deadlock: violated"), std::string::npos);
  }
}

TEST(BadTrace, IsRefusedWithTheReason) {
  const Folder folder;
  const std::string model = folder.write("m.dve", stuck);
  const auto trace = [&](const std::string& text) {
    return run({"trace", folder.write("t.json", text), "--model", model});
  };
  expect_one_error(trace(""), "not JSON");
  expect_one_error(trace("{\"vars\": []}"), "no 'states'");
  expect_one_error(trace(R"({"vars": ["q"], "states": [{"q": 1}]})"), "'q' is not in the model");
  expect_one_error(trace(std::string(300000, '[')), "not JSON");
  expect_one_error(run({"trace", folder.path("none.json")}), "No such file or directory");
  expect_one_error(run({"trace", model}), "not JSON");
}

TEST(BadOption, NumbersAreNumbers) {
  const Folder folder;
  const std::string model = folder.write("m.dve", peterson);
  for (const std::string text : {"abc", "-1", "1x", "18446744073709551616", ""}) {
    const Result r = run({"check", model, "--depth", text});
    EXPECT_EQ(r.exit_code, 2) << text;
    EXPECT_TRUE(has(r.err, "is not a number")) << r.err;
    EXPECT_LT(r.err.size(), 200u) << r.err;
  }
}

TEST(BadTarget, OutputsDoNotOverwriteEachOtherOrTheModel) {
  const Folder folder;
  const std::string model = folder.write("m.dve", peterson), out = folder.path("out.json");
  Result r = run({"check", model, "--json", out, "--trace", out});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "is named for two outputs")) << r.err;
  r = run({"check", model, "--json", folder.path("./m.dve")});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_TRUE(has(r.err, "would be overwritten")) << r.err;
  EXPECT_EQ(folder.read("m.dve"), peterson);
}

TEST(BadTrace, ClaimsThatNoRunProves) {
  const Folder folder;
  const std::string model =
      folder.write("m.dve", std::string("//@ property small invariant x < 2\n") + overflow);
  const std::string file = folder.path("t.json");
  ASSERT_EQ(
      run({"check", model, "--property", "small", "--trace", file, "--model-errors", "divine"}).exit_code, 1);
  const std::string good = folder.read("t.json");
  ASSERT_EQ(run({"trace", file}).exit_code, 0);
  const auto edited = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return run({"trace", folder.write("edited.json", text)}).exit_code;
  };
  EXPECT_EQ(edited("\"kind\":\"invariant\"", "\"kind\":\"invarient\""), 2);
  EXPECT_EQ(edited("\"verdict\":\"violated\"", "\"verdict\":\"holds\""), 2);
  // The model's property of that name counts, not the formula in the file.
  folder.write("m.dve", std::string("//@ property small invariant x < 300\n") + overflow);
  EXPECT_EQ(run({"trace", file}).exit_code, 1);
}

TEST(LargeInput, AHundredMegabytesOfNonsense) {
  const Folder folder;
  std::string lines;
  while (lines.size() < std::size_t{100} << 20)
    lines += "process p { state s; trans s -> { guard ((x; }; }\n";
  for (const std::string& text : {std::string(std::size_t{100} << 20, '('), lines}) {
    const Result r = run({"check", folder.write("big.dve", text)});
    EXPECT_EQ(r.exit_code, 2);
    EXPECT_TRUE(has(r.err, "error: ")) << r.err.substr(0, 1000);
    EXPECT_LT(r.err.size(), 20'000u);
  }
}

}  // namespace
}  // namespace tideline::test
