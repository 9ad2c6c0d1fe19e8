#include "search/ctl/run.hpp"

#include <algorithm>

#include "graph/sccs.hpp"
#include "run/ctl_claims.hpp"

namespace tideline {

namespace {

using NodeId = CtlFormula::NodeId;

/// See run/ctl_claims.hpp.
class StoredWalk {
 public:
  StoredWalk(const CtlLabels& labels, StateId state, Budget& budget)
      : labels_(labels), graph_(labels.graph()), formula_(labels.formula()), budget_(budget) {
    run_.states = {state};
  }

  bool is(NodeId node, bool value) const { return labels_.is(node, run_.states.back(), value); }
  std::size_t length() const { return run_.states.size(); }
  bool can_follow(NodeId) const { return true; }
  bool stopped() const { return stopped_; }
  CtlRun take() { return std::move(run_); }

  void go_next(NodeId f) {
    const StateId state = run_.states.back();
    StateId next = state;  // a deadlock that repeats
    graph_.successors(state, [&](StateId to) {
      next = to;
      return !labels_.is(f, to, true);
    });
    run_.states.push_back(next);
  }

  void go_until(NodeId node) {
    const auto& [op, f, g] = formula_.nodes[node];
    go_to([&, f = f](StateId s) { return labels_.is(f, s, true); },
          [&, g = g](StateId s) { return labels_.is(g, s, true); });
  }

  void go_on_always(NodeId node) {
    const BitSet& inside = labels_.certain(node);
    const std::vector<std::uint32_t> scc = sccs_of(inside);
    if (stopped_) return;
    const auto is_inside = [&](StateId s) { return inside.test(s); };
    const auto goes_round = [&](StateId s) {
      bool found = false;
      graph_.successors(s, [&](StateId to) {
        found = inside.test(to) && scc[to] == scc[s];
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
      go_round(anchor, [&](StateId s) { return inside.test(s) && scc[s] == scc[anchor]; });
    } else if (labels_.paths() == DeadlockPaths::stutter) {
      run_.loop = run_.states.size() - 1;
    }
  }

 private:
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
    if (found == no_state) return !(stopped_ = true);
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
    go_to(allowed, [&](StateId s) { return allowed(s) && closes(s); });
  }

  /// SCCs of the part of the graph that is `inside`.
  std::vector<std::uint32_t> sccs_of(const BitSet& inside) {
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
    return sccs(graph_.size(), First{graph_}, Edges{graph_, inside}, [&] { return go_on(); });
  }

  bool go_on() {
    if (++looked_at_ % poll_every == 0 && budget_.exhausted(graph_.status())) stopped_ = true;
    return !stopped_;
  }

  const CtlLabels& labels_;
  const StoredGraph& graph_;
  const CtlFormula& formula_;
  Budget& budget_;
  CtlRun run_;
  bool stopped_ = false;
  std::uint64_t looked_at_ = 0;
};

}  // namespace

std::optional<CtlRun> ctl_run(const CtlLabels& labels, StateId state, bool value, Budget& budget) {
  StoredWalk walk(labels, state, budget);
  ClaimFollower follower(labels.formula(), walk);
  if (!follower.follow(value)) return std::nullopt;
  CtlRun run = walk.take();
  run.remark = follower.remark();
  return run;
}

}  // namespace tideline
