// LTL-Sweep: accepting cycles, found by a search that forgets states as it goes.
//
//   S. Evangelista, L. M. Kristensen: Hybrid On-the-Fly LTL Model Checking with the Sweep-Line Method,
//   PETRI NETS 2012.
//
// A sweep visits the product. A cycle within one layer shows in its inner edges, which are recorded on the
// way (LayerGraph), so no state is expanded twice for it; they are looked at whenever their number has
// doubled, and when the layer is complete. A cycle over several layers passes through a persistent state;
// those are searched across layers (across_layers.hpp) when a column is done (off-line) or after every sweep
// (on-line). Where we do less work than the paper:
//
// Suspects. A persistent state found in sweep i is a root of sweep i + 1: call that its sweep. Follow a cycle
// from one persistent state on it to the next. The way between is expanded in the sweep of the first, so the
// next is found there anew, and has a later sweep, or is met as a state whose sweep is that one or an earlier
// one. Sweeps cannot grow all the way round, so every cycle has a state of the second kind, and the last one
// is met in the last sweep of its states. Only such states, met from within their region, are suspects; a
// property without any needs no search at all.
//
// Owners. Every state in a region remembers by which root of the sweep it was reached first. A root
// that is met from a state it owns is on a cycle. That finds most violations during the sweep, for four
// bytes per state.
//
// The graph of layers (layer_map.hpp) shows which suspects cannot be on a cycle of layers.
//
// as_published() has none of these: nested depth-first search within layers; across layers maximal
// persistent predecessors, from every root of the sweep (on-line) or every persistent state (off-line),
// ordered by their bits, the line moving back at each regress edge. The paper ran that. What it proposes
// beside it, to use the graph of layers (5.2) and to order states by progress (5.3), it left for later.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "search/lassos/across_layers.hpp"
#include "search/lassos/cycle_graph.hpp"
#include "search/lassos/layer_map.hpp"
#include "search/sweep/layer_graph.hpp"
#include "search/sweep/sweep.hpp"

namespace tideline {

struct LtlSweepOptions {
  /// Within a layer, search by nested depth-first search as the paper does, expanding states again.
  bool nested = false;
  bool online = true;              ///< search across layers after every sweep, else once per column
  std::uint32_t first_look = 512;  ///< nodes of a layer before its edges are looked at
  bool suspects = true;            ///< else every persistent state in a region is a candidate
  bool owners = true;
  bool prune = true;  ///< by the graph of layers
  AcrossOptions across = {};
};

/// The algorithm of the paper, for a product without regions.
inline LtlSweepOptions as_published(bool online) {
  return {.nested = true,
          .online = online,
          .suspects = false,
          .owners = false,
          .prune = false,
          .across = {.method = AcrossMethod::mpp, .line_moves_back = true, .order = CandidateOrder::bits}};
}

struct LtlSweepFigures {
  SweepFigures sweep = {};
  std::uint64_t red_expansions = 0;     ///< of nested searches within layers
  std::uint64_t candidates = 0;         ///< persistent states from which the search across layers started
  std::uint64_t across_expansions = 0;  ///< of the search across layers
  std::uint64_t passes = 0;
  std::uint64_t cycle_expansions = 0;  ///< for the run that is shown
  std::uint64_t stored_peak = 0;
  char cycle = 0;  ///< 'S' within a layer, 'M' over several

  /// For checkpoints; the others are known only at the end.
  void archive(auto& file) { file(red_expansions, candidates, across_expansions, passes, stored_peak); }
};

template <class G>
requires ProgressGraph<G> && BuchiGraph<G>
class LtlSweep {
 public:
  LtlSweep(G graph, SweepOptions sweep, LtlSweepOptions options)
      : graph_(graph),
        sweep_options_(sweep),
        options_(options),
        search_(std::move(graph), sweep, Watch(options.nested)) {
    search_.watch().self = this;
  }
  LtlSweep(const LtlSweep&) = delete;

