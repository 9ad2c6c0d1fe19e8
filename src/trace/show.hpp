// Runs for display: numbered steps, each with its action and what it changed.
//
//     0  initial state
//          turn = 0, flag = [0, 0]
//          P_0 at NCS, j = 0
//     1  P_0: NCS -> wait    flag[0]: 0 -> 1
//        the cycle begins here: step 2 is repeated for ever
//     2| P_1: NCS -> NCS
//        and on from state 1 for ever
//
// A step that is printed as differences leaves out the moves of the processes that take part in it: the label
// already shows them. In whole states six or more equal neighbours of an array are written "0 x 6". How steps
// and states are spelled is in step_text.hpp.
#pragma once

#include <string>

#include "model/error.hpp"
#include "trace/palette.hpp"
#include "trace/replay.hpp"

namespace tideline {

struct ShowOptions {
  bool full = false;                   ///< whole states instead of differences
  const SourceText* source = nullptr;  ///< the model's text, for the place of a model error
  Budget* budget = nullptr;            ///< none: no limits
  Palette palette = {};
  bool initial_known = false;  ///< the initial state was shown before, and is not shown again
};

/// Throws LimitReached.
std::string show_run(const System& system, const Trace& run, const ShowOptions& options = {});

/// The whole state, one line per component (wrapped when long), each line indented and ended.
std::string show_state(const System& system, const Values& state, std::size_t indent,
                       const Palette& palette = {});

/// "flag[0]: 0 -> 1, turn: 1 -> 0": what an action changed beyond the moves it is named for. Empty: nothing.
std::string show_changes(const System& system, ActionId action, const Values& from, const Values& to,
                         const Palette& palette = {});

/// The error's message and, where the source is known, its place and the line with a caret.
std::string show_model_error(const ModelError& error, const SourceText* source);

}  // namespace tideline
