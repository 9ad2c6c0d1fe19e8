// Relations: the actions of a system as events on the levels of a diagram.
//
// An event touches some levels and leaves the others as they are: no node stands for a level that it does not
// touch. Its relation is a path or a diagram of relation nodes from its highest level (Top) down:
//   - a *function* node is a part of the action that lies within one level (see parts.hpp). It maps a local
//     state to a local state, or to nothing where the guard is false. Values are computed on demand by the
//     bytecode of the interpreter, so that no domain is fixed beforehand; new local states get their numbers
//     then. Equal functions, and equal paths of them, are shared between actions.
//   - a *table* node has arcs (from, to, child). The levels of parts that span several levels are covered by
//     tables that grow: before an event is fired on a set, learn() projects the set to these levels, fires
//     the action on every tuple that is new, and adds what comes out. Only states in which all function nodes
//     of the event are enabled are projected.
// Relation nodes are never changed: a table that grows is another node. Results that are remembered for a
// relation stay valid, and a table that has too many arcs for a set does no harm to it.
//
// Choices. A property automaton moves with every action. It is given as a list of alternatives that touch
// slots of the lowest level only: every event is joined with one of them. Its function node (or table) at the
// lowest level then leads to several local states, and its Top stays where it is, because the automaton lies
// below everything else.
//
// Model errors. A local state or a tuple in which a part of the action fails maps to `failing`. Firing skips
// it. Whether the whole action is enabled there and the state is reachable is decided afterwards, by
// enabled() and succeeding(): that is exact, because parts are independent.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "exec/bytecode.hpp"
#include "model/system.hpp"
#include "symbolic/diagrams/sets.hpp"
#include "symbolic/space/levels.hpp"
#include "symbolic/space/parts.hpp"

namespace tideline::symbolic {

using RelationId = std::uint32_t;
using EventId = std::uint32_t;

inline constexpr RelationId done = 0;  ///< nothing left to do: the levels below stay as they are
inline constexpr RelationId nothing = ~RelationId{0};  ///< no state has a successor

inline constexpr Index disabled = ~Index{0};
inline constexpr Index failing = ~Index{0} - 1;

enum class Direction { forward, backward };

struct Arc {
  Index from = 0;
  Index to = 0;
  RelationId child = 0;
  auto operator<=>(const Arc&) const = default;
};

struct Event {
  ActionId action = 0;
  Level top = 0;
  Level bottom = 0;
  RelationId root = nothing;
  bool learns = false;  ///< some of its levels are covered by tables
};

class Relations {
 public:
  /// Choices: alternatives of which every action takes one; none: actions stand for themselves.
  Relations(const System& system, Levels& levels, Sets& sets, std::vector<Part> choices = {});
  /// All that others have learnt, for sets of another forest and a copy of their levels.
  Relations(const Relations& others, Levels& levels, Sets& sets);

  Levels& levels() { return levels_; }
  Sets& sets() { return sets_; }
  const std::vector<Event>& events() const { return events_; }
  /// Events whose highest level this is.
  std::span<const EventId> events_at(Level level) const { return by_top_[level]; }
  /// Those of them that may lead from this local state, and maybe others, in the same order.
  std::span<const EventId> events_at(Level level, Index from) const {
    const ByKey& by_key = by_key_[level];
    if (by_key.events.empty()) return by_top_[level];
    const auto key =
        static_cast<std::size_t>(std::int64_t{levels_.values(level, from)[by_key.at]} - by_key.least);
    return key < by_key.events.size() ? by_key.events[key] : by_key.others;
  }
  std::uint64_t tuples_fired() const { return tuples_fired_; }

  /// Taking one of the choices alone.
  RelationId choice() const { return choice_; }

  Level level(RelationId r) const { return nodes_[r].level; }

  /// visit(other, child) for what a local state is mapped to, or, backward, what is mapped to it. Arcs to
  /// `failing` are left out.
  template <Direction D, class Visit>
  void for_each_arc(RelationId r, Index i, Visit&& visit);

  /// Where a function node maps a local state, `disabled` or `failing`. With choices, one of the states.
  Index map(RelationId r, Index i) { return value_of(functions_[nodes_[r].function], nodes_[r].level, i); }
  /// Whether some local state or tuple that was met fails in the relation.
  bool may_fail(RelationId r) const;
  bool is_function(RelationId r) const { return nodes_[r].is_function; }
  RelationId child(RelationId r) const { return nodes_[r].child; }
  std::span<const Arc> arcs(RelationId r) const { return {arcs_.data() + nodes_[r].first, nodes_[r].count}; }

