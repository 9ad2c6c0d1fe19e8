// LtlSpace: the levels, relations and sets of a product of a system and a property automaton.
//
// What is computed on it: the product states that are accepting, those that are deadlocks of the system, and
// those where a run that stutters for ever is accepted. A deadlocked system repeats its state while the
// automaton moves on over the same letter. None of that concerns a level other than the lowest: whether an
// accepting cycle can be reached is decided among the local states there, and no event stands for stuttering.
//
// Accepting states can be computed for nodes of any level: the automaton lies at the bottom of all of them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "exec/predicate.hpp"
#include "symbolic/ltl/product.hpp"
#include "symbolic/space/order.hpp"
#include "symbolic/space/relations.hpp"

namespace tideline::symbolic {

class LtlSpace {
 public:
  /// The property has at most one acceptance set, on locations; it and the system must outlive the space.
  LtlSpace(const System& system, const PropertyProcess& property, ChosenOrder order,
           const ForestOptions& forest);

  const System& model() const { return model_; }
  const PropertyProcess& property() const { return property_; }
  const LtlProduct& product() const { return product_; }
  const ChosenOrder& order() const { return order_; }
  Forest& forest() { return forest_; }
  Levels& levels() { return levels_; }
  Sets& sets() { return sets_; }
  Relations& relations() { return relations_; }
  NodeId initial() const { return initial_.id(); }

  /// The states of a set, of any level, whose location is accepting; and from which stuttering is accepted.
  NodeId accepting(NodeId set) { return select(set, op_accepting); }
  NodeId accepting_by_stutter(NodeId set) { return select(set, op_stutter); }
  /// Those whose location is accepting and has an edge to itself over the state's letter.
  NodeId accepting_and_staying(NodeId set) { return select(set, op_staying); }

  /// The states of a set of the top level in which no action of the system is enabled.
  NodeId system_deadlocks(NodeId set);
  /// Whether some step from the states of the set, which have all been fired, ends in a model error.
  bool meets_errors(NodeId set);

  /// The vector of a state of the explicit product (graph/property_product.hpp), if all its parts are known.
  std::optional<std::vector<Index>> find_vector(const std::byte* product_state, LocationId location) const;

 private:
  enum Operation : std::uint32_t { op_accepting = 1, op_stutter, op_staying, op_moving };

  NodeId select(NodeId set, Operation operation);
  bool is_selected(Index i, Operation operation);
  bool is_accepting(Index i) const;
  bool stutter_is_accepted(Index i);
  std::vector<Index> reached_by_stutter(Index i);

  const System& model_;
  const PropertyProcess& property_;
  ChosenOrder order_;
  LtlProduct product_;
  Forest forest_;
  Levels levels_;
  Sets sets_;
  Relations relations_;
  Relations steps_;  ///< the system's own, on the same levels
  OperationCache<2, 1, 0b10> cache_;
  Forest::Root initial_;
  Layout model_layout_;
  std::vector<Predicate> meanings_;           ///< of the letter
  std::vector<std::optional<bool>> stutter_;  ///< by local state of the lowest level
};

}  // namespace tideline::symbolic
