#include "symbolic/ltl/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <optional>

#include "run/open_steps.hpp"
#include "run/side_by_side.hpp"
#include "symbolic/diagrams/counts.hpp"
#include "symbolic/diagrams/deep_stack.hpp"
#include "symbolic/ltl/fair_cycles.hpp"
#include "symbolic/ltl/lasso.hpp"
#include "symbolic/space/formulas.hpp"
#include "symbolic/space/order_trials.hpp"

namespace tideline::symbolic {
namespace {
/// A search for cycles recurses from within saturation, and saturates in turn.
constexpr std::size_t stacked_operations = 3;

/// Limit for a trial of an order.
constexpr std::uint64_t most_requests = std::uint64_t{1} << 19;

class LtlCheck {
 public:
  LtlCheck(const System& system, const Property& property, const LtlOptions& options, Budget& budget)
      : system_(system),
        options_(options),
        budget_(budget),
        result_{property, Verdict::unknown, {}, {}},
        start_(std::chrono::steady_clock::now()) {}

  Outcome run() {
    try {
      const ForestOptions forest{.budget = &budget_, .collect_always = options_.collect_always};
      space_.emplace(system_, *result_.property.process,
                     options_.chosen ? *options_.chosen : choose_ltl_order(system_, options_, budget_),
                     forest);
      run_on_deep_stack(stacked_operations * space_->levels().top(), [&] {
        if (options_.exact)
          search_exact();
        else
          search_hybrid();
      });
    } catch (const LimitReached&) {
      give_up(budget_.reason());
    } catch (const std::bad_alloc&) {
      budget_.exhaust_memory();
      give_up(budget_.reason());
    }
    set_figures();
    outcome_.results.push_back(std::move(result_));
    return std::move(outcome_);
  }

 private:
  void give_up(const std::string& reason) {
    if (result_.verdict == Verdict::unknown)
      result_.reason = reason;
    else
      result_.reason = fmt::format("the run was not built: {}", reason);
  }

  void search_exact() {
    const Forest::Root reached =
        space_->forest().root(Saturation<>(space_->relations()).saturate(space_->initial()));
    FairCycles cycles(*space_);
    const Kept hull(space_->forest(), cycles.hull(reached.id()));
    if (hull.id() == empty) {
      judge_all(reached.id());
      return;
    }
    outcome_.complete = true;
    violated();
    const Kept scc(space_->forest(), cycles.scc(hull.id()));
    add_run({.known = reached.id(), .scc = scc.id()});
  }

  void search_hybrid() {
    HybridSearch search(*space_, options_.hybrid);
    std::function<void(const LassoPlace&)> located;
    if (options_.traces) located = [&](const LassoPlace& place) { add_run(place); };
    try {
      if (search.run([&] { violated(); }, located))
        set("early", std::uint64_t{1});
      else
        judge_all(search.reached());
    } catch (...) {
      figures_ = search.figures();
      throw;
    }
    figures_ = search.figures();
  }

  /// No cycle: a run may still end in a deadlock, or in a model error.
  void judge_all(NodeId reached) {
    outcome_.complete = true;
    set("product_states", count_value(space_->sets().count(reached)));
    const Kept dead(space_->forest(), space_->system_deadlocks(reached));
    const Kept stuck(space_->forest(), space_->accepting_by_stutter(dead.id()));
    outcome_.model_errors = space_->meets_errors(reached);
    if (stuck.id() != empty) {
      violated();
      add_run({.known = reached, .stuck = stuck.id()});
    } else if (outcome_.model_errors) {
      result_.reason = not_followed_reason;
    } else if (stays_inside(reached)) {
      result_.reason = endless_reason;
    } else {
      result_.verdict = Verdict::holds;
    }
  }

  /// Whether there are inner states from which no run leads to one that properties see (run/open_steps.hpp).
  bool stays_inside(NodeId reached) {
    if (system_.inner == no_slot) return false;
    Formulas formulas(space_->product().system, space_->levels(), space_->sets());
    const Kept seen(space_->forest(), formulas.satisfying(reached, is_seen(system_)));
    return FairCycles(*space_).backward(seen.id(), reached) != reached;
  }

