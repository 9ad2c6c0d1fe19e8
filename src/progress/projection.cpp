#include "progress/projection.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "progress/linear.hpp"
#include "progress/ranked.hpp"
#include "progress/stage.hpp"
#include "progress/value_order.hpp"
#include "run/team.hpp"

namespace tideline {

namespace {

using namespace tuples;

/// Slots with more values are only taken in their natural order and reversed.
constexpr std::size_t most_ordered_values = 128;
/// How much better a tuple must be to take one more term.
constexpr double worth_a_term = 0.98;
/// Candidates are first tried on a part of the sample; the best few then on the whole.
constexpr std::size_t thinning = 6;
/// For a sum of slots that most actions increase.
constexpr std::uint64_t most_linear_steps = 200'000'000;
/// The best few are looked at more closely.
constexpr std::size_t most_claimed = 3;
/// By how much the score of a learnt order may be better than that of a natural one that is tried in its place.
constexpr double hardly_better = 4;

/// A layer takes time and the memory of a few states. Natural orders of slots with many values make more layers of the
/// whole graph than a sample shows.
double cost_of_layers(const Sample& sample) {
  return sample.complete() ? 4 : 12;
}

/// What it is worth that a measure without regress edges looks at all slots. Others seem better than they
/// are where only a part of the graph is known: more states agree in a few slots than a sample shows.
constexpr double worth_of_slots = 0.3;

bool looks_at_all_slots(const Sample& sample, const Measure& measure) {
  std::set<SlotId> seen;
  for (const MeasureTerm& term : measure.terms())
    for (const Summand& summand : term.summands) seen.insert(summand.slots.begin(), summand.slots.end());
  return seen.size() >= sample.columns.size();
}

double score_of(const SimulatedSweep& sweep, const Sample& sample, std::uint32_t layers) {
  const auto states = static_cast<double>(sample.states());
  const double kept = sample.complete() ? 0 : static_cast<double>(sweep.persistent);
  return (static_cast<double>(sweep.peak) + kept) / states * price_of_visits(sweep, states) *
         (1 + cost_of_layers(sample) * (layers / states) * (layers / states));
}

/// By edge of a sample: the columns that change.
class ChangedColumns {
 public:
  ChangedColumns(const Sample& sample, Budget& budget) {
    LimitCheck check_limits(&budget);
    for (std::size_t state = 0; state < sample.states(); ++state)
      for (const std::uint32_t target : sample.targets_of(state)) {
        check_limits();
        for (std::size_t c = 0; c < sample.columns.size(); ++c)
          if (sample.columns[c].ranks[state] != sample.columns[c].ranks[target])
            columns_.push_back(static_cast<std::uint32_t>(c));
        first_.push_back(columns_.size());
      }
  }
  std::span<const std::uint32_t> operator[](std::size_t edge) const {
    return {columns_.data() + first_[edge], columns_.data() + first_[edge + 1]};
  }

 private:
  std::vector<std::size_t> first_ = {0};  // by edge, and one more
  std::vector<std::uint32_t> columns_;
};

/// How many of the first terms no edge of the sample decreases.
std::size_t rising_terms(const Sample& sample, const Measure& measure) {
  std::vector<Progress> values(sample.states());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = measure(sample.state(i));
  // Two values agree in a term and all before it where they agree in the bits from its last one on.
  std::vector<unsigned> below;
  for (std::size_t i = 1; i <= measure.terms().size(); ++i) below.push_back(measure.suffix(i).bits());
  std::size_t rising = below.size();
  for (std::size_t state = 0; state < sample.expanded; ++state)
    for (const std::uint32_t target : sample.targets_of(state))
      while (rising > 0 && values[target] >> below[rising - 1] < values[state] >> below[rising - 1]) --rising;
  return rising;
}

class Search {
 public:
  Search(const Sample& sample, const Sample* fresh, const System& system, const ProjectionOptions& options,
         Budget& budget)
      : sample_(sample),
        fresh_(fresh),
        thin_(thinned(sample, std::min(sample.expanded / thinning, options.most_thin))),
        changed_(sample, budget),
        system_(system),
        options_(options),
        budget_(budget),
        locals_(options.composed ? local_measures(system, options.errors, &budget) : Locals{}),
        team_(options.threads > 1 ? std::make_unique<Team>(options.threads) : nullptr) {}

