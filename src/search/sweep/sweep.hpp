// The generalised sweep-line method: visits every reachable state and keeps only those ahead of the line.
//
//   L. M. Kristensen, T. Mailund: A Generalised Sweep-Line Method for Safety Properties, FME 2002.
//
// States are expanded in order of progress. When nothing is left to expand at the line it moves up to the
// next layer, and the states it leaves are forgotten. A transition back behind the line is a regress edge.
// Its destination may or may not have been visited and forgotten, so it becomes persistent: it is kept for
// ever, and unless it was persistent before it is a root of the next sweep, which starts when the line has
// reached the end. Every cycle has a state that is kept while it matters, so the search ends; with a measure
// without regress edges there is one sweep, and every state is expanded once.
//
// Runs do not come from memory, which forgets, but from a log on disk (store/trace_log.hpp): a stored state
// knows the number of its record.
//
// Columns. When the upper bits of the measure are known to be monotone, states with smaller ones cannot be
// reached again. The line then stays in such a column until no sweep finds anything new there; after that
// all of it is forgotten, persistent states too, and later columns are not swept again because of regress
// edges in it.
//
// Another measure. Between two layers a search without a watch may go on with another measure, if an adviser
// has a better one: all states in memory are put into its layers, and the line starts at the first of them
// that has states to expand. Nothing is lost: every state that was ever reached has been expanded, or is in
// memory and waits. It ends: an adviser changes the measure a few times at most, and after the last change
// all is as if the search had begun with the states that wait and the persistent ones. States that were
// forgotten before the change may be met and visited once more; none is where the measure was known to be
// monotone, since nothing leads back to what it has passed.
//
// Another search. A sweep can take over from a search that has kept all states so far. Those that it has
// expanded are kept where the line has not passed yet, so that they are not expanded again; the log begins
// with one record for each of its states, which has a hash of the state in place of a choice.
//
// A Watch looks at the states of the current layer as a graph while they are expanded: searches for cycles
// and SCCs within a layer are built on it. Nodes of a layer are numbered from 0 in the order of expansion,
// roots first. It may keep bytes of its own with every state.
//
//   w.attach(offset)                          where in a record the watch's own bytes begin
//   w.begin_layer(progress, roots, sweep)     its states are about to be expanded
//   w.on_node(state)                          the next node: it is expanded now
//   w.on_edge(from, target)                   a transition from this node; see SweepTarget
//   w.done()                                  optional: nothing is left to look for, end the search
//   w.leads(), w.lead(search, expand)         optional: the watch calls expand(node) for all nodes below
//                                             node_count(), in an order of its own
//   w.end_layer()                             all nodes are expanded; false: end the search
//   w.end_sweep(), w.end_column()             likewise
//
// Between two layers a search can be saved and resumed in another process (checkpointer.hpp) if watch and
// observer have archive(), see store/checkpoint.hpp.
//
// Invariants: a stored state is persistent or its progress is not below the line; passing tables behind the
// line are empty; roots of the next sweep lie behind the line.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/progress.hpp"
#include "progress/adviser.hpp"
#include "progress/measure.hpp"
#include "run/budget.hpp"
#include "search/core/observer.hpp"
#include "search/sweep/checkpointer.hpp"
#include "search/sweep/logged_run.hpp"
#include "search/sweep/outlook.hpp"
#include "search/sweep/successor_farm.hpp"
#include "store/layers.hpp"
#include "store/trace_log.hpp"

