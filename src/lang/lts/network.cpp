#include "lang/lts/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace tideline::lts {

namespace {

/// The transitions of one label of a component.
struct Moves {
  std::vector<Transition> all;  ///< by their source
  std::uint32_t degree = 0;     ///< the most from one location
  std::uint32_t from_last = 0;  ///< those from the location of the last one

  void add(const Transition& t) {
    from_last = !all.empty() && all.back().from == t.from ? from_last + 1 : 1;
    degree = std::max(degree, from_last);
    all.push_back(t);
  }
};

/// The first transition of each location (layer 0), the second of those that have one, and so on; by their source.
template <class Visit>
void for_each_in_layer(const Moves& moves, std::uint32_t layer, Visit&& visit) {
  std::uint32_t rank = 0;
  for (std::size_t i = 0; i < moves.all.size(); ++i) {
    rank = i > 0 && moves.all[i - 1].from == moves.all[i].from ? rank + 1 : 0;
    if (rank == layer) visit(moves.all[i]);
  }
}

class SystemBuilder {
 public:
  SystemBuilder(const Network& network, const SourceText& source) : network_(network), source_(source) {}

  System build() {
    system_.name = network_.name;
    system_.labels_say_moves = false;
    for (const NetworkComponent& component : network_.components) add_component(component);
    for (const SyncVector& vector : network_.vectors) add_vector(vector);
    system_.may_end = allowed_end();
    complete(system_);
    add_table_edges();
    return std::move(system_);
  }

 private:
  /// A part of a vector together with what its component can do for it.
  struct Taker {
    ComponentId component = 0;
    LabelId label = 0;
    const Moves* moves = nullptr;
  };
  struct TableMove {
    Taker taker;
    std::uint32_t layer = 0;
    ActionId action = 0;
  };

  void add_component(const NetworkComponent& from);
  std::optional<Expr> allowed_end() const;
  std::size_t enumerated_of(const std::vector<Taker>& takers) const;
  void add_vector(const SyncVector& vector);
  void add_action(const SyncVector& vector, const std::vector<Taker>& takers, std::size_t enumerated,
                  const std::vector<std::uint32_t>& choice);
  SourcePoint place_of(ComponentId component, std::uint32_t line) const;
  SourcePoint place_of(const Taker& taker, std::uint32_t layer) const;
  std::uint32_t table_of(const Taker& taker, std::uint32_t layer);
  void add_table_edges();
  [[noreturn]] void refuse(const SyncVector& vector, const char* what) const;