  /// The trials, best first, and the best one of those that do not help.
  std::pair<std::vector<MeasureTrial>, std::optional<MeasureTrial>> run() {
    try {
      if (options_.learnt) add_learnt();
      if (options_.composed) add_composed();
      if (options_.linear) add_linear();
      keep_best();
      if (options_.composed) claim();
    } catch (const LimitReached&) {  // what was found counts
      keep_best();
    }
    return {std::move(results_), std::move(rejected_)};
  }

 private:
  /// Which terms a tuple grows by: learnt ones, among them only those that do not regress, or local ones,
  /// which may be added up.
  enum class Kind { any, sccs, local_sccs, local_trees, sums_of_sccs, sums_of_trees };

  void add_learnt() {
    begin_attempt();
    const std::vector<Term> sccs = grow({}, Kind::sccs, 0);
    for (const double persistent : {0.9, 0.5}) {
      begin_attempt();
      add_grown(grow({}, Kind::any, persistent));
    }
    begin_attempt();
    if (!sccs.empty()) add_grown(grow(sccs, Kind::any, 0));
  }

  /// All of them in order, and those that the sample chooses.
  void add_composed() {
    add_result(composed_measure(system_, locals_, options_.most_bits), MeasureOrigin::composed);
    add_result(measure_of_groups(), MeasureOrigin::composed);
    begin_attempt();
    add_grown(grow(grow({}, Kind::local_sccs, 0), Kind::local_trees, 0));
    begin_attempt();
    add_grown(grow(grow({}, Kind::sums_of_sccs, 0), Kind::sums_of_trees, 0.9));
  }

  /// What the processes can do with their own variables: monotone orders first.
  Measure measure_of_groups() const {
    std::vector<MeasureTerm> terms = group_terms(system_, locals_), taken;
    std::ranges::stable_sort(terms, std::greater{}, &MeasureTerm::monotone);
    unsigned bits = 0;
    for (MeasureTerm& term : terms) {
      const unsigned more = Measure(system_, {term}).bits();
      if (bits + more > options_.most_bits) continue;
      bits += more;
      taken.push_back(std::move(term));
    }
    return Measure(system_, std::move(taken));
  }

  /// Candidates to regress are rare actions, those that are taken late, and those that come last
  /// in the model.
  void add_linear() {
    std::vector<std::uint64_t> edges(system_.actions.size()), first(system_.actions.size(), sample_.edges());
    for (std::size_t e = sample_.edges(); e-- > 0;) {
      if (sample_.actions[e] == no_action) continue;
      ++edges[sample_.actions[e]];
      first[sample_.actions[e]] = e;
    }
    std::vector<ActionId> order(system_.actions.size());
    std::iota(order.begin(), order.end(), ActionId{0});
    add_linear(order);
    std::ranges::stable_sort(order, {}, [&](ActionId a) { return first[a]; });
    add_linear(order);
    std::ranges::stable_sort(order, std::greater{}, [&](ActionId a) { return edges[a]; });
    add_linear(order);
  }

  void add_linear(const std::vector<ActionId>& order) {
    const std::optional<MeasureTerm> term =
        linear_term(system_, order, std::min(options_.most_work, most_linear_steps), budget_);
    if (!term) return;
    try {
      const Measure measure(system_, {*term});
      if (measure.bits() <= options_.most_bits) add_result(measure, MeasureOrigin::linear);
    } catch (const Error&) {
      // It needs too many bits.
    }
  }

  /// Keeps a few, among them the best one whose origin differs from that of the best.
  void keep_best() {
    std::ranges::stable_sort(results_, {}, &MeasureTrial::score);
    if (results_.size() <= options_.most_trials) return;
    const auto other = std::ranges::find_if(
        results_, [&](const MeasureTrial& trial) { return trial.origin != results_.front().origin; });
    const auto last = results_.begin() + static_cast<std::ptrdiff_t>(options_.most_trials) - 1;
    if (other != results_.end() && other > last) std::iter_swap(other, last);
    results_.resize(options_.most_trials);
  }

