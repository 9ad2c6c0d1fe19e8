#include "progress/composition.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

namespace tideline {

namespace {

/// The range of one slot narrows what others can do; mostly that stabilises soon.
constexpr int most_rounds = 4;
/// Actions tried in states of local graphs: what takes longer is not worth it. Slots that are left have none.
constexpr std::uint64_t most_steps = 300'000;

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

/// The rank that the summand, which is a slot, gives to a value.
std::int64_t rank_in(const Summand& summand, std::int32_t value) {
  if (summand.order.empty()) return summand.weight * value;
  const auto group = std::ranges::find_if(
      summand.order, [&](const auto& values) { return std::ranges::find(values, value) != values.end(); });
  return summand.weight * (group - summand.order.begin());
}

/// The value of the term, which adds up slots of the graph, in each of its states.
std::vector<std::int64_t> values_in(const LocalGraph& graph, const MeasureTerm& term) {
  std::vector<std::int64_t> values(graph.size());
  for (const Summand& summand : term.summands) {
    const auto at =
        static_cast<std::size_t>(std::ranges::find(graph.slots, *summand.slot()) - graph.slots.begin());
    for (LocalGraph::State state = 0; state < graph.size(); ++state)
      values[state] += rank_in(summand, graph.state(state)[at]);
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
  return std::ranges::all_of(term.summands,
                             [](const Summand& summand) { return summand.slot().has_value(); });
}

/// The same for all slots of the terms, followed together.
bool group_never_decreases(const System& system, const Locals& locals,
                           const std::vector<MeasureTerm>& terms) {
  std::vector<SlotId> slots;
  for (const MeasureTerm& term : terms)
    for (const Summand& summand : term.summands) slots.push_back(*summand.slot());
  std::ranges::sort(slots);
  slots.erase(std::ranges::unique(slots).begin(), slots.end());
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

Locals local_measures(const System& system, ErrorSemantics errors) {
  LocalGraphs graphs(system, {.errors = errors, .ranges = {}});
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
    const auto slot = summand.slot();
    if (!slot) return false;
    const auto local = std::ranges::find(locals.measures, *slot, &LocalMeasure::slot);
    return local != locals.measures.end() &&
           last_never_decreases(local->graph, {{.text = {}, .summands = {summand}}});
  });
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
