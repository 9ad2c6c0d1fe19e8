#include "mcc_engines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "exec/interpreter.hpp"
#include "plan.hpp"
#include "reduce_net.hpp"
#include "search/ctl_labelling.hpp"
#include "search/stored_graph.hpp"
#include "symbolic/ctl.hpp"
#include "symbolic/facts.hpp"
#include "symbolic/ltl.hpp"

namespace tideline::app {

namespace {

constexpr const char* by_structure = "TOPOLOGICAL";
constexpr const char* by_walks = "EXPLICIT RANDOM_WALK";
constexpr const char* by_diagrams = "SEQUENTIAL_PROCESSING TOPOLOGICAL DECISION_DIAGRAMS";
constexpr const char* by_search = "SEQUENTIAL_PROCESSING EXPLICIT";
constexpr const char* by_parallel_search = "PARALLEL_PROCESSING EXPLICIT";

class Run {
 public:
  Run(Examination& examination, const Model& model, const std::string& engine, const LimitOptions& limits,
      const Budget::Limits& whole, const AnswerSink& sink)
      : examination_(examination),
        model_(model),
        engine_(engine),
        whole_(whole),
        clock_(without_memory(whole)),
        sink_(sink) {
    check_.limits = limits;
    check_.limits.quiet = true;
    check_.no_trace = true;
  }

  void run() {
    for (std::size_t q = 0; q < examination_.questions.size(); ++q)  // all transitions, when there are none
      if (examination_.questions[q].is_of_parts())
        say(q, answer_of(examination_.questions[q].kind, examination_.standing[q].parts), by_structure);
    for (double turn = first_turn; run_round(turn);) turn *= growth;
  }

 private:
  using Numbers = std::vector<std::size_t>;  ///< of questions

  static constexpr double first_turn = 2, growth = 4;  // seconds

  static Budget::Limits without_memory(Budget::Limits limits) {
    limits.memory_bytes.reset();
    return limits;
  }

  static const char* name_of(Stage stage) {
    constexpr const char* names[] = {"random walks",
                                     "decision diagrams",
                                     "breadth-first search",
                                     "reachability graph",
                                     "CTL labelling",
                                     "search for infinite runs",
                                     "infinite runs by decision diagrams"};
    return names[static_cast<int>(stage)];
  }

  /// One turn for each stage that may still answer something. False: there was none, or the time is over.
  bool run_round(double turn) {
    const std::vector<Stage> stages = open_stages();
    reduce();
    // A round that would leave too little for the next one takes all there is.
    const bool last =
        whole_.seconds && time_left() < turn * (1 + growth) * static_cast<double>(stages.size());
    for (std::size_t i = 0; i < stages.size(); ++i) {
      if (clock_.exhausted({})) return false;
      const Numbers open = open_for(stages[i]);
      if (open.empty()) continue;
      run_turn(stages[i], open, last ? time_left() / static_cast<double>(stages.size() - i) : turn);
    }
    return !stages.empty();
  }

  /// The fewer questions are open, the smaller is the net that they need.
  void reduce() {
    if (all_known_) return;
    Numbers open;
    for (std::size_t q = 0; q < examination_.questions.size(); ++q)
      if (!examination_.standing[q].answered) open.push_back(q);
    auto reduced = reduce_for(model_, examination_.questions, open);
    const auto size = [](const Model& model) {
      return model.system.slots.size() + model.system.actions.size();
    };
    if (!reduced || size(reduced->model) >= size(*searched_)) return;
    forget_space();
    order_.reset();
    reduced_ = std::move(reduced);
    searched_ = &reduced_->model;
  }

  /// The questions, about the net that is searched.
  const std::vector<Question>& asked() const {
    return reduced_ ? reduced_->questions : examination_.questions;
  }

  std::vector<Stage> open_stages() const {
    std::set<Stage> stages;
    for (std::size_t q = 0; q < examination_.questions.size(); ++q)
      for (const Stage stage : stages_for(examination_.questions[q], engine_))
        if (is_open_for(q, stage)) stages.insert(stage);
    return {stages.begin(), stages.end()};
  }

  bool is_open_for(std::size_t q, Stage stage) const {
    return !examination_.standing[q].answered && !over_.contains({stage, q});
  }

  Numbers open_for(Stage stage) const {
    Numbers open;
    for (std::size_t q = 0; q < examination_.questions.size(); ++q) {
      const auto stages = stages_for(examination_.questions[q], engine_);
      if (is_open_for(q, stage) && std::ranges::find(stages, stage) != stages.end()) open.push_back(q);
    }
    return open;
  }

