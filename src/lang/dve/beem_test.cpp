// The BEEM models: every one is read, and on small ones a plain search finds the recorded numbers.
#include "testing/beem.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "testing/models.hpp"

namespace tideline::dve {
namespace {

TEST(DveBeem, EveryModelIsRead) {
  if (!std::filesystem::is_directory(beem_folder())) GTEST_SKIP() << "no BEEM models at " << beem_folder();
  std::size_t models = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(beem_folder())) {
    if (entry.path().extension() != ".dve") continue;
    ++models;
    const std::string name = entry.path().filename().string();
    try {
      const Model model = load_model(entry.path().string());
      EXPECT_FALSE(model.system.actions.empty()) << name;
      EXPECT_EQ(model.system.property.has_value(), name.find(".prop") != std::string::npos) << name;
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }
  EXPECT_EQ(models, 494u);
}

class DveBeemCounts : public testing::TestWithParam<BeemCounts> {};

TEST_P(DveBeemCounts, AreTheRecordedOnes) {
  const auto path = beem_model(GetParam().model);
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no BEEM model at " << path;
  const Model model = load_model(path.string());
  const StateSpace space = explore(model.system, ErrorSemantics::error_state);
  EXPECT_EQ(space.states.size(), GetParam().states);
  EXPECT_EQ(space.edges, GetParam().edges);
  EXPECT_EQ(space.deadlocks, GetParam().deadlocks);
}

INSTANTIATE_TEST_SUITE_P(Small, DveBeemCounts, small_beem_models(), beem_test_name);

}  // namespace
}  // namespace tideline::dve
