#include "checking/reduce_net.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "bind/bind.hpp"
#include "exec/reference.hpp"
#include "lang/pnml/pnml.hpp"
#include "model/layout.hpp"
#include "report/numbers.hpp"

namespace tideline {

namespace {

using Change = std::function<void(Expr&)>;

std::shared_ptr<const PropertyProcess> changed(const std::shared_ptr<const PropertyProcess>& process,
                                               const Change& change) {
  if (!process) return process;
  auto copy = std::make_shared<PropertyProcess>(*process);
  for (PropertyProcess::Edge& edge : copy->edges) change(edge.guard);
  return copy;
}

/// Calls change(expression) for all that the property says about states.
void change_all(Property& property, const Change& change) {
  change(property.expr);
  for (Expr& part : property.parts) change(part);
  for (Proposition& atom : property.atoms) change(atom.expr);
  property.process = changed(property.process, change);
  if (property.ctl) {
    auto copy = std::make_shared<CtlFormula>(*property.ctl);
    for (Expr& atom : copy->atoms) change(atom);
    property.ctl = std::move(copy);
  }
}

void change_all(PlannedSearch& search, const Change& change) {
  for (Property& property : search.properties) change_all(property, change);
  auto& other = search.settings.lassos.shorten_over;
  other = changed(other, change);
}

void change_all(Plan& plan, const Change& change) {
  change_all(plan.states, change);
  change_all(plan.ctl, change);
  for (PlannedSearch& lasso : plan.lassos) change_all(lasso, change);
}

/// Replaces every slot by another.
void rename_slots(Expr& expr, const std::vector<SlotId>& names) {
  if (expr.op == Op::load) expr.slot = names[expr.slot];
  for (Expr& arg : expr.args) rename_slots(arg, names);
}

/// What a reduction has to keep of a net.
struct Interest {
  explicit Interest(std::size_t places) : observed(places) {}

  void add(const Property& property) {
    if (property.kind == PropertyKind::deadlock) keeps.deadlocks = true;
    if (property.kind == PropertyKind::ctl) keeps.steps = true;
    if (is_liveness(property.kind)) {
      const bool is_invariant =
          property.kind == PropertyKind::ltl && stuttering_of(property) == Stuttering::invariant;
      (is_invariant ? keeps.runs : keeps.steps) = true;
    }
    Property copy = property;
    change_all(copy, [&](const Expr& expr) { observe(expr); });
  }
  void add(const Plan& plan) {
    for (const Property& property : plan.properties()) add(property);
    for (const PlannedSearch& lasso : plan.lassos)
      changed(lasso.settings.lassos.shorten_over, [&](const Expr& expr) { observe(expr); });
  }

  pnml::Keeps keeps;
  std::vector<bool> observed;  ///< by place

 private:
  void observe(const Expr& expr) {
    std::vector<SlotId> reads;
    collect_reads(expr, reads);
    for (const SlotId slot : reads) observed[slot] = true;
  }
};

pnml::Reduced reduce(const Model& given, const Interest& interest) {
  return pnml::reduce(*given.net, interest.observed, interest.keeps);
}

Interest interest_of(const Model& given, const Plan& plan) {
  Interest interest(given.net->places.size());
  interest.add(plan);
  return interest;
}

/// "net reduced from 10 places, 12 transitions to 4, 5 (3 free places, 4 post-agglomerations)"
std::string note(const pnml::Net& given, const pnml::Reduced& reduced) {
  std::string rules;
  for (std::size_t r = 0; r < pnml::reduction_rules; ++r)
    if (reduced.uses[r] != 0)
      rules += (rules.empty() ? " (" : ", ") +
               show_plural(reduced.uses[r], to_string(static_cast<pnml::ReductionRule>(r)));
  return fmt::format("net reduced from {}, {} to {}, {}{}", show_plural(given.places.size(), "place"),
                     show_plural(given.transitions.size(), "transition"),
                     show_count(reduced.net.places.size()), show_count(reduced.net.transitions.size()),
                     rules.empty() ? "" : rules + ")");
}

/// Places that are left have as many tokens as in the given net, whose bounds are known.
System system_of(const pnml::Reduced& reduced, const System& given) {
  std::vector<std::uint32_t> bounds;
  for (pnml::PlaceId p = 0; p < reduced.net.places.size(); ++p) {
    const pnml::PlaceId place = reduced.given_place[p];
    const std::int32_t high = place == pnml::no_place ? 0 : given.slots[place].range.high;
    // The file may claim a bound that its initial marking exceeds.
    bounds.push_back(std::max(static_cast<std::uint32_t>(high), reduced.net.places[p].initial));
  }
  System system = to_system(reduced.net, bounds);
  system.execution = given.execution;
  return system;
}

/// A run that is built step by step.
class RunBuilder {
 public:
  explicit RunBuilder(const System& system) : reference_(system), layout_(system), state_(system.initial) {
    push();
  }

