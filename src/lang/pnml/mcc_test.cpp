// Nets of the Model Checking Contest: every one is read, and on small ones a plain search finds the
// recorded numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

#include "exec/interpreter.hpp"
#include "testing/nets.hpp"

namespace tideline::pnml {
namespace {

constexpr std::size_t most_states = 50'000;

std::filesystem::path mcc_folder() {
  const char* given = std::getenv("TIDELINE_BENCHMARKS");
  return std::filesystem::path(given != nullptr ? given : TIDELINE_SOURCE_DIR "/../shared/benchmarks") /
         "mcc";
}

struct Counts {
  std::size_t states = 0;
  std::size_t edges = 0;
  std::int64_t in_place = 0;
  std::int64_t in_marking = 0;
  bool operator==(const Counts&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Counts& c) {
  return out << c.states << " states, " << c.edges << " edges, " << c.in_place << " tokens in a place, "
             << c.in_marking << " in a marking";
}

/// What mcc.csv says, by instance.
std::map<std::string, Counts> recorded() {
  std::map<std::string, Counts> result;
  std::ifstream file(mcc_folder() / "mcc.csv");
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
    if (cells.size() >= 16)
      result[cells[0]] = {std::stoull(cells[12]), std::stoull(cells[13]), std::stoll(cells[14]),
                          std::stoll(cells[15])};
  }
  return result;
}

Counts explore(const System& system) {
  Interpreter interpreter(Program::compile(system, ErrorSemantics::stop));
  const std::size_t size = interpreter.state_size();
  const Layout& layout = interpreter.program().layout();
  std::set<std::string> seen;
  std::vector<const std::string*> open;
  const auto add = [&](const std::byte* state) {
    const auto [entry, fresh] = seen.emplace(reinterpret_cast<const char*>(state), size);
    if (fresh) open.push_back(&*entry);
  };
  interpreter.initial(add);
  Counts counts;
  for (std::size_t at = 0; at < open.size(); ++at) {
    const auto* state = reinterpret_cast<const std::byte*>(open[at]->data());
    const auto marking = layout.unpack(state);
    counts.in_place = std::max<std::int64_t>(counts.in_place, *std::ranges::max_element(marking));
    counts.in_marking =
        std::max(counts.in_marking, std::accumulate(marking.begin(), marking.end(), std::int64_t{0}));
    interpreter.successors(state, [&](const Step& step) {
      ++counts.edges;
      ASSERT_NE(step.state, nullptr);
      add(step.state);
    });
  }
  counts.states = seen.size();
  return counts;
}

TEST(MccNets, AreReadAndSmallOnesHaveTheRecordedNumbers) {
  if (!std::filesystem::is_directory(mcc_folder()))
    GTEST_SKIP() << "no nets of the contest at " << mcc_folder();
  const auto expected = recorded();
  EXPECT_GT(expected.size(), 50u);
  for (const auto& [instance, counts] : expected) {
    SCOPED_TRACE(instance);
    const Model model = load_model((mcc_folder() / instance / "model.pnml").string());
    if (counts.states > most_states) continue;
    EXPECT_EQ(explore(model.system), counts);
  }
}

}  // namespace
}  // namespace tideline::pnml