  LassoResult run(Budget& budget) {
    budget_ = &budget;
    Bystander bystander;
    const SearchResult swept = search_.run(bystander, budget);
    figures_.sweep = search_.figures();
    figures_.stored_peak = std::max(figures_.stored_peak, figures_.sweep.stored_peak);
    LassoResult result;
    result.transitions = swept.transitions + across_transitions_;
    result.expansions = figures_.sweep.expansions + figures_.red_expansions + figures_.across_expansions;
    result.model_errors = bystander.model_errors;
    result.rounds = figures_.passes;
    if (figures_.sweep.sweeps == 1) result.states = figures_.sweep.expansions;
    if (run_to_cycle_ || figures_.cycle != 0) {
      result.end = SearchEnd::satisfied;
      result.early = early_;
      if (run_to_cycle_) result.lasso = lasso(budget);
    } else {
      result.end = budget.reason().empty() ? swept.end : SearchEnd::exhausted;
    }
    return result;
  }

  const LtlSweepFigures& figures() const { return figures_; }

 private:
  static constexpr std::uint8_t accepting_bit = 1;

  /// A root of the sweep and whether an accepting state was passed since; 0: no root in the region.
  using Owner = std::uint32_t;
  static constexpr std::uint32_t most_owners = (std::uint32_t{1} << 31) - 1;

  struct Watch {
    static constexpr std::size_t passing_bytes = sizeof(Owner), persistent_bytes = sizeof(PersistentMark);

    /// Travels with a step: from which node it comes, and what its destination gets.
    struct Note {
      NodeId from = no_node;
      Owner owner = 0;
      bool inside = false;  ///< a cycle may take it: it leaves neither the region nor the column
    };

    explicit Watch(bool search_nested) : nested(search_nested) {}

    LtlSweep* self = nullptr;
    bool nested;

    void attach(std::size_t offset) { offset_ = offset; }
    void set_parts(unsigned count) {
      const std::uint32_t suspects = most_suspects();
      layer_.set_parts(count);
      parts_ = std::vector<Part>(count);
      for (Part& part : parts_) part.suspects = suspects;
    }
    std::uint32_t most_suspects() const {
      std::uint32_t most = 0;
      for (const Part& part : parts_) most = std::max(most, part.suspects);
      return most;
    }
    void begin_layer(Progress progress, std::size_t, std::uint64_t sweep) {
      line_ = progress;
      if (sweep_ != sweep) owner_levels_.clear();
      sweep_ = static_cast<std::uint32_t>(sweep);
      layer_.clear();
      next_look_ = std::max<NodeId>(self->options_.first_look / static_cast<NodeId>(parts_.size()), 1);
    }
    void add_root(std::byte* record);
    void on_node(unsigned part, const G& graph, const std::byte* record, bool is_root);
    Note on_step(unsigned part, const G& graph, const Step& step, Progress progress);
    void on_dead_end(unsigned) {}
    void on_arrival(unsigned part, const Note& note, const SweepTarget& target);
    bool leads() const { return nested; }
    template <class Search, class Expand>
    void lead(Search& search, const Expand& expand);
    template <class Search>
    void search_red(Search& search, NodeId seed);
    bool done();
    bool look_for_cycle();
    bool end_layer();
    bool end_sweep() { return !self->options_.online || self->search_across(sweep_); }
    bool end_column() {
      if (!self->options_.online && !self->search_across(sweep_)) return false;
      self->map_.clear();
      owners_ = 0;  // all states with a number are gone
      owner_levels_.clear();
      return true;
    }

    /// For checkpoints: everything except the current layer.
    template <class File>
    void archive(File& file) {
      std::uint32_t suspects = most_suspects();
      file(line_, sweep_, owners_, owner_levels_, suspects);
      file.require(owner_levels_.size() <= owners_ && owners_ <= most_owners);
      file(self->map_, self->figures_, self->across_transitions_, self->early_);
      for (Part& part : parts_) part.suspects = suspects;
    }

    /// The first number of this sweep.
    std::uint32_t first_owner() const {
      return owners_ + 1 - static_cast<std::uint32_t>(owner_levels_.size());
    }
    std::uint32_t level_of(Owner owner) const {
      const std::uint32_t place = (owner >> 1) - first_owner();
      if (place >= owner_levels_.size()) [[unlikely]]
        throw Error(ErrorKind::io, "the saved states of a sweep do not fit together");
      return owner_levels_[place];
    }
    bool has_suspects() const {
      return std::any_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.suspects != 0; });
    }

