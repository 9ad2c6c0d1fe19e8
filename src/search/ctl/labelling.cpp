#include "search/ctl/labelling.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <new>

#include "exec/predicate.hpp"
#include "graph/factory.hpp"
#include "model/ctl_claims.hpp"
#include "run/vacuity.hpp"
#include "search/ctl/claim_ranks.hpp"
#include "search/ctl/run.hpp"
#include "store/state_collection.hpp"

namespace tideline {

namespace {

template <SystemGraph G>
class CtlCheck {
 public:
  CtlCheck(const G& stepped, const CtlOptions& options, Budget& budget)
      : stepped_(stepped),
        options_(options),
        budget_(budget),
        start_(std::chrono::steady_clock::now()),
        graph_(stepped_.state_size(), options.threads) {}

  Outcome run(const std::vector<Property>& properties) {
    outcome_.complete = guarded([&] { return graph_.build(stepped_, budget_); });
    outcome_.model_errors = graph_.met_errors();
    for (const Property& property : properties) {
      PropertyResult result{property, Verdict::unknown, {}, {}};
      if (outcome_.complete) guarded([&] { return check(property, result); });
      if (result.verdict == Verdict::unknown && result.reason.empty()) result.reason = budget_.reason();
      outcome_.results.push_back(std::move(result));
    }
    set_statistics();
    return std::move(outcome_);
  }

 private:
  /// Runs a part of the work that may run out of memory. False: the budget ended it.
  template <class Work>
  bool guarded(const Work& work) {
    try {
      return work();
    } catch (const LimitReached&) {
      return false;
    } catch (const std::bad_alloc&) {
      budget_.exhaust_memory();
      return false;
    }
  }

  bool check(const Property& property, PropertyResult& result) {
    const CtlFormula& formula = *property.ctl;
    std::vector<Predicate> predicates;
    for (const Expr& atom : formula.atoms)
      predicates.emplace_back(stepped_.system(), stepped_.layout(), atom);
    auto atoms = atom_sets(graph_, predicates, budget_);
    if (!atoms) return false;
    const std::vector<std::optional<bool>> constant = constant_truths(*atoms);
    CtlLabels labels(graph_, formula, property.deadlock_paths, std::move(*atoms));
    if (!labels.evaluate(budget_)) return false;
    label_bytes_ = std::max(label_bytes_, labels.memory_bytes());
    judge(labels, result);
    warn_of_constant_atoms(result, constant, outcome_.warnings);
    if (options_.collect && result.verdict == Verdict::holds && !graph_.met_errors())
      collect(labels, property);
    return true;
  }

  void collect(const CtlLabels& labels, const Property& property) {
    StateCollection& states = *options_.collect(property);
    try {
      const std::vector<CtlFormula::NodeId> claimed = claimed_nodes(*property.ctl);
      std::vector<std::vector<std::uint32_t>> ranks;  // by what is claimed, and by state
      for (const CtlFormula::NodeId node : claimed) {
        auto of_node = claim_ranks(graph_, labels, node, budget_);
        if (!of_node) return states.fail(budget_.reason());
        ranks.push_back(std::move(*of_node));
      }
      StateCollection::Kept kept = graph_.kept_states();
      const std::size_t numbers = 2 * claimed.size();  // of a state: ranks, and then successors
      std::vector<std::uint32_t> claims((kept.ranges.back().first + std::size_t{kept.ranges.back().count}) *
                                        numbers);
      for (StateId state = 0; state < graph_.size(); ++state) {
        std::uint32_t* const of_state = claims.data() + graph_.place_of(state) * numbers;
        for (std::size_t i = 0; i < claimed.size(); ++i) {
          of_state[i] = ranks[i][state];
          of_state[claimed.size() + i] =
              witness(graph_, labels, claimed[i], ranks[i], state, stepped_.state_size());
        }
      }
      kept.extra_at = [numbers, all = std::make_shared<const std::vector<std::uint32_t>>(std::move(claims))](
                          StateId place) {
        return reinterpret_cast<const std::byte*>(all->data() + place * numbers);
      };
      states.keep(std::move(kept));
    } catch (const std::bad_alloc&) {
      states.fail("out of memory");
    }
  }

  void judge(const CtlLabels& labels, PropertyResult& result) {
    const CtlFormula& formula = *result.property.ctl;
    const StateId initial = graph_.initial().front();
    for (const bool value : {false, true})
      if (labels.is(formula.root(), initial, value)) {
        result.verdict = value ? Verdict::holds : Verdict::violated;
        if (options_.traces) add_run(labels, initial, value, result);
        return;
      }
    result.reason = not_followed_reason;
  }

  void add_run(const CtlLabels& labels, StateId initial, bool value, PropertyResult& result) {
    std::optional<CtlRun> run;
    const bool done = guarded([&] {
      run = ctl_run(labels, initial, value, budget_);
      if (run) result.path = PathBuilder(ctl_path(stepped_, graph_, *run, budget_));
      return true;
    });
    if (result.path) {
      result.reason = run->remark;
    } else if (!done || !budget_.reason().empty()) {
      result.reason = fmt::format("the run was not built: {}", budget_.reason());
    }
  }

  /// By atom: its truth, where that is the same everywhere.
  std::vector<std::optional<bool>> constant_truths(const std::vector<BitSet>& atoms) const {
    std::vector<std::optional<bool>> truths(atoms.size());
    for (std::size_t i = 0; i < atoms.size(); ++i) {
      const std::uint64_t count = atoms[i].count();
      if (count == 0 || count == graph_.size()) truths[i] = count != 0;
    }
    return truths;
  }

  std::uint64_t deadlocks_but_for_ends() const {
    const Predicate may_end(stepped_.system(), stepped_.layout(), *stepped_.system().may_end);
    std::uint64_t count = 0;
    for (StateId state = 0; state < graph_.size(); ++state) {
      ModelErrorKind ignored = ModelErrorKind::none;
      count += graph_.is_deadlock(state) && may_end.evaluate(graph_.state(state), ignored) == 0 ? 1 : 0;
    }
    return count;
  }

  void set_statistics() {
    Statistics& statistics = outcome_.statistics;
    statistics.set("states", std::uint64_t{graph_.size()});
    statistics.set("transitions", graph_.transitions());
    if (!stepped_.system().may_end)
      statistics.set("deadlocks", graph_.deadlocks());
    else if (outcome_.complete)
      statistics.set("deadlocks", deadlocks_but_for_ends());
    statistics.set("visited", std::uint64_t{graph_.size()});
    statistics.set("stored_peak", std::uint64_t{graph_.size()});
    statistics.set("table_bytes", graph_.memory_bytes() + label_bytes_);
    statistics.set("threads", std::uint64_t{options_.threads});
    statistics.set("time_s",
                   std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count());
    statistics.set("peak_rss_bytes", peak_resident_bytes());
  }

  G stepped_;
  const CtlOptions& options_;
  Budget& budget_;
  std::chrono::steady_clock::time_point start_;
  StoredGraph graph_;
  std::uint64_t label_bytes_ = 0;
  Outcome outcome_;
};

}  // namespace

Outcome check_ctl(const System& system, const std::vector<Property>& properties, const CtlOptions& options,
                  Budget& budget) {
  return with_graph(system, {options.errors},
                    [&](const auto& graph) { return CtlCheck(graph, options, budget).run(properties); });
}

}  // namespace tideline
