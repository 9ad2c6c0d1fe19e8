// Evaluates CTL from the last layer of a sweep to the first: every subformula is evaluated within one layer,
// where the values in later layers are constants.
//
// The values of a layer are kept in memory as long as an earlier layer refers to it: one bit per state and
// subformula that may be needed across layers (the operand of EX; EU and EG themselves).
//
// With a monotone measure one pass over the layers gives every value. In general there are persistent states,
// to which transitions lead back. Their values are constants too, and at first guesses: false for EU, which
// is a least fixed point, and true for EG, a greatest one. A pass computes them anew in the layers in which
// persistent states are roots; when one of some subformula has changed, guesses about subformulas that
// contain it are reset, and another pass is made. The pass that changes nothing has the right values. Sweeps
// are passed from the last to the first, so that most regress edges lead to values that the same pass has
// computed: passes are few. A state that was expanded in several sweeps occurs several times, with the same
// transitions and so the same values.
//
// Model errors make a subformula certainly or possibly true, as in labels.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "model/ctl_formula.hpp"
#include "run/budget.hpp"
#include "run/property.hpp"
#include "search/core/bit_set.hpp"
#include "search/ctl/layer.hpp"
#include "store/record_file.hpp"

namespace tideline {

struct CtlQuestion {
  const CtlFormula* formula = nullptr;
  DeadlockPaths paths = DeadlockPaths::stutter;
  std::size_t first_atom = 0;  ///< of the formula, among those of a layer
};

/// What a forward sweep has written: its layers in the order in which they were expanded.
struct WrittenLayers {
  std::shared_ptr<RecordFile> file;
  std::size_t atom_bytes = 0;
  std::vector<std::uint64_t> record_of = {};  ///< by number of a layer
  std::uint32_t persistent = 0;               ///< states, which have smaller numbers
  bool errors = false;                        ///< some action ended in a model error
};

/// The values of all subformulas of a question in the states of a layer.
struct CtlLayerSets {
  std::vector<BitSet> certain, possible;  ///< by subformula; without model errors the second is empty

  bool is(CtlFormula::NodeId node, std::uint32_t state, bool value) const {
    if (value) return certain[node].test(state);
    return !(possible.empty() ? certain : possible)[node].test(state);
  }
};

/// A state by the place of its layer in the file, and its node there.
struct CtlPlace {
  std::uint64_t record = 0;
  std::uint32_t node = 0;
};

/// What is known about one state.
struct CtlState {
  CtlPlace place = {};
  std::vector<bool> certain = {}, possible = {};  ///< by subformula

  bool is(CtlFormula::NodeId node, bool value) const { return value ? certain[node] : !possible[node]; }
};

class CtlBackward {
 public:
  using NodeId = CtlFormula::NodeId;

  /// `labels`: where to write the values of every layer, the last one first; none: nowhere. There can be such
  /// a file only where there are no persistent states.
  CtlBackward(WrittenLayers& layers, std::vector<CtlQuestion> questions, RecordFile* labels);

  /// False: the budget ended it. Throws std::bad_alloc and Error(io).
  bool run(Budget& budget);

  /// Whether the formula is true in every initial state.
  Verdict verdict(std::size_t question) const;
  /// An initial state that decides that.
  const CtlState& initial(std::size_t question) const { return answers_[question].initial; }
  /// A state in which the subformula certainly has this value, from the first layer with such a state.
  std::optional<CtlState> find(std::size_t question, NodeId node, bool value, Budget& budget);

  std::uint64_t passes() const { return passes_; }
  /// States whose values were kept at the same time.
  std::uint64_t kept_peak() const { return kept_peak_; }

 private:
  struct Answer {
    bool violated = false, unknown = false, seen = false;
    CtlState initial = {};
  };
  struct Goal {
    std::size_t question;
    NodeId node;
    bool value;
    std::optional<CtlState> state = {};
  };
  /// A subformula that is needed across layers.
  struct Slot {
    std::size_t question;
    NodeId node;
    bool changed = false;
  };

  bool pass(Budget& budget);
  void require_fitting_layer() const;
  bool settle();
  void evaluate(std::size_t question, Budget& budget);
  BitSet compute(std::size_t question, std::size_t side, const CtlFormula::Node& node, NodeId id,
                 Budget& budget);
  BitSet next(std::size_t question, std::size_t side, NodeId f, Budget& budget);
  BitSet until(std::size_t question, std::size_t side, NodeId node, const BitSet& f, const BitSet& g,
               Budget& budget);
  BitSet always(std::size_t question, std::size_t side, NodeId node, const BitSet& f, Budget& budget);
  bool elsewhere(const CtlLayer::Edge& edge, std::size_t slot, std::size_t side) const;
  void need_predecessors();
  void keep_values();
  void answer(std::uint64_t record);
  CtlState state_at(std::size_t question, CtlPlace place) const;
  void write_labels();
  bool go_on(Budget& budget);

  std::size_t sides() const { return layers_.errors ? 2 : 1; }
  std::vector<BitSet>& sets(std::size_t question, std::size_t side) {
    return side == 0 ? current_[question].certain : current_[question].possible;
  }
  BitSet guess(const Slot& slot) const;

  WrittenLayers& layers_;
  std::vector<CtlQuestion> questions_;
  RecordFile* labels_file_;
  std::vector<Slot> slots_;
  std::vector<std::vector<std::uint32_t>> slot_of_;  // by question and subformula
  std::vector<std::vector<BitSet>> persistent_;      // by slot and side
  std::vector<std::vector<BitSet>> kept_;            // by number of a layer: by slot and side, in one list
  std::vector<Answer> answers_;
  std::optional<Goal> goal_;

  CtlLayer layer_;                     // the current one
  std::vector<CtlLayerSets> current_;  // by question
  std::vector<std::uint64_t> into_;    // its inner edges by target
  std::vector<std::uint32_t> sources_;
  bool has_predecessors_ = false;

  std::uint64_t passes_ = 0, kept_states_ = 0, kept_peak_ = 0, looked_at_ = 0;
  bool stopped_ = false;
};

/// The written values of a layer; `question` as it was given.
CtlLayerSets read_labels(RecordFile& labels, std::uint64_t record, const std::vector<CtlQuestion>& questions,
                         std::size_t question, std::uint32_t states, bool errors);

}  // namespace tideline
