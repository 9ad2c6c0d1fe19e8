// Compiler: turns expression trees into bytecode.
#pragma once

#include <cstdint>
#include <vector>

#include "exec/bytecode.hpp"
#include "model/layout.hpp"
#include "model/system.hpp"

namespace tideline::bytecode {

class Compiler {
 public:
  Compiler(const System& system, const Layout& layout, Chunk& chunk);

  /// Appends code for a guard or proposition; returns where it begins.
  std::uint32_t guard(const Expr& expr);

  /// Appends code for effects; returns where it begins.
  std::uint32_t effects(const std::vector<Assignment>& assignments);

 private:
  void emit(std::uint32_t code, std::int32_t a = 0, std::int32_t b = 0, std::int32_t c = 0);
  void expression(const Expr& expr, std::size_t depth);
  void binary(const Expr& expr, std::size_t depth);
  void logic(const Expr& expr, std::size_t depth);
  void load(const Expr& expr);
  void constant(std::int64_t value);
  void assignment(const Assignment& assignment);
  bool addition(const Assignment& assignment);
  void store(SlotId slot);
  std::int32_t in_pool(std::int64_t value);

  const System& system_;
  const Layout& layout_;
  Chunk& chunk_;
  std::size_t begin_ = 0;   ///< jump targets are relative to where the current code begins
  std::size_t pushed_ = 0;  ///< values on the stack at the end of the code so far
  std::vector<std::int32_t> table_in_pool_;
};

}  // namespace tideline::bytecode
