#include "search/core/survey.hpp"

#include <algorithm>
#include <chrono>

#include "exec/predicate.hpp"
#include "graph/factory.hpp"
#include "model/layout.hpp"
#include "store/segmented_table.hpp"

namespace tideline {

namespace {

using Table = SegmentedTable<>;

/// Counts transitions between the values of one slot.
class Folding {
 public:
  Folding(const System& system, const Layout& layout, SlotId slot)
      : slot_(slot),
        field_(layout.field(slot)),
        low_(system.slots[slot].range.low),
        width_(width(system.slots[slot].range)),
        counts_(width_ * width_) {}

  static std::uint64_t width(const Range& range) {
    return static_cast<std::uint64_t>(std::int64_t{range.high} - range.low + 1);
  }

  void leave(const std::byte* state) { row_ = index_in(state) * width_; }
  void enter(const std::byte* state) { ++counts_[row_ + index_in(state)]; }

  FoldedGraph result(const Table& table) const {
    std::vector<std::uint64_t> states(width_);
    for (StateId id = 0; id < table.size(); ++id) ++states[index_in(table.state(id))];
    FoldedGraph graph{.by = slot_};
    std::vector<std::uint32_t> class_of(width_);
    for (std::size_t i = 0; i < width_; ++i) {
      class_of[i] = static_cast<std::uint32_t>(graph.classes.size());
      if (states[i] != 0) graph.classes.push_back({low_ + static_cast<std::int32_t>(i), states[i]});
    }
    for (std::size_t i = 0; i < width_; ++i)
      for (std::size_t j = 0; j < width_; ++j)
        if (const std::uint64_t count = counts_[i * width_ + j])
          graph.edges.push_back({class_of[i], class_of[j], count});
    return graph;
  }

 private:
  std::size_t index_in(const std::byte* state) const {
    return static_cast<std::size_t>(load_field(state, field_) - low_);
  }

  SlotId slot_;
  Field field_;
  std::int32_t low_;
  std::size_t width_;
  std::vector<std::uint64_t> counts_;  ///< by the value before and the value after
  std::size_t row_ = 0;
};

/// Counts how often the edges of control graphs are taken, for actions in which a component takes part from any location.
class EdgeCounts {
 public:
  EdgeCounts(const System& system, const Layout& layout) : system_(system), rows_(system.actions.size()) {
    for (ComponentId c = 0; c < system.components.size(); ++c) {
      const std::vector<ControlEdge>& edges = system.components[c].edges;
      counts_.emplace_back(edges.size());
      for (std::size_t first = 0, end = 0; first < edges.size(); first = end) {
        for (end = first + 1; end < edges.size() && edges[end].action == edges[first].action;) ++end;
        if (takes_part_anywhere(edges[first].action, c))
          rows_[edges[first].action].push_back(
              {c, layout.field(system.components[c].location_slot), first, end});
      }
    }
    any_ = std::ranges::any_of(rows_, [](const auto& rows) { return !rows.empty(); });
  }

  void take(ActionId action, const std::byte* from) {
    for (const Row& row : rows_[action]) {
      const std::vector<ControlEdge>& edges = system_.components[row.component].edges;
      const auto begin = edges.begin() + static_cast<std::ptrdiff_t>(row.first);
      const auto end = edges.begin() + static_cast<std::ptrdiff_t>(row.end);
      const auto location = static_cast<LocationId>(load_field(from, row.location));
      const auto edge = std::ranges::lower_bound(begin, end, location, {}, &ControlEdge::from);
      if (edge != end && edge->from == location)
        ++counts_[row.component][static_cast<std::size_t>(edge - edges.begin())];
    }
  }

  std::vector<std::vector<std::uint64_t>> result(const std::vector<std::uint64_t>& actions) && {
    if (!any_) return {};
    for (ComponentId c = 0; c < counts_.size(); ++c)
      for (std::size_t e = 0; e < counts_[c].size(); ++e) {
        const ActionId action = system_.components[c].edges[e].action;
        if (!takes_part_anywhere(action, c)) counts_[c][e] = actions[action];
      }
    return std::move(counts_);
  }

