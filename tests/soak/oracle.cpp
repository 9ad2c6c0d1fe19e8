#include "oracle.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "lang/lang.hpp"
#include "logic/ctl.hpp"
#include "logic/ltl.hpp"
#include "testing/ctl.hpp"

namespace tideline::soak {

namespace {

constexpr std::size_t most_temporal = 6;
constexpr std::size_t most_guessed_steps = 200'000;

ComponentSet movers_of(const System& system, ActionId action) {
  ComponentSet movers = 0;
  for (const Participant& p : system.actions[action].participants) movers |= ComponentSet{1} << p.component;
  return movers;
}

/// Where it is true, by state. Nothing: it has no value somewhere.
std::optional<std::vector<bool>> values_of(const System& system, const Space& space,
                                           const std::string& text) {
  const Reference reference(system);
  const Expr expr = parse_expression(system, text, "soak");
  std::vector<bool> values;
  for (const Space::State& state : space.states) {
    const auto [value, error] = reference.evaluate(expr, state.values);
    if (error.kind != ModelErrorKind::none) return std::nullopt;
    values.push_back(value != 0);
  }
  return values;
}

/// By atom, in the order of the pool.
template <class Pool>
std::optional<std::vector<std::vector<bool>>> labels_of(const System& system, const Space& space,
                                                        const Pool& pool) {
  std::vector<std::vector<bool>> labels;
  for (const auto& atom : pool.atoms()) {
    auto values = values_of(system, space, atom.name);
    if (!values) return std::nullopt;
    labels.push_back(std::move(*values));
  }
  return labels;
}

/// The graph of states with guesses: node state * 2^k + guess, where bit i of a guess says that the i-th temporal
/// part of the formula is true from here on.
class Guesses {
 public:
  Guesses(const Space& space, const LtlPool& pool, Ltl f, std::vector<std::vector<bool>> labels,
          Fairness fairness)
      : space_(space), pool_(pool), labels_(std::move(labels)), fairness_(fairness) {
    order_parts(f);
    const std::size_t size = std::size_t{1} << temporal_.size();
    edges_.resize(space.states.size() * size);
    for (std::uint32_t s = 0; s < space.states.size(); ++s) {
      for (const Space::Step& step : space.states[s].steps) add_edges(s, step.target, step.movers);
      if (space.states[s].deadlock) add_edges(s, s, 0);
    }
    formula_ = f;
  }

  static std::size_t temporal_parts(const LtlPool& pool, Ltl f) {
    std::size_t count = 0;
    for_each_subformula(pool, f, [&](Ltl g) { count += pool.op(g) >= LtlOp::next; });
    return count;
  }

  /// Whether some run from the initial state makes the formula false.
  bool has_wrong_run() {
    std::vector<std::uint32_t> open;
    std::vector<bool> seen(edges_.size());
    const auto add = [&](std::uint32_t node) {
      if (!seen[node]) open.push_back(node);
      seen[node] = true;
    };
    for (std::uint32_t guess = 0; guess < guesses(); ++guess)
      if (!truths(0, guess)[formula_.id]) add(guess);
    std::vector<std::uint32_t> reached;
    while (!open.empty()) {
      const std::uint32_t node = open.back();
      open.pop_back();
      reached.push_back(node);
      for (const Edge& edge : edges_[node]) add(edge.target);
    }
    return has_fair_cycle(reached);
  }

 private:
  struct Edge {
    std::uint32_t target;
    ComponentSet movers;
  };
  using Nodes = std::vector<std::uint32_t>;

  std::uint32_t guesses() const { return std::uint32_t{1} << temporal_.size(); }
  const Space::State& state_of(std::uint32_t node) const { return space_.states[node / guesses()]; }

  /// Operands come before what they are in.
  void order_parts(Ltl f) {
    std::vector<bool> seen(f.id + 1);
    const std::function<void(Ltl)> visit = [&](Ltl g) {
      if (seen[g.id]) return;
      seen[g.id] = true;
      for (const Ltl operand : pool_.operands(g)) visit(operand);
      parts_.push_back(g);
      if (pool_.op(g) >= LtlOp::next) temporal_.push_back(g);
    };
    visit(f);
    most_id_ = f.id;
  }

  /// By formula: its truth in a state where the guess says which temporal parts are true.
  std::vector<bool> truths(std::uint32_t state, std::uint32_t guess) const {
    return evaluate(state, [&](std::size_t i, const auto&) { return (guess >> i & 1) != 0; });
  }

