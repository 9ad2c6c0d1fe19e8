#include "checking/contest/contest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "bind/bind.hpp"
#include "checking/contest/diagrams.hpp"
#include "checking/plan.hpp"
#include "checking/reduce_net.hpp"
#include "checking/reduction.hpp"
#include "checking/unbounded.hpp"
#include "exec/reference.hpp"
#include "graph/factory.hpp"
#include "report/text.hpp"
#include "search/core/stored_graph.hpp"
#include "symbolic/ltl/check.hpp"

namespace tideline::contest {

namespace {

class Run {
 public:
  Run(Examination& examination, const Model& model, ContestMode mode, unsigned threads,
      const Budget::Limits& whole, const AnswerSink& sink)
      : examination_(examination),
        model_(model),
        mode_(mode),
        whole_(whole),
        clock_(without_memory(whole)),
        answers_(examination, sink) {
    settings_.threads = threads;
    settings_.traces = false;
  }

  void run() {
    for (std::size_t q = 0; q < examination_.questions.size(); ++q)  // all transitions, when there are none
      if (examination_.questions[q].is_of_parts()) answers_.conclude(q, by_structure);
    if (const auto proof = find_unboundedness(model_)) {
      infinite_ = true;
      follow(*proof);
    }
    for (double turn = first_turn; run_round(turn);) turn *= growth;
  }

 private:
  using Numbers = std::vector<std::size_t>;  ///< of questions

  static constexpr double first_turn = 2, growth = 4;  // seconds

  static Budget::Limits without_memory(Budget::Limits limits) {
    limits.memory_bytes.reset();
    limits.on_status = {};
    return limits;
  }

  static const char* name_of(Stage stage) {
    constexpr const char* names[] = {"random walks",
                                     "decision diagrams",
                                     "breadth-first search",
                                     "reduced search",
                                     "reachability graph",
                                     "CTL labelling",
                                     "search for infinite runs",
                                     "infinite runs by decision diagrams"};
    return names[static_cast<int>(stage)];
  }

  // --- unbounded nets

  /// Questions about all of infinitely many markings have no answer. Others may have one, also some that are
  /// decided by markings on the endless run.
  void follow(const Unboundedness& proof) {
    answers_.remark(unbounded_text(proof, model_.system));
    const std::set<SlotId> grows(proof.grows.begin(), proof.grows.end());
    for (std::size_t q = 0; q < answers_.size(); ++q) {
      const Question& question = examination_.questions[q];
      if (question.kind == Question::Kind::state_space ||
          std::ranges::any_of(question.places, [&](SlotId place) { return grows.contains(place); }))
        endless_.insert(q);
    }
    const Reference reference(model_.system);
    Values marking = model_.system.initial;
    const auto fire_all = [&](const std::vector<ActionId>& actions) {
      return std::ranges::all_of(actions, [&](ActionId action) {
        judge(reference, marking);
        auto [next, error] = reference.fire(action, marking);
        marking = std::move(next);
        return error.kind == ModelErrorKind::none;
      });
    };
    constexpr int rounds = 100;
    bool fired = fire_all(proof.prefix);
    for (int i = 0; i < rounds && fired; ++i) fired = fire_all(proof.sequence);
    if (fired) judge(reference, marking);
  }

  /// Decides parts about single markings by a reachable one.
  void judge(const Reference& reference, const Values& marking) {
    for (std::size_t q = 0; q < answers_.size(); ++q)
      for (std::size_t p = 0; p < examination_.questions[q].parts.size(); ++p) {
        const Property& part = examination_.questions[q].parts[p];
        const bool reach = part.kind == PropertyKind::reach;
        if ((!reach && part.kind != PropertyKind::invariant) || !answers_.is_open(q, p)) continue;
        const auto [value, error] = reference.evaluate(part.expr, marking);
        if (error.kind == ModelErrorKind::none && (value != 0) == reach)
          answers_.decide(q, p, reach ? Verdict::holds : Verdict::violated, by_search);
      }
  }

