// The sweep-line method by many ranks: visits every reachable state, and each rank keeps only its share of those
// ahead of the line.
//
// It is the method of search/sweep/sweep.hpp; read that first. The line is the same for all ranks: a layer is the
// states of one progress value wherever they lie, and each of them lies on the rank that its hash says. A rank
// expands its states of the layer and sends their successors to the ranks that own those. A successor of the
// same layer is expanded there as soon as it arrives. When nothing of the layer is left anywhere and nothing is on
// its way, and only then, each rank forgets its part of the layer, and all go on to the least layer that has
// states to expand on any rank.
//
// Why all must be done first. A rank that has nothing left to expand in the layer may still be sent states of it
// that it has expanded. If it had forgotten them it would expand them again, and would send their successors again;
// on a cycle within a layer this goes on for ever.
//
// Small layers. To find out that a layer is done everywhere is a round of messages, which takes as long as
// expanding hundreds of states, and far longer where ranks have to wait for a core. So a rank that has nothing left
// to expand at the line goes on with its next layer, and the one after that, until it has expanded a thousand states
// ahead of the line, or an eighth of those that it stores. The line then moves to the least layer that is not done on
// some rank, and everything below is forgotten. What is expanded ahead of the line stays in memory until the line has
// passed it, so little more than that is stored. What a rank has for others it sends when a batch is full,
// or when it has nothing left to expand and nothing has arrived: there are far fewer messages then, and the others
// have work ahead, too.
//
// The order in which states are expanded makes no difference to what a sweep visits or makes persistent. It visits
// what its roots lead to along transitions that do not go back, except for states that were persistent before it
// began. Where any other transition leads becomes persistent, and is a root of the next sweep, whether or not this
// one visits it, too. None of this depends on when something happens; only forgetting does. So these figures are
// those of one process, whatever the number of ranks and the delays of messages. For that to be so, roots of the next
// sweep are kept apart, and a transition goes back when it leads to a smaller value than that of its source,
// wherever the line is.
//
// One round for a layer. The next line is agreed on with the waves that find out that a round is over
// (ranks/ranks.hpp), so a round costs two waves and nothing else. A rank may then be sent states of the next round
// before it knows that the last one is over. This does no harm while the line goes forward: they come from layers at
// the next line or above it, so they are persistent or not below that line, and not among what the receiver is
// about to forget. When the line goes back to begin another sweep, all wait for each other once more.
//
// Columns. States are not expanded ahead in the next column, since this one may have to be swept again. A measure
// that is monotone as a whole needs no columns: nothing becomes persistent.
//
// Runs (see ranks/common_findings.hpp). Each rank has a log of its own for the states that it stores. A record
// names its parent by a number that says the rank, too. Runs are put together so: the rank that has the last record
// tells everybody the choice and the parent, then the rank of the parent does, and so on; each reads its log
// backwards, so it meets every block once. Then the choices are made again from the initial state.
//
// Another measure. The first rank asks the adviser, and says what it wants with the waves of the next layer. Each
// rank puts its own states into the layers of the new measure: who owns a state does not depend on it.
//
// Between two rounds the search can be saved by all ranks together, and resumed (search/sweep/checkpointer.hpp).
//
// Invariants, between two rounds: line_, started_, figures_.sweeps and figures_.layers are the same everywhere; no
// passing state lies below the line; a layer is due iff it has states to be expanded in this sweep; later roots lie in
// the column of the line.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/ranks/common_findings.hpp"
#include "cluster/ranks/guarded.hpp"
#include "cluster/ranks/rank_figures.hpp"
#include "cluster/ranks/state_batches.hpp"
#include "graph/progress.hpp"
#include "run/budget.hpp"
#include "search/core/observer.hpp"
#include "search/sweep/logged_run.hpp"
#include "search/sweep/sweep.hpp"
#include "store/layer_parts.hpp"
#include "store/trace_log.hpp"

