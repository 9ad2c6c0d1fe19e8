// HybridSearch: LTL by saturation with incremental detection of SCCs, which finds cycles while
// it finds states.
//
// After Molnár, Darvas, Vörös and Bartha (TACAS 2015). Whenever saturation finishes a node of level k, the
// states it stands for are closed under events with their Top at k or below, and will never change. A cycle
// among them that takes no event of level k lies within a child, which was looked at before. So what has to
// be decided is whether there is an accepting cycle with an event of level k, and mostly it is decided
// without computing anything symbolic; in this order:
//
//   1. transitions   no event of the level was fired, or no state is accepting: there is none
//   2. recurring     no firing led to a state that was known before: there is none
//   3. abstraction   the graph whose nodes are the local states of level k, with an arc where an event was
//                    fired, has no SCC with an accepting state below it: there is none. (A local state
//                    with an arc to itself is an SCC.) Or an SCC whose arcs all leave the same
//                    accepting local state of the automaton's level as it is, and touch no other level: there
//                    is one
//   4. DetectSCC     what is left of these sets when each is again and again cut down to what is reached from
//                    the one before is not empty exactly when there is one (N* is saturation without a
//                    watch):
//                      S+ targets of the events of level k on arcs of SCCs;  R recurring states;
//                      F accepting states;  S- sources of these events;  S+ is reached from S- by one of them
//
// Recurring states need care. What comes out of a firing is saturated before it is compared with what was
// known: the state at which a cycle closes need not be a direct target of an event of level k. Of each
// cycle with such an event some state is then recurring: take the last firing of an event of level k on it;
// the source of the next one along the cycle is reached, and was known, for it has been fired before or is
// fired now. R is a set of its own in DetectSCC for the same reason: S+ has direct targets only. None of
// this relies on how often a state is fired. (Saturation fires all that comes out together with something
// new, so a cycle is gone round until a direct target recurs; if only new states were fired, direct targets
// would not suffice.)
//
// DetectSCC stays within the states of the node, which are closed under the events: S- is taken from them
// alone. F would ensure that no cycle is found elsewhere, but the states elsewhere need not even be finite.
//
// Where a cycle is found the search ends. The levels above k have the local states under which the set was
// being computed (descend()), and the unfinished nodes on the way there together have a run to it from the
// initial state: a lasso is found within what is known so far.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "symbolic/ltl/fair_cycles.hpp"
#include "symbolic/ltl/lasso.hpp"
#include "symbolic/ltl/space.hpp"
#include "symbolic/space/saturation.hpp"

namespace tideline::symbolic {

/// Checks that make symbolic searches rare; each can be switched off for measurements.
struct HybridOptions {
  bool recurring = true;
  bool abstraction = true;
  bool incremental = true;  ///< off: DetectSCC does not know which transitions are new
};

struct HybridFigures {
  std::uint64_t nodes = 0;                ///< saturated nodes that were looked at
  std::uint64_t without_transitions = 0;  ///< decided by check 1
  std::uint64_t without_recurring = 0;    ///< by check 2
  std::uint64_t without_scc = 0;          ///< by check 3
  std::uint64_t by_must = 0;              ///< by check 3, a definite yes
  std::uint64_t known = 0;                ///< the same node was decided before
  std::uint64_t searches = 0;             ///< symbolic fixed points
  double seconds = 0;                     ///< spent in checks 3 and 4
};

class HybridSearch {
 public:
  HybridSearch(LtlSpace& space, const HybridOptions& options)
      : space_(space),
        options_(options),
        relations_(space.relations()),
        sets_(space.sets()),
        forest_(space.forest()),
        closure_(relations_),
        cycles_(space),
        decided_(forest_, 0.05),
        context_(space.levels().top() + 1) {}

  /// Saturates the initial state, and ends when an accepting cycle is found: then found() is called, and
  /// after it, unless it is empty, located() with its place. Returns whether one was found. If not, reached()
  /// is the set of all product states.
  bool run(const std::function<void()>& found, const std::function<void(const LassoPlace&)>& located);
  NodeId reached() const { return reached_.id(); }
  const HybridFigures& figures() const { return figures_; }

 private:
  struct Stop : std::exception {};
  class Watch;

  /// By local state of a level: the number of its SCC of the abstraction, 0 for none.
  using Sccs = std::vector<std::uint32_t>;
  using AbstractArc = std::pair<Index, Index>;
  /// A node that is being saturated.
  struct Unfinished {
    Level level;
    const Frames::Frame* children;
  };

  /// The four checks; throws Stop when there is a cycle.
  void look_at(Level level, NodeId node, std::vector<AbstractArc>& arcs, NodeId recurring);
  /// Check 3: SCCs with an accepting state; nothing when there is none.
  std::optional<Sccs> candidates(NodeId node, std::vector<AbstractArc>& arcs);
  /// States that certainly lie on accepting cycles among themselves.
  NodeId sure_cycles(Level level, NodeId node, const Sccs& sccs);
  /// Check 4. The states between the sets that are left; empty when there is no cycle.
  NodeId detect(Level level, NodeId node, const Sccs& sccs, NodeId recurring);
  /// Of transitions on arcs of SCCs (all, if the search is not incremental), those from a set.
  NodeId sources(Level level, NodeId node, const Sccs& sccs);
  NodeId targets(Level level, NodeId sources, const Sccs& sccs);

  [[noreturn]] void stop(NodeId node, NodeId region);
  NodeId in_context(NodeId node);
  NodeId known_so_far();

  LtlSpace& space_;
  HybridOptions options_;
  Relations& relations_;
  Sets& sets_;
  Forest& forest_;
  Saturation<> closure_;
  FairCycles cycles_;
  OperationCache<2, 1, 0b10> decided_;
  std::vector<Index> context_;  ///< by level
  std::vector<Unfinished> unfinished_;
  Forest::Root reached_;
  std::function<void()> found_;
  std::function<void(const LassoPlace&)> located_;
  HybridFigures figures_;
};

}  // namespace tideline::symbolic
