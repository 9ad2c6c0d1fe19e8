// From properties to verdicts: the reachable states are computed once, then every property is a set of states
// that is empty or not. What is found is an answer; what is not found is an answer only when all states are
// known, and no model error cut the runs off.
#include "symbolic/check.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <optional>

#include "model/layout.hpp"
#include "symbolic/counts.hpp"
#include "symbolic/facts.hpp"
#include "symbolic/formulas.hpp"
#include "symbolic/runs.hpp"

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
    outcome_.engine = "symbolic";
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
      give_up("out of memory");
    }
    set_figures();
    return std::move(outcome_);
  }

 private:
  /// What is not decided stays so, for this reason.
  void give_up(const std::string& reason) {
    budget_.exhaust(reason);
    for (PropertyResult& result : outcome_.results)
      if (result.verdict == Verdict::unknown && is_of_states(result.property.kind)) result.reason = reason;
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
    if (!is_of_states(property.kind)) {
      result.reason = "the set of reachable states does not decide what infinite runs do";
      return;
    }
    result.reason.clear();
    const bool found_means_holds = property.kind == PropertyKind::reach;
    const auto [action, targets] = targets_of(property);
    if (targets.id() != empty) {
      result.verdict = found_means_holds ? Verdict::holds : Verdict::violated;
      if (options_.traces) {
        Path path = find_run(*space_, targets.id());
        path.failing_action = action;
        result.path = [path = std::move(path)] { return path; };
      }
    } else if (!failures_.empty()) {
      result.reason = not_followed_reason;
    } else {
      result.verdict = found_means_holds ? Verdict::violated : Verdict::holds;
    }
  }

  /// The states that decide a property, and for model errors the action that ends in one there.
  std::pair<ActionId, Forest::Root> targets_of(const Property& property) {
    Forest& forest = space_->forest();
    const NodeId reachable = space_->reachable();
    Formulas formulas(system_, space_->levels(), space_->sets());
    switch (property.kind) {
      case PropertyKind::deadlock:
        return {no_action, forest.root(deadlocks(space_->relations(), reachable))};
      case PropertyKind::model_error:
        return failures_.empty() ? std::pair(no_action, forest.root(empty)) : failures_.front();
      case PropertyKind::reach:
        return {no_action, forest.root(formulas.satisfying(reachable, property.expr))};
      default: {
        const Kept right(forest, formulas.satisfying(reachable, property.expr));
        return {no_action, forest.root(space_->sets().subtract(reachable, right.id()))};
      }
    }
  }

  void set_figures() {
    if (space_) {
      const ForestFigures figures = space_->forest().figures();
      const NodeId roots[] = {space_->reachable()};
      if (outcome_.complete) set("nodes", space_->forest().count_nodes(roots));
      set("nodes_peak", figures.peak_nodes);
      set("node_bytes", figures.peak_bytes);
      set("diagram_levels", std::uint64_t{space_->levels().top()});
      set("order", space_->order().name);
      set("cache_lookups", figures.cache_lookups);
      set("cache_hits", figures.cache_hits);
      set("collections", figures.collections);
      set("tuples", space_->relations().tuples_fired());
    }
    set("state_bytes", std::uint64_t{Layout(system_).size()});
    set("threads", std::uint64_t{1});
    set("time_s", std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count());
    set("peak_rss_bytes", peak_resident_bytes());
  }

  void set(std::string_view name, Statistics::Value value) {
    outcome_.statistics.set(name, std::move(value));
  }

  const System& system_;
  const std::vector<Property>& properties_;
  const SymbolicOptions& options_;
  Budget& budget_;
  std::chrono::steady_clock::time_point start_;
  std::optional<StateSpace> space_;
  std::vector<std::pair<ActionId, Forest::Root>> failures_;
  Outcome outcome_;
};

}  // namespace

Outcome check_symbolic(const System& system, const std::vector<Property>& properties,
                       const SymbolicOptions& options, Budget& budget) {
  return SymbolicCheck(system, properties, options, budget).run();
}

}  // namespace tideline::symbolic
