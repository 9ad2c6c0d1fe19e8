#include "search/ctl_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "graph/components.hpp"

namespace tideline {

namespace {

using Op = CtlFormula::Op;
using NodeId = CtlFormula::NodeId;

class RunBuilder {
 public:
  RunBuilder(const CtlLabels& labels, Budget& budget)
      : labels_(labels), graph_(labels.graph()), formula_(labels.formula()), budget_(budget) {
    find_what_runs_show();
  }

  std::optional<CtlRun> build(StateId state, bool value) {
    run_.states = {state};
    follow(formula_.root(), value);
    const bool false_at_once = !value && remarks_.empty();
    if (stopped_ || !(followed_ || false_at_once)) return std::nullopt;
    for (const std::string& remark : remarks_) run_.remark += (run_.remark.empty() ? "" : "; ") + remark;
    return std::move(run_);
  }

 private:
  /// Per node and value: whether a run shows the claim, or a part of it.
  void find_what_runs_show() {
    for (const auto& [op, left, right] : formula_.nodes) {
      Shows shows{};
      for (const bool value : {false, true}) {
        const auto of = [&](NodeId node, bool v) { return shown_[node][v]; };
        if (op == Op::not_) shows[value] = of(left, !value);
        if (op == Op::and_ || op == Op::or_) shows[value] = of(left, value) || of(right, value);
        if (op == Op::ex || op == Op::eu || op == Op::eg) shows[value] = value;
      }
      shown_.push_back(shows);
    }
  }

  /// Goes on from the last state of the run to show that the node has the value there.
  void follow(NodeId node, bool value) {
    const auto& [op, left, right] = formula_.nodes[node];
    switch (op) {
      case Op::true_:
      case Op::atom:
        break;
      case Op::not_:
        follow(left, !value);
        break;
      case Op::and_:
      case Op::or_:
        if ((op == Op::and_) == value)
          follow_both(left, right, value);
        else
          follow_one(left, right, value);
        break;
      case Op::ex:
      case Op::eu:
      case Op::eg:
        if (!value) {
          remark(node, value, run_.states.size() - 1);
          break;
        }
        followed_ = true;
        if (op == Op::ex) follow_next(left);
        if (op == Op::eu) follow_until(left, right);
        if (op == Op::eg) follow_always(node, left);
        break;
    }
  }

  /// Two claims: the run follows one of them, the first if it can.
  void follow_both(NodeId first, NodeId second, bool value) {
    if (!shown_[first][value] && shown_[second][value]) std::swap(first, second);
    const std::size_t position = run_.states.size() - 1;
    const bool moves = shown_[first][value];
    follow(first, value);
    if (moves && !is_state_formula(formula_, second))
      remark(second, value, position);
    else if (!moves)
      follow(second, value);
  }

  /// One claim of two is enough: one that needs no run if there is one.
  void follow_one(NodeId first, NodeId second, bool value) {
    const StateId state = run_.states.back();
    const auto rank = [&](NodeId node) {
      if (!labels_.is(node, state, value)) return 3;
      return is_state_formula(formula_, node) ? 0 : shown_[node][value] ? 1 : 2;
    };
    follow(rank(second) < rank(first) ? second : first, value);
  }

  void follow_next(NodeId f) {
    const StateId state = run_.states.back();
    StateId next = state;  // a deadlock that repeats
    graph_.successors(state, [&](StateId to) {
      next = to;
      return !labels_.is(f, to, true);
    });
    run_.states.push_back(next);
    follow(f, true);
  }

  void follow_until(NodeId f, NodeId g) {
    const std::size_t start = run_.states.size() - 1;
    const bool arrived = go_to([&](StateId s) { return labels_.is(f, s, true); },
                               [&](StateId s) { return labels_.is(g, s, true); });
    if (!arrived) return;
    if (!is_state_formula(formula_, f) && run_.states.size() - 1 > start)
      remarks_.push_back(fmt::format("until then {} is true in every state", to_string(formula_, f, true)));
    follow(g, true);
  }

