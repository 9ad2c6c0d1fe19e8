// soak: asks random questions about random models with all engines, and compares everything with an oracle.
//
//     soak [--seconds N] [--models N] [--from SEED] [--engine NAME] [--save DIR] [--json FILE]
//     soak --seed SEED      one model alone, every case in words
//
// A seed is a model, a question of each kind, and for each engine that answers it a way to ask. What happens between
// threads and ranks, and when an interrupt comes, is left to chance; all else is repeated by the seed.
// The cases that fail are saved: the model without the transitions that it can do without, and the command.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "attempt.hpp"
#include "cases.hpp"
#include "checking/engines.hpp"
#include "files/write_file.hpp"

namespace tideline::soak {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_states = 1000;
/// Seconds. Threads that wait for each other at every level take long where all processors are busy.
constexpr double hangs_after = 600;

constexpr std::string_view count_column = "count";

/// Of the table: the kinds of questions, and counting.
std::vector<std::string_view> columns() {
  std::vector<std::string_view> names;
  for (const PropertyKind kind : question_kinds) names.push_back(tideline::to_string(kind));
  names.push_back(count_column);
  return names;
}

struct SoakOptions {
  double seconds = 10;
  std::uint64_t models = ~std::uint64_t{0};
  std::uint64_t from = 1;
  std::optional<std::uint64_t> seed;
  std::string engine, save, json;
  bool everywhere = false;  ///< every allocation and every call for a file fails once
};

/// Where the program is, for when it does not come back: written by one thread, read when all is lost.
class Whereabouts {
 public:
  void enter(std::uint64_t seed, const std::string& what) {
    std::snprintf(text_, sizeof text_, "soak: seed %llu, %s\n", static_cast<unsigned long long>(seed),
                  what.c_str());
    since_ = now();
  }
  void tell() const {
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text_, std::strlen(text_));
  }
  double seconds() const { return static_cast<double>(now() - since_) / 1e9; }

 private:
  static std::int64_t now() { return Clock::now().time_since_epoch().count(); }

  char text_[4096] = "soak: before the first case\n";
  std::atomic<std::int64_t> since_ = now();
};
Whereabouts whereabouts;

void on_crash(int signal) {
  whereabouts.tell();
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

/// Ends the program when a case takes too long.
std::jthread watchdog() {
  return std::jthread([](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      if (whereabouts.seconds() < hangs_after) continue;
      std::fputs("soak: this case hangs\n", stderr);
      std::abort();
    }
  });
}

/// What was done, by kind.
struct Tally {
  std::uint64_t models = 0, skipped = 0, questions = 0, cases = 0, refused = 0;
  std::map<std::string_view, std::map<std::string_view, std::uint64_t>> engines;  ///< by engine and column
  std::map<std::string, std::uint64_t> model_kinds, verdicts, ways;
  nlohmann::json failures = nlohmann::json::array();

  void add(std::string_view column, const Trial& trial, const Attempt& attempt) {
    if (attempt.refused) {
      ++refused;
      return;
    }
    ++cases;
    ++engines[trial.engine->name][column];
    ++verdicts[std::string(tideline::to_string(attempt.verdict))];
    if (trial.ranks > 1) ++ways["several ranks, messages delayed"];
    if (attempt.certified) ++ways["certificate accepted"];
    if (attempt.moved) ++ways["moved into trees"];
    if (trial.event != Event::none) ++ways[std::string(to_string(trial.event))];
    for (const std::string& word : trial.words) {
      if (word.starts_with("--threads=")) ++ways["several threads"];
      if (word.starts_with("--por=")) ++ways["reduction forced or off"];
      if (word.starts_with("--progress=")) ++ways["measure forced"];
      if (word == "--reduce-net") ++ways["reduced net"];
      if (word.starts_with("--depth=")) ++ways["depth limit"];
      if (word.starts_with("--store=")) ++ways["store " + word.substr(word.find('=') + 1)];
      if (word.starts_with("--exec=")) ++ways["execution " + word.substr(word.find('=') + 1)];
    }
  }
};

/// A word as a shell reads it.
std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string command_of(const char* verb, const RandomModel& text, const std::vector<std::string>& question,
                       const Trial& trial) {
  std::string command = fmt::format("tideline {} {}", verb, text.file);
  for (const auto& words : {text.words(), question, trial.words})
    for (const std::string& word : words) command += " " + quoted(word);
  if (trial.ranks > 1) command += fmt::format(" --ranks {}", trial.ranks);
  if (trial.certified) command += " --certificate proof";
  return command;
}

class Soak {
 public:
  explicit Soak(SoakOptions options) : options_(std::move(options)) {}

