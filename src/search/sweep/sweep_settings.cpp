#include "search/sweep/sweep_settings.hpp"

#include <fmt/format.h>

namespace tideline {

SweepOptions sweep_options(const SweepSettings& settings, bool traces) {
  SweepOptions options;
  options.on_layer = settings.on_layer;
  options.checkpoints = settings.checkpoints;
  if (traces && settings.checkpoints) {
    options.log = settings.checkpoints->open<TraceLog>(settings.trace_folder, settings.keep_log);
  } else if (traces) {
    options.log = std::make_shared<TraceLog>(settings.log_folder(), settings.keep_log);
  }
  options.claimed_shift = settings.measure.claimed_shift();
  return options;
}

void require_claim(const SweepFigures& figures, const System& system,
                   const std::function<std::string(Progress)>& show) {
  if (!figures.broken_claim) return;
  const auto& [action, from, to] = *figures.broken_claim;
  throw Error(
      ErrorKind::input,
      fmt::format("the measure is not monotone as it claims: the action `{}` takes it from {} back to {}",
                  system.actions[action].label, show(from), show(to)));
}

void add_figures(const SweepFigures& figures, Statistics& statistics) {
  statistics.set("sweeps", figures.sweeps);
  if (figures.measures > 1) statistics.set("measures", figures.measures);
  statistics.set("layers", figures.layers);
  statistics.set("visited", figures.expansions);
  statistics.set("stored_peak", figures.stored_peak);
  statistics.set("persistent", figures.persistent);
  statistics.set("regress_edges", figures.regress_edges);
  if (!figures.coverage) return;
  statistics.set("coverage", figures.coverage->part);
  statistics.set("coverage_least", figures.coverage->least);
  statistics.set("coverage_most", figures.coverage->most);
}

}  // namespace tideline
