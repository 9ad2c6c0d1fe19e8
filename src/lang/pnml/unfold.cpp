#include "lang/pnml/unfold.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "lang/pnml/symmetric.hpp"

namespace tideline::pnml {

namespace {

/// Unfolding gives up after this many tried bindings for each node that the result may have.
constexpr std::size_t tries_for_each = 100;

class Unfolding {
 public:
  Unfolding(const Net& skeleton, const Colours& colours, const SourceText& source, std::size_t most)
      : skeleton_(skeleton),
        colours_(colours),
        diagnostics_(source),
        terms_(colours.declarations, diagnostics_),
        most_(most),
        instances_(skeleton.places.size()) {}

  Net run() {
    for (PlaceId p = 0; p < skeleton_.places.size(); ++p) read_place(p);
    std::vector<std::vector<const Colours::ColouredArc*>> arcs_of(skeleton_.transitions.size());
    for (const Colours::ColouredArc& arc : colours_.arcs) arcs_of[arc.transition].push_back(&arc);
    for (TransitionId t = 0; t < skeleton_.transitions.size(); ++t) unfold_transition(t, arcs_of[t]);
    find_dead_nodes();
    return finish();
  }

 private:
  struct Instance {
    PlaceId place;  ///< of the coloured net
    Colour colour;
    std::uint32_t tokens = 0;
    bool marked = false;  ///< can perhaps be marked
  };
  struct Fired {
    TransitionId transition;  ///< of the coloured net
    Transition unfolded;
    bool enabled = false;  ///< can perhaps be enabled
  };
  struct CompiledArc {
    const Colours::ColouredArc* arc;
    Term inscription;
  };
  /// What is known about the transition being unfolded.
  struct Plan {
    TransitionId transition;
    std::vector<std::uint32_t> variables;       ///< in the order of their declaration
    std::vector<std::vector<Term>> conditions;  ///< by how many variables must be bound to test them
    std::vector<CompiledArc> arcs;
  };

  [[noreturn]] void fail(SourcePoint where, std::string message) {
    diagnostics_.error(where, std::move(message));
    diagnostics_.throw_if_errors();
    throw Error(ErrorKind::internal, "a recorded error is gone");
  }

  void grow(std::size_t by) {
    size_ += by;
    if (size_ > most_)
      fail({}, fmt::format("unfolded, the net has more than {} places, transitions and arcs", most_));
  }

  std::uint32_t instance(PlaceId place, Colour colour) {
    const auto [entry, fresh] =
        instances_[place].try_emplace(colour, static_cast<std::uint32_t>(places_.size()));
    if (fresh) {
      grow(1);
      places_.push_back({place, colour});
    }
    return entry->second;
  }

  void read_place(PlaceId p) {
    const Place& place = skeleton_.places[p];
    if (!colours_.types[p])
      fail(place.where, fmt::format("the place '{}' has no type", abbreviate(place.id)));
    sorts_.push_back(terms_.read_sort(*colours_.types[p]));
    if (!colours_.markings[p]) return;
    const Term marking = terms_.read_bag(*colours_.markings[p], sorts_[p]);
    std::vector<std::uint32_t> variables;
    collect_variables(marking, variables);
    if (!variables.empty()) fail(marking.where, "an initial marking cannot contain variables");
    for (const auto& [colour, count] : terms_.bag(marking, {}, most_))
      places_[instance(p, colour)].tokens = static_cast<std::uint32_t>(count);
  }

  static void collect_variables(const Term& term, std::vector<std::uint32_t>& variables) {
    if (term.kind == Term::Kind::variable) variables.push_back(static_cast<std::uint32_t>(term.value));
    for (const Term& arg : term.args) collect_variables(arg, variables);
  }

