// Answer: an engine's outcome together with the runs that were replayed for it, ready to be rendered as text,
// JSON or JUnit XML, and how an answer is judged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run/outcome.hpp"
#include "trace/explain.hpp"
#include "trace/replay.hpp"

namespace tideline {

/// Statistics of one of the searches of a check.
struct SearchReport {
  std::string engine;
  std::vector<std::string> properties;  ///< their names
  bool complete = false;
  Statistics statistics;
};

/// Why a Petri net has infinitely many markings.
struct Unboundedness {
  std::vector<ActionId> prefix;    ///< is fired first
  std::vector<ActionId> sequence;  ///< can then be repeated for ever
  std::vector<SlotId> grows;       ///< places that have more tokens each time
};

/// The certificate of a check (docs/certificates.md).
struct CertificateReport {
  std::string file;
  std::uint64_t states = 0, bytes = 0;
  double seconds = 0;  ///< that it took after the searches
};

struct Answer {
  std::string command;  ///< "check" or "explore"
  std::string version;
  std::string model;                      ///< the path as the user gave it
  std::vector<std::string> defines = {};  ///< values of its constants, likewise
  Outcome outcome;
  std::vector<SearchReport> searches = {};   ///< of a check, in order; empty when there was only one
  std::vector<std::optional<Trace>> traces;  ///< one for each of outcome.results
  std::vector<std::vector<Trace>> more_traces =
      {};  ///< likewise: other runs; empty when one of each is wanted
  /// Likewise: what is said about its runs, the first one first; empty when that is not wanted.
  std::vector<std::vector<RunExplanation>> explanations = {};
  std::optional<Unboundedness> unbounded = {};
  std::optional<CertificateReport> certificate = {};  ///< if one was written
  bool level_sizes = false;                           ///< show the size of each BFS level
  int exit_code = 0;

  /// All runs of a result, the first one first.
  std::vector<const Trace*> runs_of(std::size_t result) const;
  /// What is said about a run of a result; nothing: it is not explained.
  const RunExplanation* explanation_of(std::size_t result, std::size_t run) const;
};

/// Whether the verdict is the one its author expects; a property without an expectation is expected to hold.
bool as_expected(const PropertyResult& result);

/// How a set of verdicts is judged: the exit code, JUnit and the remark after a verdict all follow from it.
enum class Judgement {
  good,       ///< all are as expected
  bad,        ///< one is decided and not as expected
  undecided,  ///< none is bad, but one is unknown
};

/// The worst one decides.
Judgement judge(const std::vector<PropertyResult>& results);

/// Replays the runs of all results that have one. A run that exceeds the budget is left out, and the result
/// says so. Throws Error(internal) when a run does not replay.
std::vector<std::optional<Trace>> replay_all(const System& system, ErrorSemantics errors,
                                             std::vector<PropertyResult>& results, Budget& budget);

/// Likewise for the other runs of results that have several.
std::vector<std::vector<Trace>> replay_more(const System& system, ErrorSemantics errors,
                                            std::vector<PropertyResult>& results, Budget& budget);

/// Explains all runs, which change by that. One for which the budget does not suffice, or whose kind is not
/// explained, stays as it is, and the result says why.
void explain_runs(const System& system, ErrorSemantics errors, Answer& answer, Budget& budget);

/// Puts the warnings of the front-end before those of the engine, one line each.
void add_model_warnings(const System& system, Outcome& outcome);

/// Leaves all runs out of the answer when time or memory does not suffice to show them.
void drop_runs(Answer& answer, const std::string& reason);

}  // namespace tideline
