// How a question is to be answered.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "exec/reference.hpp"
#include "model/error.hpp"
#include "reduce/method.hpp"
#include "run/fairness.hpp"
#include "run/property.hpp"
#include "search/lassos/liveness.hpp"
#include "search/states/safety.hpp"
#include "search/sweep/sweep_settings.hpp"
#include "symbolic/ctl/check.hpp"
#include "symbolic/ltl/check.hpp"

namespace tideline {

class Certificate;
struct Engine;

namespace cluster {
class Ranks;
}

/// Called with what a user may want to know about the choices that were made, a sentence at a time.
using Notes = std::function<void(const std::string&)>;

/// Settings of all engines; each uses what concerns it. Errors, threads, traces and the sweep's settings are
/// set here once: the fields of the same name in the options of single engines are filled in from these.
struct Settings {
  const Engine* engine = nullptr;  ///< a row of the table; nothing: it is chosen
  ErrorSemantics errors = ErrorSemantics::stop;
  unsigned threads = 1;
  cluster::Ranks* ranks = nullptr;  ///< search together with these; nothing: alone
  bool traces = true;               ///< build runs; off: results have no path

  SafetyOptions states = {};  ///< of searches for states
  /// bitstate: the table has 2^bits bits; nothing: as many as the memory has room for, beside the run to the current state.
  std::optional<std::uint32_t> bits = {};
  bool bounded = false;                       ///< states.depth was asked for
  LivenessOptions lassos = {};                ///< of searches for infinite runs
  symbolic::SymbolicOptions diagrams = {};    ///< of decision diagrams
  symbolic::LtlOptions diagrams_lassos = {};  ///< of infinite runs by them
  SweepSettings sweep = {};                   ///< of the sweep-line; a plan has its measure
  bool every_scc = false;                     ///< of CTL by the sweep-line, see CtlSweepOptions

  /// A measure in the words of the model; nothing: the model's own, or the best that is found.
  std::optional<SourceText> measure = {};
  Fairness fairness = Fairness::none;                ///< which infinite runs count
  std::vector<std::string> fair_actions = {};        ///< to what they are fair; empty: to processes
  std::optional<DeadlockPaths> deadlock_paths = {};  ///< nothing: as each property says
  /// How steps are left out that make no difference; nothing: where it pays, if the engine is chosen, too.
  std::optional<por::Method> reduction = {};
  bool spot = false;        ///< translate formulas by ltl2tgba
  bool buchi = false;       ///< of a search of a plan: the automaton has one acceptance set, on states
  bool reduce_net = false;  ///< search a smaller net
  std::shared_ptr<Certificate> certificate =
      {};  ///< searches add to it what they prove; nothing: none is wanted

  Notes notes = {};  ///< empty: notes are not wanted

  void note(const std::string& text) const {
    if (notes) notes(text);
  }
};

}  // namespace tideline