namespace tideline::cluster {

template <ProgressGraph G, class O>
class SweepSearch {
 public:
  /// Each rank has a log of its own, or none has one. The threads of the options are not used. What is expanded ahead
  /// of the line takes longer than a round of messages.
  SweepSearch(const G& graph, Ranks& ranks, SweepOptions options, O& observer, Budget& budget)
      : graph_(graph),
        ranks_(ranks),
        options_(std::move(options)),
        observer_(observer),
        findings_(ranks, observer),
        budget_(budget),
        batches_before_(ranks.batches_sent()),
        bytes_before_(ranks.bytes_sent()),
        state_bytes_(graph_.state_size()),
        log_bytes_(options_.log ? logged_bytes : 0),
        layers_(1, state_bytes_, log_bytes_, log_bytes_),
        batches_(ranks, state_bytes_, Receiver{*this}) {}

  /// A collective. Throws RankLeft.
  SearchResult run() {
    if (!load()) {
      guarded(ranks_, budget_, [&] { start(); });
      settle();
    }
    outlook_.begin(agreed_.expansions, budget_);
    save_when_due();
    while (!over_ && move_line()) {
      settle();
      if (!over_) end_round();
      save_when_due();
    }
    exchange();
    Budget wrap_up = budget_.wrap_up();
    findings_.put_runs_together([&](const Path& reference) { return put_together(reference, wrap_up); });
    return result_;
  }

  /// Of all ranks together.
  const SweepFigures& figures() const { return figures_; }
  const RankFigures& rank_figures() const { return rank_figures_; }
  const G& graph() const { return graph_; }

 private:
  /// So many transitions are taken between two looks at what has arrived.
  static constexpr std::uint64_t transitions_between_polls = 256;
  static constexpr Progress no_progress = ~Progress{0};

  /// What a state travels with.
  struct Note {
    Progress progress;
    LogNumber parent;  ///< where it comes from
    std::uint32_t choice;
    bool regress;  ///< the state before it has made more progress
  };

  struct Receiver {
    SweepSearch& search;
    void operator()(unsigned from, const FewStates<Note>& few) { search.arrive(from, few); }
    void out_of_memory() { end_without_memory(search.ranks_, search.budget_); }
  };

  /// What all ranks know at the end of a round.
  struct Agreement {
    std::optional<Progress> due = {};   ///< the least layer that has states to be expanded in this sweep
    std::optional<Progress> root = {};  ///< the least layer that has roots of the next sweep
    bool stopped = false, located = false, other_measure = false, save = false;
    std::uint64_t expanded = 0;  ///< in this round
    std::uint64_t expansions = 0, stored = 0, persistent = 0, regress_edges = 0;

    void archive(auto& file) { file(due, root, expansions); }
  };

  // --- A round.

  /// An initial state is put where it belongs by its owner.
  void start() {
    std::uint32_t choice = 0;
    graph_.initial([&](const std::byte* state) {
      if (batches_.owner(state) == ranks_.rank()) {
        const Progress progress = graph_.progress(state);
        store({.progress = progress, .parent = no_record, .choice = choice, .regress = false}, no_record,
              state, here().at(progress), StateHash{}(state, state_bytes_));
      }
      ++choice;
    });
  }

  /// Expands the layer at the line, what arrives for it, and a little more, until that is done everywhere.
  void settle() {
    expanded_ = 0;
    const Layer* const line = here().find(line_);
    ahead_of_line_ = here().expanded() - (line ? line->expanded : 0);
    may_expand_ = options_.ahead.most(layers_.stored());
    for (;;) {
      guarded(ranks_, budget_, [&] {
        do {
          do {
            while (const auto layer = next_layer()) expand_layer(*layer);
            batches_.flush_here();
            look_up();
          } while (next_layer());
          batches_.flush();
        } while (next_layer());
      });
      if (const auto totals = ranks_.settled([&] { return report(); })) return agree(*totals);
      if (!look_up()) ranks_.pause();
    }
  }

