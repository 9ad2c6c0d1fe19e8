// Checking a model that is written in a modelling language: load it, ask, look at the answer.
//
//   const auto model = tideline::ModelFile::load("peterson.dve");
//   const auto answer = tideline::check(model, {tideline::invariant("!(P_0.critical && P_1.critical)"),
//                                               tideline::ltl("G(P_0.waiting -> F P_0.critical)")});
//   for (const auto& property : answer.properties)
//     if (property.run) std::cout << property.name << ":\n" << property.run->text;
//
// Questions and engines are those of the command line: docs/properties.md and docs/engines.md describe them.
// Errors in a model or a formula are thrown as tideline::Error, with their place. Nothing is printed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/budget.hpp"
#include "run/property.hpp"
#include "run/statistics.hpp"

namespace tideline {

struct Model;

/// A model as it was read. Copies share it.
class ModelFile {
 public:
  /// The language follows from the extension: .dve, .pnml, .psl, .aut, .net. Named properties in a file
  /// beside it (.props) are read as well.
  static ModelFile load(const std::string& path);
  /// A model that is in memory already; its name has the extension.
  static ModelFile read(std::string name, std::string text);

  /// Warnings about the model, one line each.
  std::vector<std::string> warnings() const;
  /// The properties that come with the model, for named().
  std::vector<std::string> property_names() const;

  const Model& model() const { return *model_; }

 private:
  explicit ModelFile(std::shared_ptr<const Model> model) : model_(std::move(model)) {}
  std::shared_ptr<const Model> model_;
};

/// A question about a model; see the functions below.
struct Question {
  PropertyKind kind = PropertyKind::deadlock;
  std::string text = {};  ///< an expression or a formula in the words of the model; an automaton's file
  std::string name = {};  ///< what the answer calls it; empty: by its kind
  bool is_named = false;  ///< it is the property of the model that has this name
};

inline Question deadlock_freedom() {
  return {.kind = PropertyKind::deadlock};
}
inline Question invariant(std::string expression) {
  return {PropertyKind::invariant, std::move(expression)};
}
/// Holds: the expression is true in some reachable state, and the run leads there.
inline Question reach(std::string expression) {
  return {PropertyKind::reach, std::move(expression)};
}
inline Question ltl(std::string formula) {
  return {PropertyKind::ltl, std::move(formula)};
}
inline Question ctl(std::string formula) {
  return {PropertyKind::ctl, std::move(formula)};
}
/// No run is accepted by the automaton in this file, in HOA.
inline Question automaton(std::string file) {
  return {PropertyKind::automaton, std::move(file)};
}
/// A property that comes with the model.
inline Question named(std::string name) {
  return {.name = std::move(name), .is_named = true};
}

/// How to answer. Every field has a default.
struct CheckSettings {
  std::string engine = "auto";  ///< one that `tideline engines` lists
  unsigned threads = 1;         ///< for engines that can use more than one
  /// Partial order reduction: fewer states, same answers. Nothing: engine auto decides it by a sample.
  std::optional<bool> reduce = {};
  /// Memory in bytes, time in seconds, a flag that ends the check when it becomes true, and a function that
  /// is called with the status a few times a second, and at the end of every phase of the check. What a limit
  /// leaves open is unknown.
  Budget::Limits limits = {};
  bool runs = true;                    ///< find runs that prove answers; off: less memory, verdicts only
  std::string measure = {};            ///< of engine sweep, see docs/progress.md; empty: one is looked for
  Fairness fairness = Fairness::none;  ///< of ltl() and automaton(): which infinite runs count
  bool shortest = false;               ///< of ltl() and automaton(): a shortest lasso
  /// Runs that may not be shortest are made shorter as far as a second allows, or a tenth of the check's time.
  bool shorten = true;
  /// Of CTL: how runs go on from a deadlock; nothing: as a named property says, else they stutter.
  std::optional<DeadlockPaths> deadlock_paths = {};
  /// Called with notes on which engines were chosen and why, a sentence at a time.
  std::function<void(const std::string&)> on_note = {};
};

/// A run, replayed by the reference semantics. states[i + 1] is where actions[i] leads to.
struct Run {
  std::vector<std::string> variables;             ///< what the values of a state are called
  std::vector<std::vector<std::int32_t>> states;  ///< from the initial one on
  std::vector<std::string> actions;
  std::optional<std::size_t> loop;  ///< the state to which the last action leads back
  std::string text;                 ///< for people, step by step
};

struct PropertyAnswer {
  std::string name, formula;
  Verdict verdict = Verdict::unknown;
  std::string reason;      ///< why it is unknown; else a remark, or nothing
  std::optional<Run> run;  ///< what proves it, where a run can
};

struct CheckAnswer {
  /// In the order of the questions. Behind them "model-errors" where an action can fail (a division by zero),
  /// or where that is not known.
  std::vector<PropertyAnswer> properties;
  std::string engine;                                   ///< which one answered; several are joined by +
  bool complete = false;                                ///< every state that could matter was visited
  std::map<std::string, Statistics::Value> statistics;  ///< by their names in docs/json.md
  std::vector<std::string> warnings;                    ///< such as an atom that is never true
};

/// Answers the questions, those about states in one search. Throws Error: input, for a formula that cannot be
/// read; usage, for what no engine, or not this one, can do.
CheckAnswer check(const ModelFile& model, const std::vector<Question>& questions,
                  const CheckSettings& settings = {});

}  // namespace tideline
