#include "search/ctl/sweep_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "graph/factory.hpp"
#include "progress/measured.hpp"
#include "run/vacuity.hpp"
#include "search/ctl/answer.hpp"
#include "search/ctl/layers.hpp"

namespace tideline {

namespace {

/// The result of one search. It can be saved, so that a resumed run does not repeat the search.
struct Part {
  struct Result {
    Verdict verdict = Verdict::unknown;
    std::string reason = {};
    PathBuilder path = {};
    bool left = false;  ///< to another search

    void archive(auto& file) {
      file(verdict, reason, left);
      archive_run(file, path);
    }
  };

  std::vector<Result> results;  ///< of the properties it is about
  std::vector<std::string> warnings = {};
  bool complete = false, model_errors = false, regresses = false;
  SweepFigures figures = {};
  std::uint64_t states = 0, transitions = 0, deadlocks = 0;
  std::uint64_t scc_searches = 0, cycle_searches = 0;
  std::uint64_t passes = 0, values_peak = 0, layer_file_bytes = 0;

  void archive(auto& file) {
    file(results, warnings, complete, model_errors, regresses);
    file(figures, figures.stored_peak, figures.persistent, states, transitions, deadlocks);
    file(scc_searches, cycle_searches, passes, values_peak, layer_file_bytes);
  }
};

template <SystemGraph G>
class CtlSweepCheck {
 public:
  CtlSweepCheck(const G& graph, const std::vector<Property>& properties, const CtlSweepOptions& options,
                Budget& budget)
      : system_(graph.system()),
        layout_(graph.layout()),
        options_(options),
        budget_(budget),
        start_(std::chrono::steady_clock::now()),
        model_(graph, options.sweep.measure) {
    for (const Property& property : properties)
      outcome_.results.push_back({property, Verdict::unknown, {}, {}});
  }

  Outcome run() {
    outcome_.complete = true;
    std::vector<std::size_t> always, inevitable, others;
    for (std::size_t i = 0; i < outcome_.results.size(); ++i)
      (always_form(formula(i)) ? always : others).push_back(i);
    for (std::size_t i = 0; i < always.size(); i += most_at_once) {
      const std::vector<std::size_t> some(
          always.begin() + static_cast<std::ptrdiff_t>(i),
          always.begin() + static_cast<std::ptrdiff_t>(std::min(i + most_at_once, always.size())));
      const Part part = once(some, [&] { return check_always(some); });
      for (std::size_t k = 0; k < some.size(); ++k)
        if (part.results[k].left) (is_possible(some[k]) ? others : inevitable).push_back(some[k]);
    }
    if (options_.every_scc) warn_of_other_searches(inevitable, others);
    for (const std::size_t i : inevitable) once({i}, [&] { return check_inevitable(i); });
    if (!others.empty()) once(others, [&] { return check_layers(others); });
    for (PropertyResult& result : outcome_.results)
      if (result.verdict == Verdict::unknown && result.reason.empty()) result.reason = budget_.reason();
    set_statistics();
    return std::move(outcome_);
  }

 private:
  using Model = Measured<G>;
  using Sweep = AlwaysSweep<Model, Predicate>;
  static constexpr std::size_t most_at_once = Sweep::most_goals;

  const CtlFormula& formula(std::size_t i) const { return *outcome_.results[i].property.ctl; }
  Predicate compile(const Expr& expr) const { return {system_, layout_, expr}; }
  Predicate goal(std::size_t i) const { return compile(always_form(formula(i))->goal(formula(i))); }
  DeadlockPaths paths(std::size_t i) const { return outcome_.results[i].property.deadlock_paths; }
  bool is_possible(std::size_t i) const {
    return always_form(formula(i))->kind == AlwaysForm::Kind::possible;
  }

