// Closing: finds the stubborn set of a state by closing under D1 and D2 (stubborn.hpp).
//
// The state is looked at through questions alone: is this condition true, where is this process? Conditions about where a
// process is are one question for each process. All answers are noted in their order, for Decisions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reduce/decisions.hpp"
#include "reduce/relations.hpp"
#include "reduce/rules.hpp"

namespace tideline::por {

class Closing {
 public:
  Closing(const Relations& relations, const Rules& rules);

  /// From now on what comes out is counted there, to know what is worth trying.
  void teach(Rules& rules) { teaches_ = &rules; }

  /// Finds the set of a state with these enabled actions. False: it has all of them.
  bool find(const std::byte* state, const std::vector<ActionId>& enabled);
  /// Whether the set that was found is complete.
  bool is_complete() const { return is_complete_; }
  /// The places of its actions among those that are enabled.
  const std::vector<std::uint32_t>& places() const { return places_; }
  /// The questions that were asked, and the answers.
  const std::vector<Answer>& answers() const { return answers_; }

  /// Questions are less than this.
  Question questions() const {
    return static_cast<Question>(relations_.conditions().size() + relations_.system().components.size());
  }
  std::int32_t answer(Question question, const std::byte* state) const;

 private:
  void look_for(Pass pass, const std::vector<ActionId>& enabled);
  bool follows_ways(const Test& test) const { return test.is_place && !pass_.goes_back; }
  void find_complete(const std::vector<ActionId>& enabled);
  void find_clean(const std::vector<ActionId>& enabled);
  void try_seeds(const std::vector<ActionId>& enabled);
  bool add_seed(ActionId seed);
  bool has_key() const;
  bool close();
  bool add(ActionId action);
  bool add(const std::vector<ActionId>& actions);
  const std::vector<ActionId>* cheapest_enablers(const std::vector<ConditionId>& conditions);
  bool is_false(ConditionId condition);
  void begin_set();
  void take_set(bool is_complete);

  const Relations& relations_;
  const Rules& rules_;
  Rules* teaches_ = nullptr;  ///< while a sample is looked at: who learns

  const std::byte* state_ = nullptr;
  Pass pass_;  ///< the one that is going on
  std::vector<Answer> answers_;
  std::vector<std::int32_t> known_;            ///< the answer to each question
  std::vector<std::uint32_t> asked_in_;        ///< and for which state it was asked last
  std::uint32_t round_ = 0;                    ///< counts the states
  static constexpr std::uint8_t hopeless = 2;  ///< enabled, and in none of the sets that are wanted
  std::vector<std::uint8_t> is_enabled_, in_set_;
  std::vector<ActionId> set_;  ///< what is in it; from next_ on not closed yet
  std::size_t next_ = 0;
  std::size_t enabled_in_set_ = 0;
  std::vector<ActionId> ways_, cheapest_ways_;  ///< what comes first on the way to a location
  std::vector<ActionId> common_;                ///< what every set of try_seeds() has
  std::vector<ActionId> best_;
  std::vector<std::uint32_t> places_;
  std::size_t most_ = 0;      ///< enabled actions in the best set, or in all of them
  bool found_ = false;        ///< a set with fewer
  bool is_complete_ = false;  ///< and it is complete
};

}  // namespace tideline::por
