#include "search/ctl_sweep_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "exec/interpreter.hpp"
#include "progress/measured.hpp"
#include "search/ctl_layers.hpp"
#include "search/ctl_sweep.hpp"

namespace tideline {

namespace {

using Model = Measured<Interpreter>;

class CtlSweepCheck {
 public:
  CtlSweepCheck(const System& system, const std::vector<Property>& properties, const CtlSweepOptions& options,
                Budget& budget)
      : system_(system),
        options_(options),
        budget_(budget),
        start_(std::chrono::steady_clock::now()),
        program_(Program::compile(system, options.errors)),
        model_(Interpreter(program_), options.sweep.measure),
        sweep_(sweep_options(options.sweep, options.traces)) {
    sweep_.threads = options.threads;
    for (const Property& property : properties)
      outcome_.results.push_back({property, Verdict::unknown, {}, {}});
  }

  Outcome run() {
    outcome_.engine = "sweep";
    outcome_.complete = true;
    std::vector<std::size_t> always, others;
    for (std::size_t i = 0; i < outcome_.results.size(); ++i)
      (always_form(formula(i)) ? always : others).push_back(i);
    for (std::size_t i = 0; i < always.size(); i += most_at_once)
      check_always({always.begin() + static_cast<std::ptrdiff_t>(i),
                    always.begin() + static_cast<std::ptrdiff_t>(std::min(i + most_at_once, always.size()))},
                   others);
    if (!others.empty()) check_layers(others);
    for (PropertyResult& result : outcome_.results)
      if (result.verdict == Verdict::unknown && result.reason.empty()) result.reason = budget_.reason();
    set_statistics();
    return std::move(outcome_);
  }

 private:
  using Sweep = AlwaysSweep<Model, Predicate>;
  static constexpr std::size_t most_at_once = Sweep::most_goals;

  const CtlFormula& formula(std::size_t i) const { return *outcome_.results[i].property.ctl; }
  Predicate compile(const Expr& expr) const { return {system_, program_->layout(), expr}; }
  Predicate goal(std::size_t i) const { return compile(always_form(formula(i))->goal(formula(i))); }

  // --- AG EF p and AG AF p ---------------------------------------------------------------------------------

  void check_always(const std::vector<std::size_t>& which, std::vector<std::size_t>& others) {
    std::vector<AlwaysGoal<Predicate>> goals;
    for (const std::size_t i : which) goals.push_back({always_form(formula(i))->kind, goal(i)});
    Sweep search(model_, sweep_, std::move(goals));
    const SearchResult end = search.run(budget_);
    count(search.figures(), end);
    outcome_.model_errors = outcome_.model_errors || search.met_errors();
    component_searches_ += search.component_searches();
    cycle_searches_ += search.cycle_searches();
    const bool regresses = search.figures().broken_claim.has_value();
    if (regresses)
      note_regress(search.figures());  // other searches do what is left
    else
      outcome_.complete = outcome_.complete && end.end == SearchEnd::complete;
    for (std::size_t k = 0; k < which.size(); ++k) {
      const AlwaysFinding& finding = search.finding(k);
      const std::size_t i = which[k];
      if (finding.violated)
        show_violation(i, finding);
      else if (regresses && always_form(formula(i))->kind == AlwaysForm::Kind::possible)
        others.push_back(i);
      else if (regresses)
        check_inevitable(i);
      else if (end.end == SearchEnd::complete)
        accept(i, search.met_errors());
      if (!regresses) warn(i, finding, end.end == SearchEnd::complete);
    }
  }

  void accept(std::size_t i, bool met_errors) {
    if (met_errors)
      outcome_.results[i].reason = not_followed_reason;
    else
      outcome_.results[i].verdict = Verdict::holds;
  }

  void show_violation(std::size_t i, const AlwaysFinding& finding) {
    PropertyResult& result = outcome_.results[i];
    result.verdict = Verdict::violated;
    if (!finding.run) return;
    const AlwaysForm form = *always_form(formula(i));
    if (form.kind == AlwaysForm::Kind::possible) {
      result.path = finding.run;
      result.reason = fmt::format("from the last state no state with {} can be reached",
                                  to_string(formula(i), form.node, form.value));
      return;
    }
    auto lasso =
        avoiding_lasso(model_, goal(i), finding, result.property.deadlock_paths, sweep_.log, budget_);
    if (lasso)
      show_lasso(i, std::move(*lasso));
    else
      result.reason = fmt::format("the run was not put together: {}", budget_.reason());
  }