  /// The last state.
  std::size_t here() const { return path_.states.size() - 1; }
  const Values& state() const { return state_; }
  /// A step ended in a model error, and the run cannot go on.
  bool failed() const { return path_.failing_action != no_action; }

  void fire(ActionId action) {
    if (failed()) return;
    auto [after, error] = reference_.fire(action, state_);
    if (error.kind != ModelErrorKind::none) {
      path_.failing_action = action;
      return;
    }
    state_ = std::move(after);
    path_.actions.push_back(action);
    push();
  }

  /// Takes the steps one after the other, all of them, as often as that is possible.
  void fire_while_possible(const std::vector<ActionId>& actions) {
    while (!failed() && can_fire(actions))
      for (const ActionId action : actions) fire(action);
  }

  void repeat_deadlock() {
    if (failed()) return;
    path_.actions.push_back(no_action);
    push();
  }

  /// The last state equals the one with this number, before it: the run is a lasso.
  void close(std::size_t loop) {
    path_.states.pop_back();
    path_.loop = loop;
  }

  Path take() { return std::move(path_); }

 private:
  bool can_fire(const std::vector<ActionId>& actions) const {
    Values state = state_;
    for (const ActionId action : actions) {
      ModelError error;
      if (!reference_.enabled(action, state, error)) return false;
      auto [after, failure] = reference_.fire(action, state);
      if (failure.kind != ModelErrorKind::none) break;
      state = std::move(after);
    }
    return true;
  }

  void push() {
    path_.states.emplace_back(layout_.size());
    layout_.pack(state_, path_.states.back().data());
  }

