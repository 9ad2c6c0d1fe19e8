#include "progress/draw_sample.hpp"

#include <array>
#include <cstring>

namespace tideline {

namespace {

/// A sample as a graph whose states are numbers.
class SampleGraph {
 public:
  explicit SampleGraph(const Sample& sample) : sample_(sample) {}

  static std::uint32_t number(const std::byte* state) {
    std::uint32_t result = 0;
    std::memcpy(&result, state, sizeof result);
    return result;
  }

  std::size_t state_size() const { return state_.size(); }
  template <class Sink>
  void initial(Sink&& sink) {
    for (const std::uint32_t state : sample_.initial) sink(packed(state));
  }
  template <class Sink>
  void successors(const std::byte* state, Sink&& sink) {
    for (const std::uint32_t target : sample_.targets_of(number(state))) sink(Step{0, packed(target)});
  }

 private:
  const std::byte* packed(std::uint32_t number) {
    std::memcpy(state_.data(), &number, sizeof number);
    return state_.data();
  }

  const Sample& sample_;
  std::array<std::byte, 16> state_ = {};
};

}  // namespace

Sample thinned(const Sample& sample, std::uint64_t limit) {
  SampleGraph graph(sample);
  Budget unlimited;
  SampleDrawer<SampleGraph> drawer(graph, {.limit = limit}, unlimited);
  const SegmentedTable<>& table = drawer.choose();
  std::vector<std::uint32_t> chosen;
  for (StateId id = 0; id < table.size(); ++id) chosen.push_back(SampleGraph::number(table.state(id)));
  return sample.restricted_to(chosen);
}

}  // namespace tideline
