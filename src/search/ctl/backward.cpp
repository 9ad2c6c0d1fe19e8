#include "search/ctl/backward.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "search/core/observer.hpp"

namespace tideline {

namespace {

using FormulaOp = CtlFormula::Op;
using NodeId = CtlFormula::NodeId;
constexpr std::uint32_t not_asked = ~std::uint32_t{0};

}  // namespace

CtlBackward::CtlBackward(WrittenLayers& layers, std::vector<CtlQuestion> questions, RecordFile* labels)
    : layers_(layers),
      questions_(std::move(questions)),
      labels_file_(labels),
      answers_(questions_.size()),
      current_(questions_.size()) {
  layer_.atom_bytes = layers.atom_bytes;
  for (std::size_t q = 0; q < questions_.size(); ++q) {
    const auto& nodes = questions_[q].formula->nodes;
    std::vector<bool> needed(nodes.size());
    for (NodeId id = 0; id < nodes.size(); ++id) {
      if (nodes[id].op == FormulaOp::ex) needed[nodes[id].left] = true;
      if (nodes[id].op == FormulaOp::eu || nodes[id].op == FormulaOp::eg) needed[id] = true;
    }
    auto& slots = slot_of_.emplace_back(nodes.size(), not_asked);
    for (NodeId id = 0; id < nodes.size(); ++id) {
      if (!needed[id]) continue;
      slots[id] = static_cast<std::uint32_t>(slots_.size());
      slots_.push_back({q, id});
    }
  }
  for (const Slot& slot : slots_) persistent_.emplace_back(sides(), guess(slot));
}

BitSet CtlBackward::guess(const Slot& slot) const {
  return BitSet(layers_.persistent, questions_[slot.question].formula->nodes[slot.node].op == FormulaOp::eg);
}

bool CtlBackward::run(Budget& budget) {
  do {
    if (!pass(budget)) return false;
  } while (!settle());
  return true;
}

/// Whether the values of all persistent states are now right. Otherwise those that depend on wrong
/// ones are reset.
bool CtlBackward::settle() {
  bool settled = true;
  std::vector<bool> unsettled(questions_.size());
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    Slot& slot = slots_[s];
    if (unsettled[slot.question]) persistent_[s].assign(sides(), guess(slot));
    if (slot.changed) unsettled[slot.question] = true;
    settled = settled && !slot.changed;
    slot.changed = false;
  }
  return settled;
}

bool CtlBackward::pass(Budget& budget) {
  ++passes_;
  kept_.assign(layers_.record_of.size(), {});
  kept_states_ = 0;
  answers_.assign(questions_.size(), {});
  for (std::uint64_t record = layers_.file->size(); record-- > 0;) {
    decode(layers_.file->read(record), layer_);
    if (passes_ == 1) require_fitting_layer();
    has_predecessors_ = false;
    for (std::size_t q = 0; q < questions_.size() && !stopped_; ++q) evaluate(q, budget);
    if (stopped_ || budget.exhausted({.states = kept_states_, .depth = record})) return false;
    answer(record);
    if (labels_file_) write_labels();
    keep_values();
    if (labels_file_ && !labels_file_->failure().empty()) {
      budget.exhaust("values of layers cannot be written: " + labels_file_->failure());
      return false;
    }
  }
  return true;
}

/// What it refers to is there: the file may come from elsewhere.
void CtlBackward::require_fitting_layer() const {
  const auto is_there = [&](const CtlLayer::Edge& edge) {
    if (edge.place == CtlLayer::here) return edge.index < layer_.size();
    if (edge.place == CtlLayer::persistent) return edge.index < layers_.persistent;
    if (edge.place >= kept_.size()) return false;
    return slots_.empty() || (!kept_[edge.place].empty() && edge.index < kept_[edge.place].front().size());
  };
  if (layer_.first_reference <= kept_.size() && layer_.number < layer_.first_reference &&
      layer_.initial <= layer_.size() && layer_.roots.size() <= layer_.size() &&
      std::ranges::all_of(layer_.roots, [&](std::uint32_t root) { return root < layers_.persistent; }) &&
      std::ranges::all_of(layer_.edges, is_there))
    return;
  throw Error(ErrorKind::io, "the layers of a saved sweep are damaged: they do not fit together");
}

void CtlBackward::evaluate(std::size_t question, Budget& budget) {
  const CtlFormula& formula = *questions_[question].formula;
  current_[question] = {};
  for (NodeId id = 0; id < formula.nodes.size() && !stopped_; ++id)
    for (std::size_t side = 0; side < sides(); ++side) {
      BitSet set = compute(question, side, formula.nodes[id], id, budget);
      sets(question, side).push_back(std::move(set));
    }
}

