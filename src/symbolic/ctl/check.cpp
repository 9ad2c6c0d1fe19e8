// From properties to verdicts: the reachable states are computed once, then every property of states is a set
// that is empty or not. Something found is an answer; nothing found is an answer only when all states are
// known and no model error cuts runs off. A property that has no value in a reachable state is violated.
// Formulas of CTL share the sets of their parts.
//
// A forest belongs to one thread. With several, all but one have a copy of the reachable states, which is
// small beside what fixpoints make of it, and take one property after the other. Formulas then share less.
#include "symbolic/ctl/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <optional>

#include "exec/predicate.hpp"
#include "model/layout.hpp"
#include "model/value_condition.hpp"
#include "run/open_steps.hpp"
#include "run/side_by_side.hpp"
#include "run/vacuity.hpp"
#include "symbolic/ctl/run.hpp"
#include "symbolic/diagrams/counts.hpp"
#include "symbolic/space/facts.hpp"
#include "symbolic/space/formulas.hpp"
#include "symbolic/space/runs.hpp"

namespace tideline::symbolic {

namespace {

/// The reachable states that properties see: all, unless the system has open steps (run/open_steps.hpp).
Forest::Root seen_states(StateSpace& space) {
  const System& system = space.system();
  if (system.inner == no_slot) return space.forest().root(space.reachable());
  return space.forest().root(
      Formulas(system, space.levels(), space.sets()).satisfying(space.reachable(), is_seen(system)));
}

bool has_always(const CtlFormula& formula) {
  return std::ranges::any_of(formula.nodes, [](const auto& node) { return node.op == CtlFormula::Op::eg; });
}

/// Judges properties on a space of which all states are known. Runs on the stack of the caller.
class Judge {
 public:
  Judge(StateSpace& space, const SymbolicOptions& options) : space_(space), options_(options) {}

  StateSpace& space() { return space_; }

  /// Adds what is to be said about the property to the warnings. Throws LimitReached.
  void judge(PropertyResult& result, std::vector<std::string>& warnings, Budget& budget) {
    space_.forest().set_budget(&budget);
    budget_ = &budget;
    if (!failures_) failures_ = failures(space_.relations(), space_.reachable());
    if (!seen_) seen_ = seen_states(space_);
    if (is_liveness(result.property.kind))
      result.reason = "the set of reachable states does not decide what infinite runs do";
    else if (result.property.kind == PropertyKind::ctl)
      judge_ctl(result, warnings);
    else
      judge_states(result);
  }

 private:
  void judge_states(PropertyResult& result) {
    const Property& property = result.property;
    result.reason.clear();
    if (lacks_value(result)) return;
    const bool found_means_holds = property.kind == PropertyKind::reach;
    const auto [action, targets] = targets_of(property);
    if (targets.id() != empty && found_means_holds && !failures_->empty() &&
        may_lack_value(property.expr, space_.system())) {
      result.reason = open_value_reason(not_followed_reason);
    } else if (targets.id() != empty) {
      result.verdict = found_means_holds ? Verdict::holds : Verdict::violated;
      if (options_.traces)
        put_together(result, [&] {
          Path path = find_run(space_, targets.id());
          path.failing_action = action;
          result.path = PathBuilder(std::move(path));
        });
    } else if (!failures_->empty()) {
      result.reason = not_followed_reason;
    } else if (stays_inside()) {
      result.reason = endless_reason;
    } else {
      result.verdict = found_means_holds ? Verdict::violated : Verdict::holds;
    }
  }

  /// Looks for states in which the property has no value, and if there are some, judges it.
  bool lacks_value(PropertyResult& result) {
    const Expr& expr = result.property.expr;
    const Expr condition = value_condition(expr, space_.system());
    if (condition.is_constant(1)) return false;
    Formulas formulas(space_.system(), space_.levels(), space_.sets());
    const Forest::Root states =
        space_.forest().root(formulas.satisfying(space_.reachable(), Expr::unary(Op::logic_not, condition)));
    if (states.id() == empty) return false;
    result.verdict = Verdict::violated;
    result.reason = "the property has no value in a reachable state";
    put_together(result, [&] {
      Path path = find_run(space_, states.id());
      ModelErrorKind error = ModelErrorKind::none;
      Predicate(space_.system(), space_.levels().layout(), expr).evaluate(path.states.back().data(), error);
      result.reason = no_value_reason(error);
      if (options_.traces) result.path = PathBuilder(std::move(path));
    });
    return true;
  }