namespace tideline {

using NodeId = std::uint32_t;
inline constexpr NodeId no_node = ~NodeId{0};

/// Where a transition leads.
struct SweepTarget {
  Progress progress = 0;
  Layer* layer = nullptr;
  StateId id = no_state;    ///< in the layer's table of passing or of persistent states
  bool persistent = false;  ///< in which of the two
  bool is_new = false;      ///< it was not stored
  NodeId node = no_node;    ///< in the current layer, when it is expanded there in this sweep
};

struct NoWatch {
  static constexpr std::size_t passing_bytes = 0, persistent_bytes = 0;
  void begin_layer(Progress, std::size_t, std::uint64_t) {}
  void on_node(const std::byte*) {}
  void on_edge(NodeId, const SweepTarget&) {}
  bool end_layer() { return true; }
  bool end_sweep() { return true; }
  bool end_column() { return true; }
  void attach(std::size_t) {}
  void archive(auto&) {}
};

struct SweepOptions {
  /// Records how states were found; none: no runs.
  std::shared_ptr<TraceLog> log = {};
  /// progress >> claimed_shift is claimed never to decrease along a transition; 64 or more: nothing is.
  unsigned claimed_shift = 64;
  /// States of one column have the same progress >> column_shift, which is known, or claimed, never to
  /// decrease; 64: there is one column.
  unsigned column_shift = 64;
  unsigned threads = 1;
  /// Saves the search now and then, and resumes it; none: it is not saved.
  std::shared_ptr<Checkpointer> checkpoints = {};
  /// Called for every layer when it is complete; may be empty.
  std::function<void(const LayerReport&)> on_layer = {};
  /// Looks for better measures on the way; none: the measure stays. Only without a watch.
  std::shared_ptr<MeasureAdviser> adviser = {};
  bool columns = true;  ///< another measure's claims divide the states into columns
};

/// A graph whose measure can be exchanged.
template <class G>
concept Remeasurable = requires(G& graph, Measure measure) {
  { graph.measure() } -> std::convertible_to<const Measure&>;
  graph.set_measure(measure);
};

/// A transition that decreases what was claimed monotone.
struct RegressEdge {
  ActionId action = no_action;
  Progress from = 0, to = 0;
};

struct SweepFigures {
  std::uint64_t sweeps = 1;    ///< a change of the measure begins another one, unless nothing can be repeated
  std::uint64_t measures = 1;  ///< that were used, one after the other
  std::uint64_t layers = 0;    ///< line positions, over all sweeps
  std::uint64_t expansions = 0;  ///< of states, counted each time one is expanded
  std::uint64_t stored_peak = 0;
  std::uint64_t persistent = 0;                       ///< states that became so
  std::uint64_t regress_edges = 0;                    ///< counted each time one is met
  std::vector<std::uint64_t> regress_by_action = {};  ///< what takes them; may be shorter than the actions
  std::optional<RegressEdge> broken_claim = {};       ///< the search ended there
  std::optional<Completion> coverage = {};            ///< a limit ended the search, which had come so far

  /// For checkpoints; the others are known only at the end.
  void archive(auto& file) { file(sweeps, measures, layers, expansions, regress_edges, regress_by_action); }
};

/// What a sweep takes over: states that are numbered in the order in which they were found.
struct FoundStates {
  std::uint64_t count = 0;
  std::uint64_t expanded = 0;  ///< those below this number are; the others wait
  std::function<const std::byte*(StateId)> state;
  std::function<StateId(StateId)> parent;  ///< a smaller number, or no_state; used only if there is a log
  SearchResult result = {};                ///< so far
};

template <ProgressGraph G, class Watch = NoWatch>
class SweepSearch {
 public:
  SweepSearch(G graph, SweepOptions options, Watch watch = {})
      : graph_(std::move(graph)),
        options_(std::move(options)),
        watch_(std::move(watch)),
        state_bytes_(graph_.state_size()),
        log_bytes_(options_.log ? logged_bytes : 0),
        layers_(state_bytes_, log_bytes_ + Watch::passing_bytes, log_bytes_ + Watch::persistent_bytes) {
    watch_.attach(state_bytes_ + log_bytes_);
    farm_ = std::make_unique<SuccessorFarm<G>>(graph_, options_.threads);
  }

  SweepSearch(const SweepSearch&) = delete;

