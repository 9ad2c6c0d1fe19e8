#include "progress/composition.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "model/each_once.hpp"

namespace tideline {

namespace {

/// The range of one slot narrows what others can do; mostly that stabilises soon.
constexpr int most_rounds = 4;
/// Actions tried in states of local graphs: what takes longer is not worth it. Slots that are left have none.
constexpr std::uint64_t most_steps = 150'000;
/// For groups that nobody asked for: their orders are to be read, and tried one after another.
constexpr std::size_t most_group_values = 256;
constexpr std::size_t most_own_slots = 4;

MeasureTerm ordered_term(const System& system, const LocalGraph& graph, const ValueOrder& order) {
  std::vector<LocalGraph::State> states(graph.size());
  std::iota(states.begin(), states.end(), LocalGraph::State{0});
  const auto values_of = [&](LocalGraph::State state) {
    return std::vector(graph.state(state).begin(), graph.state(state).end());
  };
  std::ranges::sort(states, {}, values_of);
  ProgressOrder places(order.places);
  for (const LocalGraph::State state : states) {
    const auto values = graph.state(state);
    auto& place = places[order.place[state]];
    place.insert(place.end(), values.begin(), values.end());
  }
  if (graph.slots.size() > 1) return group_term(system, graph.slots, std::move(places));
  const MeasureTerm natural = slot_term(system, graph.slots[0]);
  const bool is_natural = places.size() == graph.size() && std::ranges::is_sorted(places);
  MeasureTerm ordered = slot_term(system, graph.slots[0], std::move(places));
  const auto bits = [&](const MeasureTerm& term) { return Measure(system, {term}).bits(); };
  return is_natural && bits(natural) == bits(ordered) ? natural : ordered;
}

bool is_location(const System& system, SlotId slot) {
  return system.variables[system.slots[slot].variable].is_location;
}

/// The places of the tuples in an order, in the order of the tuples.
std::map<std::vector<std::int32_t>, std::int64_t> places_of(const Summand& summand) {
  std::map<std::vector<std::int32_t>, std::int64_t> places;
  const auto width = static_cast<std::ptrdiff_t>(summand.slots.size());
  for (std::size_t place = 0; place < summand.order.size(); ++place)
    for (auto at = summand.order[place].begin(); at != summand.order[place].end(); at += width)
      places.emplace(std::vector(at, at + width), static_cast<std::int64_t>(place));
  return places;
}

/// The value of the term, which adds up slots of the graph, in each of its states.
std::vector<std::int64_t> values_in(const LocalGraph& graph, const MeasureTerm& term) {
  std::vector<std::int64_t> values(graph.size());
  for (const Summand& summand : term.summands) {
    const auto places = places_of(summand);
    std::vector<std::size_t> at;
    for (const SlotId slot : summand.slots)
      at.push_back(static_cast<std::size_t>(std::ranges::find(graph.slots, slot) - graph.slots.begin()));
    std::vector<std::int32_t> tuple(at.size());
    for (LocalGraph::State state = 0; state < graph.size(); ++state) {
      std::ranges::transform(at, tuple.begin(), [&](std::size_t i) { return graph.state(state)[i]; });
      const auto place = places.find(tuple);
      const std::int64_t rank = summand.order.empty()   ? tuple[0]
                                : place != places.end() ? place->second
                                                        : static_cast<std::int64_t>(summand.order.size());
      values[state] += summand.weight * rank;
    }
  }
  return values;
}

/// No edge decreases the last term unless it changes one before.
bool last_never_decreases(const LocalGraph& graph, const std::vector<MeasureTerm>& terms) {
  std::vector<std::vector<std::int64_t>> values;
  for (const MeasureTerm& term : terms) values.push_back(values_in(graph, term));
  for (LocalGraph::State state = 0; state < graph.size(); ++state)
    for (const LocalGraph::Edge& edge : graph.edges_of(state)) {
      const bool decreases = values.back()[edge.to] < values.back()[state];
      if (decreases && std::all_of(values.begin(), values.end() - 1,
                                   [&](const auto& value) { return value[edge.to] == value[state]; }))
        return false;
    }
  return true;
}

bool adds_slots(const MeasureTerm& term) {
  return std::ranges::all_of(term.summands, [](const Summand& summand) { return !summand.slots.empty(); });
}

/// The same for all slots of the terms, followed together.
bool group_never_decreases(const System& system, const Locals& locals,
                           const std::vector<MeasureTerm>& terms) {
  std::vector<SlotId> slots;
  for (const MeasureTerm& term : terms)
    for (const Summand& summand : term.summands)
      slots.insert(slots.end(), summand.slots.begin(), summand.slots.end());
  keep_each_once(slots);
  const auto graph = local_graph(system, std::move(slots), locals.options);
  return graph && last_never_decreases(*graph, terms);
}

/// No transition decreases the term as long as those before it stay equal: because of its slots alone, or of
/// the group of its slots and those of one term before it, or of all.
bool follows(const System& system, const Locals& locals, std::span<const MeasureTerm> before,
             const MeasureTerm& term) {
  if (never_decreases(term, locals)) return true;
  if (!adds_slots(term) || !std::ranges::all_of(before, adds_slots)) return false;
  if (group_never_decreases(system, locals, {term})) return true;
  for (const MeasureTerm& one : before)
    if (group_never_decreases(system, locals, {one, term})) return true;
  if (before.size() < 2) return false;
  std::vector<MeasureTerm> all(before.begin(), before.end());
  all.push_back(term);
  return group_never_decreases(system, locals, all);
}

LocalMeasure ordered(LocalGraph graph) {
  LocalMeasure measure{std::move(graph), {}, {}};
  measure.sccs = scc_order(measure.graph);
  measure.tree = tree_order(measure.graph);
  return measure;
}

/// By component: the slots that only actions in which it takes part write.
std::vector<std::vector<SlotId>> own_slots(const System& system) {
  std::vector<std::size_t> writers(system.slots.size());
  std::vector<std::map<SlotId, std::size_t>> writers_of(system.components.size());
  for (const Action& action : system.actions)
    for (const SlotId slot : action.writes) {
      ++writers[slot];
      for (const Participant& participant : action.participants) ++writers_of[participant.component][slot];
    }
  std::vector<std::vector<SlotId>> own(system.components.size());
  for (ComponentId component = 0; component < own.size(); ++component)
    for (const auto& [slot, count] : writers_of[component])
      if (count == writers[slot] && !is_location(system, slot)) own[component].push_back(slot);
  return own;
}

/// The location of a component with as many of its own variables as fit, those with few values first;
/// nothing when it has none.
std::optional<LocalMeasure> own_group(const System& system, const Locals& locals, SlotId location,
                                      const std::vector<SlotId>& variables) {
  const auto local_of = [&](SlotId slot) {
    return std::ranges::find(locals.measures, slot, &LocalMeasure::slot);
  };
  if (local_of(location) == locals.measures.end()) return std::nullopt;
  std::vector<std::pair<std::size_t, SlotId>> own;  // with the number of values
  for (const SlotId slot : variables)
    if (const auto local = local_of(slot); local != locals.measures.end())
      own.emplace_back(local->graph.size(), slot);
  std::ranges::sort(own);
  own.resize(std::min(own.size(), most_own_slots));
  LocalGraphOptions options = locals.options;
  options.most_states = most_group_values;
  std::optional<LocalMeasure> group;
  std::vector<SlotId> slots{location};
  for (const auto& [values, slot] : own) {
    slots.push_back(slot);
    if (auto larger = local_measure(system, slots, options))
      group = std::move(larger);
    else
      slots.pop_back();
  }
  return group;
}

}  // namespace

std::string LocalMeasure::name(const System& system) const {
  std::string text;
  for (const SlotId slot : graph.slots) text += (text.empty() ? "" : ", ") + system.slots[slot].name;
  return text;
}

std::optional<LocalMeasure> local_measure(const System& system, std::vector<SlotId> slots,
                                          const LocalGraphOptions& options) {
  auto graph = local_graph(system, std::move(slots), options);
  return graph ? std::optional(ordered(std::move(*graph))) : std::nullopt;
}

Locals local_measures(const System& system, ErrorSemantics errors, Budget* budget) {
  LocalGraphs graphs(system, {.errors = errors, .ranges = {}, .budget = budget});
  std::map<SlotId, LocalMeasure> measures;
  std::vector<bool> due(system.slots.size(), true);
  for (int round = 0; round < most_rounds && graphs.steps() < most_steps; ++round) {
    std::vector<bool> narrowed(system.slots.size());
    for (SlotId slot = 0; slot < system.slots.size() && graphs.steps() < most_steps; ++slot) {
      if (!due[slot]) continue;
      auto graph = graphs.of({slot});
      if (!graph) continue;
      const auto [low, high] = std::ranges::minmax(graph->values);
      const Interval& range = graphs.options().ranges[slot];
      narrowed[slot] = range.low < low || high < range.high;
      graphs.narrow(slot, {low, high});
      if (graph->size() > 1) measures.insert_or_assign(slot, ordered(std::move(*graph)));
    }
    // What a slot can do may have changed where an action that changes it reads a slot with fewer values.
    for (SlotId slot = 0; slot < system.slots.size(); ++slot)
      due[slot] = std::ranges::any_of(graphs.writers(slot), [&](ActionId action) {
        return std::ranges::any_of(system.actions[action].reads, [&](SlotId read) { return narrowed[read]; });
      });
  }
  Locals locals{.options = graphs.options()};
  for (auto& [slot, measure] : measures) locals.measures.push_back(std::move(measure));
  return locals;
}

MeasureTerm scc_term(const System& system, const LocalMeasure& local) {
  MeasureTerm term = ordered_term(system, local.graph, local.sccs);
  term.monotone = last_never_decreases(local.graph, {term});
  return term;
}

MeasureTerm tree_term(const System& system, const LocalMeasure& local) {
  return ordered_term(system, local.graph, local.tree);
}

bool never_decreases(const MeasureTerm& term, const Locals& locals) {
  return std::ranges::all_of(term.summands, [&](const Summand& summand) {
    if (summand.slots.size() != 1) return false;
    const auto local = std::ranges::find(locals.measures, summand.slots[0], &LocalMeasure::slot);
    return local != locals.measures.end() &&
           last_never_decreases(local->graph, {{.text = {}, .summands = {summand}}});
  });
}

std::vector<MeasureTerm> group_terms(const System& system, const Locals& locals) {
  std::vector<MeasureTerm> terms;
  const auto own = own_slots(system);
  for (ComponentId component = 0; component < system.components.size(); ++component) {
    const auto local = own_group(system, locals, system.components[component].location_slot, own[component]);
    if (!local) continue;
    if (local->sccs.places > 1)
      if (MeasureTerm term = scc_term(system, *local); term.monotone) terms.push_back(std::move(term));
    if (local->is_cyclic()) terms.push_back(tree_term(system, *local));
  }
  return terms;
}

Measure with_claims(const System& system, const Measure& measure, const Locals& locals, std::size_t most) {
  std::vector<MeasureTerm> terms = measure.terms();
  bool leading = true;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    terms[i].monotone = leading && i < most &&
                        (terms[i].monotone || follows(system, locals, std::span(terms).first(i), terms[i]));
    leading = terms[i].monotone;
  }
  return Measure(system, std::move(terms));
}

Measure composed_measure(const System& system, const Locals& locals, unsigned most_bits) {
  std::vector<MeasureTerm> terms;
  unsigned bits = 0;
  const auto add = [&](MeasureTerm term) {
    const unsigned more = Measure(system, {term}).bits();
    if (bits + more > most_bits) return;
    bits += more;
    terms.push_back(std::move(term));
  };
  for (const bool of_sccs : {true, false})
    for (const bool of_locations : {true, false})
      for (const LocalMeasure& local : locals.measures) {
        if (is_location(system, local.slot()) != of_locations) continue;
        if (of_sccs && local.sccs.places > 1)
          if (MeasureTerm term = scc_term(system, local); term.monotone) add(std::move(term));
        if (!of_sccs && local.is_cyclic()) add(tree_term(system, local));
      }
  return Measure(system, std::move(terms));
}

}  // namespace tideline