  int run() {
    const auto dog = watchdog();
    if (options_.seed) {
      run_seed(*options_.seed);
    } else {
      for (std::uint64_t seed = options_.from;
           tally_.models < options_.models && seconds() < options_.seconds; ++seed)
        run_seed(seed);
    }
    report();
    return tally_.failures.empty() ? 0 : 1;
  }

 private:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  void run_seed(std::uint64_t seed) {
    whereabouts.enter(seed, "making the model");
    last_seed_ = seed;
    Chance chance(seed);
    const RandomModel text = random_model(chance);
    ++tally_.models;
    const Model model = read_model({text.file, text.text});
    const std::optional<Space> space = explore(model.system, text.errors, most_states);
    if (!space) {
      ++tally_.skipped;
      return;
    }
    ++tally_.model_kinds[text.kind];
    if (options_.seed) fmt::print("{}\n{} states\n", text.text, space->states.size());
    for (const PropertyKind kind : question_kinds) {
      const Question question = random_question(kind, text, chance);
      ask(seed, text, model, *space, question, chance);
    }
    count(seed, text, model, *space, chance);
  }

  void count(std::uint64_t seed, const RandomModel& text, const Model& model, const Space& space,
             Chance& chance) {
    for (const Engine& engine : engines()) {
      if (!engine.counts) continue;
      const Trial trial = random_count(engine, text, chance);
      if (!options_.engine.empty() && engine.name != options_.engine) continue;
      const std::string command = command_of("explore", text, {}, trial);
      whereabouts.enter(seed, command);
      const Attempt result = attempt_count(text, model, space, trial);
      tally_.add(count_column, trial, result);
      if (options_.seed) fmt::print("explore, {}: {}\n", trial.text(), result.refused ? "refused" : "done");
      if (!result.failure.empty()) save(seed, text, command, trial, result.failure);
    }
  }

  void ask(std::uint64_t seed, const RandomModel& text, const Model& model, const Space& space,
           const Question& question, Chance& chance) {
    whereabouts.enter(seed, "asking the oracle");
    ++tally_.questions;
    std::optional<Truth> truth = truth_of(model.system, space, question);
    if (options_.seed)
      fmt::print("\n{}: {}\n", fmt::join(words_of(question), " "), truth ? to_string(*truth) : "not known");
    for (const Engine& engine : engines()) {
      if (!engine.is_race && !answers(engine, question.kind)) continue;
      const Trial trial = random_trial(engine, question, text, chance);
      if (!options_.engine.empty() && engine.name != options_.engine) continue;
      if (options_.everywhere) {
        fail_everywhere(seed, text, model, space, question, truth, trial);
        continue;
      }
      whereabouts.enter(seed, fmt::format("{}, {}", command_of("check", text, words_of(question), trial),
                                          to_string(trial.event)));
      const Attempt result = attempt(text, model, space, question, truth, trial);
      tally_.add(tideline::to_string(question.kind), trial, result);
      if (question.fairness != Fairness::none && !result.refused) ++tally_.ways["fair runs only"];
      if (options_.seed)
        fmt::print("  {}: {}\n", trial.text(),
                   result.refused ? "refused" : std::string(tideline::to_string(result.verdict)));
      if (!result.failure.empty()) fail(seed, text, question, trial, result.failure);
      // Where the oracle does not know, all have to say what the first one says.
      if (!truth && !result.refused && result.verdict != Verdict::unknown)
        truth = {.holds = result.verdict == Verdict::holds,
                 .violated = result.verdict == Verdict::violated,
                 .unknown = space.errors};
    }
  }

  /// Every allocation, and every call for a file.
  void fail_everywhere(std::uint64_t seed, const RandomModel& text, const Model& model, const Space& space,
                       const Question& question, const std::optional<Truth>& truth, Trial trial) {
    trial.ranks = 1;
    for (const Event event : {Event::allocation, Event::disk}) {
      trial.event = event;
      trial.at = 0;
      const std::string command = command_of("check", text, words_of(question), trial);
      whereabouts.enter(seed, command);
      const std::uint64_t count = occasions(text, model, question, trial);
      for (trial.at = 1; trial.at <= count && seconds() < options_.seconds; ++trial.at) {
        whereabouts.enter(seed, fmt::format("{}, {} {}", command, to_string(event), trial.at));
        const Attempt result = attempt(text, model, space, question, truth, trial);
        tally_.add(tideline::to_string(question.kind), trial, result);
        if (!result.failure.empty()) save(seed, text, command, trial, result.failure);
      }
    }
  }

  void fail(std::uint64_t seed, const RandomModel& text, const Question& question, const Trial& trial,
            const std::string& failure) {
    const RandomModel small = shrunk(text, question, trial);
    save(seed, small, command_of("check", small, words_of(question), trial), trial, failure);
  }

