// BEEM models for tests: where they are, and the recorded numbers of small ones. They are not part of this
// repository: a test that does not find them skips itself.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace tideline::dve {

inline std::filesystem::path beem_folder() {
  const char* given = std::getenv("TIDELINE_BENCHMARKS");
  return std::filesystem::path(given != nullptr ? given : TIDELINE_SOURCE_DIR "/../shared/benchmarks") /
         "beem";
}

/// lup.1 is beem/lup/lup.1.dve.
inline std::filesystem::path beem_model(const std::string& name) {
  return beem_folder() / name.substr(0, name.find('.')) / (name + ".dve");
}

struct BeemCounts {
  const char* model;
  std::uint64_t states;
  std::uint64_t edges;
  std::uint64_t deadlocks;
};

inline auto small_beem_models() {
  return testing::Values(BeemCounts{"phils.1", 80, 212, 1}, BeemCounts{"loyd.1", 720, 1681, 0},
                         BeemCounts{"lup.1", 1404, 2484, 0}, BeemCounts{"mcs.2", 1408, 3222, 12},
                         BeemCounts{"anderson.2", 1459, 3705, 0}, BeemCounts{"elevator2.1", 1728, 4768, 0},
                         BeemCounts{"protocols.1", 2430, 6480, 0}, BeemCounts{"protocols.3", 2817, 7826, 8},
                         BeemCounts{"rushhour.1", 1048, 5446, 0}, BeemCounts{"rether.1", 2458, 2755, 0},
                         BeemCounts{"bridge.1", 3186, 4565, 839}, BeemCounts{"elevator.2", 2825, 5274, 0},
                         BeemCounts{"leader_filters.1", 4966, 9387, 96},
                         BeemCounts{"lifts.1", 2661, 4486, 2});
}

/// The model's name in that of its test.
inline std::string beem_test_name(const testing::TestParamInfo<BeemCounts>& instance) {
  std::string name = instance.param.model;
  std::ranges::replace(name, '.', '_');
  return name;
}

}  // namespace tideline::dve
