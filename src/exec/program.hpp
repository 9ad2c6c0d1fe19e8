// Program: a System compiled for stepping. Immutable, shared by all interpreters of a run.
//
// How the enabled actions of a state are found. Every action is filed under its first participant (the sender
// of a rendezvous) and the location it leaves. A state's candidates are the entries of its current
// locations; actions whose first participant is at no one location are candidates everywhere. Actions that
// share the first participant's transition share one entry, so its guard runs once; the entry then looks the
// second participants up by *their* current locations. What is left to check for an action (further
// participants, further guards) is a short list of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "exec/bytecode.hpp"
#include "exec/reference.hpp"
#include "model/layout.hpp"
#include "model/step.hpp"

namespace tideline {

class Program {
 public:
  /// The system must outlive the program. Throws Error when `errors` needs an error state it does not have.
  static std::shared_ptr<const Program> compile(const System& system, ErrorSemantics errors);

  const System& system() const { return system_; }
  const Layout& layout() const { return layout_; }
  ErrorSemantics errors() const { return errors_; }
  std::size_t state_size() const { return layout_.size(); }
  const std::byte* initial_state() const { return initial_.data(); }

  /// sink(ActionId, ModelErrorKind of its guards) for every enabled action.
  template <class Sink>
  void for_each_enabled(const std::byte* state, Sink&& sink) const {
    try_entries(free_entries_, state, sink);
    for (const Directory& d : directories_) {
      const auto location = static_cast<std::uint32_t>(load_field(state, d.location));
      try_entries(entry_ranges_[d.first_range + location], state, sink);
    }
  }

  /// Takes an enabled action; `scratch` receives the successor.
  Step fire(const std::byte* state, ActionId action, ModelErrorKind guard_error, std::byte* scratch) const {
    ModelErrorKind error = guard_error;
    if (error == ModelErrorKind::none) [[likely]] {
      std::memcpy(scratch, state, layout_.size());
      error = bytecode::run_effects(chunk_, effects_[action], state, scratch);
      if (error == ModelErrorKind::none) [[likely]]
        return {action, scratch};
    }
    if (errors_ == ErrorSemantics::error_state) return {action, error_state_.data()};
    return {action, nullptr, error};
  }

 private:
  static constexpr std::uint32_t no_code = ~std::uint32_t{0};

  struct Span {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  /// An action whose first two participants are known to be at their locations.
  struct Candidate {
    ActionId action = 0;
    std::uint32_t locations = no_code;  ///< code that tests the locations of further participants
    Span checks = {};                   ///< guards that remain, in checks_
  };
  /// Candidates by the current location of one component.
  struct Directory {
    Field location;
    std::uint32_t first_range = 0;
  };
  /// A transition of a first participant.
  struct Entry {
    std::uint32_t guard = no_code;
    Span alone;     ///< candidates without a second participant, or with one at any location
    Span partners;  ///< directories of second participants
  };

  Program(const System& system, ErrorSemantics errors);
  friend class ProgramBuilder;

  template <class Sink>
  void try_entries(Span entries, const std::byte* state, Sink&& sink) const {
    for (std::uint32_t i = entries.begin; i != entries.end; ++i) {
      const Entry& entry = entries_[i];
      ModelErrorKind error = ModelErrorKind::none;
      if (entry.guard != no_code && !passes(entry.guard, state, error)) continue;
      try_candidates(entry.alone, state, error, sink);
      for (std::uint32_t p = entry.partners.begin; p != entry.partners.end; ++p) {
        const Directory& d = partners_[p];
        const auto location = static_cast<std::uint32_t>(load_field(state, d.location));
        try_candidates(candidate_ranges_[d.first_range + location], state, error, sink);
      }
    }
  }

  template <class Sink>
  void try_candidates(Span candidates, const std::byte* state, ModelErrorKind guard_error,
                      Sink&& sink) const {
    for (std::uint32_t i = candidates.begin; i != candidates.end; ++i) {
      const Candidate& candidate = candidates_[i];
      ModelErrorKind error = guard_error;
      if (passes_checks(candidate, state, error)) sink(candidate.action, error);
    }
  }

  bool passes_checks(const Candidate& candidate, const std::byte* state, ModelErrorKind& error) const {
    if (candidate.locations != no_code && bytecode::run_guard(chunk_, candidate.locations, state).value == 0)
      return false;
    for (std::uint32_t i = candidate.checks.begin; i != candidate.checks.end; ++i)
      if (!passes(checks_[i], state, error)) return false;
    return true;
  }

  /// Whether a guard lets the action pass; keeps the first error (see Reference::enabled).
  bool passes(std::uint32_t code, const std::byte* state, ModelErrorKind& error) const {
    const bytecode::Result result = bytecode::run_guard(chunk_, code, state);
    if (result.error != ModelErrorKind::none) [[unlikely]] {
      if (result.value == 0 && errors_ == ErrorSemantics::error_state) return false;
      if (error == ModelErrorKind::none) error = result.error;
      return true;
    }
    return result.value != 0;
  }

  const System& system_;
  ErrorSemantics errors_;
  Layout layout_;
  bytecode::Chunk chunk_;
  std::vector<std::byte> initial_;
  std::vector<std::byte> error_state_;
  std::vector<std::uint32_t> effects_;  ///< code of each action

  Span free_entries_;                   ///< actions without participants, or with the first at any location
  std::vector<Directory> directories_;  ///< one a component with control
  std::vector<Span> entry_ranges_;      ///< by component and location
  std::vector<Entry> entries_;
  std::vector<Directory> partners_;
  std::vector<Span> candidate_ranges_;
  std::vector<Candidate> candidates_;
  std::vector<std::uint32_t> checks_;
};

}  // namespace tideline
