// A run through a system, built one step at a time: chosen by hand or at random.
//
// Steps are taken with the reference semantics, so what is shown is what the words of the manual mean. Every
// function returns the text that a person is shown; reading and printing are left to the caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "exec/reference.hpp"
#include "trace/replay.hpp"

namespace tideline {

struct SimulationOptions {
  ErrorSemantics errors = ErrorSemantics::stop;
  std::uint64_t seed = 1;  ///< of random steps: the same seed gives the same run
  bool full = false;       ///< show whole states instead of differences
  bool keep_run = true;    ///< off: only the last state is kept, and a long run takes no memory
};

class Simulation {
 public:
  /// Both must outlive it. `source` is the model's text, for the places of model errors.
  Simulation(const System& system, const SourceText& source, const SimulationOptions& options);

  std::string initial_text() const;
  /// The enabled actions, numbered from 1.
  std::string actions_text() const;

  /// What became of a step, or of a line that was typed.
  struct Reply {
    std::string text;
    bool goes_on = true;
  };

  /// Obeys a line: the number of an action, or one of the letters of commands_text. It goes on until `q`.
  Reply obey(std::string_view line);
  /// Takes a random step. It does not go on from a deadlock, or from a model error that ends the run.
  Reply step_at_random();

  /// From the initial state on, if the run is kept.
  const Trace& run() const { return run_; }

  static constexpr std::string_view commands_text =
      "NUMBER take that action, r random step, b back, s show the state, l list the actions, q quit\n";

 private:
  const Values& state() const { return run_.states.back(); }
  std::string state_text() const;
  ActionId random_action();
  std::string take_and_list(ActionId action);
  std::string take_number(std::string_view word);
  std::string back();
  bool take(ActionId action, std::string& text);

  const System& system_;
  const SourceText& source_;
  SimulationOptions options_;
  Reference reference_;
  std::mt19937_64 generator_;
  Trace run_;
  std::size_t steps_ = 0;
  std::vector<ActionId> enabled_;  ///< in the last state
};

}  // namespace tideline