  template <Observer O>
  SearchResult run(O& observer, Budget& budget) {
    try {
      if (!load(observer) && !took_over_) start(observer);
      outlook_.begin(figures_.expansions, budget);
      save_when_due(observer, budget);
      while (!stopped_ && move_line()) {
        expand_layer(observer, budget);
        ask_adviser(budget);
        save_when_due(observer, budget);
        if (!stopped_) outlook_.preview_when_due(graph_, budget);
      }
    } catch (const std::bad_alloc&) {  // what has been stored so far is intact
      budget.exhaust_memory();
    }
    return finish(budget);
  }

  /// Saves the search once everything is visited, for callers with much work left afterwards.
  template <Observer O>
  void save(O& observer) {
    if (!options_.checkpoints) return;
    SearchStatus status = this->status();
    status.complete = true;
    options_.checkpoints->save([&](CheckpointWriter& file) { archive(file, observer); }, status);
  }

  /// Before run(): takes over from another search. What it has told its observer is not told again. Throws
  /// LimitReached; run() then ends at once.
  void take_over(const FoundStates& found, Budget& budget) {
    LimitCheck check_limits(&budget);
    took_over_ = true;
    const auto put = [&](StateId id, Progress progress) {
      const std::byte* const state = found.state(id);
      Layer& layer = layers_.at(progress);
      const StateId number = layers_.insert_passing(layer, state, StateHash{}(state, state_bytes_)).id;
      if (options_.log) std::memcpy(layer.passing.extra(number), &id, sizeof id);
      layer.expanded += id < found.expanded;
      layers_.make_due(progress, layer);  // what is expanded has to be passed, too
    };
    Progress first = ~Progress{0};
    for (std::uint64_t id = found.expanded; id < found.count; ++id)
      first = std::min<Progress>(first, graph_.progress(found.state(static_cast<StateId>(id))));
    for (std::uint64_t i = 0; i < found.count; ++i) {
      const auto id = static_cast<StateId>(i);
      check_limits();
      if (options_.log) log_found(found, id);
      const Progress progress = graph_.progress(found.state(id));
      if (id >= found.expanded || progress >= first) put(id, progress);
    }
    result_ = found.result;
    figures_.expansions = found.expanded;
    hashed_ = options_.log ? found.count : 0;
  }

  const SweepFigures& figures() const { return figures_; }
  Layers& layers() { return layers_; }
  Watch& watch() { return watch_; }
  const Watch& watch() const { return watch_; }
  G& graph() { return graph_; }

  /// The record of a node of the current layer.
  std::byte* node_record(NodeId node) {
    const Layer& layer = layers_.at(line_);
    if (node < roots_.size()) return layer.persistent.record(roots_[node]);
    return layer.passing.record(node - static_cast<NodeId>(roots_.size()));
  }

  /// How many nodes of the current layer are known so far, and which one a state is, if it is one.
  NodeId node_count() { return static_cast<NodeId>(roots_.size()) + layers_.at(line_).passing.size(); }
  NodeId find_node(const std::byte* state) {
    if (graph_.progress(state) != line_) return no_node;
    const std::uint64_t hash = StateHash{}(state, state_bytes_);
    const Layer& layer = layers_.at(line_);
    SweepTarget target{.id = layer.persistent.find(state, hash), .persistent = true};
    if (target.id == no_state) target = {.id = layer.passing.find(state, hash)};
    return target.id == no_state ? no_node : node_of(target);
  }
  bool stopped() const { return stopped_; }

  /// The run to a stored state, given what is kept beside it; empty without a log.
  PathBuilder run_to(const std::byte* record) const {
    if (!options_.log) return {};
    return PathBuilder([log = options_.log, graph = graph_, number = log_number(record),
                        hashed = hashed_](Budget& budget) mutable {
      return logged_run(graph, *log, number, budget, hashed);
    });
  }

  /// Which column a progress value belongs to.
  Progress column(Progress progress) const {
    return options_.column_shift >= 64 ? 0 : progress >> options_.column_shift;
  }

 private:
  static constexpr std::size_t logged_bytes = 5;  // of a log number: a million million states