  void follow_always(NodeId node, NodeId f) {
    const BitSet& inside = labels_.certain(node);
    const std::vector<std::uint32_t> component = components_of(inside);
    if (stopped_) return;
    const std::size_t start = run_.states.size() - 1;
    const auto is_inside = [&](StateId s) { return inside.test(s); };
    const auto goes_round = [&](StateId s) {
      bool found = false;
      graph_.successors(s, [&](StateId to) {
        found = inside.test(to) && component[to] == component[s];
        return !found;
      });
      return found;
    };
    const auto ends_here = [&](StateId s) {
      return inside.test(s) && (graph_.is_deadlock(s) || goes_round(s));
    };
    if (!go_to(is_inside, ends_here)) return;
    const StateId anchor = run_.states.back();
    if (!graph_.is_deadlock(anchor)) {
      run_.loop = run_.states.size() - 1;
      go_round(anchor, [&](StateId s) { return inside.test(s) && component[s] == component[anchor]; });
    } else if (labels_.paths() == DeadlockPaths::stutter) {
      run_.loop = run_.states.size() - 1;
    }
    remarks_.push_back(start == 0 ? fmt::format("{} is true all the way", to_string(formula_, f, true))
                                  : fmt::format("from step {} on {} is true all the way", start,
                                                to_string(formula_, f, true)));
  }

  /// Appends a shortest way from the last state to a state with `goal`, over states with `allowed`. False:
  /// the budget ended. (There is such a way whenever this is called.)
  template <class Allowed, class Goal>
  bool go_to(const Allowed& allowed, const Goal& goal) {
    const StateId start = run_.states.back();
    if (goal(start)) return true;
    std::vector<StateId> came_from(graph_.size(), no_state);
    std::vector<StateId> queue{start};
    StateId found = no_state;
    came_from[start] = start;
    for (std::size_t i = 0; i < queue.size() && found == no_state && !stopped_; ++i)
      graph_.successors(queue[i], [&](StateId to) {
        if (came_from[to] == no_state && (allowed(to) || goal(to))) {
          came_from[to] = queue[i];
          if (goal(to)) found = to;
          queue.push_back(to);
        }
        return go_on() && found == no_state;
      });
    if (found == no_state) return false;
    const auto end = static_cast<std::ptrdiff_t>(run_.states.size());
    for (StateId s = found; s != start; s = came_from[s]) run_.states.push_back(s);
    std::reverse(run_.states.begin() + end, run_.states.end());
    return true;
  }

  /// Appends the rest of a shortest cycle through the last state.
  template <class Allowed>
  void go_round(StateId anchor, const Allowed& allowed) {
    const auto closes = [&](StateId s) {
      bool found = false;
      graph_.successors(s, [&](StateId to) {
        found = to == anchor;
        return go_on() && !found;
      });
      return found;
    };
    if (!go_to(allowed, [&](StateId s) { return allowed(s) && closes(s); })) stopped_ = true;
  }

  /// Strongly connected components of the part of the graph that is `inside`.
  std::vector<std::uint32_t> components_of(const BitSet& inside) {
    struct First {
      const StoredGraph& graph;
      std::uint64_t operator[](std::uint32_t state) const { return graph.first(state); }
    };
    struct Target {
      std::uint32_t node;
    };
    struct Edges {
      const StoredGraph& graph;
      const BitSet& set;
      Target operator[](std::uint64_t e) const {
        const StateId to = graph.target(e);
        return {set.test(to) ? to : no_state};
      }
    };
    return components(graph_.size(), First{graph_}, Edges{graph_, inside}, [&] { return go_on(); });
  }

  void remark(NodeId node, bool value, std::size_t position) {
    const auto& [op, left, right] = formula_.nodes[node];
    const bool last = position + 1 == run_.states.size();
    const std::string place = last            ? "the last state"
                              : position == 0 ? "the initial state"
                                              : fmt::format("the state after step {}", position);
    if (op == Op::eu && !value && formula_.nodes[left].op == Op::true_ && is_state_formula(formula_, right))
      remarks_.push_back(
          fmt::format("from {} no state with {} can be reached", place, to_string(formula_, right, true)));
    else
      remarks_.push_back(fmt::format("in {} {} is true", place, to_string(formula_, node, value)));
  }

  bool go_on() {
    if (++looked_at_ % poll_every == 0 && budget_.exhausted(graph_.status())) stopped_ = true;
    return !stopped_;
  }

  using Shows = std::array<bool, 2>;

  const CtlLabels& labels_;
  const StoredGraph& graph_;
  const CtlFormula& formula_;
  Budget& budget_;
  std::vector<Shows> shown_;
  CtlRun run_;
  std::vector<std::string> remarks_;
  bool followed_ = false;  // some claim is one that a run shows
  bool stopped_ = false;
  std::uint64_t looked_at_ = 0;
};

}  // namespace

std::optional<CtlRun> ctl_run(const CtlLabels& labels, StateId state, bool value, Budget& budget) {
  return RunBuilder(labels, budget).build(state, value);
}

}  // namespace tideline
