#include "lang/psl/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

namespace tideline::psl {

namespace {
constexpr std::int64_t most_values = 1'000'000;
}

std::int64_t evaluate(const Nodes& nodes, NodeId id, const Environment& environment) {
  const Node& node = nodes[id];
  switch (node.kind) {
    case Node::Kind::number:
      return node.value;
    case Node::Kind::name:
      return environment[node.variable];
    case Node::Kind::unary:
      return apply_unary(node.op, evaluate(nodes, node.args[0], environment));
    case Node::Kind::binary:
      break;
    default:
      throw NoValue{node.where, "a value is expected here"};
  }
  const std::int64_t left = evaluate(nodes, node.args[0], environment);
  if (node.op == Op::logic_and && left == 0) return 0;
  if (node.op == Op::logic_or && left != 0) return 1;
  if (node.op == Op::imply && left == 0) return 1;
  ModelErrorKind error = ModelErrorKind::none;
  const std::int64_t value = apply_binary(node.op, left, evaluate(nodes, node.args[1], environment), error);
  if (error != ModelErrorKind::none) throw NoValue{node.where, std::string(to_string(error))};
  return value;
}

Bounds evaluate(const Nodes& nodes, const Interval& interval, const Environment& environment) {
  const Bounds bounds{evaluate(nodes, interval.low, environment),
                      evaluate(nodes, interval.high, environment)};
  constexpr Range numbers{-1'000'000'000, 1'000'000'000};
  if (!numbers.contains(bounds.low) || !numbers.contains(bounds.high) ||
      bounds.high - bounds.low >= most_values)
    throw NoValue{interval.where,
                  fmt::format("a range of more than {} values, or of values too large", most_values)};
  return bounds;
}

namespace {

/// The names in scope, in the order of the environment.
using Scope = std::vector<std::string_view>;
using Used = std::set<std::uint32_t>;

class Checker {
 public:
  Checker(File& file, Diagnostics& diagnostics) : file_(file), diagnostics_(diagnostics) {}

  void run() {
    constants_and_ranges();
    declare(file_.processes, "process");
    declare(file_.networks, "network");
    for (ProcessClause& clause : file_.processes) process(clause);
    for (NetworkClause& clause : file_.networks) {
      Scope scope;
      parameters(clause.parameters, scope);
      term(clause.term, scope);
    }
    if (file_.system == nothing)
      diagnostics_.error(file_.end, "the model has no system: write 'system = ... || ... ;'");
    else
      term(file_.system, Scope{});
    refuse_recursive_networks();
    diagnostics_.throw_if_errors();
  }

 private:
  void constants_and_ranges();
  template <class Clause>
  void declare(const std::vector<Clause>& clauses, std::string_view what);
  void process(ProcessClause& clause);
  void parameters(std::vector<Parameter>& list, Scope& scope);
  void choice(ChoiceId id, Scope& scope, Used& used);
  void alternative(Alternative& alternative, Scope& scope, Used& used);
  void state_reference(Reference& reference, const Scope& scope, Used& used);
  void label(Label& label, Scope& scope, Used& used, bool binds);
  void interval(Interval& interval, const Scope& scope, Used& used);
  void expression(NodeId id, const Scope& scope, Used& used);
  void bind(const Name& name, Scope& scope, std::string_view family);
  void term(TermId id, const Scope& scope, bool is_minimised = false);
  void vector(VectorClause& clause, Scope scope);
  void instance(Term& term, const Scope& scope);
  void arguments(const Reference& reference, std::size_t expected, const Scope& scope, Used& used);
  void refuse_recursive_networks();
  void networks_in(TermId id, std::vector<std::uint32_t>& found) const;
  NodeId number(std::int64_t value) {
    file_.nodes.push_back({.value = value});
    return static_cast<NodeId>(file_.nodes.size() - 1);
  }

