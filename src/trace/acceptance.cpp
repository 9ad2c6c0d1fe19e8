#include "trace/acceptance.hpp"

#include <set>
#include <utility>
#include <vector>

namespace tideline {

namespace {

using Edge = PropertyProcess::Edge;

/// A location, and the acceptance sets visited on the way to it.
using Arrival = std::pair<LocationId, std::uint32_t>;
/// By location: what can be reached from it.
using Relation = std::vector<std::set<Arrival>>;

class AutomatonRun {
 public:
  AutomatonRun(const System& system, const PropertyProcess& property, const Trace& run)
      : reference_(system), property_(property), run_(run) {}

  bool accepted() const {
    std::set<LocationId> reached{property_.initial};
    for (std::size_t i = 0; i < *run_.loop; ++i) reached = step(reached, enabled_edges(i));
    const Relation around = once_around();
    for (const LocationId location : reachable(reached, around))
      if (comes_back(location, around)) return true;
    return false;
  }

  ModelError missing_guard_value() const {
    std::set<LocationId> reached{property_.initial};
    for (std::size_t i = 0; i < run_.actions.size(); ++i) reached = step(reached, enabled_edges(i));
    for (const Edge& edge : property_.edges) {
      const auto guard = reference_.evaluate(edge.guard, run_.states.back());
      if (reached.contains(edge.from) && guard.error.kind != ModelErrorKind::none) return guard.error;
    }
    return {};
  }

 private:
  const Values& after(std::size_t i) const {
    return i + 1 < run_.states.size() ? run_.states[i + 1] : run_.states[*run_.loop];
  }

  /// Edges that the property may have taken in step i. Where it has variables of its own, the recorded state
  /// must be what its effects make of them.
  std::vector<const Edge*> enabled_edges(std::size_t i) const {
    std::vector<const Edge*> enabled;
    for (const Edge& edge : property_.edges) {
      const auto guard = reference_.evaluate(edge.guard, run_.states[i]);
      if (guard.value == 0 || guard.error.kind != ModelErrorKind::none) continue;
      Values now = after(i);
      for (const SlotId slot : property_.slots) now[slot] = run_.states[i][slot];
      const ModelError error = reference_.apply(edge.effects, run_.states[i], now);
      if (error.kind == ModelErrorKind::none && now == after(i)) enabled.push_back(&edge);
    }
    return enabled;
  }

  static std::set<LocationId> step(const std::set<LocationId>& from, const std::vector<const Edge*>& edges) {
    std::set<LocationId> to;
    for (const Edge* edge : edges)
      if (from.contains(edge->from)) to.insert(edge->to);
    return to;
  }

  Relation once_around() const {
    Relation relation(property_.locations.size());
    for (LocationId l = 0; l < relation.size(); ++l) relation[l] = {{l, 0}};
    for (std::size_t i = *run_.loop; i < run_.states.size(); ++i) {
      const auto edges = enabled_edges(i);
      for (auto& arrivals : relation) {
        std::set<Arrival> next;
        for (const auto& [location, marks] : arrivals)
          for (const Edge* edge : edges)
            if (edge->from == location)
              next.emplace(edge->to, marks | property_.marks_of(location) | edge->marks);
        arrivals = std::move(next);
      }
    }
    return relation;
  }

  static std::set<LocationId> reachable(std::set<LocationId> reached, const Relation& around) {
    std::vector<LocationId> open(reached.begin(), reached.end());
    while (!open.empty()) {
      const LocationId from = open.back();
      open.pop_back();
      for (const auto& [to, marks] : around[from])
        if (reached.insert(to).second) open.push_back(to);
    }
    return reached;
  }

  /// Goes around until nothing new is found; marks only grow on the way.
  bool comes_back(LocationId location, const Relation& around) const {
    std::set<Arrival> seen(around[location].begin(), around[location].end());
    std::vector<Arrival> open(seen.begin(), seen.end());
    while (!open.empty()) {
      const auto [at, marks] = open.back();
      open.pop_back();
      if (at == location && marks == property_.all_marks()) return true;
      for (const auto& [to, more] : around[at])
        if (seen.emplace(to, marks | more).second) open.emplace_back(to, marks | more);
    }
    return false;
  }

  Reference reference_;
  const PropertyProcess& property_;
  const Trace& run_;
};

}  // namespace

bool accepts(const System& system, const PropertyProcess& property, const Trace& run) {
  return run.loop && AutomatonRun(system, property, run).accepted();
}

ModelError missing_guard_value(const System& system, const PropertyProcess& property, const Trace& run) {
  return AutomatonRun(system, property, run).missing_guard_value();
}

}  // namespace tideline
