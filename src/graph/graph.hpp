// The Graph concept: stepping, and nothing else.
//
// A graph hands out packed states of a fixed size. Algorithms are written against this concept and do not
// depend on what is underneath: an interpreted System, a product with an automaton, a reduction, or a user's
// own type.
//
//   g.state_size()             bytes of a state
//   g.initial(sink)            sink(const std::byte* state) for every initial state
//   g.successors(state, sink)  sink(const Step&) for every enabled action, in a fixed order
//
// A reduction is a graph whose successors() leaves out steps that are not needed; it also has
//
//   g.rest(state, sink)        the steps that successors() left out, of the same state, directly after it
//
// Searches need not know: what may be left out round a cycle is decided in the graph (reduce/order.hpp).
//
// A graph whose searches can be saved says what may be read back:
//
//   g.is_state(state)          whether these bytes are a state that it can step from
//
// The pointer given to a sink is valid only during the call. A graph may keep scratch memory, so one object
// serves one thread.
#pragma once

#include <concepts>
#include <cstddef>

#include "model/layout.hpp"
#include "model/step.hpp"
#include "model/system.hpp"

namespace tideline {

namespace detail {
struct StateSink {
  void operator()(const std::byte*) const {}
};
struct StepSink {
  void operator()(const Step&) const {}
};
}  // namespace detail

template <class G>
concept Graph = requires(G& graph, const std::byte* state) {
  { graph.state_size() } -> std::convertible_to<std::size_t>;
  graph.initial(detail::StateSink{});
  graph.successors(state, detail::StepSink{});
};

template <class G>
concept PartialGraph = Graph<G> && requires(G& graph, const std::byte* state) {
  graph.rest(state, detail::StepSink{});
};

/// Whether bytes that come from elsewhere are a state; a graph that does not say so trusts them.
template <Graph G>
bool is_state_of(const G& graph, const std::byte* state) {
  if constexpr (requires { graph.is_state(state); })
    return graph.is_state(state);
  else if constexpr (requires { graph.layout().is_state(state); })
    return graph.layout().is_state(state);
  else
    return true;
}

/// A graph whose states are those of a System, packed by its layout: products can be built on it.
template <class G>
concept SystemGraph = Graph<G> && requires(const G& graph) {
  { graph.system() } -> std::convertible_to<const System&>;
  { graph.layout() } -> std::convertible_to<const Layout&>;
};

}  // namespace tideline
