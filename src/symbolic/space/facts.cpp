#include "symbolic/space/facts.hpp"

#include <algorithm>
#include <unordered_map>

#include "symbolic/diagrams/numbering.hpp"
#include "symbolic/space/saturation.hpp"

namespace tideline::symbolic {

namespace {

class DeadlockFinder {
 public:
  explicit DeadlockFinder(Relations& relations)
      : relations_(relations), forest_(relations.sets().forest()), cache_(forest_, 0.1) {}

  /// The states of a node's set that no event with its Top at this level or below is enabled in.
  NodeId find(NodeId node) {
    if (node <= unit) return node;
    const std::array<std::uint32_t, 2> key{1, node};
    std::array<NodeId, 1> result;
    if (cache_.find(key, result)) return result[0];
    const Forest::View view = forest_.view(node);
    const Level level = forest_.level(node);
    Builder builder(forest_, view.size);
    for (std::uint32_t e = 0; e < view.size; ++e) {
      if (view.child(e) == empty) continue;
      Kept rest(forest_, find(view.child(e)));
      for (const EventId event : relations_.events_at(level))
        rest.set(without(rest.id(), relations_.events()[event].root, view.index(e)));
      builder.add(view.index(e), rest.id());
    }
    result[0] = builder.make(level);
    cache_.insert(key, result);
    return result[0];
  }

 private:
  NodeId without(NodeId rest, RelationId r, Index i) {
    if (rest == empty || r == nothing) return rest;
    if (relations_.is_function(r))
      return relations_.map(r, i) == disabled ? rest : relations_.not_enabled(rest, relations_.child(r));
    Kept left(forest_, rest);
    for (const Arc& arc : relations_.arcs(r))
      if (arc.from == i) left.set(relations_.not_enabled(left.id(), arc.child));
    return left.id();
  }

  Relations& relations_;
  Forest& forest_;
  OperationCache<2, 1, 0b10> cache_;
};

/// Thrown when a number of 64 bits is too small.
struct Overflow {};

void add(mpz_class& sum, const mpz_class& number) {
  sum += number;
}
void add(std::uint64_t& sum, std::uint64_t number) {
  if (__builtin_add_overflow(sum, number, &sum)) throw Overflow();
}

/// Counts level by level from below, so that no more than two levels of large numbers are in memory. A first
/// pass from above finds out what is needed of each level.
template <class Number>
class EdgeCounter {
 public:
  explicit EdgeCounter(Relations& relations) : relations_(relations), forest_(relations.sets().forest()) {}

  EdgeCount count(NodeId set) {
    EdgeCount result;
    if (set == empty) return result;
    nodes_ = nodes_by_level(forest_, set);
    ask();
    std::vector<bool> enabled(relations_.events().size());
    Counts below;
    below.nodes.number(unit);
    below.states.emplace_back(1u);
    below.edges.emplace_back(0u);
    for (std::size_t depth = nodes_.size(); depth-- > 0;) below = count_level(depth, below, enabled);
    result.states = below.states[below.nodes.at(set)];
    result.transitions = below.edges[below.nodes.at(set)];
    for (EventId e = 0; e < enabled.size(); ++e)
      if (!enabled[e]) result.never.push_back(relations_.events()[e].action);
    return result;
  }

 private:
  /// A node and a relation that is fired on it.
  static Numbering::Key pair(NodeId node, RelationId r) { return Numbering::Key{node} << 32 | r; }

  struct Counts {
    Numbering nodes;
    std::vector<Number> states;    ///< by number of the node
    std::vector<Number> edges;     ///< likewise: by events with their Top here or below
    Numbering pairs;               ///< what is needed
    std::vector<Number> matching;  ///< by number of the pair: states in which the relation is enabled
  };

  template <class Visit>
  void for_each_match(RelationId r, Index i, Visit&& visit) {
    if (r == nothing) return;
    if (relations_.is_function(r)) {
      if (relations_.map(r, i) != disabled) visit(relations_.child(r));
    } else {
      for (const Arc& arc : relations_.arcs(r))
        if (arc.from == i) visit(arc.child);
    }
  }

  /// visit(index, child, relation) for what decides in how many states of the node the relation is enabled.
  template <class Visit>
  void for_each_part(NodeId node, RelationId r, Visit&& visit) {
    const Level level = forest_.level(node);
    forest_.for_each_child(node, [&](Index i, NodeId child) {
      if (level > relations_.level(r))
        visit(child, r);
      else
        for_each_match(r, i, [&](RelationId rest) { visit(child, rest); });
    });
  }

  void ask() {
    needed_.resize(nodes_.size() + 1);
    for (std::size_t depth = 0; depth < nodes_.size(); ++depth) {
      const auto ask_below = [&](NodeId child, RelationId rest) {
        if (rest != done) needed_[depth + 1].number(pair(child, rest));
      };
      for (const NodeId node : nodes_[depth])
        for (const EventId event : relations_.events_at(forest_.level(node)))
          if (const RelationId root = relations_.events()[event].root; root != nothing)
            for_each_part(node, root, ask_below);
      for (const Numbering::Key key : needed_[depth].keys())
        for_each_part(static_cast<NodeId>(key >> 32), static_cast<RelationId>(key), ask_below);
    }
  }

