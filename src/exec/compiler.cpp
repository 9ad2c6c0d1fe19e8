#include "exec/compiler.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace tideline::bytecode {

namespace {

bool fits_int32(std::int64_t value) {
  return value >= std::numeric_limits<std::int32_t>::min() &&
         value <= std::numeric_limits<std::int32_t>::max();
}

/// The variant of a code for a width; variants follow each other in the order u8, s16, s32, bit.
std::uint32_t by_width(std::uint32_t u8_code, Width width) {
  switch (width) {
    case Width::u8:
      return u8_code;
    case Width::s16:
      return u8_code + 1;
    case Width::s32:
      return u8_code + 2;
    case Width::bit:
      break;
  }
  return u8_code + 3;
}

bool is_logic(Op op) {
  return op == Op::logic_and || op == Op::logic_or || op == Op::imply;
}

bool yields_truth(Op op) {
  return is_logic(op) || op == Op::logic_not || (op >= Op::eq && op <= Op::ge);
}

}  // namespace

Compiler::Compiler(const System& system, const Layout& layout, Chunk& chunk)
    : system_(system), layout_(layout), chunk_(chunk) {
  for (const auto& table : system.tables) {
    table_in_pool_.push_back(static_cast<std::int32_t>(chunk.pool.size()));
    chunk.pool.insert(chunk.pool.end(), table.begin(), table.end());
  }
}

void Compiler::emit(std::uint32_t code, std::int32_t a, std::int32_t b, std::int32_t c) {
  chunk_.code.push_back({code, a, b, c});
  if (code == push) chunk_.stack = std::max(chunk_.stack, ++pushed_);
  const bool pops = code >= first_binary
                        ? (code - first_binary) % mode_count == static_cast<std::uint32_t>(Mode::stack_acc)
                        : code >= store_index_u8 && code <= store_index_bit;
  if (pops) --pushed_;
}

std::int32_t Compiler::in_pool(std::int64_t value) {
  chunk_.pool.push_back(value);
  return static_cast<std::int32_t>(chunk_.pool.size() - 1);
}

std::uint32_t Compiler::guard(const Expr& expr) {
  begin_ = chunk_.code.size();
  expression(expr, 0);
  emit(halt);
  return static_cast<std::uint32_t>(begin_);
}

std::uint32_t Compiler::effects(const std::vector<Assignment>& assignments) {
  begin_ = chunk_.code.size();
  for (const Assignment& a : assignments) assignment(a);
  emit(halt);
  return static_cast<std::uint32_t>(begin_);
}

void Compiler::constant(std::int64_t value) {
  if (fits_int32(value))
    emit(bytecode::constant, 0, static_cast<std::int32_t>(value));
  else
    emit(pool_constant, in_pool(value));
}

void Compiler::load(const Expr& expr) {
  const Field field = layout_.field(expr.slot);
  emit(by_width(expr.before ? before_u8 : load_u8, field.width), static_cast<std::int32_t>(field.offset));
}

void Compiler::expression(const Expr& expr, std::size_t depth) {
  if (depth >= max_depth - 1) throw Error(ErrorKind::input, "an expression is nested too deeply");
  switch (expr.op) {
    case Op::constant:
      return constant(expr.value);
    case Op::load:
      return load(expr);
    case Op::load_array: {
      expression(expr.args[0], depth + 1);
      const Field field = layout_.field(expr.slot);
      emit(by_width(expr.before ? before_index_u8 : index_u8, field.width),
           static_cast<std::int32_t>(field.offset), static_cast<std::int32_t>(expr.length));
      return;
    }
    case Op::table:
      expression(expr.args[0], depth + 1);
      emit(bytecode::table, table_in_pool_[expr.slot],
           static_cast<std::int32_t>(system_.tables[expr.slot].size()));
      return;
    case Op::fail:
      return emit(bytecode::fail, static_cast<std::int32_t>(expr.value));
    case Op::negate:
      expression(expr.args[0], depth + 1);
      return emit(bytecode::negate);
    case Op::bit_not:
      expression(expr.args[0], depth + 1);
      return emit(bytecode::bit_not);
    case Op::logic_not:
      expression(expr.args[0], depth + 1);
      return emit(bytecode::logic_not);
    case Op::wrap_byte:
      expression(expr.args[0], depth + 1);
      return emit(bytecode::wrap_byte);
    case Op::wrap_int16:
      expression(expr.args[0], depth + 1);
      return emit(bytecode::wrap_int16);
    default:
      break;
  }
  if (is_logic(expr.op))
    logic(expr, depth);
  else
    binary(expr, depth);
}

