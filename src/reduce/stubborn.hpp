// Stubborn sets: which of a state's enabled actions are enough.
//
//   A. Valmari: Stubborn sets for reduced state space generation, 1991.
//   A. Laarman, E. Pater, J. van de Pol, H. Hansen: Guard-based partial-order reduction, 2016.
//   K. Schmidt: Stubborn sets for standard properties, 1999 (goals).
//
// A set T of actions is stubborn in a state s when
//   D1  an action of T that is disabled in s has a false condition all of whose enablers are in T
//   D2  with an action of T that is enabled in s, everything in conflict with it is in T.
// Let t1 ... tn be a run from s, and ti the first of its actions that is in T. By D1 ti is enabled in s, or
// one of t1 ... would be an enabler in T; by D2 it accords with those before it. So ti t1 ... tn is a run
// as well, to the same state: taking only the actions of T, every state with something that T cannot do
// without is found, and at each step what remains of the run gets shorter. There is no cycle in which an
// action could be put off for ever, so no proviso is needed. What T has to contain depends on what is
// looked for:
//   deadlocks   an enabled action, if there is one: a run to a deadlock must contain it or something in T,
//               since nothing outside T disables it
//   a goal      (a state in which all conditions of a list are true) the enablers of one that is false in s
//   errors      every action that may end in a model error. Where such an action t is enabled and no action
//               of a run is in T, the run does not change what t reads, so t fails here or does not fail
//               there; additions to one slot, which accord, fail in any order
//
// Found by closing under D1 and D2 from every enabled action in turn (or from the goals); which false
// condition is chosen in D1 is the one whose enablers bring the fewest enabled actions. Of the sets the one
// with the fewest enabled actions is taken.
//
// The set is a function of the state: engines that expand a state twice see the same edges.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "exec/bytecode.hpp"
#include "model/layout.hpp"
#include "reduce/relations.hpp"

namespace tideline::por {

/// What has to be found in a reduced state space if it is in the full one.
struct Preserved {
  bool deadlocks = true;
  bool errors = true;
  std::vector<Expr> goals = {};  ///< states in which one of these is true
};

/// Immutable, shared by all threads of a search.
class StubbornSets {
 public:
  StubbornSets(const System& system, const Layout& layout, ErrorSemantics errors, Preserved preserved);

  const Relations& relations() const { return relations_; }
  const Preserved& preserved() const { return preserved_; }
  /// In how many states actions were left out, by the threads that have ended.
  std::uint64_t reduced_states() const { return reduced_states_; }

 private:
  friend class StubbornSet;

  Preserved preserved_;
  Relations relations_;
  bytecode::Chunk chunk_;
  std::vector<std::uint32_t> code_;  ///< of each condition
  std::vector<ActionId> may_fail_;   ///< actions that belong to every set
  mutable std::atomic<std::uint64_t> reduced_states_ = 0;
};

/// The stubborn set of one state after another: the scratch memory of one thread.
class StubbornSet {
 public:
  explicit StubbornSet(std::shared_ptr<const StubbornSets> sets);
  StubbornSet(const StubbornSet& other) : StubbornSet(other.sets_) {}
  StubbornSet& operator=(const StubbornSet&) = delete;
  ~StubbornSet() { sets_->reduced_states_ += reduced_states_; }

  /// Takes the actions that are not needed out of the list of enabled ones. The rest keeps its order.
  /// False: all are needed.
  bool reduce(const std::byte* state, std::vector<ActionId>& enabled);

 private:
  enum class Truth : std::uint8_t { unknown, is_false, is_true };

  bool close();
  bool add(ActionId action);
  bool add(const std::vector<ActionId>& actions);
  const std::vector<ActionId>* cheapest_enablers(const std::vector<ConditionId>& conditions);
  bool is_false(ConditionId condition);
  void begin_set();

  std::shared_ptr<const StubbornSets> sets_;
  const std::byte* state_ = nullptr;
  std::vector<Truth> truths_;
  std::vector<ConditionId> evaluated_;         ///< whose truths_ are known
  static constexpr std::uint8_t hopeless = 2;  ///< enabled, and in no smaller set than the best one
  std::vector<std::uint8_t> is_enabled_, in_set_;
  std::vector<ActionId> set_;  ///< what is in it; from next_ on not closed yet
  std::size_t next_ = 0;
  std::size_t enabled_in_set_ = 0, most_ = 0;
  std::vector<ActionId> common_;  ///< what every set has
  std::vector<ActionId> best_;
  std::uint64_t reduced_states_ = 0;
};

}  // namespace tideline::por