  double time_left() const { return std::max(0.0, *whole_.seconds - clock_.seconds()); }

  Budget::Limits limits_for(double seconds) const {
    Budget::Limits limits = whole_;
    limits.seconds = seconds;
    return limits;
  }

  void run_turn(Stage stage, const Numbers& open, double seconds) {
    if (stage == Stage::symbolic) return diagrams(open, seconds);
    if (stage == Stage::lassos || stage == Stage::hybrid)
      return one_by_one(stage, open, seconds,
                        [&](std::size_t q, Budget& budget) { infinite(q, stage, budget); });
    Budget budget(limits_for(seconds));
    try {
      run_stage(stage, open, budget);
    } catch (const std::bad_alloc&) {
      budget.exhaust("out of memory");
    }
    if (!ended_by_time(budget, seconds))
      for (const std::size_t q : open) over_.insert({stage, q});
    remark(stage, budget);
  }

  static bool ended_by_time(const Budget& budget, double seconds) {
    return !budget.reason().empty() && budget.seconds() >= seconds;
  }

  void remark(Stage stage, const Budget& budget) const {
    if (!budget.reason().empty()) sink_.remark(fmt::format("{}: {}", name_of(stage), budget.reason()));
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
      sink_.remark(fmt::format("{}: {} is open after {:.1f} s", name_of(stage), examination_.questions[q].id,
                               clock.seconds()));
  }

  template <class Answer>
  void answer_within(Stage stage, std::size_t q, double seconds, const Answer& answer) {
    Budget budget(limits_for(seconds));
    try {
      answer(q, budget);
    } catch (const symbolic::LimitReached&) {
      // The budget says why.
    } catch (const std::bad_alloc&) {
      budget.exhaust("out of memory");
    }
    if (ended_by_time(budget, seconds)) return;
    over_.insert({stage, q});
    if (!examination_.standing[q].answered && !budget.reason().empty())
      sink_.remark(fmt::format("{}: {}: {}", name_of(stage), examination_.questions[q].id, budget.reason()));
  }

  void run_stage(Stage stage, const Numbers& open, Budget& budget) {
    switch (stage) {
      case Stage::walk:
        return search_states(open, {.engine = SafetyEngine::walk, .depth = 2000, .walks = 16}, by_walks,
                             budget);
      case Stage::states:
        return search_states(open, {.threads = static_cast<unsigned>(check_.limits.threads)}, searching(),
                             budget);
      case Stage::graph:
        return graph(open, budget);
      case Stage::ctl:
        return ctl(open, budget);
      case Stage::symbolic:
      case Stage::lassos:
      case Stage::hybrid:
        break;
    }
    throw Error(ErrorKind::internal, "questions of this stage are answered one by one");
  }

  const char* searching() const { return check_.limits.threads > 1 ? by_parallel_search : by_search; }

  // --- what was found

  void decide(std::size_t q, std::size_t part, Verdict verdict, const char* techniques) {
    Examination::Standing& standing = examination_.standing[q];
    if (standing.answered || verdict == Verdict::unknown) return;
    standing.parts[part] = verdict;
    say(q, answer_of(examination_.questions[q].kind, standing.parts), techniques);
  }

  void say(std::size_t q, Verdict answer, const char* techniques) {
    if (answer == Verdict::unknown) return;
    say_value(q, answer == Verdict::holds ? "TRUE" : "FALSE", techniques);
  }

  void say_value(std::size_t q, const std::string& value, const char* techniques) {
    examination_.standing[q].answered = true;
    sink_.say(fmt::format("FORMULA {} {}", examination_.questions[q].id, value),
              reduced_ ? fmt::format("{} STRUCTURAL_REDUCTION", techniques) : techniques);
  }

  /// The parts of questions that are open, with what they belong to.
  struct Parts {
    std::vector<Property> properties;
    std::vector<std::pair<std::size_t, std::size_t>> of;  ///< question and part
  };
  Parts open_parts(const Numbers& open) const {
    Parts parts;
    for (const std::size_t q : open)
      for (std::size_t p = 0; p < asked()[q].parts.size(); ++p)
        if (examination_.standing[q].parts[p] == Verdict::unknown) {
          parts.properties.push_back(asked()[q].parts[p]);
          parts.of.emplace_back(q, p);
        }
    return parts;
  }

  void decide_all(const Parts& parts, const Outcome& outcome, const char* techniques) {
    for (std::size_t i = 0; i < parts.of.size(); ++i)
      decide(parts.of[i].first, parts.of[i].second, outcome.results[i].verdict, techniques);
  }

  // --- properties of states, one by one

