#include "lang/lts/bisimulation.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace tideline::lts {

namespace {

using Index = std::uint32_t;
constexpr Index none = ~Index{0};

/// The states as disjoint blocks that can be split by marking members.
class Blocks {
 public:
  /// `block` of each state; blocks are numbered without gaps.
  explicit Blocks(std::vector<Index> block, Index count) : block_of_(std::move(block)), ranges_(count) {
    for (const Index b : block_of_) ++ranges_[b].end;
    Index at = 0;
    for (Range& range : ranges_) {
      range.begin = at;
      at += std::exchange(range.end, at);
    }
    elements_.resize(block_of_.size());
    place_.resize(block_of_.size());
    for (StateId s = 0; s < block_of_.size(); ++s) put(s, ranges_[block_of_[s]].end++);
  }

  Index size() const { return static_cast<Index>(ranges_.size()); }
  Index block_of(StateId s) const { return block_of_[s]; }
  const std::vector<Index>& all() const { return block_of_; }
  Index size_of(Index block) const { return ranges_[block].end - ranges_[block].begin; }
  std::vector<StateId> members(Index block) const {
    return {elements_.begin() + ranges_[block].begin, elements_.begin() + ranges_[block].end};
  }

  void mark(StateId s) {
    Range& range = ranges_[block_of_[s]];
    if (range.marked == 0) touched_.push_back(block_of_[s]);
    const Index to = range.begin + range.marked;
    if (place_[s] < to) return;
    const StateId other = elements_[to];
    put(other, place_[s]);
    put(s, to);
    ++range.marked;
  }

  /// Separates marked from unmarked members; split(block, new block) for every block that has both.
  template <class Split>
  void split_marked(Split&& split) {
    for (const Index block : touched_) {
      Range& range = ranges_[block];
      const Index marked = std::exchange(range.marked, 0);
      if (marked == range.end - range.begin) continue;
      const Index fresh = size();
      const Range part{range.begin, range.begin + marked, 0};
      range.begin += marked;
      ranges_.push_back(part);
      for (Index i = part.begin; i < part.end; ++i) block_of_[elements_[i]] = fresh;
      split(block, fresh);
    }
    touched_.clear();
  }

 private:
  struct Range {
    Index begin = 0;
    Index end = 0;
    Index marked = 0;  ///< members at the front that are marked
  };

  void put(StateId s, Index place) {
    elements_[place] = s;
    place_[s] = place;
  }

  std::vector<StateId> elements_;
  std::vector<Index> place_;
  std::vector<Index> block_of_;
  std::vector<Range> ranges_;
  std::vector<Index> touched_;
};

/// States are in one block when the same labels are enabled: stable with respect to all states as one block.
Blocks by_enabled_labels(const Lts& lts) {
  std::vector<std::vector<LabelId>> enabled(lts.states);
  for (const Transition& t : lts.transitions)
    if (enabled[t.from].empty() || enabled[t.from].back() != t.label) enabled[t.from].push_back(t.label);
  std::map<std::vector<LabelId>, Index> numbers;
  std::vector<Index> block;
  block.reserve(lts.states);
  for (auto& labels : enabled)
    block.push_back(numbers.emplace(std::move(labels), static_cast<Index>(numbers.size())).first->second);
  return Blocks(std::move(block), static_cast<Index>(numbers.size()));
}

class Refinement {
 public:
  explicit Refinement(const Lts& lts)
      : lts_(lts), blocks_(by_enabled_labels(lts)), fresh_count_(lts.states, none) {
    index_incoming();
    first_counts();
    superblock_of_.assign(blocks_.size(), 0);
    superblocks_.emplace_back();
    for (Index b = 0; b < blocks_.size(); ++b) superblocks_[0].push_back(b);
    if (blocks_.size() > 1) compound_.push_back(0);
  }

  std::vector<Index> run() {
    while (!compound_.empty()) {
      const Index whole = compound_.back();
      std::vector<Index>& parts = superblocks_[whole];
      // Of two blocks the smaller one has at most half of the states of the superblock.
      if (blocks_.size_of(parts[parts.size() - 2]) < blocks_.size_of(parts.back()))
        std::swap(parts[parts.size() - 2], parts.back());
      const Index splitter = parts.back();
      parts.pop_back();
      if (parts.size() == 1) compound_.pop_back();
      superblock_of_[splitter] = static_cast<Index>(superblocks_.size());
      superblocks_.push_back({splitter});
      split_by(splitter);
    }
    return blocks_.all();
  }

