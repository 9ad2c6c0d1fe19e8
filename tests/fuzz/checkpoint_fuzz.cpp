// libFuzzer target: anything is a checkpoint of a sweep, which goes on from there, or refused with an Error. The input is what
// is between the first line and the checksum, not compressed: these would stand in a fuzzer's way.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>

#include "accepted_or_refused.hpp"
#include "search/sweep/checkpointer.hpp"
#include "search/sweep/sweep.hpp"
#include "testing/measured_graph.hpp"
#include "testing/scratch.hpp"
#include "testing/tampered_checkpoint.hpp"

namespace {

using namespace tideline;

/// Knows its states, as graphs of models do.
struct Nodes : test::MeasuredGraph {
  bool is_state(const std::byte* state) const {
    const std::uint32_t n = node(state);
    return n < edges.size() && std::ranges::equal(pack(n), std::span(state, state_bytes));
  }
};

/// Two rounds that meet, with edges back, a deadlock and a model error.
Nodes some_graph() {
  Nodes graph;
  constexpr std::uint32_t nodes = 24;
  graph.edges.resize(nodes);
  for (std::uint32_t n = 0; n + 1 < nodes; ++n) {
    graph.edges[n].push_back({n % 4, (n * 7 + 3) % nodes});
    graph.edges[n].push_back({n % 3, n + 1, n % 11 == 10});
  }
  for (std::uint32_t n = 0; n < nodes; ++n) graph.measure.push_back(n / 3 % 6);
  graph.initial_nodes = {0, 5};
  return graph;
}

/// Of an empty one: its first line is that of all.
std::string some_checkpoint() {
  const test::Scratch scratch;
  Checkpointer checkpoints(scratch.folder(), SavedRun{});
  return scratch.saved();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string empty = some_checkpoint();
  static const Nodes graph = some_graph();
  const test::Scratch scratch;
  std::filesystem::create_directory(scratch.folder());
  std::ofstream(scratch.file(), std::ios::binary) << test::checkpoint_with(empty, fuzz::text_of(data, size));
  const auto go_on = [&] {
    const auto checkpoints = std::make_shared<Checkpointer>(scratch.folder());
    checkpoints->configure(3600, [](const std::string&) {});
    Nodes own = graph;
    SweepSearch search(own, {.checkpoints = checkpoints});
    Bystander bystander;
    Budget budget(Budget::Limits{.seconds = 5.0});
    search.run(bystander, budget);
  };
  fuzz::accepted_or_refused(go_on, {ErrorKind::io, ErrorKind::usage});
  return 0;
}
