#include "lang/psl/component.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace tideline::psl {

std::string with_values(std::string_view name, const std::vector<std::int64_t>& values) {
  std::string text(name);
  for (std::size_t i = 0; i < values.size(); ++i) text += fmt::format("{}{}", i == 0 ? "(" : ", ", values[i]);
  return values.empty() ? text : text + ")";
}

std::vector<std::int64_t> evaluate(const Nodes& nodes, const std::vector<NodeId>& list,
                                   const Environment& environment) {
  std::vector<std::int64_t> result;
  for (const NodeId node : list) result.push_back(evaluate(nodes, node, environment));
  return result;
}

std::string name_of(const Nodes& nodes, const Reference& reference, const Environment& environment) {
  return with_values(reference.name.text, evaluate(nodes, reference.args, environment));
}

void Evaluation::step(SourcePoint where) {
  if (steps_left_-- > 0) return;
  throw Error(ErrorKind::input, {error_at(diagnostics_.source(), where,
                                          "there are too many combinations of values up to here")});
}

namespace {

void choose_indices(const Nodes& nodes, const Label& label, std::size_t index, const std::string& prefix,
                    Environment& environment, Evaluation& evaluation,
                    const std::function<void(const std::string&)>& visit) {
  evaluation.step(label.name.where);
  if (index == label.indices.size()) return visit(prefix);
  const LabelIndex& i = label.indices[index];
  const auto with = [&](std::int64_t value) {
    choose_indices(nodes, label, index + 1, fmt::format("{}[{}]", prefix, value), environment, evaluation,
                   visit);
  };
  if (i.value != nothing) return with(evaluate(nodes, i.value, environment));
  const Bounds bounds = evaluate(nodes, i.range, environment);
  for (std::int64_t value = bounds.low; value <= bounds.high; ++value) {
    if (i.variable != nothing) {
      if (environment.size() <= i.variable) environment.resize(i.variable + std::size_t{1});
      environment[i.variable] = value;
    }
    with(value);
  }
}

}  // namespace

void for_each_label(const Nodes& nodes, const Label& label, Environment& environment, Evaluation& evaluation,
                    const std::function<void(const std::string&)>& visit) {
  choose_indices(nodes, label, 0, std::string(label.name.text), environment, evaluation, visit);
}

namespace {

/// A state of the component: a choice, and the values remembered there.
struct Place {
  ChoiceId choice = stop;
  std::vector<std::int64_t> values{};
  auto operator<=>(const Place&) const = default;
};

class Builder {
 public:
  Builder(const File& file, const ProcessClause& process, std::string name, const Environment& parameters,
          Evaluation& evaluation)
      : file_(file), process_(process), parameters_(parameters), evaluation_(evaluation) {
    component_.name = std::move(name);
    component_.where = process.name.where;
  }

  lts::NetworkComponent run() {
    try {
      number_of(initial());
      for (lts::StateId s = 0; s < places_.size(); ++s) {
        from_ = s;
        // The map's keys stay where they are while places are added.
        const Place& here = *places_[s];
        expand(here, environment_of(here));
      }
    } catch (const NoValue& none) {
      complain(none);
    }
    finish();
    return std::move(component_);
  }

 private:
  void complain(const NoValue& none) {
    evaluation_.error(none.where, fmt::format("{} (in {})", none.message, here()));
  }
  std::string here() const {
    return places_.empty() ? component_.name
                           : fmt::format("{} at {}", component_.name, name_of(*places_[from_]));
  }
  std::string name_of(const Place& place) const {
    return with_values(place.choice == stop ? "stop" : file_.choices[place.choice].name, place.values);
  }

  Place initial() {
    const StateClause& first = process_.states.front();
    Place place{.choice = first.choice};
    for (const Parameter& p : first.parameters) {
      place.values.push_back(evaluate(file_.nodes, p.initial, parameters_));
      check_range(first, place.values.size() - 1, place.values, file_.nodes[p.initial].where);
    }
    return place;
  }

  Environment environment_of(const Place& place) const {
    Environment environment = parameters_;
    const auto& remembers = file_.choices[place.choice].remembers;
    if (!remembers.empty()) environment.resize(remembers.back() + std::size_t{1});
    for (std::size_t i = 0; i < remembers.size(); ++i) environment[remembers[i]] = place.values[i];
    return environment;
  }

  lts::StateId number_of(Place place) {
    const auto [entry, fresh] =
        numbers_.try_emplace(std::move(place), static_cast<lts::StateId>(places_.size()));
    if (fresh) {
      places_.push_back(&entry->first);
      if (places_.size() > evaluation_.most_states()) refuse("states", evaluation_.most_states());
    }
    return entry->second;
  }
  [[noreturn]] void refuse(std::string_view what, std::size_t most) const {
    throw Error(ErrorKind::input,
                {error_at(evaluation_.diagnostics().source(), process_.name.where,
                          fmt::format("'{}' alone has more than {} {}; give its parameters smaller ranges",
                                      component_.name, most, what))});
  }

