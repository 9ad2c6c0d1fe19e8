// Steps: what a System can do in a state, by the reference semantics.
//
// An action does in a state what it did in the state before, if nothing that it reads differs: it is evaluated again only
// where something does. States of a certificate come in the order of their bytes, so most of what one is has not changed.
// A step goes on through states that nobody sees (System::transient).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "exec/reference.hpp"
#include "model/system.hpp"

namespace tideline::certify {

/// What is wrong about a state.
struct Wrong {
  std::string what;
};

/// A slot that a step writes.
struct Write {
  SlotId slot;
  std::int32_t value;
};
using Writes = std::vector<Write>;

class Steps {
 public:
  /// The system must outlive it.
  Steps(const System& system, ErrorSemantics errors);

  /// All slots that are not written stay as they are.
  using Sink = std::function<void(ActionId action, const Writes& writes)>;

  /// Calls sink for every step, and returns whether there is one. Throws Wrong for a model error.
  bool successors(const Values& state, const Sink& sink);

  /// Whether it is true. Throws Wrong where it has no value.
  bool is_true(const Expr& expr, const Values& state) const;

  const Reference& reference() const { return reference_; }

 private:
  enum class Known : char { disabled, enabled, nothing };

  /// Where a participant has to be; no_slot: there is none, or it may be anywhere.
  struct Place {
    SlotId slot = no_slot;
    std::int32_t value = 0;

    bool is_met(const Values& state) const { return slot == no_slot || state[slot] == value; }
  };
  /// An action that reads a slot, and where its first two participants have to be.
  struct Reader {
    ActionId action;
    Place first = {}, second = {};
  };

  void set(ActionId id, Known known);
  void move_to(const Values& state);
  bool single_steps(const Values& state, const Sink& sink);
  void evaluate(ActionId id);
  std::vector<std::pair<ActionId, Values>> steps_of(const Values& state);
  void finish_step(ActionId action, const Values& inner, const Sink& sink);

  const System& system_;
  ErrorSemantics errors_;
  Reference reference_;
  std::vector<std::vector<Reader>> readers_;  // by slot
  // About the latest state:
  Values state_, next_;              // the same, but within evaluate()
  std::vector<SlotId> changed_;      // within move_to()
  std::vector<Known> known_;         // by action
  std::vector<std::uint64_t> open_;  // a bit for each action that is not known to be disabled
  std::vector<Writes> writes_;       // by action, where it is known to be enabled
};

/// "P_0 = wait, turn = 1"
std::string show(const System& system, const Values& state);

}  // namespace tideline::certify
