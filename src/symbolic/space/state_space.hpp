// StateSpace: the reachable states of a system as a decision diagram.
//
// Analyses start from this object: it chooses the variable order, sets up forest, levels and relations, and
// computes the reachable states, by saturation or, as a second opinion, breadth first with chaining (each
// event is applied to all that is known so far).
//
// Orders are chosen by trying several of them, so a space may know all its states before explore() is called.
// A saturation that reached a limit continues when explore() is called again: it starts over, but whatever it
// had finished is still in its cache.
//
// Everything that recurses over levels must run on a deep stack: run() takes care of it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "symbolic/diagrams/forest.hpp"
#include "symbolic/diagrams/sets.hpp"
#include "symbolic/space/levels.hpp"
#include "symbolic/space/order.hpp"
#include "symbolic/space/relations.hpp"

namespace tideline::symbolic {

enum class Method { saturation, chaining };

struct StateSpaceOptions {
  OrderName order = OrderName::best;
  bool grouping = true;  ///< slots of which at most one is not 0 share a level
  Groups groups = {};    ///< given: these share a level instead of those that are found
  Method method = Method::saturation;
  unsigned threads = 1;  ///< for trials of orders
  ForestOptions forest = {};
};

class StateSpace {
 public:
  /// The system must outlive it. Throws LimitReached.
  StateSpace(const System& system, const StateSpaceOptions& options);
  /// With a given order, whatever the options say.
  StateSpace(const System& system, ChosenOrder order, const StateSpaceOptions& options);
  StateSpace(StateSpace&&) noexcept;
  StateSpace& operator=(StateSpace&&) noexcept;
  ~StateSpace();

  const System& system() const;
  const ChosenOrder& order() const;
  Forest& forest();
  Levels& levels();
  Sets& sets();
  Relations& relations();

  /// Runs something on a stack that is deep enough for the operations on these diagrams.
  void run(const std::function<void()>& work) const;

  /// Computes the reachable states, unless they are known. Throws LimitReached; what was found so far is then
  /// in reachable().
  void explore();
  NodeId initial() const;
  NodeId reachable() const;

  /// The same states, which must all be known, on a forest of its own: for another thread. What is
  /// copied is only read. Throws LimitReached.
  StateSpace copy(const ForestOptions& options) const;

 private:
  struct Diagrams;
  explicit StateSpace(std::unique_ptr<Diagrams> diagrams);
  void explore_by_chaining();

  std::unique_ptr<Diagrams> diagrams_;  ///< they refer to each other, so they must not move
};

}  // namespace tideline::symbolic
