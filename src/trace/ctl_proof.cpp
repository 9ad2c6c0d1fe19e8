#include "trace/ctl_proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace tideline {

namespace {

using NodeId = CtlFormula::NodeId;

enum class Known : char { no, yes, open };

Known operator!(Known a) {
  return a == Known::open ? a : a == Known::yes ? Known::no : Known::yes;
}
Known both(Known a, Known b) {
  if (a == Known::no || b == Known::no) return Known::no;
  return a == Known::yes && b == Known::yes ? Known::yes : Known::open;
}

class CtlEvidence {
 public:
  CtlEvidence(const System& system, ErrorSemantics errors, const Property& property, const Trace& run)
      : reference_(system, errors), formula_(*property.ctl), paths_(property.deadlock_paths), run_(run) {
    for (const Values& state : run.states) deadlock_.push_back(reference_.enabled(state).empty());
    for (const CtlFormula::Node& node : formula_.nodes) {
      evaluate(node);
      find_shown(node);
    }
  }

  bool refuted(bool value) const { return is_refuted(formula_.root(), value, 0); }
  bool shown(bool value) const { return shown_[formula_.root()][value][0]; }

 private:
  std::size_t size() const { return run_.states.size(); }
  /// The position after this one; size() where the run ends.
  std::size_t next(std::size_t i) const { return i + 1 == size() && run_.loop ? *run_.loop : i + 1; }
  bool is_end(std::size_t i) const { return next(i) == size(); }

  bool is_refuted(NodeId node, bool value, std::size_t i) const {
    return known_[node][i] == (value ? Known::no : Known::yes);
  }

  /// Calls work(i) for every position from the last to the first, twice: what the second round finds at the
  /// beginning of the loop the first one passed on to its end.
  template <class Work>
  void backwards(const Work& work) const {
    for (std::size_t round = 0; round < 2; ++round)
      for (std::size_t i = size(); i-- > 0;) work(i);
  }

  // --- what is known ---------------------------------------------------------------------------------------

  void evaluate(const CtlFormula::Node& node) {
    std::vector<Known> value(size(), Known::open);
    switch (node.op) {
      case CtlFormula::Op::true_:
        std::fill(value.begin(), value.end(), Known::yes);
        break;
      case CtlFormula::Op::atom:
        for (std::size_t i = 0; i < size(); ++i)
          value[i] = reference_.evaluate(formula_.atoms[node.left], run_.states[i]).value != 0 ? Known::yes
                                                                                               : Known::no;
        break;
      case CtlFormula::Op::not_:
        for (std::size_t i = 0; i < size(); ++i) value[i] = !known_[node.left][i];
        break;
      case CtlFormula::Op::and_:
        for (std::size_t i = 0; i < size(); ++i) value[i] = both(known_[node.left][i], known_[node.right][i]);
        break;
      case CtlFormula::Op::or_:
        for (std::size_t i = 0; i < size(); ++i)
          value[i] = !both(!known_[node.left][i], !known_[node.right][i]);
        break;
      case CtlFormula::Op::ex:
        for (std::size_t i = 0; i < size(); ++i) value[i] = next_known(known_[node.left], i);
        break;
      case CtlFormula::Op::eu:
        evaluate_until(known_[node.left], known_[node.right], value);
        break;
      case CtlFormula::Op::eg:
        evaluate_always(known_[node.left], value);
        break;
    }
    known_.push_back(std::move(value));
  }

  Known next_known(const std::vector<Known>& f, std::size_t i) const {
    if (deadlock_[i]) return paths_ == DeadlockPaths::stutter ? f[i] : Known::no;
    return !is_end(i) && f[next(i)] == Known::yes ? Known::yes : Known::open;
  }

  void evaluate_until(const std::vector<Known>& f, const std::vector<Known>& g,
                      std::vector<Known>& value) const {
    backwards([&](std::size_t i) {
      const bool goes_on = f[i] == Known::yes && !is_end(i) && value[next(i)] == Known::yes;
      if (g[i] == Known::yes || goes_on)
        value[i] = Known::yes;
      else if (g[i] == Known::no && (f[i] == Known::no || deadlock_[i]))
        value[i] = Known::no;
    });
  }

