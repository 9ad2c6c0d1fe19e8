// CTL-Sweep: AG EF p and AG AF p for monotone measures, by a search that forgets states as it goes.
//
//   A. Lilleskare, L. M. Kristensen, S.-O. Høyland: CTL Model Checking with the Sweep-line State Space
//   Exploration Method, NIK 2017.
//
// With a monotone measure an SCC of the state space lies within one layer, and is complete when the layer is:
//   AG EF p   fails iff some SCC that no transition leaves has no state with p; a deadlock is one
//   AG AF p   fails iff a layer has a cycle of states without p; a deadlock without p counts as one
// A violation that is found is right for any measure; its absence is conclusive only if no transition
// regresses, so the search ends at the first one that does.
//
// The paper computes the SCCs of every layer. We do less:
//
// Safe nodes. A node is safe for AG EF p when it is known to reach p or to leave the layer, and for AG AF p
// when it has p: nothing wrong begins there. Mostly that is known as soon as the node is expanded, as it has
// p, a transition out of the layer, or one to a node that is known to be safe. Only transitions between nodes
// that are not safe are recorded. At the end of the layer the last nodes pass on what they know to those
// before them, in a few rounds over the recorded transitions; SCCs are computed only for the rest, which is
// nothing where the property holds and layers are well-behaved.
//
// Cycles. A cycle has a transition to a node that is not after its source, both without p: a layer without
// such transitions is done. Otherwise nodes that no other one without p leads to are removed until none is
// left, or only those that prove a cycle.
//
// The paper's way (every_scc) is still there to compare with: all transitions within a layer are recorded, and
// its SCCs are computed whatever they are. AG EF p then looks at those that nothing leaves, AG AF p at cycles
// within each. As printed the last layer is never looked at, and what the check of a layer returns is ignored;
// both are corrected here, and deadlocks count as said above.
//
// All formulas are checked in one sweep, a bit of a word for each. It is unknown where a step that ends in a
// model error leads: its state is safe for AG EF p, and not a deadlock.
//
// Several threads. The part of a transition's destination records it, and cannot tell its source that the
// destination is safe; so transitions to safe nodes are recorded, too, and pass that on at the end.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/ctl_formula.hpp"
#include "search/ctl/avoid_graph.hpp"
#include "search/lassos/cycle_graph.hpp"
#include "search/lassos/ltl_sweep.hpp"
#include "search/sweep/layer_graph.hpp"
#include "search/sweep/sweep.hpp"

namespace tideline {

/// "AG EF goal" or "AG AF goal".
template <class P>
struct AlwaysGoal {
  AlwaysForm::Kind kind = AlwaysForm::Kind::possible;
  P goal;
};

/// What was found about a goal, and whether its formula is violated.
struct AlwaysFinding {
  bool violated = false;
  bool ends_in_deadlock = false;  ///< AG AF: instead of going round
  PathBuilder run = {};           ///< into an SCC without the goal, or to a state on a cycle without it
  bool seen_true = false, seen_false = false;

  /// For checkpoints; the others are known only at the end.
  void archive(auto& file) {
    archive_run(file, run);
    file(violated, ends_in_deadlock);
  }
};

template <ProgressGraph G, class P>
class AlwaysSweep {
 public:
  static constexpr std::size_t most_goals = 64;

  /// The first transition that regresses ends the search as a broken claim, whatever the options say.
  /// `every_scc`: compute the SCCs of every layer, as the paper does.
  AlwaysSweep(G graph, SweepOptions options, std::vector<AlwaysGoal<P>> goals, bool every_scc = false)
      : every_scc_(every_scc),
        goals_(std::move(goals)),
        findings_(goals_.size()),
        search_(std::move(graph), with_claim(std::move(options)), Watch{}) {
    search_.watch().self = this;
    set_parts(search_.layers().count());
    for (std::size_t i = 0; i < goals_.size(); ++i)
      (goals_[i].kind == AlwaysForm::Kind::possible ? possible_ : inevitable_) |= Bits{1} << i;
    open_ = possible_ | inevitable_;
  }
  AlwaysSweep(const AlwaysSweep&) = delete;

  /// Ends early when everything is violated.
  SearchResult run(Budget& budget) {
    budget_ = &budget;
    Bystander bystander;
    const SearchResult result = search_.run(bystander, budget);
    met_errors_ = bystander.model_errors;
    for (std::size_t i = 0; i < goals_.size(); ++i) {
      findings_[i].seen_true = (seen_true_ >> i & 1) != 0;
      findings_[i].seen_false = (seen_false_ >> i & 1) != 0;
    }
    return result;
  }