  Reference reference_;
  Layout layout_;
  Values state_;
  Path path_;
};

}  // namespace

std::string why_not_reducible(const Model& model, const Settings& settings) {
  if (!model.net) return "only Petri nets (.pnml) can be reduced, and the model is not one";
  if (settings.measure)
    return "a measure may name places that are reduced away; leave the measure out, and one is looked for";
  return {};
}

ReducedCheck::ReducedCheck(const Model& given, Plan& plan, const Settings& settings)
    : given_(given),
      reduced_(reduce(given, interest_of(given, plan))),
      model_{.system = system_of(reduced_, given.system),
             .source = given.source,
             .properties = {},
             .progress = {},
             .net = std::make_shared<const pnml::Net>(reduced_.net)} {
  change_all(plan, [&](Expr& expr) { rename_slots(expr, reduced_.place_of); });
  settings.note(note(*given.net, reduced_));
}

std::vector<ActionId> ReducedCheck::given_actions(const std::vector<ActionId>& actions) const {
  std::vector<ActionId> given;
  for (const ActionId action : actions) {
    const auto sequence = reduced_.given_transitions(action);
    given.insert(given.end(), sequence.begin(), sequence.end());
  }
  return given;
}

// Not those that end in a model error that the property is not about.
void ReducedCheck::restore_run(PropertyResult& result, Budget& budget) const {
  const bool of_error = result.property.kind == PropertyKind::model_error;
  Path run = run_of(result.path(budget), result.property);
  if (run.failing_action != no_action && !of_error) {
    result.verdict = Verdict::unknown;
    result.reason = not_followed_reason;
    result.path = {};
    result.more_paths.clear();
    return;
  }
  std::vector<PathBuilder> restored;
  for (const PathBuilder& path : result.more_paths) {
    Path more = run_of(path(budget), result.property);
    if (more.failing_action == no_action || of_error) restored.emplace_back(std::move(more));
  }
  result.path = PathBuilder(std::move(run));
  result.more_paths = std::move(restored);
}

void ReducedCheck::restore(Outcome& outcome, Budget& budget) const {
  outcome.never_enabled.clear();  // of other transitions
  for (PropertyResult& result : outcome.results) {
    change_all(result.property, [&](Expr& expr) { rename_slots(expr, reduced_.given_place); });
    if (!result.path || within_limits(budget, [&] { restore_run(result, budget); })) continue;
    result.verdict = Verdict::unknown;
    result.reason = fmt::format("the run of the smaller net was not built: {}", budget.reason());
    result.path = {};
    result.more_paths.clear();
  }
  const auto count = [&](Stat stat, std::size_t value) {
    outcome.statistics.set(stat, std::uint64_t{value});
  };
  count("given_places", given_.net->places.size());
  count("given_transitions", given_.net->transitions.size());
  count("places_left", reduced_.net.places.size());
  count("transitions_left", reduced_.net.transitions.size());
}

namespace {

bool is_about_markings(const contest::Question& question) {
  return question.kind != contest::Question::Kind::state_space &&
         std::ranges::none_of(question.parts, [](const Property& part) {
           return part.kind == PropertyKind::ctl || is_liveness(part.kind);
         });
}

}  // namespace

std::optional<ReducedQuestions> reduce_for(const Model& given,
                                           const std::vector<contest::Question>& questions,
                                           const std::vector<std::size_t>& open) {
  Interest interest(given.net->places.size());
  for (const std::size_t q : open) {
    if (!is_about_markings(questions[q])) return std::nullopt;
    for (const Property& part : questions[q].parts) interest.add(part);
    for (const SlotId place : questions[q].places) interest.observed[place] = true;
  }
  const pnml::Reduced reduced = reduce(given, interest);
  ReducedQuestions result{.model = {.system = system_of(reduced, given.system),
                                    .source = given.source,
                                    .properties = {},
                                    .progress = {},
                                    .net = std::make_shared<const pnml::Net>(reduced.net)},
                          .questions = questions};
  for (const std::size_t q : open) {
    for (Property& part : result.questions[q].parts)
      change_all(part, [&](Expr& expr) { rename_slots(expr, reduced.place_of); });
    for (SlotId& place : result.questions[q].places) place = reduced.place_of[place];
  }
  return result;
}

Path ReducedCheck::run_of(const Path& path, const Property& property) const {
  RunBuilder run(given_.system);
  for (const pnml::TransitionId t : reduced_.prefix) run.fire(t);
  const auto take = [&](ActionId action) {
    for (const pnml::TransitionId t : reduced_.given_transitions(action)) run.fire(t);
  };
  const auto go_on_to_deadlock = [&] {
    for (const auto& sequence : reduced_.before_deadlock()) run.fire_while_possible(sequence);
  };
  // Where the loop begins, each time round. In a deadlock it begins where the given net is in one, too.
  std::vector<std::pair<std::size_t, Values>> loop_starts;
  for (std::size_t i = 0; i < path.actions.size(); ++i) {
    if (path.actions[i] == no_action) go_on_to_deadlock();
    if (path.loop == i) loop_starts.emplace_back(run.here(), run.state());
    path.actions[i] == no_action ? run.repeat_deadlock() : take(path.actions[i]);
  }
  if (path.failing_action != no_action) take(path.failing_action);
  if (property.kind == PropertyKind::deadlock) go_on_to_deadlock();
  constexpr std::size_t most_rounds = 100;
  while (path.loop && !run.failed()) {
    const auto start = std::ranges::find(loop_starts, run.state(), &std::pair<std::size_t, Values>::second);
    if (start != loop_starts.end()) {
      run.close(start->first);
      break;
    }
    if (loop_starts.size() == most_rounds)
      throw Error(ErrorKind::internal, "a loop of the reduced net is not a loop of the original net");
    loop_starts.emplace_back(run.here(), run.state());
    for (std::size_t i = *path.loop; i < path.actions.size(); ++i) take(path.actions[i]);
  }
  return run.take();
}

}  // namespace tideline