 private:
  /// The edges of an action and a component: a front-end adds them together, by their sources.
  struct Row {
    ComponentId component;
    Field location;
    std::size_t first, end;
  };

  bool takes_part_anywhere(ActionId action, ComponentId component) const {
    return std::ranges::any_of(system_.actions[action].participants, [&](const Participant& p) {
      return p.component == component && p.from == any_location;
    });
  }

  const System& system_;
  std::vector<std::vector<Row>> rows_;  ///< of each action
  std::vector<std::vector<std::uint64_t>> counts_;
  bool any_ = false;
};

class Surveyor {
 public:
  Surveyor(const System& system, ErrorSemantics errors, const SurveyLimits& limits, Budget& budget)
      : system_(system),
        errors_(errors),
        limits_(limits),
        budget_(budget),
        layout_(system),
        table_(layout_.size()),
        edges_(system, layout_),
        most_states_(
            std::min(limits.states,
                     std::max<std::uint64_t>(1, limits.bytes / std::max<std::size_t>(1, layout_.size())))) {
    result_.actions.resize(system.actions.size());
    if (system.may_end) may_end_.emplace(system, layout_, *system.may_end);
    graph_.emplace();
    choose_folds();
  }

  void visit() {
    with_graph(system_, {errors_}, [&](auto graph) {
      graph.initial([&](const std::byte* state) { number_of(state); });
      std::uint64_t level_end = 0;
      for (StateId from = 0; from < table_.size(); ++from) {
        if (from == level_end) {
          result_.levels.push_back(table_.size() - level_end);
          level_end = table_.size();
        }
        if (must_end()) break;
        expand(graph, from);
      }
      if (table_.size() > level_end) result_.levels.push_back(table_.size() - level_end);
    });
    result_.complete = result_.ended_by.empty();
  }

  void count_values() {
    result_.slots.resize(system_.slots.size());
    result_.components.resize(system_.components.size());
    const std::uint64_t most =
        std::max<std::uint64_t>(1, limits_.values / std::max<std::size_t>(1, system_.slots.size()));
    const std::uint64_t stride = (table_.size() + most - 1) / most;
    for (std::uint64_t id = 0; id < table_.size(); id += stride) chosen_.push_back(static_cast<StateId>(id));
    std::vector<std::vector<std::uint64_t>> fingerprints(system_.components.size());
    std::vector<std::int32_t> values(chosen_.size());
    for (SlotId slot = 0; slot < system_.slots.size(); ++slot) {
      if (out_of_time(3)) return;
      const Field field = layout_.field(slot);
      for (std::size_t i = 0; i < chosen_.size(); ++i)
        values[i] = load_field(table_.state(chosen_[i]), field);
      if (const ComponentId owner = system_.slots[slot].owner; owner != no_component)
        add_to_fingerprints(values, fingerprints[owner]);
      result_.slots[slot] = profile_of(values);
    }
    for (std::size_t c = 0; c < fingerprints.size(); ++c) result_.components[c] = profile_of(fingerprints[c]);
    result_.profiled = chosen_.size();
  }

  void keep_graphs() {
    for (const Folding& folding : folds_) {
      FoldedGraph graph = folding.result(table_);
      if (graph.classes.size() > 1 && graph.classes.size() <= limits_.fold_classes)
        result_.folds.push_back(std::move(graph));
    }
    if (!result_.complete || !graph_) return;
    for (StateId id = 0; id < table_.size(); ++id) graph_->states.push_back(layout_.unpack(table_.state(id)));
    result_.graph = std::move(graph_);
  }

  Survey take() {
    result_.states = table_.size();
    result_.edges = std::move(edges_).result(result_.actions);
    return std::move(result_);
  }