  /// temporal(i, truths so far) says whether the i-th temporal part is true.
  template <class Temporal>
  std::vector<bool> evaluate(std::uint32_t state, const Temporal& temporal) const {
    std::vector<bool> truth(most_id_ + 1);
    std::size_t next_temporal = 0;
    for (const Ltl g : parts_) {
      const auto operands = pool_.operands(g);
      const auto is = [&](std::size_t i) { return static_cast<bool>(truth[operands[i].id]); };
      const auto is_true = [&](Ltl operand) { return static_cast<bool>(truth[operand.id]); };
      bool value = false;
      switch (pool_.op(g)) {
        case LtlOp::false_:
          break;
        case LtlOp::true_:
          value = true;
          break;
        case LtlOp::atom:
          value = labels_[pool_.atom_index(g)][state];
          break;
        case LtlOp::not_:
          value = !is(0);
          break;
        case LtlOp::and_:
          value = std::ranges::all_of(operands, is_true);
          break;
        case LtlOp::or_:
          value = std::ranges::any_of(operands, is_true);
          break;
        case LtlOp::implies:
          value = !is(0) || is(1);
          break;
        case LtlOp::equivalent:
          value = is(0) == is(1);
          break;
        case LtlOp::exclusive_or:
          value = is(0) != is(1);
          break;
        default:
          value = temporal(next_temporal++, truth);
      }
      truth[g.id] = value;
    }
    return truth;
  }

  /// The guess in a state that goes with one in the state after it.
  std::uint32_t guess_before(std::uint32_t state, const std::vector<bool>& after,
                             std::uint32_t guess_after) const {
    std::uint32_t guess = 0;
    evaluate(state, [&](std::size_t i, const std::vector<bool>& truth) {
      const Ltl g = temporal_[i];
      const auto operands = pool_.operands(g);
      const bool a = truth[operands[0].id];
      const bool b = operands.size() > 1 && truth[operands[1].id];
      const bool later = (guess_after >> i & 1) != 0;
      bool value = false;
      switch (pool_.op(g)) {
        case LtlOp::next:
          value = after[operands[0].id];
          break;
        case LtlOp::eventually:
          value = a || later;
          break;
        case LtlOp::always:
          value = a && later;
          break;
        case LtlOp::until:
        case LtlOp::weak_until:
          value = b || (a && later);
          break;
        case LtlOp::release:
        case LtlOp::strong_release:
          value = b && (a || later);
          break;
        default:
          break;
      }
      guess |= std::uint32_t{value} << i;
      return value;
    });
    return guess;
  }

  void add_edges(std::uint32_t from, std::uint32_t to, ComponentSet movers) {
    for (std::uint32_t after = 0; after < guesses(); ++after) {
      const std::uint32_t before = guess_before(from, truths(to, after), after);
      edges_[from * guesses() + before].push_back({to * guesses() + after, movers});
    }
  }

  /// Whether what the i-th temporal part claims may be put off for ever, if this node is visited again and again:
  /// "a U b" must see b, and "not (a W b)" must see neither.
  bool keeps_promise(std::size_t i, std::uint32_t node) const {
    const std::uint32_t guess = node % guesses();
    const std::vector<bool> truth = truths(node / guesses(), guess);
    const Ltl g = temporal_[i];
    const auto operands = pool_.operands(g);
    const bool a = truth[operands[0].id];
    const bool b = operands.size() > 1 && truth[operands[1].id];
    const bool claimed = (guess >> i & 1) != 0;
    switch (pool_.op(g)) {
      case LtlOp::eventually:
        return !claimed || a;
      case LtlOp::until:
        return !claimed || b;
      case LtlOp::strong_release:
        return !claimed || (a && b);
      case LtlOp::always:
        return claimed || !a;
      case LtlOp::weak_until:
        return claimed || (!a && !b);
      case LtlOp::release:
        return claimed || !b;
      default:
        return true;
    }
  }

  bool has_fair_cycle(const Nodes& nodes) const {
    for (const Nodes& scc : sccs_of(nodes))
      if (is_wrong(scc)) return true;
    return false;
  }

  /// Whether a run can stay in this SCC for ever, or in a part of it.
  bool is_wrong(const Nodes& scc) const {
    std::vector<bool> inside(edges_.size());
    for (const std::uint32_t node : scc) inside[node] = true;
    bool has_edge = false;
    ComponentSet moving = 0, enabled_somewhere = 0, enabled_everywhere = ~ComponentSet{0};
    for (const std::uint32_t node : scc) {
      enabled_somewhere |= state_of(node).enabled;
      enabled_everywhere &= state_of(node).enabled;
      for (const Edge& edge : edges_[node])
        if (inside[edge.target]) {
          has_edge = true;
          moving |= edge.movers;
        }
    }
    if (!has_edge) return false;
    for (std::size_t i = 0; i < temporal_.size(); ++i)
      if (std::ranges::none_of(scc, [&](std::uint32_t node) { return keeps_promise(i, node); })) return false;
    if (fairness_ == Fairness::weak) return (enabled_everywhere & ~moving) == 0;
    const ComponentSet starved = enabled_somewhere & ~moving;
    if (fairness_ == Fairness::none || starved == 0) return true;
    Nodes rest;  // where those are not enabled
    for (const std::uint32_t node : scc)
      if ((state_of(node).enabled & starved) == 0) rest.push_back(node);
    return has_fair_cycle(rest);
  }