    /// What a thread knows of the node that it expands, and of its part.
    struct alignas(cache_line) Part {
      NodeId node = no_node;
      Region region = no_region;
      Owner owner = 0;                 // what its successors get
      std::uint32_t suspects = 0;      // numbers given to persistent states of the part
      bool look_due = false;           // for cycles in the layer
      const std::byte* met = nullptr;  // a root that is on a cycle
      LayerMap map;                    // of this layer; the first part's is that of the search
    };
    LayerMap& map_of(unsigned part) { return part == 0 ? self->map_ : parts_[part].map; }

    std::size_t offset_ = 0;
    Progress line_ = 0;
    std::uint32_t sweep_ = 1;
    LayerGraphParts layer_;
    NodeId next_look_ = 0;  // when a part has that many nodes
    std::vector<Part> parts_ = std::vector<Part>(1);
    std::uint32_t owners_ = 0;                 // numbers given so far
    std::vector<std::uint32_t> owner_levels_;  // of the last ones, those of this sweep
    NodeId on_cycle_ = no_node;                // nested search: the cycle found, what is searched, and
    std::vector<bool> blue_, red_;
    std::vector<NodeId> inner_;  // successors in the layer of the nodes on the stack
  };
  friend struct Watch;

  /// After a sweep, or all of them. False: a cycle was found, or the budget ended.
  bool search_across(std::uint32_t sweep) {
    std::vector<PersistentRef> candidates = take_candidates(sweep);
    if (options_.prune) {
      map_.judge();
      std::erase_if(candidates, [&](const PersistentRef& c) {
        return !map_.useful(c.progress, graph_.region(record_of(c)));
      });
    }
    if (candidates.empty()) return true;
    figures_.candidates += candidates.size();
    const Progress column = search_.column(search_.watch().line_);
    const auto useful = [&](Progress progress, Region region) {
      return search_.column(progress) == column && (!options_.prune || map_.useful(progress, region));
    };
    AcrossLayers search(graph_, search_.layers(), search_.watch().offset_, sweep, options_.across, useful);
    const auto found = search.find(std::move(candidates), *budget_);
    figures_.across_expansions += search.expansions();
    figures_.passes += search.passes();
    across_transitions_ += search.transitions();
    figures_.stored_peak = std::max(figures_.stored_peak, search_.layers().stored() + search.peak());
    if (found) note_cycle(record_of(*found), 'M');
    early_ = options_.online;
    return !found && budget_->reason().empty();
  }

  /// Suspects in the order in which they were found; or all persistent states in regions, on-line only those
  /// of the last sweep.
  std::vector<PersistentRef> take_candidates(std::uint32_t sweep) {
    std::vector<std::pair<std::uint32_t, PersistentRef>> found;
    if (options_.suspects && !search_.watch().has_suspects()) return {};
    for (unsigned part = 0; part < search_.layers().count(); ++part) {
      for (const auto& [progress, layer] : search_.layers().part(part).all())
        for (StateId id = 0; id < layer.persistent.size(); ++id) {
          std::byte* const record = layer.persistent.record(id);
          const PersistentMark mark = mark_of(record);
          const bool wanted = options_.suspects ? mark.suspect != 0
                                                : graph_.region(record) != no_region &&
                                                      (!options_.online || mark.sweep == sweep);
          if (!wanted) continue;
          found.push_back({mark.suspect, {progress, part, id}});
          change(record, [](PersistentMark& own) { own.suspect = 0; });
        }
      search_.watch().parts_[part].suspects = 0;
    }
    std::sort(found.begin(), found.end());
    std::vector<PersistentRef> candidates;
    for (const auto& [number, state] : found) candidates.push_back(state);
    return candidates;
  }

  PersistentMark mark_of(const std::byte* record) const {
    PersistentMark mark;
    std::memcpy(&mark, record + search_.watch().offset_, sizeof mark);
    return mark;
  }
  template <class Change>
  void change(std::byte* record, const Change& how) {
    PersistentMark mark = mark_of(record);
    how(mark);
    std::memcpy(record + search_.watch().offset_, &mark, sizeof mark);
  }

  std::byte* record_of(const PersistentRef& state) {
    return search_.layers().part(state.part).find(state.progress)->persistent.record(state.id);
  }

  void note_cycle(const std::byte* record, char kind) {
    figures_.cycle = kind;
    run_to_cycle_ = search_.run_to(record);
  }

  /// Nothing: the budget ended before it was built.
  std::optional<Path> lasso(Budget& budget) {
    try {
      return close_cycle(graph_, run_to_cycle_(budget), figures_.cycle == 'S', sweep_options_, budget,
                         figures_.cycle_expansions);
    } catch (const LimitReached&) {
      return std::nullopt;
    }
  }

  G graph_;  // for everything but the sweep itself
  SweepOptions sweep_options_;
  LtlSweepOptions options_;
  SweepSearch<G, Watch> search_;
  LayerMap map_;
  LtlSweepFigures figures_;
  PathBuilder run_to_cycle_;
  std::uint64_t across_transitions_ = 0;
  bool early_ = true;  // the cycle was found while there may have been states left to visit
  Budget* budget_ = nullptr;
};

