// Predicate: one compiled expression, evaluated on packed states: by native code where there is some, and by bytecode
// where there is none or the expression has no value.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "exec/bytecode.hpp"
#include "exec/compiler.hpp"
#include "exec/native/native.hpp"
#include "model/layout.hpp"

namespace tideline {

class Predicate {
 public:
  Predicate(const System& system, const Layout& layout, Expr of) : expr_(std::move(of)) {
    const Expr& expr = expr_;
    bytecode::Compiler(system, layout, chunk_).guard(expr);
    if (system.execution != Execution::interpreter && !expr.is_constant())
      native_ = native::compile_value(system, layout, expr);
  }

  const Expr& expr() const { return expr_; }

  /// The value in a state. `error` is set when some part of the expression has no value there; that part
  /// counts as 0.
  [[gnu::always_inline]] std::int64_t evaluate(const std::byte* state, ModelErrorKind& error) const {
    if (native_) {
      const native::Value result = native_->function(state);
      if (result.gave_up == 0) [[likely]] {
        error = ModelErrorKind::none;
        return result.value;
      }
    }
    const bytecode::Result result = bytecode::run_guard(chunk_, 0, state);
    error = result.error;
    return result.value;
  }

 private:
  Expr expr_;
  bytecode::Chunk chunk_;
  std::optional<native::NativeValue> native_;
};

}  // namespace tideline
