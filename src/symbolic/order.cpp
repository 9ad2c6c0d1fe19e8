#include "symbolic/order.hpp"

#include <algorithm>
#include <numeric>
#include <queue>
#include <set>

namespace tideline::symbolic {

namespace {

using Variable = std::uint32_t;             ///< a group or a slot of its own
using Arrangement = std::vector<Variable>;  ///< from the bottom up

/// Variables and the actions that couple them.
struct Hypergraph {
  std::vector<std::vector<SlotId>> slots;            ///< of each variable
  std::vector<std::vector<Variable>> edges;          ///< of each action
  std::vector<std::vector<std::uint32_t>> edges_of;  ///< by variable

  std::size_t size() const { return slots.size(); }
};

Hypergraph hypergraph_of(const System& system, const Groups& groups) {
  constexpr Variable none = ~Variable{0};
  std::vector<std::uint32_t> group_of(system.slots.size(), none);
  for (std::uint32_t g = 0; g < groups.size(); ++g)
    for (const SlotId s : groups[g]) group_of[s] = g;
  Hypergraph graph;
  std::vector<Variable> variable_of(system.slots.size(), none);
  for (SlotId s = 0; s < system.slots.size(); ++s) {
    if (variable_of[s] != none) continue;
    const std::vector<SlotId> members = group_of[s] == none ? std::vector<SlotId>{s} : groups[group_of[s]];
    for (const SlotId m : members) variable_of[m] = static_cast<Variable>(graph.slots.size());
    graph.slots.push_back(members);
  }
  graph.edges_of.resize(graph.size());
  std::set<std::vector<Variable>> known;
  for (const Action& action : system.actions) {
    std::set<Variable> touched;
    for (const SlotId s : action.reads) touched.insert(variable_of[s]);
    for (const SlotId s : action.writes) touched.insert(variable_of[s]);
    if (touched.empty()) continue;
    const auto number = static_cast<std::uint32_t>(graph.edges.size());
    graph.edges.emplace_back(touched.begin(), touched.end());
    for (const Variable v : touched) graph.edges_of[v].push_back(number);
  }
  return graph;
}

std::vector<std::uint32_t> places_in(const Arrangement& arrangement) {
  std::vector<std::uint32_t> place(arrangement.size());
  for (std::uint32_t i = 0; i < arrangement.size(); ++i) place[arrangement[i]] = i;
  return place;
}

double cost_of(const Hypergraph& graph, const Arrangement& arrangement) {
  const auto place = places_in(arrangement);
  double cost = 0;
  for (const auto& edge : graph.edges) {
    std::uint32_t top = 0, bottom = ~0u;
    for (const Variable v : edge) {
      top = std::max(top, place[v] + 1);
      bottom = std::min(bottom, place[v] + 1);
    }
    cost += static_cast<double>(top - bottom + 1) * top;
  }
  return cost;
}

Arrangement declared_order(const Hypergraph& graph) {
  Arrangement arrangement(graph.size());
  // The first that is declared lies on top.
  std::iota(arrangement.rbegin(), arrangement.rend(), 0u);
  return arrangement;
}

Arrangement force(const Hypergraph& graph, Arrangement arrangement) {
  constexpr int most_rounds = 200, patience = 12;
  Arrangement best = arrangement;
  double best_cost = cost_of(graph, best);
  int since_best = 0;
  std::vector<double> centre(graph.edges.size()), key(graph.size());
  for (int round = 0; round < most_rounds && since_best < patience; ++round) {
    const auto place = places_in(arrangement);
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      double sum = 0;
      for (const Variable v : graph.edges[e]) sum += place[v];
      centre[e] = sum / static_cast<double>(graph.edges[e].size());
    }
    for (Variable v = 0; v < graph.size(); ++v) {
      double sum = 0;
      for (const std::uint32_t e : graph.edges_of[v]) sum += centre[e];
      key[v] = graph.edges_of[v].empty() ? place[v] : sum / static_cast<double>(graph.edges_of[v].size());
    }
    Arrangement next = arrangement;
    std::stable_sort(next.begin(), next.end(), [&](Variable a, Variable b) { return key[a] < key[b]; });
    if (next == arrangement) break;
    arrangement = std::move(next);
    const double cost = cost_of(graph, arrangement);
    ++since_best;
    if (cost < best_cost) {
      best = arrangement;
      best_cost = cost;
      since_best = 0;
    }
  }
  return best;
}

/// Variables that share an action, with very wide actions left out: they say nothing about who is near.
std::vector<std::vector<Variable>> neighbours_in(const Hypergraph& graph) {
  constexpr std::size_t widest = 64;
  std::vector<std::vector<Variable>> neighbours(graph.size());
  for (const auto& edge : graph.edges) {
    if (edge.size() > widest) continue;
    for (const Variable v : edge)
      for (const Variable w : edge)
        if (v != w) neighbours[v].push_back(w);
  }
  for (auto& list : neighbours) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return neighbours;
}

/// Distances from a variable, and the last one that was reached.
std::pair<std::vector<std::int64_t>, Variable> distances(const std::vector<std::vector<Variable>>& neighbours,
                                                         Variable from) {
  std::vector<std::int64_t> distance(neighbours.size(), -1);
  std::vector<Variable> queue{from};
  distance[from] = 0;
  Variable last = from;
  for (std::size_t at = 0; at < queue.size(); ++at) {
    const Variable v = queue[at];
    if (distance[v] > distance[last] ||
        (distance[v] == distance[last] && neighbours[v].size() < neighbours[last].size()))
      last = v;
    for (const Variable w : neighbours[v])
      if (distance[w] < 0) {
        distance[w] = distance[v] + 1;
        queue.push_back(w);
      }
  }
  return {distance, last};
}

/// From one end of each connected part to the other, so that few variables are begun and not finished.
Arrangement sloan(const Hypergraph& graph) {
  constexpr std::int64_t distance_weight = 1, degree_weight = 2;
  const auto neighbours = neighbours_in(graph);
  enum class State : char { inactive, near, active, numbered };
  std::vector<State> state(graph.size(), State::inactive);
  std::vector<std::int64_t> priority(graph.size());
  Arrangement arrangement;
  for (Variable seed = 0; seed < graph.size(); ++seed) {
    if (state[seed] != State::inactive) continue;
    Variable start = distances(neighbours, seed).second;
    const Variable end = distances(neighbours, start).second;
    const auto distance = distances(neighbours, end).first;
    for (Variable v = 0; v < graph.size(); ++v)
      if (distance[v] >= 0)
        priority[v] = distance_weight * distance[v] -
                      degree_weight * (static_cast<std::int64_t>(neighbours[v].size()) + 1);
    std::priority_queue<std::pair<std::int64_t, Variable>> queue;
    const auto raise = [&](Variable v) {
      priority[v] += degree_weight;
      if (state[v] == State::inactive) state[v] = State::near;
      queue.push({priority[v], v});
    };
    state[start] = State::near;
    queue.push({priority[start], start});
    while (!queue.empty()) {
      const auto [value, v] = queue.top();
      queue.pop();
      if (state[v] == State::numbered || value != priority[v]) continue;
      if (state[v] == State::near)
        for (const Variable w : neighbours[v])
          if (state[w] != State::numbered) raise(w);
      state[v] = State::numbered;
      arrangement.push_back(v);
      for (const Variable w : neighbours[v])
        if (state[w] == State::near) {
          state[w] = State::active;
          raise(w);
          for (const Variable x : neighbours[w])
            if (state[x] != State::numbered) raise(x);
        }
    }
  }
  return arrangement;
}

struct Candidate {
  std::string name;
  Arrangement arrangement;
};

std::vector<Candidate> candidates_for(const Hypergraph& graph, OrderName name) {
  const Arrangement declared = declared_order(graph);
  std::vector<Candidate> result;
  if (name == OrderName::declared) return {{"declared", declared}};
  if (name == OrderName::best) result.push_back({"declared", declared});
  if (name != OrderName::sloan) result.push_back({"force", force(graph, declared)});
  if (name != OrderName::force) {
    const Arrangement followed = sloan(graph);
    result.push_back({"sloan", followed});
    if (name == OrderName::best) result.push_back({"sloan, force", force(graph, followed)});
  }
  const std::size_t count = result.size();
  for (std::size_t i = 0; i < count; ++i)
    result.push_back(
        {result[i].name + ", reversed", {result[i].arrangement.rbegin(), result[i].arrangement.rend()}});
  return result;
}

}  // namespace

