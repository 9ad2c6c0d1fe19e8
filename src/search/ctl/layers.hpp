// Full CTL with the sweep-line: forward to write the layers, backward to evaluate formulas on them.
//
//   A. Lilleskare, L. M. Kristensen, S.-O. Høyland: CTL Model Checking with the Sweep-line State Space
//   Exploration Method, NIK 2017, asks how CTL could be checked beyond AG EF p and AG AF p.
//
// CTL is evaluated against the direction of transitions, and a sweep forgets the states it came from. But it
// need not forget the graph: a forward sweep writes the transitions of each layer to disk, where a state is a
// number and a bit for each atom (layer.hpp), and when it is over the layers are read from the last to the
// first (backward.hpp). Memory holds, forward, what any sweep keeps and the transitions of the current layer;
// backward, one layer and a few bits for each state of the layers still referred to.
//
// It works with any measure. With a monotone one the layers are read once, and runs are found in them
// (layer_walk.hpp). With others they are read a few times, and runs are shown only as far as they lead to
// some state that can be reached: another sweep, which does the same as the first, ends there.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "run/ctl_claims.hpp"
#include "search/ctl/backward.hpp"
#include "search/ctl/layer_walk.hpp"
#include "search/sweep/sweep.hpp"

namespace tideline {

struct CtlLayersOptions {
  SweepOptions sweep = {};  ///< its log is for runs that need another sweep; optional
  /// Where the layers are written; a search that takes checkpoints needs a file that it can be saved with.
  std::shared_ptr<RecordFile> file = {};
  std::filesystem::path folder = {};  ///< for temporary files
  bool runs = true;                   ///< build runs
};

/// What is known about an atom after the sweep.
struct AtomFacts {
  bool seen_true = false, seen_false = false;

  void archive(auto& file) { file(seen_true, seen_false); }
};

struct CtlLayersRun {
  Path path;
  std::string remark;
};

/// P: see avoid_graph.hpp. The formulas must outlive this.
template <ProgressGraph G, class P>
class CtlLayers {
 public:
  /// Predicates for the atoms of all questions, one after the other. Throws Error(io).
  CtlLayers(G graph, CtlLayersOptions options, std::vector<CtlQuestion> questions, std::vector<P> atoms)
      : graph_(graph),
        options_(std::move(options)),
        questions_(std::move(questions)),
        atoms_(std::move(atoms)),
        facts_(atoms_.size()),
        layers_{.file = options_.file ? options_.file : std::make_shared<RecordFile>(options_.folder),
                .atom_bytes = (atoms_.size() + 7) / 8},
        search_(std::move(graph), without_log(options_.sweep), Watch{}) {
    search_.watch().self = this;
    layer_.atom_bytes = layers_.atom_bytes;
    for (std::size_t q = 0, atom = 0; q < questions_.size(); ++q) {
      questions_[q].first_atom = atom;
      atom += questions_[q].formula->atom_names.size();
    }
  }
  CtlLayers(const CtlLayers&) = delete;

  /// Forward and backward. The verdicts are known when it is complete. Throws Error(io).
  SearchResult run(Budget& budget) {
    budget_ = &budget;
    Facts facts{*this};
    SearchResult result = search_.run(facts, budget);
    if (result.end != SearchEnd::complete) return result;
    search_.save(facts);  // so that only what follows is done again
    try {
      if (options_.runs && layers_.persistent == 0) labels_.emplace(options_.folder);
      backward_.emplace(layers_, questions_, labels_ ? &*labels_ : nullptr);
      if (!backward_->run(budget)) result.end = SearchEnd::exhausted;
    } catch (const std::bad_alloc&) {
      budget.exhaust_memory();
      result.end = SearchEnd::exhausted;
    }
    return result;
  }

  Verdict verdict(std::size_t question) const { return backward_->verdict(question); }