template <class G>
requires ProgressGraph<G> && BuchiGraph<G>
void LtlSweep<G>::Watch::add_root(std::byte* record) {
  if (self->graph_.region(record) == no_region) return;
  if (owners_ == most_owners) self->budget_->exhaust("more than 2^31 persistent states in a column");
  self->change(record, [&](PersistentMark& mark) {
    mark.number = ++owners_;
    owner_levels_.push_back(mark.level);
  });
}

template <class G>
requires ProgressGraph<G> && BuchiGraph<G>
void LtlSweep<G>::Watch::on_node(unsigned part, const G& graph, const std::byte* record, bool is_root) {
  Part& own = parts_[part];
  own.region = graph.region(record);
  const bool accepting = own.region != no_region && graph.accepting(record);
  if (!leads()) {
    own.node = layer_.add_node(part, accepting ? accepting_bit : 0);
    own.look_due = own.look_due || layer_.size_of(part) == next_look_;
  }
  if (own.region == no_region) return;
  if (accepting && self->options_.prune) map_of(part).add_accepting(line_, own.region);
  if (is_root)
    own.owner = self->mark_of(record).number << 1;
  else
    std::memcpy(&own.owner, record + offset_, sizeof own.owner);
  if (own.owner != 0 && accepting) own.owner |= 1;
}

template <class G>
requires ProgressGraph<G> && BuchiGraph<G>
auto LtlSweep<G>::Watch::on_step(unsigned part, const G& graph, const Step& step, Progress progress) -> Note {
  const Part& own = parts_[part];
  const bool inside = own.region != no_region && step.state && graph.region(step.state) == own.region &&
                      self->search_.column(progress) == self->search_.column(line_);
  if (inside && progress != line_ && self->options_.prune) map_of(part).add_edge(line_, progress, own.region);
  return {own.node, inside ? own.owner : 0, inside};
}

template <class G>
requires ProgressGraph<G> && BuchiGraph<G>
void LtlSweep<G>::Watch::on_arrival(unsigned part, const Note& note, const SweepTarget& target) {
  std::byte* const record = target.persistent ? target.layer->persistent.record(target.id)
                                              : target.layer->passing.record(target.id);
  if (note.inside && target.node != no_node) {
    if (leads())
      inner_.push_back(target.node);
    else
      layer_.add_edge(part, note.from, target.node);
  }
  if (!target.persistent) {
    if (note.inside && target.is_new && self->options_.owners)
      std::memcpy(record + offset_, &note.owner, sizeof note.owner);
    return;
  }
  PersistentMark mark = self->mark_of(record);
  if (target.is_new) mark.sweep = sweep_ + 1;
  const bool meets_known = note.inside && mark.sweep <= sweep_;
  if (meets_known && self->options_.owners && note.owner == (mark.number << 1 | 1) && !parts_[part].met)
    parts_[part].met = record;
  if (note.owner != 0) mark.level = std::max(mark.level, level_of(note.owner) + 1);
  if (meets_known && self->options_.suspects && mark.suspect == 0)
    mark.suspect = ++parts_[part].suspects & most_owners;  // a part has fewer states
  std::memcpy(record + offset_, &mark, sizeof mark);
}

