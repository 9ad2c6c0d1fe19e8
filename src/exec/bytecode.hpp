// Bytecode for expressions and effects on packed states, and the machine that runs it.
//
// An accumulator machine with a small stack. What models do most is fused into one instruction: a binary
// operator comes in eight forms by where its operands lie (Mode), so `place == 3`, `a < b` and `x + 1` are
// one instruction each, and so is the effect `x = x + 1`. `logic_and` and friends become jumps.
//
// There are two ways to run code (same instructions, see run_guard and run_effects):
//   - a guard or proposition: where a subexpression has no value it counts as 0, evaluation goes on, and the
//     first error is handed back with the value
//   - effects: they change the state in place, and the first error ends them
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/expr.hpp"

namespace tideline::bytecode {

/// Where the left and the right operand of a binary operator lie; `a` and `b` are fields of the instruction.
enum class Mode : std::uint32_t {
  acc_const,  // accumulator, constant b
  acc_u8,     // accumulator, byte at b
  acc_s16,    // accumulator, 16 bits at b
  acc_bit,    // accumulator, bit at b
  stack_acc,  // top of the stack (popped), accumulator
  bit_const,  // bit at a, constant b
  u8_const,   // byte at a, constant b
  u8_u8,      // byte at a, byte at b
};
inline constexpr std::uint32_t mode_count = 8;

/// Instructions other than binary operators, which follow from `first_binary` on; see binary_code().
enum Code : std::uint32_t {
  halt,
  constant,       // acc = b
  pool_constant,  // acc = pool[a]
  load_u8,        // acc = now[a]
  load_s16,
  load_s32,
  load_bit,
  before_u8,  // acc = before[a]
  before_s16,
  before_s32,
  before_bit,
  index_u8,  // acc = now[a + acc * width], b elements
  index_s16,
  index_s32,
  index_bit,
  before_index_u8,  // the same in the state before
  before_index_s16,
  before_index_s32,
  before_index_bit,
  table,  // acc = pool[a + acc], b elements
  push,   // stack <- acc
  negate,
  bit_not,
  logic_not,
  truth,
  wrap_byte,
  wrap_int16,
  jump_if_zero,       // acc == 0: acc = 0, go to a
  jump_if_not_zero,   // acc != 0: acc = 1, go to a
  jump_if_zero_true,  // acc == 0: acc = 1, go to a
  fail,               // error of kind a
  store_u8,           // now[a] = acc if b <= acc <= c
  store_s16,
  store_s32,
  store_bit,
  store_any_u8,    // now[a] = acc if 0 <= acc <= 255
  set_u8,          // now[a] = b, known to fit
  copy_u8,         // now[a] = now[b]
  add_u8,          // now[a] += b if that is from 0 to c
  add_bit,         // likewise, from 0 to 1
  store_index_u8,  // now[a + acc * width] = pop, b elements, range at pool[c]
  store_index_s16,
  store_index_s32,
  store_index_bit,
  first_binary,
};

struct Instruction {
  std::uint32_t code = halt;
  std::int32_t a = 0;
  std::int32_t b = 0;
  std::int32_t c = 0;
};

constexpr std::uint32_t binary_code(Op op, Mode mode) {
  return first_binary + (static_cast<std::uint32_t>(op) - static_cast<std::uint32_t>(Op::add)) * mode_count +
         static_cast<std::uint32_t>(mode);
}

/// Expressions nest at most this deep; front-ends refuse deeper ones, the compiler throws.
inline constexpr std::size_t max_depth = 4096;

/// Nearly all code gets by with a stack of this size; see Chunk::stack.
inline constexpr std::size_t small_stack = 32;

/// Code and the constants it refers to.
struct Chunk {
  std::vector<Instruction> code;
  std::vector<std::int64_t> pool;
  std::size_t stack = 0;  ///< the most values any code in it pushes
};

struct Result {
  std::int64_t value;
  ModelErrorKind error;
};

/// Runs the code at `at` as a guard or proposition in `state`.
Result run_guard(const Chunk& chunk, std::uint32_t at, const std::byte* state);

/// Runs the code at `at` as effects that turn `now`, a copy of `before`, into the successor.
ModelErrorKind run_effects(const Chunk& chunk, std::uint32_t at, const std::byte* before, std::byte* now);

}  // namespace tideline::bytecode