  /// By Kosaraju: two searches, the second one backwards.
  std::vector<Nodes> sccs_of(const Nodes& nodes) const {
    std::vector<bool> inside(edges_.size()), seen(edges_.size());
    std::map<std::uint32_t, Nodes> back;
    for (const std::uint32_t node : nodes) inside[node] = true;
    for (const std::uint32_t node : nodes)
      for (const Edge& edge : edges_[node])
        if (inside[edge.target]) back[edge.target].push_back(node);
    Nodes finished;
    for (const std::uint32_t root : nodes) {
      if (seen[root]) continue;
      seen[root] = true;
      std::vector<std::pair<std::uint32_t, std::size_t>> stack{{root, 0}};
      while (!stack.empty()) {
        auto& [node, next] = stack.back();
        if (next == edges_[node].size()) {
          finished.push_back(node);
          stack.pop_back();
          continue;
        }
        const std::uint32_t target = edges_[node][next++].target;
        if (!inside[target] || seen[target]) continue;
        seen[target] = true;
        stack.emplace_back(target, 0);
      }
    }
    std::vector<Nodes> sccs;
    for (auto root = finished.rbegin(); root != finished.rend(); ++root) {
      if (!seen[*root]) continue;  // here: not yet in an SCC
      Nodes scc{*root};
      seen[*root] = false;
      for (std::size_t i = 0; i < scc.size(); ++i)
        for (const std::uint32_t before : back[scc[i]])
          if (seen[before]) {
            seen[before] = false;
            scc.push_back(before);
          }
      sccs.push_back(std::move(scc));
    }
    return sccs;
  }