  /// One turn for each stage that may still answer something. False: there was none, or the time is over.
  bool run_round(double turn) {
    reduce();
    const std::vector<Stage> stages = open_stages();
    if (stages.empty()) return false;
    // A round that would leave too little for the next one takes all there is.
    const bool last =
        whole_.seconds && time_left() < turn * (1 + growth) * static_cast<double>(stages.size());
    for (std::size_t i = 0; i < stages.size(); ++i) {
      if (clock_.exhausted({})) return false;
      const Numbers open = open_for(stages[i]);
      if (open.empty()) continue;
      run_turn(stages[i], open, last ? time_left() / static_cast<double>(stages.size() - i) : turn);
    }
    return true;
  }

  /// The fewer questions are open, the smaller is the net that they need.
  void reduce() {
    if (diagrams_ && diagrams_->all_known()) return;
    Numbers open;
    for (std::size_t q = 0; q < examination_.questions.size(); ++q)
      if (answers_.is_open(q) && !endless_.contains(q)) open.push_back(q);
    if (open.empty()) return;
    auto reduced = reduce_for(model_, examination_.questions, open);
    const auto size = [](const Model& model) {
      return model.system.slots.size() + model.system.actions.size();
    };
    if (!reduced || size(reduced->model) >= size(*searched_)) return;
    diagrams_.reset();
    order_.reset();
    answers_.on_reduced_net();
    reduced_ = std::move(reduced);
    searched_ = &reduced_->model;
    infinite_ = find_unboundedness(*searched_).has_value();
  }

  /// The questions, about the net that is searched.
  const std::vector<Question>& asked() const {
    return reduced_ ? reduced_->questions : examination_.questions;
  }

  std::vector<Stage> open_stages() const {
    std::set<Stage> stages;
    for (std::size_t q = 0; q < examination_.questions.size(); ++q)
      for (const Stage stage : stages_for(examination_.questions[q], mode_))
        if (is_open_for(q, stage)) stages.insert(stage);
    return {stages.begin(), stages.end()};
  }

  bool is_open_for(std::size_t q, Stage stage) const {
    // The others have to know all markings.
    const bool hopeless = infinite_ && stage != Stage::walk && stage != Stage::states &&
                          stage != Stage::reduced && stage != Stage::lassos;
    return answers_.is_open(q) && !hopeless && !endless_.contains(q) && !over_.contains({stage, q});
  }

  Numbers open_for(Stage stage) const {
    Numbers open;
    for (std::size_t q = 0; q < examination_.questions.size(); ++q) {
      const auto stages = stages_for(examination_.questions[q], mode_);
      if (is_open_for(q, stage) && std::ranges::find(stages, stage) != stages.end()) open.push_back(q);
    }
    return open;
  }

  double time_left() const { return std::max(0.0, *whole_.seconds - clock_.seconds()); }

  Budget::Limits limits_for(double seconds) const {
    Budget::Limits limits = whole_;
    limits.seconds = seconds;
    limits.gone = 0;
    if (limits.on_status)
      limits.on_status = [this](RunStatus status) {
        status.seconds = clock_.seconds();  // of the whole run
        whole_.on_status(status);
      };
    if (infinite_) limits.memory_bytes = ShortSearch(limits, 0, false).limits().memory_bytes;
    return limits;
  }

  void run_turn(Stage stage, const Numbers& open, double seconds) {
    if (stage == Stage::symbolic) return diagrams(open, seconds);
    if (stage == Stage::reduced)
      return one_by_one(stage, open, seconds, [&](std::size_t q, Budget& budget) { reduced(q, budget); });
    if (stage == Stage::lassos || stage == Stage::hybrid)
      return one_by_one(stage, open, seconds,
                        [&](std::size_t q, Budget& budget) { infinite(q, stage, budget); });
    Budget budget(limits_for(seconds));
    budget.begin(Phase::searching, name_of(stage));
    try {
      run_stage(stage, open, budget);
    } catch (const LimitReached&) {
      // The budget says why.
    } catch (const std::bad_alloc&) {
      budget.exhaust_memory();
    }
    budget.end_phase();
    if (!ended_by_time(budget, seconds)) give_up(stage, open);
    remark(stage, budget);
  }