  /// Finds out which of the first terms of the best measures never decrease.
  void claim() {
    for (std::size_t i = 0; i < results_.size() && i < most_claimed; ++i) {
      const Measure& measure = results_[i].measure;
      const Measure claimed = with_claims(system_, measure, locals_, rising_terms(sample_, measure));
      if (claimed.monotone_terms() == measure.monotone_terms()) continue;
      const MeasureOrigin origin = results_[i].origin;
      const double doubt = results_[i].score / tried(measure).score;
      results_[i] = tried(claimed);
      results_[i].score *= doubt;
      results_[i].origin = origin;
    }
    std::ranges::stable_sort(results_, {}, &MeasureTrial::score);
  }

  /// Each attempt may take its part of the work that is left.
  void begin_attempt() {
    const std::uint64_t left = options_.most_work - std::min(options_.most_work, work_);
    last_work_ = work_ + left / std::max<std::uint64_t>(attempts_left_, 1);
    attempts_left_ -= attempts_left_ > 0 ? 1 : 0;
  }
  bool stopped() {
    require();
    return work_ >= last_work_;
  }
  RunStatus status() const { return {.states = sample_.states(), .transitions = simulated_}; }
  void require() const { budget_.require(status()); }
  /// A sweep over this sample is about to be simulated.
  void count(const Sample& sample) {
    ++simulated_;
    work_ += sample.states() + sample.edges();
  }

  /// Adds terms for as long as that is worth it. `persistent` is the weight of persistent states beside what
  /// is stored.
  std::vector<Term> grow(std::vector<Term> terms, Kind kind, double persistent) {
    Stage stage(sample_, options_.recalls), thin(thin_, options_.recalls);
    for (const Term& term : terms) {
      stage.append(term);
      thin.append(term);
    }
    double best = terms.empty() ? infinite : guide_of(stage.sweep(), sample_, persistent);
    while (terms.size() < options_.most_terms && !stopped()) {
      auto [term, guide] = best_term(stage, thin, terms, kind, persistent);
      if (!term || guide > best * worth_a_term) break;
      best = guide;
      stage.append(*term);
      thin.append(*term);
      terms.push_back(std::move(*term));
    }
    return terms;
  }

  /// Calls action(element) for all, on all threads. The first one looks at the limits.
  template <class T, class Action>
  void for_each_of(std::vector<T>& elements, const Action& action) {
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> is_over = false;
    const auto work = [&](unsigned share) {
      for (std::size_t i; !is_over && (i = next.fetch_add(1)) < elements.size();) {
        if (share == 0 && budget_.exhausted(status())) is_over = true;
        action(elements[i]);
      }
    };
    if (team_)
      team_->run(work);
    else
      work(0);
    require();
  }

  struct Choice {
    std::optional<Term> term;
    double guide = infinite;
  };

