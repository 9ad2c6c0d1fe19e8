// Program: a System compiled for stepping. Immutable, shared by all interpreters of a run.
//
// Which actions are tried in a state, and in which order, is decided in filing.hpp; here a filing lies in flat
// tables, with bytecode for what needs more than a comparison with constants.
#pragma once

#include <bit>
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
    for (std::uint32_t first = 0; first < watched_bits_.size(); first += 64) {
      std::uint64_t word = word_at(state, first / 8);
      if (watched_bits_.size() - first < 64) word &= ~(~std::uint64_t{0} << (watched_bits_.size() - first));
      for (; word != 0; word &= word - 1)
        try_candidates(watched_bits_[first + static_cast<unsigned>(std::countr_zero(word))], state,
                       ModelErrorKind::none, sink);
    }
    for (std::uint32_t first = 0; first < watched_bytes_.size(); first += 8) {
      std::uint64_t word = word_at(state, first_watched_byte_ + first);
      if (watched_bytes_.size() - first < 8)
        word &= ~(~std::uint64_t{0} << (8 * (watched_bytes_.size() - first)));
      while (word != 0) {
        const auto byte = static_cast<unsigned>(std::countr_zero(word)) / 8;
        word &= ~(std::uint64_t{0xff} << (8 * byte));
        try_candidates(watched_bytes_[first + byte], state, ModelErrorKind::none, sink);
      }
    }
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
    Span tests = {};                    ///< in tests_
    Span checks = {};                   ///< guards that remain, in checks_
  };
  /// low <= field <= high
  struct FieldTest {
    Field field;
    std::int32_t low = 0;
    std::int32_t high = 0;
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

  /// The eight bytes from an offset on, or as many as there are, the first one lowest.
  std::uint64_t word_at(const std::byte* state, std::size_t offset) const {
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t word = 0;
    if (offset + sizeof word <= layout_.size()) [[likely]]
      std::memcpy(&word, state + offset, sizeof word);
    else
      std::memcpy(&word, state + offset, layout_.size() - offset);
    return word;
  }

  bool passes_checks(const Candidate& candidate, const std::byte* state, ModelErrorKind& error) const {
    for (std::uint32_t i = candidate.tests.begin; i != candidate.tests.end; ++i) {
      const FieldTest& test = tests_[i];
      const std::int32_t value = load_field(state, test.field);
      if (value < test.low || value > test.high) return false;
    }
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

  Span free_entries_;                   ///< actions without a place and without a slot to be filed under
  std::vector<Directory> directories_;  ///< one per component with control
  std::vector<Span> entry_ranges_;      ///< by component and location
  std::vector<Entry> entries_;
  std::vector<Directory> partners_;
  std::vector<Span> candidate_ranges_;
  std::vector<Candidate> candidates_;
  std::vector<FieldTest> tests_;
  std::vector<std::uint32_t> checks_;
  std::vector<Span> watched_bits_;   ///< candidates that need the bit, by bit
  std::vector<Span> watched_bytes_;  ///< candidates that need the byte, from the first watched one on
  std::uint32_t first_watched_byte_ = 0;
};

}  // namespace tideline