  /// The run for a verdict that is not unknown. Nothing: no run shows any of it, the budget ended before it
  /// was found, or it needs a monotone measure.
  std::optional<CtlLayersRun> run_for(std::size_t question, Budget& budget) {
    if (!options_.runs || (!labels_ && !options_.sweep.log)) return std::nullopt;
    try {
      return labels_ ? walk(question, budget) : leap(question, budget);
    } catch (const std::bad_alloc&) {
      budget.exhaust_memory();
      return std::nullopt;
    }
  }

  const SweepFigures& figures() const { return search_.figures(); }
  bool is_monotone() const { return layers_.persistent == 0; }
  bool met_errors() const { return layers_.errors; }
  const std::vector<AtomFacts>& atoms() const { return facts_; }
  std::uint64_t file_bytes() const { return layers_.file->bytes() + (labels_ ? labels_->bytes() : 0); }
  std::uint64_t passes() const { return backward_ ? backward_->passes() : 0; }
  std::uint64_t values_peak() const { return backward_ ? backward_->kept_peak() : 0; }

 private:
  using Number = std::uint32_t;

  static SweepOptions without_log(SweepOptions options) {
    options.log = {};
    return options;
  }

  struct Watch {
    static constexpr std::size_t passing_bytes = 0, persistent_bytes = sizeof(Number);
    CtlLayers* self = nullptr;
    std::size_t offset = 0;

    void attach(std::size_t own) { offset = own; }
    void begin_layer(Progress progress, std::size_t roots, std::uint64_t) {
      self->begin_layer(progress, roots);
    }
    void on_node(const std::byte* record) { self->add_node(record); }
    void on_edge(NodeId, const SweepTarget& target) { self->add_edge(target); }
    bool end_layer() { return self->end_layer(); }
    bool end_sweep() { return true; }
    bool end_column() { return true; }
    void archive(auto& file) { self->archive(file); }
  };

  /// Facts that a Watch does not receive.
  struct Facts {
    CtlLayers& self;
    void archive(auto&) {}  // the Watch does it
    template <class Locate>
    void on_state(const std::byte* state, const Locate&) {
      if (!self.started_) self.add_initial(state);
    }
    template <class Locate>
    void on_step(const Step& step, const Locate&) {
      if (step.state) return;
      self.layers_.errors = true;
      self.layer_.fails.back() = true;
    }
    template <class Locate>
    void on_deadlock(const Locate&) {}
    bool done() const { return false; }
  };

  // --- forward ---------------------------------------------------------------------------------------------

  struct InitialState {
    Number layer = 0;
    std::vector<std::byte> state = {};
    void archive(auto& file) { file(layer, state); }
  };

  /// For checkpoints: everything except the current layer.
  template <class File>
  void archive(File& file) {
    std::vector<Progress> progress;
    std::vector<Number> numbers;
    for (const auto& [p, number] : numbers_) {
      progress.push_back(p);
      numbers.push_back(number);
    }
    file(*layers_.file, layers_.record_of, layers_.persistent, layers_.errors);
    file(facts_, started_, initial_, progress, numbers);
    file.require(facts_.size() == atoms_.size() && progress.size() == numbers.size());
    file.require(std::ranges::all_of(initial_, [&](const InitialState& initial) {
      return initial.layer < layers_.record_of.size() && initial.state.size() == graph_.state_size() &&
             is_state_of(graph_, initial.state.data());
    }));
    file.require(
        std::ranges::all_of(numbers, [&](Number number) { return number < layers_.record_of.size(); }));
    if (!File::reads) return;
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers_.emplace(progress[i], numbers[i]);
  }

  void add_initial(const std::byte* state) {
    initial_.push_back({number_of(graph_.progress(state)), {state, state + graph_.state_size()}});
  }

