#include "mcc_engines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <new>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "exec/interpreter.hpp"
#include "plan.hpp"
#include "search/ctl_labelling.hpp"
#include "search/stored_graph.hpp"
#include "symbolic/ctl.hpp"
#include "symbolic/facts.hpp"

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
    std::set<Stage> stages;
    for (const Question& question : examination_.questions)
      for (const Stage stage : stages_for(question, engine_)) stages.insert(stage);
    for (const Stage stage : stages) {
      const auto open = open_for(stage);
      if (open.empty()) continue;
      if (clock_.exhausted({})) return;
      Budget budget(share_for(stage, open));
      try {
        run_stage(stage, open, budget);
      } catch (const std::bad_alloc&) {
        budget.exhaust("out of memory");
      }
      if (!budget.reason().empty()) sink_.remark(fmt::format("{}: {}", name_of(stage), budget.reason()));
    }
  }

 private:
  using Numbers = std::vector<std::size_t>;  ///< of questions

  static Budget::Limits without_memory(Budget::Limits limits) {
    limits.memory_bytes.reset();
    return limits;
  }

  static const char* name_of(Stage stage) {
    constexpr const char* names[] = {"random walks",       "decision diagrams", "breadth-first search",
                                     "reachability graph", "CTL labelling",     "search for infinite runs"};
    return names[static_cast<int>(stage)];
  }

  bool is_for(std::size_t question, Stage stage) const {
    const auto stages = stages_for(examination_.questions[question], engine_);
    return std::ranges::find(stages, stage) != stages.end();
  }

  Numbers open_for(Stage stage) const {
    Numbers open;
    for (std::size_t q = 0; q < examination_.questions.size(); ++q)
      if (!examination_.standing[q].answered && is_for(q, stage)) open.push_back(q);
    return open;
  }

  /// Half of the time that is left when some other stage may answer these questions as well; else all of it.
  Budget::Limits share_for(Stage stage, const Numbers& open) const {
    const bool last = std::ranges::all_of(
        open, [&](std::size_t q) { return stages_for(examination_.questions[q], engine_).back() == stage; });
    return share(last && open.size() == open_count() ? 1 : 0.5);
  }
  Budget::Limits share(double part) const {
    Budget::Limits limits = whole_;
    if (limits.seconds) limits.seconds = std::max(0.0, *limits.seconds - clock_.seconds()) * part;
    return limits;
  }
  std::size_t open_count() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(examination_.standing, [](const auto& s) { return !s.answered; }));
  }

  void run_stage(Stage stage, const Numbers& open, Budget& budget) {
    switch (stage) {
      case Stage::walk:
        return search_states(open, {.engine = SafetyEngine::walk, .depth = 2000, .walks = 16}, by_walks,
                             budget);
      case Stage::symbolic:
        return symbolic(open, budget);
      case Stage::states:
        return search_states(open, {.threads = static_cast<unsigned>(check_.limits.threads)}, searching(),
                             budget);
      case Stage::graph:
        return graph(open, budget);
      case Stage::ctl:
        return ctl(open, budget);
      case Stage::lassos:
        return lassos(open);
    }
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
    sink_.say(fmt::format("FORMULA {} {}", examination_.questions[q].id, value), techniques);
  }

  /// The parts of questions that are open, with what they belong to.
  struct Parts {
    std::vector<Property> properties;
    std::vector<std::pair<std::size_t, std::size_t>> of;  ///< question and part
  };
  Parts open_parts(const Numbers& open) const {
    Parts parts;
    for (const std::size_t q : open)
      for (std::size_t p = 0; p < examination_.questions[q].parts.size(); ++p)
        if (examination_.standing[q].parts[p] == Verdict::unknown) {
          parts.properties.push_back(examination_.questions[q].parts[p]);
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
    decide_all(parts, check_safety(model_.system, parts.properties, options, budget), techniques);
  }

  // --- decision diagrams

  void symbolic(const Numbers& open, Budget& budget) {
    try {
      symbolic::StateSpace space(model_.system, {.forest = {.budget = &budget}});
      space.explore();
      space.run([&] { judge(space, open); });
    } catch (const symbolic::LimitReached&) {
      // The budget says why.
    }
  }

  void judge(symbolic::StateSpace& space, const Numbers& open) {
    const bool exact = symbolic::failures(space.relations(), space.reachable()).empty();
    symbolic::CtlSets sets(space);
    for (const std::size_t q : open) {
      const Question& question = examination_.questions[q];
      if (question.kind == Question::Kind::state_space) {
        if (exact) count(space, q);
      } else if (question.kind == Question::Kind::bound) {
        if (exact) say_value(q, std::to_string(greatest(space, weights_of(question.places))), by_diagrams);
      } else if (!question.live.empty()) {
        if (exact)
          say(q,
              all_live(space.relations(), space.reachable(), question.live) ? Verdict::holds
                                                                            : Verdict::violated,
              by_diagrams);
      } else {
        judge_parts(space, sets, q, exact);
      }
    }
  }

  void judge_parts(symbolic::StateSpace& space, symbolic::CtlSets& sets, std::size_t q, bool exact) {
    const Question& question = examination_.questions[q];
    for (std::size_t p = 0; p < question.parts.size() && !examination_.standing[q].answered; ++p) {
      if (examination_.standing[q].parts[p] != Verdict::unknown) continue;
      if (question.parts[p].kind == PropertyKind::ctl) {
        if (const auto plan = plan_of(q, question.parts[p]))
          decide(q, p, ctl_verdict(sets, *plan->ctl.front().ctl, DeadlockPaths::maximal), by_diagrams);
        continue;
      }
      const bool found = symbolic::deciding_states(space, question.parts[p]) != symbolic::empty;
      const bool holds = found == (question.parts[p].kind == PropertyKind::reach);
      if (found || exact) decide(q, p, holds ? Verdict::holds : Verdict::violated, by_diagrams);
    }
  }

  std::vector<std::int64_t> weights_of(const std::vector<SlotId>& places) const {
    std::vector<std::int64_t> weights(model_.system.slots.size());
    for (const SlotId place : places) ++weights[place];
    return weights;
  }
  static std::int64_t greatest(symbolic::StateSpace& space, const std::vector<std::int64_t>& weights) {
    return greatest_sum(space.forest(), space.levels(), space.reachable(), weights);
  }

  void count(symbolic::StateSpace& space, std::size_t q) {
    say_count(q, "STATES", space.sets().count(space.reachable()).get_str(), by_diagrams);
    const std::vector<std::int64_t> ones(model_.system.slots.size(), 1);
    say_count(q, "MAX_TOKEN_PER_MARKING", std::to_string(greatest(space, ones)), by_diagrams);
    std::int32_t in_place = 0;
    for (const Range& range : value_ranges(space.forest(), space.levels(), space.reachable()))
      in_place = std::max(in_place, range.high);
    say_count(q, "MAX_TOKEN_IN_PLACE", std::to_string(in_place), by_diagrams);
    say_count(q, "TRANSITIONS", count_edges(space.relations(), space.reachable()).transitions.get_str(),
              by_diagrams);
  }
  void say_count(std::size_t q, std::string_view what, const std::string& value, const char* techniques) {
    examination_.standing[q].answered = true;
    sink_.say(fmt::format("STATE_SPACE {} {}", what, value), techniques);
  }

  // --- the graph in memory

  void graph(const Numbers& open, Budget& budget) {
    Interpreter interpreter(Program::compile(model_.system, ErrorSemantics::stop));
    StoredGraph graph(interpreter.state_size());
    if (!graph.build(interpreter, budget) || graph.met_errors()) return;
    const Layout& layout = interpreter.program().layout();
    std::vector<std::int64_t> most(examination_.questions.size());
    std::int64_t in_place = 0, in_marking = 0;
    for (StateId state = 0; state < graph.size(); ++state) {
      const auto marking = layout.unpack(graph.table().state(state));
      for (const std::size_t q : open) {
        std::int64_t sum = 0;
        for (const SlotId place : examination_.questions[q].places) sum += marking[place];
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
      say_count(q, "STATES", std::to_string(graph.size()), by_search);
      say_count(q, "MAX_TOKEN_PER_MARKING", std::to_string(in_marking), by_search);
      say_count(q, "MAX_TOKEN_IN_PLACE", std::to_string(in_place), by_search);
      say_count(q, "TRANSITIONS", std::to_string(graph.transitions()), by_search);
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
    decide_all(parts, check_ctl(model_.system, parts.properties, {.traces = false}, budget), by_search);
  }

  /// The formula as explicit engines take it; nothing: it is too large for them.
  std::optional<Plan> plan_of(std::size_t q, const Property& property) const {
    try {
      return make_plan(check_, model_, {property});
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::internal) throw;
      sink_.remark(fmt::format("{}: {}", examination_.questions[q].id, error.what()));
      return std::nullopt;
    }
  }

  // --- infinite runs

  /// A quarter of the time goes to a first try at each formula; the hard ones share what is left then.
  void lassos(const Numbers& open) {
    const Budget::Limits first = share(0.25 / static_cast<double>(open.size()));
    for (const std::size_t q : open) {
      Budget budget(first);
      lasso(q, budget);
    }
    Numbers left;
    std::ranges::copy_if(open, std::back_inserter(left),
                         [&](std::size_t q) { return !examination_.standing[q].answered; });
    for (std::size_t i = 0; i < left.size() && whole_.seconds && !clock_.exhausted({}); ++i) {
      Budget budget(share(1 / static_cast<double>(left.size() - i)));
      lasso(left[i], budget);
      if (!budget.reason().empty())
        sink_.remark(fmt::format("{}: {}", examination_.questions[left[i]].id, budget.reason()));
    }
  }

  void lasso(std::size_t q, Budget& budget) {
    const auto plan = plan_of(q, examination_.questions[q].parts.front());
    if (!plan) return;
    const Plan::Lasso& lasso = plan->lassos.front();
    try {
      const Outcome outcome = check_liveness(model_.system, lasso.property, lasso.options, budget);
      decide(q, 0, outcome.results.front().verdict,
             lasso.options.threads > 1 ? by_parallel_search : by_search);
    } catch (const std::bad_alloc&) {
      budget.exhaust("out of memory");
    }
  }

  Examination& examination_;
  const Model& model_;
  const std::string& engine_;
  Budget::Limits whole_;
  Budget clock_;  ///< of the whole run; memory is what single stages must look at
  const AnswerSink& sink_;
  CheckOptions check_;  ///< how plans for explicit engines are made
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
