// Rules: what the stubborn sets of a search have to contain, and which of them are worth looking for (stubborn.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "exec/bytecode.hpp"
#include "model/layout.hpp"
#include "reduce/relations.hpp"
#include "reduce/stubborn.hpp"

namespace tideline::por {

/// A condition, ready to be evaluated in packed states.
struct Test {
  std::uint32_t question = 0;  ///< its own number, or that of a component's location (closing.hpp)
  bool is_place = false;       ///< a process is at `low`, and all ways there are known
  bool is_range = false;       ///< the field is in low..high, or is outside
  bool is_outside = false;
  Field field = {};
  std::int64_t low = 0, high = 0;
  std::uint32_t code = 0;  ///< for others

  bool holds(std::int64_t value) const { return (low <= value && value <= high) != is_outside; }
};

/// What kind of set is looked for, and how.
struct Pass {
  bool is_clean = false;
  /// From the location that a process has to get to back to where it is, move by move, instead of on from there. That
  /// takes longer, and leads to a smaller set now and then.
  bool goes_back = false;
};

/// How the sets of a pass came out in the sample, by the action that they begin with.
struct Trials {
  std::vector<std::uint32_t> tried = {}, taken = {};
  std::vector<std::uint8_t> worth_trying = {};
  std::uint32_t states = 0, found_in = 0;  ///< where such sets were looked for, and where one was found
  bool pays = true;

  explicit Trials(std::size_t actions) : tried(actions), taken(actions), worth_trying(actions, 1) {}
  /// What was tried often and never taken is not tried any more.
  void conclude();
};

class Rules {
 public:
  Rules(Relations& relations, ErrorSemantics errors, const Preserved& preserved, Method method);

  Trials& trials(Pass pass) { return trials_[(pass.is_clean ? 2 : 0) + (pass.goes_back ? 1 : 0)]; }
  const Trials& trials(Pass pass) const { return const_cast<Rules&>(*this).trials(pass); }

  Method method;
  bool observes;                 ///< infinite runs
  bool needs_enabled;            ///< a set must have an enabled action if there is one
  std::vector<Test> tests = {};  ///< of each condition
  bytecode::Chunk chunk = {};
  std::vector<Field> places = {};                 ///< of each component: where its location is
  std::vector<ActionId> must = {};                ///< actions that belong to every complete set
  std::vector<std::uint8_t> is_visible;           ///< by action
  std::vector<Dirt> dirt;                         ///< by action
  bool has_clean_sets = false;                    ///< which are not complete anyway
  std::vector<std::vector<ActionId>> actions_of;  ///< by component

 private:
  void make_tests(const Relations& relations);
  void find_roles(Relations& relations, ErrorSemantics errors, const Preserved& preserved);

  std::array<Trials, 4> trials_;
};

}  // namespace tideline::por
