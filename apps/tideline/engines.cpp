// tideline engines: what engines there are and what they can do, from the table.
#include "checking/engines.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "commands.hpp"
#include "output.hpp"

namespace tideline::app {
namespace {

constexpr const char* engines_help = R"(Usage: tideline engines
Lists the engines of check: which properties each answers (of states, of
infinite runs, CTL), how many threads it uses, what it searches on several
ranks (processes), whether it supports fairness, whether its lassos can be made
shortest, and whether it proves: an engine that does not can find a violation,
but never says that something holds.

Examples
  tideline engines
  tideline engines | grep CTL
)";

const char* runs_of(const Engine& engine) {
  if (!engine.is_race && !engine.lassos) return "-";
  return engine.automata == Automata::bad_prefixes ? "safety" : "yes";
}

const char* ranks_of(const Engine& engine) {
  if (engine.is_race) return engine.races_at_once ? "-" : "both";
  return engine.state_ranks ? "states" : engine.lasso_ranks ? "runs" : "-";
}

std::string engine_table() {
  constexpr const char* row = "{:<10} {:<7} {:<7} {:<4} {:<8} {:<7} {:<5} {:<9} {:<7} {}\n";
  const auto yes = [](bool is) { return is ? "yes" : "-"; };
  std::string text = fmt::format(row, "engine", "states", "runs", "CTL", "threads", "ranks", "fair",
                                 "shortest", "proves", "what it is");
  for (const Engine& e : engines())
    text += fmt::format(row, e.name, yes(e.is_race || e.states), runs_of(e), yes(e.is_race || e.ctl),
                        e.is_race || e.threads ? "any" : "1", ranks_of(e), yes(e.is_race || e.fairness),
                        yes(e.is_race || e.shortest), yes(e.conclusive), e.is);
  return text;
}

}  // namespace

void add_engines(CLI::App& app, ExitCode&) {
  auto* command = app.add_subcommand("engines");
  set_help(*command, engines_help);
  command->callback([] { print(engine_table()); });
}

}  // namespace tideline::app
