#include "checking/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "bind/bind.hpp"
#include "graph/regions.hpp"

namespace tideline {

namespace {

/// Which engine to take for infinite runs when the user does not say, and why.
ChosenEngine choose_for_lassos(const Property& property, const Settings& settings) {
  if (settings.ranks) return engine_for(Purpose::ranked_lassos);
  if (settings.certificate)
    return engine_for(settings.threads == 1 ? Purpose::lassos : Purpose::parallel_lassos);
  if (property.fairness != Fairness::none) return engine_for(Purpose::fair_lassos);
  const Regions regions = regions_of(*property.process);
  if (regions.terminal) return engine_for(Purpose::bad_prefixes);
  if (settings.threads == 1) return engine_for(Purpose::lassos);
  return engine_for(regions.weak ? Purpose::weak_lassos : Purpose::parallel_lassos);
}

class Planner {
 public:
  Planner(const Model& model, const std::vector<Property>& properties, const Settings& settings)
      : system_(model.system),
        properties_(properties),
        settings_(settings),
        asked_(settings.engine && !settings.engine->is_race ? settings.engine : nullptr) {}

  Planned run() {
    if (asked_)
      if (std::string why = why_unfit(*asked_, system_); !why.empty())
        return {.plan = {}, .refusal = std::move(why)};
    for (const Property& property : properties_) {
      tried_.push_back(try_asked_engine(property));
      answers_some_ = answers_some_ || tried_.back().unfit.empty();
    }
    if (!answers_some_ && !properties_.empty()) return {.plan = {}, .refusal = refusal()};
    if (std::string why = why_store_unfit(settings_); !why.empty())
      return {.plan = {}, .refusal = std::move(why)};
    if (std::string why = why_not_several_runs(); !why.empty())
      return {.plan = {}, .refusal = std::move(why)};
    if (settings_.ranks && settings_.engine && settings_.engine->races_at_once)
      return {.plan = {}, .refusal = fmt::format("engine {} runs in one process", settings_.engine->name)};
    plan_.states = {.engine = engine_of_family(PropertyKind::invariant), .settings = settings_};
    plan_.ctl = {.engine = engine_of_family(PropertyKind::ctl), .settings = settings_};
    for (PlannedSearch* search : {&plan_.states, &plan_.ctl})
      if (!search->engine->threads) search->settings.threads = 1;
    for (std::size_t i = 0; i < properties_.size(); ++i) add(properties_[i], tried_[i]);
    std::ranges::stable_partition(plan_.states.properties,
                                  [](const Property& property) { return is_of_states(property.kind); });
    if (settings_.ranks)
      for (const PlannedSearch* search : {&plan_.states, &plan_.ctl}) require_ranks(*search);
    if (!unfit_chosen_.empty()) return {.plan = {}, .refusal = unfit_chosen_};
    say_engines();
    return {.plan = std::move(plan_), .refusal = {}};
  }

 private:
  /// A property bound for the engine that was asked for, and why that cannot answer it. (Races answer all.)
  struct Tried {
    Property property;
    std::string unfit;
  };

  /// Several runs are found of properties of states; the others have one.
  std::string why_not_several_runs() const {
    if (settings_.states.runs == 1 || properties_.empty()) return {};
    const auto has_several = [](const Property& property) { return is_of_states(property.kind); };
    if (std::ranges::none_of(properties_, has_several))
      return fmt::format(
          "property {}: several runs are found of properties of states only: invariants, reachability, "
          "assertions, deadlocks and model errors; leave out --runs",
          properties_.front().name);
    for (const Property& property : properties_)
      if (!has_several(property))
        settings_.note(
            fmt::format("one run of {}: several are found of properties of states only", property.name));
    return {};
  }

  Property bound(const Property& property, bool buchi) const {
    Property result = property;
    if (is_liveness(result.kind)) {
      result.fairness = settings_.fairness;
      result.fair_actions = settings_.fair_actions;
      if (!result.fair_actions.empty()) fair_parties(system_, result.fair_actions);  // refuses unknown ones
    }
    if (result.kind == PropertyKind::ctl && !result.ctl)
      result.deadlock_paths = settings_.deadlock_paths.value_or(result.deadlock_paths);
    return bind(system_, result, {.buchi = buchi, .spot = settings_.spot});
  }

  Tried try_asked_engine(const Property& property) const {
    if (!asked_) return {property, {}};
    if (!answers(*asked_, property.kind)) return {property, why_unfit(*asked_, property, settings_)};
    Tried tried{bound(property, asked_->automata != Automata::any), {}};
    tried.unfit = why_unfit(*asked_, tried.property, settings_);
    return tried;
  }

  /// Of the first property of infinite runs, of which there is most to say; else of the first at all.
  std::string refusal() const {
    std::size_t worst = 0;
    for (std::size_t i = properties_.size(); i-- > 0;)
      if (is_liveness(properties_[i].kind) || !is_liveness(properties_[worst].kind)) worst = i;
    return fmt::format("property {}: {}", properties_[worst].name, tried_[worst].unfit);
  }

  /// Of states or of CTL: the one that was asked for if it answers any of them, else the one that auto takes.
  const Engine* engine_of_family(PropertyKind kind) const {
    return asked_ && answers(*asked_, kind)
               ? asked_
               : engine_for(kind == PropertyKind::ctl ? Purpose::ctl : Purpose::states).engine;
  }

  void add(const Property& property, Tried& tried) {
    if (is_liveness(property.kind)) {
      plan_.lassos.push_back(tried.unfit.empty() && asked_
                                 ? with_asked_engine(property, std::move(tried.property))
                                 : with_chosen_engine(property, tried.unfit));
      return;
    }
    const bool ctl = property.kind == PropertyKind::ctl;
    PlannedSearch& search = ctl && !plan_.ctl.engine->one_search ? plan_.ctl : plan_.states;
    search.properties.push_back(bound(tried.property, false));
  }

