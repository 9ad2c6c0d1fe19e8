// Predicate: one compiled expression, evaluated on packed states.
#pragma once

#include <cstdint>

#include "exec/bytecode.hpp"
#include "exec/compiler.hpp"
#include "model/layout.hpp"

namespace tideline {

class Predicate {
 public:
  Predicate(const System& system, const Layout& layout, const Expr& expr) {
    bytecode::Compiler(system, layout, chunk_).guard(expr);
  }

  /// The value in a state. `error` is set when some part of the expression has no value there; that part
  /// counts as 0.
  std::int64_t evaluate(const std::byte* state, ModelErrorKind& error) const {
    const bytecode::Result result = bytecode::run_guard(chunk_, 0, state);
    error = result.error;
    return result.value;
  }

 private:
  bytecode::Chunk chunk_;
};

}  // namespace tideline
