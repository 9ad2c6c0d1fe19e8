// From properties to verdicts: the reachable states are computed once, then every property of states is a set
// that is empty or not. Something found is an answer; nothing found is an answer only when all states are
// known and no model error cuts runs off. A property that has no value in a reachable state is violated.
// Formulas of CTL share the sets of their parts.
#include "symbolic/ctl/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <optional>

#include "exec/predicate.hpp"
#include "model/layout.hpp"
#include "model/value_condition.hpp"
#include "run/vacuity.hpp"
#include "symbolic/ctl/run.hpp"
#include "symbolic/diagrams/counts.hpp"
#include "symbolic/space/facts.hpp"
#include "symbolic/space/formulas.hpp"
#include "symbolic/space/runs.hpp"

namespace tideline::symbolic {

namespace {

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
                                                .forest = {.budget = &budget_}});
      space_->explore();
      outcome_.complete = true;
      space_->run([&] { judge_all(); });
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

  void judge_all() {
    set("states", count_value(space_->sets().count(space_->reachable())));
    if (options_.counts) count();
    failures_ = failures(space_->relations(), space_->reachable());
    for (PropertyResult& result : outcome_.results) judge(result);
  }

  void count() {
    EdgeCount edges = count_edges(space_->relations(), space_->reachable());
    set("transitions", count_value(edges.transitions));
    const Kept dead(space_->forest(), deadlocks(space_->relations(), space_->reachable()));
    set("deadlocks", count_value(space_->sets().count(dead.id())));
    outcome_.never_enabled = std::move(edges.never);
  }

  void judge(PropertyResult& result) {
    const Property& property = result.property;
    if (is_liveness(property.kind)) {
      result.reason = "the set of reachable states does not decide what infinite runs do";
      return;
    }
    if (property.kind == PropertyKind::ctl) {
      judge_ctl(result);
      return;
    }
    result.reason.clear();
    if (lacks_value(result)) return;
    const bool found_means_holds = property.kind == PropertyKind::reach;
    const auto [action, targets] = targets_of(property);
    if (targets.id() != empty && found_means_holds && !failures_.empty() &&
        may_lack_value(property.expr, system_)) {
      result.reason = open_value_reason(not_followed_reason);
    } else if (targets.id() != empty) {
      result.verdict = found_means_holds ? Verdict::holds : Verdict::violated;
      if (options_.traces)
        put_together(result, [&] {
          Path path = find_run(*space_, targets.id());
          path.failing_action = action;
          result.path = PathBuilder(std::move(path));
        });
    } else if (!failures_.empty()) {
      result.reason = not_followed_reason;
    } else {
      result.verdict = found_means_holds ? Verdict::violated : Verdict::holds;
    }
  }

  /// Looks for states in which the property has no value, and if there are some, judges it.
  bool lacks_value(PropertyResult& result) {
    const Expr& expr = result.property.expr;
    const Expr condition = value_condition(expr, system_);
    if (condition.is_constant(1)) return false;
    Formulas formulas(system_, space_->levels(), space_->sets());
    const Forest::Root states = space_->forest().root(
        formulas.satisfying(space_->reachable(), Expr::unary(Op::logic_not, condition)));
    if (states.id() == empty) return false;
    result.verdict = Verdict::violated;
    result.reason = "the property has no value in a reachable state";
    put_together(result, [&] {
      Path path = find_run(*space_, states.id());
      ModelErrorKind error = ModelErrorKind::none;
      Predicate(system_, space_->levels().layout(), expr).evaluate(path.states.back().data(), error);
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
          fmt::format("{}the run was not built: {}", result.reason.empty() ? "" : "; ", budget_.reason());
    };
    try {
      build();
    } catch (const LimitReached&) {
      say_why();
      throw;
    } catch (const std::bad_alloc&) {
      budget_.exhaust_memory();
      say_why();
      throw;
    }
  }

  void judge_ctl(PropertyResult& result) {
    if (!ctl_sets_) ctl_sets_.emplace(*space_);
    CtlValues values(*ctl_sets_, *result.property.ctl, result.property.deadlock_paths);
    result.verdict = values.verdict();
    warn_of_constant_atoms(result, constant_truths(*result.property.ctl), outcome_.warnings);
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
      const NodeId states = ctl_sets_->satisfying(formula.atoms[i]);
      if (states == empty || states == space_->reachable()) truths[i] = states != empty;
    }
    return truths;
  }

  /// The states that decide a property, and for model errors the action that ends in one there.
  std::pair<ActionId, Forest::Root> targets_of(const Property& property) {
    if (property.kind != PropertyKind::model_error)
      return {no_action, space_->forest().root(deciding_states(*space_, property))};
    return failures_.empty() ? std::pair(no_action, space_->forest().root(empty)) : failures_.front();
  }

  void set_figures() {
    if (space_) {
      const NodeId roots[] = {space_->reachable()};
      if (outcome_.complete) set("nodes", space_->forest().count_nodes(roots));
      set_diagram_figures(*space_, outcome_.statistics);
    }
    set("state_bytes", std::uint64_t{Layout(system_).size()});
    set_run_figures(start_, outcome_.statistics);
  }

  void set(Stat stat, Statistics::Value value) { outcome_.statistics.set(stat, std::move(value)); }

  const System& system_;
  const std::vector<Property>& properties_;
  const SymbolicOptions& options_;
  Budget& budget_;
  std::chrono::steady_clock::time_point start_;
  std::optional<StateSpace> space_;
  std::optional<CtlSets> ctl_sets_;
  std::vector<std::pair<ActionId, Forest::Root>> failures_;
  Outcome outcome_;
};

}  // namespace

NodeId deciding_states(StateSpace& space, const Property& property) {
  const NodeId reachable = space.reachable();
  if (property.kind == PropertyKind::deadlock) return deadlocks(space.relations(), reachable);
  Formulas formulas(space.system(), space.levels(), space.sets());
  const Kept satisfying(space.forest(), formulas.satisfying(reachable, property.expr));
  return property.kind == PropertyKind::reach ? satisfying.id()
                                              : space.sets().subtract(reachable, satisfying.id());
}

Outcome check_symbolic(const System& system, const std::vector<Property>& properties,
                       const SymbolicOptions& options, Budget& budget) {
  return SymbolicCheck(system, properties, options, budget).run();
}

}  // namespace tideline::symbolic