  /// The layer that this rank expands next in this round.
  std::optional<Progress> next_layer() const {
    const auto layer = layers_.first_due();
    if (!layer || !started_ || ranks_.stopped() || column(*layer) != column(line_)) return std::nullopt;
    return may_expand(*layer) ? layer : std::nullopt;
  }
  bool may_expand(Progress progress) const { return progress == line_ || ahead_of_line_ < may_expand_; }

  void expand_layer(Progress progress) {
    Layer& layer = here().at(progress);
    while (layer.waits() && !ranks_.stopped() && may_expand(progress)) expand(here().next(layer), progress);
    if (!layer.waits()) here().not_due(progress, layer);
  }

  void expand(const std::byte* record, Progress progress) {
    const auto locate = [&] { return reference_to(record); };
    const LogNumber parent = options_.log ? log_number(record) : no_record;
    std::uint32_t choice = 0;
    ++expanded_;
    if (progress != line_) ++ahead_of_line_;
    ++figures_.expansions;
    graph_.successors(record, [&](const Step& step) {
      if (result_.transitions++ % transitions_between_polls == 0) look_up();
      if (ranks_.stopped()) return;
      observer_.on_step(step, locate);
      if (step.state) give(step, progress, parent, choice);
      ++choice;
    });
    if (choice == 0 && !ranks_.stopped()) {
      if (report_deadlock(observer_, record, locate)) ++result_.deadlocks;
    }
    if (observer_.done()) ranks_.stop();
  }

  void give(const Step& step, Progress from, LogNumber parent, std::uint32_t choice) {
    const Progress to = graph_.progress(step.state);
    const bool regress = to < from;
    if (regress && !allow_regress({step.action, from, to})) return;
    batches_.give(step.state, {to, parent, choice, regress});
  }

  bool allow_regress(const RegressEdge& edge) {
    ++figures_.regress_edges;
    const unsigned shift = options_.claimed_shift;
    if (shift >= 64 || edge.to >> shift == edge.from >> shift) return true;
    figures_.broken_claim = edge;
    ranks_.stop();
    return false;
  }

  /// What arrives once the search is to end comes too late.
  void arrive(unsigned from, const FewStates<Note>& few) {
    std::array<std::uint64_t, StateBatches<Note, Receiver>::chunk> hashes;
    std::array<Layer*, StateBatches<Note, Receiver>::chunk> layers;
    if (ranks_.stopped()) return;
    for (std::size_t i = 0; i < few.count(); ++i) hashes[i] = few.hash(i);
    here().fetch(
        few.count(), [&](std::size_t i) { return few.note(i).progress; },
        [&](std::size_t i) { return hashes[i]; }, layers.data());
    for (std::size_t i = 0; i < few.count() && !ranks_.stopped(); ++i) {
      const Note note = few.note(i);
      store(note, global_record(from, note.parent), few.state(i), *layers[i], hashes[i]);
    }
  }

  /// Stores a state unless it is stored.
  void store(const Note& note, LogNumber parent, const std::byte* state, Layer& layer, std::uint64_t hash) {
    if (!note.regress && layer.find_persistent(state, hash) != no_state) return;
    const Insertion insertion = note.regress ? here().insert_persistent(layer, state, hash)
                                             : here().insert_passing(layer, state, hash);
    if (insertion.id == no_state) {
      budget_.exhaust(full_table_reason(layers_.stored()) + " on rank " + std::to_string(ranks_.process()));
      return ranks_.stop();
    }
    if (!insertion.inserted) return;
    if (note.regress)
      here().add_later_root(note.progress, layer, insertion.id);
    else
      here().make_due(note.progress, layer);
    std::byte* const record = (note.regress ? layer.persistent : layer.passing).record(insertion.id);
    if (options_.log) {
      const LogNumber number = options_.log->append(parent, note.choice);
      put_log_number(record + state_bytes_, number);
    }
    observer_.on_state(record, [&] { return reference_to(record); });
    if (observer_.done()) ranks_.stop();
  }

