// The product of a graph with the property process that came with its model.
//
// The property process watches: with every step of the system it takes one of its own, whose guard is read in
// the state *before* the system's step; where it has no enabled edge the product has no successor. Where the
// system is deadlocked the property moves alone, which is the same as the system stuttering for ever.
//
// A product state is the system's packed state followed by two bytes for the property's location; variables
// of the property process are slots of the system that no action of the system touches. Step::marks are the
// acceptance sets of the location a transition leaves. A guard that has no value counts as false.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "exec/compiler.hpp"
#include "exec/interpreter.hpp"

namespace tideline {

class PropertyProduct {
 public:
  /// The graph's system must have a property process.
  explicit PropertyProduct(Interpreter graph)
      : graph_(std::move(graph)),
        property_(*graph_.program().system().property),
        edges_of_(property_.locations.size()),
        marks_of_(property_.locations.size()),
        scratch_(state_size()) {
    bytecode::Compiler compiler(graph_.program().system(), graph_.program().layout(), chunk_);
    for (const PropertyProcess::Edge& edge : property_.edges)
      edges_of_[edge.from].push_back(
          {static_cast<std::uint16_t>(edge.to), compiler.guard(edge.guard), compiler.effects(edge.effects)});
    for (std::size_t set = 0; set < property_.accepting.size(); ++set)
      for (LocationId location : property_.accepting[set]) marks_of_[location] |= std::uint32_t{1} << set;
  }

  std::size_t state_size() const { return graph_.state_size() + sizeof(std::uint16_t); }

  template <class Sink>
  void initial(Sink&& sink) {
    graph_.initial(
        [&](const std::byte* state) { sink(compose(state, static_cast<std::uint16_t>(property_.initial))); });
  }

  template <class Sink>
  void successors(const std::byte* state, Sink&& sink) {
    const std::uint16_t location = property_location(state);
    collect_enabled(state, location);
    bool deadlocked = true;
    graph_.successors(state, [&](const Step& step) {
      deadlocked = false;
      move_property(state, location, step, sink);
    });
    if (deadlocked) move_property(state, location, {no_action, state}, sink);
  }

  std::uint16_t property_location(const std::byte* state) const {
    std::uint16_t location;
    std::memcpy(&location, state + graph_.state_size(), sizeof location);
    return location;
  }

 private:
  struct Edge {
    std::uint16_t to;
    std::uint32_t guard;
    std::uint32_t effects;
  };

  const std::byte* compose(const std::byte* state, std::uint16_t location) {
    std::memcpy(scratch_.data(), state, graph_.state_size());
    std::memcpy(scratch_.data() + graph_.state_size(), &location, sizeof location);
    return scratch_.data();
  }

  void collect_enabled(const std::byte* state, std::uint16_t location) {
    enabled_.clear();
    for (const Edge& edge : edges_of_[location])
      if (const auto [value, error] = bytecode::run_guard(chunk_, edge.guard, state);
          value != 0 && error == ModelErrorKind::none)
        enabled_.push_back(&edge);
  }

  template <class Sink>
  void move_property(const std::byte* before, std::uint16_t location, const Step& step, Sink&& sink) {
    for (const Edge* edge : enabled_) {
      Step joint = step;
      joint.marks = marks_of_[location];
      if (step.state) {
        joint.state = compose(step.state, edge->to);
        joint.error = bytecode::run_effects(chunk_, edge->effects, before, scratch_.data());
        if (joint.error != ModelErrorKind::none) joint.state = nullptr;
      }
      sink(joint);
    }
  }

  Interpreter graph_;
  const PropertyProcess& property_;
  bytecode::Chunk chunk_;
  std::vector<std::vector<Edge>> edges_of_;
  std::vector<std::uint32_t> marks_of_;
  std::vector<const Edge*> enabled_;
  std::vector<std::byte> scratch_;
};

}  // namespace tideline