  static bool ended_by_time(const Budget& budget, double seconds) {
    return !budget.reason().empty() && budget.seconds() >= seconds;
  }

  /// Another turn of this stage would not get further.
  void give_up(Stage stage, const Numbers& open) {
    for (const std::size_t q : open) over_.insert({stage, q});
    if (stage == Stage::symbolic) diagrams_.reset();
  }

  void remark(Stage stage, const Budget& budget) const {
    if (!budget.reason().empty()) answers_.remark(fmt::format("{}: {}", name_of(stage), budget.reason()));
  }

  /// Each question gets its part of what those before it have left; while there is much left after the last
  /// one, those that are open share it again.
  template <class Answer>
  void one_by_one(Stage stage, Numbers open, double seconds, const Answer& answer) {
    constexpr double little = 0.1;
    const Budget clock;
    const auto left = [&] { return std::max(0.0, seconds - clock.seconds()); };
    while (!open.empty() && left() > little * seconds) {
      for (std::size_t i = 0; i < open.size(); ++i) {
        if (clock_.exhausted({})) return;
        answer_within(stage, open[i], left() / static_cast<double>(open.size() - i), answer);
      }
      std::erase_if(open, [&](std::size_t q) { return !is_open_for(q, stage); });
    }
    for (const std::size_t q : open)
      answers_.remark(
          fmt::format("{}: {} is open after {:.1f} s", name_of(stage), answers_.id(q), clock.seconds()));
  }

  template <class Answer>
  void answer_within(Stage stage, std::size_t q, double seconds, const Answer& answer) {
    Budget budget(limits_for(seconds));
    budget.begin(Phase::searching, name_of(stage));
    try {
      answer(q, budget);
    } catch (const LimitReached&) {
      // The budget says why.
    } catch (const std::bad_alloc&) {
      budget.exhaust_memory();
    }
    budget.end_phase();
    if (ended_by_time(budget, seconds)) return;
    over_.insert({stage, q});
    if (answers_.is_open(q) && !budget.reason().empty())
      answers_.remark(fmt::format("{}: {}: {}", name_of(stage), answers_.id(q), budget.reason()));
  }

  void run_stage(Stage stage, const Numbers& open, Budget& budget) {
    switch (stage) {
      case Stage::walk:
        return search_states(open, Purpose::first_look, {.depth = 2000, .walks = 16}, {}, by_walks, budget);
      case Stage::states:
        return search_states(open, Purpose::states, {}, {}, searching(), budget);
      case Stage::graph:
        return graph(open, budget);
      case Stage::ctl:
        return ctl(open, budget);
      case Stage::symbolic:
      case Stage::reduced:
      case Stage::lassos:
      case Stage::hybrid:
        break;
    }
    throw Error(ErrorKind::internal, "questions of this stage are answered one by one");
  }

  const char* searching() const { return settings_.threads > 1 ? by_parallel_search : by_search; }

  /// The parts of questions that are open, with what they belong to.
  struct Parts {
    std::vector<Property> properties;
    std::vector<std::pair<std::size_t, std::size_t>> of;  ///< question and part
  };
  Parts open_parts(const Numbers& open) const {
    Parts parts;
    for (const std::size_t q : open)
      for (std::size_t p = 0; p < asked()[q].parts.size(); ++p)
        if (answers_.is_open(q, p)) {
          parts.properties.push_back(asked()[q].parts[p]);
          parts.of.emplace_back(q, p);
        }
    return parts;
  }

  void decide_all(const Parts& parts, const Outcome& outcome, const char* techniques) {
    for (std::size_t i = 0; i < parts.of.size(); ++i)
      answers_.decide(parts.of[i].first, parts.of[i].second, outcome.results[i].verdict, techniques);
  }

  // --- properties of states, one by one