  void search_states(const Numbers& open, SafetyOptions options, const char* techniques, Budget& budget) {
    options.traces = false;
    const Parts parts = open_parts(open);
    decide_all(parts, check_safety(searched_->system, parts.properties, options, budget), techniques);
  }

  // --- decision diagrams

  /// All states first; they are kept for the turns to come.
  void diagrams(const Numbers& open, double seconds) {
    Budget budget(limits_for(seconds));
    if (!all_known_ && !explore_symbolically(budget, seconds)) {
      if (!ended_by_time(budget, seconds))
        for (const std::size_t q : open) over_.insert({Stage::symbolic, q});
      return remark(Stage::symbolic, budget);
    }
    space_->run([&] {
      one_by_one(Stage::symbolic, open, seconds - budget.seconds(), [&](std::size_t q, Budget& part) {
        space_->forest().set_budget(&part);
        judge(q);
      });
      space_->forest().set_budget(nullptr);
    });
    if (open_for(Stage::symbolic).empty()) forget_space();
  }

  /// What is known when the time is over is kept, too: the next turn goes on from there.
  bool explore_symbolically(Budget& budget, double seconds) {
    try {
      if (space_)
        space_->forest().set_budget(&budget);
      else
        space_.emplace(searched_->system, symbolic::StateSpaceOptions{.forest = {.budget = &budget}});
      space_->explore();
      space_->run([&] { exact_ = symbolic::failures(space_->relations(), space_->reachable()).empty(); });
      all_known_ = true;
    } catch (const symbolic::LimitReached&) {
      if (!ended_by_time(budget, seconds)) forget_space();
    } catch (const std::bad_alloc&) {
      budget.exhaust("out of memory");
      forget_space();
    }
    if (space_) space_->forest().set_budget(nullptr);
    return all_known_;
  }

  void forget_space() {
    all_known_ = false;
    sets_.reset();
    space_.reset();
  }

  void judge(std::size_t q) {
    const Question& question = asked()[q];
    if (question.is_of_parts()) return judge_parts(q);
    if (!exact_) return;
    if (question.kind == Question::Kind::state_space)
      count(q);
    else if (question.kind == Question::Kind::bound)
      say_value(q, std::to_string(greatest(weights_of(question.places))), by_diagrams);
    else
      say(q,
          all_live(space_->relations(), space_->reachable(), question.live) ? Verdict::holds
                                                                            : Verdict::violated,
          by_diagrams);
  }

  void judge_parts(std::size_t q) {
    const Question& question = asked()[q];
    for (std::size_t p = 0; p < question.parts.size() && !examination_.standing[q].answered; ++p) {
      if (examination_.standing[q].parts[p] != Verdict::unknown) continue;
      if (question.parts[p].kind == PropertyKind::ctl) {
        if (!sets_) sets_.emplace(*space_);
        if (const auto plan = plan_of(q, question.parts[p]))
          decide(q, p, ctl_verdict(*sets_, *plan->ctl.front().ctl, DeadlockPaths::maximal), by_diagrams);
        continue;
      }
      const bool found = symbolic::deciding_states(*space_, question.parts[p]) != symbolic::empty;
      const bool holds = found == (question.parts[p].kind == PropertyKind::reach);
      if (found || exact_) decide(q, p, holds ? Verdict::holds : Verdict::violated, by_diagrams);
    }
  }

  std::vector<std::int64_t> weights_of(const std::vector<SlotId>& places) const {
    std::vector<std::int64_t> weights(searched_->system.slots.size());
    for (const SlotId place : places) ++weights[place];
    return weights;
  }
  std::int64_t greatest(const std::vector<std::int64_t>& weights) {
    return greatest_sum(space_->forest(), space_->levels(), space_->reachable(), weights);
  }

  void count(std::size_t q) {
    say_count("STATES", by_diagrams, [&] { return space_->sets().count(space_->reachable()).get_str(); });
    say_count("MAX_TOKEN_PER_MARKING", by_diagrams, [&] {
      return std::to_string(greatest(std::vector<std::int64_t>(searched_->system.slots.size(), 1)));
    });
    say_count("MAX_TOKEN_IN_PLACE", by_diagrams, [&] {
      std::int32_t most = 0;
      for (const Range& range : value_ranges(space_->forest(), space_->levels(), space_->reachable()))
        most = std::max(most, range.high);
      return std::to_string(most);
    });
    say_count("TRANSITIONS", by_diagrams,
              [&] { return count_edges(space_->relations(), space_->reachable()).transitions.get_str(); });
    examination_.standing[q].answered = true;
  }
  /// Unless an earlier turn has said it.
  template <class Value>
  void say_count(const char* what, const char* techniques, const Value& value) {
    if (counted_.contains(what)) return;
    sink_.say(fmt::format("STATE_SPACE {} {}", what, value()), techniques);
    counted_.insert(what);
  }