  // --- Between two rounds.

  Totals report() {
    const auto due = layers_.first_due(), root = here().first_later_root();
    const bool save = options_.checkpoints && ranks_.is_first() && options_.checkpoints->due();
    reported_ = located_;
    return {.sums = {due.has_value(), root.has_value(), ranks_.stopped(), located_ != adopted_,
                     better_measure_.has_value(), expanded_, figures_.expansions, layers_.stored(),
                     layers_.persistent(), figures_.regress_edges, save},
            .least = {due.value_or(no_progress), root.value_or(no_progress)}};
  }

  /// All ranks do the same here, because they have been told the same.
  void agree(const Totals& totals) {
    const auto& sums = totals.sums;
    agreed_ = {.stopped = sums[2] != 0,
               .located = sums[3] != 0,
               .other_measure = sums[4] != 0,
               .expanded = sums[5],
               .expansions = sums[6],
               .stored = sums[7],
               .persistent = sums[8],
               .regress_edges = sums[9]};
    agreed_.save = sums[10] != 0;
    if (sums[0] != 0) agreed_.due = totals.least[0];
    if (sums[1] != 0) agreed_.root = totals.least[1];
    stored_peak_ = std::max(stored_peak_, agreed_.stored);
    adopted_ = reported_;
    over_ = agreed_.stopped || (agreed_.located && findings_.adopt());
  }

  /// To the next layer that has states to expand; false when there is none, in this sweep or a later one.
  bool move_line() {
    const bool stays = agreed_.due && (!started_ || column(*agreed_.due) == column(line_));
    const auto next = !stays && agreed_.root ? agreed_.root : agreed_.due;
    if (!next) return false;
    const bool back = !stays && agreed_.root;
    if (back)
      begin_sweep();
    else if (!stays)
      layers_.forget_below(column(*next) << options_.column_shift);
    started_ = true;
    line_ = *next;
    ++figures_.layers;
    if (back) ranks_.all_reduce({});
    return true;
  }

  void begin_sweep() {
    ++figures_.sweeps;
    layers_.make_later_roots_due();
  }

  void end_round() {
    const LayerReport layer{figures_.sweeps, line_, agreed_.expanded, agreed_.stored, agreed_.persistent};
    if (options_.on_layer) options_.on_layer(layer);
    outlook_.on_layer(layer);
    here().pass(line_, agreed_.due, passed_, false);
    passed_.clear();
    change_measure();
    if (ranks_.is_first()) outlook_.preview_when_due(graph_, budget_);
  }

  Layers& here() { return layers_.part(0); }

  Progress column(Progress progress) const {
    return options_.column_shift >= 64 || options_.claimed_shift == 0 ? 0 : progress >> options_.column_shift;
  }

  /// Goes on with another measure if the first rank has said so, and lets it look for one otherwise.
  void change_measure() {
    if constexpr (Remeasurable<G>) {
      if (!options_.adviser) return;
      if (!agreed_.other_measure) {
        if (ranks_.is_first())
          better_measure_ = options_.adviser->better(
              graph_.measure(), {agreed_.expansions, stored_peak_, agreed_.regress_edges}, budget_);
        return;
      }
      ByteWriter writer;
      std::string text = better_measure_ ? better_measure_->text() : "";
      writer(text);
      const Bytes message = ranks_.broadcast(0, writer.take());
      ByteReader{message}(text);
      better_measure_.reset();
      guarded(ranks_, budget_, [&] { set_measure(options_.adviser->read(text)); });
      settle();
    }
  }

  void use_measure(const Measure& measure) {
    options_.claimed_shift = measure.claimed_shift();
    options_.column_shift = options_.columns ? options_.claimed_shift : 64;
    graph_.set_measure(measure);
  }

