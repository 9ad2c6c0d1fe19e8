#include "checking/measures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "checking/measure_search.hpp"
#include "checking/reduction.hpp"
#include "graph/factory.hpp"
#include "lang/expression.hpp"
#include "progress/measured_product.hpp"
#include "progress/parse_measure.hpp"
#include "progress/projection.hpp"
#include "report/numbers.hpp"

namespace tideline {

namespace {

/// States on which measures are tried before a sweep, and the work that this may take: 20 to 50 ms.
constexpr std::uint64_t first_sample = 3'000, first_work = 1'500'000;
/// Actions that are blamed by name.
constexpr std::size_t most_named = 3;
/// Part of the memory limit that a sample may take: most of it is for the sweep.
constexpr std::uint64_t sample_share = 4;

ExpressionReader reader_of(const System& system) {
  return [&system](std::string_view text, SourcePoint start, const SourceText& source) {
    Diagnostics diagnostics(source);
    return read_expression(system, text, start, diagnostics);
  };
}

/// The given measure tried on a sample, or the best that can be found there.
template <Graph G>
Projection look_for_measure(G graph, const System& system, const std::optional<Measure>& given,
                            const Settings& settings, bool recalls, SampleBudget& budget) {
  if (!given)
    return project_measure(graph, system,
                           quick_projection(budget.options(first_sample), settings.errors, first_work,
                                            settings.threads, recalls),
                           budget.budget);
  const Sample sample = draw_sample(graph, system, budget.options(first_sample), budget.budget);
  return {.trials = {try_measure(sample, *given, recalls, &budget.budget)},
          .sample_states = sample.states(),
          .sample_edges = sample.edges(),
          .complete = sample.complete()};
}

/// Where the best measure comes from, and how much worse the best one of another origin is.
std::string origin(const Projection& projection) {
  const MeasureTrial& best = projection.trials.front();
  const auto other = std::ranges::find_if(
      projection.trials, [&](const MeasureTrial& trial) { return trial.origin != best.origin; });
  const auto name = [](const MeasureTrial& trial) {
    switch (trial.origin) {
      case MeasureOrigin::learnt:
        return "learnt from the sample";
      case MeasureOrigin::composed:
        return "composed of what single parts can do";
      case MeasureOrigin::linear:
        break;
    }
    return "linear, from how actions change slots";
  };
  if (other == projection.trials.end()) return name(best);
  const double ratio = other->score / std::max(best.score, 1e-9);
  const std::string comparison =
      ratio < 1.05 ? "about as good as" : fmt::format("{:.1f} times better than", ratio);
  return fmt::format("{} ({} the best one {})", name(best), comparison, name(*other));
}

/// A measure that costs as much as it saves is none: the sweep then keeps all states, like other engines.
void drop_useless(Projection& projection) {
  if (projection.trials.empty() || helps(projection.trials.front())) return;
  projection.rejected = std::move(projection.trials.front());
  projection.trials.clear();
}

/// Why no measure was found that helps: what the best one would cost, and which actions take it back.
std::string blame(const Projection& projection, const System& system) {
  if (!projection.rejected) return "nothing in the model goes forward";
  const MeasureTrial& trial = *projection.rejected;
  const auto states = static_cast<double>(std::max<std::uint64_t>(projection.sample_states, 1));
  std::string text = fmt::format("the best one would store {:.0f} % and visit each state {:.1f} times",
                                 100 * static_cast<double>(trial.sweep.peak) / states,
                                 static_cast<double>(trial.sweep.visits) / states);
  if (trial.sweep.recalls != 0)
    text += fmt::format(", and read it back {:.1f} times", static_cast<double>(trial.sweep.recalls) / states);
  std::size_t named = 0;
  for (const RegressingAction& regressing : trial.regressing) {
    if (regressing.action == no_action || named == most_named) continue;
    text += fmt::format("{} `{}`", named++ == 0 ? "; it is taken back most often by" : ",",
                        system.actions[regressing.action].label);
  }
  if (trial.regressing.size() > named)
    text += fmt::format(" and {}", show_plural(trial.regressing.size() - named, "other action"));
  return text;
}

/// What a sweep of the sample with this measure costs.
std::string cost(const MeasureTrial& trial, double states) {
  const double stored = static_cast<double>(trial.sweep.peak) / states;
  const double visited = static_cast<double>(trial.sweep.visits) / states;
  const double recalled = static_cast<double>(trial.sweep.recalls) / states;
  std::string text = fmt::format("stores {:.1f} % and visits each {:.2f} times", 100 * stored, visited);
  if (recalled >= 0.1) text += fmt::format(", and reads it back {:.1f} times", recalled);
  return text;
}

void note_prospects(const Projection& projection, bool given, const Settings& settings, const System& system,
                    std::string_view other_engine) {
  if (projection.trials.empty()) {
    settings.note(
        fmt::format("no progress measure was found that helps, so all states are kept, as engine {} "
                    "does: {}",
                    other_engine, blame(projection, system)));
    return;
  }
  const MeasureTrial& trial = projection.trials.front();
  const auto states = static_cast<double>(std::max<std::uint64_t>(projection.sample_states, 1));
  if (!given)
    settings.note(fmt::format("progress measure, {}: {}", origin(projection), trial.measure.text()));
  settings.note(fmt::format("on {} {} it {}", projection.complete ? "all" : "a sample of",
                            show_plural(projection.sample_states, "state"), cost(trial, states)));
  if (helps(trial)) return;
  settings.note(
      trial.sweep.recalls != 0
          ? fmt::format("such a measure is often taken back; engine {} is likely to be faster", other_engine)
          : fmt::format("such a measure hardly helps; engine {} is likely to be faster and not larger",
                        other_engine));
}

/// The searches of the plan that take a measure. The first is of the model itself, if that is asked about.
std::vector<PlannedSearch*> measured_searches(Plan& plan) {
  std::vector<PlannedSearch*> searches;
  // States and CTL are swept by the same measure.
  if (!plan.states.properties.empty() || !plan.ctl.properties.empty()) searches.push_back(&plan.states);
  for (PlannedSearch& lasso : plan.lassos) searches.push_back(&lasso);
  std::erase_if(searches, [](const PlannedSearch* search) { return !search->engine->takes_measure; });
  return searches;
}

/// Whether the sweep of states may begin as breadth-first search, without a measure: nothing else needs it, and it
/// is not given.
bool may_begin_without(const Model& model, Plan& plan, const PlannedSearch& search) {
  const Settings& settings = search.settings;
  return search.engine->takes_over && &search == &plan.states && measured_searches(plan).size() == 1 &&
         plan.ctl.properties.empty() && settings.threads == 1 && !settings.ranks &&
         !settings.sweep.checkpoints && !settings.sweep.on_layer && settings.sweep.from_bytes != 0 &&
         !settings.sweep.keep_log && !given_measure(model, settings);
}

/// When a sweep takes over that has begun as breadth-first search, and the measure, which is looked for meanwhile.
class LateMeasure {
 public:
  /// `from`: bytes of states.
  LateMeasure(MeasureSearch::Find find, Budget::Limits limits, double gone, std::uint64_t from)
      : find_(std::move(find)), limits_(std::move(limits)), gone_(gone), from_(from) {}