  void evaluate_always(const std::vector<Known>& f, std::vector<Known>& value) const {
    value = f;
    backwards([&](std::size_t i) {
      const bool goes_on = !is_end(i) && value[next(i)] == Known::yes;
      if (value[i] == Known::yes && !deadlock_[i] && !goes_on) value[i] = Known::open;
    });
  }

  // --- what the run shows ----------------------------------------------------------------------------------

  void find_shown(const CtlFormula::Node& node) {
    const auto id = static_cast<NodeId>(shown_.size());
    std::array<std::vector<bool>, 2> shown;
    for (const bool value : {false, true}) {
      shown[value].resize(size());
      const auto decide = [&](std::size_t i) {
        const Known known = known_[id][i];
        shown[value][i] =
            known == Known::open ? shows(node, value, i, shown[value]) : (known == Known::yes) == value;
      };
      // EG is the greatest set of positions that supports itself; all others are the least.
      if (node.op == CtlFormula::Op::eg) std::fill(shown[value].begin(), shown[value].end(), true);
      backwards(decide);
    }
    shown_.push_back(std::move(shown));
  }

  /// Whether the run shows the claim at a position where it is open. `own` is what it shows at others.
  bool shows(const CtlFormula::Node& node, bool value, std::size_t i, const std::vector<bool>& own) const {
    const auto& [op, left, right] = node;
    switch (op) {
      case CtlFormula::Op::not_:
        return shown_[left][!value][i];
      case CtlFormula::Op::and_:
      case CtlFormula::Op::or_:
        return (op == CtlFormula::Op::and_) == value ? shows_both(left, right, value, i)
                                                     : shown_[left][value][i] || shown_[right][value][i];
      case CtlFormula::Op::ex:
        return value && !is_end(i) && arrives(left, next(i));
      case CtlFormula::Op::eu:
        return value && (arrives(right, i) || (!is_refuted(left, true, i) && !is_end(i) && own[next(i)]));
      case CtlFormula::Op::eg:
        return value && (deadlock_[i] || (!is_end(i) && own[next(i)]));
      default:
        return false;
    }
  }

  /// Of two claims one that needs a run must be shown. (Neither is refuted, or both together would be.)
  bool shows_both(NodeId first, NodeId second, bool value, std::size_t i) const {
    return (shown_[first][value][i] && !is_state_formula(formula_, first)) ||
           (shown_[second][value][i] && !is_state_formula(formula_, second));
  }

  /// Whether the claim that the node is true is shown here, or believed because the run ends here.
  bool arrives(NodeId node, std::size_t i) const {
    return shown_[node][true][i] || (is_end(i) && !is_refuted(node, true, i));
  }

  Reference reference_;
  const CtlFormula& formula_;
  DeadlockPaths paths_;
  const Trace& run_;
  std::vector<bool> deadlock_;
  std::vector<std::vector<Known>> known_;                // [node][position]
  std::vector<std::array<std::vector<bool>, 2>> shown_;  // [node][value][position]
};

}  // namespace

std::optional<std::string> missing_ctl_proof(const System& system, ErrorSemantics errors,
                                             const Property& property, bool value, const Trace& run) {
  const bool repeats = std::find(run.actions.begin(), run.actions.end(), no_action) != run.actions.end();
  if (repeats && property.deadlock_paths == DeadlockPaths::maximal)
    return "it continues in a deadlock, where runs end";
  const CtlEvidence evidence(system, errors, property, run);
  const char* const verdict = value ? "true" : "false";
  if (evidence.refuted(value)) return fmt::format("{} is not {} on it", property.formula, verdict);
  if (!evidence.shown(value)) return fmt::format("it does not show that {} is {}", property.formula, verdict);
  return std::nullopt;
}

}  // namespace tideline