  void violated() { result_.verdict = Verdict::violated; }

  void add_run(const LassoPlace& place) {
    if (!options_.traces) return;
    result_.path = PathBuilder(find_lasso(*space_, place));
  }

  void set_figures() {
    if (space_) set_diagram_figures(*space_, outcome_.statistics);
    if (figures_) {
      set("checked_nodes", figures_->nodes);
      set("avoided_transitions", figures_->without_transitions);
      set("avoided_recurring", figures_->without_recurring);
      set("avoided_abstraction", figures_->without_scc);
      set("avoided_known", figures_->known);
      set("sure_cycles", figures_->by_must);
      set("hull_searches", figures_->searches);
      set("hull_time_s", figures_->seconds);
    }
    set_run_figures(start_, options_.threads, outcome_.statistics);
  }

  void set(Stat stat, Statistics::Value value) { outcome_.statistics.set(stat, std::move(value)); }

  const System& system_;
  const LtlOptions& options_;
  Budget& budget_;
  PropertyResult result_;
  std::chrono::steady_clock::time_point start_;
  std::optional<LtlSpace> space_;
  std::optional<HybridFigures> figures_;
  Outcome outcome_;
};

}  // namespace

ChosenOrder choose_ltl_order(const System& system, const LtlOptions& options, Budget& budget) {
  if (system.transient != no_slot) return choose_ltl_order(with_open_steps(system), options, budget);
  std::vector<ChosenOrder> orders =
      candidate_orders(system, options.grouping ? find_groups(system) : Groups{}, options.order);
  if (orders.size() == 1) return orders.front();
  return explore_by_trials(
             system, std::move(orders),
             {.threads = options.threads, .forest = {.budget = &budget, .most_requests = most_requests}})
      .order();
}

std::string why_ltl_unfit(const Property& property) {
  const PropertyProcess& process = *property.process;
  if (property.fairness != Fairness::none) return "engine symbolic does not support fairness; scc does";
  if (process.accepting.size() > 1 ||
      std::ranges::any_of(process.edges, [](const auto& edge) { return edge.marks != 0; }))
    return "engine symbolic takes automata with one acceptance set on states; use scc";
  return {};
}

Outcome check_symbolic_ltl(const System& system, const Property& property, const LtlOptions& options,
                           Budget& budget) {
  if (const std::string why = why_ltl_unfit(property); !why.empty())
    throw Error(ErrorKind::usage, fmt::format("property {}: {}", property.name, why));
  if (system.transient != no_slot) {
    const System open = with_open_steps(system);
    Outcome outcome = LtlCheck(open, with_open_steps(property, open), options, budget).run();
    outcome.results.front().property = property;
    return outcome;
  }
  return LtlCheck(system, property, options, budget).run();
}

std::vector<Outcome> check_symbolic_ltl(const System& system, std::span<const Property> properties,
                                        const LtlOptions& options, Budget& budget) {
  LtlOptions shared = options;
  if (!shared.chosen && properties.size() > 1)
    within_limits(budget, [&] { shared.chosen = choose_ltl_order(system, options, budget); });
  std::vector<std::optional<Outcome>> found(properties.size());
  run_side_by_side(options.threads,
                   {.count = properties.size(),
                    .run =
                        [&](std::size_t i, Budget& own) {
                          found[i] = check_symbolic_ltl(system, properties[i], shared, own);
                          return false;
                        },
                    .drop = [&](std::size_t i) { found[i].reset(); }},
                   budget);
  std::vector<Outcome> outcomes;
  for (std::size_t i = 0; i < properties.size(); ++i)
    outcomes.push_back(found[i] ? *std::move(found[i])
                                : check_symbolic_ltl(system, properties[i], shared, budget));
  return outcomes;
}

}  // namespace tideline::symbolic
