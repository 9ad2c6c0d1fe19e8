// The product of a system with a property automaton.
//
// The property process watches: with every step of the system it takes one of its own, whose guard is read in
// the state *before* the system's step; where it has no enabled edge the product has no successor. Where the
// system is deadlocked the property moves alone, which is the same as the system stuttering for ever; such a
// step has the action `no_action`.
//
// A product state is the system's packed state followed by two bytes for the property's location; variables
// of the property process are slots of the system that no action of the system touches. Step::marks are the
// acceptance sets of the location a transition leaves and of the edge taken. A guard without a value or an
// effect that fails makes a step that ends in a model error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "exec/compiler.hpp"
#include "exec/predicate.hpp"
#include "graph/graph.hpp"
#include "graph/regions.hpp"
#include "model/scratch_state.hpp"

namespace tideline {

template <SystemGraph G>
class PropertyProduct {
 public:
  /// The property must outlive the product. Throws Error when it has more locations than fit.
  PropertyProduct(G graph, const PropertyProcess& property)
      : PropertyProduct(std::move(graph), property, regions_of(property)) {}
  PropertyProduct(G graph, const PropertyProcess& property, Regions regions)
      : graph_(std::move(graph)),
        initial_(static_cast<Location>(property.initial)),
        all_marks_(property.all_marks()),
        regions_(std::move(regions)),
        edges_of_(property.locations.size()),
        scratch_(state_size()) {
    if (property.locations.size() > std::numeric_limits<Location>::max())
      throw Error(ErrorKind::input, "the property automaton has more than 65535 states");
    for (LocationId l = 0; l < property.locations.size(); ++l) marks_of_.push_back(property.marks_of(l));
    bytecode::Compiler compiler(graph_.system(), graph_.layout(), chunk_);
    for (const PropertyProcess::Edge& edge : property.edges) {
      edges_of_[edge.from].push_back(
          {.to = static_cast<Location>(edge.to),
           .guard = static_cast<std::uint32_t>(guards_.size()),
           .effects = edge.effects.empty() ? no_effects : compiler.effects(edge.effects),
           .marks = marks_of_[edge.from] | edge.marks});
      guards_.emplace_back(graph_.system(), graph_.layout(), edge.guard);
    }
  }

  std::size_t state_size() const { return graph_.state_size() + sizeof(Location); }
  std::size_t system_state_size() const { return graph_.state_size(); }
  bool is_state(const std::byte* state) const {
    return is_state_of(graph_, state) && location(state) < edges_of_.size();
  }

  template <class Sink>
  void initial(Sink&& sink) {
    graph_.initial([&](const std::byte* state) { sink(compose(state, initial_)); });
  }

  template <class Sink>
  void successors(const std::byte* state, Sink&& sink) {
    collect_enabled(state);
    bool deadlocked = true;
    graph_.successors(state, [&](const Step& step) {
      deadlocked = false;
      move_property(state, step, sink);
    });
    if (deadlocked) move_property(state, {no_action, state}, sink);
  }

  /// For state-based acceptance: the state's location belongs to every set.
  bool accepting(const std::byte* state) const { return marks_of_[location(state)] == all_marks_; }
  std::uint32_t all_marks() const { return all_marks_; }
  Region region(const std::byte* state) const { return regions_.of[location(state)]; }
  bool weak() const { return regions_.weak; }

  LocationId location(const std::byte* state) const {
    Location location;
    std::memcpy(&location, state + graph_.state_size(), sizeof location);
    return location;
  }

 private:
  using Location = std::uint16_t;

  static constexpr std::uint32_t no_effects = ~std::uint32_t{0};
  struct Edge {
    Location to;
    std::uint32_t guard;    ///< among guards_
    std::uint32_t effects;  ///< in chunk_
    std::uint32_t marks;
  };
  struct EnabledEdge {
    Edge edge;
    ModelErrorKind guard_error;
  };

  const std::byte* compose(const std::byte* state, Location location) {
    std::memcpy(scratch_.data(), state, graph_.state_size());
    std::memcpy(scratch_.data() + graph_.state_size(), &location, sizeof location);
    return scratch_.data();
  }

  void collect_enabled(const std::byte* state) {
    enabled_.clear();
    for (const Edge& edge : edges_of_[location(state)]) {
      ModelErrorKind error = ModelErrorKind::none;
      const std::int64_t value = guards_[edge.guard].evaluate(state, error);
      if (value != 0 || error != ModelErrorKind::none) enabled_.push_back({edge, error});
    }
  }

  template <class Sink>
  void move_property(const std::byte* before, const Step& step, Sink&& sink) {
    for (const auto& [edge, guard_error] : enabled_) {
      Step joint = step;
      joint.marks = edge.marks;
      if (step.state) {
        joint.state = compose(step.state, edge.to);
        joint.error = guard_error;
        if (joint.error == ModelErrorKind::none && edge.effects != no_effects)
          joint.error = bytecode::run_effects(chunk_, edge.effects, before, scratch_.data());
        if (joint.error != ModelErrorKind::none) joint.state = nullptr;
      }
      sink(joint);
    }
  }

  G graph_;
  Location initial_;
  std::uint32_t all_marks_;
  Regions regions_;
  bytecode::Chunk chunk_;  ///< effects
  std::vector<Predicate> guards_;
  std::vector<std::vector<Edge>> edges_of_;
  std::vector<std::uint32_t> marks_of_;
  std::vector<EnabledEdge> enabled_;
  ScratchState scratch_;
};

}  // namespace tideline