  File& file_;
  Diagnostics& diagnostics_;
  std::unordered_map<std::string_view, std::int64_t> constants_;
  std::unordered_map<std::string_view, Bounds> ranges_;
  std::unordered_map<std::string_view, std::uint32_t> processes_;
  std::unordered_map<std::string_view, std::uint32_t> networks_;
  const ProcessClause* process_ = nullptr;
};

void Checker::constants_and_ranges() {
  Used used;
  auto next_constant = file_.constants.begin();
  auto next_range = file_.ranges.begin();
  for (const bool is_range : file_.is_range) {
    const Name name = is_range ? next_range->name : next_constant->name;
    if (constants_.contains(name.text) || ranges_.contains(name.text))
      diagnostics_.error(name.where, fmt::format("'{}' is defined twice", abbreviate(name.text)));
    Bounds bounds;
    std::int64_t value = 0;
    try {
      if (is_range) {
        interval(next_range->range, {}, used);
        if (next_range->range.low != nothing) bounds = evaluate(file_.nodes, next_range->range, {});
      } else {
        expression(next_constant->value, {}, used);
        value = evaluate(file_.nodes, next_constant->value, {});
      }
    } catch (const NoValue& none) {
      diagnostics_.error(none.where, none.message);
    }
    if (is_range)
      ranges_.emplace((next_range++)->name.text, bounds);
    else
      constants_.emplace((next_constant++)->name.text, value);
  }
}

template <class Clause>
void Checker::declare(const std::vector<Clause>& clauses, std::string_view what) {
  for (std::uint32_t i = 0; i < clauses.size(); ++i) {
    const Name& name = clauses[i].name;
    if (processes_.contains(name.text) || networks_.contains(name.text))
      diagnostics_.error(name.where, fmt::format("'{}' is defined twice", abbreviate(name.text)));
    else if (what == "process")
      processes_.emplace(name.text, i);
    else
      networks_.emplace(name.text, i);
  }
}

void Checker::process(ProcessClause& clause) {
  process_ = &clause;
  if (clause.states.empty())
    diagnostics_.error(clause.name.where,
                       fmt::format("process '{}' has no state", abbreviate(clause.name.text)));
  Scope scope;
  parameters(clause.parameters, scope);
  Used used;
  for (Label& l : clause.alphabet) {
    Scope inner = scope;
    if (l.internal()) diagnostics_.error(clause.name.where, "an alphabet cannot contain the internal action");
    label(l, inner, used, false);
  }
  std::set<std::string_view> names;
  for (StateClause& state : clause.states) {
    if (!names.insert(state.name.text).second)
      diagnostics_.error(state.name.where,
                         fmt::format("state '{}' is defined twice", abbreviate(state.name.text)));
    Scope inner = scope;
    parameters(state.parameters, inner);
    Choice& main = file_.choices[state.choice];
    for (std::size_t v = scope.size(); v < inner.size(); ++v)
      main.remembers.push_back(static_cast<std::uint32_t>(v));
    if (&state == &clause.states.front()) {
      for (const Parameter& p : state.parameters) {
        if (p.initial == nothing)
          diagnostics_.error(p.name.where,
                             fmt::format("the process begins here: '{}' needs an initial value, "
                                         "as in '{}: 0..3 = 0'",
                                         abbreviate(p.name.text), abbreviate(p.name.text)));
        else
          expression(p.initial, scope, used);
      }
    }
    choice(state.choice, inner, used);
  }
}

void Checker::parameters(std::vector<Parameter>& list, Scope& scope) {
  Used used;
  for (Parameter& p : list) {
    interval(p.range, scope, used);
    bind(p.name, scope, {});
  }
}

void Checker::bind(const Name& name, Scope& scope, std::string_view family) {
  if (std::find(scope.begin(), scope.end(), name.text) != scope.end()) {
    std::string hint;
    if (!family.empty())
      hint =
          fmt::format("; to take only that value write '{}[{}]'", abbreviate(family), abbreviate(name.text));
    diagnostics_.error(name.where,
                       fmt::format("'{}' already has a value here{}", abbreviate(name.text), hint));
  } else if (constants_.contains(name.text) || ranges_.contains(name.text)) {
    diagnostics_.error(name.where,
                       fmt::format("'{}' is already a constant or a range", abbreviate(name.text)));
  }
  scope.push_back(name.text);
}

void Checker::choice(ChoiceId id, Scope& scope, Used& used) {
  // Alternatives hold indices of other choices, and the array does not grow here.
  for (Alternative& a : file_.choices[id].alternatives) alternative(a, scope, used);
}

void Checker::alternative(Alternative& a, Scope& scope, Used& used) {
  const std::size_t outside = scope.size();
  if (a.label) label(*a.label, scope, used, true);
  if (a.guard != nothing) expression(a.guard, scope, used);
  if (a.then == nothing) {
    state_reference(a.state, scope, used);
  } else if (a.then != stop) {
    Used below;
    choice(a.then, scope, below);
    Choice& place = file_.choices[a.then];
    for (const std::uint32_t v : below) {
      used.insert(v);
      if (v >= process_->parameters.size() && v < scope.size()) place.remembers.push_back(v);
    }
  }
  scope.resize(outside);
  used.erase(used.lower_bound(static_cast<std::uint32_t>(outside)), used.end());
}

void Checker::state_reference(Reference& reference, const Scope& scope, Used& used) {
  const auto& states = process_->states;
  const auto found = std::find_if(states.begin(), states.end(),
                                  [&](const StateClause& s) { return s.name.text == reference.name.text; });
  if (found == states.end()) {
    Suggestion suggestion(reference.name.text);
    for (const StateClause& s : states) suggestion.offer(s.name.text);
    std::string hint = suggestion.text();
    if (hint.empty() && processes_.contains(reference.name.text))
      hint = "; a process can only be part of a network";
    diagnostics_.error(reference.name.where,
                       fmt::format("process '{}' has no state '{}'{}", abbreviate(process_->name.text),
                                   abbreviate(reference.name.text), hint));
    for (const NodeId arg : reference.args) expression(arg, scope, used);
    return;
  }
  reference.target = static_cast<std::uint32_t>(found - states.begin());
  arguments(reference, found->parameters.size(), scope, used);
}

void Checker::arguments(const Reference& reference, std::size_t expected, const Scope& scope, Used& used) {
  if (reference.args.size() != expected)
    diagnostics_.error(reference.name.where,
                       fmt::format("'{}' has {} parameter{}, but {} {} given",
                                   abbreviate(reference.name.text), expected, expected == 1 ? "" : "s",
                                   reference.args.size(), reference.args.size() == 1 ? "is" : "are"));
  for (const NodeId arg : reference.args) expression(arg, scope, used);
}

/// `binds`: what an index remembers stays in scope after the label.
void Checker::label(Label& l, Scope& scope, Used& used, bool binds) {
  for (LabelIndex& index : l.indices) {
    if (index.value != nothing) {
      const Node& node = file_.nodes[index.value];
      const bool range = node.kind == Node::Kind::name && ranges_.contains(node.text) &&
                         std::find(scope.begin(), scope.end(), node.text) == scope.end();
      if (!range) {
        expression(index.value, scope, used);
        continue;
      }
      index.range = {.name = {node.text, node.where}, .where = node.where};
      index.value = nothing;
    }
    interval(index.range, scope, used);
    if (index.binder.text.empty()) continue;
    index.variable = static_cast<std::uint32_t>(scope.size());
    bind(index.binder, scope, binds ? l.name.text : std::string_view{});
  }
}

void Checker::interval(Interval& interval, const Scope& scope, Used& used) {
  if (interval.name.text.empty()) {
    expression(interval.low, scope, used);
    expression(interval.high, scope, used);
    return;
  }
  Bounds bounds;
  if (const auto found = ranges_.find(interval.name.text); found != ranges_.end()) {
    bounds = found->second;
  } else {
    Suggestion suggestion(interval.name.text);
    for (const auto& [name, values] : ranges_) suggestion.offer(name);
    diagnostics_.error(interval.name.where, fmt::format("unknown range '{}'{}",
                                                        abbreviate(interval.name.text), suggestion.text()));
  }
  interval.low = number(bounds.low);
  interval.high = number(bounds.high);
}

void Checker::expression(NodeId id, const Scope& scope, Used& used) {
  Node& node = file_.nodes[id];
  if (node.kind != Node::Kind::name) {
    for (const NodeId arg : std::vector<NodeId>(node.args)) expression(arg, scope, used);
    return;
  }
  if (const auto variable = std::find(scope.begin(), scope.end(), node.text); variable != scope.end()) {
    node.variable = static_cast<std::uint32_t>(variable - scope.begin());
    used.insert(node.variable);
    return;
  }
  node.kind = Node::Kind::number;
  if (const auto constant = constants_.find(node.text); constant != constants_.end()) {
    node.value = constant->second;
    return;
  }
  if (ranges_.contains(node.text)) {
    diagnostics_.error(node.where,
                       fmt::format("'{}' is a range, but a value is expected here", abbreviate(node.text)));
    return;
  }
  Suggestion suggestion(node.text);
  for (const std::string_view name : scope) suggestion.offer(name);
  for (const auto& [name, value] : constants_) suggestion.offer(name);
  diagnostics_.error(node.where,
                     fmt::format("unknown name '{}'{}", abbreviate(node.text), suggestion.text()));
}

// --- Compositions ---------------------------------------------------------------------------------------

/// `is_minimised`: the term is right before 'minimised'.
void Checker::term(TermId id, const Scope& scope, bool is_minimised) {
  Term& t = file_.terms[id];
  Used used;
  Scope inner = scope;
  switch (t.kind) {
    case Term::Kind::instance:
      return instance(t, scope);
    case Term::Kind::forall:
      interval(t.range, scope, used);
      t.variable = static_cast<std::uint32_t>(inner.size());
      bind(t.binder, inner, {});
      break;
    case Term::Kind::hide:
      for (Label& l : t.labels) {
        Scope own = scope;
        if (l.internal()) diagnostics_.error(t.where, "the internal action is already hidden");
        label(l, own, used, false);
      }
      break;
    case Term::Kind::rename:
      for (auto& [from, to] : t.renames) {
        Scope own = scope;
        if (from.internal() || to.internal())
          diagnostics_.error(t.where, "the internal action cannot be renamed; 'hide' makes labels internal");
        label(from, own, used, false);
        label(to, own, used, false);
      }
      break;
    case Term::Kind::sync:
      for (VectorClause& clause : t.vectors) vector(clause, scope);
      break;
    case Term::Kind::as:
      for (const NodeId arg : t.reference.args) expression(arg, scope, used);
      break;
    default:
      break;
  }
  for (const TermId part : t.terms) term(part, inner, t.kind == Term::Kind::minimised);
  if (t.kind == Term::Kind::as && !is_minimised && !file_.terms[t.terms[0]].is_process())
    diagnostics_.error(t.where, "'as' belongs right after a process, or before 'minimised'");
  if (t.kind != Term::Kind::minimised) return;
  const Term::Kind what = file_.terms[t.terms[0]].kind;
  if (what != Term::Kind::instance && what != Term::Kind::as)
    diagnostics_.error(t.where, "a composition that is minimised needs a name: '(...) as NAME minimised'");
}

/// What an index of a label remembers is in scope in the rest of the vector.
void Checker::vector(VectorClause& clause, Scope scope) {
  Used used;
  if (clause.parts.empty()) {
    interval(clause.range, scope, used);
    clause.variable = static_cast<std::uint32_t>(scope.size());
    bind(clause.binder, scope, {});
    for (VectorClause& inner : clause.vectors) vector(inner, scope);
    return;
  }
  for (VectorClause::Part& part : clause.parts) {
    for (const NodeId arg : part.component.args) expression(arg, scope, used);
    if (part.label.internal())
      diagnostics_.error(part.component.name.where, "the internal action cannot synchronise");
    label(part.label, scope, used, true);
  }
  label(clause.label, scope, used, true);
}

void Checker::instance(Term& t, const Scope& scope) {
  Used used;
  const std::string_view name = t.reference.name.text;
  const auto process = processes_.find(name);
  const auto network = networks_.find(name);
  if (process == processes_.end() && network == networks_.end()) {
    Suggestion suggestion(name);
    for (const auto& [known, index] : processes_) suggestion.offer(known);
    for (const auto& [known, index] : networks_) suggestion.offer(known);
    diagnostics_.error(t.reference.name.where,
                       fmt::format("unknown process '{}'{}", abbreviate(name), suggestion.text()));
    return;
  }
  t.is_network = process == processes_.end();
  t.reference.target = t.is_network ? network->second : process->second;
  const auto& expected = t.is_network ? file_.networks[t.reference.target].parameters
                                      : file_.processes[t.reference.target].parameters;
  arguments(t.reference, expected.size(), scope, used);
}

void Checker::networks_in(TermId id, std::vector<std::uint32_t>& found) const {
  const Term& t = file_.terms[id];
  if (t.kind == Term::Kind::instance && t.is_network) found.push_back(t.reference.target);
  for (const TermId part : t.terms) networks_in(part, found);
}

void Checker::refuse_recursive_networks() {
  // A network that uses only finite ones is finite; what remains is recursive.
  std::vector<std::vector<std::uint32_t>> uses(file_.networks.size());
  for (std::size_t i = 0; i < uses.size(); ++i) networks_in(file_.networks[i].term, uses[i]);
  std::vector<bool> finite(uses.size(), false);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < uses.size(); ++i)
      if (!finite[i] &&
          std::all_of(uses[i].begin(), uses[i].end(), [&](std::uint32_t n) { return finite[n]; }))
        changed = finite[i] = true;
  }
  for (std::size_t i = 0; i < uses.size(); ++i)
    if (!finite[i])
      diagnostics_.error(file_.networks[i].name.where, fmt::format("network '{}' contains itself",
                                                                   abbreviate(file_.networks[i].name.text)));
}

}  // namespace

void check(File& file, Diagnostics& diagnostics) {
  Checker(file, diagnostics).run();
}

}  // namespace tideline::psl
