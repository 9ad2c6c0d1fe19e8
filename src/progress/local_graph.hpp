// Local graphs: how some slots of a system can change, whatever the rest of it does.
//
// The slots of a group (the location of a process, that and its variables, a counter) are followed alone;
// everything else may have any value in its range. The graph contains everything the whole system can do
// to the group, and more: a guard over other slots is taken to hold somewhere, and a value that comes from
// elsewhere may be any. So a measure of the group that no edge of its local graph decreases is monotone
// for the system.
//
// For the location of a component of a network the graph is that component's labelled transition system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "exec/reference.hpp"
#include "model/interval.hpp"
#include "model/system.hpp"
#include "run/budget.hpp"

namespace tideline {

struct LocalGraph {
  using State = std::uint32_t;
  struct Edge {
    State to = 0;
    ActionId action = 0;
    auto operator<=>(const Edge&) const = default;
  };

  std::vector<SlotId> slots;
  std::vector<std::int32_t> values = {};        ///< of the slots, state by state; the first one is initial
  std::vector<std::uint32_t> first_edge = {0};  ///< by state, and one more
  std::vector<Edge> edges = {};

  std::size_t size() const { return values.size() / slots.size(); }
  std::span<const std::int32_t> state(State number) const {
    return std::span(values).subspan(number * slots.size(), slots.size());
  }
  std::span<const Edge> edges_of(State number) const {
    return std::span(edges).subspan(first_edge[number], first_edge[number + 1] - first_edge[number]);
  }
};

struct LocalGraphOptions {
  ErrorSemantics errors = ErrorSemantics::stop;
  std::size_t most_states = 1024;
  std::size_t most_edges = 20'000;
  std::int64_t most_targets = 128;  ///< of one action: where a value can become any other one learns nothing
  /// Intervals that hold for all slots in every reachable state; empty: their ranges.
  std::vector<Interval> ranges = {};
  /// Its limits end what follows slots, in the exception LimitReached; none: no limits.
  Budget* budget = nullptr;
};

/// Makes local graphs, one after the other: what all of them need is set up once.
class LocalGraphs {
 public:
  /// The system must outlive it.
  LocalGraphs(const System& system, LocalGraphOptions options);
  ~LocalGraphs();

  /// Nothing when it is too large. Actions that leave all slots as they are have no edges.
  std::optional<LocalGraph> of(std::vector<SlotId> slots);
  /// Actions that may change a slot.
  const std::vector<ActionId>& writers(SlotId slot) const;
  /// The slot is known to keep to this interval.
  void narrow(SlotId slot, Interval range);
  const LocalGraphOptions& options() const;
  /// How often an action has been tried in a state of a graph, several times where its expressions are large: the time
  /// that all of this has taken.
  std::uint64_t steps() const;

 private:
  class Exploration;
  std::unique_ptr<Exploration> exploration_;
};

/// A single one.
std::optional<LocalGraph> local_graph(const System& system, std::vector<SlotId> slots,
                                      const LocalGraphOptions& options);

}  // namespace tideline
