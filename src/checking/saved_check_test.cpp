#include "checking/saved_check.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "files/write_file.hpp"

namespace tideline {
namespace {

class SavedCheck : public ::testing::Test {
 protected:
  SavedCheck() { std::filesystem::create_directory(folder_); }
  ~SavedCheck() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ / name; }
  std::string write(const std::string& name, const std::string& text) const {
    write_file(path(name), text);
    return path(name);
  }

  static std::string refusal(const SavedRun& run) {
    try {
      require_unchanged(run, "9");
      return {};
    } catch (const Error& error) {
      return error.what();
    }
  }

 private:
  std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) /
      (std::string("saved_check_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(SavedCheck, GoesOnOnlyWithTheFilesThatItBeganWith) {
  const std::string kept = write("kept", "one"), later = path("later");
  SavedRun run{.version = "9", .folder = {}, .arguments = {}, .measures = {}, .inputs = {}};
  run.inputs = {input_of(kept), input_of(later)};
  EXPECT_EQ(refusal(run), "");
  write("later", "");
  EXPECT_NE(refusal(run).find(later + " was created since the run began"), std::string::npos) << refusal(run);
  std::filesystem::remove(later);
  write("kept", "two");
  EXPECT_NE(refusal(run).find(kept + " has changed since"), std::string::npos) << refusal(run);
  std::filesystem::remove(kept);
  EXPECT_NE(refusal(run).find(kept + " was removed since"), std::string::npos) << refusal(run);
}

TEST_F(SavedCheck, GoesOnOnlyWithTheVersionThatItBeganWith) {
  const SavedRun run{.version = "8", .folder = {}, .arguments = {}, .measures = {}, .inputs = {}};
  EXPECT_NE(refusal(run).find("the checkpoint is of version 8, this is 9"), std::string::npos);
}

TEST_F(SavedCheck, ReadsTheModelItsPropertiesTheOthersAndAutomata) {
  const std::string automaton = write("a.hoa", "HOA: v1");
  Model model;
  model.source = {path("m.dve"), "text"};
  Plan plan;
  plan.lassos.push_back(
      {.properties = {{.name = "a", .kind = PropertyKind::automaton, .formula = automaton}}});
  plan.lassos.push_back({.properties = {{.name = "f", .kind = PropertyKind::ltl, .formula = "F p"}}});
  plan.lassos.push_back({.properties = {{.name = "own", .kind = PropertyKind::automaton, .formula = ""}}});
  const std::string other = write("other", "text");
  const auto inputs = inputs_of(model, "", plan, {other});
  std::vector<std::string> files;
  for (const SavedRun::Input& input : inputs) files.push_back(input.file);
  EXPECT_EQ(files, (std::vector<std::string>{path("m.dve"), path("m.props"), other, automaton}));
  EXPECT_EQ(inputs[0].hash, inputs[2].hash) << "the model's text is the one that was read";
  EXPECT_EQ(inputs[1].hash, 0u) << "there is no such file";
}

TEST_F(SavedCheck, OnlySweepsAreSaved) {
  EXPECT_NO_THROW(require_savable(*find_engine("sweep")));
  EXPECT_THROW(require_savable(*find_engine("bfs")), Error);
  EXPECT_THROW(require_savable(default_engine()), Error);
}

TEST_F(SavedCheck, ARunWithoutACheckpointBeginsAgain) {
  const Checkpointer checkpoints(
      path("saved"), {.version = "9", .folder = {}, .arguments = {}, .measures = {}, .inputs = {}});
  EXPECT_NE(resumption_text(checkpoints).find("begins again"), std::string::npos);
}

TEST_F(SavedCheck, ShowsItsCommandAsItCouldBeTyped) {
  const SavedRun run{.version = "9", .folder = "/home/me", .arguments = {}, .measures = {}, .inputs = {}};
  EXPECT_EQ(command_text(run, {"--engine=sweep", "--ltl=G p", "--reach=it's", "", "--", "m.dve"}),
            "in /home/me: tideline check --engine=sweep '--ltl=G p' '--reach=it'\\''s' '' -- m.dve");
}

}  // namespace
}  // namespace tideline
