// The form that native code is made from: a flat list of instructions on integers and a packed state.
//
// lowering.hpp writes a System down in this form, and a target (x86.hpp) turns it into machine code. What a
// model means is decided in the lowering; a target only translates, instruction by instruction. So a second
// target has no say in semantics.
//
// A function reads one state, `before`. One that takes steps also writes successors, one after the other: `copy`
// begins one with a copy of the state, stores change it (`now` is the successor that is being written), and
// `emit` completes it.
//
// There are no errors in this form. Wherever the model may fail (an index, a division, a value outside its
// range) there is a test that gives up: the function returns at once, and the caller does the whole state
// again with the interpreter, which knows what an error means.
//
// Successors are read as soon as they are written, word by word. Where the fields that change are known, they are
// therefore not stored one by one but patched into whole words: a processor stalls when it reads a word of which a
// part was written a moment ago.
//
// Memory. Fields have a fixed place within the state, and every computed index is tested by `give_up_unless`
// before it is used, or is known to be in bounds. A target adds no addresses of its own, so that code can
// only read the state and the tables, and only write the successor at hand.
//
// Registers hold 64 bits. The lowering uses them like a stack and reuses them early, so that few models need
// more than a processor has.
#pragma once

#include <cstdint>
#include <vector>

#include "model/expr.hpp"
#include "model/layout.hpp"
#include "model/system.hpp"

namespace tideline::native {

using Register = std::uint32_t;
using Label = std::uint32_t;

struct Operand {
  enum class Kind : std::uint8_t { none, reg, constant, before, now };

  Kind kind = Kind::none;
  std::int64_t value = 0;  ///< of a constant
  Register reg = 0;
  Field field = {};  ///< of `before` and `now`

  static Operand constant(std::int64_t value) { return {Kind::constant, value}; }
  static Operand in(Register reg) { return {Kind::reg, 0, reg}; }

  bool is_register() const { return kind == Kind::reg; }
  bool is_constant() const { return kind == Kind::constant; }
  bool is_field() const { return kind == Kind::before || kind == Kind::now; }
};

enum class Code : std::uint8_t {
  move,       // target = a
  load_item,  // target = item number b of the array that begins at field a
  table,      // target = item number b of constant array `number`
  unary,      // target = op a; logic_not yields 0 or 1
  binary,     // target = a op b; comparisons yield 0 or 1; operators that may fail do not here

  label,   // here is `label`
  jump,    // go to `label`
  branch,  // if a op b (a comparison) go to `label`
  choose,  // go to labels[number][a], or to `label` if there is none
  // Looks for what is not 0 among consecutive bits or bytes of the state:
  word,            // target = the 8 bytes from `number` on, those bits that are in b
  next_bit,        // target = 0: go to `label`; else clear its lowest bit, go to labels[number][that bit]
  next_byte,       // likewise by bytes: clear the lowest byte that is not 0, go to labels[number][that byte]
  give_up,         // return, and have the interpreter do it
  give_up_unless,  // likewise, unless low <= a <= high

  copy,        // begin a successor
  patch,       // write patches[number] into the successor, a whole word at a time
  store,       // field a of the successor = b, known to fit
  store_item,  // item number `index` of the array that begins at field a = b, known to fit
  emit,        // the successor is complete; it was made by action `number`
  done,        // return; the value is a if the function has one
};

struct Instruction {
  Code code = Code::done;
  Op op = Op::constant;
  bool small = false;  ///< of a division: both operands are known to be from 0 to 2^31 - 1
  Register target = 0;
  Operand a = {}, b = {}, index = {};
  Label label = 0;
  std::uint32_t number = 0;
  std::int64_t low = 0, high = 0;
};

/// A field of a successor that differs from the state, and its value, known to fit.
struct Patch {
  Field field = {};
  Operand value = {};
};

inline constexpr Label no_label = ~Label{0};

struct Function {
  std::vector<Instruction> code;
  Label label_count = 0;
  std::uint32_t register_count = 0;
  std::vector<std::vector<Label>>
      labels;  ///< what choose, next_bit and next_byte select from; may be no_label
  std::vector<std::vector<Patch>> patches;  ///< of fields that do not cross words, in the order of words
  std::size_t emit_count = 0;               ///< how many successors one call may emit at most

  /// Where the code can be cut into parts that are independent of each other, in order: no register holds anything there,
  /// and no jump leads across. The first is the beginning, and the last the `done` at the end.
  struct Cut {
    std::size_t instruction = 0;
    std::size_t emits = 0;  ///< how many successors the code before it may emit at most
  };
  std::vector<Cut> cuts;  ///< of a function that takes steps
};

}  // namespace tideline::native