void Compiler::logic(const Expr& expr, std::size_t depth) {
  expression(expr.args[0], depth + 1);
  const std::size_t jump = chunk_.code.size();
  emit(expr.op == Op::logic_and  ? jump_if_zero
       : expr.op == Op::logic_or ? jump_if_not_zero
                                 : jump_if_zero_true);
  expression(expr.args[1], depth + 1);
  if (!yields_truth(expr.args[1].op)) emit(truth);
  chunk_.code[jump].a = static_cast<std::int32_t>(chunk_.code.size() - begin_);
}

void Compiler::binary(const Expr& expr, std::size_t depth) {
  const Expr& left = expr.args[0];
  const Expr& right = expr.args[1];
  const auto in = [&](const Expr& e, Width width) {
    return e.op == Op::load && !e.before && layout_.field(e.slot).width == width;
  };
  const auto offset = [&](const Expr& e) { return static_cast<std::int32_t>(layout_.field(e.slot).offset); };
  const bool right_constant = right.is_constant() && fits_int32(right.value);

  if (in(left, Width::u8) && right_constant)
    return emit(binary_code(expr.op, Mode::u8_const), offset(left), static_cast<std::int32_t>(right.value));
  if (in(left, Width::bit) && right_constant)
    return emit(binary_code(expr.op, Mode::bit_const), offset(left), static_cast<std::int32_t>(right.value));
  if (in(left, Width::u8) && in(right, Width::u8))
    return emit(binary_code(expr.op, Mode::u8_u8), offset(left), offset(right));

  expression(left, depth + 1);
  if (right_constant)
    return emit(binary_code(expr.op, Mode::acc_const), 0, static_cast<std::int32_t>(right.value));
  if (in(right, Width::u8)) return emit(binary_code(expr.op, Mode::acc_u8), 0, offset(right));
  if (in(right, Width::s16)) return emit(binary_code(expr.op, Mode::acc_s16), 0, offset(right));
  if (in(right, Width::bit)) return emit(binary_code(expr.op, Mode::acc_bit), 0, offset(right));
  emit(push);
  expression(right, depth + 1);
  emit(binary_code(expr.op, Mode::stack_acc));
}

void Compiler::store(SlotId slot) {
  const Field field = layout_.field(slot);
  const Range range = system_.slots[slot].range;
  const auto offset = static_cast<std::int32_t>(field.offset);
  if (field.width == Width::u8 && range == byte_range) return emit(store_any_u8, offset);
  emit(by_width(store_u8, field.width), offset, range.low, range.high);
}

/// slot = slot + constant as one instruction; false when the assignment has another form.
bool Compiler::addition(const Assignment& a) {
  const Field field = layout_.field(a.slot);
  const Range range = system_.slots[a.slot].range;
  const bool sum = a.value.op == Op::add || a.value.op == Op::sub;
  if (!sum || a.value.args[0].op != Op::load || a.value.args[0].slot != a.slot || a.value.args[0].before ||
      !a.value.args[1].is_constant() || range.low != 0)
    return false;
  const std::int64_t by = a.value.args[1].value;
  if (!fits_int32(by) || !fits_int32(-by)) return false;
  const auto change = static_cast<std::int32_t>(a.value.op == Op::add ? by : -by);
  if (field.width == Width::u8)
    emit(add_u8, static_cast<std::int32_t>(field.offset), change, range.high);
  else if (field.width == Width::bit && range.high == 1)
    emit(add_bit, static_cast<std::int32_t>(field.offset), change);
  else
    return false;
  return true;
}

void Compiler::assignment(const Assignment& a) {
  const Field field = layout_.field(a.slot);
  const auto offset = static_cast<std::int32_t>(field.offset);
  const Range range = system_.slots[a.slot].range;
  if (!a.index) {
    const bool to_byte = field.width == Width::u8;
    if (to_byte && a.value.is_constant() && range.contains(a.value.value))
      return emit(set_u8, offset, static_cast<std::int32_t>(a.value.value));
    if (to_byte && a.value.op == Op::load && !a.value.before && system_.slots[a.value.slot].range == range)
      return emit(copy_u8, offset, static_cast<std::int32_t>(layout_.field(a.value.slot).offset));
    if (addition(a)) return;
    expression(a.value, 0);
    return store(a.slot);
  }
  expression(a.value, 0);
  emit(push);
  expression(*a.index, 1);
  const std::int32_t limits = in_pool(range.low);
  in_pool(range.high);
  emit(by_width(store_index_u8, field.width), offset, static_cast<std::int32_t>(a.length), limits);
}

}  // namespace tideline::bytecode
