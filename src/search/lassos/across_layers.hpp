// Accepting cycles that span several layers of a sweep.
//
//   S. Evangelista, L. M. Kristensen: Hybrid On-the-Fly LTL Model Checking with the Sweep-Line Method,
//   PETRI NETS 2012, section 3.2.
//
// Such a cycle takes a regress edge, so it passes through a persistent state, and these are all in memory.
// What is left to find out is which of some candidates among them lie on an accepting cycle. Both methods
// walk from the candidates over the states of their regions in the order of a sweep, forgetting what the
// line has passed; a label says for every state from which candidate it was reached, and whether through
// an accepting state.
//
//   trimming   the first label a state gets stays. Candidates that are not reached again from any candidate
//              lie on no cycle and are dropped, until nothing changes. Where the automaton is weak, what
//              remains then proves a cycle: going back from candidate to candidate must come round.
//   levels     for weak automata. Every candidate gets a level above that of the candidates it is reached
//              from. Where there is no cycle this stabilises; the levels start from what the sweep has
//              seen already, so that little is left to correct. Where there is one, following candidates
//              back to those that raised them comes round at last.
//   mpp        labels are passed on again whenever a larger one arrives, so that in the end a state has its
//              maximal persistent predecessor. A candidate that gets its own label back through an accepting
//              state is on a cycle. Otherwise the candidates whose labels have spread are finished, as are
//              those that no accepting state leads to, and the rest continues.
//
// Corrections of the printed algorithm: labels of all persistent states are reset before every pass, since
// old ones would stop new ones from spreading; a layer is finished before the line moves, so that no state is
// deleted that has been queued again.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "graph/progress.hpp"
#include "model/error.hpp"
#include "run/budget.hpp"
#include "search/lassos/lasso_search.hpp"
#include "search/sweep/successor_farm.hpp"
#include "store/layer_parts.hpp"

namespace tideline {

/// Kept with every persistent state.
struct PersistentMark {
  std::uint32_t sweep = 0;         ///< in which it is a root
  std::uint32_t number = 0;        ///< its number in one of the searches, from 1 on
  std::uint32_t label = 0;         ///< of the search across layers; 0: none
  std::uint32_t level = 0;         ///< more than that of the roots it was met from, as far as is known
  std::uint32_t suspect : 31 = 0;  ///< the how manyth of its part; 0: it is none
  std::uint32_t queued : 1 = 0;
};

/// A persistent state, by where it lies.
struct PersistentRef {
  Progress progress = 0;
  unsigned part = 0;
  StateId id = no_state;
  bool operator==(const PersistentRef&) const = default;
  auto operator<=>(const PersistentRef&) const = default;
};

enum class AcrossMethod {
  combined,  ///< levels if the automaton is weak; else trimming while it helps, then mpp
  levels,    ///< if the automaton is weak; else the same
  trimming,  ///< until nothing changes, then mpp where that does not answer the question
  mpp,
};

/// How candidates are numbered. For mpp the number decides which label is larger.
enum class CandidateOrder {
  progress,  ///< more progress, larger number
  found,     ///< as they were found
  bits,      ///< by their packed states
};

struct AcrossOptions {
  AcrossMethod method = AcrossMethod::combined;
  /// The line goes back at once when a persistent state gets a new label, instead of in a sweep of its own.
  bool line_moves_back = false;
  CandidateOrder order = CandidateOrder::progress;
  unsigned threads = 1;
};

/// `Useful` says for (progress, region) whether a cycle may pass there.
template <class G, class Useful>
class AcrossLayers {
 public:
  /// `kept` has the persistent states, with their marks at `offset` of a record; those that are roots of
  /// a sweep after `last_sweep` are not entered.
  AcrossLayers(G& graph, LayerParts& kept, std::size_t offset, std::uint32_t last_sweep,
               AcrossOptions options, Useful useful)
      : graph_(graph),
        kept_(kept),
        offset_(offset),
        last_sweep_(last_sweep),
        options_(options),
        useful_(std::move(useful)),
        passing_(kept.count(), graph.state_size(), sizeof(Label), 0),
        looked_at_(kept.count()),
        farm_(graph, options.threads) {}

  /// One of the candidates that is on an accepting cycle; nothing when none is or the budget ended.
  std::optional<PersistentRef> find(std::vector<PersistentRef> candidates, Budget& budget) {
    candidates_ = std::move(candidates);
    const auto found = find(budget);
    reset_marks();
    return found;
  }

