#include "checking/certifying.hpp"

#include <fmt/format.h>

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

bool certifies(const Engine& engine, PropertyKind kind) {
  return kind == PropertyKind::ctl ? engine.certifies_ctl
         : is_liveness(kind)       ? engine.certifies_lassos
                                   : engine.certifies_states;
}

std::string why_not_certified(const Engine& engine, const Property& property) {
  if (!certifies(engine, property.kind))
    return fmt::format("engine {} does not certify {} yet; {} can", engine.name,
                       property.kind == PropertyKind::ctl ? "CTL formulas"
                       : is_liveness(property.kind)       ? "infinite runs"
                                                          : "properties of states",
                       engine_names([&](const Engine& e) { return certifies(e, property.kind); }));
  if (property.kind == PropertyKind::ctl && !always_form(*property.ctl))
    return "of CTL only AG EF p and AG AF p can be certified yet; AG p is an invariant";
  if (!property.parts.empty())
    return "it may have no value in some states, which is checked in another search";
  return {};
}

}  // namespace

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
