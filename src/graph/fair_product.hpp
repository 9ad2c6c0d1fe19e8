// The product of a system with a property automaton, for checking under fairness.
//
// It is a PropertyProduct that also knows which processes take part in an action. Processes are the
// components that take part in any action, in their order; others can never be treated unfairly. As the
// property moves with every step of the system, a product state has a step for every enabled action of the
// system, or no step at all and then lies on no cycle: what is enabled can be read off the steps.
//
//   SccSearch(WeaklyFair(FairProduct(...)), table)       finds weakly fair runs
//   StrongFairnessSearch(FairProduct(...), table)        finds strongly fair ones
#pragma once

#include <bit>
#include <string>
#include <vector>

#include "graph/fair_graph.hpp"
#include "graph/property_product.hpp"

namespace tideline {

template <SystemGraph G>
class FairProduct : public PropertyProduct<G> {
 public:
  static constexpr int most_processes = 64;

  /// The property must outlive the product. Throws Error(input) for more than 64 processes.
  FairProduct(const G& graph, const PropertyProcess& property) : PropertyProduct<G>(graph, property) {
    const System& system = graph.system();
    const std::vector<int> process = number_processes(system);
    for (const Action& action : system.actions) {
      ProcessSet participants = 0;
      for (const Participant& p : action.participants) participants |= ProcessSet{1} << process[p.component];
      participants_.push_back(participants);
      all_processes_ |= participants;
    }
  }

  ProcessSet all_processes() const { return all_processes_; }
  /// The processes that move with an action; `no_action` is the step of a deadlock.
  ProcessSet participants(ActionId action) const { return action == no_action ? 0 : participants_[action]; }

 private:
  static constexpr int none = -1;

  static std::vector<int> number_processes(const System& system) {
    std::vector<int> process(system.components.size(), none);
    for (const Action& action : system.actions)
      for (const Participant& p : action.participants) process[p.component] = 0;
    int count = 0;
    for (int& number : process)
      if (number != none) number = count++;
    if (count > most_processes)
      throw Error(ErrorKind::input, "the model has " + std::to_string(count) +
                                        " processes; fairness is possible for at most " +
                                        std::to_string(most_processes));
    return process;
  }

  std::vector<ProcessSet> participants_;  // by action
  ProcessSet all_processes_ = 0;
};

}  // namespace tideline