  void begin_layer(Progress progress, std::size_t roots) {
    started_ = true;
    layer_.clear();
    layer_.number = number_of(progress);
    numbers_.erase(progress);
    cache_[progress % cache_.size()] = {};
    layer_.first_reference = static_cast<Number>(layers_.record_of.size());
    roots_ = roots;
    layer_.initial = static_cast<Number>(std::count_if(
        initial_.begin(), initial_.end(), [&](const auto& i) { return i.layer == layer_.number; }));
  }

  void add_node(const std::byte* record) {
    end_node();
    if (layer_.fails.size() < roots_) layer_.roots.push_back(persistent_number(record));
    layer_.fails.push_back(false);
    const std::size_t at = layer_.atoms.size();
    layer_.atoms.resize(at + layer_.atom_bytes);
    for (std::size_t i = 0; i < atoms_.size(); ++i) {
      ModelErrorKind ignored = ModelErrorKind::none;
      const bool value = atoms_[i].evaluate(record, ignored) != 0;
      (value ? facts_[i].seen_true : facts_[i].seen_false) = true;
      if (value) layer_.atoms[at + i / 8] |= std::byte{1} << (i % 8);
    }
  }
  void end_node() {
    if (!layer_.fails.empty()) layer_.first.push_back(layer_.edges.size());
  }

  void add_edge(const SweepTarget& target) {
    if (target.persistent && target.is_new) {
      const Number number = layers_.persistent++;
      std::memcpy(target.layer->persistent.record(target.id) + search_.watch().offset, &number,
                  sizeof number);
    }
    if (target.node != no_node)
      layer_.edges.push_back({CtlLayer::here, target.node});
    else if (target.persistent)
      layer_.edges.push_back(
          {CtlLayer::persistent, persistent_number(target.layer->persistent.record(target.id))});
    else  // its roots are all there, since the line has not come to it
      layer_.edges.push_back(
          {number_of(target.progress), static_cast<Number>(target.layer->roots.size()) + target.id});
  }

  bool end_layer() {
    end_node();
    bytes_.clear();
    encode(layer_, bytes_);
    layers_.record_of[layer_.number] = layers_.file->size();
    layers_.file->append(bytes_);
    if (layers_.file->failure().empty()) return true;
    budget_->exhaust("layers cannot be written: " + layers_.file->failure());
    return false;
  }

  Number persistent_number(const std::byte* record) const {
    Number number = 0;
    std::memcpy(&number, record + search_.watch().offset, sizeof number);
    return number;
  }

  /// The number of a layer that the line has not reached in this sweep.
  Number number_of(Progress progress) {
    Cached& cached = cache_[progress % cache_.size()];
    if (cached.known && cached.progress == progress) return cached.number;
    const auto [place, is_new] =
        numbers_.try_emplace(progress, static_cast<Number>(layers_.record_of.size()));
    if (is_new) layers_.record_of.push_back(0);
    cached = {progress, place->second, true};
    return place->second;
  }

  // --- runs ------------------------------------------------------------------------------------------------

  std::optional<CtlLayersRun> walk(std::size_t question, Budget& budget) {
    const CtlPlace start = backward_->initial(question).place;
    CtlLayerWalk walk(layers_, *labels_, questions_, question, start, budget);
    ClaimFollower follower(*questions_[question].formula, walk);
    if (!follower.follow(verdict(question) == Verdict::holds)) return std::nullopt;
    return CtlLayersRun{path_of(initial_state(start), walk), follower.remark()};
  }

  const std::vector<std::byte>& initial_state(const CtlPlace& place) const {
    std::uint32_t skip = place.node;
    for (const auto& [layer, state] : initial_)
      if (layers_.record_of[layer] == place.record && skip-- == 0) return state;
    throw Error(ErrorKind::internal, "a run begins in no initial state");
  }

