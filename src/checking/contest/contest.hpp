// How the questions of an examination are answered: which engines, in which order, for how long.
//
// Engines take turns. Each works on the questions that are still open and answers at once what it can; the
// next one takes the rest. The first turns are short; engines that were not done get another turn, four times
// as long. So what is easy for some engine is answered soon, whichever it is, and the time lost on the others
// is a fraction of the last turn. Within a turn the open questions share the time, so that a hard one takes
// only the time that others leave.
//
// Wrong answers count heavily in the contest, so only what is proved is answered: an engine that met a model
// error, or a limit, reports only what it has seen.
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
  reduced,   ///< the same, one question at a time, without the steps that this one can do without
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
