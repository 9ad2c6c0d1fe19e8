// From properties to verdicts: compiles what is to be checked, lets one of the searches run, and judges.
//
// The rule for verdicts is in one place, judge(): what was found is an answer; what was not found is an
// answer only after a complete search; everything else is unknown, with the reason. A property that has no
// value in a reachable state is violated. So one of kind reach that may lack a value holds only when all
// states were visited: it is true in one of them, and has a value in each.
#include "search/safety.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <string_view>

#include "exec/interpreter.hpp"
#include "exec/predicate.hpp"
#include "model/value_condition.hpp"
#include "progress/measured.hpp"
#include "search/atoms.hpp"
#include "search/bfs.hpp"
#include "search/dfs.hpp"
#include "search/monitor.hpp"
#include "search/parallel_bfs.hpp"
#include "search/sweep.hpp"
#include "search/walk.hpp"
#include "store/segmented_table.hpp"

namespace tideline {

namespace {

constexpr SafetyEngine all_engines[] = {SafetyEngine::bfs,  SafetyEngine::dfs,   SafetyEngine::bitstate,
                                        SafetyEngine::walk, SafetyEngine::cache, SafetyEngine::sweep};
constexpr std::uint64_t default_walk_steps = 10'000;

bool has_formula(PropertyKind kind) {
  return kind == PropertyKind::invariant || kind == PropertyKind::reach || kind == PropertyKind::assertion;
}

class SafetyCheck {
 public:
  SafetyCheck(const System& system, const std::vector<Property>& properties, const SafetyOptions& options,
              Budget& budget)
      : system_(system),
        properties_(properties),
        options_(options),
        budget_(budget),
        start_(std::chrono::steady_clock::now()),
        resident_at_start_(resident_bytes()),
        program_(Program::compile(system, options.errors)),
        monitor_(properties.size(), system.actions.size(), options.exhaustive || properties.empty()) {
    for (std::size_t i = 0; i < properties.size(); ++i) watch(i);
  }

  Outcome run() {
    outcome_.engine = to_string(options_.engine);
    switch (options_.engine) {
      case SafetyEngine::bfs:
        run_bfs();
        break;
      case SafetyEngine::dfs:
        run_dfs();
        break;
      case SafetyEngine::bitstate:
        run_bitstate();
        break;
      case SafetyEngine::walk:
        run_walk();
        break;
      case SafetyEngine::cache:
        run_cache();
        break;
      case SafetyEngine::sweep:
        run_sweep();
        break;
    }
    outcome_.complete = result_.end == SearchEnd::complete;
    for (std::size_t i = 0; i < properties_.size(); ++i) outcome_.results.push_back(judge(i));
    warn();
    if (outcome_.complete) note_never_enabled();
    set_resources();
    return std::move(outcome_);
  }

 private:
  /// Where several actions share a label, as the parts of one event, what counts is the label: it is noted
  /// once, when none of them was enabled.
  void note_never_enabled() {
    std::set<std::string_view> known;
    if (!system_.labels_say_moves)
      for (ActionId a = 0; a < system_.actions.size(); ++a)
        if (monitor_.was_enabled(a)) known.insert(system_.actions[a].label);
    for (ActionId a = 0; a < system_.actions.size(); ++a)
      if (!monitor_.was_enabled(a) &&
          (system_.labels_say_moves || known.insert(system_.actions[a].label).second))
        outcome_.never_enabled.push_back(a);
  }

  void watch(std::size_t i) {
    const Property& property = properties_[i];
    switch (property.kind) {
      case PropertyKind::deadlock:
        monitor_.watch_deadlocks(i);
        break;
      case PropertyKind::model_error:
        monitor_.watch_errors(i, !asks_more());
        break;
      case PropertyKind::automaton:
      case PropertyKind::ltl:
      case PropertyKind::ctl:
        break;
      case PropertyKind::reach:
        monitor_.watch(i, compile(property.expr), true, may_lack_value(property.expr, system_));
        break;
      case PropertyKind::invariant:
      case PropertyKind::assertion:
        monitor_.watch(i, compile(property.expr), false);
        break;
    }
    if (!has_formula(property.kind)) return;
    for (Expr& atom : atoms_of(property.expr)) {
      monitor_.watch_atom(compile(atom));
      atoms_.push_back({i, std::move(atom)});
    }
  }

  /// Whether there is a question beside model errors that this search can decide.
  bool asks_more() const {
    return std::any_of(properties_.begin(), properties_.end(), [](const Property& p) {
      return p.kind != PropertyKind::model_error && is_of_states(p.kind);
    });
  }

  Predicate compile(const Expr& expr) const { return {system_, program_->layout(), expr}; }

