// The run that goes with a verdict on a CTL formula, found in the layers that a sweep over a monotone measure
// has written and the values that the evaluation has.
//
// A run never comes back to a layer it has left. So it is looked for layer by layer: within one, the shortest
// path to where it must end, or to a transition to a later layer from which it can continue. Memory holds the
// current layer and the values of those it leads to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "run/budget.hpp"
#include "search/ctl/backward.hpp"

namespace tideline {

/// See run/ctl_claims.hpp.
class CtlLayerWalk {
 public:
  using NodeId = CtlFormula::NodeId;
  /// Number of the step that is taken, among those without a model error; `repeat` in a deadlock.
  static constexpr std::uint32_t repeat = ~std::uint32_t{0};

  /// From an initial state on.
  CtlLayerWalk(WrittenLayers& layers, RecordFile& labels, const std::vector<CtlQuestion>& questions,
               std::size_t question, CtlPlace start, Budget& budget);

  bool is(NodeId node, bool value) const { return sets_.is(node, node_, value); }
  std::size_t length() const { return steps_.size() + 1; }
  bool can_follow(NodeId) const { return true; }
  bool stopped() const { return stopped_; }
  void go_next(NodeId f);
  void go_until(NodeId node);
  void go_on_always(NodeId node);

  const std::vector<std::uint32_t>& steps() const { return steps_; }
  /// The last step returns to the state with this index.
  std::optional<std::size_t> loop() const { return loop_; }

 private:
  /// How the search within a layer came to a node.
  struct Arrival {
    std::uint32_t from;
    std::uint32_t step;
  };

  const CtlFormula& formula() const { return *questions_[question_].formula; }
  void load(std::uint64_t record);
  CtlLayerSets labels_of(std::uint64_t record, std::uint32_t states) const;
  bool is_true(const CtlLayer::Edge& edge, NodeId node);
  template <class Allowed, class Ends, class Leaves>
  bool go_within_layer(const Allowed& allowed, const Ends& ends, const Leaves& leaves);
  void follow_back(std::uint32_t node, const std::unordered_map<std::uint32_t, Arrival>& arrivals);
  void take(CtlLayer::Edge edge, std::uint32_t step);
  std::vector<std::uint32_t> sccs_within(const BitSet& inside);
  void go_round(const std::vector<std::uint32_t>& scc);
  bool go_on();

  WrittenLayers& layers_;
  RecordFile& labels_;
  const std::vector<CtlQuestion>& questions_;
  std::size_t question_;
  Budget& budget_;
  CtlLayer layer_;
  CtlLayerSets sets_;
  std::uint32_t node_ = 0;
  std::unordered_map<std::uint32_t, CtlLayerSets> later_;  // by number of a layer
  std::vector<std::uint32_t> steps_;
  std::optional<std::size_t> loop_;
  std::uint64_t looked_at_ = 0;
  bool stopped_ = false;
};

}  // namespace tideline