  void end(std::string reason) {
    result_.complete = false;
    result_.ended_by = std::move(reason);
  }

 private:
  // A matrix over the range is kept, so wide ranges are left out even where few values occur.
  static constexpr std::uint64_t widest_fold = 256;

  void choose_folds() {
    const auto add = [&](SlotId slot) {
      const std::uint64_t width = Folding::width(system_.slots[slot].range);
      if (folds_.size() < limits_.folds && width > 1 && width <= widest_fold)
        folds_.emplace_back(system_, layout_, slot);
    };
    for (const Component& component : system_.components)
      if (component.location_slot != no_slot) add(component.location_slot);
    for (const Variable& variable : system_.variables)
      if (!variable.is_location && !variable.is_array) add(variable.first);
  }

  StateId number_of(const std::byte* state) { return table_.insert(state, table_.hash(state)).id; }

  /// The pass itself has two parts in three of the time, counting values the rest.
  bool out_of_time(int thirds) const {
    if (!limits_.seconds) return false;
    const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - start_;
    return gone.count() >= *limits_.seconds * thirds / 3;
  }

  bool must_end() {
    if (table_.size() > most_states_)
      end(most_states_ < limits_.states ? "the limit on memory for it" : "the limit on states");
    else if (out_of_time(2))
      end("the limit on time for it");
    else if (budget_.exhausted({.states = table_.size(), .transitions = result_.transitions}))
      end(budget_.reason());
    return !result_.ended_by.empty();
  }

  template <class G>
  void expand(G& graph, StateId from) {
    const std::byte* state = table_.state(from);
    for (Folding& folding : folds_) folding.leave(state);
    const std::uint64_t before = result_.transitions;
    graph.successors(state, [&](const Step& step) {
      ++result_.transitions;
      ++result_.actions[step.action];
      edges_.take(step.action, state);
      if (!step.state) {
        if (graph_) graph_->failures.push_back({from, step.action, step.error});
        return;
      }
      for (Folding& folding : folds_) folding.enter(step.state);
      const StateId to = number_of(step.state);
      if (graph_) graph_->edges.push_back({from, to, step.action});
    });
    ModelErrorKind ignored = ModelErrorKind::none;
    if (result_.transitions == before && (!may_end_ || may_end_->evaluate(state, ignored) == 0))
      ++result_.deadlocks;
    if (graph_ && (table_.size() * system_.slots.size() > limits_.graph_values ||
                   graph_->edges.size() > limits_.graph_transitions))
      graph_.reset();
  }

  static void add_to_fingerprints(const std::vector<std::int32_t>& values,
                                  std::vector<std::uint64_t>& fingerprints) {
    fingerprints.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::uint64_t hash = fingerprints[i] ^ static_cast<std::uint32_t>(values[i]);
      hash = (hash ^ (hash >> 32)) * 0x9E3779B97F4A7C15U;
      fingerprints[i] = hash ^ (hash >> 29);
    }
  }

  const System& system_;
  ErrorSemantics errors_;
  const SurveyLimits& limits_;
  Budget& budget_;
  Layout layout_;
  Table table_;
  EdgeCounts edges_;
  std::uint64_t most_states_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::vector<Folding> folds_;
  std::vector<StateId> chosen_;
  std::optional<Predicate> may_end_;
  std::optional<StateGraph> graph_;
  Survey result_;
};

}  // namespace

Survey survey(const System& system, ErrorSemantics errors, const SurveyLimits& limits, Budget& budget) {
  std::optional<Surveyor> surveyor;
  if (!within_limits(budget,
                     [&] {
                       surveyor.emplace(system, errors, limits, budget);
                       surveyor->visit();
                       surveyor->count_values();
                       surveyor->keep_graphs();
                     }) &&
      surveyor)
    surveyor->end(budget.reason());
  if (surveyor) return surveyor->take();
  return {.ended_by = budget.reason()};
}

}  // namespace tideline