template <class G>
requires ProgressGraph<G> && BuchiGraph<G>
bool LtlSweep<G>::Watch::end_layer() {
  for (unsigned part = 1; part < parts_.size(); ++part)
    if (LayerMap& map = parts_[part].map; !map.empty()) {
      self->map_.absorb(map);
      map.clear();
    }
  if (leads()) {
    if (on_cycle_ != no_node) self->note_cycle(self->search_.node_record(on_cycle_), 'S');
    return on_cycle_ == no_node;
  }
  if (look_for_cycle()) return false;
  return self->budget_->reason().empty();
}

template <class G>
requires ProgressGraph<G> && BuchiGraph<G>
bool LtlSweep<G>::Watch::look_for_cycle() {
  if (!layer_.may_have_cycle()) return false;
  std::uint64_t edges = 0;
  const auto go_on = [&] { return edges++ % poll_every != 0 || !self->budget_->exhausted({}); };
  const auto found = node_on_cycle(layer_.whole(), accepting_bit, go_on);
  if (found) self->note_cycle(self->search_.node_record(*found), 'S');
  return found.has_value();
}

// A violation need not wait until the layer is complete.
template <class G>
requires ProgressGraph<G> && BuchiGraph<G>
bool LtlSweep<G>::Watch::done() {
  bool look_due = false;
  for (Part& part : parts_) {
    if (part.met) {
      self->note_cycle(part.met, 'M');
      return true;
    }
    look_due = look_due || std::exchange(part.look_due, false);
  }
  if (!look_due) return false;
  next_look_ *= 2;
  return look_for_cycle();
}

// Nested depth-first search in the layer. A state that is stored because an earlier layer led to it is still
// searched as long as it is not blue: skipping it would break the post-order on which the method relies.
template <class G>
requires ProgressGraph<G> && BuchiGraph<G>
template <class Search, class Expand>
void LtlSweep<G>::Watch::lead(Search& search, const Expand& expand) {
  struct Frame {
    NodeId node;
    bool accepting;
    std::size_t first, next;  // in inner_
  };
  std::vector<Frame> stack;
  blue_.clear();
  red_.clear();
  const auto enter = [&](NodeId node) {
    blue_.resize(search.node_count());
    blue_[node] = true;
    const std::size_t first = inner_.size();
    const std::byte* const record = search.node_record(node);
    const bool accepting = self->graph_.region(record) != no_region && self->graph_.accepting(record);
    expand(node);
    stack.push_back({node, accepting, first, first});
  };
  for (NodeId start = 0; start < search.node_count() && !search.stopped(); ++start) {
    if (start < blue_.size() && blue_[start]) continue;
    enter(start);
    while (!stack.empty() && !search.stopped() && on_cycle_ == no_node) {
      Frame& frame = stack.back();
      if (frame.next < inner_.size()) {
        const NodeId to = inner_[frame.next++];
        if (to >= blue_.size() || !blue_[to]) enter(to);
        continue;
      }
      if (frame.accepting) search_red(search, frame.node);
      inner_.resize(frame.first);
      stack.pop_back();
    }
    if (on_cycle_ != no_node) return;
  }
}

// Red searches enter only states that are nodes of the layer: a persistent one that was searched in an
// earlier sweep has lost its neighbours, and its cycles within the layer were found then.
template <class G>
requires ProgressGraph<G> && BuchiGraph<G>
template <class Search>
void LtlSweep<G>::Watch::search_red(Search& search, NodeId seed) {
  const Region region = self->graph_.region(search.node_record(seed));
  std::vector<NodeId> waiting{seed};
  red_.resize(search.node_count());
  red_[seed] = true;
  while (!waiting.empty() && on_cycle_ == no_node) {
    const NodeId node = waiting.back();
    waiting.pop_back();
    ++self->figures_.red_expansions;
    self->graph_.successors(search.node_record(node), [&](const Step& step) {
      if (!step.state || self->graph_.region(step.state) != region) return;
      const NodeId to = search.find_node(step.state);
      if (to == seed) on_cycle_ = seed;
      if (to == no_node || red_[to]) return;
      red_[to] = true;
      waiting.push_back(to);
    });
    if (self->budget_->exhausted({.states = self->figures_.red_expansions})) return;
  }
}

}  // namespace tideline
