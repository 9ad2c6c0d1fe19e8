// StateSpace: the reachable states of a system as a decision diagram.
//
// The one object that analyses begin with: it chooses the variable order, sets up forest, levels and
// relations, and computes the reachable states, by saturation or, as a second opinion, breadth first with
// chaining (each event is applied to all that is known so far).
//
// Everything that recurses over levels must run on a deep stack: run() takes care of it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "symbolic/forest.hpp"
#include "symbolic/levels.hpp"
#include "symbolic/order.hpp"
#include "symbolic/relations.hpp"
#include "symbolic/sets.hpp"

namespace tideline::symbolic {

enum class Method { saturation, chaining };

struct StateSpaceOptions {
  OrderName order = OrderName::best;
  bool grouping = true;  ///< slots of which at most one is not 0 share a level
  Groups groups = {};    ///< given: these share a level instead of those that are found
  Method method = Method::saturation;
  ForestOptions forest = {};
};

class StateSpace {
 public:
  /// The system must outlive it.
  StateSpace(const System& system, const StateSpaceOptions& options);
  /// With a given order, whatever the options say of it.
  StateSpace(const System& system, ChosenOrder order, const StateSpaceOptions& options);

  const System& system() const { return system_; }
  const ChosenOrder& order() const { return order_; }
  Forest& forest() { return forest_; }
  Levels& levels() { return levels_; }
  Sets& sets() { return sets_; }
  Relations& relations() { return relations_; }

  /// Runs something on a stack that is deep enough for the operations on these diagrams.
  void run(const std::function<void()>& work) const;

  /// Computes the reachable states. Throws LimitReached; what was found so far is then in reachable().
  void explore();
  NodeId initial() const { return initial_.id(); }
  NodeId reachable() const { return reachable_.id(); }

 private:
  void explore_by_chaining();

  const System& system_;
  Method method_;
  ChosenOrder order_;
  Forest forest_;
  Levels levels_;
  Sets sets_;
  Relations relations_;
  Forest::Root initial_;
  Forest::Root reachable_;
};

}  // namespace tideline::symbolic
