// A network of LTSs as a System: one slot per component, and actions for its synchronisation vectors.
//
// A vector stands for every combination of local transitions of its parts, and these multiply: nine voters
// with three transitions each would be 19,683 actions. So only some of the parts are multiplied out: those
// with the fewest transitions, as long as the product stays small, and nearly always the first, so that
// engines find the action by the location of a component. The others become *tables*: the component takes
// part from any location, its guard looks up whether it has such a transition there, and the effect looks up
// where it leads. When it has several in one location, there is one table (and action) for the first of each
// location, one for the second, and so on. Either way read and write sets are exact, and the local control
// graph of a component has an edge for each of its transitions that an action can take.
#pragma once

#include <string>
#include <vector>

#include "lang/diagnostics.hpp"
#include "lang/lts/composition.hpp"
#include "lang/lts/lts.hpp"
#include "model/system.hpp"

namespace tideline::lts {

/// Values that states have besides their names: the parameter of a process, 0 where a state has none.
struct StateValues {
  std::string name;
  std::vector<std::int64_t> values;  ///< of each state
};

struct NetworkComponent {
  std::string name;
  Lts lts;
  std::vector<std::string> state_names{};  ///< unique; empty: s0, s1, ...
  std::vector<StateValues> values{};
  std::vector<bool> may_end{};  ///< where it may stay for ever; empty: nowhere
  SourcePoint where{};
};

struct Network {
  std::string name;
  Labels labels;
  std::vector<NetworkComponent> components{};
  std::vector<SyncVector> vectors{};
};

inline constexpr std::uint64_t most_actions = 1'000'000;
inline constexpr std::uint64_t most_table_entries = 50'000'000;
/// Products of local transitions up to this are multiplied out: of two parts, whose locations engines look
/// up, and of more.
inline constexpr std::uint64_t most_pairs = 256;
inline constexpr std::uint64_t most_combinations = 16;
/// A part with more transitions is not multiplied out either, when a table for it is not mostly empty.
inline constexpr std::uint64_t most_alone = 4096;

/// The System, complete(). Its language is `language`. Throws Error(input) when there are too many actions.
System to_system(const Network& network, std::string language, const SourceText& source);

}  // namespace tideline::lts