  void unfold_transition(TransitionId t, const std::vector<const Colours::ColouredArc*>& arcs) {
    Plan plan{.transition = t, .variables = {}, .conditions = {}, .arcs = {}};
    for (const Colours::ColouredArc* arc : arcs) {
      if (!arc->inscription) fail(arc->where, "this arc has no inscription");
      plan.arcs.push_back({arc, terms_.read_bag(*arc->inscription, sorts_[arc->place])});
      collect_variables(plan.arcs.back().inscription, plan.variables);
    }
    std::vector<Term> conjuncts;
    if (colours_.guards[t]) {
      split(terms_.read_condition(*colours_.guards[t]), conjuncts);
      for (const Term& conjunct : conjuncts) collect_variables(conjunct, plan.variables);
    }
    std::ranges::sort(plan.variables);
    plan.variables.erase(std::unique(plan.variables.begin(), plan.variables.end()), plan.variables.end());
    plan.conditions.resize(plan.variables.size() + 1);
    for (Term& conjunct : conjuncts) {
      std::vector<std::uint32_t> read;
      collect_variables(conjunct, read);
      std::size_t bound = 0;
      for (const std::uint32_t v : read)
        bound = std::max<std::size_t>(
            bound,
            static_cast<std::size_t>(std::ranges::find(plan.variables, v) - plan.variables.begin()) + 1);
      plan.conditions[bound].push_back(std::move(conjunct));
    }
    Binding binding(terms_.variables().size(), 0);
    bind(plan, 0, binding);
  }

  static void split(Term condition, std::vector<Term>& conjuncts) {
    if (condition.kind != Term::Kind::both) {
      conjuncts.push_back(std::move(condition));
      return;
    }
    for (Term& part : condition.args) split(std::move(part), conjuncts);
  }

  void bind(const Plan& plan, std::size_t bound, Binding& binding) {
    if (++tries_ > tries_for_each * most_)
      fail(skeleton_.transitions[plan.transition].where,
           "unfolding takes too long: there are too many bindings");
    for (const Term& condition : plan.conditions[bound])
      if (!terms_.holds(condition, binding)) return;
    if (bound == plan.variables.size()) {
      add_transition(plan, binding);
      return;
    }
    const std::uint32_t variable = plan.variables[bound];
    const Colour size = terms_.sorts()[terms_.variables()[variable].sort].size;
    for (Colour c = 0; c < size; ++c) {
      binding[variable] = c;
      bind(plan, bound + 1, binding);
    }
  }

  void add_transition(const Plan& plan, const Binding& binding) {
    const Transition& coloured = skeleton_.transitions[plan.transition];
    Fired fired{plan.transition, {.id = coloured.id, .where = coloured.where}};
    Transition& t = fired.unfolded;
    for (const std::uint32_t v : plan.variables) {
      const std::string value = terms_.show(terms_.variables()[v].sort, binding[v]);
      if (!value.empty()) t.id += "_" + value;
    }
    grow(1);
    for (const CompiledArc& compiled : plan.arcs) {
      const Colours::ColouredArc& arc = *compiled.arc;
      for (const auto& [colour, count] : terms_.bag(compiled.inscription, binding, most_)) {
        grow(1);
        const Arc unfolded{instance(arc.place, colour), static_cast<std::uint32_t>(count)};
        if (arc.kind == ArcKind::reset)
          t.resets.push_back(unfolded.place);
        else if (arc.kind == ArcKind::test)
          t.tests.push_back(unfolded);
        else if (arc.kind == ArcKind::inhibitor)
          t.inhibitors.push_back(unfolded);
        else
          (arc.produces ? t.produces : t.consumes).push_back(unfolded);
      }
    }
    if (!normalise(t)) fail(coloured.where, fmt::format("more than {} tokens at once", most_tokens));
    transitions_.push_back(std::move(fired));
  }

  /// Marks what tokens can reach when they are never used up.
  void find_dead_nodes() {
    std::vector<std::vector<std::uint32_t>> needed_by(places_.size());
    std::vector<std::size_t> missing(transitions_.size());
    std::vector<std::uint32_t> open;
    const auto mark = [&](std::uint32_t place) {
      if (!std::exchange(places_[place].marked, true)) open.push_back(place);
    };
    const auto enable = [&](std::uint32_t t) {
      transitions_[t].enabled = true;
      for (const Arc& arc : transitions_[t].unfolded.produces) mark(arc.place);
    };
    for (std::uint32_t t = 0; t < transitions_.size(); ++t) {
      for (const auto* list : {&transitions_[t].unfolded.consumes, &transitions_[t].unfolded.tests})
        for (const Arc& arc : *list) {
          needed_by[arc.place].push_back(t);
          ++missing[t];
        }
      if (missing[t] == 0) enable(t);
    }
    for (std::uint32_t p = 0; p < places_.size(); ++p)
      if (places_[p].tokens > 0) mark(p);
    while (!open.empty()) {
      const std::uint32_t place = open.back();
      open.pop_back();
      for (const std::uint32_t t : needed_by[place])
        if (--missing[t] == 0) enable(t);
    }
  }