  void check_range(const StateClause& state, std::size_t index, const std::vector<std::int64_t>& values,
                   SourcePoint where) const {
    Environment environment = parameters_;
    environment.insert(environment.end(), values.begin(), values.end());
    const Parameter& p = state.parameters[index];
    const Bounds bounds = evaluate(file_.nodes, p.range, environment);
    if (!bounds.contains(values[index]))
      throw NoValue{where, fmt::format("'{}' of '{}' is in {}..{}, but gets {} here", p.name.text,
                                       state.name.text, bounds.low, bounds.high, values[index])};
  }

  /// Where a reference leads.
  Place target(const Reference& reference, const Environment& environment) const {
    const StateClause& state = process_.states[reference.target];
    Place place{.choice = state.choice};
    for (std::size_t i = 0; i < reference.args.size(); ++i) {
      place.values.push_back(evaluate(file_.nodes, reference.args[i], environment));
      check_range(state, i, place.values, file_.nodes[reference.args[i]].where);
    }
    return place;
  }

  bool holds(NodeId guard, const Environment& environment) const {
    return guard == nothing || evaluate(file_.nodes, guard, environment) != 0;
  }

  /// Adds the transitions of the state from_ that the place offers: the state itself, or one it includes.
  void expand(const Place& place, Environment environment) {
    if (std::find(including_.begin(), including_.end(), place) != including_.end())
      throw NoValue{file_.choices[place.choice].where,
                    fmt::format("'{}' includes itself before any action", name_of(place))};
    if (including_.size() >= max_depth)
      throw NoValue{file_.choices[place.choice].where,
                    fmt::format("more than {} states include each other", max_depth)};
    evaluation_.step(file_.choices[place.choice].where);
    including_.push_back(place);
    for (const Alternative& a : file_.choices[place.choice].alternatives) {
      try {
        if (a.label)
          act(a, environment);
        else if (holds(a.guard, environment)) {
          const Place included = target(a.state, environment);
          a.happens = true;
          expand(included, environment_of(included));
        }
      } catch (const NoValue& none) {
        complain(none);
      }
    }
    including_.pop_back();
  }

  void act(const Alternative& a, Environment& environment) {
    const auto take = [&](const std::string& label) {
      if (!holds(a.guard, environment)) return;
      const lts::LabelId id = a.label->internal() ? lts::internal_label : component_.lts.labels.intern(label);
      Place next;
      if (a.then == nothing) {
        next = target(a.state, environment);
      } else {
        next.choice = a.then;
        for (const std::uint32_t v : file_.choices[a.then].remembers) next.values.push_back(environment[v]);
      }
      a.happens = true;
      component_.lts.transitions.push_back({from_, id, number_of(std::move(next)), a.label->name.where.line});
      if (component_.lts.transitions.size() > evaluation_.most_transitions())
        refuse("transitions", evaluation_.most_transitions());
    };
    for_each_label(file_.nodes, *a.label, environment, evaluation_, take);
  }

  void finish();

  const File& file_;
  const ProcessClause& process_;
  const Environment& parameters_;
  Evaluation& evaluation_;
  lts::NetworkComponent component_;
  std::map<Place, lts::StateId> numbers_;
  std::vector<const Place*> places_;  ///< of each state, in the order in which they are found
  lts::StateId from_ = 0;
  std::vector<Place> including_;  ///< the state being expanded and those that it includes
};

/// Numbers the states as the text has them, and names them.
void Builder::finish() {
  std::vector<lts::StateId> order(places_.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](lts::StateId a, lts::StateId b) {
    const Place &x = *places_[a], &y = *places_[b];
    return (x.choice == stop) == (y.choice == stop) ? x < y : y.choice == stop;
  });
  std::vector<lts::StateId> rank(order.size());
  std::map<std::string_view, std::vector<std::int64_t>> values;
  for (const StateClause& state : process_.states)
    for (const Parameter& p : state.parameters) values[p.name.text].assign(order.size(), -1);
  std::map<ChoiceId, const StateClause*> states;
  for (const StateClause& state : process_.states) states.emplace(state.choice, &state);
  for (lts::StateId i = 0; i < order.size(); ++i) {
    const Place& place = *places_[order[i]];
    rank[order[i]] = i;
    component_.state_names.push_back(name_of(place));
    const auto state = states.find(place.choice);
    component_.may_end.push_back(state != states.end() && state->second->may_end);
    if (state != states.end())
      for (std::size_t p = 0; p < place.values.size(); ++p)
        values[state->second->parameters[p].name.text][i] = place.values[p];
  }
  component_.lts.states = static_cast<std::uint32_t>(std::max<std::size_t>(order.size(), 1));
  component_.lts.initial = rank.empty() ? 0 : rank[0];
  for (lts::Transition& t : component_.lts.transitions) t = {rank[t.from], t.label, rank[t.to], t.line};
  component_.lts.normalise();
  for (auto& [name, list] : values) component_.values.push_back({std::string(name), std::move(list)});
}

}  // namespace

lts::NetworkComponent build_component(const File& file, const ProcessClause& process, std::string name,
                                      const Environment& parameters, Evaluation& evaluation) {
  return Builder(file, process, std::move(name), parameters, evaluation).run();
}

}  // namespace tideline::psl