  void search_states(const Numbers& open, Purpose purpose, const SafetyOptions& options,
                     std::optional<por::Method> reduction, const char* techniques, Budget& budget) {
    const Engine& engine = *engine_for(purpose).engine;
    Settings settings = settings_;
    settings.states = options;
    settings.reduction = reduction;
    if (!engine.threads) settings.threads = 1;
    const Parts parts = open_parts(open);
    decide_all(parts, engine.states(searched_->system, parts.properties, settings, budget), techniques);
  }

  void reduced(std::size_t q, Budget& budget) {
    if (reduction_pays(searched_->system, open_parts({q}).properties, settings_.errors, budget))
      search_states({q}, Purpose::states, {}, por::Method::stubborn, searching(), budget);
  }

  // --- decision diagrams

  /// All markings first; they are kept for the turns to come, and so is what is known when the time is over.
  void diagrams(const Numbers& open, double seconds) {
    Budget budget(limits_for(seconds));
    budget.begin(Phase::searching, name_of(Stage::symbolic));
    bool known = false, out_of_memory = false;
    try {
      if (!diagrams_)
        diagrams_.emplace(searched_->system, settings_.threads, answers_,
                          [this](std::size_t q, const Property& property) {
                            const auto bound = bound_part(q, property);
                            return bound ? bound->ctl : nullptr;
                          });
      known = diagrams_->all_known() || diagrams_->explore(budget);
    } catch (const std::bad_alloc&) {
      budget.exhaust_memory();
      out_of_memory = true;
    }
    budget.end_phase();
    if (!known) {
      if (out_of_memory || !ended_by_time(budget, seconds)) give_up(Stage::symbolic, open);
      return remark(Stage::symbolic, budget);
    }
    diagrams_->run([&] {
      one_by_one(Stage::symbolic, open, seconds - budget.seconds(),
                 [&](std::size_t q, Budget& part) { diagrams_->judge(q, asked()[q], part); });
    });
    if (open_for(Stage::symbolic).empty()) diagrams_.reset();
  }

  // --- the graph in memory

  void graph(const Numbers& open, Budget& budget) {
    const Layout layout(searched_->system);
    StoredGraph graph(layout.size(), settings_.threads);
    const bool built = with_graph(searched_->system, {settings_.errors},
                                  [&](auto stepped) { return graph.build(stepped, budget); });
    if (!built || graph.met_errors()) return;
    std::vector<std::int64_t> most(examination_.questions.size());
    std::int64_t in_place = 0, in_marking = 0;
    for (StateId state = 0; state < graph.size(); ++state) {
      const auto marking = layout.unpack(graph.state(state));
      for (const std::size_t q : open) {
        std::int64_t sum = 0;
        for (const SlotId place : asked()[q].places) sum += marking[place];
        most[q] = std::max(most[q], sum);
      }
      for (const std::int32_t tokens : marking) in_place = std::max<std::int64_t>(in_place, tokens);
      in_marking = std::max(in_marking, std::accumulate(marking.begin(), marking.end(), std::int64_t{0}));
    }
    for (const std::size_t q : open) {
      if (examination_.questions[q].kind == Question::Kind::bound) {
        answers_.say_value(q, std::to_string(most[q]), by_search);
        continue;
      }
      answers_.say_count("STATES", by_search, [&] { return std::to_string(graph.size()); });
      answers_.say_count("MAX_TOKEN_PER_MARKING", by_search, [&] { return std::to_string(in_marking); });
      answers_.say_count("MAX_TOKEN_IN_PLACE", by_search, [&] { return std::to_string(in_place); });
      answers_.say_count("TRANSITIONS", by_search, [&] { return std::to_string(graph.transitions()); });
      answers_.counted(q);
    }
  }

  void ctl(const Numbers& open, Budget& budget) {
    const Parts all = open_parts(open);
    Parts parts;
    for (std::size_t i = 0; i < all.of.size(); ++i)
      if (auto bound = bound_part(all.of[i].first, all.properties[i])) {
        parts.properties.push_back(std::move(*bound));
        parts.of.push_back(all.of[i]);
      }
    const Engine& engine = *engine_for(Purpose::ctl).engine;
    decide_all(parts, engine.ctl(searched_->system, parts.properties, settings_, budget), by_search);
  }