  void save(std::uint64_t seed, const RandomModel& small, const std::string& command, const Trial& trial,
            const std::string& failure) {
    fmt::print(stderr, "soak: seed {}: {}\n  {}\n  {}\n", seed, command, trial.text(), failure);
    tally_.failures.push_back({{"seed", seed},
                               {"command", command},
                               {"way", trial.text()},
                               {"what", failure},
                               {"model", small.text}});
    if (options_.save.empty()) return;
    const auto folder = std::filesystem::path(options_.save) / fmt::format("{}-{}", seed, trial.engine->name);
    std::filesystem::create_directories(folder);
    write_file(folder / small.file, small.text);
    write_file(folder / "case.txt",
               fmt::format("soak --seed {}\n{}\n{}\n{}\n", seed, command, trial.text(), failure));
  }

  /// Without the transitions without which it fails, too.
  RandomModel shrunk(const RandomModel& text, const Question& question, const Trial& trial) const {
    RandomModel small = text;
    if (!text.file.ends_with(".dve")) return small;
    for (std::size_t which = 0;;) {
      RandomModel smaller = small;
      smaller.text = without_transition(small.text, which);
      if (smaller.text.empty()) return small;
      if (fails(smaller, question, trial))
        small = std::move(smaller);
      else
        ++which;
    }
  }

  static bool fails(const RandomModel& text, const Question& question, const Trial& trial) {
    try {
      const Model model = read_model({text.file, text.text});
      const auto space = explore(model.system, text.errors, most_states);
      if (!space) return false;
      const auto truth = truth_of(model.system, *space, question);
      return !attempt(text, model, *space, question, truth, trial).failure.empty();
    } catch (const Error&) {
      return false;
    }
  }

  void report() const {
    const std::uint64_t failed = tally_.failures.size();
    fmt::print("{:12}", "cases");
    for (const std::string_view column : columns()) fmt::print("{:>12}", column);
    fmt::print("\n");
    for (const Engine& engine : engines()) {
      const auto row = tally_.engines.find(engine.name);
      if (row == tally_.engines.end()) continue;
      fmt::print("{:12}", engine.name);
      for (const std::string_view column : columns()) {
        const auto cell = row->second.find(column);
        fmt::print("{:>12}", cell == row->second.end() ? "" : std::to_string(cell->second));
      }
      fmt::print("\n");
    }
    for (const auto* counts : {&tally_.model_kinds, &tally_.ways, &tally_.verdicts})
      for (const auto& [name, count] : *counts) fmt::print("{:36}{:>12}\n", name, count);
    fmt::print("{} models (seeds {} to {}, {} too large), {} questions, {} cases, {} refused, {:.0f} s\n",
               tally_.models, options_.seed.value_or(options_.from), last_seed_, tally_.skipped,
               tally_.questions, tally_.cases, tally_.refused, seconds());
    fmt::print("{} passed, {} failed\n", tally_.cases - failed, failed);
    if (!options_.json.empty()) write_file(options_.json, as_json().dump(2) + "\n");
  }

  nlohmann::json as_json() const {
    nlohmann::json cases = nlohmann::json::object();
    for (const auto& [engine, row] : tally_.engines)
      for (const auto& [column, number] : row) cases[std::string(engine)][std::string(column)] = number;
    return {{"models", tally_.models},
            {"too_large", tally_.skipped},
            {"first_seed", options_.seed.value_or(options_.from)},
            {"last_seed", last_seed_},
            {"questions", tally_.questions},
            {"cases", tally_.cases},
            {"refused", tally_.refused},
            {"seconds", seconds()},
            {"cases_by_engine", cases},
            {"models_by_kind", tally_.model_kinds},
            {"cases_by_way", tally_.ways},
            {"verdicts", tally_.verdicts},
            {"failures", tally_.failures}};
  }

  SoakOptions options_;
  Clock::time_point start_ = Clock::now();
  std::uint64_t last_seed_ = 0;
  Tally tally_;
};

}  // namespace
}  // namespace tideline::soak

int main(int argc, char** argv) {
  tideline::soak::SoakOptions options;
  CLI::App app("Random questions about random models, by all engines.");
  app.add_option("--seconds", options.seconds, "how long");
  app.add_option("--models", options.models, "at most so many models");
  app.add_option("--from", options.from, "the first seed");
  app.add_option("--seed", options.seed, "this seed alone");
  app.add_option("--engine", options.engine, "this engine alone");
  app.add_flag("--everywhere", options.everywhere,
               "let every allocation and every call for a file fail once");
  app.add_option("--save", options.save, "a folder for cases that fail");
  app.add_option("--json", options.json, "a file for the report");
  CLI11_PARSE(app, argc, argv);
  for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL})
    ::signal(signal, tideline::soak::on_crash);
  return tideline::soak::Soak(std::move(options)).run();
}