  void run_bfs() {
    const SearchOptions options{options_.traces, options_.depth};
    if (options_.threads == 1)
      run_bfs(BreadthFirstSearch(Interpreter(program_), SegmentedTable<>(program_->state_size()), options));
    else
      run_bfs(ParallelBreadthFirstSearch(Interpreter(program_), options_.threads, options));
  }

  template <class Search>
  void run_bfs(Search search) {
    result_ = search.run(monitor_, budget_);
    outcome_.level_sizes = result_.level_sizes;
    set_counts();
    set("levels", std::uint64_t{result_.level_sizes.size()});
    set("stored_peak", result_.states);
    set("visited", result_.states);
    set("table_bytes", search.memory_bytes());
  }

  void run_dfs() {
    DepthFirstSearch search(Interpreter(program_), ExactMarks(SegmentedTable<>(program_->state_size())),
                            {options_.traces, options_.depth});
    result_ = search.run(monitor_, budget_);
    set_counts();
    set("stored_peak", result_.states);
    set("visited", result_.states);
    set("table_bytes", search.memory_bytes());
  }

  void run_bitstate() {
    if (options_.bits < BitTable::least_bits || options_.bits > BitTable::most_bits)
      throw Error(ErrorKind::usage, fmt::format("a bitstate table has 2^{} to 2^{} bits, not 2^{}",
                                                BitTable::least_bits, BitTable::most_bits, options_.bits));
    DepthFirstSearch search(Interpreter(program_), BitMarks(program_->state_size(), options_.bits),
                            {options_.traces, options_.depth});
    result_ = search.run(monitor_, budget_);
    coverage_ = search.marks().bits().coverage();
    set_counts();
    set("visited", result_.states);
    set("bits_set", search.marks().bits().bits_set());
    set("coverage", coverage_);
    set("table_bytes", search.memory_bytes());
  }

  void run_cache() {
    DepthFirstSearch search(
        Interpreter(program_),
        CacheMarks(StateCache(program_->state_size(), options_.cache_states, options_.replacement)),
        {options_.traces, options_.depth});
    result_ = search.run(monitor_, budget_);
    const StateCache& cache = search.marks().cache();
    if (cache.replaced() == 0)  // else some states were counted more than once
      set_counts();
    else
      set("transitions", result_.transitions);
    set("stored_peak", cache.stored());
    set("visited", result_.states);
    set("replaced", cache.replaced());
    set("table_bytes", search.memory_bytes());
    if (cache.replaced() != 0) result_.states = 0;
  }

  void run_walk() {
    const std::uint64_t steps = options_.depth != 0 ? options_.depth : default_walk_steps;
    RandomWalk search(Interpreter(program_), {options_.traces, options_.walks, steps, options_.seed});
    result_ = search.run(monitor_, budget_);
    set("visited", result_.states);
    set("transitions", result_.transitions);
    set("deadlocks", result_.deadlocks);
    set("depth", result_.depth);
    set("walks", search.walks());
    set("steps", search.steps());
  }

  void run_sweep() {
    const Measure& measure = options_.sweep.measure;
    SweepOptions sweep = sweep_options(options_.sweep, options_.traces);
    sweep.column_shift = sweep.claimed_shift;
    sweep.threads = options_.threads;
    SweepSearch search(Measured(Interpreter(program_), measure), sweep);
    result_ = search.run(monitor_, budget_);
    const SweepFigures& figures = search.figures();
    require_claim(figures, system_, [&](Progress value) { return measure.show(value); });
    // Else some states were counted more than once, or are stored and not counted yet.
    if (figures.sweeps == 1 && result_.end == SearchEnd::complete) {
      set("states", result_.states);
      set("deadlocks", result_.deadlocks);
    } else {
      result_.states = 0;
    }
    set("transitions", result_.transitions);
    add_figures(figures, outcome_.statistics);
  }

  struct Atom {
    std::size_t property;
    Expr expr;
  };

  PropertyResult judge(std::size_t i) const {
    const Property& property = properties_[i];
    PropertyResult result{property, Verdict::unknown, {}, {}};
    const bool found_means_holds = property.kind == PropertyKind::reach;
    if (!is_of_states(property.kind)) {
      result.reason = "a search for states does not decide what infinite runs do";
    } else if (const auto& finding = monitor_.finding(i)) {
      const bool has_value = finding->no_value == ModelErrorKind::none;
      result.verdict = found_means_holds && has_value ? Verdict::holds : Verdict::violated;
      if (!has_value) result.reason = no_value_reason(finding->no_value);
      result.path = finding->path;
    } else if (property.kind == PropertyKind::model_error && options_.errors == ErrorSemantics::error_state) {
      result.reason = "model errors lead to the error state in this run instead of ending it";
    } else if (outcome_.complete && monitor_.met_errors()) {
      result.reason = not_followed_reason;
    } else if (outcome_.complete && monitor_.witness(i)) {
      result.verdict = Verdict::holds;
      result.path = monitor_.witness(i)->path;
    } else if (outcome_.complete) {
      result.verdict = found_means_holds ? Verdict::violated : Verdict::holds;
    } else {
      result.reason = why_unknown();
    }
    if (result.verdict == Verdict::unknown && monitor_.witness(i))
      result.reason = open_value_reason(result.reason);
    return result;
  }