  std::uint64_t expansions() const { return expansions_; }
  std::uint64_t transitions() const { return transitions_; }
  std::uint64_t passes() const { return passes_; }
  /// Passing states at the same time.
  std::uint64_t peak() const { return peak_; }

 private:
  /// The candidate from which a state was reached, its level, and whether an accepting state was on the way.
  struct Label {
    std::uint32_t source = 0;  ///< 2 * number of the candidate, which is from 1 on, + accepted
    std::uint32_t level = 0;

    std::uint32_t candidate() const { return source >> 1; }
    bool accepted() const { return (source & 1) != 0; }
  };
  /// Which label a state keeps.
  enum class Rule { first_stays, larger_candidate, higher_level };
  static constexpr unsigned most_in_vain = 4;

  std::optional<PersistentRef> find(Budget& budget) {
    sort_candidates();
    const bool levels = options_.method == AcrossMethod::combined || options_.method == AcrossMethod::levels;
    if (levels && graph_.weak()) {
      pass(Rule::higher_level, budget);
      return found_;
    }
    bool trimming = options_.method != AcrossMethod::mpp;
    unsigned in_vain = 0;
    while (!candidates_.empty()) {
      const std::size_t before = candidates_.size();
      pass(trimming ? Rule::first_stays : Rule::larger_candidate, budget);
      if (done()) return found_;
      if (!trimming) {
        drop_spread();
        continue;
      }
      drop_not_reached();
      if (candidates_.size() == before) {
        if (graph_.weak()) return reached_from_itself();
        trimming = false;
      } else if (options_.method == AcrossMethod::combined && candidates_.size() > before - before / 8) {
        trimming = ++in_vain < most_in_vain;
      }
    }
    return std::nullopt;
  }

  void sort_candidates() {
    if (options_.order == CandidateOrder::progress) std::sort(candidates_.begin(), candidates_.end());
    if (options_.order != CandidateOrder::bits) return;
    const auto bits = [&](const PersistentRef& at) { return layer_of(at).persistent.record(at.id); };
    std::sort(candidates_.begin(), candidates_.end(), [&](const PersistentRef& a, const PersistentRef& b) {
      return std::memcmp(bits(a), bits(b), graph_.state_size()) < 0;
    });
  }

  void pass(Rule rule, Budget& budget) {
    ++passes_;
    rule_ = rule;
    came_from_.assign(candidates_.size() + 1, 0);
    reset_marks();
    for (std::uint32_t i = 0; i < candidates_.size(); ++i) {
      const PersistentRef& at = candidates_[i];
      Layer& layer = layer_of(at);
      const std::byte* const record = layer.persistent.record(at.id);
      const std::uint32_t level = mark_of(layer, at.id).level;
      change(layer, at.id, [&](PersistentMark& mark) { mark.number = i + 1; });
      set_label(layer, at, {(i + 1) << 1 | graph_.accepting(record), level});
    }
    line_ = passing_.first_due();
    while (line_ && !done()) {
      expand_layer(budget);
      const auto above = options_.line_moves_back ? std::nullopt : passing_.due_above(*line_);
      if (!above && rule == Rule::higher_level) find_round_trip();
      line_ = above ? above : passing_.first_due();
    }
    note_peak();
    if (done()) passing_.forget_below(~Progress{0});
  }
  bool done() const { return found_ || stopped_; }

  void reset_marks() {
    for (unsigned part = 0; part < kept_.count(); ++part)
      for (auto& [progress, layer] : kept_.part(part).all())
        for (StateId id = 0; id < layer.persistent.size(); ++id)
          change(layer, id, [](PersistentMark& mark) {
            mark.label = mark.number = 0;
            mark.queued = 0;
          });
  }