  // --- the graph in memory

  void graph(const Numbers& open, Budget& budget) {
    Interpreter interpreter(Program::compile(searched_->system, ErrorSemantics::stop));
    StoredGraph graph(interpreter.state_size());
    if (!graph.build(interpreter, budget) || graph.met_errors()) return;
    const Layout& layout = interpreter.program().layout();
    std::vector<std::int64_t> most(examination_.questions.size());
    std::int64_t in_place = 0, in_marking = 0;
    for (StateId state = 0; state < graph.size(); ++state) {
      const auto marking = layout.unpack(graph.table().state(state));
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
        say_value(q, std::to_string(most[q]), by_search);
        continue;
      }
      say_count("STATES", by_search, [&] { return std::to_string(graph.size()); });
      say_count("MAX_TOKEN_PER_MARKING", by_search, [&] { return std::to_string(in_marking); });
      say_count("MAX_TOKEN_IN_PLACE", by_search, [&] { return std::to_string(in_place); });
      say_count("TRANSITIONS", by_search, [&] { return std::to_string(graph.transitions()); });
      examination_.standing[q].answered = true;
    }
  }

  void ctl(const Numbers& open, Budget& budget) {
    const Parts all = open_parts(open);
    Parts parts;
    for (std::size_t i = 0; i < all.of.size(); ++i)
      if (const auto plan = plan_of(all.of[i].first, all.properties[i])) {
        parts.properties.push_back(plan->ctl.front());
        parts.of.push_back(all.of[i]);
      }
    decide_all(parts, check_ctl(searched_->system, parts.properties, {.traces = false}, budget), by_search);
  }

  /// The formula as engines take it; nothing: it is too large for them.
  std::optional<Plan> plan_of(std::size_t q, const Property& property) const {
    try {
      return make_plan(check_, *searched_, {property});
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::internal) throw;
      sink_.remark(fmt::format("{}: {}", examination_.questions[q].id, error.what()));
      return std::nullopt;
    }
  }

  // --- infinite runs

  void infinite(std::size_t q, Stage stage, Budget& budget) {
    const bool by_sets = stage == Stage::hybrid;
    check_.engine = by_sets ? "symbolic" : "auto";
    const auto plan = plan_of(q, asked()[q].parts.front());
    if (!plan) return;
    const Plan::Lasso& lasso = plan->lassos.front();
    if (by_sets && !order_) {
      auto order = symbolic::choose_ltl_order(searched_->system, symbolic::OrderName::best, true, budget);
      if (budget.reason().empty()) order_ = std::move(order);
    }
    const Outcome outcome = by_sets
                                ? symbolic::check_symbolic_ltl(searched_->system, lasso.property,
                                                               {.chosen = order_, .traces = false}, budget)
                                : check_liveness(searched_->system, lasso.property, lasso.options, budget);
    decide(q, 0, outcome.results.front().verdict,
           by_sets                     ? by_diagrams
           : lasso.options.threads > 1 ? by_parallel_search
                                       : by_search);
  }

  Examination& examination_;
  const Model& model_;
  const Model* searched_ = &model_;          ///< the net that is searched
  std::optional<ReducedQuestions> reduced_;  ///< which is this one, where it is given
  const std::string& engine_;
  Budget::Limits whole_;
  Budget clock_;  ///< of the whole run; memory is what single stages must look at
  const AnswerSink& sink_;
  CheckOptions check_;                            ///< how plans are made
  std::set<std::pair<Stage, std::size_t>> over_;  ///< a stage has nothing more to say about a question
  std::optional<symbolic::StateSpace> space_;     ///< all states, once they are known
  std::optional<symbolic::CtlSets> sets_;         ///< of that space
  std::optional<symbolic::ChosenOrder> order_;    ///< for products
  bool all_known_ = false;
  bool exact_ = false;             ///< no model error was met in it
  std::set<std::string> counted_;  ///< lines of StateSpace that were said
};

}  // namespace

std::vector<Stage> stages_for(const Question& question, const std::string& engine) {
  const bool diagrams = engine != "explicit", searches = engine != "symbolic";
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
  }
  return stages;
}

void answer_all(Examination& examination, const Model& model, const std::string& engine,
                const LimitOptions& limits, const Budget::Limits& whole, const AnswerSink& sink) {
  Run(examination, model, engine, limits, whole, sink).run();
}

}  // namespace tideline::app
