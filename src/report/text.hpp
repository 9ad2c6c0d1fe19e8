// The answer as text for people.
#pragma once

#include <string>

#include "model/error.hpp"
#include "report/answer.hpp"
#include "trace/palette.hpp"

namespace tideline {

struct TextOptions {
  bool quiet = false;                  ///< verdicts alone
  bool full = false;                   ///< runs with whole states
  Budget* budget = nullptr;            ///< none: no limits
  const SourceText* source = nullptr;  ///< the model's text, for the places of model errors
  Palette palette = {};
};

/// One block per property (verdict, reason, run), then a line of statistics for each search.
std::string check_text(const Answer& answer, const System& system, const TextOptions& options);

/// "20 states, 34 transitions, 0.010 s, 5.9 MiB": what the line of a search says.
std::string statistics_phrases(const Statistics& statistics);

/// The sizes as a table, and the BFS levels if the options say so.
std::string explore_text(const Answer& answer, const TextOptions& options);

/// "the net is unbounded: after a, b the sequence c, d can be repeated for ever, and adds tokens to p each
/// time". Long lists are cut.
std::string unbounded_text(const Unboundedness& proof, const System& system);

/// "3 actions are never enabled: a; b; c", with at most `shown` labels; empty when there are none.
/// With a source each has its place, where the language's runs show some.
std::string never_enabled_text(const Outcome& outcome, const System& system, std::size_t shown,
                               const SourceText* source = nullptr);

}  // namespace tideline
