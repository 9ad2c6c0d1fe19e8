#include "symbolic/space/order.hpp"

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

/// Variables that share an action, without very wide actions, which say nothing about nearness.
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

/// Follows the graph: distances within one connected part of it at a time.
class Sloan {
 public:
  explicit Sloan(const Hypergraph& graph)
      : neighbours_(neighbours_in(graph)),
        distance_(graph.size(), -1),
        state_(graph.size(), State::inactive),
        priority_(graph.size()) {}

  /// From one end of each connected part to the other, so that few variables are open at a time.
  Arrangement arrange() {
    for (Variable seed = 0; seed < neighbours_.size(); ++seed)
      if (state_[seed] == State::inactive) arrange_part(seed);
    return std::move(arrangement_);
  }

 private:
  static constexpr std::int64_t distance_weight = 1, degree_weight = 2;
  enum class State : char { inactive, near, active, numbered };

  /// Sets the distances from a variable; those that were reached, nearest first.
  const std::vector<Variable>& reach(Variable from) {
    for (const Variable v : reached_) distance_[v] = -1;
    reached_ = {from};
    distance_[from] = 0;
    for (std::size_t at = 0; at < reached_.size(); ++at) {
      const Variable v = reached_[at];
      for (const Variable w : neighbours_[v])
        if (distance_[w] < 0) {
          distance_[w] = distance_[v] + 1;
          reached_.push_back(w);
        }
    }
    return reached_;
  }

  /// A variable at the greatest distance, with few neighbours.
  Variable far_end(Variable from) {
    Variable last = from;
    for (const Variable v : reach(from))
      if (distance_[v] > distance_[last] ||
          (distance_[v] == distance_[last] && neighbours_[v].size() < neighbours_[last].size()))
        last = v;
    return last;
  }

  void raise(Variable v) {
    priority_[v] += degree_weight;
    if (state_[v] == State::inactive) state_[v] = State::near;
    queue_.push({priority_[v], v});
  }

  void arrange_part(Variable seed) {
    const Variable start = far_end(seed);
    for (const Variable v : reach(far_end(start)))
      priority_[v] = distance_weight * distance_[v] -
                     degree_weight * (static_cast<std::int64_t>(neighbours_[v].size()) + 1);
    state_[start] = State::near;
    queue_.push({priority_[start], start});
    while (!queue_.empty()) {
      const auto [value, v] = queue_.top();
      queue_.pop();
      if (state_[v] != State::numbered && value == priority_[v]) take(v);
    }
  }

  void take(Variable v) {
    if (state_[v] == State::near)
      for (const Variable w : neighbours_[v])
        if (state_[w] != State::numbered) raise(w);
    state_[v] = State::numbered;
    arrangement_.push_back(v);
    for (const Variable w : neighbours_[v])
      if (state_[w] == State::near) {
        state_[w] = State::active;
        raise(w);
        for (const Variable x : neighbours_[w])
          if (state_[x] != State::numbered) raise(x);
      }
  }

  std::vector<std::vector<Variable>> neighbours_;
  std::vector<std::int64_t> distance_;
  std::vector<Variable> reached_;
  std::vector<State> state_;
  std::vector<std::int64_t> priority_;
  std::priority_queue<std::pair<std::int64_t, Variable>> queue_;
  Arrangement arrangement_;
};

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
    const Arrangement followed = Sloan(graph).arrange();
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

std::vector<ChosenOrder> candidate_orders(const System& system, const Groups& groups, OrderName name) {
  const Hypergraph graph = hypergraph_of(system, groups);
  std::vector<ChosenOrder> orders;
  for (const Candidate& candidate : candidates_for(graph, name)) {
    ChosenOrder order{.order = {}, .name = candidate.name, .cost = cost_of(graph, candidate.arrangement)};
    for (auto at = candidate.arrangement.rbegin(); at != candidate.arrangement.rend(); ++at)
      order.order.push_back(graph.slots[*at]);
    // A diagram has a level even where a system has no slot.
    if (order.order.empty()) order.order.emplace_back();
    if (std::ranges::find(orders, order.order, &ChosenOrder::order) == orders.end())
      orders.push_back(std::move(order));
  }
  std::ranges::stable_sort(orders, {}, &ChosenOrder::cost);
  return orders;
}

}  // namespace tideline::symbolic
