#include "progress/simulate.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "progress/ranked.hpp"
#include "store/memory.hpp"

namespace tideline {

namespace {

/// A set of layer numbers with queries for the next element; a second level skips long gaps.
class LayerSet {
 public:
  explicit LayerSet(std::uint32_t count) : words_(count / 64 + 1), blocks_(words_.size() / 64 + 1) {}

  void add(std::uint32_t layer) {
    words_[layer / 64] |= std::uint64_t{1} << layer % 64;
    blocks_[layer / 4096] |= std::uint64_t{1} << layer / 64 % 64;
  }
  void remove(std::uint32_t layer) {
    words_[layer / 64] &= ~(std::uint64_t{1} << layer % 64);
    if (words_[layer / 64] == 0) blocks_[layer / 4096] &= ~(std::uint64_t{1} << layer / 64 % 64);
  }
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  /// The smallest element from `from` on.
  std::uint32_t next(std::uint32_t from) const {
    if (const std::uint64_t rest = words_[from / 64] >> from % 64)
      return from + static_cast<std::uint32_t>(std::countr_zero(rest));
    std::uint32_t word = from / 64 + 1;
    for (std::size_t block = word / 64; block < blocks_.size();
         word = static_cast<std::uint32_t>(++block * 64)) {
      if (const std::uint64_t rest = blocks_[block] >> word % 64) {
        word += static_cast<std::uint32_t>(std::countr_zero(rest));
        return word * 64 + static_cast<std::uint32_t>(std::countr_zero(words_[word]));
      }
    }
    return none;
  }

 private:
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> blocks_;
};

/// The cost is that of fetching states from memory in no particular order, so everything about one
/// state lies together.
class Simulation {
 public:
  Simulation(const Sample& sample, const Layering& layering, bool recalls, const GiveUp& give_up)
      : sample_(sample),
        layering_(layering),
        give_up_(give_up),
        status_(sample.states(), absent),
        nodes_(sample.states() + 1),
        head_(layering.count, end_of_list),
        waiting_(layering.count),
        known_(recalls ? sample.states() : 0),
        passed_(recalls ? layering.count : 0) {
    for (std::size_t state = 0; state < sample.states(); ++state)
      nodes_[state] = {layering.layer[state], end_of_list, sample.first_edge[state]};
    nodes_.back().first_edge = sample.edges();
  }

  SimulatedSweep run() {
    for (const std::uint32_t state : sample_.initial)
      if (status_[state] == absent) {
        status_[state] = live;
        ++stored_;
        enqueue(state);
      }
    figures_.sweeps = 1;
    std::uint32_t layer = waiting_.next(0);
    while (layer != LayerSet::none && !figures_.abandoned) {
      expand_layer(layer);
      waiting_.remove(layer);
      figures_.abandoned = give_up_ && give_up_(figures_);
      layer = layer_after(layer);
    }
    figures_.mean_stored =
        static_cast<double>(total_stored_) / static_cast<double>(std::max<std::uint64_t>(figures_.visits, 1));
    return figures_;
  }

 private:
  enum Status : std::uint8_t { absent, live, kept };
  static constexpr std::uint32_t end_of_list = ~std::uint32_t{0};

  struct Node {
    std::uint32_t layer = 0;
    std::uint32_t next = end_of_list;  ///< in the list of those that wait in its layer
    std::uint64_t first_edge = 0;
  };

  std::span<const std::uint32_t> targets_of(std::uint32_t state) const {
    return {sample_.targets.data() + nodes_[state].first_edge,
            sample_.targets.data() + nodes_[state + 1].first_edge};
  }

  void enqueue(std::uint32_t state) {
    Node& node = nodes_[state];
    node.next = std::exchange(head_[node.layer], state);
    if (node.next == end_of_list) waiting_.add(node.layer);
  }

  /// The next one of this sweep, else the first one of the next sweep of the column, else of the next column.
  std::uint32_t layer_after(std::uint32_t layer) {
    const std::uint32_t next = waiting_.next(layer);
    if (next != LayerSet::none && layering_.column_of(next) == layering_.column_of(layer)) return next;
    if (roots_.empty()) {
      for (const std::uint32_t state : kept_) status_[state] = absent;
      stored_ -= kept_.size();
      kept_.clear();
      return next;
    }
    ++figures_.sweeps;
    for (const std::uint32_t state : roots_) enqueue(state);
    if (passed_.empty()) kept_.insert(kept_.end(), roots_.begin(), roots_.end());
    roots_.clear();
    return waiting_.next(0);
  }