std::string_view to_string(OrderName name) {
  switch (name) {
    case OrderName::best:
      return "best";
    case OrderName::declared:
      return "declared";
    case OrderName::force:
      return "force";
    case OrderName::sloan:
      return "sloan";
  }
  return "";
}

std::optional<OrderName> order_from(std::string_view text) {
  for (const OrderName name : {OrderName::best, OrderName::declared, OrderName::force, OrderName::sloan})
    if (to_string(name) == text) return name;
  return std::nullopt;
}

ChosenOrder choose_order(const System& system, const Groups& groups, OrderName name) {
  const Hypergraph graph = hypergraph_of(system, groups);
  ChosenOrder best;
  const Arrangement* chosen = nullptr;
  const auto candidates = candidates_for(graph, name);
  for (const Candidate& candidate : candidates) {
    const double cost = cost_of(graph, candidate.arrangement);
    if (chosen && cost >= best.cost) continue;
    best.name = candidate.name;
    best.cost = cost;
    chosen = &candidate.arrangement;
  }
  for (auto at = chosen->rbegin(); at != chosen->rend(); ++at) best.order.push_back(graph.slots[*at]);
  if (best.order.empty()) best.order.emplace_back();  // a diagram has a level even where a system has no slot
  return best;
}

}  // namespace tideline::symbolic