  Net finish() {
    Net net;
    net.id = skeleton_.id;
    std::vector<std::uint32_t> order;
    for (std::uint32_t p = 0; p < places_.size(); ++p)
      if (places_[p].marked) order.push_back(p);
    std::ranges::sort(order, {},
                      [&](std::uint32_t p) { return std::pair(places_[p].place, places_[p].colour); });
    std::vector<PlaceId> number(places_.size());
    net.place_families = families(skeleton_.places);
    net.transition_families = families(skeleton_.transitions);

    // The ids of the coloured net stand for whole families.
    std::unordered_set<std::string> taken;
    for (const Place& place : skeleton_.places) taken.insert(place.id);
    for (const std::uint32_t p : order) {
      const Instance& from = places_[p];
      number[p] = static_cast<PlaceId>(net.places.size());
      net.place_families[from.place].members.push_back(number[p]);
      const Place& coloured = skeleton_.places[from.place];
      const std::string colour = terms_.show(sorts_[from.place], from.colour);
      net.places.push_back({.id = colour.empty() ? coloured.id : unique(coloured.id + "_" + colour, taken),
                            .initial = from.tokens,
                            .where = coloured.where});
    }
    taken.clear();
    for (const Transition& t : skeleton_.transitions) taken.insert(t.id);
    const auto renumber = [&](std::vector<Arc>& arcs) {
      std::erase_if(arcs, [&](const Arc& arc) { return !places_[arc.place].marked; });
      for (Arc& arc : arcs) arc.place = number[arc.place];
      std::ranges::sort(arcs, {}, &Arc::place);
    };
    for (Fired& fired : transitions_) {
      if (!fired.enabled) continue;
      Transition& t = fired.unfolded;
      // An inhibitor or reset arc at a place that is always empty does nothing.
      for (auto* arcs : {&t.consumes, &t.produces, &t.tests, &t.inhibitors}) renumber(*arcs);
      std::erase_if(t.resets, [&](PlaceId p) { return !places_[p].marked; });
      for (PlaceId& p : t.resets) p = number[p];
      std::ranges::sort(t.resets);
      if (t.id != skeleton_.transitions[fired.transition].id) t.id = unique(std::move(t.id), taken);
      net.transition_families[fired.transition].members.push_back(
          static_cast<TransitionId>(net.transitions.size()));
      net.transitions.push_back(std::move(t));
    }
    return net;
  }

  template <class Nodes>
  static std::vector<Family> families(const Nodes& nodes) {
    std::vector<Family> result;
    for (const auto& node : nodes) result.push_back({node.id, {}});
    return result;
  }

  /// P with the colour 1_2 and P_1 with the colour 2 would be called the same.
  static std::string unique(std::string name, std::unordered_set<std::string>& taken) {
    while (!taken.insert(name).second) name += '\'';
    return name;
  }

  const Net& skeleton_;
  const Colours& colours_;
  Diagnostics diagnostics_;
  SymmetricTerms terms_;
  std::size_t most_;
  std::size_t size_ = 0;
  std::size_t tries_ = 0;
  std::vector<SortId> sorts_;  ///< by place of the coloured net
  std::vector<std::unordered_map<Colour, std::uint32_t>> instances_;
  std::vector<Instance> places_;
  std::vector<Fired> transitions_;
};

}  // namespace

Net unfold(const Net& skeleton, const Colours& colours, const SourceText& source, std::size_t most) {
  return Unfolding(skeleton, colours, source, most).run();
}

}  // namespace tideline::pnml
