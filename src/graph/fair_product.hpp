// The product of a system with a property automaton, for checking under fairness.
//
// It is a PropertyProduct that also knows which parties move with an action (run/fairness.hpp): processes, or sets of
// actions. As the property moves with every step of the system, a product state has a step for every enabled action of the
// system, or no step at all and then lies on no cycle: what is enabled can be read off the steps.
//
//   SccSearch(WeaklyFair(FairProduct(...)), table)       finds weakly fair runs
//   StrongFairnessSearch(FairProduct(...), table)        finds strongly fair ones
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/fair_graph.hpp"
#include "graph/property_product.hpp"
#include "run/fairness.hpp"

namespace tideline {

template <SystemGraph G>
class FairProduct : public PropertyProduct<G> {
 public:
  static constexpr std::size_t most_processes = 64;

  /// The property must outlive the product. Throws Error(input) for more than 64 parties.
  FairProduct(const G& graph, const PropertyProcess& property, const std::vector<FairParty>& parties)
      : PropertyProduct<G>(graph, property), participants_(graph.system().actions.size()) {
    if (graph.system().inner != no_slot) inner_ = graph.layout().field(graph.system().inner);
    if (parties.size() > most_processes)
      throw Error(ErrorKind::input, "the model has " + std::to_string(parties.size()) +
                                        " processes; fairness is possible for at most " +
                                        std::to_string(most_processes));
    for (std::size_t i = 0; i < parties.size(); ++i) {
      for (const ActionId action : parties[i].actions) participants_[action] |= ProcessSet{1} << i;
      all_processes_ |= ProcessSet{1} << i;
    }
  }

  /// The state is inside of a step.
  bool is_inner(const std::byte* state) const { return inner_ && load_field(state, *inner_) != 0; }
  ProcessSet all_processes() const { return all_processes_; }
  /// The parties that move with an action; `no_action` is the step of a deadlock.
  ProcessSet participants(ActionId action) const { return action == no_action ? 0 : participants_[action]; }

 private:
  std::vector<ProcessSet> participants_;  // by action
  ProcessSet all_processes_ = 0;
  std::optional<Field> inner_;
};

}  // namespace tideline
