// How the questions of an examination are answered: which engines, in which order, with which share of the
// time.
//
// Engines take turns. Each looks at what is still open and says what it finds at once; what it leaves open is
// for the next. A turn is short at first; when all have had theirs, those that were not done have another,
// four times as long: what is easy for some engine is answered soon, whichever it is, and what was done in
// vain is a part of what the last turn takes. Within a turn the open questions share the time, so that a
// hard one takes nothing from the others but what they leave.
//
// Wrong answers count heavily in the contest, so that nothing is said that is not proved: an engine that met
// a model error, or a limit, says only what it has seen.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checking/contest/answers.hpp"
#include "lang/lang.hpp"
#include "run/budget.hpp"

namespace tideline::contest {

enum class Stage {
  walk,      ///< random walks: witnesses and violations that are easy to meet
  symbolic,  ///< the reachable markings as a decision diagram: states, bounds, global properties
  states,    ///< breadth-first search: properties of states
  graph,     ///< the reachability graph in memory: bounds and counts
  ctl,       ///< labelling of that graph: CTL
  lassos,    ///< search for infinite runs, one formula at a time: LTL
  hybrid,    ///< the same by decision diagrams
};

/// Which of them may take turns.
enum class ContestMode { all, only_diagrams, no_diagrams };

/// The stages that can decide something about a question, in the order in which they take turns.
std::vector<Stage> stages_for(const Question& question, ContestMode mode);

/// Answers what can be answered. Throws Error.
void answer_all(Examination& examination, const Model& model, ContestMode mode, unsigned threads,
                const Budget::Limits& whole, const AnswerSink& sink);

}  // namespace tideline::contest
