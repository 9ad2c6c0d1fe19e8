#include "progress/composition.hpp"

#include <algorithm>

namespace tideline {

namespace {

/// What one slot keeps to narrows what others can do; mostly that comes to an end soon.
constexpr int most_rounds = 4;

MeasureTerm ordered_term(const System& system, const LocalGraph& graph, const ValueOrder& order) {
  std::vector<std::vector<std::int32_t>> groups(order.places);
  for (LocalGraph::State state = 0; state < graph.size(); ++state)
    groups[order.place[state]].push_back(graph.state(state)[0]);
  for (auto& group : groups) std::ranges::sort(group);
  const MeasureTerm natural = slot_term(system, graph.slots[0]);
  const bool is_natural = groups.size() == graph.size() && std::ranges::is_sorted(groups);
  MeasureTerm ordered = slot_term(system, graph.slots[0], std::move(groups));
  const auto bits = [&](const MeasureTerm& term) { return Measure(system, {term}).bits(); };
  return is_natural && bits(natural) == bits(ordered) ? natural : ordered;
}

bool is_location(const System& system, SlotId slot) {
  return system.variables[system.slots[slot].variable].is_location;
}

/// How far the summand, which is a slot, sees a value of it.
std::int64_t rank_in(const Summand& summand, std::int32_t value) {
  if (summand.order.empty()) return summand.weight * value;
  const auto group = std::ranges::find_if(
      summand.order, [&](const auto& values) { return std::ranges::find(values, value) != values.end(); });
  return summand.weight * (group - summand.order.begin());
}

bool never_decreases(const Summand& summand, const LocalGraph& graph) {
  std::vector<std::int64_t> ranks;
  for (LocalGraph::State state = 0; state < graph.size(); ++state)
    ranks.push_back(rank_in(summand, graph.state(state)[0]));
  for (LocalGraph::State state = 0; state < graph.size(); ++state)
    for (const LocalGraph::Edge& edge : graph.edges_of(state))
      if (ranks[edge.to] < ranks[state]) return false;
  return true;
}

}  // namespace

std::vector<LocalMeasure> local_measures(const System& system, ErrorSemantics errors) {
  LocalGraphOptions options{.errors = errors, .ranges = slot_ranges(system)};
  std::vector<LocalMeasure> locals;
  bool narrowed = true;
  for (int round = 0; round < most_rounds && narrowed; ++round) {
    narrowed = false;
    locals.clear();
    for (SlotId slot = 0; slot < system.slots.size(); ++slot) {
      auto graph = local_graph(system, {slot}, options);
      if (!graph) continue;
      const auto [low, high] = std::ranges::minmax(graph->values);
      Interval& range = options.ranges[slot];
      narrowed = narrowed || range.low < low || high < range.high;
      range = {low, high};
      if (graph->size() > 1) locals.push_back({std::move(*graph), {}, {}});
    }
  }
  for (LocalMeasure& local : locals) {
    local.components = component_order(local.graph);
    local.tree = tree_order(local.graph);
  }
  return locals;
}

MeasureTerm component_term(const System& system, const LocalMeasure& local) {
  MeasureTerm term = ordered_term(system, local.graph, local.components);
  term.monotone = never_decreases(term.summands[0], local.graph);
  return term;
}

MeasureTerm tree_term(const System& system, const LocalMeasure& local) {
  return ordered_term(system, local.graph, local.tree);
}

bool never_decreases(const MeasureTerm& term, const std::vector<LocalMeasure>& locals) {
  return std::ranges::all_of(term.summands, [&](const Summand& summand) {
    const auto slot = summand.slot();
    if (!slot) return false;
    const auto local = std::ranges::find(locals, *slot, &LocalMeasure::slot);
    return local != locals.end() && never_decreases(summand, local->graph);
  });
}

Measure with_claims(const System& system, const Measure& measure, const std::vector<LocalMeasure>& locals) {
  std::vector<MeasureTerm> terms = measure.terms();
  bool leading = true;
  for (MeasureTerm& term : terms) {
    term.monotone = leading && (term.monotone || never_decreases(term, locals));
    leading = term.monotone;
  }
  return Measure(system, std::move(terms));
}

Measure composed_measure(const System& system, const std::vector<LocalMeasure>& locals, unsigned most_bits) {
  std::vector<MeasureTerm> terms;
  unsigned bits = 0;
  const auto add = [&](MeasureTerm term) {
    const unsigned more = Measure(system, {term}).bits();
    if (bits + more > most_bits) return;
    bits += more;
    terms.push_back(std::move(term));
  };
  for (const bool of_components : {true, false})
    for (const bool of_locations : {true, false})
      for (const LocalMeasure& local : locals) {
        if (is_location(system, local.slot()) != of_locations) continue;
        if (of_components && local.components.places > 1)
          if (MeasureTerm term = component_term(system, local); term.monotone) add(std::move(term));
        if (!of_components && local.is_cyclic()) add(tree_term(system, local));
      }
  return Measure(system, std::move(terms));
}

}  // namespace tideline
