// A preview of a sweep: guesses how many states each layer has, from a few thousand steps.
//
// A thin sweep goes over the layers in their order, like a sweep, but expands only a few states in each part
// of the progress values, chosen at random: the more of a part it has met, the less likely it is to expand
// another one. So it comes to the end with few steps, however large the layers are. It is made several times
// with different choices. How many states there are is then guessed from how often the same one was found, as
// in the counting of animals that are caught, marked and caught again: where no state was found twice there
// are many more, where all were found each time there are no others.
//
//   A. Chao: Estimating the Population Size for Capture-Recapture Data with Unequal Catchability, 1987.
//
// The guess is low, because a state that many transitions lead to is found more often than others.
// forecast.hpp corrects that as the real sweep goes on. What it cannot correct is a thin sweep that is led
// astray: where most paths soon lead to the same few states and few to the many others, as in a long and
// narrow state space, it sees the few.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "graph/progress.hpp"
#include "search/sweep/forecast.hpp"
#include "store/hash.hpp"
#include "store/layer_table.hpp"

namespace tideline {

inline constexpr unsigned thin_sweeps = 3;
/// How many states were found once, twice, and so on.
using FoundTimes = std::array<std::uint64_t, thin_sweeps>;

/// Chao's estimate of how many there are.
double estimate_states(const FoundTimes& found);

/// The same for each layer: neighbouring layers are taken together until enough states were found to tell, and
/// what they seem to have is shared out by what was found in each.
std::vector<LayerEstimate> estimate_layers(const std::map<Progress, FoundTimes>& layers);

template <ProgressGraph G>
class Preview {
 public:
  /// `steps`: expansions of all thin sweeps together, about.
  Preview(G graph, std::uint64_t steps) : graph_(std::move(graph)), steps_(steps) {}

  /// Empty: no thin sweep came to the end.
  std::vector<LayerEstimate> layers() {
    if (!choose_parts()) return {};
    for (per_part_ = 10;; per_part_ *= 2) {
      layers_.clear();
      std::uint64_t expanded = 0, found = 0;
      for (unsigned sweep = 1; sweep <= thin_sweeps; ++sweep) {
        thin_sweep(sweep, steps_);
        expanded += expanded_;
      }
      for (const auto& [progress, layer] : layers_) found += layer.table.size();
      if (2 * expanded > steps_ || expanded == found * thin_sweeps || per_part_ > steps_)
        return estimate_layers(counts());
    }
  }

 private:
  struct FoundLayer {
    LayerTable table;
    std::vector<StateId> waiting = {};
  };
  /// Beside every state: how often it was found, and in which thin sweep the last time.
  static constexpr std::size_t times = 0, last_sweep = 1, extra_bytes = 2;
  static constexpr std::size_t most_parts = 100;
  static constexpr std::uint64_t most_found = 16;  ///< states for each expansion: they take memory

  /// Parts are ranges of progress values with the same upper bits. Few enough of them that a thin sweep with
  /// one state in each comes to the end.
  bool choose_parts() {
    std::set<Progress> parts;
    for (shift_ = 0; shift_ < 64; shift_ += 6) {
      layers_.clear();
      per_part_ = 1;
      if (!thin_sweep(1, steps_ / 8)) continue;
      for (const auto& [progress, layer] : layers_) parts.insert(progress >> shift_);
      for (; parts.size() > most_parts; ++shift_) {
        std::set<Progress> halves;
        for (const Progress part : parts) halves.insert(part >> 1);
        parts = std::move(halves);
      }
      return true;
    }
    return false;
  }

  /// False: it had no end after so many expansions.
  bool thin_sweep(unsigned sweep, std::uint64_t most) {
    due_.clear();
    expanded_ = found_ = 0;
    graph_.initial([&](const std::byte* state) { find(state, graph_.progress(state), sweep); });
    std::uint64_t met = 0;
    Progress part = 0;
    while (!due_.empty()) {
      const Progress line = *due_.begin();
      if (line >> shift_ != part) met = 0;
      part = line >> shift_;
      FoundLayer& layer = layers_.at(line);
      for (std::size_t i = 0; i < layer.waiting.size(); ++i) {
        if (random_() % ++met >= per_part_) continue;
        if (++expanded_ > most || found_ > most_found * most) {
          for (const Progress progress : due_) layers_.at(progress).waiting.clear();
          return false;
        }
        graph_.successors(layer.table.record(layer.waiting[i]), [&](const Step& step) {
          if (!step.state) return;
          if (const Progress progress = graph_.progress(step.state); progress >= line)
            find(step.state, progress, sweep);
        });
      }
      layer.waiting.clear();
      due_.erase(line);
    }
    return true;
  }

  void find(const std::byte* state, Progress progress, unsigned sweep) {
    const std::size_t bytes = graph_.state_size();
    FoundLayer& layer =
        layers_.try_emplace(progress, FoundLayer{.table = LayerTable(pool_, bytes)}).first->second;
    const StateId id = layer.table.insert(state, StateHash{}(state, bytes)).id;
    std::byte* const extra = layer.table.extra(id);
    if (extra[last_sweep] == std::byte(sweep)) return;
    extra[last_sweep] = std::byte(sweep);
    extra[times] = std::byte(std::to_integer<unsigned>(extra[times]) + 1);
    layer.waiting.push_back(id);
    ++found_;
    due_.insert(progress);
  }

  std::map<Progress, FoundTimes> counts() const {
    std::map<Progress, FoundTimes> result;
    for (const auto& [progress, layer] : layers_)
      for (StateId id = 0; id < layer.table.size(); ++id)
        ++result[progress][std::to_integer<unsigned>(layer.table.extra(id)[times]) - 1];
    return result;
  }

  G graph_;
  std::uint64_t steps_;
  unsigned shift_ = 0;
  std::uint64_t per_part_ = 1;              ///< states of a part that are certainly expanded
  std::uint64_t expanded_ = 0, found_ = 0;  ///< by the latest thin sweep
  RecordPool pool_{graph_.state_size() + extra_bytes};
  std::map<Progress, FoundLayer> layers_;
  std::set<Progress> due_;
  std::mt19937_64 random_{1};
};

}  // namespace tideline
