#include "attempt.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <thread>
#include <utility>

#include "allocation/allocation_guard.hpp"
#include "certificate/writer/certificate.hpp"
#include "certify.hpp"
#include "check.hpp"
#include "checking/check.hpp"
#include "checking/count.hpp"
#include "checking/shorten_runs.hpp"
#include "engine_options.hpp"
#include "testing/faulty_files.hpp"
#include "testing/mortal_search.hpp"
#include "testing/ranks_in_threads.hpp"
#include "testing/tampered_checkpoint.hpp"

namespace tideline::soak {

namespace {

using Clock = std::chrono::steady_clock;

/// Such as they are for small models.
void set_sizes(SafetyOptions& options) {
  options.device.first_states = 64;  // clearing more takes longer than the search
  // Some tens of states, whether a tree helps or not. An empty table takes most of that.
  options.store_change = {.from_bytes = 12'000, .part = std::numeric_limits<double>::infinity()};
}

/// Something that must not be.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void require(bool fact, const std::string& otherwise) {
  if (!fact) throw Failure(otherwise);
}

/// Sets a flag after a while.
class Interrupter {
 public:
  explicit Interrupter(std::uint64_t microseconds)
      : thread_([this, microseconds](const std::stop_token& stop) {
          const auto end = Clock::now() + std::chrono::microseconds(microseconds);
          while (!stop.stop_requested() && Clock::now() < end)
            std::this_thread::sleep_for(std::chrono::microseconds(50));
          interrupted_ = true;
        }) {}
  const std::atomic<bool>* flag() const { return &interrupted_; }

 private:
  std::atomic<bool> interrupted_ = false;
  std::jthread thread_;
};

/// What the command prints, and why it ended early, if it did.
struct Answered {
  CheckResult result;
  std::vector<std::optional<Trace>> traces;
  std::string reason;
  bool certified = false;
};

/// As `tideline check` does it.
class Asker {
 public:
  Asker(const Model& model, const app::CheckOptions& options) : model_(model), options_(options) {}

  Answered ask(Budget::Limits limits, cluster::Ranks* ranks,
               const std::shared_ptr<Checkpointer>& checkpoints = {}, bool goes_on = false,
               const std::shared_ptr<Certificate>& certificate = {}) const {
    // With a small cache, states may be visited again and again, without end for all practical purposes.
    if (options_.given.contains("--cache") && !limits.seconds) limits.seconds = 2;
    Settings settings = options_.settings;
    settings.certificate = certificate;
    set_sizes(settings.states);
    app::complete_settings(options_.model, options_.limits, settings);
    settings.notes = {};
    settings.ranks = ranks;
    settings.measure = options_.measure.source();
    const std::vector<Property> properties = select_properties(options_.selection, model_);
    Budget budget(limits);
    std::optional<Check> check;
    const bool found = within_limits(budget, [&] {
      check.emplace(model_, properties, settings);
      if (checkpoints) check->save_in(checkpoints, goes_on);
      check->run(limits, budget);
    });
    Answered answered{.result = {}, .traces = {}, .reason = budget.reason()};
    if (found)
      answered.result = check->result();
    else
      answered.result.outcome = give_up(properties, settings, model_.system, {}, budget);
    build_runs(settings, limits, budget, answered);
    return answered;
  }

  const Model& model() const { return model_; }

 private:
  void build_runs(const Settings& settings, const Budget::Limits& limits, const Budget& budget,
                  Answered& answered) const {
    Budget wrap_up = budget.wrap_up();
    auto& results = answered.result.outcome.results;
    answered.traces = replay_all(model_.system, settings.errors, results, wrap_up);
    if (!settings.lassos.shortest)
      shorten_runs(model_.system, settings.errors, answered.result, limits, budget, wrap_up, answered.traces);
    if (settings.states.runs > 1) replay_more(model_.system, settings.errors, results, wrap_up);
  }