  const AlwaysFinding& finding(std::size_t goal) const { return findings_[goal]; }
  const SweepFigures& figures() const { return search_.figures(); }
  bool met_errors() const { return met_errors_; }
  /// Layers whose SCCs were computed, and layers that were searched for a cycle.
  std::uint64_t scc_searches() const { return scc_searches_; }
  std::uint64_t cycle_searches() const { return cycle_searches_; }

 private:
  using Bits = std::uint64_t;  // one for each goal
  using Node = LayerGraph::Node;

  static SweepOptions with_claim(SweepOptions options) {
    options.claimed_shift = 0;
    return options;
  }

  struct Watch {
    static constexpr std::size_t passing_bytes = 0, persistent_bytes = 0;

    /// Travels with a step within the layer: from where, and for which goals that is not known to be safe.
    struct Note {
      NodeId from = no_node;
      Bits unsafe = 0;
    };

    AlwaysSweep* self = nullptr;

    void attach(std::size_t) {}
    void set_parts(unsigned count) {
      if (self) self->set_parts(count);
    }
    void begin_layer(Progress progress, std::size_t, std::uint64_t) { self->begin_layer(progress); }
    void add_root(const std::byte*) {}
    void on_node(unsigned part, const G&, const std::byte* record, bool) { self->begin_node(part, record); }
    Note on_step(unsigned part, const G&, const Step& step, Progress progress) {
      return self->begin_edge(part, step, progress);
    }
    void on_dead_end(unsigned part) { self->parts_[part].dead_end = true; }
    void on_arrival(unsigned part, const Note& note, const SweepTarget& target) {
      if (target.node != no_node) self->add_edge(part, note, target.node);
    }
    bool done() { return self->note_dead_ends(); }
    bool end_layer() { return self->end_layer(); }
    bool end_sweep() { return true; }
    bool end_column() { return true; }

    /// For checkpoints: everything except the current layer.
    void archive(auto& file) {
      file(self->findings_, self->open_, self->seen_true_, self->seen_false_);
      file.require(self->findings_.size() == self->goals_.size());
      file.require((self->open_ & ~(self->possible_ | self->inevitable_)) == 0);
      file(self->scc_searches_, self->cycle_searches_);
    }
  };

  /// What a thread knows of the node that it expands, and of its part of the layer.
  struct alignas(cache_line) Part {
    const std::byte* record = nullptr;  // the node; none: it is done
    NodeId node = no_node;
    Bits current = 0;  // for which goals it is safe
    bool dead_end = false;
    std::vector<Bits> safe;                                    // by node of the part
    std::vector<std::pair<Bits, const std::byte*>> dead_ends;  // and the goals that they violate
    Bits turned_back = 0;  // goals avoided by some edge to a node not after its source
    Bits seen_true = 0, seen_false = 0;
  };

  template <class Visit>
  static void for_each(Bits bits, const Visit& visit) {
    for (; bits != 0; bits &= bits - 1) visit(static_cast<std::size_t>(std::countr_zero(bits)));
  }

  void set_parts(unsigned count) {
    layer_.set_parts(count);
    parts_ = std::vector<Part>(count);
  }

  void begin_layer(Progress progress) {
    line_ = progress;
    layer_.clear();
    for (Part& part : parts_) {
      part.safe.clear();
      part.turned_back = 0;
    }
  }

  void begin_node(unsigned number, const std::byte* record) {
    Part& part = parts_[number];
    end_node(part);
    part.current = 0;
    for (std::size_t i = 0; i < goals_.size(); ++i) {
      ModelErrorKind ignored = ModelErrorKind::none;
      part.current |= Bits{goals_[i].goal.evaluate(record, ignored) != 0} << i;
    }
    part.seen_true |= part.current;
    part.seen_false |= ~part.current;
    part.record = record;
    part.dead_end = false;
    part.node = layer_.add_node(number, 0);
    part.safe.push_back(part.current);
  }
  /// All edges of the last node have been added.
  void end_node(Part& part) {
    if (!part.record) return;
    part.safe.back() = part.current;
    if (const Bits stuck = ~part.current & inevitable_ & open_; part.dead_end && stuck != 0)
      part.dead_ends.push_back({stuck, part.record});
    part.record = nullptr;
    if (parts_.size() == 1 && !every_scc_ && (~part.current & open_) == 0) layer_.drop_edges();
  }

  typename Watch::Note begin_edge(unsigned number, const Step& step, Progress progress) {
    Part& part = parts_[number];
    if (!step.state || progress != line_) part.current |= possible_;
    return {part.node, ~part.current & open_};
  }