  template <class O>
  void start(O& observer) {
    std::uint32_t choice = 0;
    graph_.initial([&](const std::byte* state) {
      const Progress progress = graph_.progress(state);
      Layer& layer = layers_.at(progress);
      const Insertion insertion = layers_.insert_passing(layer, state, StateHash{}(state, state_bytes_));
      if (insertion.inserted) {
        std::byte* const record = layer.passing.record(insertion.id);
        note(record, no_record, choice);
        layers_.make_due(progress, layer);
        observer.on_state(record, [&] { return run_to(record); });
      }
      ++choice;
    });
    stopped_ = observer.done();
  }

  void log_found(const FoundStates& found, StateId id) {
    const StateId parent = found.parent(id);
    const std::uint64_t hash = StateHash{}(found.state(id), state_bytes_);
    options_.log->append(parent == no_state ? no_record : parent, logged_hash(hash));
  }

  template <class File, class O>
  void archive(File& file, O& observer) {
    if constexpr (may_change_measure) archive_measure(file);
    file(layers_, line_, started_, result_.transitions, result_.deadlocks, figures_, watch_, observer);
  }

  /// The measure in use, and how many looks have been taken at others.
  template <class File>
  void archive_measure(File& file) {
    std::string text = graph_.measure().text();
    std::uint64_t looks = options_.adviser ? options_.adviser->looks() : 0;
    file(text, looks);
    if (!File::reads || !options_.adviser) return;
    options_.adviser->looks() = looks;
    if (text != graph_.measure().text()) set_measure(options_.adviser->read(text));
  }

  template <class O>
  bool load(O& observer) {
    if (!options_.checkpoints) return false;
    if constexpr (Archivable<Watch> && Archivable<O>)
      return options_.checkpoints->load([&](CheckpointReader& file) { archive(file, observer); });
    else
      throw Error(ErrorKind::usage, "this search does not support checkpoints");
  }

  /// Between two layers. If the budget ended before, something was left undone and is not saved; if it ends
  /// here, the search can be resumed from this point.
  template <class O>
  void save_when_due(O& observer, Budget& budget) {
    if (!options_.checkpoints || stopped_ || !budget.reason().empty()) return;
    poll(budget);
    if constexpr (Archivable<Watch> && Archivable<O>)
      if (stopped_ || options_.checkpoints->due())
        options_.checkpoints->save([&](CheckpointWriter& file) { archive(file, observer); }, status());
  }

  SearchStatus status() const {
    return {.sweeps = figures_.sweeps, .layers = figures_.layers, .visited = figures_.expansions};
  }

  static constexpr bool may_change_measure = Remeasurable<G> && std::same_as<Watch, NoWatch>;

  void ask_adviser(Budget& budget) {
    if constexpr (may_change_measure) {
      if (!options_.adviser || stopped_) return;
      const auto better = options_.adviser->better(
          graph_.measure(), {figures_.expansions, layers_.peak(), figures_.regress_edges}, budget);
      if (!better) return;
      change_measure(*better, budget);
      outlook_.begin(figures_.expansions, budget);
    }
  }

  /// Where a limit interrupts it the search ends; it can be resumed from what was saved last.
  void change_measure(const Measure& measure, Budget& budget) {
    if (!graph_.measure().claimed_monotone()) ++figures_.sweeps;
    ++figures_.measures;
    set_measure(measure);
    Layers old = std::exchange(layers_, layers_.empty_copy());
    line_ = 0;
    started_ = false;
    LimitCheck check_limits(&budget);
    try {
      layers_.take_from(
          old, [&](const std::byte* state) { return graph_.progress(state); }, [&] { check_limits(); });
    } catch (const LimitReached&) {
      stopped_ = true;
    }
  }

  void set_measure(const Measure& measure) {
    options_.claimed_shift = measure.claimed_shift();
    options_.column_shift = options_.columns ? options_.claimed_shift : 64;
    graph_.set_measure(measure);
    farm_ = std::make_unique<SuccessorFarm<G>>(graph_, options_.threads);
  }

