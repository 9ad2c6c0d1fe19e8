// StepText: what steps and states of a system look like for people.
//
//     A: s -> t #2   (line 14: x > 2)     several transitions have this name: which one it is
//     P: wait -> go (c2?1)                what was received; c2!1 was sent, c!1 both at once
//     c2: [1, 3] -> [3]                   a buffer is a queue, and its oldest message is first
//     q: [ask(0), give(1)]                messages that begin with the name of a value
//     P[0] m.pml:7: q?ask(x)              where labels are statements: where this one stands
//
// A buffer's messages have a value for each of their fields: [(1, 4), (2, 0)]. Those of buffers without
// fields can only be counted, and the count is shown like a variable.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exec/reference.hpp"
#include "model/system.hpp"
#include "trace/palette.hpp"

namespace tideline {

/// "P[0] m.pml:7: x = 1 / Q[1] m.pml:9: ...": each participant is followed by where its statement stands. The text as it
/// is where the language's runs show no places, or without a source.
std::string with_places(std::string text, const System& system, const Action& action,
                        const SourceText* source);

class StepText {
 public:
  /// The system must outlive it, and so must the text of the model, which is needed to name places in it.
  explicit StepText(const System& system, const Palette& palette = {}, const SourceText* source = nullptr);

  /// The name of a step from this state: its label, what it sends or receives and, where other actions have
  /// the same label and the same moves, the line and the guard.
  std::string name(ActionId action, const Values& from) const;

  /// "flag[0]: 0 -> 1, turn: 1 -> 0": what an action changed beyond the moves it is named for. Empty: nothing.
  std::string changes(ActionId action, const Values& from, const Values& to) const;

  /// What the action prints, as lines that are indented and ended; empty: nothing.
  std::string output(ActionId action, const Values& from, std::size_t indent) const;

  /// The whole state, one line per component (wrapped when long), each line indented and ended. What differs
  /// from `before`, if that is given, is marked.
  std::string state(const Values& state, std::size_t indent, const Values* before = nullptr) const;

 private:
  static constexpr std::uint32_t no_queue = ~std::uint32_t{0};

  std::string message(const Message& message, const Values& from) const;
  std::string message_text(const Channel& channel, const std::vector<std::string>& values) const;
  const Expr* written_guard(const Expr& guard, const Action& action) const;
  std::string origin(const Action& action) const;
  std::string queue(const Channel& channel, const Values& state) const;
  std::string array(const Variable& variable, const Values& state) const;
  std::string variable(const Variable& variable, const Values& state) const;
  bool differs(const Variable& variable, const Values& a, const Values& b) const;
  std::string component(const Values& state, ComponentId owner, std::size_t indent,
                        const Values* before) const;

  const System& system_;
  Palette palette_;
  const SourceText* source_;
  Reference reference_;
  std::vector<std::uint32_t> queue_of_;  ///< by slot: the channel whose contents it is a part of
  std::vector<bool> shares_label_;       ///< by action: others have the same label, but for its number
};

}  // namespace tideline