  void show_lasso(std::size_t i, Path lasso) {
    PropertyResult& result = outcome_.results[i];
    const AlwaysForm form = *always_form(formula(i));
    const Predicate goal_here = goal(i);
    std::size_t from = lasso.states.size();
    while (from > 0 && !is_true(goal_here, lasso.states[from - 1].data())) --from;
    const std::string avoided = to_string(formula(i), form.node, !form.value);
    result.reason = from == 0 ? fmt::format("{} is true all the way", avoided)
                              : fmt::format("from step {} on {} is true all the way", from, avoided);
    result.path = [path = std::move(lasso)] { return path; };
  }

  /// AG AF p where some transition regresses.
  void check_inevitable(std::size_t i) {
    SweepOptions sweep = sweep_;
    sweep.column_shift = sweep.claimed_shift;
    LtlSweepOptions ltl;
    ltl.across.threads = options_.threads;
    LtlSweep search(AvoidGraph(model_, goal(i)), sweep, ltl);
    LassoResult end = search.run(budget_);
    require_claim(search.figures().sweep);
    count(search.figures().sweep, {.transitions = end.transitions});
    stored_peak_ = std::max(stored_peak_, search.figures().stored_peak);
    outcome_.complete = outcome_.complete && end.end == SearchEnd::complete;
    PropertyResult& result = outcome_.results[i];
    if (end.end == SearchEnd::satisfied) {
      result.verdict = Verdict::violated;
      const bool ends = result.property.deadlock_paths == DeadlockPaths::maximal;
      if (end.lasso)
        show_lasso(i, ends ? without_repetition(std::move(*end.lasso)) : std::move(*end.lasso));
      else if (options_.traces)
        result.reason = fmt::format("the run was not put together: {}", budget_.reason());
    } else if (end.end == SearchEnd::complete) {
      accept(i, end.model_errors);
    }
    outcome_.model_errors = outcome_.model_errors || end.model_errors;
  }

  // --- everything else -------------------------------------------------------------------------------------

  void check_layers(const std::vector<std::size_t>& which) {
    std::vector<CtlQuestion> questions;
    std::vector<Predicate> atoms;
    for (const std::size_t i : which) {
      questions.push_back({&formula(i), outcome_.results[i].property.deadlock_paths});
      for (const Expr& atom : formula(i).atoms) atoms.push_back(compile(atom));
    }
    const auto& folder = options_.sweep.trace_folder;
    CtlLayers search(model_,
                     {.sweep = sweep_,
                      .folder = folder.empty() ? default_trace_folder() : folder,
                      .runs = options_.traces},
                     questions, std::move(atoms));
    const SearchResult end = search.run(budget_);
    require_claim(search.figures());
    if (search.figures().regress_edges != 0) note_regress(search.figures());
    outcome_.complete = outcome_.complete && end.end == SearchEnd::complete;
    outcome_.model_errors = outcome_.model_errors || search.met_errors();
    std::size_t first_atom = 0;
    for (std::size_t k = 0; k < which.size(); ++k) {
      if (end.end == SearchEnd::complete) judge(search, k, which[k]);
      warn(which[k], std::span(search.atoms()).subspan(first_atom, formula(which[k]).atoms.size()));
      first_atom += formula(which[k]).atoms.size();
    }
    count(search.figures(), end);
    layer_file_bytes_ = search.file_bytes();
    passes_ = search.passes();
    values_peak_ = search.values_peak();
  }

  void judge(CtlLayers<Model, Predicate>& search, std::size_t question, std::size_t i) {
    PropertyResult& result = outcome_.results[i];
    result.verdict = search.verdict(question);
    if (result.verdict == Verdict::unknown) {
      result.reason = not_followed_reason;
      return;
    }
    if (auto run = search.run_for(question, budget_)) {
      result.path = [path = std::move(run->path)] { return path; };
      result.reason = run->remark;
    } else if (!budget_.reason().empty()) {
      result.reason = fmt::format("the run was not put together: {}", budget_.reason());
    } else if (options_.traces && !search.is_monotone() &&
               what_runs_show(formula(i)).back()[result.verdict == Verdict::holds]) {
      result.reason = "the run for this formula needs a monotone measure, or engine ctl";
    }
  }

  // --- what is said beside verdicts ------------------------------------------------------------------------

