// Saturation: reachable states of a system, node by node.
//
// After Ciardo, Lüttgen and Siminiceanu (TACAS 2001), with local states found on the fly. An event belongs to
// the highest level it touches (its Top). A node of level k is *saturated* when the set it stands for is
// closed under all events with Top <= k. Nodes are saturated from below: first the children, then the events
// of the node's own level are fired, child by child, until nothing is new. What an event leads to is
// saturated on the way (fire()), so that every node below the one being worked on is saturated at any time:
//
//   saturate(n):       t[i] = saturate(n[i]);  return fixpoint(t)
//   fixpoint(t):       u = t; while some u[i] is not empty, take it out, and for every event e of this level
//                      and arc i -> j of e:
//                          v = fire(u[i], rest of e);  if v is not a part of t[j]: t[j] |= v, u[j] |= v
//   fire(n, r):        r is done: n.   r is below n's level: t[i] = fire(n[i], r).
//                      else t[j] = t[j] | fire(n[i], r') for every arc i -> j of r;  return fixpoint(t)
//
// Results of fire() are remembered by (n, r), those of a fixpoint by the children it began with.
//
// Two switches make the same code serve model checking: direction (backward arcs give the states from which a
// set can be reached), and a constraint c: a set that is never left, as E(c U n) needs it. With a constraint
// a node is saturated relative to it, so fire() intersects with the constraint where an event is done.
//
// A union of saturated sets is saturated, so what is still to be fired (u) can be kept apart from
// what is known.
//
// The Watch is notified: descend() with the local state under which the next set is computed, and a
// Watch::Local for every node that is being saturated: fired() after each firing at the node's level, with
// what was known before; saturated() when the node is finished. Searches for cycles use it.
//
// Invariants: fire() is only called with saturated sets; the relation of an event knows all tuples of what it
// is fired on (learn() before the first arc). Backward, relations must have been completed by a forward run.
#pragma once

#include <array>
#include <type_traits>
#include <utility>

#include "symbolic/space/relations.hpp"

namespace tideline::symbolic {

struct NoWatch {
  void descend(Level, Index) {}
  struct Local {
    Local(NoWatch&, Level, const Frames::Frame&) {}
    void fired(Index, Index, NodeId, NodeId) {}
    void saturated(NodeId) {}
  };
};

template <Direction D = Direction::forward, bool Constrained = false, class Watch = NoWatch>
class Saturation {
 public:
  explicit Saturation(Relations& relations, Watch watch = {})
      : relations_(relations),
        sets_(relations.sets()),
        forest_(sets_.forest()),
        cache_(forest_, 0.5),
        watch_(std::move(watch)) {}

  Watch& watch() { return watch_; }

  /// The closure of a set under all events.
  NodeId saturate(NodeId set) requires(!Constrained) { return close(set, empty); }
  /// The closure within a constraint, of which the set is a part.
  NodeId saturate(NodeId set, NodeId constraint) requires Constrained { return close(set, constraint); }

 private:
  using Cache = std::conditional_t<Constrained, OperationCache<4, 1, 0b1010>, OperationCache<3, 1, 0b010>>;
  enum Operation : std::uint32_t { op_saturate = 1, op_fire };

  static typename Cache::Key key(Operation operation, NodeId node, RelationId r, NodeId within) {
    if constexpr (Constrained)
      return {operation, node, r, within};
    else
      return {operation, node, r};
  }
  /// The constraint on what lies below local state i.
  NodeId below(NodeId within, Index i) const { return Constrained ? forest_.child(within, i) : empty; }

  NodeId close(NodeId node, NodeId within) {
    if (node <= unit) return node;
    const auto k = key(op_saturate, node, done, within);
    typename Cache::Value result;
    if (cache_.find(k, result)) return result[0];
    const Level level = forest_.level(node);
    const Forest::View view = forest_.view(node);
    Frames::Frame children(forest_.children(), relations_.levels().local_states(level));
    for (std::uint32_t e = 0; e < view.size; ++e)
      if (view.child(e) != empty) {
        watch_.descend(level, view.index(e));
        children[view.index(e)] = close(view.child(e), below(within, view.index(e)));
      }
    result[0] = fixpoint(level, children, within);
    cache_.insert(k, result);
    return result[0];
  }