  const Model& model_;
  const app::CheckOptions& options_;
};

/// Of several ranks, what the first one answers.
Answered ask_ranks(const Asker& asker, const Trial& trial, const Budget::Limits& limits) {
  Answered first;
  try {
    test::run_ranks(trial.ranks, trial.seed, [&](cluster::Ranks& ranks) {
      Answered answered = asker.ask(limits, &ranks);
      const std::string reason = answered.reason;
      if (ranks.is_first()) first = std::move(answered);
      if (!reason.empty()) throw LimitReached(reason);  // so that the others hear why it leaves
    });
  } catch (const LimitReached&) {
  }
  return first;
}

/// Interrupted again and again, and resumed, until it is left in peace.
Answered ask_again_and_again(const Asker& asker, const Trial& trial) {
  const test::Scratch scratch;
  Chance chance(trial.seed);
  for (int times = 0;; ++times) {
    const bool is_new = !std::filesystem::exists(scratch.file());
    const auto checkpoints = is_new ? std::make_shared<Checkpointer>(scratch.folder(), SavedRun{})
                                    : std::make_shared<Checkpointer>(scratch.folder());
    checkpoints->configure(0, [](const std::string& warning) { throw Failure("checkpoint: " + warning); });
    const Interrupter interrupter(chance.below(2000));
    Budget::Limits limits;
    if (times < 6) limits.interrupted = interrupter.flag();
    Answered answered = asker.ask(limits, nullptr, checkpoints, !is_new && checkpoints->has_saved());
    if (answered.reason.empty()) {
      checkpoints->remove();
      require(!std::filesystem::exists(scratch.folder()), "the checkpoint is not removed");
      return answered;
    }
    checkpoints->keep();
  }
}

/// Interrupted, and resumed from something else. Whatever that says, it is refused or answered; the answer proves nothing.
Answered ask_stranger(const Asker& asker, const Trial& trial) {
  const test::Scratch scratch;
  Chance chance(trial.seed);
  {
    const auto checkpoints = std::make_shared<Checkpointer>(scratch.folder(), SavedRun{});
    checkpoints->configure(0, [](const std::string& warning) { throw Failure("checkpoint: " + warning); });
    const Interrupter interrupter(chance.below(2000));
    asker.ask({.interrupted = interrupter.flag()}, nullptr, checkpoints);
    if (!checkpoints->has_saved())
      return {.result = {}, .traces = {}, .reason = "it was over before it was saved"};
    checkpoints->keep();
  }
  test::tamper_with_checkpoint(scratch.file(), chance.below(200), chance.number());
  try {
    const auto checkpoints = std::make_shared<Checkpointer>(scratch.folder());
    checkpoints->configure(0, [](const std::string&) {});
    asker.ask({.seconds = 5.0}, nullptr, checkpoints, checkpoints->has_saved());
    checkpoints->keep();
  } catch (const Error&) {
  }
  return {.result = {}, .traces = {}, .reason = "a checkpoint that somebody has changed"};
}

/// One allocation fails; 0: none. `count`: how many there were.
Answered ask_without_memory(const Asker& asker, std::uint64_t at, std::uint64_t& count) {
  const FailingAllocation failing(at);
  try {
    Answered answered = asker.ask({}, nullptr);
    count = failing.count();
    return answered;
  } catch (const std::bad_alloc&) {  // as the program does
    count = failing.count();
    return {.result = {}, .traces = {}, .reason = "out of memory"};
  }
}

/// From some call for a file on, nothing can be written, or nothing be read.
Answered ask_without_disk(const Asker& asker, test::Fault fault, std::uint64_t at, std::uint64_t& count) {
  const test::Scratch scratch;
  test::FaultyFiles faulty(scratch.parent(), fault, at);
  const FilesInUse use(faulty);
  try {
    Answered answered = asker.ask({}, nullptr);
    count = faulty.calls();
    return answered;
  } catch (const Error& error) {
    count = faulty.calls();
    if (error.kind() != ErrorKind::io) throw;
    return {.result = {}, .traces = {}, .reason = error.what()};
  }
}

Answered ask_with_fault(const Asker& asker, const Trial& trial, std::uint64_t& count) {
  Chance chance(trial.seed);
  if (trial.event == Event::allocation) return ask_without_memory(asker, trial.at, count);
  const test::Fault fault = chance.one_in(2) ? test::Fault::full_disk : test::Fault::read_error;
  return ask_without_disk(asker, trial.at == 0 ? test::Fault::none : fault, trial.at, count);
}

/// What is proven has a certificate, which is accepted. Where steps end in model errors there may be none.
Answered ask_certified(const Asker& asker, const Space& space, const Question& question,
                       const app::CheckOptions& options, ErrorSemantics errors) {
  const test::Scratch scratch;
  const auto certificate = std::make_shared<Certificate>(
      CertificateRequest{.file = scratch.folder(), .version = "soak", .folder = scratch.parent()});
  Answered answered = asker.ask({}, nullptr, {}, false, certificate);
  const PropertyResult& result = answered.result.outcome.results.front();
  const bool proven = question.kind == PropertyKind::reach
                          ? result.verdict == Verdict::violated && result.reason.empty()
                          : result.verdict == Verdict::holds;
  if (!proven) return answered;
  require(certificate->written() || space.errors, "there is no certificate: " + certificate->failure());
  if (!certificate->written()) return answered;
  std::vector<Property> properties = select_properties(options.selection, asker.model());
  for (Property& property : properties) property.deadlock_paths = question.paths;
  try {
    const certify::CertificateReader reader(certify::open_bytes(certificate->request().file));
    certify::certify(reader, asker.model(), properties, errors, false, {.threads = 1});
  } catch (const certify::Refused& refused) {
    throw Failure(std::string("the certificate is refused: ") + refused.what());
  }
  answered.certified = true;
  return answered;
}

Answered ask_with(const Asker& asker, const Trial& trial) {
  Chance chance(trial.seed);
  Budget::Limits limits;
  std::optional<Interrupter> interrupter;
  switch (trial.event) {
    case Event::none:
      break;
    case Event::interrupt:
      interrupter.emplace(chance.below(3000));
      limits.interrupted = interrupter->flag();
      break;
    case Event::time:
      limits.seconds = chance.below(2000) / 1e6;
      break;
    case Event::memory:
      limits.memory_bytes = 1;
      break;
    case Event::allocation:
    case Event::disk: {
      std::uint64_t count = 0;
      Trial once = trial;
      if (once.at == 0) {
        ask_with_fault(asker, once, count);
        once.at = 1 + chance.below(std::max<std::uint64_t>(count, 1));
      }
      return ask_with_fault(asker, once, count);
    }
    case Event::resume:
      return ask_again_and_again(asker, trial);
    case Event::stranger:
      return ask_stranger(asker, trial);
  }
  return trial.ranks > 1 ? ask_ranks(asker, trial, limits) : asker.ask(limits, nullptr);
}

void require_counts(const Statistics& statistics, const Space& space) {
  const auto is = [&](Stat stat, std::uint64_t expected) {
    const Statistics::Value* value = statistics.find(stat);
    if (!value) return;
    const auto* number = std::get_if<std::uint64_t>(value);
    require(number && *number == expected,
            fmt::format("{} {}, but there are {}", number ? std::to_string(*number) : "too many", stat->name,
                        expected));
  };
  is("states", space.states.size());
  is("transitions", space.transitions);
  is("deadlocks", space.deadlocks);
}

class Judge {
 public:
  Judge(const Space& space, const Question& question, const std::optional<Truth>& truth, const Trial& trial,
        const app::CheckOptions& options)
      : space_(space), question_(question), truth_(truth), trial_(trial), options_(options) {}

