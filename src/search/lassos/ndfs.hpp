// Nested depth-first search for accepting cycles (Büchi acceptance on states).
//
// The outer, blue search visits every state; when it leaves an accepting state for good, the inner, red
// search looks for a way from there back to the stack. A state is cyan while it is on the blue stack, blue
// when the blue search has left it, red when no accepting cycle can be reached through it any more. Each
// state is expanded at most twice.
//
//   C. Courcoubetis, M. Vardi, P. Wolper, M. Yannakakis: Memory-efficient algorithms for the verification of
//   temporal properties, 1992. With the early detection on the blue stack of S. Schwoon and J. Esparza: A
//   note on on-the-fly verification algorithms, 2005: an edge to a cyan state closes an accepting cycle when
//   either end is accepting, and a state all of whose successors are red is red without a search of its own.
//
//   blue(s): s cyan
//            for each successor t: t cyan and (s or t accepting): cycle
//                                  t white: blue(t)
//            all successors red: s red;  s accepting: red(s), s red;  else s blue
//   red(s):  for each successor t: t cyan: cycle;  t blue: t red, red(t)
//
// NestedVariant::classic does without both: only red searches close cycles, from every accepting state.
//
// Where the automaton is weak a cycle within a region is accepting wherever it closes, and the blue search
// meets every cycle closing on its stack: the red one has nothing to do.
//
// The red search relies on the post-order of the blue one, so the blue stack must be a true depth-first
// stack. One core; for automata with several acceptance sets or with acceptance on transitions use scc.hpp.
#pragma once

#include <cstdint>
#include <new>
#include <utility>

#include "graph/graph.hpp"
#include "search/core/successor_stack.hpp"
#include "search/lassos/lasso_search.hpp"
#include "store/paged_array.hpp"
#include "store/state_table.hpp"

namespace tideline {

enum class NestedVariant { improved, classic };

template <BuchiGraph G, StateTable Table>
class NestedDepthFirstSearch {
 public:
  NestedDepthFirstSearch(G graph, Table table, NestedVariant variant = NestedVariant::improved)
      : graph_(std::move(graph)),
        table_(std::move(table)),
        looks_early_(variant == NestedVariant::improved),
        blue_(graph_.state_size()),
        red_(graph_.state_size()) {}

  LassoResult run(Budget& budget) {
    try {
      blue_.open_frame({});
      graph_.initial([&](const std::byte* state) { push(blue_, {no_action, state}); });
      while (!blue_.empty() && !stopped_) advance_blue(budget);
      result_.end = found_ ? SearchEnd::satisfied : stopped_ ? SearchEnd::exhausted : SearchEnd::complete;
      result_.early = found_;
    } catch (const std::bad_alloc&) {
      budget.exhaust_memory();
    }
    result_.states = table_.size();
    return std::move(result_);
  }

  std::uint64_t memory_bytes() const {
    return table_.memory_bytes() + colours_.memory_bytes() + blue_.memory_bytes() + red_.memory_bytes();
  }

 private:
  enum class Colour : std::uint8_t { cyan, blue, red };

  struct BlueTag {
    StateId state = no_state;  // no_state: the frame of the initial states
    bool accepting = false;
    bool all_red = true;
  };
  struct RedTag {};

  template <class Stack>
  void push(Stack& stack, const Step& step) {
    stack.push(step);
    table_.prefetch_index(table_.hash(step.state));
  }

  template <class Stack>
  void expand(Stack& stack, const std::byte* state, Budget& budget) {
    ++result_.expansions;
    graph_.successors(state, [&](const Step& step) {
      ++result_.transitions;
      if (pace_.is_due()) poll(budget);
      if (stopped_) return;
      if (step.state)
        push(stack, step);
      else
        result_.model_errors = true;
    });
  }

  void advance_blue(Budget& budget) {
    if (!blue_.has_next()) {
      leave(budget);
      return;
    }
    const std::byte* const state = blue_.take().state;
    const auto [id, inserted] = table_.insert(state, table_.hash(state));
    if (id == no_state) {
      budget.exhaust(full_table_reason(table_.size()));
      stopped_ = true;
    } else if (inserted) {
      colours_.push_back(Colour::cyan);
      blue_.open_frame({id, graph_.accepting(state), true});
      expand(blue_, state, budget);
    } else if (closes_early(id, state)) {
      report(id);
    } else if (colours_[id] != Colour::red) {
      blue_.tag().all_red = false;
    }
  }

  bool closes_early(StateId id, const std::byte* state) {
    return (looks_early_ || graph_.weak()) && colours_[id] == Colour::cyan &&
           (blue_.tag().accepting || graph_.accepting(state));
  }

  /// The blue search has seen everything below the topmost state.
  void leave(Budget& budget) {
    BlueTag done = blue_.tag();
    done.all_red = done.all_red && looks_early_;
    if (done.state != no_state) {
      if (!done.all_red && done.accepting && !graph_.weak()) {
        search_red(done.state, budget);
        if (stopped_) return;
      }
      colours_[done.state] = done.all_red || done.accepting ? Colour::red : Colour::blue;
    }
    blue_.close_frame();
    if (done.state != no_state && colours_[done.state] != Colour::red) blue_.tag().all_red = false;
  }

  void search_red(StateId seed, Budget& budget) {
    red_.open_frame({});
    expand(red_, table_.state(seed), budget);
    while (!red_.empty() && !stopped_) {
      if (!red_.has_next()) {
        red_.close_frame();
        continue;
      }
      const std::byte* const state = red_.take().state;
      // Everything below a state that blue has left is in the table.
      const StateId id = table_.find(state, table_.hash(state));
      if (colours_[id] == Colour::cyan) {
        report(id);
      } else if (colours_[id] == Colour::blue) {
        colours_[id] = Colour::red;
        red_.open_frame({});
        expand(red_, state, budget);
      }
    }
  }

  /// The transition last taken, by the red search if it is under way, leads to `target` on the blue stack:
  /// that closes the cycle.
  void report(StateId target) {
    Path path;
    if (red_.empty()) {
      blue_.append_run(path);
    } else {
      blue_.append_run(path, blue_.depth() - 1);
      red_.append_run(path);
    }
    path.states.pop_back();  // `target` again
    std::size_t position = 0;
    while (blue_.tag(position + 1).state != target) ++position;
    path.loop = position;
    result_.lasso = std::move(path);
    stopped_ = found_ = true;
  }

  void poll(Budget& budget) {
    if (budget.exhausted(blue_.status(table_.size(), result_.transitions))) stopped_ = true;
  }

  G graph_;
  Table table_;
  bool looks_early_;
  PagedVector<Colour> colours_;  // by state
  SuccessorStack<BlueTag> blue_;
  SuccessorStack<RedTag> red_;
  LassoResult result_;
  Pace pace_;
  bool stopped_ = false;
  bool found_ = false;
};

}  // namespace tideline