  /// Once: the first transition that regresses, and what follows from there being one.
  void note_regress(const SweepFigures& figures) {
    if (figures.broken_claim) {
      const auto& [action, from, to] = *figures.broken_claim;
      if (sweep_.claimed_shift < 64 && to >> sweep_.claimed_shift != from >> sweep_.claimed_shift)
        require_claim(figures);
    }
    if (std::exchange(regresses_, true)) return;
    outcome_.warnings.push_back(
        "the measure is not monotone for this model: CTL takes more than one pass over the states");
  }

  void require_claim(const SweepFigures& figures) const {
    tideline::require_claim(figures, system_,
                            [&](Progress value) { return options_.sweep.measure.show(value); });
  }

  void warn(std::size_t i, const AlwaysFinding& finding, bool complete) {
    warn_of_failures(i, finding.failures);
    if (!complete || finding.seen_true == finding.seen_false) return;
    const AlwaysForm form = *always_form(formula(i));
    outcome_.warnings.push_back(fmt::format("`{}` of property {} is {} in every reachable state",
                                            to_string(formula(i), form.node, form.value), name(i),
                                            finding.seen_true ? "true" : "false"));
  }

  void warn(std::size_t i, std::span<const AtomFacts> atoms) {
    std::uint64_t failures = 0;
    for (const AtomFacts& atom : atoms) failures = std::max(failures, atom.failures);
    warn_of_failures(i, failures);
    for (std::size_t a = 0; a < atoms.size() && outcome_.complete; ++a)
      if (atoms[a].seen_true != atoms[a].seen_false)
        outcome_.warnings.push_back(fmt::format("atom `{}` of property {} is {} in every reachable state",
                                                formula(i).atom_names[a], name(i),
                                                atoms[a].seen_true ? "true" : "false"));
  }

  void warn_of_failures(std::size_t i, std::uint64_t failures) {
    if (failures != 0)
      outcome_.warnings.push_back(
          fmt::format("property {}: a part of the formula has no value in {} visited state{}; it counts as 0",
                      name(i), failures, failures == 1 ? "" : "s"));
  }

  const std::string& name(std::size_t i) const { return outcome_.results[i].property.name; }

  void count(const SweepFigures& figures, const SearchResult& end) {
    last_ = end;
    transitions_ += end.transitions;
    figures_.sweeps = searches_++ == 0 ? figures.sweeps : figures_.sweeps + figures.sweeps;
    figures_.layers += figures.layers;
    figures_.expansions += figures.expansions;
    figures_.persistent += figures.persistent;
    figures_.regress_edges += figures.regress_edges;
    stored_peak_ = std::max(stored_peak_, figures.stored_peak);
  }

  void set_statistics() {
    Statistics& statistics = outcome_.statistics;
    if (figures_.sweeps == 1) {  // else some states were counted more than once
      statistics.set("states", last_.states);
      statistics.set("deadlocks", last_.deadlocks);
    }
    statistics.set("transitions", transitions_);
    figures_.stored_peak = stored_peak_;
    add_figures(figures_, statistics);
    statistics.set("component_searches", component_searches_);
    statistics.set("cycle_searches", cycle_searches_);
    if (passes_ != 0) {
      statistics.set("passes", passes_);
      statistics.set("values_peak", values_peak_);
      statistics.set("layer_file_bytes", layer_file_bytes_);
    }
    statistics.set("threads", std::uint64_t{options_.threads});
    statistics.set("time_s",
                   std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count());
    statistics.set("peak_rss_bytes", peak_resident_bytes());
  }

  const System& system_;
  const CtlSweepOptions& options_;
  Budget& budget_;
  std::chrono::steady_clock::time_point start_;
  std::shared_ptr<const Program> program_;
  Model model_;
  SweepOptions sweep_;
  Outcome outcome_;
  SearchResult last_;
  SweepFigures figures_;
  std::uint64_t searches_ = 0, transitions_ = 0, stored_peak_ = 0;
  std::uint64_t component_searches_ = 0, cycle_searches_ = 0;
  std::uint64_t layer_file_bytes_ = 0, passes_ = 0, values_peak_ = 0;
  bool regresses_ = false;
};

}  // namespace

Outcome check_ctl_sweep(const System& system, const std::vector<Property>& properties,
                        const CtlSweepOptions& options, Budget& budget) {
  return CtlSweepCheck(system, properties, options, budget).run();
}

}  // namespace tideline
