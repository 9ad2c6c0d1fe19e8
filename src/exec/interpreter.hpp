// The interpreter: a System stepped by compact bytecode.
//
// Program::compile turns every guard, effect and proposition into a few fused instructions on the packed
// state (see bytecode.hpp) and sorts the actions by the location they leave, so that a step tries only
// transitions of the current locations: guards shared by several actions (a sender with many possible
// receivers) are evaluated once. A Program is immutable and shared between threads; an Interpreter adds the
// scratch memory of one thread and models the Graph concept. No step allocates.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "exec/program.hpp"
#include "model/scratch_state.hpp"
#include "model/step.hpp"

namespace tideline {

class Interpreter {
 public:
  explicit Interpreter(std::shared_ptr<const Program> program)
      : program_(std::move(program)), scratch_(program_->state_size()) {}

  const Program& program() const { return *program_; }
  const System& system() const { return program_->system(); }
  const Layout& layout() const { return program_->layout(); }
  std::size_t state_size() const { return program_->state_size(); }

  template <class Sink>
  void initial(Sink&& sink) {
    sink(program_->initial_state());
  }

  /// sink(const Step&) for every enabled action, in the order of the components and their transitions.
  template <class Sink>
  void successors(const std::byte* state, Sink&& sink) {
    enabled(state,
            [&](ActionId action, ModelErrorKind guard_error) { sink(fire(state, action, guard_error)); });
  }

  /// sink(ActionId, ModelErrorKind of its guards) for every enabled action.
  template <class Sink>
  void enabled(const std::byte* state, Sink&& sink) {
    program_->for_each_enabled(state, sink);
  }

  /// Takes an enabled action. The result's state is valid until the next call.
  Step fire(const std::byte* state, ActionId action, ModelErrorKind guard_error = ModelErrorKind::none) {
    return program_->fire(state, action, guard_error, scratch_.data());
  }
  template <class Sink>
  void take(const std::byte* state, ActionId action, ModelErrorKind guard_error, Sink&& sink) {
    sink(fire(state, action, guard_error));
  }

 private:
  std::shared_ptr<const Program> program_;
  ScratchState scratch_;
};

}  // namespace tideline