  Counts count_level(std::size_t depth, const Counts& below, std::vector<bool>& enabled) {
    Counts here;
    const auto matching = [&](NodeId node, RelationId r) {
      Number sum = 0u;
      for_each_part(node, r, [&](NodeId child, RelationId rest) {
        add(sum, rest == done ? below.states[below.nodes.at(child)]
                              : below.matching[below.pairs.at(pair(child, rest))]);
      });
      return sum;
    };
    for (const NodeId node : nodes_[depth]) {
      Number states = 0u, edges = 0u;
      forest_.for_each_child(node, [&](Index, NodeId child) {
        const std::uint32_t number = below.nodes.at(child);
        add(states, below.states[number]);
        add(edges, below.edges[number]);
      });
      for (const EventId event : relations_.events_at(forest_.level(node))) {
        const RelationId root = relations_.events()[event].root;
        if (root == nothing) continue;
        const Number of_event = matching(node, root);
        if (of_event != 0u) enabled[event] = true;
        add(edges, of_event);
      }
      here.nodes.number(node);
      here.states.push_back(std::move(states));
      here.edges.push_back(std::move(edges));
    }
    here.pairs = std::move(needed_[depth]);
    for (const Numbering::Key key : here.pairs.keys())
      here.matching.push_back(matching(static_cast<NodeId>(key >> 32), static_cast<RelationId>(key)));
    return here;
  }

  Relations& relations_;
  Forest& forest_;
  std::vector<std::vector<NodeId>> nodes_;
  std::vector<Numbering> needed_;
};

}  // namespace

NodeId deadlocks(Relations& relations, NodeId set) {
  return DeadlockFinder(relations).find(set);
}

EdgeCount count_edges(Relations& relations, NodeId set) {
  if (relations.sets().count(set).fits_ulong_p()) try {
      return EdgeCounter<std::uint64_t>(relations).count(set);
    } catch (const Overflow&) {
    }
  return EdgeCounter<mpz_class>(relations).count(set);
}

std::vector<std::pair<ActionId, Forest::Root>> failures(Relations& relations, NodeId set) {
  std::vector<std::pair<ActionId, Forest::Root>> result;
  Sets& sets = relations.sets();
  Forest& forest = sets.forest();
  const std::vector<std::vector<NodeId>> nodes = nodes_by_level(forest, set);
  for (const Event& event : relations.events()) {
    if (!relations.may_fail(event.root)) continue;
    // Mostly it does not, and then the levels above can be skipped.
    const auto differs = [&](NodeId node) {
      const Kept enabled(forest, relations.enabled(node, event.root));
      return relations.succeeding(node, event.root) != enabled.id();
    };
    if (std::ranges::none_of(nodes[forest.level(set) - event.top], differs)) continue;
    const Kept enabled(forest, relations.enabled(set, event.root));
    const Kept fine(forest, relations.succeeding(set, event.root));
    result.emplace_back(event.action, forest.root(sets.subtract(enabled.id(), fine.id())));
  }
  return result;
}

std::vector<Range> value_ranges(const Forest& forest, const Levels& levels, NodeId set) {
  std::vector<Range> ranges;
  for (const Level level : levels.all())
    for (const SlotId slot : levels.slots(level))
      if (ranges.size() <= slot) ranges.resize(slot + 1, {INT32_MAX, INT32_MIN});
  for (const auto& nodes : nodes_by_level(forest, set)) {
    const Level level = forest.level(nodes.front());
    const auto slots = levels.slots(level);
    for (const NodeId node : nodes)
      forest.for_each_child(node, [&](Index i, NodeId) {
        const auto values = levels.values(level, i);
        for (std::size_t s = 0; s < slots.size(); ++s) {
          Range& range = ranges[slots[s]];
          range = {std::min(range.low, values[s]), std::max(range.high, values[s])};
        }
      });
  }
  return ranges;
}

std::int64_t greatest_sum(const Forest& forest, const Levels& levels, NodeId set,
                          std::span<const std::int64_t> weights) {
  const auto by_level = nodes_by_level(forest, set);
  std::unordered_map<NodeId, std::int64_t> below{{unit, 0}}, here;
  for (std::size_t depth = by_level.size(); depth-- > 0;) {
    here.clear();
    for (const NodeId node : by_level[depth]) {
      const Level level = forest.level(node);
      const auto slots = levels.slots(level);
      std::int64_t best = INT64_MIN;
      forest.for_each_child(node, [&](Index i, NodeId child) {
        std::int64_t sum = below.at(child);
        const auto values = levels.values(level, i);
        for (std::size_t s = 0; s < slots.size(); ++s) sum += weights[slots[s]] * values[s];
        best = std::max(best, sum);
      });
      here.emplace(node, best);
    }
    std::swap(below, here);
  }
  return below.at(set);
}

bool all_live(Relations& relations, NodeId reachable, const std::vector<std::vector<ActionId>>& families) {
  if (families.empty()) return true;
  if (deadlocks(relations, reachable) != empty) return false;
  Sets& sets = relations.sets();
  std::unordered_map<ActionId, RelationId> roots;
  for (const Event& event : relations.events()) roots.emplace(event.action, event.root);
  Saturation<Direction::backward, true> backward(relations);
  for (const std::vector<ActionId>& family : families) {
    Kept enabled(sets.forest(), empty);
    for (const ActionId action : family) {
      const Kept by_action(sets.forest(), relations.enabled(reachable, roots.at(action)));
      enabled.set(sets.unite(enabled.id(), by_action.id()));
    }
    if (enabled.id() == empty || backward.saturate(enabled.id(), reachable) != reachable) return false;
  }
  return true;
}

}  // namespace tideline::symbolic
