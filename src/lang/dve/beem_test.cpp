// The BEEM models: every one is read, and on small ones a plain search finds the recorded numbers.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "lang/dve/testing.hpp"

namespace tideline::dve {
namespace {

std::filesystem::path beem_folder() {
  const char* given = std::getenv("TIDELINE_BENCHMARKS");
  return std::filesystem::path(given != nullptr ? given : TIDELINE_SOURCE_DIR "/../shared/benchmarks") /
         "beem";
}

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

struct Recorded {
  const char* model;
  std::size_t states;
  std::size_t edges;
  std::size_t deadlocks;
};

class DveBeemCounts : public testing::TestWithParam<Recorded> {};

TEST_P(DveBeemCounts, AreTheRecordedOnes) {
  const std::string name = GetParam().model;
  const auto path = beem_folder() / name.substr(0, name.find('.')) / (name + ".dve");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no BEEM model at " << path;
  const Model model = load_model(path.string());
  const StateSpace space = explore(model.system, ErrorSemantics::error_state);
  EXPECT_EQ(space.states.size(), GetParam().states);
  EXPECT_EQ(space.edges, GetParam().edges);
  EXPECT_EQ(space.deadlocks, GetParam().deadlocks);
}

INSTANTIATE_TEST_SUITE_P(
    Small, DveBeemCounts,
    testing::Values(Recorded{"phils.1", 80, 212, 1}, Recorded{"loyd.1", 720, 1681, 0},
                    Recorded{"lup.1", 1404, 2484, 0}, Recorded{"mcs.2", 1408, 3222, 12},
                    Recorded{"anderson.2", 1459, 3705, 0}, Recorded{"elevator2.1", 1728, 4768, 0},
                    Recorded{"protocols.1", 2430, 6480, 0}, Recorded{"protocols.3", 2817, 7826, 8},
                    Recorded{"rushhour.1", 1048, 5446, 0}, Recorded{"rether.1", 2458, 2755, 0},
                    Recorded{"bridge.1", 3186, 4565, 839}, Recorded{"elevator.2", 2825, 5274, 0},
                    Recorded{"leader_filters.1", 4966, 9387, 96}, Recorded{"lifts.1", 2661, 4486, 2}),
    [](const auto& instance) {
      std::string name = instance.param.model;
      for (char& c : name)
        if (c == '.') c = '_';
      return name;
    });

}  // namespace
}  // namespace tideline::dve