  void expand_layer(Budget& budget) {
    at_line_.clear();
    for (unsigned part = 0; part < kept_.count(); ++part) {
      Layer* const layer = passing_.part(part).find(*line_);
      if (layer) passing_.part(part).not_due(*line_, *layer);
      at_line_.push_back({layer, kept_.part(part).find(*line_)});
      looked_at_[part] = 0;
    }
    again_.clear();
    std::deque<Place> handed_out;
    farm_.run(
        [&]() -> std::byte* {
          const Place place = next_place();
          if (done() || place.id == no_state) return nullptr;
          handed_out.push_back(place);
          const auto& [passing, kept] = at_line_[place.part];
          return place.kept ? kept->persistent.record(place.id) : passing->passing.record(place.id);
        },
        [&](std::byte* record, const auto& successors) {
          const Place place = handed_out.front();
          handed_out.pop_front();
          if (done()) return;
          const auto& [passing, kept] = at_line_[place.part];
          if (place.kept) change(*kept, place.id, [](PersistentMark& mark) { mark.queued = 0; });
          if (!place.kept && place.id == looked_at_[place.part]) ++looked_at_[place.part];
          const PersistentMark mark = place.kept ? mark_of(*kept, place.id) : PersistentMark{};
          const Label label = place.kept ? Label{mark.label, mark.level} : label_of(*passing, place.id);
          expand(record, label, successors, budget);
        });
    note_peak();
    for (unsigned part = 0; part < kept_.count(); ++part) passing_.part(part).forget_passing(*line_);
  }

  /// A state of the current layer: among the kept ones or the passing ones.
  struct Place {
    unsigned part = 0;
    bool kept = false;
    StateId id = no_state;
  };
  Place next_place() {
    for (unsigned part = 0; part < at_line_.size(); ++part) {
      // A state may have come to a part that had none.
      Layer* const layer = at_line_[part].passing = passing_.part(part).find(*line_);
      if (!layer) continue;
      if (!layer->roots.empty()) {
        const StateId id = layer->roots.back();
        layer->roots.pop_back();
        return {part, true, id};
      }
      if (const StateId id = layer->expanded; id < layer->passing.size()) {
        passing_.part(part).note_expanded(*layer);
        return {part, false, id};
      }
    }
    if (again_.empty()) return {};
    const Place place = again_.back();
    again_.pop_back();
    return place;
  }

  template <class Successors>
  void expand(const std::byte* state, Label label, const Successors& successors, Budget& budget) {
    ++expansions_;
    const Region region = graph_.region(state);
    if (graph_.accepting(state)) label.source |= 1;
    successors([&](const Step& step, Progress progress, std::uint64_t hash) {
      if (transitions_++ % poll_every == 0 &&
          budget.exhausted(
              {.states = expansions_, .transitions = transitions_, .frontier = passing_.stored()}))
        stopped_ = true;
      if (!step.state || done() || graph_.region(step.state) != region) return;
      if (useful_(progress, region)) reach(step.state, progress, hash, label);
    });
  }

  void reach(const std::byte* state, Progress progress, std::uint64_t hash, Label label) {
    const unsigned part = kept_.part_of(hash);
    if (Layer* const kept = kept_layer(part, progress)) {
      if (const StateId id = kept->persistent.find(state, hash); id != no_state) {
        reach_persistent(*kept, {progress, part, id}, label);
        return;
      }
    }
    if (progress < *line_) throw Error(ErrorKind::internal, "the end of a regress edge is not persistent");
    Layers& passing = passing_.part(part);
    Layer& layer = passing.at(progress);
    const Insertion insertion = passing.insert_passing(layer, state, hash);
    if (insertion.id == no_state) throw std::bad_alloc();
    if (!insertion.inserted && !wins(label, label_of(layer, insertion.id))) return;
    std::memcpy(layer.passing.extra(insertion.id), &label, sizeof label);
    if (progress != *line_)
      passing.make_due(progress, layer);
    else if (insertion.id < looked_at_[part])
      again_.push_back({part, false, insertion.id});
  }

  void reach_persistent(Layer& kept, PersistentRef at, Label label) {
    const PersistentMark mark = mark_of(kept, at.id);
    if (mark.sweep > last_sweep_) return;
    if (mark.number != 0) {
      if (label.candidate() == mark.number && label.accepted()) found_ = at;
      if (rule_ == Rule::higher_level) {
        if (label.level < mark.level) return;
        came_from_[mark.number] = label.candidate();
        label = {mark.number << 1 | 1, label.level + 1};
      } else if (came_from_[mark.number] == 0) {
        came_from_[mark.number] = label.candidate();
      }
    }
    if (wins(label, {mark.label, mark.level})) set_label(kept, at, label);
  }

  bool wins(Label label, Label old) const {
    if (old.source == 0) return true;
    return rule_ == Rule::higher_level       ? label.level > old.level
           : rule_ == Rule::larger_candidate ? label.source > old.source
                                             : false;
  }