  const Space& space_;
  const LtlPool& pool_;
  std::vector<std::vector<bool>> labels_;
  Fairness fairness_;
  Ltl formula_;
  std::uint32_t most_id_ = 0;
  std::vector<Ltl> parts_, temporal_;
  std::vector<std::vector<Edge>> edges_;
};

/// What follows from whether a wrong run was found; runs that end in model errors might have been wrong, too.
Truth truth_from(const Space& space, bool wrong) {
  return {.holds = !wrong && !space.errors, .violated = wrong, .unknown = !wrong && space.errors};
}

/// Whether no run is wrong even if model errors lead to a state that stays for ever, with any of the labels. An engine
/// may see that: after some steps it does not matter any more what comes.
bool holds_whatever_follows(const Space& space, const LtlPool& pool, Ltl f,
                            const std::vector<std::vector<bool>>& labels, Fairness fairness) {
  for (std::uint64_t label = 0; label < std::uint64_t{1} << labels.size(); ++label) {
    Space completed = space;
    const auto sink = static_cast<std::uint32_t>(space.states.size());
    for (Space::State& state : completed.states)
      if (state.fails) state.steps.push_back({state.enabled, sink});
    completed.states.push_back({.values = {}, .steps = {{0, sink}}});
    std::vector<std::vector<bool>> completed_labels = labels;
    for (std::size_t i = 0; i < labels.size(); ++i) completed_labels[i].push_back((label >> i & 1) != 0);
    if (Guesses(completed, pool, f, std::move(completed_labels), fairness).has_wrong_run()) return false;
  }
  return true;
}

std::optional<Truth> ltl_truth(const System& system, const Space& space, const Question& question) {
  LtlPool pool;
  const Ltl f = parse_ltl(pool, {"soak", question.formula});
  const std::size_t temporal = Guesses::temporal_parts(pool, f);
  if (temporal > most_temporal || (space.transitions + space.deadlocks) << temporal > most_guessed_steps)
    return std::nullopt;
  auto labels = labels_of(system, space, pool);
  if (!labels) return std::nullopt;
  Truth truth = truth_from(space, Guesses(space, pool, f, *labels, question.fairness).has_wrong_run());
  if (truth.unknown) truth.holds = holds_whatever_follows(space, pool, f, *labels, question.fairness);
  return truth;
}

/// Where there are model errors, whatever would come after them: here, for ever a state with any of the labels.
Truth ctl_truth_with_errors(const CtlPool& pool, Ctl f, const testing::Structure& structure,
                            const Space& space, const std::vector<std::string>& names, DeadlockPaths paths) {
  Truth truth{.holds = true, .violated = true, .unknown = true};
  for (std::uint64_t label = 0; label < std::uint64_t{1} << names.size(); ++label) {
    testing::Structure completed = structure;
    const auto sink = static_cast<std::uint32_t>(completed.next.size());
    completed.next.push_back({sink});
    completed.labels.push_back(label);
    for (std::size_t s = 0; s < space.states.size(); ++s)
      if (space.states[s].fails) completed.next[s].push_back(sink);
    const bool value = testing::CtlMeaning(pool, completed, names, paths).of(f)[0];
    truth.holds = truth.holds && value;
    truth.violated = truth.violated && !value;
  }
  return truth;
}

std::optional<Truth> ctl_truth(const System& system, const Space& space, const Question& question) {
  CtlPool pool;
  const Ctl f = parse_ctl(pool, {"soak", question.formula});
  const auto labels = labels_of(system, space, pool);
  if (!labels) return std::nullopt;
  std::vector<std::string> names;
  for (const auto& atom : pool.atoms()) names.push_back(atom.name);
  testing::Structure structure;
  for (std::size_t s = 0; s < space.states.size(); ++s) {
    auto& next = structure.next.emplace_back();
    for (const Space::Step& step : space.states[s].steps) next.push_back(step.target);
    std::uint64_t label = 0;
    for (std::size_t i = 0; i < labels->size(); ++i) label |= std::uint64_t{(*labels)[i][s]} << i;
    structure.labels.push_back(label);
  }
  if (space.errors) return ctl_truth_with_errors(pool, f, structure, space, names, question.paths);
  const bool holds = testing::CtlMeaning(pool, structure, names, question.paths).of(f)[0];
  return Truth{.holds = holds, .violated = !holds};
}

Truth state_truth(const System& system, const Space& space, const Question& question) {
  if (question.kind == PropertyKind::deadlock) return truth_from(space, space.deadlocks != 0);
  const auto values = values_of(system, space, question.formula);
  if (!values) return {.violated = true};
  const bool everywhere = std::ranges::find(*values, false) == values->end();
  const bool somewhere = std::ranges::find(*values, true) != values->end();
  if (question.kind == PropertyKind::invariant) return truth_from(space, !everywhere);
  // Unknown where it might have no value in states behind errors, if the search cannot rule that out.
  if (somewhere) return {.holds = true, .unknown = space.errors};
  return {.violated = !space.errors, .unknown = space.errors};
}

}  // namespace

std::optional<Space> explore(const System& system, ErrorSemantics errors, std::size_t most_states) {
  const Reference reference(system, errors);
  Space space;
  std::map<Values, std::uint32_t> numbers;
  const auto number_of = [&](const Values& values) {
    const auto [found, is_new] = numbers.emplace(values, static_cast<std::uint32_t>(numbers.size()));
    if (is_new) space.states.push_back({.values = values});
    return found->second;
  };
  number_of(system.initial);
  for (std::uint32_t s = 0; s < space.states.size(); ++s) {
    if (space.states.size() > most_states) return std::nullopt;
    const Values values = space.states[s].values;
    const auto enabled = reference.enabled(values);
    Space::State found{.values = values, .deadlock = enabled.empty()};
    for (const ActionId action : enabled) {
      const ComponentSet movers = movers_of(system, action);
      found.enabled |= movers;
      const auto firing = reference.fire(action, values);
      if (firing.error.kind != ModelErrorKind::none && errors == ErrorSemantics::stop)
        found.fails = true;
      else
        found.steps.push_back({movers, number_of(firing.state)});
    }
    space.transitions += enabled.size();
    space.deadlocks += found.deadlock;
    space.errors = space.errors || found.fails;
    space.states[s] = std::move(found);
  }
  return space;
}

std::string to_string(const Truth& truth) {
  std::string text;
  for (const Verdict verdict : {Verdict::holds, Verdict::violated, Verdict::unknown})
    if (truth.allows(verdict))
      text += (text.empty() ? "" : " or ") + std::string(tideline::to_string(verdict));
  return text;
}

std::optional<Truth> truth_of(const System& system, const Space& space, const Question& question) {
  if (question.kind == PropertyKind::ltl) return ltl_truth(system, space, question);
  if (question.kind == PropertyKind::ctl) return ctl_truth(system, space, question);
  return state_truth(system, space, question);
}

}  // namespace tideline::soak