  /// One search, about some of the properties: done now, or in the process that saved this run.
  template <class Search>
  Part once(const std::vector<std::size_t>& which, const Search& search) {
    const auto& checkpoints = options_.sweep.checkpoints;
    Part part = checkpoints ? checkpoints->once<Part>(budget_, search) : search();
    if (part.results.size() != which.size())
      throw Error(ErrorKind::io, "the saved searches are not about these formulas");
    add(which, part);
    return part;
  }

  /// Each search has files of its own.
  SweepOptions new_sweep() const {
    SweepOptions sweep = sweep_options(options_.sweep, options_.traces);
    sweep.threads = options_.threads;
    return sweep;
  }

  // --- AG EF p and AG AF p ---------------------------------------------------------------------------------

  Part check_always(const std::vector<std::size_t>& which) {
    const SweepOptions sweep = new_sweep();
    std::vector<AlwaysGoal<Predicate>> goals;
    for (const std::size_t i : which) goals.push_back({always_form(formula(i))->kind, goal(i)});
    Sweep search(model_, sweep, goals, options_.every_scc);
    const SearchResult end = search.run(budget_);
    Part part = part_of(which, search.figures(), end);
    part.model_errors = search.met_errors();
    part.scc_searches = search.scc_searches();
    part.cycle_searches = search.cycle_searches();
    part.regresses = search.figures().broken_claim.has_value();
    if (part.regresses) {
      require_claim_of(sweep, search.figures());
      part.complete = true;  // other searches do what is left
    }
    for (std::size_t k = 0; k < which.size(); ++k) {
      const AlwaysFinding& finding = search.finding(k);
      part.results[k].left = part.regresses && !finding.violated;
      if (!part.results[k].left)
        show(which[k],
             sweep_answer(search, end.end, k, model_, goals[k], paths(which[k]), sweep.log, budget_),
             part.results[k]);
      if (!part.regresses) warn(which[k], finding, part);
    }
    return part;
  }

  void show(std::size_t i, CtlAnswer answer, Part::Result& result) const {
    result.verdict = answer.verdict;
    result.reason = std::move(answer.reason);
    result.path = std::move(answer.run);
    if (result.path) result.reason = is_possible(i) ? about_end(i) : about_lasso(i, result.path());
  }

  std::string about_end(std::size_t i) const {
    const AlwaysForm form = *always_form(formula(i));
    return fmt::format("from the last state no state with {} can be reached",
                       to_string(formula(i), form.node, form.value));
  }

  std::string about_lasso(std::size_t i, const Path& lasso) const {
    const AlwaysForm form = *always_form(formula(i));
    const Predicate goal_here = goal(i);
    std::size_t from = lasso.states.size();
    while (from > 0 && !is_true(goal_here, lasso.states[from - 1].data())) --from;
    const std::string avoided = to_string(formula(i), form.node, !form.value);
    return from == 0 ? fmt::format("{} is true all the way", avoided)
                     : fmt::format("from step {} on {} is true all the way", from, avoided);
  }

  /// AG AF p where some transition regresses.
  Part check_inevitable(std::size_t i) {
    SweepOptions sweep = new_sweep();
    sweep.column_shift = options_.sweep.column_shift(sweep.claimed_shift);
    LtlSweepOptions ltl;
    ltl.across.threads = options_.threads;
    LtlSweep search(AvoidGraph(model_, goal(i)), sweep, ltl);
    LassoResult end = search.run(budget_);
    require_claim(search.figures().sweep);
    Part part = part_of({i}, search.figures().sweep, {.end = end.end, .transitions = end.transitions});
    part.figures.stored_peak = search.figures().stored_peak;
    part.model_errors = end.model_errors;
    show(i, cycle_answer(std::move(end), paths(i), budget_), part.results.front());
    return part;
  }

  // --- everything else -------------------------------------------------------------------------------------