  /// Builds the run of a verdict; when a limit ends that, the result says so, and the exception is rethrown.
  template <class Build>
  void put_together(PropertyResult& result, const Build& build) {
    const auto say_why = [&] {
      result.reason +=
          fmt::format("{}the run was not built: {}", result.reason.empty() ? "" : "; ", budget_->reason());
    };
    try {
      build();
    } catch (const LimitReached&) {
      say_why();
      throw;
    } catch (const std::bad_alloc&) {
      budget_->exhaust_memory();
      say_why();
      throw;
    }
  }

  void judge_ctl(PropertyResult& result, std::vector<std::string>& warnings) {
    if (stays_inside() || (has_always(*result.property.ctl) && goes_round_inside())) {
      result.reason = endless_reason;
      return;
    }
    CtlValues values(ctl_sets(), *result.property.ctl, result.property.deadlock_paths);
    result.verdict = values.verdict();
    warn_of_constant_atoms(result, constant_truths(*result.property.ctl), warnings);
    result.reason = result.verdict == Verdict::unknown ? not_followed_reason : "";
    if (result.verdict == Verdict::unknown || !options_.traces) return;
    put_together(result, [&] {
      CtlRun run = ctl_run(values, result.verdict == Verdict::holds);
      if (!run.found) return;
      result.reason = run.remark;
      result.path = PathBuilder(std::move(run.path));
    });
  }

  /// By atom: its truth, where that is the same everywhere.
  std::vector<std::optional<bool>> constant_truths(const CtlFormula& formula) {
    std::vector<std::optional<bool>> truths(formula.atoms.size());
    for (std::size_t i = 0; i < formula.atoms.size(); ++i) {
      if (formula.atom_names[i].empty()) continue;  // not the user's
      const Kept states(space_.forest(),
                        space_.sets().intersect(ctl_sets().satisfying(formula.atoms[i]), seen_->id()));
      if (states.id() == empty || states.id() == seen_->id()) truths[i] = states.id() != empty;
    }
    return truths;
  }

  CtlSets& ctl_sets() {
    if (!ctl_sets_) ctl_sets_.emplace(space_);
    return *ctl_sets_;
  }

  /// Whether a run can stay for ever in states that properties do not see.
  bool goes_round_inside() {
    if (seen_->id() == space_.reachable()) return false;
    const Kept inner(space_.forest(), ctl_sets().without(seen_->id()));
    return ctl_sets().always(Side::certain, inner.id()) != empty;
  }

  /// Whether there are such states that no run leaves.
  bool stays_inside() {
    if (seen_->id() == space_.reachable()) return false;
    return ctl_sets().until(Side::certain, space_.reachable(), seen_->id()) != space_.reachable();
  }

  /// The states that decide a property, and for model errors the action that ends in one there.
  std::pair<ActionId, Forest::Root> targets_of(const Property& property) {
    if (property.kind != PropertyKind::model_error)
      return {no_action, space_.forest().root(deciding_states(space_, property))};
    return failures_->empty() ? std::pair(no_action, space_.forest().root(empty)) : failures_->front();
  }

  StateSpace& space_;
  const SymbolicOptions& options_;
  Budget* budget_ = nullptr;
  std::optional<Forest::Root> seen_;  ///< the reachable states that properties see
  std::optional<CtlSets> ctl_sets_;
  std::optional<std::vector<std::pair<ActionId, Forest::Root>>> failures_;
};

/// The judges of several threads: the first has the space, the others have copies of it.
class Judges {
 public:
  Judges(StateSpace& space, const SymbolicOptions& options) : options_(options), first_(space, options) {}

  Judge& first() { return first_; }

