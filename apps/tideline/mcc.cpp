// tideline mcc: answers an examination of the Model Checking Contest in the contest's own words.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "allocation/allocation_guard.hpp"
#include "checking/contest/contest.hpp"
#include "checking/contest/questions.hpp"
#include "commands.hpp"
#include "lang/pnml/pnml.hpp"
#include "options.hpp"
#include "output.hpp"

namespace tideline::app {
namespace {

using contest::AnswerSink;
using contest::ContestMode;
using contest::Examination;

constexpr const char* mcc_help =
    R"(Usage: tideline mcc DIR EXAMINATION [options]
Answers an examination of the Model Checking Contest about the Petri net in
DIR/model.pnml, each answer as soon as it is known: FORMULA ID TRUE ...
  StateSpace, ReachabilityDeadlock, OneSafe, StableMarking, QuasiLiveness,
  Liveness            about the net itself
  ReachabilityCardinality, ReachabilityFireability, CTLCardinality, UpperBounds,
  CTLFireability, LTLCardinality, LTLFireability
                      about the formulas in DIR/EXAMINATION.xml
  --engine NAME       auto; symbolic: decision diagrams only; explicit: none
  --time DURATION     stop there, e.g. 1h;  --memory SIZE: e.g. 16G
  --threads N         of searches, and of trials of variable orders
  --quiet             no notes about what was not answered
  --status json       how far it is, for programs, on stderr
CANNOT_COMPUTE: nothing is known;  DO_NOT_COMPETE: no such examination.
Exit code: 0 all answered, 3 not all of them, 2 bad usage or input.
Examples
  mkdir net && cp models/philosophers.pnml net/model.pnml
  tideline mcc net StateSpace
  tideline mcc net Liveness --time 10m --memory 16G --quiet
)";

struct MccOptions {
  std::string folder, examination;
  ContestMode mode = ContestMode::all;
  LimitOptions limits;
};

ExitCode run_mcc(const MccOptions& options) {
  StatusDisplay status(options.limits.status_form());
  Budget::Limits limits = options.limits.limits(status);
  const AllocationGuard guard(limits);
  Budget budget(limits);
  bool said = false;
  const AnswerSink sink{.say =
                            [&](const std::string& line, const std::string& techniques) {
                              status.erase();
                              print(fmt::format("{} TECHNIQUES {}\n", line, techniques));
                              said = true;
                            },
                        .remark =
                            [&](const std::string& text) {
                              status.erase();
                              if (!options.limits.quiet) note(text);
                            }};
  ExitCode exit_code = exit_unknown;
  const bool worked = within_limits(budget, [&] {
    budget.begin(Phase::reading);
    Model model;
    model.source = read_source((std::filesystem::path(options.folder) / "model.pnml").string());
    const auto net = std::make_shared<const pnml::Net>(pnml::read_net(model.source, {}));
    model.system = pnml::to_system(*net);
    model.net = net;
    auto examination = contest::read_examination(options.folder, options.examination, *net, model.system);
    if (!examination) {
      print("DO_NOT_COMPETE\n");
      said = true;
      return;
    }
    budget.end_phase();
    limits.gone = budget.seconds();
    contest::answer_all(*examination, model, options.mode, static_cast<unsigned>(options.limits.threads),
                        limits, sink);
    if (examination->all_answered()) exit_code = exit_holds;
  });
  budget.end_phase();
  status.erase();
  if (!worked) sink.remark(budget.reason());
  if (!said) print("CANNOT_COMPUTE\n");
  return exit_code;
}

}  // namespace

void add_mcc(CLI::App& app, ExitCode& exit_code) {
  auto* command = app.add_subcommand("mcc");
  set_help(*command, mcc_help);
  const auto options = std::make_shared<MccOptions>();
  command->add_option("DIR", options->folder)->required();
  command->add_option("EXAMINATION", options->examination)->required();
  add_word(*command, "--engine", {"auto", "symbolic", "explicit"}, [options](const std::string& word) {
    options->mode = word == "symbolic"   ? ContestMode::only_diagrams
                    : word == "explicit" ? ContestMode::no_diagrams
                                         : ContestMode::all;
  });
  options->limits.add_to(*command);
  command->callback([options, &exit_code] { exit_code = run_mcc(*options); });
}

}  // namespace tideline::app
