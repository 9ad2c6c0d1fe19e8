#include "checking/reduction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "bind/bind.hpp"
#include "exec/machine.hpp"
#include "graph/regions.hpp"
#include "model/value_condition.hpp"
#include "search/states/preserved.hpp"
#include "store/segmented_table.hpp"

namespace tideline {

namespace {

/// If more of the steps are needed, the search for those that are not costs more than it spares.
constexpr double too_many_needed = 0.8;
/// Where steps are several actions (System::transient), most of more than this many depend on each other, and it takes
/// seconds to find that out.
constexpr std::size_t many_actions = 2'000;

/// States that are wider than this together are not few, whatever their number.
constexpr std::uint64_t most_counted_bytes = std::uint64_t{32} << 20;

/// At most one more than few_states_nearby, which stands for all larger numbers.
std::uint64_t count_states(const System& system, ErrorSemantics errors, Budget& budget) {
  Machine machine(Program::compile(system, errors));
  SegmentedTable<> table(machine.state_size());
  const auto add = [&](const std::byte* state) { table.insert(state, table.hash(state)); };
  machine.initial(add);
  const std::uint64_t most = std::min(few_states_nearby, most_counted_bytes / machine.state_size());
  for (StateId id = 0; id < table.size(); ++id) {
    if (table.size() > most) return few_states_nearby + 1;
    budget.require();
    machine.successors(table.state(id), [&](const Step& step) {
      if (step.state) add(step.state);
    });
  }
  return std::min<std::uint64_t>(table.size(), few_states_nearby + 1);
}

/// How many of the steps in a sample are needed, 0 to 1.
double needed_steps(const System& system, const std::vector<Property>& properties, ErrorSemantics errors,
                    Budget& budget) {
  por::Preserved preserved = !properties.empty() && is_liveness(properties.front().kind)
                                 ? preserved_for(*properties.front().process)
                                 : preserved_for(system, properties);
  return por::StubbornSets::make(system, errors, std::move(preserved), por::Method::stubborn, &budget)
      ->needed_in_sample();
}

/// Whether engine auto chooses, and what it chooses may be reduced.
bool is_chosen_here(const Settings& settings, const Plan& plan) {
  return settings.engine && settings.engine->is_race && !plan.infinite && !settings.bounded &&
         !settings.lassos.shortest && settings.states.runs == 1;
}

}  // namespace

std::string why_not_reduced(const Property& property, const System& system) {
  if (property.kind == PropertyKind::ctl) return "CTL sees where runs branch";
  if (!is_liveness(property.kind)) return {};
  if (property.fairness != Fairness::none) return "fairness depends on steps that would be left out";
  // Which guards are read, and which errors are met, depends on when the automaton gives up.
  const auto lacks_value = [&](const PropertyProcess::Edge& edge) {
    return may_lack_value(edge.guard, system);
  };
  if (property.kind == PropertyKind::automaton && std::ranges::any_of(property.process->edges, lacks_value))
    return "its automaton reads what may have no value";
  if (property.kind == PropertyKind::automaton && has_dead_ends(*property.process))
    return "its automaton has states from which it accepts nothing";
  const Stuttering stuttering = stuttering_of(property);
  return stuttering == Stuttering::invariant ? "" : std::string(reason(stuttering));
}

bool reduction_pays(const System& system, const std::vector<Property>& properties, ErrorSemantics errors,
                    Budget& budget) {
  return needed_steps(system, properties, errors, budget) <= too_many_needed;
}

Stepping stepping_for(const System& system, const PropertyProcess* process,
                      const std::vector<Property>& properties, const Settings& settings, Budget& budget) {
  const por::Method method = settings.reduction.value_or(por::Method::none);
  if (method == por::Method::none) return {settings.errors};
  return {settings.errors,
          por::StubbornSets::make(system, settings.errors,
                                  process ? preserved_for(*process) : preserved_for(system, properties),
                                  method, &budget)};
}

void Reductions::decide(PlannedSearch& search, const Plan& plan, Budget& budget) {
  std::optional<por::Method>& method = search.settings.reduction;
  if (search.properties.empty() || method == por::Method::none) return;
  if (!method && !is_chosen_here(search.settings, plan)) {
    method = por::Method::none;
    return;
  }
  for (const Property& property : search.properties) {
    const std::string why = why_not_reduced(property, system_);
    if (why.empty()) continue;
    if (method)
      search.settings.note(
          fmt::format("property {} is searched without partial order reduction: {}", property.name, why));
    method = por::Method::none;
    return;
  }
  const PropertyKind kind = search.properties.front().kind;
  if (!uses_option(*search.engine, "--por", kind, search.settings.traces))
    method = por::Method::none;
  else if (!method)
    method = pays(search, budget) ? por::Method::stubborn : por::Method::none;
}

bool Reductions::pays(const PlannedSearch& search, Budget& budget) {
  if (system_.transient != no_slot && system_.actions.size() > many_actions) return false;
  const Settings& settings = search.settings;
  if (states_ == 0) states_ = count_states(system_, settings.errors, budget);
  if (states_ <= few_states_nearby) return false;
  const double needed = needed_steps(system_, search.properties, settings.errors, budget);
  if (needed > too_many_needed) return false;
  const Property& first = search.properties.front();
  const bool lasso = is_liveness(first.kind);
  settings.note(fmt::format(
      "partial order reduction{}: {:.0f}% of the steps in a sample of states are needed{}",
      lasso ? " for " + first.name : "", 100 * needed, lasso ? "" : "; the run may not be a shortest one"));
  return true;
}

void Reductions::choose(Plan& plan, Budget& budget) {
  for (PlannedSearch* search : plan.searches()) decide(*search, plan, budget);
}

}  // namespace tideline
