// Which run goes with a claim about a CTL formula: the part that does not depend on how states are stored.
//
// A claim is that a subformula has a value in a state. Claims about EX, EU and EG being true are shown by a
// run: one step, a way to where the second operand is true, or a lasso; the other way round (no such run) no
// single run shows anything. The proof of a claim is a tree in general, as each state of a run may have
// claims of its own. What is built here is the first path of it: it follows the claim, then the claim about
// the last state if a run shows that too, and so on. What the run does not show is put into words.
//
// A Walk is a run that grows:
//   w.is(node, value)     whether the subformula certainly has this value in the last state
//   w.length()            states so far
//   w.can_follow(node)    it can go on from the last state to show that this EX, EU or EG is true there
//   w.go_next(f)          one step to a state with f
//   w.go_until(node)      to a state with g over states with f, where the node is E(f U g)
//   w.go_on_always(node)  into a loop, or a deadlock, over states with f, where the node is EG f
//   w.stopped()           the budget ended, and the run leads nowhere
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "model/ctl_formula.hpp"

namespace tideline {

/// Per subformula and value: whether a run shows the claim, or a part of it.
inline std::vector<std::array<bool, 2>> what_runs_show(const CtlFormula& formula) {
  std::vector<std::array<bool, 2>> shown;
  for (const auto& [op, left, right] : formula.nodes) {
    std::array<bool, 2> shows{};
    for (const bool value : {false, true}) {
      if (op == CtlFormula::Op::not_) shows[value] = shown[left][!value];
      if (op == CtlFormula::Op::and_ || op == CtlFormula::Op::or_)
        shows[value] = shown[left][value] || shown[right][value];
      if (op == CtlFormula::Op::ex || op == CtlFormula::Op::eu || op == CtlFormula::Op::eg)
        shows[value] = value;
    }
    shown.push_back(shows);
  }
  return shown;
}

/// The claim that a subformula has this value in some place, in words.
inline std::string claim_text(const CtlFormula& formula, CtlFormula::NodeId node, bool value,
                              const std::string& place) {
  for (; formula.nodes[node].op == CtlFormula::Op::not_; node = formula.nodes[node].left) value = !value;
  const auto& [op, left, right] = formula.nodes[node];
  if (op == CtlFormula::Op::eu && !value && formula.nodes[left].op == CtlFormula::Op::true_ &&
      is_state_formula(formula, right))
    return fmt::format("from {} no state with {} can be reached", place, to_string(formula, right, true));
  return fmt::format("in {} {} is true", place, to_string(formula, node, value));
}

template <class Walk>
class ClaimFollower {
 public:
  using NodeId = CtlFormula::NodeId;

  ClaimFollower(const CtlFormula& formula, Walk& walk)
      : formula_(formula), walk_(walk), shown_(what_runs_show(formula)) {}

  /// Lets the walk show that the formula has the value in the only state it has so far. False: no run shows
  /// anything, or the budget ended.
  bool follow(bool value) {
    follow(formula_.root(), value);
    const bool false_at_once = !value && remarks_.empty();
    return !walk_.stopped() && (followed_ || false_at_once);
  }
  /// What the run does not show, or nothing.
  std::string remark() const {
    std::string all;
    for (const std::string& remark : remarks_) all += (all.empty() ? "" : "; ") + remark;
    return all;
  }

 private:
  using Op = CtlFormula::Op;

  /// Goes on from the last state of the run to show that the node has the value there.
  void follow(NodeId node, bool value) {
    const auto& [op, left, right] = formula_.nodes[node];
    switch (op) {
      case Op::true_:
      case Op::atom:
        break;
      case Op::not_:
        follow(left, !value);
        break;
      case Op::and_:
      case Op::or_:
        if ((op == Op::and_) == value)
          follow_both(left, right, value);
        else
          follow_one(left, right, value);
        break;
      case Op::ex:
      case Op::eu:
      case Op::eg:
        if (!value || !walk_.can_follow(node)) {
          remark(node, value, walk_.length() - 1);
          break;
        }
        followed_ = true;
        if (op == Op::ex) follow_next(left);
        if (op == Op::eu) follow_until(node, left, right);
        if (op == Op::eg) follow_always(node, left);
        break;
    }
  }

  /// Two claims: the run follows one of them, the first if it can.
  void follow_both(NodeId first, NodeId second, bool value) {
    if (!shown_[first][value] && shown_[second][value]) std::swap(first, second);
    const std::size_t position = walk_.length() - 1;
    const bool moves = shown_[first][value];
    follow(first, value);
    if (moves && !is_state_formula(formula_, second))
      remark(second, value, position);
    else if (!moves)
      follow(second, value);
  }

  /// One claim of two is enough: one that needs no run if there is one.
  void follow_one(NodeId first, NodeId second, bool value) {
    const auto rank = [&](NodeId node) {
      if (!walk_.is(node, value)) return 3;
      return is_state_formula(formula_, node) ? 0 : shown_[node][value] ? 1 : 2;
    };
    follow(rank(second) < rank(first) ? second : first, value);
  }

  void follow_next(NodeId f) {
    walk_.go_next(f);
    if (!walk_.stopped()) follow(f, true);
  }

  void follow_until(NodeId node, NodeId f, NodeId g) {
    const std::size_t start = walk_.length() - 1;
    walk_.go_until(node);
    if (walk_.stopped()) return;
    if (!is_state_formula(formula_, f) && walk_.length() - 1 > start)
      remarks_.push_back(fmt::format("until then {} is true in every state", to_string(formula_, f, true)));
    follow(g, true);
  }

  void follow_always(NodeId node, NodeId f) {
    const std::size_t start = walk_.length() - 1;
    walk_.go_on_always(node);
    remarks_.push_back(start == 0 ? fmt::format("{} is true all the way", to_string(formula_, f, true))
                                  : fmt::format("from step {} on {} is true all the way", start,
                                                to_string(formula_, f, true)));
  }

  void remark(NodeId node, bool value, std::size_t position) {
    const bool last = position + 1 == walk_.length();
    remarks_.push_back(claim_text(formula_, node, value,
                                  last            ? "the last state"
                                  : position == 0 ? "the initial state"
                                                  : fmt::format("the state after step {}", position)));
  }

  const CtlFormula& formula_;
  Walk& walk_;
  std::vector<std::array<bool, 2>> shown_;
  std::vector<std::string> remarks_;
  bool followed_ = false;  // some claim is one that a run shows
};

}  // namespace tideline