  Part check_layers(const std::vector<std::size_t>& which) {
    std::vector<CtlQuestion> questions;
    std::vector<Predicate> atoms;
    for (const std::size_t i : which) {
      questions.push_back({&formula(i), paths(i)});
      for (const Expr& atom : formula(i).atoms) atoms.push_back(compile(atom));
    }
    const auto& folder = options_.sweep.trace_folder;
    const auto& checkpoints = options_.sweep.checkpoints;
    CtlLayersOptions options{.sweep = new_sweep(),
                             .file = {},
                             .folder = folder.empty() ? default_trace_folder() : folder,
                             .runs = options_.traces};
    if (checkpoints) options.file = checkpoints->open<RecordFile>(folder, false);
    CtlLayers search(model_, std::move(options), questions, std::move(atoms));
    const SearchResult end = search.run(budget_);
    require_claim(search.figures());
    Part part = part_of(which, search.figures(), end);
    part.regresses = search.figures().regress_edges != 0;
    part.model_errors = search.met_errors();
    std::size_t first_atom = 0;
    for (std::size_t k = 0; k < which.size(); ++k) {
      if (part.complete) judge(search, k, which[k], part.results[k]);
      warn(which[k], part.results[k].verdict,
           std::span(search.atoms()).subspan(first_atom, formula(which[k]).atoms.size()), part);
      first_atom += formula(which[k]).atoms.size();
    }
    part.layer_file_bytes = search.file_bytes();
    part.passes = search.passes();
    part.values_peak = search.values_peak();
    return part;
  }

  void judge(CtlLayers<Model, Predicate>& search, std::size_t question, std::size_t i, Part::Result& result) {
    result.verdict = search.verdict(question);
    if (result.verdict == Verdict::unknown) {
      result.reason = not_followed_reason;
      return;
    }
    if (auto run = search.run_for(question, budget_)) {
      result.path = PathBuilder(std::move(run->path));
      result.reason = run->remark;
    } else if (!budget_.reason().empty()) {
      result.reason = fmt::format("the run was not built: {}", budget_.reason());
    } else if (options_.traces && !search.is_monotone() &&
               what_runs_show(formula(i)).back()[result.verdict == Verdict::holds]) {
      result.reason = "the run for this formula needs a monotone measure, or engine ctl";
    }
  }

  // --- what is said beside verdicts ------------------------------------------------------------------------

  /// The way of the paper is for some formulas only.
  void warn_of_other_searches(const std::vector<std::size_t>& inevitable,
                              const std::vector<std::size_t>& others) {
    for (const auto& which : {inevitable, others})
      for (const std::size_t i : which)
        outcome_.warnings.push_back(fmt::format(
            "--sweep every-scc (part of paper) does not apply to property {}: it is for AG EF p and "
            "AG AF p with a monotone measure",
            name(i)));
  }

  /// Regress edges are allowed unless the user has claimed that there are none.
  void require_claim_of(const SweepOptions& sweep, const SweepFigures& figures) const {
    const auto& [action, from, to] = *figures.broken_claim;
    if (sweep.claimed_shift < 64 && to >> sweep.claimed_shift != from >> sweep.claimed_shift)
      require_claim(figures);
  }

  void require_claim(const SweepFigures& figures) const {
    tideline::require_claim(figures, system_,
                            [&](Progress value) { return options_.sweep.measure.show(value); });
  }

  void warn(std::size_t i, const AlwaysFinding& finding, Part& part) const {
    if (!part.complete || finding.seen_true == finding.seen_false) return;
    const AlwaysForm form = *always_form(formula(i));
    part.warnings.push_back(fmt::format("`{}` of property {} is {} in every reachable state",
                                        to_string(formula(i), form.node, form.value), name(i),
                                        finding.seen_true ? "true" : "false"));
  }

  void warn(std::size_t i, Verdict verdict, std::span<const AtomFacts> atoms, Part& part) const {
    if (!part.complete) return;
    std::vector<std::optional<bool>> constant(atoms.size());
    for (std::size_t a = 0; a < atoms.size(); ++a)
      if (atoms[a].seen_true != atoms[a].seen_false) constant[a] = atoms[a].seen_true;
    warn_of_constant_atoms({outcome_.results[i].property, verdict, {}, {}}, constant, part.warnings);
  }