  /// Fires the events of a level on saturated children until nothing is new; returns the resulting node.
  NodeId fixpoint(Level level, Frames::Frame& children, NodeId within) {
    const auto events = relations_.events_at(level);
    if (events.empty()) return forest_.make(level, {children.data(), children.size()});
    typename Watch::Local local(watch_, level, children);
    Frames::Frame unfired(forest_.beside(0), children.size());
    const Frames::Frame source(forest_.beside(1), 1);
    Frames::Frame queue(forest_.plain(), children.size());  // local states with work to do, linked in a ring
    Pending pending(queue);
    for (Index i = 0; i < children.size(); ++i)
      if (children[i] != empty) {
        unfired[i] = children[i];
        pending.add(i);
      }
    while (!pending.is_empty()) {
      const Index from = pending.take();
      source[0] = std::exchange(unfired[from], empty);
      // Backward, the local states that an event leads to are no part of its guards.
      const auto candidates = D == Direction::forward ? relations_.events_at(level, from) : events;
      for (const EventId event : candidates) {
        if (D == Direction::forward && relations_.events()[event].learns)
          relations_.learn(event, from, source[0]);
        relations_.template for_each_arc<D>(
            relations_.events()[event].root, from, [&](Index to, RelationId rest) {
              if (to >= children.size()) {
                forest_.count_request(
                    children.size());  // a level may grow for ever without a node being made
                children.grow(relations_.levels().local_states(level));
                unfired.grow(children.size());
                queue.grow(children.size());
              }
              if (Constrained && below(within, to) == empty) return;
              watch_.descend(level, to);
              const Kept reached(forest_, fire(source[0], rest, below(within, to)));
              if (reached.id() == empty) return;
              local.fired(from, to, reached.id(), children[to]);
              const NodeId sum = sets_.unite(children[to], reached.id());
              if (sum == children[to]) return;
              children[to] = sum;
              unfired[to] = sets_.unite(unfired[to], reached.id());
              pending.add(to);
            });
      }
    }
    const Kept node(forest_, forest_.make(level, {children.data(), children.size()}));
    local.saturated(node.id());
    return node.id();
  }

  /// What the rest of an event leads to, saturated.
  NodeId fire(NodeId node, RelationId r, NodeId within) {
    if (node == empty) return empty;
    if (r == done) {
      if constexpr (!Constrained) return node;
      const Kept inside(forest_, sets_.intersect(node, within));
      return close(inside.id(), within);
    }
    if (Constrained && within == empty) return empty;
    const auto k = key(op_fire, node, r, within);
    typename Cache::Value result;
    if (cache_.find(k, result)) return result[0];
    const Level level = forest_.level(node);
    const Forest::View view = forest_.view(node);
    Frames::Frame children(forest_.children(), relations_.levels().local_states(level));
    bool any = false;
    if (view.size > wide_node) prefetch(view, level, r, within);
    for (std::uint32_t e = 0; e < view.size; ++e) {
      const NodeId child = view.child(e);
      const Index from = view.index(e);
      if (child == empty) continue;
      if (level > relations_.level(r)) {
        watch_.descend(level, from);
        children[from] = fire(child, r, below(within, from));
        any = any || children[from] != empty;
        continue;
      }
      relations_.template for_each_arc<D>(r, from, [&](Index to, RelationId rest) {
        if (to >= children.size()) children.grow(relations_.levels().local_states(level));
        if (Constrained && below(within, to) == empty) return;
        watch_.descend(level, to);
        const Kept reached(forest_, fire(child, rest, below(within, to)));
        if (reached.id() == empty) return;
        children[to] = sets_.unite(children[to], reached.id());
        any = true;
      });
    }
    result[0] = any ? finish(level, children, within) : empty;
    cache_.insert(k, result);
    return result[0];
  }

  /// Prefetches what fire() will look up for the children of a node.
  void prefetch(const Forest::View& view, Level level, RelationId r, NodeId within) {
    const bool passes = level > relations_.level(r);
    if (!passes && !relations_.is_function(r)) return;
    const RelationId rest = passes ? r : relations_.child(r);
    if (Constrained || rest == done) return;
    for (std::uint32_t e = 0; e < view.size; ++e)
      if (view.child(e) != empty) cache_.prefetch(key(op_fire, view.child(e), rest, within));
  }

  /// The fixpoint of saturated children; shared by all paths to the same children.
  NodeId finish(Level level, Frames::Frame& children, NodeId within) {
    if (relations_.events_at(level).empty()) return fixpoint(level, children, within);
    const Kept node(forest_, forest_.make(level, {children.data(), children.size()}));
    const auto k = key(op_saturate, node.id(), done, within);
    typename Cache::Value result;
    if (cache_.find(k, result)) return result[0];
    Frames::Frame copy(forest_.children(), children.size());
    std::copy_n(children.data(), children.size(), copy.data());
    result[0] = fixpoint(level, copy, within);
    cache_.insert(k, result);
    return result[0];
  }

  /// Local states that wait, first in first out: a list through the words of a frame (0: not in it).
  class Pending {
   public:
    explicit Pending(Frames::Frame& next) : next_(next) {}
    bool is_empty() const { return first_ == none; }
    void add(Index i) {
      if (next_[i] != 0) return;
      next_[i] = last_mark;
      (first_ == none ? first_ : next_[last_]) = first_ == none ? i : i + 1;
      last_ = i;
    }
    Index take() {
      const Index i = first_;
      const Index next = next_[i];
      next_[i] = 0;
      first_ = next == last_mark ? none : next - 1;
      return i;
    }

   private:
    static constexpr Index none = ~Index{0};
    static constexpr Index last_mark = ~Index{0};
    Frames::Frame& next_;
    Index first_ = none;
    Index last_ = none;
  };

  Relations& relations_;
  Sets& sets_;
  Forest& forest_;
  Cache cache_;
  Watch watch_;
};

}  // namespace tideline::symbolic
