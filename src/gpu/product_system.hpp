// ProductSystem: the product of a system with a property automaton, written down as a system of its own, so that a device
// steps it like any other.
//
// The location of the automaton is one more slot. For every action of the system and every edge of the automaton there is an
// action that does both: its guard is that of the action, that the automaton is where the edge begins, and that the
// edge's guard is true. Where no action of the system is enabled the automaton moves alone (graph/property_product.hpp):
// for that each edge has an action whose guard says so of all actions.
//
// The automaton must have no variables of its own.
#pragma once

#include <vector>

#include "graph/regions.hpp"
#include "model/layout.hpp"
#include "model/system.hpp"
#include "progress/measure.hpp"
#include "run/outcome.hpp"

namespace tideline::gpu {

class ProductSystem {
 public:
  /// Both must outlive it. Throws Error (usage) for an automaton with variables.
  ProductSystem(const System& system, const PropertyProcess& property, const Regions& regions);

  const System& system() const { return product_; }
  /// Whether the automaton is in a region.
  Expr in_region() const;
  /// 0 for states in no region of the automaton, 1 in a region, 2 if the automaton accepts there.
  Measure acceptance() const;
  /// The automaton moves, and the system does not.
  bool is_alone(ActionId action) const { return originals_[action] == no_action; }
  /// The run as one of the product of graph/property_product.hpp.
  Path translated(const Path& path) const;

 private:
  void add_joint_actions();
  void add_lonely_actions();
  /// The automaton is where the edge begins.
  Expr at(const PropertyProcess::Edge& edge) const;
  Expr enabled(const Action& action) const;

  const System& original_;
  const PropertyProcess& property_;
  System product_;
  SlotId location_ = 0;
  std::uint32_t acceptance_table_ = 0;  ///< by location
  std::vector<ActionId> originals_;     ///< by action of the product; no_action: the automaton moves alone
  Layout original_layout_, layout_;
};

}  // namespace tideline::gpu
