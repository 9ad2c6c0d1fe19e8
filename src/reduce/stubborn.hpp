// Stubborn sets: which of a state's enabled actions are enough.
//
//   A. Valmari: Stubborn sets for reduced state space generation, 1991.
//   A. Valmari, H. Hansen: Stubborn set intuition explained, 2017 (what infinite runs need).
//   A. Laarman, E. Pater, J. van de Pol, H. Hansen: Guard-based partial-order reduction, 2016.
//   K. Schmidt: Stubborn sets for standard properties, 1999 (goals).
//
// A set T of actions is stubborn in a state s when
//   D1  an action of T that is disabled in s has a false condition, and T has some actions one of which is taken by
//       every run before the condition is true: all its enablers; or, where it says at which location a process
//       is, the first steps of that process on its ways there (ways.hpp)
//   D2  with an action of T that is enabled in s, everything in conflict with it is in T.
// Let t1 ... tn be a run from s, and ti the first of its actions that is in T. By D1 ti is enabled in s, or
// one of t1 ... would be in T; by D2 it accords with those before it. So ti t1 ... tn without the
// second ti is a run as well, to the same state. If no action of the run is in T, an enabled action of T can be
// put in front of it, and stays enabled to its end.
//
// Which actions T must contain depends on what is looked for. A set is *complete* if it contains
//   deadlocks   an enabled action, if there is one
//   a goal      (a state in which all conditions of a list are true) the enablers of one that is false in s
//   errors      every action that may end in a model error. Where such an action t is enabled and no action
//               of a run is in T, the run does not change what t reads, so t fails here or does not fail
//               there; additions to one slot, which accord, fail in any order
//   what is observed along infinite runs
//               every visible action, that is one that can change a truth which is observed; and an enabled
//               invisible action, if there is one
// Where sets are complete the next step shortens what remains of a run to what is looked for: it contains an
// action of T, which comes first now. A set that is not complete may put a foreign action in front. That does
// no harm where the set is *clean*: it has an enabled action, and none of its enabled actions
//   - is visible, or can make a condition of a goal false: what is seen of the run stays the same
//   - adds to a slot that another action may lead out of its range by an addition in the same direction: that
//     one would fail where it did not (an action that itself fails in s makes all others be taken as well)
//   - fails to lead on (order.hpp): every cycle of the reduced graph has a state whose set is not clean, and
//     so is complete; nothing is put off for ever.
// In each state the set with the fewest enabled actions is taken among those that are found, clean or complete.
// They are found by closing under D1 and D2 from what must be in them and from each enabled action in turn
// (closing.hpp); which false condition is chosen in D1 is the one that brings the fewest enabled actions. What is found
// serves all states in which the same actions are enabled and the same conditions true (decisions.hpp).
//
// Relations hold in the states behind the opening of the system (opening.hpp). In its opening all actions are taken.
//
// What is observed of runs of the reduced graph is, up to repetitions, what is observed of all runs: a complete
// set with a visible action contains all of them, so their order stays. Each infinite run keeps being infinite,
// since a foreign action is an invisible one.
//
// The set is a function of the system's state alone, not of an automaton's state beside it or of the history
// of a search: the reduced graph is a graph, whose product with an automaton any engine may search, in any
// order and with any number of threads. Sets that depend on the product's state are not sound in general
// (S. F. Siegel: What's wrong with on-the-fly partial order reduction, 2019).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "exec/reference.hpp"
#include "model/system.hpp"
#include "reduce/method.hpp"
#include "run/budget.hpp"

namespace tideline::por {

class Closing;
class Decisions;
class Relations;
class Rules;

/// What has to be found in a reduced state space if it is in the full one.
struct Preserved {
  bool deadlocks = true;
  bool errors = true;
  std::vector<Expr> goals = {};  ///< states in which one of these is true
  /// What of these is true in one state after another along infinite runs, up to repetitions.
  std::vector<Expr> observed = {};
  /// Off: for measuring what the condition on cycles costs. Something may be put off for ever then.
  bool on_cycles = true;
};

/// Why an action is not in a clean set where it is enabled.
enum class Dirt : std::uint8_t {
  none,            ///< it may be
  is_seen,         ///< it is visible, or can make a condition of a goal false
  hastens_errors,  ///< after it another action may fail that did not fail before
  leads_back,      ///< it does not lead on
};

/// Immutable, shared by all threads of a search.
class StubbornSets {
 public:
  ~StubbornSets();
  /// Looks at a sample of states, to know what is worth trying. Throws LimitReached; no budget: no limits.
  static std::shared_ptr<const StubbornSets> make(const System& system, ErrorSemantics errors,
                                                  Preserved preserved, Method method = Method::stubborn,
                                                  Budget* budget = nullptr);

  const Relations& relations() const { return *relations_; }
  /// There are too many relations to be looked at: nothing is left out.
  bool given_up() const;
  const Preserved& preserved() const { return preserved_; }
  /// In no state is anything left out: none was in the sample, or there are too many relations.
  bool is_useless() const { return is_useless_; }
  Dirt dirt(ActionId action) const;
  /// Whether there may be clean sets that are not complete.
  bool has_clean_sets() const;
  /// How many of the enabled actions were needed in the states of the sample, 0 to 1.
  double needed_in_sample() const { return needed_in_sample_; }
  /// In how many states actions were left out, by the threads that have ended.
  std::uint64_t reduced_states() const { return reduced_states_; }

 private:
  friend class StubbornSet;

  StubbornSets(const System& system, ErrorSemantics errors, Preserved preserved, Method method,
               Budget* budget);
  static void look_at_sample(const std::shared_ptr<StubbornSets>& sets, ErrorSemantics errors,
                             Budget* budget);

  Preserved preserved_;
  std::unique_ptr<Relations> relations_;
  std::unique_ptr<Rules> rules_;
  bool is_useless_ = false;
  double needed_in_sample_ = 1;
  mutable std::atomic<std::uint64_t> reduced_states_ = 0;
};

/// The stubborn set of one state after another: the scratch memory of one thread.
class StubbornSet {
 public:
  explicit StubbornSet(std::shared_ptr<const StubbornSets> sets);
  StubbornSet(const StubbornSet& other) : StubbornSet(other.sets_) {}
  StubbornSet& operator=(const StubbornSet&) = delete;
  ~StubbornSet();

  /// Takes the actions that are not needed out of the list of enabled ones. The rest keeps its order.
  /// False: all are needed.
  bool reduce(const std::byte* state, std::vector<ActionId>& enabled);

  /// Actions that the last set lacks are taken, too, after all.
  void take_all() { --reduced_states_; }

  /// Whether the last set was complete: all enabled actions, or a set that makes headway.
  bool is_complete() const { return is_complete_; }

 private:
  friend class StubbornSets;

  std::shared_ptr<const StubbornSets> sets_;
  std::unique_ptr<Closing> closing_;
  std::unique_ptr<Decisions> decisions_;  ///< nothing while a sample is looked at
  bool is_complete_ = true;
  std::uint64_t reduced_states_ = 0;
};

}  // namespace tideline::por