  /// To the next layer that has states to expand; false when there is none, in this sweep or a later one.
  bool move_line() {
    std::optional<Progress> next = started_ ? layers_.due_above(line_) : layers_.first_due();
    if (started_ && (!next || column(*next) != column(line_))) {
      if (!watch_.end_sweep()) return !(stopped_ = true);
      next = layers_.first_due();  // behind the line, or in a later column
      if (next && column(*next) == column(line_)) {
        ++figures_.sweeps;
      } else {
        if (!watch_.end_column()) return !(stopped_ = true);
        if (next) layers_.forget_below(column(*next) << options_.column_shift);
      }
    }
    if (!next) return false;
    started_ = true;
    line_ = *next;
    ++figures_.layers;
    return true;
  }
  template <class O>
  void expand_layer(O& observer, Budget& budget) {
    Layer& layer = layers_.at(line_);
    layers_.not_due(line_, layer);
    roots_ = std::exchange(layer.roots, {});
    watch_.begin_layer(line_, roots_.size(), figures_.sweeps);
    if constexpr (requires { watch_.leads(); }) {
      if (watch_.leads()) {
        watch_.lead(*this, [&](NodeId node) { expand_alone(node, observer, budget); });
        return leave_layer();
      }
    }
    NodeId node = 0;
    std::size_t next_root = 0;
    farm_->run(
        [&]() -> std::byte* {
          if (stopped_) return nullptr;
          if (next_root < roots_.size()) return layer.persistent.record(roots_[next_root++]);
          return layer.expanded < layer.passing.size() ? layer.passing.record(layer.expanded++) : nullptr;
        },
        [&](std::byte* record, const auto& successors) {
          if (!stopped_) expand(record, node++, successors, observer, budget);
        });
    leave_layer();
  }

  void leave_layer() {
    if (stopped_) return;
    const LayerReport report{figures_.sweeps, line_, node_count(), layers_.stored(), layers_.persistent()};
    if (options_.on_layer) options_.on_layer(report);
    outlook_.on_layer(report);
    stopped_ = !watch_.end_layer();
    layers_.forget_passing(line_);
  }

  template <class O>
  void expand_alone(NodeId node, O& observer, Budget& budget) {
    std::byte* const record = node_record(node);
    const auto successors = [&](const auto& sink) {
      graph_.successors(record, [&](const Step& step) {
        if (!step.state) return sink(step, 0, 0);
        sink(step, graph_.progress(step.state), StateHash{}(step.state, state_bytes_));
      });
    };
    if (!stopped_) expand(record, node, successors, observer, budget);
  }

  template <class Successors, class O>
  void expand(std::byte* record, NodeId node, const Successors& successors, O& observer, Budget& budget) {
    const auto locate = [&] { return run_to(record); };
    const LogNumber parent = options_.log ? log_number(record) : no_record;
    std::uint32_t choice = 0;
    ++figures_.expansions;
    watch_.on_node(record);
    successors([&](const Step& step, Progress progress, std::uint64_t hash) {
      if (result_.transitions++ % poll_every == 0) poll(budget);
      if (stopped_) return;
      observer.on_step(step, locate);
      if (step.state) {
        const SweepTarget target = reach(step, progress, hash, parent, choice, observer);
        if (stopped_) return;
        watch_.on_edge(node, target);
      }
      ++choice;
    });
    if (choice == 0 && !stopped_) {
      ++result_.deadlocks;
      observer.on_deadlock(locate);
    }
    stopped_ = stopped_ || observer.done();
    if constexpr (requires { watch_.done(); }) stopped_ = stopped_ || watch_.done();
  }

