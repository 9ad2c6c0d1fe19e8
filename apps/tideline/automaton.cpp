// tideline automaton: the Büchi automaton of an LTL formula, as engines use it, for people and other tools.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "commands.hpp"
#include "logic/automaton_text.hpp"
#include "logic/hoa.hpp"
#include "logic/patterns.hpp"
#include "logic/spot.hpp"
#include "logic/translate.hpp"
#include "options.hpp"
#include "output.hpp"

namespace tideline::app {
namespace {

constexpr const char* automaton_help = R"(Usage: tideline automaton FORMULA [options]
Translates an LTL formula to a Büchi automaton and prints it. Operators:
! && || -> <-> xor, X F G (also [] <>), U R W M; atoms are names, or
expressions of a model in quotes.

  --hoa               in the Hanoi Omega-Automata format (the default)
  --dot               for Graphviz
  --never             as a never claim for SPIN
  --stats             only its size and kind: deterministic, weak, terminal
  --ba                accepting states (the default)
  --tgba              generalised acceptance on edges; often smaller
  --pattern           FORMULA is a pattern: 'response(p, q) after r'
  --negate            the automaton of the negation, as check uses it
  --translator NAME   own (the default), or spot: run ltl2tgba, if installed

Exit code: 0 it was printed, 2 the formula has an error or its automaton is
too large.

Examples
  tideline automaton 'G(request -> F grant)' --stats
  tideline automaton '[](p -> <>"x == 1")' --negate --dot | dot -Tsvg > a.svg
)";

struct AutomatonOptions {
  std::string formula;
  bool hoa = false, dot = false, never = false, stats = false;
  bool ba = false, tgba = false;
  bool pattern = false, negate = false;
  std::string translator = "own";
};

std::string statistics(const Automaton& automaton) {
  const char* acceptance = automaton.sets == 0 ? "every run" : !automaton.state_based ? "edges" : "states";
  return fmt::format(
      "formula:     {}\nstates:      {}\nedges:       {}\natoms:       {}\nacceptance:  {}, {} set{}\nkind:  "
      "      {}\n",
      automaton.name, automaton.states, automaton.edge_count(), automaton.atoms.size(), acceptance,
      automaton.sets, automaton.sets == 1 ? "" : "s", fmt::join(describe(automaton), ", "));
}

ExitCode run_automaton(const AutomatonOptions& options) {
  LtlPool pool;
  const SourceText source{"FORMULA", options.formula};
  Ltl f = options.pattern ? parse_pattern(pool, source) : parse_ltl(pool, source);
  if (options.negate) f = pool.unary(LtlOp::not_, f);
  const AutomatonKind kind = options.tgba ? AutomatonKind::generalised : AutomatonKind::buchi;
  const Automaton automaton =
      options.translator == "spot" ? translate_with_spot(pool, f, kind) : translate(pool, f, {.kind = kind});
  print(options.dot     ? to_dot(automaton)
        : options.never ? to_never_claim(automaton)
        : options.stats ? statistics(automaton)
                        : to_hoa(automaton));
  return exit_holds;
}

}  // namespace

void add_automaton(CLI::App& app, ExitCode& exit_code) {
  auto* command = app.add_subcommand("automaton");
  set_help(*command, automaton_help);
  const auto options = std::make_shared<AutomatonOptions>();
  command->add_option("FORMULA", options->formula)->required();
  auto* hoa = command->add_flag("--hoa", options->hoa);
  auto* dot = command->add_flag("--dot", options->dot)->excludes(hoa);
  auto* never = command->add_flag("--never", options->never)->excludes(hoa)->excludes(dot);
  command->add_flag("--stats", options->stats)->excludes(hoa)->excludes(dot)->excludes(never);
  auto* ba = command->add_flag("--ba", options->ba);
  command->add_flag("--tgba", options->tgba)->excludes(ba)->excludes(never);
  command->add_flag("--pattern", options->pattern);
  command->add_flag("--negate", options->negate);
  command->add_option("--translator", options->translator)->check(one_of({"own", "spot"}));
  command->callback([options, &exit_code] { exit_code = run_automaton(*options); });
}

}  // namespace tideline::app
