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
// Passed states. A search without a watch may write what the line passes to disk (store/passed_states.hpp). When a later
// sweep comes to a layer, what earlier ones have expanded there is put back before anything is expanded, so no state is
// expanded twice, and each regress edge is met once: a sweep after which there is another one has expanded something new,
// so there is a last one. A persistent state is not needed any more when it is expanded and on disk. Should the file be
// given up, all goes on as if the search had begun with the states that are in memory. Where there are many roots of the
// next sweep, they go to disk as well (store/postponed_roots.hpp), and come back as states that wait when the line is at
// their layer. One that is met again meanwhile is there twice, and nobody minds: it is expanded once, and logged twice.
//
// Another measure. Between two layers a search without a watch may go on with another measure, if an adviser
// has a better one: all states in memory are put into its layers, and the line starts at the first of them
// that has states to expand. Nothing is lost: every state that was ever reached has been expanded, or is in
// memory and waits. It ends: an adviser changes the measure a few times at most, and after the last change
// all is as if the search had begun with the states that wait and the persistent ones. States that were
// forgotten before the change may be met and visited once more; none is where the measure was known to be
// monotone, since nothing leads back to what it has passed, or where passed states are on disk: they are sorted
// by the new measure, and count as passed by an earlier sweep.
//
// Another search. A sweep can take over from a search that has kept all states so far (take_over.hpp).
//
// A watch (watch.hpp) looks at the states of the current layer as a graph while they are expanded: searches for
// cycles and SCCs within a layer are built on it.
//
// Several threads. The states are in as many parts as there are threads, which send each other what they find
// (mail.hpp) until nothing is left to do at the line. A thread that waited there for the others at every layer would
// wait most of the time. So without a watch, one that has nothing left to expand at the line goes on with its next
// layer, and the one after that, within the column, until it has expanded so many states ahead of the line as the
// options say. Then the line moves to the least layer that is not done in some part. What is expanded ahead of the line
// stays in memory until the line has passed it.
//
// The order in which states are expanded makes no difference to what a sweep visits or makes persistent. It visits
// what its roots lead to along transitions that do not go back, except for states that were persistent before it
// began. Where any other transition leads becomes persistent, and is a root of the next sweep, whether or not this
// one visits it, too. None of this depends on when something happens; only forgetting does. For that to be so, roots
// of the next sweep are kept apart, and a transition goes back when it leads to a smaller value than that of its
// source, wherever the line is. So verdicts, and with one measure the counts of a complete search, do not depend on threads.
//
// What an adviser is told does not depend on threads either: none goes ahead when it is about to look at the search. So
// the measure is changed at the same layer, unless that is a very large one.
//
// A few states are not worth dividing: a part of a layer costs as much as the whole. So between two layers, whenever
// twice as many states as at the last time have been expanded, the search looks whether there were enough for all
// threads mostly, and puts all states into one part, or deals them out again. Where a watch needs the order of one
// thread there is one part all the time, and other threads only compute successors (successor_farm.hpp).
//
// Between two layers a search can be saved and resumed in another process (checkpointer.hpp) if watch and
// observer have archive(), see store/checkpoint.hpp.
//
// Invariants, between two rounds: a stored state is persistent or its progress is not below the line; a layer is due
// iff it has states to expand in this sweep, or others that the line has to pass; with one part, roots of the next
// sweep lie behind the line, and nothing ahead of it has been expanded.
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "graph/progress.hpp"
#include "progress/adviser.hpp"
#include "progress/measure.hpp"
#include "run/budget.hpp"
#include "run/team.hpp"
#include "search/core/observer.hpp"
#include "search/sweep/checkpointer.hpp"
#include "search/sweep/logged_run.hpp"
#include "search/sweep/mail.hpp"
#include "search/sweep/outlook.hpp"
#include "search/sweep/parts.hpp"
#include "search/sweep/successor_farm.hpp"
#include "search/sweep/sweep_options.hpp"
#include "search/sweep/watch.hpp"
#include "store/layer_parts.hpp"
#include "store/passed_states.hpp"
#include "store/postponed_roots.hpp"
#include "store/trace_log.hpp"