  PlannedSearch with_asked_engine(const Property& property, Property bound_property) const {
    PlannedSearch search{.engine = asked_, .settings = settings_, .properties = {std::move(bound_property)}};
    search.settings.buchi = asked_->automata != Automata::any;
    shorten_over(property, search);
    return search;
  }

  /// `instead`: why the one that was asked for is not taken.
  PlannedSearch with_chosen_engine(const Property& property, const std::string& instead) {
    PlannedSearch search{.settings = settings_};
    if (settings_.fairness != Fairness::none) search.settings.threads = 1;
    // A reduced net has no names to translate the formula for another engine by: this automaton is for all.
    const bool buchi = search.settings.threads > 1 || settings_.ranks || settings_.reduce_net;
    search.properties = {bound(property, buchi)};
    search.settings.buchi = buchi;
    const auto [engine, why] = choose_for_lassos(search.properties.front(), search.settings);
    search.engine = engine;
    if (const std::string unfit = why_unfit(*engine, search.properties.front(), search.settings);
        !unfit.empty() && unfit_chosen_.empty())
      unfit_chosen_ = fmt::format("property {}: {}", property.name, unfit);
    settings_.note(fmt::format("engine {} for {}: {}", engine->name, property.name,
                               instead.empty() ? why : std::string_view(instead)));
    shorten_over(property, search);
    return search;
  }

  /// Lassos are shortest in the product with the generalised automaton, which has fewer states to pass.
  void shorten_over(const Property& property, PlannedSearch& search) const {
    if (settings_.lassos.shortest && search.engine->automata != Automata::any)
      search.settings.lassos.shorten_over = bound(property, false).process;
  }

  void require_ranks(const PlannedSearch& search) {
    for (const Property& property : search.properties)
      if (const std::string unfit = why_unfit(*search.engine, property, settings_);
          !unfit.empty() && unfit_chosen_.empty())
        unfit_chosen_ = fmt::format("property {}: {}", property.name, unfit);
  }

  /// For states and CTL.
  void say_engines() const {
    for (const PlannedSearch* search : {&plan_.states, &plan_.ctl}) {
      if (search->properties.empty() || search->engine == asked_) continue;
      const bool ctl = search == &plan_.ctl;
      const std::string instead = asked_ ? fmt::format("{} {}", asked_->name, purpose_of(*asked_)) : "";
      settings_.note(fmt::format(
          "engine {}{}: {}", search->engine->name,
          ctl      ? " for CTL"
          : asked_ ? " for states"
                   : "",
          asked_ ? std::string_view(instead) : engine_for(ctl ? Purpose::ctl : Purpose::states).why));
    }
  }

  const System& system_;
  const std::vector<Property>& properties_;
  const Settings& settings_;
  const Engine* asked_;  ///< nothing: they are chosen
  std::vector<Tried> tried_;
  bool answers_some_ = false;
  std::string unfit_chosen_;  ///< why not even the engine that auto takes can do what is asked
  Plan plan_;
};

}  // namespace

std::vector<Property> Plan::properties() const {
  std::vector<Property> all = states.properties;
  for (const PlannedSearch& lasso : lassos) all.push_back(lasso.properties.front());
  all.insert(all.end(), ctl.properties.begin(), ctl.properties.end());
  return all;
}

std::vector<PlannedSearch*> Plan::searches() {
  std::vector<PlannedSearch*> all{&states, &ctl};
  for (PlannedSearch& lasso : lassos) all.push_back(&lasso);
  return all;
}

Planned make_plan(const Model& model, const std::vector<Property>& properties, const Settings& settings) {
  return Planner(model, properties, settings).run();
}

std::vector<std::string> idle_options(const std::set<std::string>& given, const Plan& plan,
                                      const Settings& settings) {
  const std::vector<Property> properties = plan.properties();
  const auto any = [&](const std::function<bool(const Property&)>& is_meant) {
    return std::ranges::any_of(properties, is_meant);
  };
  std::vector<EngineUse> uses;
  const auto add = [&](const Engine* engine, const std::vector<Property>& of) {
    for (const Property& property : of) uses.push_back({engine, property.kind});
  };
  add(plan.states.engine, plan.states.properties);
  add(plan.ctl.engine, plan.ctl.properties);
  for (const PlannedSearch& lasso : plan.lassos) add(lasso.engine, lasso.properties);
  if (!settings.engine || settings.engine->is_race)  // these may come into it
    for (const Purpose purpose : {Purpose::sets, Purpose::little_memory})
      add(engine_for(purpose).engine, properties);
  std::vector<std::string> idle;
  for (const std::string& option : given) {
    if (option == "--por" && any([](const Property& p) { return p.kind == PropertyKind::ctl; }))
      continue;  // Reductions says why it has none
    if (settings.states.store == Store::disk && (option == "--trace-dir" || option == "--keep-trace-log"))
      continue;  // states are there, too
    const bool of_runs = option == "--fair" || option == "--shortest";
    const bool of_cycles = option == "--sweep" && !settings.every_scc;  // this word is also for CTL
    if (is_idle(option, uses, settings.traces) ||
        ((of_runs || of_cycles) && !any([](const Property& p) { return is_liveness(p.kind); })) ||
        (option == "--hash-bits" && settings.states.store != Store::hash) ||
        (option == "--translator" && !any([](const Property& p) { return p.kind == PropertyKind::ltl; })) ||
        (option == "--deadlock-paths" && !any([](const Property& p) { return p.kind == PropertyKind::ctl; })))
      idle.push_back(option);
  }
  return idle;
}

}  // namespace tideline