  /// Teaches the event's relation all states of a set of its top level; or those that begin with i.
  void learn(EventId event, NodeId set);
  void learn(EventId event, Index i, NodeId child);

  /// The states of a set in which the event is enabled, and those in which it succeeds; the set's level is
  /// the relation's or above. Backward: those that it can lead to.
  NodeId enabled(NodeId set, RelationId r) { return restrict(set, r, op_enabled); }
  NodeId succeeding(NodeId set, RelationId r) { return restrict(set, r, op_succeeding); }
  /// The states of a set in which the event is not enabled.
  NodeId not_enabled(NodeId set, RelationId r) { return restrict(set, r, op_not_enabled); }

  /// The successors of a set by one event. `set` is at the event's top level or above, and learnt.
  NodeId image(NodeId set, RelationId r);
  /// The states of `within` with a successor in the set.
  NodeId preimage(NodeId set, RelationId r, NodeId within);
  /// The same by any event, for sets of the top level.
  NodeId predecessors(NodeId set, NodeId within);
  /// The states of a set of the top level that are successors of their own.
  NodeId unchanged(NodeId set);

 private:
  static constexpr Index unknown = ~Index{0} - 2;
  enum Operation : std::uint32_t {
    op_project = 1,
    op_enabled,
    op_succeeding,
    op_not_enabled,
    op_image,
    op_preimage,
    op_predecessors,
    op_unchanged
  };

  /// Guards and effects that are evaluated together.
  struct Code {
    std::vector<std::uint32_t> guards;
    std::uint32_t effects = 0;
    bool has_effects = false;
  };
  /// What a guard asks of a slot: the one of a statement, that its process is there.
  struct Key {
    std::size_t at = 0;  ///< of the values of a local state
    std::int32_t value = 0;
  };
  struct Function {
    std::vector<Code> codes;                       ///< alternatives, one where there are no choices
    std::optional<Key> key = {};                   ///< local states with another value are not enabled
    Index first = 0;                               ///< the local state of values[0]
    std::vector<Index> values = {};                ///< by local state, those of the key's value
    std::vector<std::vector<Index>> more = {};     ///< by local state: what further alternatives lead to
    std::vector<std::vector<Index>> inverse = {};  ///< by local state, of the first `inverse_of` local states
    Index inverse_of = 0;

    Index known(Index i) const { return i - first < values.size() ? values[i - first] : unknown; }
  };
  /// The events of a level by the key of their functions there. A process of n statements has as many events and at least
  /// as many local states, of which each leads from one only.
  struct ByKey {
    std::size_t at = 0;
    std::int64_t least = 0;                         ///< the key of events[0]
    std::vector<std::vector<EventId>> events = {};  ///< empty: they are not told apart
    std::vector<EventId> others = {};               ///< without a key
  };
  struct Node {
    Level level = 0;
    bool is_function = false;
    std::uint32_t function = 0;
    RelationId child = 0;   ///< of a function
    std::size_t first = 0;  ///< of a table, in arcs_
    std::uint32_t count = 0;
    std::uint32_t inverse = 0;  ///< of a table: 1 + number of its arcs by target in inverse_
  };
  /// A level that an event with tables touches.
  struct Step {
    Level level = 0;
    bool keep = false;  ///< belongs to the tables; else `function` decides
    std::uint32_t function = 0;
  };
  /// What is known about an event with tables.
  struct Learner {
    std::vector<Step> steps;       ///< top down
    std::uint32_t first_step = 0;  ///< number of steps[0] in all_steps_; the others follow
    std::vector<Level> kept;       ///< the levels of its tables
    std::vector<Code> codes;       ///< alternatives
    Forest::Root known;            ///< tuples that were fired
  };
  struct Tuple {
    std::vector<Index> from, to;
    auto operator<=>(const Tuple&) const = default;
  };