  /// What waits and was not expanded before. The others are among those that come back into memory.
  std::uint32_t without_known(std::uint32_t top, std::uint64_t& recalled) {
    figures_.recalls += recalled;
    std::uint32_t rest = end_of_list;
    while (top != end_of_list) {
      const std::uint32_t state = std::exchange(top, nodes_[top].next);
      if (!known_[state]) {
        nodes_[state].next = std::exchange(rest, state);
        continue;
      }
      status_[state] = absent;
      --stored_;
    }
    return rest;
  }

  /// Until the layer is done states are only added, so the peak is reached then.
  void expand_layer(std::uint32_t layer) {
    done_.clear();
    const std::size_t old_roots = roots_.size();
    std::uint32_t top = std::exchange(head_[layer], end_of_list);  // of those that wait in this layer
    std::uint64_t recalled = passed_.empty() ? 0 : passed_[layer];
    if (recalled != 0) top = without_known(top, recalled);
    std::uint64_t stored = stored_ + recalled;
    while (top != end_of_list) {
      const std::uint32_t state = top;
      top = nodes_[state].next;
      done_.push_back(state);
      total_stored_ += stored;
      for (const std::uint32_t target : targets_of(state)) {
        if (status_[target] != absent) continue;
        Node& node = nodes_[target];
        if (recalled != 0 && node.layer == layer && known_[target]) continue;
        ++stored;
        status_[target] = node.layer < layer ? kept : live;
        prefetch_line(&sample_.targets[node.first_edge]);
        if (node.layer == layer)
          node.next = std::exchange(top, target);
        else if (node.layer > layer)
          enqueue(target);
        else
          roots_.push_back(target);
      }
    }
    figures_.visits += done_.size();
    figures_.persistent += roots_.size() - old_roots;
    figures_.peak = std::max(figures_.peak, stored);
    stored -= recalled;
    if (!passed_.empty()) {
      passed_[layer] += done_.size();
      for (const std::uint32_t state : done_) known_[state] = 1;
    }
    for (const std::uint32_t state : done_) {
      const bool stays = status_[state] == kept && passed_.empty();
      stored -= stays ? 0 : 1;
      status_[state] = stays ? kept : absent;
    }
    stored_ = stored;
  }

  const Sample& sample_;
  const Layering& layering_;
  const GiveUp& give_up_;
  std::vector<Status> status_;
  std::vector<Node> nodes_;  ///< by state, and one more
  std::vector<std::uint32_t> head_;
  LayerSet waiting_;
  std::vector<std::uint8_t> known_;    ///< by state: it was expanded; empty: that is not kept
  std::vector<std::uint64_t> passed_;  ///< by layer: states that were expanded
  std::vector<std::uint32_t> roots_, kept_, done_;
  std::uint64_t stored_ = 0, total_stored_ = 0;
  SimulatedSweep figures_;
};

}  // namespace

SimulatedSweep simulate_sweep(const Sample& sample, const Layering& layering, const GiveUp& give_up,
                              bool recalls) {
  return Simulation(sample, layering, recalls, give_up).run();
}

Layering refine(const Layering& layering, std::span<const std::uint32_t> ranks, std::uint32_t rank_count) {
  // Pairs are numbered by what is there: by a table of all pairs when that is not much larger than the
  // sample, else by hashes.
  Layering result;
  const std::size_t states = layering.layer.size();
  const std::uint64_t pairs = std::uint64_t{layering.count} * rank_count;
  const auto pair = [&](std::size_t state) {
    return std::uint64_t{layering.layer[state]} * rank_count + ranks[state];
  };
  result.layer.resize(states);
  if (pairs <= 8 * states + 4096) {
    std::vector<std::uint32_t> number(pairs);
    for (std::size_t state = 0; state < states; ++state) number[pair(state)] = 1;
    for (std::size_t p = 0; p < pairs; ++p) {
      if (number[p] == 0) continue;
      number[p] = result.count++;
      if (!layering.column.empty()) result.column.push_back(layering.column[p / rank_count]);
    }
    for (std::size_t state = 0; state < states; ++state) result.layer[state] = number[pair(state)];
    return result;
  }
  std::vector<std::uint64_t> of_states(states);
  for (std::size_t state = 0; state < states; ++state) of_states[state] = pair(state);
  auto [layers, present] = ranked(of_states);
  result.layer = std::move(layers);
  result.count = static_cast<std::uint32_t>(present.size());
  if (!layering.column.empty())
    for (const std::uint64_t p : present) result.column.push_back(layering.column[p / rank_count]);
  return result;
}

Layering with_columns(Layering layering) {
  layering.column.resize(layering.count);
  std::iota(layering.column.begin(), layering.column.end(), 0u);
  return layering;
}

}  // namespace tideline
