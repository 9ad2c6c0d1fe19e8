// CTL checking with the sweep-line: which search answers which formula.
//
//   AG EF p, AG AF p    one sweep for all of them (sweep.hpp), as long as no transition regresses
//   AG AF p otherwise   a search for cycles, as for LTL (search/lassos/ltl_sweep.hpp)
//   everything else     layers on disk (layers.hpp)
#pragma once

#include <vector>

#include "exec/reference.hpp"
#include "run/budget.hpp"
#include "run/outcome.hpp"
#include "search/sweep/sweep_settings.hpp"

namespace tideline {

struct CtlSweepOptions {
  ErrorSemantics errors = ErrorSemantics::stop;
  SweepSettings sweep = {};
  unsigned threads = 1;
  bool traces = true;      ///< off: results have no path
  bool every_scc = false;  ///< AG EF p, AG AF p: see AlwaysSweep
};

/// Checks properties of kind ctl. Throws Error(input) when the measure is not monotone as it claims.
Outcome check_ctl_sweep(const System& system, const std::vector<Property>& properties,
                        const CtlSweepOptions& options, Budget& budget);

}  // namespace tideline