 private:
  void index_incoming() {
    first_incoming_.assign(lts_.states + std::size_t{1}, 0);
    for (const Transition& t : lts_.transitions) ++first_incoming_[t.to + std::size_t{1}];
    for (std::size_t s = 0; s < lts_.states; ++s) first_incoming_[s + 1] += first_incoming_[s];
    incoming_.resize(lts_.transitions.size());
    auto next = first_incoming_;
    for (Index t = 0; t < lts_.transitions.size(); ++t) incoming_[next[lts_.transitions[t].to]++] = t;
  }

  /// One count per state and label: the transitions into the only superblock at the start.
  void first_counts() {
    const auto& all = lts_.transitions;
    for (Index t = 0; t < all.size(); ++t) {
      if (t == 0 || all[t].from != all[t - 1].from || all[t].label != all[t - 1].label) counts_.push_back(0);
      ++counts_.back();
      count_of_.push_back(static_cast<Index>(counts_.size() - 1));
    }
  }

  void split_by(Index splitter) {
    std::vector<Index> arriving;
    for (const StateId s : blocks_.members(splitter))
      arriving.insert(arriving.end(), incoming_.begin() + first_incoming_[s],
                      incoming_.begin() + first_incoming_[s + std::size_t{1}]);
    std::sort(arriving.begin(), arriving.end(),
              [&](Index a, Index b) { return lts_.transitions[a].label < lts_.transitions[b].label; });
    for (auto group = arriving.begin(); group != arriving.end();) {
      const LabelId label = lts_.transitions[*group].label;
      const auto end =
          std::find_if(group, arriving.end(), [&](Index t) { return lts_.transitions[t].label != label; });
      split_by({group, end});
      group = end;
    }
  }

  /// All transitions of one label into the splitter.
  void split_by(const std::vector<Index>& arriving) {
    for (const Index t : arriving) {
      const StateId from = lts_.transitions[t].from;
      if (fresh_count_[from] == none) {
        fresh_count_[from] = static_cast<Index>(counts_.size());
        counts_.push_back(0);
      }
      ++counts_[fresh_count_[from]];
      blocks_.mark(from);
    }
    separate();
    // Of the states that go to the splitter, those that go nowhere else in the superblock it was taken from.
    for (const Index t : arriving) {
      const StateId from = lts_.transitions[t].from;
      if (counts_[fresh_count_[from]] == counts_[count_of_[t]]) blocks_.mark(from);
    }
    separate();
    for (const Index t : arriving) {
      --counts_[count_of_[t]];
      count_of_[t] = fresh_count_[lts_.transitions[t].from];
    }
    for (const Index t : arriving) fresh_count_[lts_.transitions[t].from] = none;
  }

  void separate() {
    blocks_.split_marked([&](Index block, Index fresh) {
      const Index whole = superblock_of_[block];
      superblock_of_.push_back(whole);
      superblocks_[whole].push_back(fresh);
      if (superblocks_[whole].size() == 2) compound_.push_back(whole);
    });
  }

  const Lts& lts_;
  Blocks blocks_;
  std::vector<std::size_t> first_incoming_;
  std::vector<Index> incoming_;       ///< transitions by their target
  std::vector<Index> counts_;         ///< transitions of a state with a label into a superblock
  std::vector<Index> count_of_;       ///< of each transition, the count it is part of
  std::vector<Index> fresh_count_;    ///< of each state, its count for the splitter
  std::vector<Index> superblock_of_;  ///< of each block
  std::vector<std::vector<Index>> superblocks_;
  std::vector<Index> compound_;  ///< superblocks of two or more blocks
};

}  // namespace

Quotient minimise(const Lts& lts) {
  const std::vector<Index> blocks = Refinement(lts).run();
  Quotient quotient;
  std::vector<StateId> number(blocks.size(), none);
  StateId count = 0;
  for (const Index block : blocks) {
    if (number[block] == none) number[block] = count++;
    quotient.class_of.push_back(number[block]);
  }
  quotient.lts.states = count;
  quotient.lts.initial = quotient.class_of[lts.initial];
  quotient.lts.labels = lts.labels;
  for (const Transition& t : lts.transitions)
    quotient.lts.transitions.push_back({quotient.class_of[t.from], t.label, quotient.class_of[t.to], t.line});
  quotient.lts.normalise();
  return quotient;
}

}  // namespace tideline::lts