BitSet CtlBackward::compute(std::size_t question, std::size_t side, const CtlFormula::Node& node, NodeId id,
                            Budget& budget) {
  const auto& known = sets(question, side);
  switch (node.op) {
    case FormulaOp::true_:
      return BitSet(layer_.size(), true);
    case FormulaOp::atom: {
      BitSet result(layer_.size());
      for (std::uint32_t n = 0; n < layer_.size(); ++n)
        if (layer_.has_atom(n, questions_[question].first_atom + node.left)) result.set(n);
      return result;
    }
    case FormulaOp::not_: {
      BitSet result = sets(question, sides() - 1 - side)[node.left];
      result.complement();
      return result;
    }
    case FormulaOp::and_: {
      BitSet result = known[node.left];
      return result &= known[node.right];
    }
    case FormulaOp::or_: {
      BitSet result = known[node.left];
      return result |= known[node.right];
    }
    case FormulaOp::ex:
      return next(question, side, node.left, budget);
    case FormulaOp::eu:
      return until(question, side, id, known[node.left], known[node.right], budget);
    case FormulaOp::eg:
      return always(question, side, id, known[node.left], budget);
  }
  return {};
}

/// The value at the target of an edge that leaves the layer.
bool CtlBackward::elsewhere(const CtlLayer::Edge& edge, std::size_t slot, std::size_t side) const {
  if (edge.place == CtlLayer::persistent) return persistent_[slot][side].test(edge.index);
  return kept_[edge.place][slot * sides() + side].test(edge.index);
}

bool CtlBackward::go_on(Budget& budget) {
  if (++looked_at_ % poll_every == 0 && budget.exhausted({.states = kept_states_})) stopped_ = true;
  return !stopped_;
}

BitSet CtlBackward::next(std::size_t question, std::size_t side, NodeId f, Budget& budget) {
  const BitSet& set = sets(question, side)[f];
  const std::size_t slot = slot_of_[question][f];
  const bool stutters = questions_[question].paths == DeadlockPaths::stutter;
  BitSet result(layer_.size());
  for (std::uint32_t n = 0; n < layer_.size() && go_on(budget); ++n) {
    bool found = (side == 1 && layer_.fails[n]) || (stutters && layer_.is_deadlock(n) && set.test(n));
    for (const CtlLayer::Edge& edge : layer_.edges_of(n)) {
      if (found || !go_on(budget)) break;
      found = edge.place == CtlLayer::here ? set.test(edge.index) : elsewhere(edge, slot, side);
    }
    if (found) result.set(n);
  }
  return result;
}

BitSet CtlBackward::until(std::size_t question, std::size_t side, NodeId node, const BitSet& f,
                          const BitSet& g, Budget& budget) {
  const std::size_t slot = slot_of_[question][node];
  need_predecessors();
  BitSet result = g;
  std::vector<std::uint32_t> open;
  for (std::uint32_t n = 0; n < layer_.size() && go_on(budget); ++n) {
    bool found = g.test(n) || (side == 1 && layer_.fails[n] && f.test(n));
    if (!found && f.test(n))
      for (const CtlLayer::Edge& edge : layer_.edges_of(n)) {
        found = edge.place != CtlLayer::here && elsewhere(edge, slot, side);
        if (found || !go_on(budget)) break;
      }
    if (!found) continue;
    result.set(n);
    open.push_back(n);
  }
  while (!open.empty() && !stopped_) {
    const std::uint32_t n = open.back();
    open.pop_back();
    for (std::uint64_t e = into_[n]; e < into_[n + 1] && go_on(budget); ++e) {
      const std::uint32_t from = sources_[e];
      if (!f.test(from) || result.test(from)) continue;
      result.set(from);
      open.push_back(from);
    }
  }
  return result;
}

BitSet CtlBackward::always(std::size_t question, std::size_t side, NodeId node, const BitSet& f,
                           Budget& budget) {
  const std::size_t slot = slot_of_[question][node];
  need_predecessors();
  BitSet result = f;
  std::vector<std::uint32_t> left(layer_.size());  // successors within the set
  std::vector<std::uint32_t> gone;
  for (std::uint32_t n = 0; n < layer_.size() && go_on(budget); ++n) {
    if (!f.test(n)) continue;
    if (layer_.is_deadlock(n) || (side == 1 && layer_.fails[n])) ++left[n];
    for (const CtlLayer::Edge& edge : layer_.edges_of(n)) {
      left[n] += edge.place == CtlLayer::here ? f.test(edge.index) : elsewhere(edge, slot, side);
      if (!go_on(budget)) break;
    }
    if (left[n] == 0) gone.push_back(n);
  }
  for (const std::uint32_t n : gone) result.reset(n);
  while (!gone.empty() && !stopped_) {
    const std::uint32_t n = gone.back();
    gone.pop_back();
    for (std::uint64_t e = into_[n]; e < into_[n + 1] && go_on(budget); ++e) {
      const std::uint32_t from = sources_[e];
      if (!result.test(from) || --left[from] != 0) continue;
      result.reset(from);
      gone.push_back(from);
    }
  }
  return result;
}

