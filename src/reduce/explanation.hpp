// Explanation: what in a model keeps partial order reduction from leaving out steps, for the model's author.
//
// It follows from the relations of actions (relations.hpp) and from the roles that actions have for what is
// preserved (stubborn.hpp). A set grows by D2 where actions are in conflict, and by D1 where one waits for the
// other: it has a condition that the other can make true.
//
// A process takes its steps one after another, so what its own actions do to each other explains nothing. What
// counts are pairs *between processes*: two actions each of which has a participant that the other lacks. An
// action without participants, a transition of a net, is a process of its own.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "reduce/stubborn.hpp"

namespace tideline::por {

/// What a conflict of two actions is about: the slots that one of them changes and the other one reads or
/// changes. Left out are slots that both only add to in one direction, or set to the same value.
std::vector<SlotId> slots_in_conflict(const Relations& relations, ActionId a, ActionId b);

/// How many pairs of actions there are of each kind; a pair may be of both.
struct Pairs {
  std::uint64_t conflicts = 0;
  std::uint64_t waits = 0;  ///< two for a pair in which each waits for the other

  auto operator<=>(const Pairs&) const = default;
};

struct Explanation {
  /// Two processes, and the pairs of an action of one and an action of the other; neither is an action of both.
  struct Processes {
    ComponentId one = 0, other = 0;
    Pairs found = {};
    std::uint64_t all = 0;
    std::vector<SlotId> about = {};  ///< those of most pairs first
  };
  /// Slots of one variable that the same actions read and change.
  struct Slots {
    std::vector<SlotId> slots = {};
    Pairs found = {};
    std::size_t readers = 0, writers = 0;
  };
  /// An action, and how many of the actions of other processes it is in conflict with.
  struct Conflicting {
    ActionId action = 0;
    std::uint64_t conflicts = 0, others = 0;
  };
  /// The conflicts of an action, and what it waits for, in other processes.
  struct Details {
    struct With {
      ActionId action = 0;
      std::vector<SlotId> about = {};
    };
    ActionId action = 0;
    std::vector<With> conflicts = {}, waits_for = {};
  };

  std::size_t actions = 0, processes = 0;  ///< processes: those that take part in actions
  double needed_in_sample = 1;             ///< of the enabled actions, 0 to 1
  bool given_up = false;                   ///< there are too many relations: the rest is empty

  Pairs found = {};                          ///< between processes
  std::uint64_t pairs = 0;                   ///< of how many
  std::vector<Processes> between = {};       ///< only those with such pairs; most conflicts first
  std::uint64_t independent = 0;             ///< pairs of processes without any
  std::vector<Slots> slots = {};             ///< most conflicts first
  std::vector<Conflicting> nearly_all = {};  ///< in conflict with at least three quarters; most first
  bool has_property = false;                 ///< what is preserved is not only deadlocks and model errors
  std::vector<ActionId> visible = {};        ///< can change what the property sees
  bool has_proviso = false;                  ///< it matters which actions lead back
  std::vector<ActionId> leading_back = {};   ///< of those that are not visible
  std::vector<ActionId> failing = {};        ///< may end in a model error
  std::vector<Details> details = {};         ///< of each action, if wanted
};

struct ExplanationOptions {
  std::vector<ComponentId> processes = {};  ///< only pairs and actions of these; empty: of all
  bool details = false;                     ///< of each action
};

Explanation explain(const StubbornSets& sets, const ExplanationOptions& options = {});

}  // namespace tideline::por