  Choice best_term(const Stage& stage, const Stage& thin, const std::vector<Term>& terms, Kind kind,
                   double persistent) {
    std::vector<std::pair<double, Term>> tried;  // with their guides
    const bool local = kind != Kind::any && kind != Kind::sccs;
    unsigned used = 0;
    for (const Term& term : terms) used += term.bits();
    for (Term& term : local ? std::vector(local_terms(kind)) : candidates(stage, kind == Kind::sccs)) {
      if (stopped()) return {};
      if (used + term.bits() > options_.most_bits) continue;
      count(thin_);
      tried.emplace_back(infinite, std::move(term));
    }
    LeastGuides least_guides(options_.finalists);
    for_each_of(tried, [&](auto& t) {
      t.first = thin.guide_with(t.second, persistent, least_guides.last());
      least_guides.add(t.first);
    });
    std::stable_sort(tried.begin(), tried.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    if (tried.size() > options_.finalists) tried.resize(options_.finalists);
    for (std::size_t i = 0; i < tried.size(); ++i) count(sample_);
    std::atomic<double> least = infinite;
    for_each_of(tried, [&](auto& t) {
      const double guide = t.first = stage.guide_with(t.second, persistent, least);
      for (double so_far = least; guide < so_far && !least.compare_exchange_weak(so_far, guide);) {
      }
    });
    Choice best;
    for (auto& [guide, term] : tried)
      if (guide < best.guide) best = {std::move(term), guide};
    return best;
  }

  /// Adds the tuple, and its first term alone, which is easier to read.
  void add_grown(std::vector<Term> terms) {
    if (terms.empty()) return;
    const Term first = terms.front();
    shorten(terms);
    reorder(terms);
    add_result(terms);
    add_result({first});
    if (!sample_.complete()) add_result(with_plain_orders(terms));
  }

  /// How much worse a measure is likely to be than the sample shows: an order of n values says something about n * n
  /// changes, and the sample shows only so many.
  double doubt(const std::vector<Term>& terms) const {
    double result = 1;
    for (const Term& term : terms)
      for (const Part& part : term.parts)
        if (!part.local && !is_plain(part.order)) {
          const auto values = static_cast<double>(part.order.place.size());
          result *= 1 + values * values / static_cast<double>(sample_.states());
        }
    return result;
  }
  static bool is_plain(const ValueOrder& order) {
    const std::size_t values = order.place.size();
    return order == natural_order(values) || order == reversed_order(values);
  }

  /// With natural or reversed orders in place of learnt ones that are hardly better on the sample.
  std::vector<Term> with_plain_orders(std::vector<Term> terms) {
    const double score = score_with(terms);
    for (std::size_t i = 0; i < terms.size() && !stopped(); ++i) {
      if (terms[i].parts.size() != 1 || terms[i].parts[0].local || terms[i].monotone) continue;
      double best = score * hardly_better;
      for (const bool reversed : {false, true}) {
        const std::size_t values = sample_.columns[terms[i].parts[0].column].values.size();
        std::vector<Term> plain = terms;
        plain[i] = {{{.column = terms[i].parts[0].column,
                      .order = reversed ? reversed_order(values) : natural_order(values)}}};
        const double with_it = plain == terms ? infinite : score_with(plain);
        if (with_it > best) continue;
        best = with_it;
        terms = std::move(plain);
      }
    }
    return terms;
  }

  /// Every slot that changes within a layer, in all promising orders.
  std::vector<Term> candidates(const Stage& stage, bool sccs_only) {
    std::vector<Term> result;
    const std::vector<std::optional<ValueChanges>> changes = changes_within_layers(stage);
    for (std::size_t c = 0; c < sample_.columns.size(); ++c) {
      require();
      const std::size_t values = sample_.columns[c].values.size();
      const auto add = [&](ValueOrder order) {
        const bool rises = changes[c] && regress_weight(*changes[c], order) == 0;
        Term term{{{c, std::move(order)}}};
        term.monotone = rises && never_decreases(term.parts[0]);
        if (term.places() > 1 && std::find(result.begin(), result.end(), term) == result.end())
          result.push_back(std::move(term));
      };
      if (changes[c]) {
        add(scc_order(*changes[c]));
        if (sccs_only) continue;
        ValueOrder learnt = feedback_order(*changes[c]);
        const bool regress = regress_weight(*changes[c], learnt) != 0;
        add(std::move(learnt));
        if (!regress) continue;
      } else if (sccs_only) {
        continue;
      }
      add(natural_order(values));
      add(reversed_order(values));
    }
    return result;
  }

  /// Whether it is known not to. The same parts are asked about again and again, and spelling one out takes time.
  bool never_decreases(const Part& part) {
    const auto [known, is_new] = never_decrease_.try_emplace({part.column, part.order.place});
    if (is_new) known->second = tideline::never_decreases(measure_term(part, false, false), locals_);
    return known->second;
  }

  const std::vector<Term>& local_terms(Kind kind) {
    const auto [known, is_new] = local_terms_.try_emplace(kind);
    if (is_new) known->second = find_local_terms(kind);
    return known->second;
  }

  /// The SCCs of all slots, or the trees of those that have cycles, without or with sums of them.
  std::vector<Term> find_local_terms(Kind kind) const {
    const bool of_sccs = kind == Kind::local_sccs || kind == Kind::sums_of_sccs;
    std::vector<Term> result;
    for (std::size_t c = 0; c < sample_.columns.size(); ++c) {
      require();
      const auto local = std::ranges::find(locals_.measures, sample_.columns[c].slot, &LocalMeasure::slot);
      if (local == locals_.measures.end()) continue;
      if (of_sccs ? local->sccs.places == 1 : !local->is_cyclic()) continue;
      const ValueOrder& order = of_sccs ? local->sccs : local->tree;
      std::map<std::int32_t, std::uint32_t> place;
      for (LocalGraph::State state = 0; state < local->graph.size(); ++state)
        place[local->graph.state(state)[0]] = order.place[state];
      if (of_sccs && !scc_term(system_, *local).monotone) continue;
      Part part{c, {.place = {}, .places = order.places}, &*local};
      for (const std::int32_t value : sample_.columns[c].values) part.order.place.push_back(place.at(value));
      result.push_back({{std::move(part)}, of_sccs});
    }
    if (kind == Kind::sums_of_sccs || kind == Kind::sums_of_trees) add_sums(result);
    return result;
  }

  /// Sums of all terms, of those that are locations, and of those that have as many places as another one:
  /// copies of one process advance together.
  void add_sums(std::vector<Term>& terms) const {
    const std::size_t single = terms.size();
    const auto add = [&](auto&& takes) {
      Term sum{{}, true};
      for (std::size_t i = 0; i < single; ++i)
        if (takes(terms[i].parts[0])) {
          sum.parts.push_back(terms[i].parts[0]);
          sum.monotone = sum.monotone && terms[i].monotone;
        }
      if (sum.parts.size() > 1 && std::find(terms.begin(), terms.end(), sum) == terms.end())
        terms.push_back(std::move(sum));
    };
    add([](const Part&) { return true; });
    add([&](const Part& part) {
      return system_.variables[system_.slots[sample_.columns[part.column].slot].variable].is_location;
    });
    for (std::size_t i = 0; i < single; ++i)
      add([places = terms[i].places()](const Part& part) { return part.order.places == places; });
  }

  /// By column: how its slot changes along stationary edges; nothing where it has too many values.
  std::vector<std::optional<ValueChanges>> changes_within_layers(const Stage& stage) {
    std::vector<std::optional<ValueChanges>> changes;
    for (const Sample::Column& column : sample_.columns)
      changes.push_back(column.values.size() <= most_ordered_values
                            ? std::optional(ValueChanges(column.values.size()))
                            : std::nullopt);
    const std::vector<std::uint32_t>& layer = stage.layering().layer;
    LimitCheck check_limits(&budget_);
    for (std::uint32_t state = 0; state < sample_.states(); ++state)
      for (std::uint64_t edge = sample_.first_edge[state]; edge < sample_.first_edge[state + 1]; ++edge) {
        check_limits();
        const std::uint32_t target = sample_.targets[edge];
        if (layer[target] != layer[state]) continue;
        for (const std::uint32_t c : changed_[edge])
          if (changes[c]) changes[c]->add(sample_.columns[c].ranks[state], sample_.columns[c].ranks[target]);
      }
    return changes;
  }

  /// Takes out terms, the last first, without which the measure is as good.
  void shorten(std::vector<Term>& terms) {
    double score = score_with(terms);
    for (std::size_t i = terms.size(); i-- > 0 && terms.size() > 1 && !stopped();) {
      std::vector<Term> fewer = terms;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      const double without = score_with(fewer);
      if (without > score * 1.002) continue;
      score = without;
      terms = std::move(fewer);
    }
  }

  /// Moves terms to the front of others where that makes the measure better.
  void reorder(std::vector<Term>& terms) {
    double score = score_with(terms);
    for (std::size_t from = 1; from < terms.size(); ++from)
      for (std::size_t to = 0; to < from && !stopped(); ++to) {
        std::vector<Term> moved = terms;
        std::rotate(moved.begin() + static_cast<std::ptrdiff_t>(to),
                    moved.begin() + static_cast<std::ptrdiff_t>(from),
                    moved.begin() + static_cast<std::ptrdiff_t>(from) + 1);
        const double better = score_with(moved);
        if (better > score * worth_a_term) continue;
        score = better;
        terms = std::move(moved);
      }
  }

  /// Infinite when it costs too many visits.
  double score_with(const std::vector<Term>& terms) {
    Stage stage(sample_, options_.recalls);
    for (const Term& term : terms) stage.append(term);
    count(sample_);
    const SimulatedSweep sweep = stage.sweep();
    return sweep.abandoned ? infinite : score_of(sweep, sample_, stage.layering().count);
  }

  MeasureTerm measure_term(const Term& term, bool few_bits) const {
    std::vector<MeasureTerm> parts;
    for (const Part& part : term.parts) parts.push_back(measure_term(part, term.monotone, few_bits));
    MeasureTerm sum = sum_term(system_, parts);
    sum.monotone = std::ranges::all_of(parts, &MeasureTerm::monotone);
    return sum;
  }

  /// Natural orders are not written out, unless bits are scarce: an order that names the values of the sample
  /// needs bits for these alone.
  MeasureTerm measure_term(const Part& part, bool monotone, bool few_bits) const {
    const Sample::Column& column = sample_.columns[part.column];
    if (part.local) return monotone ? scc_term(system_, *part.local) : tree_term(system_, *part.local);
    if (!few_bits && part.order == natural_order(column.values.size()))
      return slot_term(system_, column.slot);
    if (!few_bits && part.order == reversed_order(column.values.size()))
      return reversed_term(system_, column.slot);
    std::vector<std::vector<std::int32_t>> groups(part.order.places);
    for (std::size_t v = 0; v < column.values.size(); ++v)
      groups[part.order.place[v]].push_back(column.values[v]);
    return slot_term(system_, column.slot, std::move(groups));
  }

  unsigned bits_of(const Term& term, bool few_bits) const {
    return Measure(system_, {measure_term(term, few_bits)}).bits();
  }

  /// The terms as a measure, with as few written orders as the bits allow.
  Measure measure_of(const std::vector<Term>& terms) const {
    unsigned bits = 0;
    for (const Term& term : terms) bits += bits_of(term, false);
    std::vector<MeasureTerm> parts;
    for (const Term& term : terms) {
      const bool few_bits = bits > options_.most_bits;
      if (few_bits) bits -= bits_of(term, false) - bits_of(term, true);
      parts.push_back(measure_term(term, few_bits));
    }
    return Measure(system_, std::move(parts));
  }

  void add_result(const std::vector<Term>& terms) {
    const bool composed =
        std::ranges::all_of(terms, [](const Term& term) { return term.parts[0].local != nullptr; });
    const MeasureOrigin origin = composed ? MeasureOrigin::composed : MeasureOrigin::learnt;
    add_result(measure_of(terms), origin, doubt(terms));
  }
  MeasureTrial tried(const Measure& measure) const {
    MeasureTrial trial = try_measure(sample_, measure, options_.recalls, &budget_);
    if (fresh_)
      trial.score = (trial.score + try_measure(*fresh_, measure, options_.recalls, &budget_).score) / 2;
    require();
    return trial;
  }
  void add_result(const Measure& measure, MeasureOrigin origin, double doubt = 1) {
    if (measure.terms().empty()) return;
    MeasureTrial trial = tried(measure);
    trial.origin = origin;
    if (!sample_.complete()) trial.score *= doubt;
    if (trial.sweep.abandoned || trial.score >= 1) {
      if (!trial.sweep.abandoned && (!rejected_ || trial.score < rejected_->score))
        rejected_ = std::move(trial);
      return;
    }
    for (const MeasureTrial& other : results_)
      if (other.measure.text() == trial.measure.text()) return;
    results_.push_back(std::move(trial));
  }

  const Sample& sample_;
  const Sample* fresh_;  // none: there is one sample
  Sample thin_;
  ChangedColumns changed_;
  const System& system_;
  const ProjectionOptions& options_;
  Budget& budget_;
  Locals locals_;
  std::unique_ptr<Team> team_;  // none: one thread
  std::map<Kind, std::vector<Term>> local_terms_;
  std::map<std::pair<std::size_t, std::vector<std::uint32_t>>, bool> never_decrease_;  // by column and order
  std::vector<MeasureTrial> results_;
  std::optional<MeasureTrial> rejected_;
  std::uint64_t simulated_ = 0;
  std::uint64_t work_ = 0, last_work_ = 0;  // states and edges of samples swept, and the bound
  std::uint64_t attempts_left_ = 6;
};

/// Whether what the measure claims is not true.
bool leaves_columns_backwards(const Sample& sample, const Layering& layering) {
  for (std::size_t state = 0; state < sample.states(); ++state)
    for (const std::uint32_t target : sample.targets_of(state))
      if (layering.column[layering.layer[target]] < layering.column[layering.layer[state]]) return true;
  return false;
}

Layering layering_of(const Sample& sample, const Measure& measure) {
  std::vector<Progress> values(sample.states());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = measure(sample.state(i));
  auto [layers, present] = ranked(values);
  Layering layering{.layer = std::move(layers), .count = static_cast<std::uint32_t>(present.size())};
  const unsigned rest = measure.suffix(measure.monotone_terms()).bits();
  if (rest == measure.bits()) return layering;
  for (std::uint32_t i = 0; i < present.size(); ++i) {
    const bool same = i > 0 && present[i] >> rest == present[i - 1] >> rest;
    layering.column.push_back(same ? layering.column.back() : i);
  }
  if (leaves_columns_backwards(sample, layering)) layering.column.clear();
  return layering;
}

std::vector<RegressingAction> regressing_actions(const Sample& sample, const Layering& layering) {
  std::vector<std::uint64_t> edges;  // by action
  std::uint64_t without_action = 0;
  for (std::size_t state = 0; state < sample.states(); ++state)
    for (std::uint64_t edge = sample.first_edge[state]; edge < sample.first_edge[state + 1]; ++edge)
      if (layering.layer[sample.targets[edge]] < layering.layer[state]) {
        const ActionId action = sample.actions[edge];
        if (action != no_action && action >= edges.size()) edges.resize(action + 1);
        ++(action == no_action ? without_action : edges[action]);
      }
  std::vector<RegressingAction> result;
  for (ActionId action = 0; action < edges.size(); ++action)
    if (edges[action] != 0) result.push_back({action, edges[action]});
  if (without_action != 0) result.push_back({no_action, without_action});
  std::stable_sort(result.begin(), result.end(),
                   [](const RegressingAction& a, const RegressingAction& b) { return a.edges > b.edges; });
  return result;
}

}  // namespace

MeasureTrial try_measure(const Sample& sample, const Measure& measure, bool recalls, Budget* budget) {
  const Layering layering = layering_of(sample, measure);
  MeasureTrial trial{.measure = measure, .layers = layering.count};
  unsigned layers = 0;
  trial.sweep = simulate_sweep(
      sample, layering,
      [&](const SimulatedSweep& so_far) {
        return so_far.visits > 1000 * sample.states() ||
               (++layers % 256 == 0 && budget &&
                budget->exhausted({.states = sample.states(), .transitions = so_far.visits}));
      },
      recalls);
  trial.score = score_of(trial.sweep, sample, layering.count);
  trial.regressing = regressing_actions(sample, layering);
  for (const RegressingAction& action : trial.regressing) trial.regress_edges += action.edges;
  if (!sample.complete() && trial.regress_edges == 0 && looks_at_all_slots(sample, measure))
    trial.score *= 1 - worth_of_slots;
  return trial;
}

Projection project_measure(const Sample& sample, const System& system, const ProjectionOptions& options,
                           Budget& budget, const Sample* fresh) {
  Projection projection{
      .sample_states = sample.states(), .sample_edges = sample.edges(), .complete = sample.complete()};
  try {
    std::tie(projection.trials, projection.rejected) = Search(sample, fresh, system, options, budget).run();
  } catch (const LimitReached&) {  // before anything was tried
  }
  return projection;
}

std::string_view to_string(MeasureOrigin origin) {
  switch (origin) {
    case MeasureOrigin::learnt:
      return "learnt";
    case MeasureOrigin::composed:
      return "composed";
    case MeasureOrigin::linear:
      break;
  }
  return "linear";
}

}  // namespace tideline