  /// At the same state in every run, even if the search for a measure is not over then.
  bool is_due(std::uint64_t bytes) { return (search_ || begins_at(bytes)) && bytes > from_; }
  const Measure& take(const Notes& notes) { return search_->take(notes); }

 private:
  /// Forgetting states does not help while they are a smaller part of the process than this: another size has to be asked
  /// for.
  static constexpr std::uint64_t part_of_process = 16;
  /// The search for a measure begins with so small a part of the states at which the sweep does.
  static constexpr std::uint64_t early = 4;

  bool begins_at(std::uint64_t bytes) {
    if (bytes < from_ / early) return false;
    // A page more or less must not matter.
    if (from_ == SweepSettings{}.from_bytes)
      from_ = std::max(from_, std::bit_floor(resident_bytes() / part_of_process));
    if (bytes < from_ / early) return false;
    search_.emplace(std::move(find_), std::move(limits_), gone_);
    return true;
  }

  MeasureSearch::Find find_;
  Budget::Limits limits_;
  double gone_;
  std::uint64_t from_;
  std::optional<MeasureSearch> search_;
};

TakeOver begin_without(const Model& model, const PlannedSearch& planned, bool recalls,
                       const Budget::Limits& limits, const Budget& budget) {
  const auto measure = std::make_shared<LateMeasure>(
      [&model, properties = planned.properties, settings = planned.settings, recalls](
          SampleBudget& sample, const Notes& notes) mutable {
        settings.notes = settings.notes ? notes : Notes{};
        return choose_measure(model, nullptr, properties, settings, recalls, sample);
      },
      limits, budget.seconds(), planned.settings.sweep.from_bytes);
  return {.is_due = [measure](std::uint64_t bytes) { return measure->is_due(bytes); },
          .engine = std::string(planned.engine->name),
          .measure = [measure, notes = planned.settings.notes] { return measure->take(notes); },
          .on_completion =
              [notes = planned.settings.notes](std::uint64_t bytes) {
                if (notes)
                  notes(fmt::format(
                      "all states take only {}, and were kept; --sweep-from 0 forgets them all the same",
                      show_bytes(bytes)));
              },
          .with_findings = true};
}

}  // namespace

SampleBudget::SampleBudget(Budget::Limits limits, double gone) {
  if (limits.memory_bytes) bytes = *limits.memory_bytes / sample_share;
  limits.memory_bytes.reset();
  limits.gone = gone;
  limits.phase = Phase::measuring;
  budget = Budget(std::move(limits));
}

SampleOptions SampleBudget::options(std::uint64_t most_states) const {
  return {.limit = most_states, .bytes = bytes};
}

Measure read_measure(const System& system, const SourceText& source, ErrorSemantics errors) {
  return parse_measure(system, source, reader_of(system), errors);
}

std::optional<Measure> given_measure(const Model& model, const Settings& settings) {
  if (settings.measure) return read_measure(model.system, *settings.measure, settings.errors);
  if (model.progress)
    return parse_measure(model.system, model.progress->source, model.progress->text, model.progress->where,
                         reader_of(model.system), settings.errors);
  return std::nullopt;
}

void require_measure(const Model& model, const PropertyProcess* property, const Settings& settings) {
  const std::optional<Measure> given = given_measure(model, settings);
  if (given && property) require_bits(*given, *property, settings.lassos.automaton_order);
}

Measure choose_measure(const Model& model, const PropertyProcess* property,
                       const std::vector<Property>& properties, const Settings& settings, bool recalls,
                       SampleBudget& budget) {
  const std::optional<Measure> given = given_measure(model, settings);
  if (given && !settings.notes) return *given;
  if (!given) settings.note("no progress measure is given: looking for one on a part of the states");
  const auto look = [&](const auto& graph) {
    return look_for_measure(graph, model.system, given, settings, recalls, budget);
  };
  const Stepping stepping = stepping_for(model.system, property, properties, settings, budget.budget);
  Projection projection = property ? with_product(model.system, *property, stepping, look)
                                   : with_graph(model.system, stepping, look);
  if (!given) drop_useless(projection);
  note_prospects(projection, given.has_value(), settings, model.system,
                 engine_for(property ? Purpose::lassos : Purpose::states).engine->name);
  if (given) return *given;
  return projection.trials.empty() ? Measure{} : projection.trials.front().measure;
}

std::optional<LearningOptions> learning_for(const Model& model, const Settings& settings, bool recalls,
                                            const SampleBudget& budget) {
  if (given_measure(model, settings)) return std::nullopt;
  return LearningOptions{.errors = settings.errors,
                         .bytes = budget.bytes,
                         .read =
                             [&system = model.system, errors = settings.errors](const std::string& text) {
                               return read_measure(system, {"the saved measure", text}, errors);
                             },
                         .threads = settings.threads,
                         .recalls = recalls,
                         .on_change =
                             [notes = settings.notes](std::uint64_t visits, const Measure& measure) {
                               if (notes)
                                 notes(fmt::format("after {} it goes on with a better measure: {}",
                                                   show_plural(visits, "visit"), measure.text()));
                             }};
}

std::vector<std::string> measures_of(Plan& plan) {
  std::vector<std::string> texts;
  for (const PlannedSearch* search : measured_searches(plan))
    texts.push_back(search->settings.sweep.measure.text());
  return texts;
}

void choose_measures(const Model& model, Plan& plan, const Budget::Limits& limits, Budget& budget,
                     const std::vector<std::string>* saved) {
  const std::vector<PlannedSearch*> searches = measured_searches(plan);
  if (searches.empty()) return;
  budget.begin(Phase::measuring);
  const auto process_of = [&](const PlannedSearch* search) {
    return search == &plan.states ? nullptr : search->properties.front().process.get();
  };
  if (!saved) {
    for (const PlannedSearch* search : searches) require_measure(model, process_of(search), search->settings);
    const Settings& settings = searches.front()->settings;
    // What is saved has its log beside it.
    if (settings.traces && !(settings.sweep.checkpoints && settings.sweep.trace_folder.empty()))
      require_log(settings.sweep);
  }
  SampleBudget sample(limits, budget.seconds());
  for (std::size_t i = 0; i < searches.size(); ++i) {
    PlannedSearch& search = *searches[i];
    Measure& measure = search.settings.sweep.measure;
    // Searches for cycles and of CTL look at every layer as it is, and ranks forget.
    const bool recalls = &search == &plan.states && plan.ctl.properties.empty() && !search.settings.ranks &&
                         search.settings.sweep.keeps_passed_states(search.settings.traces);
    if (!saved && may_begin_without(model, plan, search))
      search.settings.sweep.take_over = begin_without(model, search, recalls, limits, budget);
    else if (!saved)
      measure =
          choose_measure(model, process_of(&search), search.properties, search.settings, recalls, sample);
    else if (!saved->at(i).empty())
      measure = read_measure(model.system, {"the saved measure", saved->at(i)}, search.settings.errors);
    search.settings.sweep.learning = learning_for(model, search.settings, recalls, sample);
  }
  // States also for model errors and for states without a value, which may have to be looked for afterwards.
  const SweepSettings& first = searches.front()->settings.sweep;
  plan.states.settings.sweep = plan.ctl.settings.sweep = first;
  budget.end_phase(sample.budget.latest());
}

void require_log(const SweepSettings& settings) {
  const TraceLog attempt(settings.trace_folder.empty() ? default_trace_folder() : settings.trace_folder,
                         false);
}

}  // namespace tideline