void CtlBackward::need_predecessors() {
  if (std::exchange(has_predecessors_, true)) return;
  into_.assign(layer_.size() + 2, 0);
  for (const CtlLayer::Edge& edge : layer_.edges)
    if (edge.place == CtlLayer::here) ++into_[edge.index + 2];
  for (std::size_t i = 2; i < into_.size(); ++i) into_[i] += into_[i - 1];
  sources_.resize(into_.back());
  for (std::uint32_t n = 0; n < layer_.size(); ++n)
    for (const CtlLayer::Edge& edge : layer_.edges_of(n))
      if (edge.place == CtlLayer::here) sources_[into_[edge.index + 1]++] = n;
}

/// Keeps the values for earlier layers, and drops those of layers that they do not refer to.
void CtlBackward::keep_values() {
  for (std::size_t i = layer_.first_reference; i < kept_.size(); ++i)
    if (!kept_[i].empty()) kept_states_ -= kept_[i].front().size();
  kept_.resize(layer_.first_reference);
  std::vector<BitSet>& own = kept_[layer_.number];
  for (std::size_t s = 0; s < slots_.size(); ++s)
    for (std::size_t side = 0; side < sides(); ++side) {
      const BitSet& set = sets(slots_[s].question, side)[slots_[s].node];
      own.push_back(set);
      for (std::uint32_t i = 0; i < layer_.roots.size(); ++i) {
        BitSet& values = persistent_[s][side];
        const std::uint32_t root = layer_.roots[i];
        if (values.test(root) == set.test(i)) continue;
        slots_[s].changed = true;
        set.test(i) ? values.set(root) : values.reset(root);
      }
    }
  if (own.empty()) return;
  kept_states_ += layer_.size();
  kept_peak_ = std::max(kept_peak_, kept_states_);
}

void CtlBackward::answer(std::uint64_t record) {
  for (std::size_t q = 0; q < questions_.size(); ++q) {
    const NodeId root = questions_[q].formula->root();
    for (std::uint32_t n = 0; n < layer_.initial; ++n) {
      Answer& answer = answers_[q];
      const bool no = current_[q].is(root, n, false);
      answer.unknown = answer.unknown || !(no || current_[q].is(root, n, true));
      if (no || !(answer.seen || answer.violated)) answer.initial = state_at(q, {record, n});
      answer.violated = answer.violated || no;
      answer.seen = true;
    }
  }
  if (!goal_) return;
  for (std::uint32_t n = 0; n < layer_.size(); ++n)
    if (current_[goal_->question].is(goal_->node, n, goal_->value)) {
      goal_->state = state_at(goal_->question, {record, n});
      break;
    }
}

Verdict CtlBackward::verdict(std::size_t question) const {
  const Answer& answer = answers_[question];
  return answer.violated ? Verdict::violated : answer.unknown ? Verdict::unknown : Verdict::holds;
}

CtlState CtlBackward::state_at(std::size_t question, CtlPlace place) const {
  CtlState state{place};
  for (NodeId id = 0; id < questions_[question].formula->nodes.size(); ++id) {
    state.certain.push_back(current_[question].is(id, place.node, true));
    state.possible.push_back(!current_[question].is(id, place.node, false));
  }
  return state;
}

std::optional<CtlState> CtlBackward::find(std::size_t question, NodeId node, bool value, Budget& budget) {
  goal_ = Goal{question, node, value};
  const std::vector<Answer> answers = answers_;  // a pass that the budget ends leaves half of them
  const bool done = pass(budget);
  answers_ = answers;
  auto state = std::exchange(goal_, {})->state;
  return done ? std::move(state) : std::nullopt;
}

void CtlBackward::write_labels() {
  std::vector<std::byte> bytes;
  for (std::size_t q = 0; q < questions_.size(); ++q)
    for (std::size_t side = 0; side < sides(); ++side)
      for (const BitSet& set : sets(q, side)) {
        const auto words = std::as_bytes(set.words());
        bytes.insert(bytes.end(), words.begin(), words.end());
      }
  labels_file_->append(bytes);
}

CtlLayerSets read_labels(RecordFile& labels, std::uint64_t record, const std::vector<CtlQuestion>& questions,
                         std::size_t question, std::uint32_t states, bool errors) {
  const std::size_t set_bytes = BitSet(states).words().size_bytes();
  std::size_t offset = 0;
  for (std::size_t q = 0; q < question; ++q)
    offset += questions[q].formula->nodes.size() * (errors ? 2 : 1) * set_bytes;
  auto bytes = labels.read(record).subspan(offset);
  CtlLayerSets sets;
  for (auto* const side : {&sets.certain, &sets.possible}) {
    if (side == &sets.possible && !errors) break;
    for (std::size_t i = 0; i < questions[question].formula->nodes.size(); ++i) {
      BitSet& set = side->emplace_back(states);
      std::memcpy(set.words().data(), bytes.data(), set_bytes);
      bytes = bytes.subspan(set_bytes);
    }
  }
  return sets;
}

}  // namespace tideline