  void set_measure(const Measure& measure) {
    if (!graph_.measure().claimed_monotone()) ++figures_.sweeps;
    ++figures_.measures;
    layers_.make_later_roots_due();
    use_measure(measure);
    line_ = 0;
    started_ = false;
    outlook_.begin(agreed_.expansions, budget_);
    LimitCheck check_limits(&budget_);
    try {
      layers_.measure_again([&](const std::byte* state, Progress) { return graph_.progress(state); },
                            [&] { check_limits(); });
    } catch (const LimitReached&) {
      ranks_.stop();
    }
  }

  // --- Checkpoints.

  void archive(auto& file) {
    archive_measure(file);
    file(layers_, line_, started_, agreed_, result_.transitions, result_.deadlocks, figures_,
         figures_.expansions, figures_.regress_edges, stored_peak_, observer_);
    if (std::decay_t<decltype(file)>::reads)
      file.require(layers_.all_of([&](const std::byte* state, Progress progress) {
        return is_state_of(graph_, state) && graph_.progress(state) == progress &&
               batches_.owner(state) == ranks_.rank();
      }));
  }

  template <class File>
  void archive_measure(File& file) {
    if constexpr (Remeasurable<G>) {
      std::string text = graph_.measure().text();
      std::uint64_t looks = options_.adviser ? options_.adviser->looks() : 0;
      file(text, looks);
      if (!File::reads || !options_.adviser) return;
      options_.adviser->looks() = looks;
      if (text != graph_.measure().text()) use_measure(options_.adviser->read(text));
    }
  }

  bool load() {
    if (!options_.checkpoints) return false;
    if (!options_.checkpoints->load([&](CheckpointReader& file) { archive(file); })) return false;
    ranks_.all_reduce({});  // everybody can receive now
    return true;
  }

  void save_when_due() {
    if (over_ || !std::exchange(agreed_.save, false)) return;
    const SearchStatus status{
        .sweeps = figures_.sweeps, .layers = figures_.layers, .visited = agreed_.expansions};
    options_.checkpoints->save([&](CheckpointWriter& file) { archive(file); }, status);
  }

  // --- Limits.

  /// Takes what has arrived, and looks at the limits. False: nothing had arrived.
  bool look_up() {
    const bool any = ranks_.poll();
    if (ranks_.stopped()) return any;
    if (options_.log && !options_.log->failure().empty())
      budget_.exhaust("the log for runs cannot be written: " + options_.log->failure());
    if (budget_.exhausted(status())) ranks_.stop();
    return any;
  }

  /// Hashes spread states evenly, so each rank has about the same number of them.
  RunStatus status() const {
    const std::uint64_t visited = figures_.expansions * ranks_.size();
    return {.states = visited,
            .transitions = result_.transitions * ranks_.size(),
            .frontier = layers_.stored() * ranks_.size(),
            .depth = figures_.layers,
            .sweep = outlook_.sweep(),
            .completion = outlook_.completion(visited, budget_)};
  }

  // --- The end.

