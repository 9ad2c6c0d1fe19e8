// What your type must have to be explored.
//
// Graph: packed states of a fixed size, and what can happen in them.
//
//   std::size_t state_size() const;              bytes of a state
//   void initial(sink);                          calls sink(const std::byte* state) for each initial state
//   void successors(const std::byte* state, sink);   calls sink(const tideline::Step&) for each step
//
// ProgressGraph: a graph that also says how far a state has come.
//
//   tideline::Progress progress(const std::byte* state);     a 64-bit number
//
// What must be true: equal states have equal bytes; successors() emits the same steps in the same order
// whenever it is called for the same state. Graphs are copied, and every thread uses a copy of its own.
//
// A Step has the number of an action (your own numbering, dense from 0), and the state it leads to. Sinks
// copy what they need: the state may be a local variable.
#pragma once

#include "graph/graph.hpp"
#include "graph/progress.hpp"
#include "model/step.hpp"