  /// Makes so many judges, or fewer if that takes too much memory, and returns their number.
  unsigned make(unsigned count, Budget& budget) {
    idle_.push_back(&first_);
    try {
      while (idle_.size() < count && has_memory_for_several(budget)) {
        copies_.push_back(std::make_unique<Copy>(first_.space(), options_, budget));
        idle_.push_back(&copies_.back()->judge);
      }
    } catch (const std::bad_alloc&) {
      drop_copies();
    }
    return static_cast<unsigned>(idle_.size());
  }

  /// Gives the memory of copies that are idle back.
  void drop_copies() {
    const std::scoped_lock lock(mutex_);
    std::erase_if(copies_, [&](const auto& copy) {
      if (std::erase(idle_, &copy->judge) == 0) return false;
      dropped_ += copy->space.forest().figures();
      return true;
    });
  }
  /// Of copies that were dropped.
  const ForestFigures& dropped() const { return dropped_; }

  /// work(judge) with one that is idle, on a stack that is deep enough.
  template <class Work>
  void with_one(const Work& work) {
    Judge* const judge = take();
    try {
      judge->space().run([&] { work(*judge); });
    } catch (...) {
      give_back(judge);
      throw;
    }
    give_back(judge);
  }

 private:
  struct Copy {
    StateSpace space;
    Judge judge;
    Copy(const StateSpace& of, const SymbolicOptions& options, Budget& budget)
        : space(of.copy({.budget = &budget})), judge(space, options) {}
  };

  Judge* take() {
    const std::scoped_lock lock(mutex_);
    if (idle_.empty()) throw std::bad_alloc();  // copies were dropped
    Judge* const judge = idle_.back();
    idle_.pop_back();
    return judge;
  }
  void give_back(Judge* judge) {
    const std::scoped_lock lock(mutex_);
    idle_.push_back(judge);
  }

  const SymbolicOptions& options_;
  Judge first_;
  std::vector<std::unique_ptr<Copy>> copies_;
  ForestFigures dropped_;
  std::mutex mutex_;
  std::vector<Judge*> idle_;
};

struct Judgement {
  bool done = false;
  std::vector<std::string> warnings = {};
};

class SymbolicCheck {
 public:
  SymbolicCheck(const System& system, const std::vector<Property>& properties, const SymbolicOptions& options,
                Budget& budget)
      : system_(system),
        properties_(properties),
        options_(options),
        budget_(budget),
        start_(std::chrono::steady_clock::now()) {}

  Outcome run() {
    for (const Property& property : properties_)
      outcome_.results.push_back({property, Verdict::unknown, "the states are not known yet", {}});
    try {
      space_.emplace(system_, StateSpaceOptions{.order = options_.order,
                                                .grouping = options_.grouping,
                                                .groups = {},
                                                .method = Method::saturation,
                                                .threads = options_.threads,
                                                .forest = {.budget = &budget_}});
      space_->explore();
      outcome_.complete = true;
      space_->run([&] { count_all(); });
      judge_all();
    } catch (const LimitReached&) {
      give_up(budget_.reason());
    } catch (const std::bad_alloc&) {
      budget_.exhaust_memory();
      give_up(budget_.reason());
    }
    set_figures();
    return std::move(outcome_);
  }

 private:
  /// What is undecided stays unknown, for this reason.
  void give_up(const std::string& reason) {
    for (PropertyResult& result : outcome_.results)
      if (result.verdict == Verdict::unknown && !is_liveness(result.property.kind)) result.reason = reason;
  }

  void count_all() {
    set("states", count_value(space_->sets().count(seen_states(*space_).id())));
    if (!options_.counts) return;
    EdgeCount edges = count_edges(space_->relations(), space_->reachable());
    if (system_.inner == no_slot) set("transitions", count_value(edges.transitions));
    const Kept dead(space_->forest(),
                    deciding_states(*space_, {.name = "", .kind = PropertyKind::deadlock, .formula = ""}));
    set("deadlocks", count_value(space_->sets().count(dead.id())));
    outcome_.never_enabled = std::move(edges.never);
  }

