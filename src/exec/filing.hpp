// Filing: in which order the actions of a system are tried in a state, and what is tested for each.
//
// Every action is filed under its first participant (the sender of a rendezvous) and the location it leaves.
// A state's candidates are the entries of its current locations; actions whose first participant may be at
// any location are candidates everywhere. Actions that share the first participant's transition share one
// entry, so its guard is evaluated once; the entry then looks the second participants up by *their* current
// locations. What is left to test for an action (further participants, further guards) is a short list of its
// own, in which comparisons with constants come first.
//
// Actions without participants (the transitions of a Petri net) are filed under a slot that must not be 0 for
// them to be enabled, where they have one: such slots are looked for in the packed state word by word, so
// that empty places cost next to nothing.
//
// The order in which actions are found is part of what a filing says. The interpreter and native code are
// both made from it, so that they emit the same steps in the same order.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "exec/slot_tests.hpp"
#include "model/layout.hpp"
#include "model/system.hpp"

namespace tideline {

struct Filing {
  /// An action, with what remains to be tested where it is tried, in this order.
  struct Candidate {
    ActionId action = 0;
    std::vector<RangeTest> tests = {};
    Expr locations =
        Expr::constant(1);          ///< further participants are where they should be; always has a value
    std::vector<Expr> checks = {};  ///< guards that are not constant
  };
  using Candidates = std::vector<Candidate>;

  /// Second participants of one component, by its location.
  struct Partner {
    ComponentId component = 0;
    std::map<LocationId, Candidates> by_location;
  };
  /// A transition of a first participant.
  struct Entry {
    Expr guard = Expr::constant(1);
    Candidates alone = {};  ///< without a second participant, or with one at any location
    std::vector<Partner> partners = {};
  };
  using Entries = std::vector<Entry>;

  /// The entries of a component, by its location. A location slot may hold one value more than there are
  /// locations (the error state's).
  struct Directory {
    ComponentId component = 0;
    std::vector<Entries> by_location;
  };

  Filing(const System& system, const Layout& layout);

  // In the order in which they are tried:
  Entries free;                                 ///< with no location and no slot to be filed under
  std::map<std::uint32_t, Candidates> by_bit;   ///< need the bit at this offset of the packed state
  std::map<std::uint32_t, Candidates> by_byte;  ///< need a byte that is not 0 at this offset
  std::vector<Directory> directories;           ///< one for each component with control
};

/// How many values the location slot of a component may hold.
std::size_t location_values(const System& system, ComponentId component);

}  // namespace tideline