  const Network& network_;
  const SourceText& source_;
  System system_;
  std::vector<std::map<LabelId, Moves>> moves_;  ///< of each component
  std::map<std::tuple<ComponentId, LabelId, std::uint32_t>, std::uint32_t> tables_;
  std::uint64_t table_entries_ = 0;  ///< and edges of control graphs that come from tables
  std::vector<TableMove> table_moves_;
};

/// Every component is where it may stay, or where it can do nothing. Nothing when none may stay anywhere.
std::optional<Expr> SystemBuilder::allowed_end() const {
  std::vector<EndLocations> ends;
  for (ComponentId c = 0; c < network_.components.size(); ++c) {
    const NetworkComponent& component = network_.components[c];
    EndLocations& end = ends.emplace_back();
    end.named = component.may_end;
    end.named.resize(component.lts.states);
    end.never_left.assign(component.lts.states, true);
    for (const Transition& t : component.lts.transitions) end.never_left[t.from] = false;
  }
  return end_condition(system_, ends);
}

void SystemBuilder::add_component(const NetworkComponent& from) {
  const auto id = static_cast<ComponentId>(system_.components.size());
  Component component{.name = from.name,
                      .location_slot = static_cast<SlotId>(system_.slots.size()),
                      .initial = from.lts.initial};
  component.locations.reserve(from.lts.states);
  for (StateId s = 0; s < from.lts.states; ++s)
    component.locations.push_back(
        {.name = from.state_names.empty() ? fmt::format("s{}", s) : from.state_names[s],
         .may_end = s < from.may_end.size() && from.may_end[s],
         .where = from.where});
  system_.components.push_back(std::move(component));
  system_.add_variable({.name = from.name, .owner = id, .is_location = true, .where = from.where},
                       {0, static_cast<std::int32_t>(from.lts.states - 1)},
                       {static_cast<std::int32_t>(from.lts.initial)});
  for (const StateValues& values : from.values) {
    system_.constants.push_back({.name = values.name,
                                 .owner = id,
                                 .is_array = true,
                                 .table = static_cast<std::uint32_t>(system_.tables.size())});
    system_.tables.push_back(values.values);
  }
  auto& moves = moves_.emplace_back();
  for (const Transition& t : from.lts.transitions) moves[t.label].add(t);
}

void SystemBuilder::refuse(const SyncVector& vector, const char* what) const {
  std::string who;
  for (const Part& part : vector.parts)
    who += (who.empty() ? "" : ", ") + network_.components[part.component].name;
  throw Error(ErrorKind::input,
              {error_at(source_, {},
                        fmt::format("'{}' of {} has too many {}", network_.labels.name(vector.label),
                                    abbreviate(who), what))});
}

/// How many of the takers, which are sorted by their transitions, are multiplied out.
std::size_t SystemBuilder::enumerated_of(const std::vector<Taker>& takers) const {
  // With many transitions that leave few locations without one, a table is smaller than that many actions.
  const Moves& fewest = *takers[0].moves;
  const std::size_t entries = system_.components[takers[0].component].locations.size() * fewest.degree;
  if (fewest.all.size() > most_alone && entries / 8 <= fewest.all.size()) return 0;
  std::uint64_t product = fewest.all.size();
  std::size_t enumerated = 1;
  for (; enumerated < takers.size(); ++enumerated) {
    product *= takers[enumerated].moves->all.size();
    if (product > (enumerated == 1 ? most_pairs : most_combinations)) break;
  }
  return enumerated;
}

void SystemBuilder::add_vector(const SyncVector& vector) {
  std::vector<Taker> takers;
  for (const Part& part : vector.parts) {
    const auto found = moves_[part.component].find(part.label);
    if (found == moves_[part.component].end()) return;  // a part that never moves blocks the others
    takers.push_back({part.component, part.label, &found->second});
  }
  std::stable_sort(takers.begin(), takers.end(),
                   [](const Taker& a, const Taker& b) { return a.moves->all.size() < b.moves->all.size(); });
  const std::size_t enumerated = enumerated_of(takers);

  // How many ways each taker has: one for each transition, or for each of its tables.
  std::vector<std::uint32_t> ways;
  std::uint64_t actions = system_.actions.size() + 1;
  std::uint64_t count = 1;
  for (std::size_t i = 0; i < takers.size(); ++i) {
    ways.push_back(i < enumerated ? static_cast<std::uint32_t>(takers[i].moves->all.size())
                                  : takers[i].moves->degree);
    count *= ways.back();
    if (actions + count > most_actions) refuse(vector, "combinations of local transitions");
  }
  // The last taker varies fastest, so that actions that share the first one's transition lie together.
  std::vector<std::uint32_t> choice(takers.size(), 0);
  for (;;) {
    add_action(vector, takers, enumerated, choice);
    std::size_t i = takers.size();
    while (i > 0 && ++choice[i - 1] == ways[i - 1]) choice[--i] = 0;
    if (i == 0) return;
  }
}

void SystemBuilder::add_action(const SyncVector& vector, const std::vector<Taker>& takers,
                               std::size_t enumerated, const std::vector<std::uint32_t>& choice) {
  Action action{.label = network_.labels.name(vector.label)};
  for (std::size_t i = 0; i < takers.size(); ++i) {
    const ComponentId component = takers[i].component;
    const SlotId slot = system_.components[component].location_slot;
    if (i < enumerated) {
      const Transition& t = takers[i].moves->all[choice[i]];
      action.participants.push_back({.component = component,
                                     .from = t.from,
                                     .to = t.to,
                                     .guard = Expr::constant(1),
                                     .where = place_of(component, t.line)});
      action.effects.push_back({.slot = slot, .value = Expr::constant(t.to)});
    } else {
      const Expr target = Expr::table(table_of(takers[i], choice[i]), Expr::load(slot));
      action.participants.push_back({.component = component,
                                     .from = any_location,
                                     .to = any_location,
                                     .guard = Expr::binary(Op::ge, target, Expr::constant(0)),
                                     .where = place_of(takers[i], choice[i])});
      action.effects.push_back({.slot = slot, .value = target});
      table_moves_.push_back({takers[i], choice[i], static_cast<ActionId>(system_.actions.size())});
      table_entries_ += takers[i].moves->all.size();
      if (table_entries_ > most_table_entries) refuse(vector, "local transitions");
    }
  }
  action.where = action.participants[0].where;
  if (action.where.line == 0) action.where = network_.components[takers[0].component].where;
  system_.actions.push_back(std::move(action));
}

/// Of a transition of the component; that of the component where its own is not known.
SourcePoint SystemBuilder::place_of(ComponentId component, std::uint32_t line) const {
  return line == 0 ? network_.components[component].where : SourcePoint{line, 1};
}

/// Of the transitions of a table, when all have the same; else none.
SourcePoint SystemBuilder::place_of(const Taker& taker, std::uint32_t layer) const {
  std::optional<SourcePoint> place;
  bool same = true;
  for_each_in_layer(*taker.moves, layer, [&](const Transition& t) {
    const SourcePoint here = place_of(taker.component, t.line);
    same = same && (!place || *place == here);
    place = here;
  });
  return same && place ? *place : SourcePoint{};
}

/// The targets of the layer-th transition of each location, -1 where there is none.
std::uint32_t SystemBuilder::table_of(const Taker& taker, std::uint32_t layer) {
  const auto [entry, fresh] = tables_.try_emplace({taker.component, taker.label, layer},
                                                  static_cast<std::uint32_t>(system_.tables.size()));
  if (!fresh) return entry->second;
  const std::size_t locations = system_.components[taker.component].locations.size();
  std::vector<std::int64_t> table(locations, -1);
  table_entries_ += locations;
  for_each_in_layer(*taker.moves, layer, [&](const Transition& t) { table[t.from] = t.to; });
  system_.tables.push_back(std::move(table));
  return entry->second;
}

void SystemBuilder::add_table_edges() {
  for (const TableMove& move : table_moves_)
    for_each_in_layer(*move.taker.moves, move.layer, [&](const Transition& t) {
      const ComponentId component = move.taker.component;
      system_.components[component].edges.push_back(
          {t.from, t.to, move.action, place_of(component, t.line).line});
    });
}

}  // namespace

System to_system(const Network& network, std::string language, const SourceText& source) {
  System system = SystemBuilder(network, source).build();
  system.language = std::move(language);
  return system;
}

}  // namespace tideline::lts