  void add_edge(unsigned number, typename Watch::Note note, NodeId to) {
    if (every_scc_) {
      layer_.add_edge(number, note.from, to);
      return;
    }
    Part& part = parts_[number];
    const bool back = layer_.is_expanded(number, to);
    const Bits known = back ? part.safe[to / parts_.size()] : 0;  // of the target
    if (parts_.size() > 1) {
      if (back) part.turned_back |= note.unsafe & ~known & inevitable_;
      if ((note.unsafe & (possible_ | ~known)) != 0) layer_.add_edge(number, note.from, to);
      return;
    }
    if (back) {
      part.current |= known & possible_;
      part.turned_back |= ~part.current & ~known & inevitable_;
    }
    if ((~part.current & ~known & open_) != 0) layer_.add_edge(number, note.from, to);
  }

  /// True: everything is decided.
  bool note_dead_ends() {
    for (Part& part : parts_) {
      end_node(part);
      for (const auto& [goals, record] : part.dead_ends)
        for_each(goals, [&, at = record](std::size_t goal) { note(goal, search_.run_to(at), true); });
      part.dead_ends.clear();
    }
    return open_ == 0;
  }

  /// False: everything is decided, or the budget ended.
  bool end_layer() {
    Bits all = ~Bits{0};
    turned_back_ = 0;
    for (Part& part : parts_) {
      for (const Bits bits : part.safe) all &= bits;
      turned_back_ |= part.turned_back;
      seen_true_ |= part.seen_true;
      seen_false_ |= part.seen_false;
    }
    if (!every_scc_ && (~all & open_) == 0) return open_ != 0;
    gather();
    if (every_scc_ ? !check_every_scc() : !find_trap() || !find_cycles()) return false;
    return open_ != 0;
  }

  /// The nodes of all parts in one graph. Numbers that no node has are safe.
  void gather() {
    graph_ = &layer_.whole();
    if (parts_.size() == 1) {
      safe_.swap(parts_.front().safe);
      return;
    }
    safe_.assign(graph_->size(), ~Bits{0});
    for (std::size_t p = 0; p < parts_.size(); ++p)
      for (std::size_t i = 0; i < parts_[p].safe.size(); ++i)
        safe_[i * parts_.size() + p] = parts_[p].safe[i];
  }

  using Sccs = std::vector<std::uint32_t>;  // by node

  /// False: the budget ended.
  bool check_every_scc() {
    const std::optional<Sccs> scc = compute_sccs();
    if (!scc) return false;
    find_trap_in(*scc);
    for_each(open_ & inevitable_, [&](std::size_t goal) {
      find_cycle(goal, [&](Node from, Node to) { return (*scc)[from] == (*scc)[to]; });
    });
    return !budget_->exhausted({});
  }

  std::optional<Sccs> compute_sccs() {
    ++scc_searches_;
    std::uint64_t edges = 0;
    return graph_->sccs([&] { return edges++ % poll_every != 0 || !budget_->exhausted({}); });
  }

  // --- AG EF -----------------------------------------------------------------------------------------------

  static constexpr int most_rounds = 3;

  /// Looks for SCCs without a goal that nothing leaves. False: the budget ended.
  bool find_trap() {
    bool changed = true;
    for (int round = 0; round < most_rounds && changed; ++round) {
      Bits all = ~Bits{0};
      changed = false;
      for (Node node = graph_->size(); node-- > 0;) {
        const Bits before = safe_[node];
        if ((~before & possible_ & open_) == 0) continue;
        graph_->successors(node, [&](Node to) { safe_[node] |= safe_[to] & possible_; });
        changed = changed || safe_[node] != before;
        all &= safe_[node];
      }
      if ((~all & possible_ & open_) == 0) return true;
    }
    const std::optional<Sccs> scc = compute_sccs();
    if (!scc) return false;
    find_trap_in(*scc);
    return true;
  }

  void find_trap_in(const Sccs& scc) {
    const Node count = graph_->size() == 0 ? 0 : *std::max_element(scc.begin(), scc.end());
    // Nodes by SCC, those of the first one first.
    std::vector<Node> start(count + 2), order(graph_->size());
    for (const std::uint32_t c : scc) ++start[c + 1];
    for (Node c = 1; c < start.size(); ++c) start[c] += start[c - 1];
    for (Node node = 0; node < graph_->size(); ++node) order[start[scc[node]]++] = node;
    // An SCC comes after all it leads to, so what those know is complete.
    std::vector<Bits> safe(count + 1);
    for (const Node node : order) {
      Bits& own = safe[scc[node]];
      own |= safe_[node];
      graph_->successors(node, [&](Node to) { own |= safe[scc[to]]; });
    }
    // The first one that is not safe leads to no other SCC.
    std::vector<Node> first(count + 1, no_node);
    for (Node node = graph_->size(); node-- > 0;) first[scc[node]] = node;
    for (Node c = 1; c <= count; ++c)
      for_each(~safe[c] & possible_ & open_, [&](std::size_t goal) { note(goal, run_to(first[c]), false); });
  }