  /// Everything that a rank knows.
  void exchange() {
    std::string reason = budget_.reason();
    std::uint64_t persistent = layers_.persistent();
    RankFigures here{.batches = ranks_.batches_sent() - batches_before_,
                     .batch_bytes = ranks_.bytes_sent() - bytes_before_};
    bool exhausted = false;
    SearchResult sum;
    SweepFigures all = figures_;
    all.broken_claim.reset();
    all.expansions = all.regress_edges = 0;
    findings_.exchange(
        [&](ByteWriter& writer) {
          writer(reason, result_.transitions, result_.deadlocks, figures_.expansions, figures_.regress_edges,
                 persistent, figures_.broken_claim, here);
        },
        [&](ByteReader& reader) {
          std::uint64_t transitions = 0, deadlocks = 0, expansions = 0, regress_edges = 0;
          std::optional<RegressEdge> broken;
          RankFigures there;
          reader(reason, transitions, deadlocks, expansions, regress_edges, persistent, broken, there);
          if (!reason.empty() && budget_.reason().empty()) budget_.exhaust(reason);
          exhausted = exhausted || !reason.empty();
          sum.transitions += transitions;
          sum.deadlocks += deadlocks;
          all.expansions += expansions;
          all.regress_edges += regress_edges;
          all.persistent += persistent;
          if (!all.broken_claim) all.broken_claim = broken;
          rank_figures_.add(there);
        });
    ranks_.forget_stop();
    figures_ = std::move(all);
    figures_.stored_peak = stored_peak_;
    if (exhausted && ranks_.is_first())
      figures_.coverage = outlook_.coverage(graph_, figures_.expansions, budget_);
    result_.states = figures_.expansions;
    result_.transitions = sum.transitions;
    result_.deadlocks = sum.deadlocks;
    result_.end = exhausted || figures_.broken_claim ? SearchEnd::exhausted
                  : observer_.done()                 ? SearchEnd::satisfied
                                                     : SearchEnd::complete;
  }

  // --- Runs.

  /// A record of any rank.
  LogNumber global_record(unsigned rank, LogNumber number) const { return number * ranks_.size() + rank; }

  LogNumber log_number(const std::byte* record) const { return get_log_number(record + state_bytes_); }

  PathBuilder reference_to(const std::byte* record) {
    ++located_;
    return options_.log ? run_reference(global_record(ranks_.rank(), log_number(record))) : PathBuilder();
  }

  /// A collective.
  PathBuilder put_together(const Path& reference, Budget& wrap_up) {
    std::vector<LoggedMove> moves;
    for (LogNumber next = last_of(reference); next != no_record;) {
      const unsigned owner = static_cast<unsigned>(next % ranks_.size());
      std::string limit;
      LogRecord record;
      Bytes message;
      if (owner == ranks_.rank()) {
        if (wrap_up.exhausted({})) limit = wrap_up.reason();
        record = options_.log->read(next / ranks_.size());
        ByteWriter writer;
        writer(limit, record.parent, record.choice);
        message = ranks_.broadcast(owner, writer.take());
      } else {
        message = ranks_.broadcast(owner, {});
        ByteReader{message}(limit, record.parent, record.choice);
      }
      if (!limit.empty()) return PathBuilder([limit](Budget&) -> Path { throw LimitReached(limit); });
      moves.push_back({.choice = record.choice});
      next = record.parent;
    }
    std::ranges::reverse(moves);
    return PathBuilder([graph = graph_, moves = std::move(moves),
                        failing = reference.failing_action](Budget& budget) mutable {
      Path path = run_of_moves(graph, moves, budget);
      path.failing_action = failing;
      return path;
    });
  }

  G graph_;
  Ranks& ranks_;
  SweepOptions options_;
  O& observer_;
  CommonFindings<O> findings_;
  Budget& budget_;
  std::uint64_t batches_before_, bytes_before_;
  std::size_t state_bytes_, log_bytes_;
  LayerParts layers_;  ///< in one part, which is here()
  Outlook outlook_;

  Progress line_ = 0;
  bool started_ = false, over_ = false;
  Agreement agreed_;
  std::optional<Measure> better_measure_;  ///< first rank: not agreed on yet

  // Of this rank until the end.
  SearchResult result_;
  SweepFigures figures_;
  std::uint64_t expanded_ = 0;                              ///< in this round
  std::uint64_t ahead_of_line_ = 0, may_expand_ = 0;        ///< states expanded there, and at most
  std::vector<PassedLayer> passed_;                         ///< scratch
  std::uint64_t located_ = 0, reported_ = 0, adopted_ = 0;  ///< runs: so far, when last reported, agreed on

  std::uint64_t stored_peak_ = 0;  ///< of all ranks together
  RankFigures rank_figures_;
  StateBatches<Note, Receiver> batches_;
};

}  // namespace tideline::cluster