  std::string why_unknown() const {
    switch (result_.end) {
      case SearchEnd::exhausted:
        return budget_.reason();
      case SearchEnd::cut_off: {
        const char* const remark =
            options_.engine == SafetyEngine::bfs
                ? ""
                : "; a bounded depth-first search may miss states within the bound, too";
        return fmt::format("depth bound of {} reached{}", options_.depth, remark);
      }
      case SearchEnd::sampled:
        if (options_.engine == SafetyEngine::walk) return "random walks visit only a part of the states";
        return fmt::format("bitstate search is not exhaustive (estimated coverage {:.4g} %)",
                           coverage_ * 100);
      case SearchEnd::complete:
      case SearchEnd::satisfied:
        break;
    }
    return "the search ended before this was decided";
  }

  void warn() {
    if (!outcome_.complete) return;
    for (std::size_t a = 0; a < atoms_.size(); ++a) {
      const std::uint8_t truths = monitor_.atom_truths(a);
      if (truths == (Monitor<Predicate>::seen_false | Monitor<Predicate>::seen_true)) continue;
      if (is_said_by_verdict(atoms_[a], truths)) continue;
      const char* const finding = truths == 0                                ? "has no value"
                                  : truths == Monitor<Predicate>::seen_false ? "is false"
                                                                             : "is true";
      outcome_.warnings.push_back(fmt::format("atom `{}` of property {} {} in every reachable state",
                                              to_string(atoms_[a].expr, system_),
                                              properties_[atoms_[a].property].name, finding));
    }
  }

  /// Whether the verdict alone says that the atom is the same everywhere.
  bool is_said_by_verdict(const Atom& atom, std::uint8_t truths) const {
    const PropertyResult& result = outcome_.results[atom.property];
    const bool reach = result.property.kind == PropertyKind::reach;
    if (result.verdict != (reach ? Verdict::violated : Verdict::holds)) return false;
    const auto forced = forced_truth(result.property.expr, !reach, atom.expr);
    return forced && truths == (*forced ? Monitor<Predicate>::seen_true : Monitor<Predicate>::seen_false);
  }

  void set_counts() {
    set("states", result_.states);
    set("transitions", result_.transitions);
    set("deadlocks", result_.deadlocks);
    set("depth", result_.depth);
  }

  void set_resources() {
    const std::uint64_t peak = peak_resident_bytes();
    set("state_bytes", std::uint64_t{program_->state_size()});
    if (result_.states != 0 && options_.engine != SafetyEngine::walk) {
      const std::uint64_t used = peak > resident_at_start_ ? peak - resident_at_start_ : 0;
      set("bytes_per_state", static_cast<double>(used) / static_cast<double>(result_.states));
    }
    set("threads", std::uint64_t{options_.threads});
    set("time_s", std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count());
    set("peak_rss_bytes", peak);
  }

  void set(Stat stat, Statistics::Value value) { outcome_.statistics.set(stat, std::move(value)); }

  const System& system_;
  const std::vector<Property>& properties_;
  const SafetyOptions& options_;
  Budget& budget_;
  std::chrono::steady_clock::time_point start_;
  std::uint64_t resident_at_start_;
  std::shared_ptr<const Program> program_;
  Monitor<Predicate> monitor_;
  std::vector<Atom> atoms_;
  SearchResult result_;
  double coverage_ = 1;
  Outcome outcome_;
};

}  // namespace

std::string_view to_string(SafetyEngine engine) {
  switch (engine) {
    case SafetyEngine::bfs:
      return "bfs";
    case SafetyEngine::dfs:
      return "dfs";
    case SafetyEngine::bitstate:
      return "bitstate";
    case SafetyEngine::walk:
      return "walk";
    case SafetyEngine::cache:
      return "cache";
    case SafetyEngine::sweep:
      return "sweep";
  }
  return "";
}

std::optional<SafetyEngine> safety_engine_from(std::string_view name) {
  for (const SafetyEngine engine : all_engines)
    if (to_string(engine) == name) return engine;
  return std::nullopt;
}

Outcome check_safety(const System& system, const std::vector<Property>& properties,
                     const SafetyOptions& options, Budget& budget) {
  if (options.threads > 1 && options.engine != SafetyEngine::bfs && options.engine != SafetyEngine::sweep)
    throw Error(ErrorKind::usage,
                fmt::format("engine {} uses one thread; bfs and sweep take more", to_string(options.engine)));
  return SafetyCheck(system, properties, options, budget).run();
}

}  // namespace tideline