  void add_event(ActionId action);
  /// What is done at some levels; if the lowest is one of them, joined with each of the choices.
  std::vector<Part> alternatives(const Part& part, bool lowest) const;
  std::vector<Code> compile(const std::vector<Part>& alternatives);
  std::uint32_t function(Level level, const std::vector<Part>& alternatives);
  RelationId function_node(Level level, std::uint32_t function, RelationId child);
  RelationId table_node(Level level, std::vector<Arc> arcs);
  Index value_of(Function& function, Level level, Index i) {
    const Index value = function.known(i);
    return value != unknown ? value : compute(function, level, i);
  }
  Index compute(Function& function, Level level, Index i);
  std::optional<Key> key_of(Level level, const std::vector<Part>& alternatives) const;
  bool lacks_key(const Function& function, Level level, Index i) const {
    return function.key && levels_.values(level, i)[function.key->at] != function.key->value;
  }
  void sort_by_key(Level level);
  /// Where the alternatives lead, `failing` last; those that lead nowhere are left out.
  std::vector<Index> outcomes(const Function& function, Level level, Index i, bool add_new);
  /// Puts a local state into state_ and next_, which code reads and changes.
  void set_local(Level level, Index i);
  /// Runs code that touches only levels just set; the successor is in next_.
  Index run(const Code& code);
  std::span<const Index> inverse(Function& function, Level level, Index i);
  std::span<const Arc> inverse_arcs(RelationId r);

  NodeId project(NodeId set, std::uint32_t step);
  bool learn_tuples(EventId event, NodeId projection);
  RelationId extend(const Learner& learner, std::size_t step, RelationId old, std::span<const Tuple> tuples,
                    std::size_t kept);
  NodeId restrict(NodeId set, RelationId r, Operation operation);
  NodeId restrict_by_table(NodeId below, Index i, RelationId r, Operation operation);
  NodeId unchanged_by(NodeId below, Index i, RelationId r);
  NodeId unchanged(NodeId set, RelationId r);

  const System& system_;
  Levels& levels_;
  Sets& sets_;
  Forest& forest_;
  std::vector<Part> choices_;
  RelationId choice_ = done;
  OperationCache<3, 1, 0b010> cache_;
  OperationCache<4, 1, 0b1010> constrained_cache_;

  bytecode::Chunk chunk_;
  std::vector<std::byte> state_, next_;
  std::vector<Function> functions_;
  std::unordered_map<std::string, std::uint32_t> function_by_key_;
  std::vector<Node> nodes_;
  std::vector<Arc> arcs_;
  std::vector<std::vector<Arc>> inverse_;
  std::map<std::tuple<Level, std::uint32_t, RelationId>, RelationId> function_nodes_;
  std::unordered_multimap<std::size_t, RelationId> table_nodes_;
  std::vector<Event> events_;
  std::vector<Learner> learners_;
  std::vector<std::uint32_t> learner_of_;  ///< by event
  std::vector<Step> all_steps_;
  std::vector<std::vector<EventId>> by_top_;
  std::vector<ByKey> by_key_;   ///< by level
  std::uint64_t computed_ = 0;  ///< values of functions
  std::uint64_t tuples_fired_ = 0;
};

template <Direction D, class Visit>
void Relations::for_each_arc(RelationId r, Index i, Visit&& visit) {
  if (r == nothing) return;
  const Node node = nodes_[r];
  if (node.is_function) {
    if constexpr (D == Direction::forward) {
      const Index to = map(r, i);
      if (to < failing) visit(to, node.child);
      // Looked up again each time: a visit may compute further values, and then they move.
      const Function& function = functions_[node.function];
      for (std::size_t k = 0; i < function.more.size() && k < function.more[i].size(); ++k)
        if (function.more[i][k] < failing) visit(function.more[i][k], node.child);
    } else {
      for (const Index from : inverse(functions_[node.function], node.level, i)) visit(from, node.child);
    }
    return;
  }
  // Copied one by one: a visit may learn, and then tables move.
  if constexpr (D == Direction::forward) {
    const auto all = arcs(r);
    auto at = static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), Arc{i, 0, 0}) - all.begin());
    for (; at < node.count && arcs_[node.first + at].from == i; ++at)
      if (const Arc arc = arcs_[node.first + at]; arc.to != failing) visit(arc.to, arc.child);
  } else {
    const auto all = inverse_arcs(r);
    for (auto at = std::lower_bound(all.begin(), all.end(), Arc{i, 0, 0}); at != all.end() && at->from == i;
         ++at)
      visit(at->to, at->child);
  }
}

}  // namespace tideline::symbolic