  // --- AG AF -----------------------------------------------------------------------------------------------

  /// False: the budget ended.
  bool find_cycles() {
    const Bits wanted = turned_back_ & open_ & inevitable_;
    const auto any = [](Node, Node) { return true; };
    for_each(wanted, [&](std::size_t goal) { find_cycle(goal, any); });
    return wanted == 0 || !budget_->exhausted({});
  }

  /// Of edges for which `counts(from, to)`.
  template <class Counts>
  void find_cycle(std::size_t goal, const Counts& counts) {
    ++cycle_searches_;
    const Bits bit = Bits{1} << goal;
    const auto avoids = [&](Node node) { return (safe_[node] & bit) == 0; };
    const auto edges = [&](Node node, const auto& visit) {
      if (!avoids(node)) return;
      graph_->successors(node, [&](Node to) { avoids(to) && counts(node, to) ? visit(to) : void(); });
    };
    std::vector<std::uint32_t> into(graph_->size());  // edges from nodes that are left
    for (Node node = 0; node < graph_->size(); ++node) edges(node, [&](Node to) { ++into[to]; });
    std::vector<Node> gone;
    for (Node node = 0; node < graph_->size(); ++node)
      if (avoids(node) && into[node] == 0) gone.push_back(node);
    for (std::size_t i = 0; i < gone.size(); ++i)
      edges(gone[i], [&](Node to) {
        if (--into[to] == 0) gone.push_back(to);
      });
    // Every node that is left has a predecessor that is left, so following predecessors closes a cycle.
    std::vector<Node> before(graph_->size(), no_node);
    Node node = no_node;
    for (Node from = 0; from < graph_->size(); ++from)
      if (avoids(from) && into[from] != 0) edges(from, [&](Node to) { before[node = to] = from; });
    if (node == no_node) return;
    std::vector<bool> met(graph_->size());
    for (; !met[node]; node = before[node]) met[node] = true;
    note(goal, run_to(node), false);
  }

  PathBuilder run_to(Node node) { return search_.run_to(search_.node_record(node)); }

  void note(std::size_t goal, PathBuilder run, bool deadlock) {
    if ((open_ >> goal & 1) == 0) return;
    open_ &= ~(Bits{1} << goal);
    AlwaysFinding& finding = findings_[goal];
    finding.violated = true;
    finding.ends_in_deadlock = deadlock;
    finding.run = std::move(run);
  }

  bool every_scc_;
  std::vector<AlwaysGoal<P>> goals_;
  std::vector<AlwaysFinding> findings_;
  Bits possible_ = 0, inevitable_ = 0;  // goals of either kind
  Bits open_ = 0;                       // those not known to be violated
  SweepSearch<G, Watch> search_;
  Budget* budget_ = nullptr;
  Progress line_ = 0;
  LayerGraphParts layer_;
  std::vector<Part> parts_ = std::vector<Part>(1);
  LayerGraph* graph_ = nullptr;  // the layer as a whole, when it is complete
  std::vector<Bits> safe_;       // by node
  Bits turned_back_ = 0;         // of all parts
  Bits seen_true_ = 0, seen_false_ = 0;
  bool met_errors_ = false;
  std::uint64_t scc_searches_ = 0, cycle_searches_ = 0;
};

/// The lasso for a violated AG AF goal: the run with a cycle that avoids the goal, or with the deadlock
/// repeated. Nothing when the budget ended before it was found.
template <ProgressGraph G, class P>
std::optional<Path> avoiding_lasso(const G& graph, const P& goal, const AlwaysFinding& finding,
                                   DeadlockPaths paths, std::shared_ptr<TraceLog> log, Budget& budget) {
  Path run = finding.run();
  if (!finding.ends_in_deadlock) {
    std::uint64_t expansions = 0;
    return close_cycle(AvoidGraph(graph, goal), std::move(run), true, {.log = std::move(log)}, budget,
                       expansions);
  }
  if (paths == DeadlockPaths::stutter) {
    run.loop = run.states.size() - 1;
    run.actions.push_back(no_action);
  }
  return run;
}

/// A lasso in which a deadlock repeats, as a run that ends there.
inline Path without_repetition(Path lasso) {
  if (!lasso.loop || lasso.actions.back() != no_action) return lasso;
  lasso.states.resize(*lasso.loop + 1);
  lasso.actions.resize(*lasso.loop);
  lasso.loop.reset();
  return lasso;
}

}  // namespace tideline
