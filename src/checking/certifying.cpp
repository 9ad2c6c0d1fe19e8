#include "checking/certifying.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/ctl_claims.hpp"
#include "model/error.hpp"

namespace tideline {

namespace {

/// What has been asked for and keeps a search from visiting all states, or from knowing which those are.
std::string why_not_with(const Settings& settings) {
  if (settings.ranks) return "several ranks do not write one yet; leave out mpirun and --ranks";
  if (settings.reduce_net) return "--reduce-net searches another net than the one that would be certified";
  if (settings.reduction != por::Method::none)
    return "--por leaves out states, and those that are left are not closed under steps";
  if (settings.states.store == Store::hash) return "--store hash does not know states, only their hashes";
  if (settings.fairness != Fairness::none)
    return "that only fair runs violate nothing cannot be certified yet; leave out --fair";
  if (settings.engine->races_at_once)
    return fmt::format("engine {} does not write one; name an engine that does, or leave that to {}",
                       settings.engine->name, default_engine().name);
  return {};
}

/// The engine that proves by a second search what another has found.
const Engine& second_engine(PropertyKind kind, unsigned threads) {
  return *engine_for(kind == PropertyKind::ctl ? Purpose::ctl
                     : !is_liveness(kind)      ? Purpose::states
                     : threads == 1            ? Purpose::lassos
                                               : Purpose::parallel_lassos)
              .engine;
}

/// What a proof can be written of.
bool is_proven(const PropertyResult& result) {
  if (result.property.kind == PropertyKind::reach)
    return result.verdict == Verdict::violated && result.reason.empty();
  return result.verdict == Verdict::holds;
}

void prove(const System& system, const PlannedSearch& first, const std::vector<Property>& properties,
           Budget& budget) {
  if (properties.empty()) return;
  const PropertyKind kind = properties.front().kind;
  const Engine& engine = second_engine(kind, first.settings.threads);
  Settings settings = first.settings;
  settings.engine = &engine;
  settings.traces = false;
  settings.note(fmt::format(
      "a second search, by engine {}, writes the certificate: {} does not keep what a proof needs",
      engine.name, first.engine->name));
  const Outcome outcome = search_with(engine,
                                      kind == PropertyKind::ctl ? engine.ctl
                                      : is_liveness(kind)       ? engine.lassos
                                                                : engine.states,
                                      system, properties, settings, budget);
  for (const PropertyResult& result : outcome.results)
    if (!is_proven(result) && result.verdict != Verdict::unknown)
      throw Error(ErrorKind::internal, fmt::format("property {}: engines {} and {} disagree",
                                                   result.property.name, first.engine->name, engine.name));
}

std::string why_not_certified(const Engine& engine, const Property& property) {
  if (!engine.conclusive) return fmt::format("engine {} proves nothing", engine.name);
  if (property.kind == PropertyKind::ctl && claimed_nodes(*property.ctl).size() > most_claimed_nodes)
    return fmt::format("it has more than {} temporal operators", most_claimed_nodes);
  if (!property.parts.empty())
    return "it may have no value in some states, which is checked in another search";
  return {};
}

}  // namespace

bool certifies(const Engine& engine, PropertyKind kind) {
  return kind == PropertyKind::ctl ? engine.certifies_ctl
         : is_liveness(kind)       ? engine.certifies_lassos
                                   : engine.certifies_states;
}

void certify_by_second_search(const System& system, const PlannedSearch& first, const Outcome& found,
                              Budget& budget) {
  std::vector<Property> of_states, others;
  for (const PropertyResult& result : found.results) {
    if (result.property.kind == PropertyKind::model_error && result.verdict == Verdict::violated) return;
    if (is_proven(result))
      (is_of_states(result.property.kind) ? of_states : others).push_back(result.property);
  }
  const auto is_asked = [](const Property& property) { return property.kind != PropertyKind::model_error; };
  const bool is_about_errors = std::ranges::none_of(
      found.results, [&](const PropertyResult& result) { return is_asked(result.property); });
  if (is_about_errors || std::ranges::any_of(of_states, is_asked)) prove(system, first, of_states, budget);
  prove(system, first, others, budget);
}

std::string why_not_certified(const System&, const Plan& plan, const Settings& settings) {
  if (std::string why = why_not_with(settings); !why.empty()) return why;
  Plan copy = plan;
  for (const PlannedSearch* search : copy.searches())
    for (const Property& property : search->properties)
      if (const std::string why = why_not_certified(*search->engine, property); !why.empty())
        return fmt::format("property {}: {}", property.name, why);
  return {};
}

}  // namespace tideline