  /// Stores the destination of a step unless it is stored.
  template <class O>
  SweepTarget reach(const Step& step, Progress progress, std::uint64_t hash, LogNumber parent,
                    std::uint32_t choice, O& observer) {
    SweepTarget target{.progress = progress};
    Layer& layer = layers_.at(target.progress);
    target.layer = &layer;
    if (target.progress < line_) {
      if (!allow_regress(step.action, target.progress)) return target;
      target.persistent = true;
      accept(layers_.insert_persistent(layer, step.state, hash), target);
      if (target.is_new) layer.roots.push_back(target.id);
    } else {
      if (layer.persistent.size() != 0) target.id = layer.persistent.find(step.state, hash);
      target.persistent = target.id != no_state;
      if (!target.persistent) accept(layers_.insert_passing(layer, step.state, hash), target);
      if (target.progress == line_) target.node = node_of(target);
    }
    if (target.is_new) {
      std::byte* const record =
          target.persistent ? layer.persistent.record(target.id) : layer.passing.record(target.id);
      note(record, parent, choice);
      if (target.progress != line_) layers_.make_due(target.progress, layer);
      observer.on_state(record, [&] { return run_to(record); });
    }
    return target;
  }

  void accept(const Insertion& insertion, SweepTarget& target) {
    target.id = insertion.id;
    target.is_new = insertion.inserted;
    if (insertion.id == no_state) stopped_ = full_ = true;
  }

  /// A persistent state that was expanded in an earlier sweep is not a node of this layer.
  NodeId node_of(const SweepTarget& target) const {
    if (!target.persistent) return static_cast<NodeId>(roots_.size()) + target.id;
    return !roots_.empty() && target.id >= roots_.front() ? target.id - roots_.front() : no_node;
  }

  bool allow_regress(ActionId action, Progress to) {
    ++figures_.regress_edges;
    if (action != no_action) {
      if (figures_.regress_by_action.size() <= action) figures_.regress_by_action.resize(action + 1);
      ++figures_.regress_by_action[action];
    }
    if (options_.claimed_shift >= 64 || to >> options_.claimed_shift == line_ >> options_.claimed_shift)
      return true;
    figures_.broken_claim = RegressEdge{action, line_, to};
    stopped_ = true;
    return false;
  }

  void note(std::byte* record, LogNumber parent, std::uint32_t choice) {
    if (!options_.log) return;
    const LogNumber number = options_.log->append(parent, choice);
    std::memcpy(record + state_bytes_, &number, logged_bytes);
  }
  LogNumber log_number(const std::byte* record) const {
    LogNumber number = 0;
    std::memcpy(&number, record + state_bytes_, logged_bytes);
    return number;
  }

  void poll(Budget& budget) {
    if (options_.log && !options_.log->failure().empty())
      budget.exhaust("the log for runs cannot be written: " + options_.log->failure());
    if (budget.exhausted({.states = figures_.expansions,
                          .transitions = result_.transitions,
                          .frontier = layers_.stored(),
                          .depth = figures_.layers,
                          .sweep = outlook_.sweep(),
                          .completion = outlook_.completion(figures_.expansions, budget)}))
      stopped_ = true;
  }

  SearchResult finish(Budget& budget) {
    if (full_) budget.exhaust(full_table_reason(layers_.stored()));
    result_.states = figures_.expansions;
    figures_.stored_peak = layers_.peak();
    figures_.persistent = layers_.persistent();
    if (!budget.reason().empty()) figures_.coverage = outlook_.coverage(graph_, figures_.expansions, budget);
    if (!budget.reason().empty() || figures_.broken_claim)
      result_.end = SearchEnd::exhausted;
    else
      result_.end = stopped_ ? SearchEnd::satisfied : SearchEnd::complete;
    return result_;
  }

  G graph_;
  SweepOptions options_;
  Watch watch_;
  std::size_t state_bytes_, log_bytes_;
  Layers layers_;
  SearchResult result_;
  SweepFigures figures_;
  Progress line_ = 0;
  bool started_ = false, stopped_ = false, full_ = false;
  bool took_over_ = false;
  LogNumber hashed_ = 0;  // records of the log that come from the search before
  std::unique_ptr<SuccessorFarm<G>> farm_;
  Outlook outlook_;
  std::vector<StateId> roots_;  // of the current layer, one after the other
};

}  // namespace tideline
