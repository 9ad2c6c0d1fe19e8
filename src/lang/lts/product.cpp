#include "lang/lts/product.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace tideline::lts {

namespace {

using Transitions = std::span<const Transition>;

class ProductBuilder {
 public:
  ProductBuilder(std::span<const Lts* const> components, const std::vector<SyncVector>& vectors,
                 const Labels& labels, const ProductLimits& limits)
      : components_(components), limits_(limits), states_(16, Hash{*this}, Equal{*this}) {
    for (const Lts* lts : components_) {
      auto& first = first_.emplace_back(lts->states + std::size_t{1}, lts->transitions.size());
      for (std::size_t t = lts->transitions.size(); t-- > 0;) first[lts->transitions[t].from] = t;
      for (StateId s = lts->states; s-- > 0;) first[s] = std::min(first[s], first[s + 1]);
      by_first_part_.emplace_back(lts->labels.size());
    }
    for (const SyncVector& vector : vectors) {
      const LabelId label = vector.label == internal_label
                                ? internal_label
                                : result_.lts.labels.intern(labels.name(vector.label));
      const Part& part = vector.parts.front();
      by_first_part_[part.component][part.label].push_back({&vector, label});
    }
  }

  Product run() {
    for (const Lts* lts : components_) values_.push_back(lts->initial);
    states_.insert(0);
    for (from_ = 0; from_ < states_.size() && result_.exceeded.empty(); ++from_) expand();
    result_.lts.states = static_cast<std::uint32_t>(states_.size());
    result_.lts.normalise();
    return std::move(result_);
  }

 private:
  struct Hash {
    const ProductBuilder& builder;
    std::size_t operator()(StateId s) const {
      std::uint64_t hash = 0;
      for (const StateId value : builder.tuple(s)) hash = (hash ^ value) * 0x9E3779B97F4A7C15U + (hash >> 29);
      return hash;
    }
  };
  struct Equal {
    const ProductBuilder& builder;
    bool operator()(StateId a, StateId b) const {
      return std::ranges::equal(builder.tuple(a), builder.tuple(b));
    }
  };
  struct LabelledVector {
    const SyncVector* vector;
    LabelId label;  ///< of the result
  };

  std::span<const StateId> tuple(StateId s) const {
    return std::span(values_).subspan(s * components_.size(), components_.size());
  }

  /// What a component can do in the state being expanded.
  Transitions moves(ComponentId component) const {
    const StateId here = tuple(from_)[component];
    const auto& first = first_[component];
    return Transitions(components_[component]->transitions)
        .subspan(first[here], first[here + 1] - first[here]);
  }
  Transitions moves(const Part& part) const {
    const Transitions all = moves(part.component);
    const auto begin = std::ranges::lower_bound(all, part.label, {}, &Transition::label);
    const auto end = std::ranges::upper_bound(all, part.label, {}, &Transition::label);
    return {begin, end};
  }

  void expand() {
    for (ComponentId c = 0; c < components_.size(); ++c) {
      LabelId last = ~LabelId{0};
      for (const Transition& t : moves(c)) {
        if (t.label == last) continue;
        last = t.label;
        for (const LabelledVector& v : by_first_part_[c][t.label]) {
          if (++tries_ > limits_.tries) return exceed("combinations of local transitions", limits_.tries);
          take(v);
          if (!result_.exceeded.empty()) return;
        }
      }
    }
  }

  /// All steps of the vector from the state being expanded.
  void take(const LabelledVector& v) {
    std::vector<Transitions> ways;
    for (const Part& part : v.vector->parts) {
      ways.push_back(moves(part));
      if (ways.back().empty()) return;
    }
    std::vector<std::size_t> choice(ways.size(), 0);
    for (;;) {
      // The new state lies after the last one until it is known whether it is already there.
      const auto next = static_cast<StateId>(states_.size());
      for (std::size_t i = 0; i < components_.size(); ++i)
        values_.push_back(values_[from_ * components_.size() + i]);
      for (std::size_t i = 0; i < ways.size(); ++i)
        values_[next * components_.size() + v.vector->parts[i].component] = ways[i][choice[i]].to;
      const auto [found, fresh] = states_.insert(next);
      if (!fresh) values_.resize(values_.size() - components_.size());
      if (states_.size() > limits_.states) return exceed("states", limits_.states);
      result_.lts.transitions.push_back({from_, v.label, *found});
      if (result_.lts.transitions.size() > limits_.transitions)
        return exceed("transitions", limits_.transitions);
      std::size_t i = 0;
      while (i < ways.size() && ++choice[i] == ways[i].size()) choice[i++] = 0;
      if (i == ways.size()) return;
    }
  }

  void exceed(std::string_view what, std::uint64_t limit) {
    result_.exceeded = what;
    result_.limit = limit;
  }

  std::span<const Lts* const> components_;
  ProductLimits limits_;
  std::vector<std::vector<std::size_t>> first_;  ///< transition of each state of each component
  std::vector<std::vector<std::vector<LabelledVector>>> by_first_part_;  ///< by component and label
  std::vector<StateId> values_;                                          ///< the tuples of all states
  std::unordered_set<StateId, Hash, Equal> states_;
  StateId from_ = 0;
  std::uint64_t tries_ = 0;
  Product result_;
};

}  // namespace

Product product(std::span<const Lts* const> components, const std::vector<SyncVector>& vectors,
                const Labels& labels, const ProductLimits& limits) {
  return ProductBuilder(components, vectors, labels, limits).run();
}

}  // namespace tideline::lts
