// A sample of states by random walks: for data structures that depend on what states look like.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "graph/graph.hpp"

namespace tideline {

/// `count` packed states, one after the other; fewer when walks end early. The same ones each time.
template <Graph G>
std::vector<std::byte> sample_walks(G graph, std::size_t count) {
  constexpr std::size_t walks = 16;
  const std::size_t bytes = graph.state_size();
  std::minstd_rand random;
  std::vector<std::byte> sample, state, next;
  for (std::size_t walk = 0; walk < walks; ++walk) {
    std::uint32_t choices = 0;
    const auto choose = [&](const std::byte* one) {
      if (random() % ++choices == 0) next.assign(one, one + bytes);
    };
    graph.initial(choose);
    for (std::size_t step = 0; step < count / walks && choices != 0; ++step) {
      state.swap(next);
      sample.insert(sample.end(), state.begin(), state.end());
      choices = 0;
      graph.successors(state.data(), [&](const Step& s) {
        if (s.state) choose(s.state);
      });
    }
  }
  return sample;
}

}  // namespace tideline