  Path path_of(std::vector<std::byte> state, const CtlLayerWalk& walk) {
    Path path;
    for (const std::uint32_t taken : walk.steps()) {
      path.states.push_back(state);
      ActionId action = no_action;
      std::uint32_t skip = taken;
      if (taken != CtlLayerWalk::repeat)
        graph_.successors(path.states.back().data(), [&](const Step& step) {
          if (!step.state || skip-- != 0) return;
          action = step.action;
          state.assign(step.state, step.state + graph_.state_size());
        });
      path.actions.push_back(action);
    }
    path.loop = walk.loop();
    if (!path.loop) path.states.push_back(std::move(state));
    return path;
  }

  /// A run that can only lead to some state of the first layer that has a suitable one.
  struct Leap {
    CtlBackward& backward;
    const CtlFormula& formula;
    std::size_t question;
    Budget& budget;
    CtlState last = backward.initial(question);
    bool leapt = false, failed = false;

    bool is(CtlFormula::NodeId node, bool value) const { return last.is(node, value); }
    std::size_t length() const { return leapt ? 2 : 1; }
    bool stopped() const { return failed; }
    bool can_follow(CtlFormula::NodeId node) const {
      const auto& [op, left, right] = formula.nodes[node];
      return !leapt && op == CtlFormula::Op::eu && formula.nodes[left].op == CtlFormula::Op::true_;
    }
    void go_until(CtlFormula::NodeId node) {
      auto found = backward.find(question, formula.nodes[node].right, true, budget);
      failed = !found;
      leapt = true;
      if (found) last = std::move(*found);
    }
    void go_next(CtlFormula::NodeId) {}
    void go_on_always(CtlFormula::NodeId) {}
  };

  std::optional<CtlLayersRun> leap(std::size_t question, Budget& budget) {
    const CtlFormula& formula = *questions_[question].formula;
    Leap walk{*backward_, formula, question, budget};
    ClaimFollower follower(formula, walk);
    if (!follower.follow(verdict(question) == Verdict::holds)) return std::nullopt;
    if (!walk.leapt) return CtlLayersRun{{{initial_state(walk.last.place)}, {}, {}}, follower.remark()};
    SweepOptions options = options_.sweep;
    options.checkpoints = {};  // what is saved is the first sweep
    SweepSearch<G, Rerun> again(graph_, options, Rerun{.place = walk.last.place});
    again.watch().search = &again;
    Bystander bystander;
    if (again.run(bystander, budget).end != SearchEnd::satisfied) return std::nullopt;
    return CtlLayersRun{again.watch().run(), follower.remark()};
  }

  /// Ends a sweep at a state given by its position in the sweep.
  struct Rerun {
    static constexpr std::size_t passing_bytes = 0, persistent_bytes = 0;
    CtlPlace place;
    SweepSearch<G, Rerun>* search = nullptr;
    std::uint64_t record = 0;
    PathBuilder run = {};

    void attach(std::size_t) {}
    void begin_layer(Progress, std::size_t, std::uint64_t) {}
    void on_node(const std::byte*) {}
    void on_edge(NodeId, const SweepTarget&) {}
    bool end_layer() {
      if (record++ != place.record) return true;
      run = search->run_to(search->node_record(place.node));
      return false;
    }
    bool end_sweep() { return true; }
    bool end_column() { return true; }
  };

  struct Cached {
    Progress progress = 0;
    Number number = 0;
    bool known = false;
  };

  G graph_;  // for everything but the sweep itself
  CtlLayersOptions options_;
  std::vector<CtlQuestion> questions_;
  std::vector<P> atoms_;
  std::vector<AtomFacts> facts_;
  WrittenLayers layers_;
  SweepSearch<G, Watch> search_;
  Budget* budget_ = nullptr;
  bool started_ = false;
  std::vector<InitialState> initial_;
  CtlLayer layer_;  // the current one
  std::size_t roots_ = 0;
  std::vector<std::byte> bytes_;  // scratch
  std::map<Progress, Number> numbers_;
  std::array<Cached, 256> cache_{};
  std::optional<RecordFile> labels_;
  std::optional<CtlBackward> backward_;
};

}  // namespace tideline