  const std::string& name(std::size_t i) const { return outcome_.results[i].property.name; }

  // --- putting parts together ------------------------------------------------------------------------------

  static Part part_of(const std::vector<std::size_t>& which, const SweepFigures& figures,
                      const SearchResult& end) {
    Part part;
    part.results.resize(which.size());
    part.complete = end.end == SearchEnd::complete;
    part.figures = figures;
    part.states = end.states;
    part.transitions = end.transitions;
    part.deadlocks = end.deadlocks;
    return part;
  }

  void add(const std::vector<std::size_t>& which, const Part& part) {
    if (part.results.size() != which.size())
      throw Error(ErrorKind::internal, "the searches of the saved run are not those of this one");
    for (std::size_t k = 0; k < which.size(); ++k) {
      PropertyResult& result = outcome_.results[which[k]];
      result.verdict = part.results[k].verdict;
      result.reason = part.results[k].reason;
      result.path = part.results[k].path;
    }
    if (part.regresses && !sum_.regresses)
      outcome_.warnings.push_back(
          "the measure is not monotone for this model: CTL takes more than one pass over the states");
    sum_.regresses = sum_.regresses || part.regresses;
    outcome_.warnings.insert(outcome_.warnings.end(), part.warnings.begin(), part.warnings.end());
    outcome_.complete = outcome_.complete && part.complete;
    outcome_.model_errors = outcome_.model_errors || part.model_errors;

    SweepFigures& figures = sum_.figures;
    figures.sweeps = searches_++ == 0 ? part.figures.sweeps : figures.sweeps + part.figures.sweeps;
    figures.layers += part.figures.layers;
    figures.expansions += part.figures.expansions;
    figures.persistent += part.figures.persistent;
    figures.regress_edges += part.figures.regress_edges;
    figures.stored_peak = std::max(figures.stored_peak, part.figures.stored_peak);
    sum_.states += part.states;
    sum_.transitions += part.transitions;
    sum_.deadlocks += part.deadlocks;
    sum_.scc_searches += part.scc_searches;
    sum_.cycle_searches += part.cycle_searches;
    sum_.passes += part.passes;
    sum_.values_peak = std::max(sum_.values_peak, part.values_peak);
    sum_.layer_file_bytes += part.layer_file_bytes;
  }

  void set_statistics() {
    Statistics& statistics = outcome_.statistics;
    // Otherwise some states were counted more than once, or are stored and not counted yet.
    if (sum_.figures.sweeps == 1 && outcome_.complete) {
      statistics.set("states", sum_.states);
      if (!system_.may_end) statistics.set("deadlocks", sum_.deadlocks);  // it counts allowed ends, too
    }
    statistics.set("transitions", sum_.transitions);
    add_figures(sum_.figures, statistics);
    statistics.set("scc_searches", sum_.scc_searches);
    statistics.set("cycle_searches", sum_.cycle_searches);
    if (sum_.passes != 0) {
      statistics.set("passes", sum_.passes);
      statistics.set("values_peak", sum_.values_peak);
      statistics.set("layer_file_bytes", sum_.layer_file_bytes);
    }
    statistics.set("threads", std::uint64_t{options_.threads});
    statistics.set("time_s",
                   std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count());
    statistics.set("peak_rss_bytes", peak_resident_bytes());
  }

  const System& system_;
  Layout layout_;
  const CtlSweepOptions& options_;
  Budget& budget_;
  std::chrono::steady_clock::time_point start_;
  Model model_;
  Outcome outcome_;
  Part sum_;  // of the figures of all searches
  std::uint64_t searches_ = 0;
};

}  // namespace

Outcome check_ctl_sweep(const System& system, const std::vector<Property>& properties,
                        const CtlSweepOptions& options, Budget& budget) {
  return with_graph(system, {options.errors}, [&](const auto& graph) {
    return CtlSweepCheck(graph, properties, options, budget).run();
  });
}

}  // namespace tideline