namespace tideline {

/// A graph whose measure can be exchanged.
template <class G>
concept Remeasurable = requires(G& graph, Measure measure) {
  { graph.measure() } -> std::convertible_to<const Measure&>;
  graph.set_measure(measure);
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
        layers_(part_count(), state_bytes_, log_bytes_ + Watch::passing_bytes,
                log_bytes_ + Watch::persistent_bytes),
        at_line_(layers_.count()) {
    if (!watched && !options_.passed_states_folder.empty() && !options_.checkpoints)
      passed_states_ = std::make_unique<PassedStates>(options_.passed_states_folder, state_bytes_);
    may_postpone_ = passed_states_ != nullptr;
    watch_.attach(state_bytes_ + log_bytes_);
    if constexpr (in_parts)
      if (layers_.count() > 1) {
        watch_.set_parts(layers_.count());
        start_threads();
      }
    copy_graph();
  }

  SweepSearch(const SweepSearch&) = delete;

  template <Observer O>
  SearchResult run(O& observer, Budget& budget) {
    Observers<O> observers(observer, layers_.count());
    try {
      if (!load(observer) && !took_over_) start(observer);
      observers.share();
      outlook_.begin(counts_.expansions, budget);
      save_when_due(observers, budget);
      while (!stopped_ && move_line()) {
        sweep_round(observers, budget);
        choose_parts(budget);
        ask_adviser(budget);
        save_when_due(observers, budget);
        if (!stopped_) outlook_.preview_when_due(graph_, budget);
      }
    } catch (const std::bad_alloc&) {  // what has been stored so far is intact
      budget.exhaust_memory();
    }
    observers.absorb();
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

  /// Before run(): takes over from another search, see take_over.hpp. Throws LimitReached; run() then ends at once.
  void take_over(const FoundStates& found, Budget& budget);

  const SweepFigures& figures() const { return figures_; }
  LayerParts& layers() { return layers_; }
  Watch& watch() { return watch_; }
  const Watch& watch() const { return watch_; }
  G& graph() { return graph_; }

  /// The record of a node of the current layer.
  std::byte* node_record(NodeId node) {
    const unsigned part = node % layers_.count();
    const NodeId own = node / layers_.count();
    const Layer& layer = layers_.part(part).at(line_);
    const std::vector<StateId>& roots = layer.roots;
    if (own < roots.size()) return layer.persistent.record(roots[own]);
    return layer.passing.record(own - static_cast<NodeId>(roots.size()));
  }

  /// With one part: how many nodes of the current layer are known so far, and which one a state is, if it is one.
  NodeId node_count() {
    const Layer& layer = layers_.part(0).at(line_);
    return static_cast<NodeId>(layer.roots.size()) + layer.passing.size();
  }
  NodeId find_node(const std::byte* state) {
    if (graph_.progress(state) != line_) return no_node;
    const std::uint64_t hash = StateHash{}(state, state_bytes_);
    Layer& layer = layers_.part(0).at(line_);
    SweepTarget target{.layer = &layer, .id = layer.persistent.find(state, hash), .persistent = true};
    if (target.id == no_state) target = {.layer = &layer, .id = layer.passing.find(state, hash)};
    return target.id == no_state ? no_node : node_of(0, target);
  }
  bool stopped() const { return stopped_; }

  /// The run to a stored state, given what is kept beside it; empty without a log.
  PathBuilder run_to(const std::byte* record) const { return run_to(record, graph_); }

  /// Which column a progress value belongs to.
  Progress column(Progress progress) const {
    return options_.column_shift >= 64 ? 0 : progress >> options_.column_shift;
  }

 private:
  /// Else the watch sees states in the order of one thread.
  static constexpr bool in_parts = SharedWatch<Watch>;
  static constexpr bool watched = !std::same_as<Watch, NoWatch>;
  /// A watch looks at one layer at a time.
  static constexpr bool goes_ahead = !watched;
  bool may_go_ahead() const { return goes_ahead && !look_is_within(2); }

  using Part = SweepPart<G>;
  using PartMail = Mail<typename NoteOf<Watch>::type>;
  using Letter = typename PartMail::Letter;
  /// States that a part expands between two looks at its mail.
  static constexpr unsigned portion = 128;
  /// States that each part expands between two looks of a watch, at least.
  static constexpr std::uint64_t least_expansions = 512;

  template <class O>
  using Observers = PartObservers<O, in_parts>;

  unsigned part_count() {
    if constexpr (requires { watch_.leads(); })
      if (watch_.leads()) return 1;
    return in_parts ? std::max(options_.threads, 1u) : 1;
  }

  PathBuilder run_to(const std::byte* record, const G& graph) const {
    if (!options_.log) return {};
    return PathBuilder([log = options_.log, own = graph, number = log_number(record), hashed = hashed_](
                           Budget& budget) mutable { return logged_run(own, *log, number, budget, hashed); });
  }

  /// One for each part, since none of them is done before all are. The system may allow fewer.
  void start_threads() {
    team_ = std::make_unique<Team>(layers_.count());
    while (team_->threads() < team_->shares()) {
      const unsigned allowed = team_->threads();
      team_.reset();  // they count, too
      team_ = std::make_unique<Team>(allowed);
    }
    set_parts(team_->shares(), [] {});  // nothing is stored yet
    if (team_->shares() == 1) team_.reset();
  }

  /// Each part has a copy, so that all can be used at the same time.
  void copy_graph() {
    if constexpr (in_parts) {
      parts_.clear();
      for (unsigned i = 0; i < most_parts(); ++i) parts_.push_back(std::make_unique<Part>(graph_));
    } else {
      farm_ = std::make_unique<SuccessorFarm<G>>(graph_, options_.threads);
    }
  }

  template <class O>
  void start(O& observer) {
    std::uint32_t choice = 0;
    graph_.initial([&](const std::byte* state) {
      const Progress progress = graph_.progress(state);
      const std::uint64_t hash = StateHash{}(state, state_bytes_);
      Layers& part = layers_.of(hash);
      Layer& layer = part.at(progress);
      const Insertion insertion = part.insert_passing(layer, state, hash);
      if (insertion.inserted) {
        std::byte* const record = layer.passing.record(insertion.id);
        note(record, no_record, choice);
        part.make_due(progress, layer);
        observer.on_state(record, [&] { return run_to(record); });
      }
      ++choice;
    });
    stopped_ = observer.done();
  }

  bool write_expanded(const FoundStates& found, LimitCheck& check_limits);
  void keep_expanded(const FoundStates& found, LimitCheck& check_limits);
  void put_found(const FoundStates& found, StateId id);
  void log_found(const FoundStates& found, StateId id);

  std::uint32_t most_parts() const { return team_ ? team_->shares() : 1; }
  SearchStatus status() const {
    return {.sweeps = figures_.sweeps, .layers = figures_.layers, .visited = counts_.expansions};
  }

  // What is done between two layers, see between_layers.hpp.

  static constexpr bool may_change_measure = Remeasurable<G> && !watched;

  template <class File, class O>
  void archive(File& file, O& observer);
  template <class File>
  void archive_parts(File& file);
  template <class File>
  void archive_measure(File& file);
  template <class O>
  bool load(O& observer);
  template <class O>
  void save_when_due(Observers<O>& observers, Budget& budget);
  template <class Check>
  void set_parts(unsigned count, const Check& check);
  void ask_adviser(Budget& budget);
  void change_measure(const Measure& measure, Budget& budget);
  void set_measure(const Measure& measure);
  void recall(unsigned part, Progress progress, Layer& layer);
  void postpone_roots();
  void end_postponement();
  bool keep_passed(std::optional<Progress> next);

  /// To the next layer that has states to expand; false when there is none, in this sweep or a later one.
  bool move_line() {
    std::optional<Progress> next = first_due();
    if (started_ && (!next || column(*next) != column(line_))) {
      if (!watch_.end_sweep()) return !(stopped_ = true);
      if (has_later_roots()) {  // in the column of the line
        ++figures_.sweeps;
        if (passed_states_) passed_states_->end_sweep();
        if (postponed_) postponed_->begin_sweep();
        next_postponement_ = 0;
        layers_.make_later_roots_due();
        next = first_due();
      } else {
        if (!watch_.end_column()) return !(stopped_ = true);
        if (next) forget_columns_before(column(*next) << options_.column_shift);
      }
    }
    if (!next) return false;
    started_ = true;
    line_ = *next;
    if (postponed_) postponed_->pass(line_);
    return true;
  }
  bool has_later_roots() const {
    return layers_.has_later_roots() || (postponed_ && postponed_->has_later());
  }
  /// The least layer that is due, or has roots on disk, which is due then.
  std::optional<Progress> first_due() {
    const std::optional<Progress> due = layers_.first_due();
    const auto on_disk = postponed_ ? postponed_->first_due() : std::nullopt;
    if (!on_disk || (due && *due < *on_disk)) return due;
    for (unsigned part = 0; part < layers_.count(); ++part)
      layers_.part(part).make_due(*on_disk, layers_.part(part).at(*on_disk));
    return on_disk;
  }

  void forget_columns_before(Progress first) {
    layers_.forget_below(first);
    if (passed_states_) passed_states_->forget_below(first);
  }

  /// Whether the adviser looks at the search when this part of all visits until then has been made, or sooner: 1 / part. In
  /// the last half threads meet at every layer, so that what it sees of the last third does not depend on them. Layers
  /// grow and shrink: a shorter look would miss the large ones.
  bool look_is_within(std::uint64_t part) const {
    const auto look = options_.adviser ? options_.adviser->next_look() : std::nullopt;
    return look && counts_.expansions >= *look - *look / part;
  }

  /// Expands the layer at the line, and perhaps a little more.
  template <class O>
  void sweep_round(Observers<O>& observers, Budget& budget) {
    const std::uint64_t before = counts_.expansions;
    const bool enough = team_ && is_enough(waiting());
    shared_ = enough && layers_.count() > 1;
    std::size_t roots = 0;
    go_to_line();
    for (const PartAtLine& at : at_line_)
      if (at.layer) roots += at.layer->roots.size();
    watch_.begin_layer(line_, roots, figures_.sweeps);
    if constexpr (in_parts) {
      for (const PartAtLine& at : at_line_)
        if (at.layer)
          for (const StateId root : at.layer->roots) watch_.add_root(at.layer->persistent.record(root));
      expand_parts(observers, budget);
    } else {
      expand_in_order(observers.first, budget);
    }
    for (unsigned part = 0; part < layers_.count(); ++part) leave(part);
    const std::uint64_t expanded = counts_.expansions - before;
    if (enough || is_enough(expanded)) in_large_ += expanded;
    if (stopped_)
      ++figures_.layers;  // which the line does not leave
    else
      end_round();
  }

  /// All parts. Each reads what was expanded there before, and keeps what is its own.
  void go_to_line() {
    const auto go = [&](unsigned part) { go_to(part, line_); };
    if (layers_.count() > 1 && passed_states_ && is_enough(passed_states_->count(line_)))
      return team_->run(go);
    for (unsigned part = 0; part < layers_.count(); ++part) go(part);
  }
  /// A part goes on with another layer.
  void go_to(unsigned part, Progress progress) {
    Layer* const layer = layers_.part(part).find(progress);
    at_line_[part].progress = progress;
    at_line_[part].layer = layer;
    if (!layer) return;
    layers_.part(part).not_due(progress, *layer);
    if (passed_states_ && !layer->recalled) recall(part, progress, *layer);
  }
  std::size_t record_bytes() const { return state_bytes_ + log_bytes_; }
  /// What it has not expanded there waits.
  void leave(unsigned part) {
    const PartAtLine& at = at_line_[part];
    if (at.layer && at.layer->waits()) layers_.part(part).make_due(at.progress, *at.layer);
  }

  /// The line is about to move: everything below its next place is forgotten.
  void end_round() {
    stopped_ = !watch_.end_layer();
    layers_.note_peak();
    const std::uint64_t stored = layers_.stored();
    stored_lately_ = look_is_within(3) ? std::max(stored_lately_, stored) : 0;
    const std::optional<Progress> next = first_due();
    const bool kept = keep_passed(next);
    for_parts([&](unsigned part) { layers_.part(part).pass(line_, next, at_line_[part].passed, kept); });
    merge_passed(at_line_, [&](const PassedLayer& layer) {
      ++figures_.layers;
      const LayerReport report{figures_.sweeps, layer.progress, layer.expanded, stored, layers_.persistent()};
      if (options_.on_layer) options_.on_layer(report);
      outlook_.on_layer(report);
    });
    postpone_roots();
  }

  template <class O>
  void expand_in_order(O& observer, Budget& budget) {
    NodeId node = 0;
    farm_->run([&]() -> std::byte* { return stopped_ ? nullptr : next_at_line(0); },
               [&](std::byte* record, const auto& successors) {
                 if (!stopped_) expand(record, node++, successors, observer, budget);
               });
  }

  /// For all threads. Where they meet at every layer it must be larger.
  std::uint64_t few() const { return options_.few * (may_go_ahead() ? 1 : 8) * most_parts(); }
  bool is_enough(std::uint64_t states) const { return states > few(); }
  /// How many states wait from the line on, or at least that it is enough.
  std::uint64_t waiting();
  bool same_column(Progress progress) const {
    return options_.claimed_shift == 0 || column(progress) == column(line_);
  }

  /// Between two layers.
  void choose_parts(Budget& budget);

  /// Calls action(part) for every part, on its thread if the round is shared.
  template <class Action>
  void for_parts(const Action& action) {
    if (shared_) return team_->run(action);
    for (unsigned part = 0; part < layers_.count(); ++part) action(part);
  }

  template <class O>
  void expand_parts(Observers<O>& observers, Budget& budget) {
    if constexpr (requires { watch_.leads(); })
      if (watch_.leads()) {
        watch_.lead(*this, [&](NodeId node) {
          const bool is_root = node < at_line_[0].layer->roots.size();
          if (!stopped_) expand(0, node_record(node), is_root, observers.first, budget);
        });
        while (next_at_line(0)) {
        }
        return;
      }
    if (!shared_ || !Observers<O>::shared) {
      expand_alone(observers.first, Observers<O>::shared, budget);
      if (stopped_ || waiting_at_line() == 0) return;
    }
    const std::uint64_t before = counts_.expansions;
    do share_round(counts_.expansions - before, observers, budget);
    while (watched && !stopped_ && waiting_at_line() != 0);  // without a watch they end ahead of the line
  }

  /// The layer at the line, one state after the other, until the round had better be shared. A watch of one part relies
  /// on that order: it knows all steps of a node before the next one.
  template <class O>
  void expand_alone(O& observer, bool may_share, Budget& budget) {
    for (std::uint64_t left = 1; left != 0 && !stopped_;) {
      for (unsigned part = 0; part < layers_.count(); ++part)
        for (unsigned i = 0; i < portion && !stopped_; ++i) {
          const bool is_root = at_line_[part].layer && at_line_[part].layer->at_root();
          std::byte* const record = next_at_line(part);
          if (!record) break;
          expand(part, record, is_root, observer, budget);
        }
      left = waiting_at_line();
      if (layers_.count() == 1 && is_large()) return;
      if (layers_.count() > 1 && may_share && is_enough(left)) {
        shared_ = true;
        return;
      }
    }
  }
  /// Then one thread stores successors many at a time, too, so that they can be fetched from memory in advance.
  bool is_large() const { return !watched && at_line_[0].layer->passing.size() >= options_.many; }
  std::uint64_t waiting_at_line() const {
    std::uint64_t count = 0;
    for (const PartAtLine& at : at_line_)
      if (at.layer) count += at.layer->waiting();
    return count;
  }

  std::byte* next_at_line(unsigned part) {
    Layer* const layer = at_line_[part].layer;
    return layer ? layers_.part(part).next(*layer) : nullptr;
  }

  // A round that all threads share, see shared_round.hpp.

  /// All threads, until nothing is left to do. If there is a watch, only until they have doubled what was expanded in the
  /// layer: it wants to have a look at it then.
  template <class O>
  void share_round(std::uint64_t expanded, Observers<O>& observers, Budget& budget);
  void gather_figures();
  /// One thread's share of the round.
  template <class O>
  void expand_part(unsigned number, O& observer, Budget& budget);
  /// True: there are more.
  template <class O>
  bool expand_some(unsigned number, O& observer, Budget& budget);
  /// A state that is expanded.
  struct Node {
    std::byte* record = nullptr;  ///< none: nothing is left to expand
    Progress progress = 0;
    bool is_root = false;
  };
  /// What the part expands next in this round: at the line, or ahead of it, or for another part.
  Node next_of(unsigned number);
  template <class O>
  void expand_and_send(unsigned number, const Node& node, O& observer, Budget& budget);
  /// Gives states to a part that has none.
  void give_away(unsigned number);
  /// Stores what others, and the part itself, have sent to it. False: nothing had come.
  template <class O>
  bool take_mail(unsigned number, O& observer);
  template <class Some>
  void store(unsigned number, const Some& letters);
  /// Whether the next state of the layer is, at which the part is.
  bool next_is_announced(unsigned number) const;
  /// What was found goes to the log, and observers are told.
  template <class O>
  void announce(unsigned number, O& observer);

  auto successors_of(const std::byte* record) {
    return [this, record](const auto& sink) {
      graph_.successors(record, [&](const Step& step) {
        if (!step.state) return sink(step, 0, 0);
        sink(step, graph_.progress(step.state), StateHash{}(step.state, state_bytes_));
      });
    };
  }

  /// A node of a part, by the thread that runs the search.
  template <class O>
  void expand(unsigned part, std::byte* record, bool is_root, O& observer, Budget& budget) {
    watch_.on_node(part, graph_, record, is_root);
    const auto on_step = [&](const Step& step, Progress progress) {
      return [this, note = watch_.on_step(part, graph_, step, progress)](
                 unsigned to, const SweepTarget& target) { watch_.on_arrival(to, note, target); };
    };
    if (take_steps(record, successors_of(record), observer, budget, on_step)) watch_.on_dead_end(part);
    if (watch_.done()) stopped_ = true;
  }

  /// The next node of a watch that sees them in order.
  template <class Successors, class O>
  void expand(std::byte* record, NodeId node, const Successors& successors, O& observer, Budget& budget) {
    watch_.on_node(record);
    take_steps(record, successors, observer, budget, [&](const Step&, Progress) {
      return [this, node](unsigned, const SweepTarget& target) { watch_.on_edge(node, target); };
    });
    if constexpr (requires { watch_.done(); })
      if (watch_.done()) stopped_ = true;
  }

  /// `on_step` returns what is told where a step leads. True: the state has no steps.
  template <class Successors, class O, class OnStep>
  bool take_steps(std::byte* record, const Successors& successors, O& observer, Budget& budget,
                  const OnStep& on_step) {
    const auto locate = [&] { return run_to(record); };
    const LogNumber parent = options_.log ? log_number(record) : no_record;
    std::uint32_t choice = 0;
    ++counts_.expansions;
    successors([&](const Step& step, Progress progress, std::uint64_t hash) {
      ++counts_.transitions;
      if (pace_.is_due()) poll(budget);
      if (stopped_) return;
      observer.on_step(step, locate);
      const auto on_arrival = on_step(step, progress);
      if (step.state) {
        const unsigned part = layers_.part_of(hash);
        const SweepTarget target = reach(part, step, progress, hash, parent, choice, observer);
        if (stopped_) return;
        on_arrival(part, target);
      }
      ++choice;
    });
    const bool dead_end = choice == 0 && !stopped_;
    if (dead_end) {
      if (report_deadlock(observer, record, locate)) ++counts_.deadlocks;
    }
    if (observer.done()) stopped_ = true;
    return dead_end;
  }

  /// Stores the destination of a step unless it is stored.
  template <class O>
  SweepTarget reach(unsigned part, const Step& step, Progress progress, std::uint64_t hash, LogNumber parent,
                    std::uint32_t choice, O& observer) {
    const bool regress = progress < line_;
    if (regress && !allow_regress({step.action, line_, progress}, counts_)) {
      stopped_ = true;
      return {};
    }
    const SweepTarget target =
        put(part, layers_.part(part).at(progress), progress, regress, step.state, hash);
    if (target.id == no_state) stopped_ = full_ = true;
    if (target.is_new) {
      std::byte* const record = record_of(target);
      note(record, parent, choice);
      observer.on_state(record, [&] { return run_to(record); });
    }
    return target;
  }

  /// Into its layer, unless it is there. `id` is no_state when the table is full.
  SweepTarget put(unsigned part, Layer& layer, Progress progress, bool regress, const std::byte* state,
                  std::uint64_t hash) {
    Layers& layers = layers_.part(part);
    SweepTarget target{.progress = progress, .layer = &layer, .persistent = regress};
    const auto accept = [&](const Insertion& insertion) {
      target.id = insertion.id;
      target.is_new = insertion.inserted;
    };
    if (regress) {
      accept(layers.insert_persistent(layer, state, hash));
      if (target.is_new) layers.add_later_root(progress, layer, target.id);
      return target;
    }
    // A part that had no state at the line when it came there has one now.
    if (passed_states_ && progress == at_line_[part].progress && !layer.recalled)
      recall(part, progress, layer);
    target.id = layer.find_persistent(state, hash);
    target.persistent = target.id != no_state;
    if (!target.persistent) accept(layers.insert_passing(layer, state, hash));
    PartAtLine& at = at_line_[part];
    if (progress != at.progress) {
      if (target.is_new) layers.make_due(progress, layer);
      return target;
    }
    at.layer = &layer;
    if (target.id != no_state) target.node = node_of(part, target);
    return target;
  }

  static std::byte* record_of(const SweepTarget& target) {
    return (target.persistent ? target.layer->persistent : target.layer->passing).record(target.id);
  }

  /// A persistent state that was expanded in an earlier sweep is not a node of this layer.
  NodeId node_of(unsigned part, const SweepTarget& target) const {
    const std::vector<StateId>& roots = target.layer->roots;
    NodeId own = static_cast<NodeId>(roots.size()) + target.id;
    if (target.persistent) {
      if (roots.empty() || target.id < roots.front()) return no_node;
      own = target.id - roots.front();
    }
    return own * layers_.count() + part;
  }

  bool allow_regress(const RegressEdge& edge, ExpansionFigures& counts) {
    counts.count_regress(edge.action);
    const unsigned shift = options_.claimed_shift;
    if (shift >= 64 || edge.to >> shift == edge.from >> shift) return true;
    counts.broken_claim = edge;
    return false;
  }

  void note(std::byte* record, LogNumber parent, std::uint32_t choice) {
    if (!options_.log) return;
    put_log_number(record + state_bytes_, options_.log->append(parent, choice));
  }
  LogNumber log_number(const std::byte* record) const { return get_log_number(record + state_bytes_); }

  void poll(Budget& budget) { poll(budget, layers_.stored()); }
  void poll(Budget& budget, std::uint64_t stored) {
    if (options_.log && options_.log->failed())
      budget.exhaust("the log for runs cannot be written: " + options_.log->failure());
    std::uint64_t expansions = counts_.expansions, transitions = counts_.transitions;
    for (const auto& part : parts_) {
      expansions += part->expansions.load(std::memory_order_relaxed);
      transitions += part->transitions.load(std::memory_order_relaxed);
    }
    if (budget.exhausted({.states = expansions,
                          .transitions = transitions,
                          .frontier = stored,
                          .depth = figures_.layers,
                          .sweep = outlook_.sweep(),
                          .completion = outlook_.completion(expansions, budget)}))
      stopped_ = true;
  }

  SearchResult finish(Budget& budget) {
    if (full_) budget.exhaust(full_table_reason(layers_.stored()));
    result_.states = figures_.expansions = counts_.expansions;
    result_.transitions = counts_.transitions;
    result_.deadlocks = counts_.deadlocks;
    figures_.regress_edges = counts_.regress_edges;
    figures_.regress_by_action = counts_.regress_by_action;
    figures_.broken_claim = counts_.broken_claim;
    // What threads have found ahead of the line may wait twice after a change, as a root, too.
    figures_.each_once =
        passed_states_ && passed_states_->complete() && (figures_.measures == 1 || options_.threads <= 1);
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
  LayerParts layers_;
  std::vector<PartAtLine> at_line_;  // by part
  ExpansionFigures counts_;
  Pace pace_;
  SearchResult result_;
  SweepFigures figures_;
  Progress line_ = 0;
  bool started_ = false, full_ = false;
  std::atomic<bool> stopped_ = false;
  bool took_over_ = false;
  LogNumber hashed_ = 0;        // records of the log that come from the search before
  std::unique_ptr<Team> team_;  // of several threads, for a search in parts
  std::vector<std::unique_ptr<Part>> parts_;
  std::unique_ptr<PartMail> mail_;
  bool shared_ = false;                // all threads take part in the round
  std::uint64_t may_expand_ = 0;       // ahead of the line, in each part
  std::uint64_t most_expansions_ = 0;  // in a round, by each part
  std::uint64_t stored_ = 0;           // when the round began
  std::uint64_t stored_lately_ = 0;    // at most at a time, since the adviser's next look is near
  std::uint64_t in_large_ = 0;         // expansions in shared rounds since the last choice of parts
  std::uint64_t last_choice_ = 0, next_choice_ = options_.settle_in;
  std::unique_ptr<PassedStates> passed_states_;  // none: they are forgotten
  std::unique_ptr<PostponedRoots> postponed_;    // none: all roots are in memory
  bool may_postpone_ = false;
  std::uint64_t next_postponement_ = 0;     // when there are so many roots of the next sweep
  std::unique_ptr<SuccessorFarm<G>> farm_;  // of a search with a watch
  Outlook outlook_;
};

}  // namespace tideline

#include "search/sweep/between_layers.hpp"
#include "search/sweep/shared_round.hpp"
#include "search/sweep/take_over.hpp"
