// The reference semantics: a System stepped by walking its expression trees, one obvious line at a time.
//
// This is the definition in model/system.hpp as code, written to be read rather than to be fast. The
// interpreter, and later native code and symbolic relations, are tested against it, and every counterexample
// is replayed by it, so that an error in a fast engine cannot confirm itself. It also explains model errors:
// where in the model, which value.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/system.hpp"

namespace tideline {

using Values = std::vector<std::int32_t>;

/// A model error, with what a user wants to know about it.
struct ModelError {
  ModelErrorKind kind = ModelErrorKind::none;
  SourcePoint where{};
  std::string message;  ///< "value 256 does not fit next (0..255)"
};

/// How an action that ends in a model error is treated.
enum class ErrorSemantics {
  stop,         ///< it has no successor; it is reported as a violation
  error_state,  ///< it leads to System::error_state, from where other actions go on
};

class Reference {
 public:
  explicit Reference(const System& system, ErrorSemantics errors = ErrorSemantics::stop)
      : system_(system), errors_(errors) {}

  struct Evaluation {
    std::int64_t value = 0;
    ModelError error;  ///< of the first subexpression that failed
  };
  struct Firing {
    Values state;  ///< successor; meaningless when `error` is set and errors stop
    ModelError error;
  };

  /// The value of an expression in a state.
  Evaluation evaluate(const Expr& expr, const Values& state) const;

  /// Whether the action is enabled. `error` is set when one of its guards has no value; that guard then
  /// counts as true under `stop`, and under `error_state` when its value with 0 for what failed is true.
  bool enabled(ActionId action, const Values& state, ModelError& error) const;

  /// All enabled actions, ascending.
  std::vector<ActionId> enabled(const Values& state) const;

  /// Runs assignments on `now`; loads marked `before` read the other state. Ends at the first error.
  ModelError apply(const std::vector<Assignment>& effects, const Values& before, Values& now) const;

  /// Takes an enabled action. Under `error_state` the successor of an erroneous action is that state.
  Firing fire(ActionId action, const Values& state) const;

 private:
  std::int64_t evaluate(const Expr& expr, const Values& before, const Values& now, ModelError& error) const;

  const System& system_;
  ErrorSemantics errors_;
};

}  // namespace tideline