  /// Calls make(); nothing: the formula is too large for engines.
  template <class Make>
  auto unless_too_large(std::size_t q, const Make& make) const -> std::optional<decltype(make())> {
    try {
      return make();
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::internal) throw;
      answers_.remark(fmt::format("{}: {}", answers_.id(q), error.what()));
      return std::nullopt;
    }
  }

  /// A CTL formula as engines take it.
  std::optional<Property> bound_part(std::size_t q, const Property& property) const {
    return unless_too_large(q, [&] { return bind(searched_->system, property); });
  }

  // --- infinite runs

  void infinite(std::size_t q, Stage stage, Budget& budget) {
    const bool by_sets = stage == Stage::hybrid;
    Settings settings = settings_;
    if (by_sets) settings.engine = engine_for(Purpose::sets).engine;
    const auto planned =
        unless_too_large(q, [&] { return make_plan(*searched_, {asked()[q].parts.front()}, settings); });
    if (!planned) return;
    if (!*planned) return answers_.remark(fmt::format("{}: {}", answers_.id(q), planned->refusal));
    PlannedSearch search = planned->plan.lassos.front();
    if (by_sets && !order_) {
      auto order = symbolic::choose_ltl_order(searched_->system, {.threads = settings_.threads}, budget);
      if (budget.reason().empty()) order_ = std::move(order);
    }
    search.settings.diagrams_lassos.chosen = order_;
    if (!by_sets && why_not_reduced(search.properties.front(), searched_->system).empty() &&
        reduction_pays(searched_->system, search.properties, settings_.errors, budget))
      search.settings.reduction = por::Method::stubborn;
    const Outcome outcome =
        search.engine->lassos(searched_->system, search.properties, search.settings, budget);
    answers_.decide(q, 0, outcome.results.front().verdict,
                    by_sets                       ? by_diagrams
                    : search.settings.threads > 1 ? by_parallel_search
                                                  : by_search);
  }

  Examination& examination_;
  const Model& model_;
  const Model* searched_ = &model_;          ///< the net that is searched
  std::optional<ReducedQuestions> reduced_;  ///< which is this one, where it is given
  ContestMode mode_;
  Budget::Limits whole_;
  Budget clock_;  ///< of the whole run; the memory limit is checked by the stages
  Answers answers_;
  Settings settings_;              ///< how plans are made
  bool infinite_ = false;          ///< the net that is searched is known to be unbounded
  std::set<std::size_t> endless_;  ///< questions that have no answer because the net is unbounded
  std::set<std::pair<Stage, std::size_t>> over_;  ///< a stage has nothing more to say about a question
  std::optional<MarkingDiagrams> diagrams_;
  std::optional<symbolic::ChosenOrder> order_;  ///< for products
};

}  // namespace

std::vector<Stage> stages_for(const Question& question, ContestMode mode) {
  const bool diagrams = mode != ContestMode::no_diagrams, searches = mode != ContestMode::only_diagrams;
  std::vector<Stage> stages;
  if (!question.is_of_parts()) {
    if (diagrams) stages.push_back(Stage::symbolic);
    if (searches) stages.push_back(Stage::graph);
    return stages;
  }
  const PropertyKind kind = question.parts.empty() ? PropertyKind::invariant : question.parts.front().kind;
  if (kind == PropertyKind::ltl) {
    if (searches) stages.push_back(Stage::lassos);
    if (diagrams) stages.push_back(Stage::hybrid);
  } else if (kind == PropertyKind::ctl) {
    if (diagrams) stages.push_back(Stage::symbolic);
    if (searches) stages.push_back(Stage::ctl);
  } else {
    if (searches) stages.push_back(Stage::walk);
    if (diagrams) stages.push_back(Stage::symbolic);
    if (searches) stages.push_back(Stage::states);
    if (searches) stages.push_back(Stage::reduced);
  }
  return stages;
}

void answer_all(Examination& examination, const Model& model, ContestMode mode, unsigned threads,
                const Budget::Limits& whole, const AnswerSink& sink) {
  Run(examination, model, mode, threads, whole, sink).run();
}

}  // namespace tideline::contest