  void judge(const Answered& answered) const {
    const Outcome& outcome = answered.result.outcome;
    if (outcome.results.empty() && is_fault() && !answered.reason.empty())
      return;  // it has said that and ended
    require(!outcome.results.empty(), "no result");
    const PropertyResult& result = outcome.results.front();
    require(result.property.kind == question_.kind, "the first result is not about the question");
    judge_verdict(result, answered.reason);
    judge_run(answered);
    judge_counts(outcome);
  }

 private:
  bool is_limited() const { return trial_.event != Event::none && trial_.event != Event::resume; }
  bool is_fault() const {
    return trial_.event == Event::allocation || trial_.event == Event::disk ||
           trial_.event == Event::stranger;
  }
  /// In the reason of what the limit has ended.
  const char* limit_word() const {
    return trial_.event == Event::interrupt ? "interrupt"
           : trial_.event == Event::time    ? "time limit"
           : trial_.event == Event::disk    ? ""
                                            : "memory";
  }
  bool has(const char* option) const { return options_.given.contains(option); }

  /// Some are given little memory.
  static bool fills_device(const PropertyResult& result) {
    return result.reason.find("memory of the device") != std::string::npos;
  }

  void judge_verdict(const PropertyResult& result, const std::string& reason) const {
    const Verdict verdict = result.verdict;
    // Of several ranks, the limit may be another one's: then only the result says so.
    const bool is_open = !reason.empty() || is_limited() || has("--depth") || !trial_.engine->conclusive ||
                         options_.settings.states.store == Store::hash || fills_device(result);
    require(verdict != Verdict::unknown || !result.reason.empty(), "unknown without a reason");
    const bool has_own_limit = has("--depth") || has("--cache") || has("--gpu-memory") ||
                               options_.settings.states.store == Store::hash;
    const bool by_limit =
        is_limited() && truth_ && !truth_->unknown && !has_own_limit && trial_.engine->conclusive;
    if (verdict == Verdict::unknown && by_limit)
      require(result.reason.find(limit_word()) != std::string::npos,
              "the reason names no limit: " + result.reason);
    if (verdict == Verdict::unknown && is_open) return;
    if (truth_)
      require(truth_->allows(verdict), fmt::format("{} ({}), but right is: {}", tideline::to_string(verdict),
                                                   result.reason, to_string(*truth_)));
  }

