// One attempt to answer a question, judged by what is known about the answer.
#pragma once

#include <optional>
#include <string>

#include "cases.hpp"
#include "lang/lang.hpp"
#include "oracle.hpp"

namespace tideline::soak {

struct Attempt {
  bool refused = false;  ///< the engine does not answer that, and says so
  Verdict verdict = Verdict::unknown;
  bool certified = false;    ///< a certificate proves it
  bool moved = false;        ///< from states that were kept whole to trees
  std::string failure = {};  ///< what is wrong; empty: nothing
};

/// Never throws: an exception is a failure. `truth`: nothing where the oracle does not know.
Attempt attempt(const RandomModel& text, const Model& model, const Space& space, const Question& question,
                const std::optional<Truth>& truth, const Trial& trial);

/// How many allocations the answer takes, or calls for files: what the event of the trial can happen at.
std::uint64_t occasions(const RandomModel& text, const Model& model, const Question& question,
                        const Trial& trial);

/// Likewise: counts the states, as `tideline explore` does. Only the engine, threads and ranks of the trial matter.
Attempt attempt_count(const RandomModel& text, const Model& model, const Space& space, const Trial& trial);

}  // namespace tideline::soak
