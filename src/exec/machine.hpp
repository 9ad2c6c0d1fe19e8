// Machine: steps a System for a search, by native code as soon as there is some, and by the interpreter otherwise.
//
// Native code takes all steps of a state at once, into a buffer. The interpreter does the states in which the
// model fails, and everything until native code is made: a search that is over in a moment does not wait for a
// compiler. Both emit the same steps in the same order, so that nobody can tell when one takes over.
//
// Where a system has states that nobody sees (System::transient), a step goes on until it is at one that is seen. Its
// action is the first one; trace/ finds the others again. Steps that end in the same way by several orders of inner steps
// are emitted once for each, until a step has gone through so many inner states that these are remembered: from then
// on each of them is left once, so that every step ends.
//
// A sink must not step the same machine: the buffer is in use. Each thread has a machine of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "exec/interpreter.hpp"
#include "exec/native/native.hpp"

namespace tideline {

class Machine {
 public:
  explicit Machine(std::shared_ptr<const Program> program)
      : interpreter_(std::move(program)),
        supply_(std::make_shared<native::Supply>(interpreter_.system(), interpreter_.layout())),
        stride_(native::padded(interpreter_.state_size())) {
    if (system().execution == Execution::native) look_for_code();
    if (system().transient != no_slot) transient_ = layout().field(system().transient);
    has_inner_states_ = system().transient != no_slot;
  }

  const System& system() const { return interpreter_.system(); }
  const Layout& layout() const { return interpreter_.layout(); }
  std::size_t state_size() const { return interpreter_.state_size(); }

  template <class Sink>
  void initial(Sink&& sink) {
    interpreter_.initial(sink);
  }

  /// sink(const Step&) for every enabled action, in the order of the components and their transitions.
  template <class Sink>
  void successors(const std::byte* state, Sink&& sink) {
    if (!has_inner_states_) return single_steps(state, sink);
    through_inner_states(state, sink);
  }

  /// sink(ActionId, ModelErrorKind of its guards) for every enabled action.
  template <class Sink>
  void enabled(const std::byte* state, Sink&& sink) {
    if (!take_all(state)) return interpreter_.enabled(state, sink);
    if (position_.empty()) position_.resize(system().actions.size());
    for (std::size_t i = 0; i < taken_; ++i) {
      position_[actions_[i]] = static_cast<std::uint32_t>(i);
      sink(actions_[i], ModelErrorKind::none);
    }
  }

  /// Takes an action that enabled() has found in this state, which must have been its last one. The result's
  /// state is valid until the next call.
  Step fire(const std::byte* state, ActionId action, ModelErrorKind guard_error = ModelErrorKind::none) {
    if (taken_ == 0) return interpreter_.fire(state, action, guard_error);
    return {action, successor(position_[action])};
  }

  /// Likewise, and goes on to states that are seen: sink(const Step&) for every way in which the step can end.
  template <class Sink>
  void take(const std::byte* state, ActionId action, ModelErrorKind guard_error, Sink&& sink) {
    const Step first = fire(state, action, guard_error);
    if (!has_inner_states_ || first.state == nullptr || is_seen(first.state)) return sink(first);
    push_inner(first.state, action);
    finish_step(action, inner_actions_.size() - 1, sink);
    enabled(state, [](ActionId, ModelErrorKind) {});  // for the next call
  }

 private:
  template <class Sink>
  void single_steps(const std::byte* state, Sink&& sink) {
    if (!take_all(state)) return interpreter_.successors(state, sink);
    for (std::size_t i = 0; i < taken_; ++i) sink(Step{actions_[i], successor(i)});
  }

  bool is_seen(const std::byte* state) const { return load_field(state, transient_) == 0; }

  template <class Sink>
  void through_inner_states(const std::byte* state, Sink&& sink) {
    inner_.clear();
    inner_actions_.clear();
    single_steps(state, [&](const Step& step) {
      if (step.state == nullptr || is_seen(step.state))
        sink(step);
      else
        push_inner(step.state, step.action);
    });
    // The last one first, so that one step is over before the next is begun.
    while (!inner_actions_.empty()) finish_step(inner_actions_.back(), inner_actions_.size() - 1, sink);
  }

  /// Goes on with the step that has the last inner state, until only `others` are left.
  template <class Sink>
  void finish_step(ActionId first, std::size_t others, Sink&& sink) {
    std::size_t passed = 0;
    bool ends = false;
    remembered_.clear();
    while (inner_actions_.size() > others) {
      inner_actions_.pop_back();
      leaving_.assign(inner_.end() - static_cast<std::ptrdiff_t>(state_size()), inner_.end());
      inner_.resize(inner_.size() - state_size());
      if (++passed > most_inner_states) continue;
      if (passed > few_inner_states &&
          !remembered_.emplace(reinterpret_cast<const char*>(leaving_.data()), leaving_.size()).second)
        continue;
      single_steps(leaving_.data(), [&](const Step& step) {
        if (step.state != nullptr && !is_seen(step.state)) return push_inner(step.state, first);
        ends = true;
        sink(Step{first, step.state, step.error});
      });
    }
    if (!ends || passed > most_inner_states) sink(Step{first, nullptr, ModelErrorKind::endless_step});
  }

  void push_inner(const std::byte* state, ActionId first) {
    inner_.insert(inner_.end(), state, state + state_size());
    inner_actions_.push_back(first);
  }

  const std::byte* successor(std::size_t i) const { return rows_.data() + stride_ + i * stride_; }

  /// Takes all steps of the state, unless that is left to the interpreter.
  bool take_all(const std::byte* state) {
    taken_ = 0;
    if (code_ == nullptr) [[unlikely]] {
      if (++interpreted_ % look_every == 0) look_for_code();
      if (code_ == nullptr) return false;
    }
    std::memcpy(rows_.data(), state, state_size());
    const std::int64_t count = code_->function(rows_.data(), rows_.data() + stride_, actions_.data());
    if (count == native::gave_up) [[unlikely]]
      return false;
    taken_ = static_cast<std::size_t>(count);
    return true;
  }

  void look_for_code() {
    code_ = supply_->steps();
    if (code_ == nullptr) return;
    rows_.resize((1 + code_->most_steps) * stride_);
    actions_.resize(code_->most_steps);
  }

  static constexpr std::uint32_t look_every = 512;
  static constexpr std::size_t few_inner_states = 256;
  static constexpr std::size_t most_inner_states = 4'000'000;

  Interpreter interpreter_;
  std::shared_ptr<native::Supply> supply_;
  std::size_t stride_;
  const native::NativeSteps* code_ = nullptr;
  std::uint32_t interpreted_ = 0;
  std::size_t taken_ = 0;                ///< steps of the last state that native code has taken
  std::vector<std::byte> rows_;          ///< that state, and then its successors, each padded
  std::vector<ActionId> actions_;        ///< of the successors
  std::vector<std::uint32_t> position_;  ///< by action, among the successors
  bool has_inner_states_ = false;
  Field transient_{};                    ///< where the system has one
  std::vector<std::byte> inner_;         ///< inner states still to be left, one after the other
  std::vector<ActionId> inner_actions_;  ///< with which step each was reached
  std::vector<std::byte> leaving_;
  std::unordered_set<std::string> remembered_;  ///< inner states that were left
};

}  // namespace tideline