  /// Runs were replayed before: here they are only missed.
  void judge_run(const Answered& answered) const {
    const PropertyResult& result = answered.result.outcome.results.front();
    if (has("--no-trace")) {
      require(!answered.traces.front(), "a run, though none is wanted");
      return;
    }
    if (question_.kind == PropertyKind::ctl) return;
    const bool shows =
        result.verdict == (question_.kind == PropertyKind::reach ? Verdict::holds : Verdict::violated);
    // An interrupt may come while the run is built; the answer says so.
    if (shows && !(trial_.event != Event::none && !result.reason.empty()))
      require(answered.traces.front().has_value(), "the run is missing: " + result.reason);
  }

  void judge_counts(const Outcome& outcome) const {
    const bool reduced =
        has("--reduce-net") || (trial_.engine->is_race ? !is_whole() : has("--por") && !is_whole());
    // Several sweeps count some transitions several times, and do not say how many states there are.
    if (!outcome.complete || reduced || !outcome.statistics.find("states")) return;
    require_counts(outcome.statistics, space_);
  }

  bool is_whole() const { return options_.settings.reduction == por::Method::none; }

  const Space& space_;
  const Question& question_;
  const std::optional<Truth>& truth_;
  const Trial& trial_;
  const app::CheckOptions& options_;
};

Attempt refused_or_failed(const std::exception& error) {
  const auto* ours = dynamic_cast<const Error*>(&error);
  const bool refused = ours && ours->kind() == ErrorKind::usage;
  return {.refused = refused, .verdict = Verdict::unknown, .failure = refused ? "" : error.what()};
}

Outcome counted(const Model& model, Settings settings, cluster::Ranks* ranks) {
  settings.ranks = ranks;
  Budget budget;
  Count count(model, nullptr, settings);
  count.run({}, budget);
  return count.outcome();
}

auto options_of(const RandomModel& text, const Question& question, const Trial& trial) {
  std::vector<std::string> words = text.words();
  for (const auto& more : {words_of(question), trial.words})
    words.insert(words.end(), more.begin(), more.end());
  words.insert(words.end(), {"--", text.file});
  return app::parse_check(words);
}

}  // namespace

std::uint64_t occasions(const RandomModel& text, const Model& model, const Question& question,
                        const Trial& trial) {
  std::uint64_t count = 0;
  try {
    const auto options = options_of(text, question, trial);
    ask_with_fault(Asker(model, *options), trial, count);
  } catch (const std::exception&) {  // refused
    return 0;
  }
  return count;
}

Attempt attempt(const RandomModel& text, const Model& model, const Space& space, const Question& question,
                const std::optional<Truth>& truth, const Trial& trial) {
  Attempt result;
  try {
    const auto options = options_of(text, question, trial);
    const Asker asker(model, *options);
    const Answered answered = trial.certified ? ask_certified(asker, space, question, *options, text.errors)
                                              : ask_with(asker, trial);
    result.certified = answered.certified;
    result.moved = answered.result.outcome.statistics.find("moved_states") != nullptr;
    Judge(space, question, truth, trial, *options).judge(answered);
    if (!answered.result.outcome.results.empty())
      result.verdict = answered.result.outcome.results.front().verdict;
  } catch (const std::exception& error) {
    result = refused_or_failed(error);
  }
  return result;
}

Attempt attempt_count(const RandomModel& text, const Model& model, const Space& space, const Trial& trial) {
  try {
    std::vector<std::string> words = text.words();
    words.insert(words.end(), trial.words.begin(), trial.words.end());
    words.insert(words.end(), {"--", text.file});
    const auto options = app::parse_check(words);
    Settings settings = options->settings;
    app::complete_settings(options->model, options->limits, settings);
    settings.notes = {};
    settings.measure = options->measure.source();
    set_sizes(settings.states);
    require_countable(settings, false);
    Outcome outcome;
    if (trial.ranks > 1)
      test::run_ranks(trial.ranks, trial.seed, [&](cluster::Ranks& ranks) {
        Outcome own = counted(model, settings, &ranks);
        if (ranks.is_first()) outcome = std::move(own);
      });
    else
      outcome = counted(model, settings, nullptr);
    require(outcome.complete, "not all states were counted");
    if (outcome.statistics.find("states")) require_counts(outcome.statistics, space);
    return {.verdict = Verdict::holds};
  } catch (const std::exception& error) {
    return refused_or_failed(error);
  }
}

}  // namespace tideline::soak
