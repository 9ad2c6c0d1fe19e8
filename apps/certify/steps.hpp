// Steps: what a System can do in a state, by the reference semantics.
//
// States of a certificate come in the order of their bytes, so most of what one is has not changed. Only bytes that differ
// are looked at; and guards, which actions may have in common, and effects are evaluated again only where they read
// one of them. A step goes on through states that nobody sees (System::transient).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "exec/reference.hpp"
#include "model/layout.hpp"
#include "model/system.hpp"

namespace tideline::certify {

/// For sets of states, in the order of memcmp.
inline std::string text_of(const std::byte* state, std::size_t bytes) {
  return {reinterpret_cast<const char*>(state), bytes};
}

/// What is wrong about a state.
struct Wrong {
  std::string what;
};

class Steps {
 public:
  /// The system must outlive it.
  Steps(const System& system, ErrorSemantics errors);

  const Layout& layout() const { return layout_; }

  void go_to(const std::byte* state);
  /// The state that it is at.
  const Values& values() const { return values_; }
  /// Whether it is true there. Throws Wrong where it has no value.
  bool is_true(const Expr& expr) const;

  using Sink = std::function<void(ActionId action, const std::byte* next)>;
  /// Calls sink for every step from there, and returns whether there is one. Throws Wrong for a model error.
  bool successors(const Sink& sink);

  const Reference& reference() const { return reference_; }

 private:
  using Packed = std::vector<std::byte>;
  using Step = std::pair<ActionId, Packed>;
  using Bits = std::vector<std::uint64_t>;
  /// Some bits of a word.
  struct Part {
    std::size_t word;
    std::uint64_t bits;
  };

  struct Write {
    Field field;
    std::int32_t value;
  };
  /// Of a guard. Without a value it is for the reference to say what that means.
  enum class Truth : char { no, yes, no_value };

  void add_guard(ActionId id, const Expr& guard, std::unordered_map<std::string, std::size_t>& known);
  void add_reader(const std::vector<SlotId>& reads, std::size_t reader);
  std::size_t guard_bit(std::size_t guard) const { return system_.actions.size() + guard; }
  void set(SlotId slot, std::int32_t value);
  bool single_steps(const Sink& sink);
  bool is_enabled(ActionId id);
  void evaluate(std::size_t guard);
  ModelError take_effect(ActionId id);
  bool is_inner(const std::byte* state) const;
  std::vector<Step> steps_from(const std::byte* state);
  void finish_step(const Step& first, const Sink& sink);

  const System& system_;
  ErrorSemantics errors_;
  Reference reference_;
  Layout layout_;
  std::vector<std::vector<SlotId>> slots_in_;                // by byte
  std::vector<std::vector<std::vector<ActionId>>> leaving_;  // by slot and value: who has a participant there
  std::vector<const Expr*> guards_;                          // all different
  std::vector<std::vector<std::size_t>> guards_of_;          // by action
  std::vector<std::vector<Part>> readers_;                   // by slot, as in stale_
  // Of the latest state:
  Packed packed_, next_packed_;
  Values values_, next_;           // the same, but within take_effect()
  std::vector<unsigned> missing_;  // by action: participants that are elsewhere
  Bits placed_, enabled_;          // by action: none is missing; it was enabled when it was looked at
  Bits stale_;  // actions, and then guards: what they read has changed since they were looked at
  std::vector<Truth> truth_;                // by guard
  std::vector<std::vector<Write>> writes_;  // by action
};

/// "P_0 = wait, turn = 1"
std::string show(const System& system, const Values& state);

}  // namespace tideline::certify
