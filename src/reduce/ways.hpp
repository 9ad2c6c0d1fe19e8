// Ways: how a process gets from where it is to another location.
//
// An action that leaves another location than the one its process is at waits for the process to get there. On
// the way it takes one of the moves that leave where it is now and from where the location can be reached. So these
// few actions (with those that start the process anew) are what has to come first: nobody has to go back from the
// location, move by move, to where the process is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reduce/footprint.hpp"

namespace tideline::por {

class Ways {
 public:
  /// Follows the actions whose footprint says that they may happen.
  Ways(const System& system, const std::vector<Footprint>& footprints);

  /// Whether all changes of the component's location are known.
  bool knows(ComponentId component) const { return !processes_[component].leaving.empty(); }
  /// Sets `steps` to the actions one of which comes first, or starts the process anew, on each way from one location to
  /// another one.
  void first_steps(ComponentId component, LocationId from, LocationId to, std::vector<ActionId>& steps) const;

 private:
  struct Move {
    ActionId action = no_action;
    LocationId to = 0;
  };
  struct Process {
    std::vector<std::vector<Move>> leaving;  ///< by location
    std::vector<Move> placements;
    std::vector<std::uint64_t> reached;  ///< for each location the bits of those that can be reached from it

    bool reaches(LocationId from, LocationId to) const {
      const std::size_t words = (leaving.size() + 63) / 64;
      return (reached[from * words + to / 64] >> (to % 64) & 1U) != 0;
    }
    void find_reached();
  };

  std::vector<Process> processes_;  ///< by component
};

}  // namespace tideline::por