  void judge_all() {
    judgements_.resize(outcome_.results.size());
    Judges judges(*space_, options_);
    judge_side_by_side(judges);
    space_->run([&] {
      for (std::size_t i = 0; i < judgements_.size(); ++i) {
        if (!judgements_[i].done) {
          if (!budget_.reason().empty()) throw LimitReached(budget_.reason());
          judges.first().judge(outcome_.results[i], judgements_[i].warnings, budget_);
        }
        std::ranges::move(judgements_[i].warnings, std::back_inserter(outcome_.warnings));
      }
    });
  }

  /// Where there is nothing to evaluate but an expression, and no run to find, a copy takes longer.
  bool may_take_long(const Property& property) const {
    return property.kind == PropertyKind::ctl ||
           (options_.traces && property.kind != PropertyKind::model_error);
  }

  void judge_side_by_side(Judges& judges) {
    const auto count = static_cast<std::size_t>(
        std::ranges::count_if(properties_, [&](const Property& p) { return may_take_long(p); }));
    if (options_.threads == 1 || count < 2) return;
    const auto useful = static_cast<unsigned>(std::min<std::size_t>(options_.threads, count));
    run_side_by_side(judges.make(useful, budget_),
                     {.count = judgements_.size(),
                      .run =
                          [&](std::size_t i, Budget& own) {
                            judges.with_one([&](Judge& judge) {
                              judge.judge(outcome_.results[i], judgements_[i].warnings, own);
                              judgements_[i].done = true;
                            });
                            return false;
                          },
                      .drop =
                          [&](std::size_t i) {
                            judges.drop_copies();
                            judgements_[i] = {};
                            outcome_.results[i] = {properties_[i], Verdict::unknown, "", {}};
                          }},
                     budget_);
    judges.drop_copies();
    copies_ = judges.dropped();
    space_->forest().set_budget(&budget_);
  }

  void set_figures() {
    if (space_) {
      const NodeId roots[] = {space_->reachable()};
      if (outcome_.complete) set("nodes", space_->forest().count_nodes(roots));
      set_diagram_figures(*space_, outcome_.statistics, copies_);
    }
    set("state_bytes", std::uint64_t{Layout(system_).size()});
    set_run_figures(start_, options_.threads, outcome_.statistics);
  }

  void set(Stat stat, Statistics::Value value) { outcome_.statistics.set(stat, std::move(value)); }

  const System& system_;
  const std::vector<Property>& properties_;
  const SymbolicOptions& options_;
  Budget& budget_;
  std::chrono::steady_clock::time_point start_;
  std::optional<StateSpace> space_;
  std::vector<Judgement> judgements_;  ///< by property
  ForestFigures copies_;               ///< of the space, which are gone
  Outcome outcome_;
};

}  // namespace

NodeId deciding_states(StateSpace& space, const Property& property) {
  const NodeId reachable = space.reachable();
  Formulas formulas(space.system(), space.levels(), space.sets());
  if (property.kind == PropertyKind::deadlock) {
    const Kept dead(space.forest(), deadlocks(space.relations(), reachable));
    if (!space.system().may_end) return dead.id();
    const Kept allowed(space.forest(), formulas.satisfying(dead.id(), *space.system().may_end));
    return space.sets().subtract(dead.id(), allowed.id());
  }
  const Kept satisfying(space.forest(), formulas.satisfying(reachable, property.expr));
  return property.kind == PropertyKind::reach ? satisfying.id()
                                              : space.sets().subtract(reachable, satisfying.id());
}

Outcome check_symbolic(const System& system, const std::vector<Property>& properties,
                       const SymbolicOptions& options, Budget& budget) {
  if (system.transient == no_slot) return SymbolicCheck(system, properties, options, budget).run();
  const System open = with_open_steps(system);
  std::vector<Property> asked;
  for (const Property& property : properties) asked.push_back(with_open_steps(property, open));
  Outcome outcome = SymbolicCheck(open, asked, options, budget).run();
  for (std::size_t i = 0; i < properties.size(); ++i) outcome.results[i].property = properties[i];
  return outcome;
}

}  // namespace tideline::symbolic