  void set_label(Layer& kept, PersistentRef at, Label label) {
    bool queued = false;
    change(kept, at.id, [&](PersistentMark& mark) {
      mark.label = label.source;
      mark.level = label.level;
      queued = mark.queued != 0;
      mark.queued = 1;
    });
    if (queued) return;
    Layer& layer = passing_.part(at.part).at(at.progress);
    layer.roots.push_back(at.id);
    if (!line_ || at.progress != *line_) passing_.part(at.part).make_due(at.progress, layer);
  }

  void drop_not_reached() {
    std::vector<PersistentRef> rest;
    for (std::uint32_t i = 0; i < candidates_.size(); ++i)
      if (came_from_[i + 1] != 0) rest.push_back(candidates_[i]);
    candidates_ = std::move(rest);
  }

  /// Those that a larger one has reached through an accepting state continue; all others are finished.
  void drop_spread() {
    std::vector<PersistentRef> rest;
    for (std::uint32_t i = 0; i < candidates_.size(); ++i) {
      const Label label{mark_of(layer_of(candidates_[i]), candidates_[i].id).label};
      if (label.candidate() > i + 1 && label.accepted()) rest.push_back(candidates_[i]);
    }
    candidates_ = std::move(rest);
  }

  /// Every candidate was reached from a candidate.
  PersistentRef reached_from_itself() const {
    std::vector<bool> met(came_from_.size());
    std::uint32_t number = 1;
    while (!met[number]) {
      met[number] = true;
      number = came_from_[number];
    }
    return candidates_[number - 1];
  }

  /// Whether following candidates back to those that raised them last comes round anywhere.
  void find_round_trip() {
    std::vector<std::uint32_t> met(came_from_.size());
    for (std::uint32_t start = 1; start < came_from_.size() && !found_; ++start) {
      std::uint32_t number = start;
      while (number != 0 && met[number] == 0) {
        met[number] = start;
        number = came_from_[number];
      }
      if (number != 0 && met[number] == start) found_ = candidates_[number - 1];
    }
  }

  Layer& layer_of(const PersistentRef& at) { return *kept_.part(at.part).find(at.progress); }
  PersistentMark mark_of(const Layer& layer, StateId id) const {
    PersistentMark mark;
    std::memcpy(&mark, layer.persistent.record(id) + offset_, sizeof mark);
    return mark;
  }
  template <class Change>
  void change(Layer& layer, StateId id, const Change& how) {
    PersistentMark mark = mark_of(layer, id);
    how(mark);
    std::memcpy(layer.persistent.record(id) + offset_, &mark, sizeof mark);
  }
  static Label label_of(const Layer& layer, StateId id) {
    Label label;
    std::memcpy(&label, layer.passing.extra(id), sizeof label);
    return label;
  }

  /// Before states are forgotten.
  void note_peak() { peak_ = std::max(peak_, passing_.stored()); }

  Layer* kept_layer(unsigned part, Progress progress) {
    Cached& cached = cache_[(progress * kept_.count() + part) % cache_.size()];
    if (!cached.known || cached.progress != progress || cached.part != part) {
      Layer* const layer = kept_.part(part).find(progress);
      cached = {progress, part, layer && layer->persistent.size() != 0 ? layer : nullptr, true};
    }
    return cached.layer;
  }

  /// A part of the current layer.
  struct AtLine {
    Layer* passing;
    Layer* kept;
  };
  struct Cached {
    Progress progress = 0;
    unsigned part = 0;
    Layer* layer = nullptr;
    bool known = false;
  };

  G& graph_;
  LayerParts& kept_;
  std::size_t offset_;
  std::uint32_t last_sweep_;
  AcrossOptions options_;
  Useful useful_;
  LayerParts passing_;           // no persistent states here; `roots` of a layer are numbers of kept ones
  std::vector<AtLine> at_line_;  // by part
  std::uint64_t peak_ = 0;
  std::vector<PersistentRef> candidates_;
  std::vector<std::uint32_t> came_from_;  // by candidate: by which it was reached; 0: by none
  std::vector<Place> again_;              // passing states of the layer whose label has changed
  std::optional<Progress> line_;
  std::vector<StateId> looked_at_;  // by part: passing states of the layer below this are looked at
  std::optional<PersistentRef> found_;
  Rule rule_ = Rule::first_stays;
  bool stopped_ = false;
  std::uint64_t expansions_ = 0, transitions_ = 0, passes_ = 0;
  std::array<Cached, 256> cache_{};
  SuccessorFarm<G> farm_;
};

}  // namespace tideline
