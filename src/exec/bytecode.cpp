#include "exec/bytecode.hpp"

#include <cstring>

#include "model/layout.hpp"

namespace tideline::bytecode {

namespace {

std::int64_t u8_at(const std::byte* state, std::int32_t offset) {
  return std::to_integer<std::int64_t>(state[offset]);
}

std::int64_t bit_value(const std::byte* state, std::int64_t offset) {
  return bit_at(state, static_cast<std::uint32_t>(offset)) ? 1 : 0;
}

template <class Int>
std::int64_t int_at(const std::byte* state, std::int64_t offset) {
  Int value;
  std::memcpy(&value, state + offset, sizeof value);
  return value;
}

template <class Int>
void put(std::byte* state, std::int64_t offset, std::int64_t value) {
  const auto narrow = static_cast<Int>(value);
  std::memcpy(state + offset, &narrow, sizeof narrow);
}

/// The machine. Guards have no `out`, and no instruction that would write to it.
template <bool effects, std::size_t stack_size>
Result run(const Instruction* const begin, const std::int64_t* pool, const std::byte* before, std::byte* out,
           const std::byte* now) {
  std::int64_t stack[stack_size];
  std::int64_t* top = stack;
  std::int64_t acc = 0;
  ModelErrorKind error = ModelErrorKind::none;

  for (const Instruction* in = begin;; ++in) {
    ModelErrorKind here = ModelErrorKind::none;
    switch (in->code) {
      case halt:
        return {acc, error};
      case constant:
        acc = in->b;
        break;
      case pool_constant:
        acc = pool[in->a];
        break;
      case load_u8:
        acc = u8_at(now, in->a);
        break;
      case load_s16:
        acc = int_at<std::int16_t>(now, in->a);
        break;
      case load_s32:
        acc = int_at<std::int32_t>(now, in->a);
        break;
      case load_bit:
        acc = bit_value(now, in->a);
        break;
      case before_u8:
        acc = u8_at(before, in->a);
        break;
      case before_s16:
        acc = int_at<std::int16_t>(before, in->a);
        break;
      case before_s32:
        acc = int_at<std::int32_t>(before, in->a);
        break;
      case before_bit:
        acc = bit_value(before, in->a);
        break;

#define TIDELINE_INDEX(name, from, type)                                       \
  case name:                                                                   \
    if (static_cast<std::uint64_t>(acc) < static_cast<std::uint32_t>(in->b)) { \
      acc = int_at<type>(from, in->a + acc * static_cast<int>(sizeof(type)));  \
    } else {                                                                   \
      here = ModelErrorKind::index_out_of_bounds;                              \
    }                                                                          \
    break;
        TIDELINE_INDEX(index_u8, now, std::uint8_t)
        TIDELINE_INDEX(index_s16, now, std::int16_t)
        TIDELINE_INDEX(index_s32, now, std::int32_t)
        TIDELINE_INDEX(before_index_u8, before, std::uint8_t)
        TIDELINE_INDEX(before_index_s16, before, std::int16_t)
        TIDELINE_INDEX(before_index_s32, before, std::int32_t)
#undef TIDELINE_INDEX
      case index_bit:
      case before_index_bit:
        if (static_cast<std::uint64_t>(acc) < static_cast<std::uint32_t>(in->b))
          acc = bit_value(in->code == index_bit ? now : before, in->a + acc);
        else
          here = ModelErrorKind::index_out_of_bounds;
        break;

      case table:
        if (static_cast<std::uint64_t>(acc) < static_cast<std::uint32_t>(in->b))
          acc = pool[in->a + acc];
        else
          here = ModelErrorKind::index_out_of_bounds;
        break;
      case push:
        *top++ = acc;
        break;
      case negate:
        acc = apply_unary(Op::negate, acc);
        break;
      case bit_not:
        acc = ~acc;
        break;
      case logic_not:
        acc = acc == 0;
        break;
      case truth:
        acc = acc != 0;
        break;
      case wrap_byte:
        acc = static_cast<std::uint8_t>(acc);
        break;
      case wrap_int16:
        acc = static_cast<std::int16_t>(acc);
        break;
      case jump_if_zero:
        if (acc == 0) in = begin + in->a - 1;
        break;
      case jump_if_not_zero:
        if (acc != 0) {
          acc = 1;
          in = begin + in->a - 1;
        }
        break;
      case jump_if_zero_true:
        if (acc == 0) {
          acc = 1;
          in = begin + in->a - 1;
        }
        break;
      case fail:
        here = static_cast<ModelErrorKind>(in->a);
        break;

#define TIDELINE_BINARY(op)                                              \
  case binary_code(op, Mode::acc_const):                                 \
    acc = apply_binary(op, acc, in->b, here);                            \
    break;                                                               \
  case binary_code(op, Mode::acc_u8):                                    \
    acc = apply_binary(op, acc, u8_at(now, in->b), here);                \
    break;                                                               \
  case binary_code(op, Mode::acc_s16):                                   \
    acc = apply_binary(op, acc, int_at<std::int16_t>(now, in->b), here); \
    break;                                                               \
  case binary_code(op, Mode::acc_bit):                                   \
    acc = apply_binary(op, acc, bit_value(now, in->b), here);            \
    break;                                                               \
  case binary_code(op, Mode::stack_acc):                                 \
    acc = apply_binary(op, *--top, acc, here);                           \
    break;                                                               \
  case binary_code(op, Mode::bit_const):                                 \
    acc = apply_binary(op, bit_value(now, in->a), in->b, here);          \
    break;                                                               \
  case binary_code(op, Mode::u8_const):                                  \
    acc = apply_binary(op, u8_at(now, in->a), in->b, here);              \
    break;                                                               \
  case binary_code(op, Mode::u8_u8):                                     \
    acc = apply_binary(op, u8_at(now, in->a), u8_at(now, in->b), here);  \
    break;
        TIDELINE_BINARY(Op::add)
        TIDELINE_BINARY(Op::sub)
        TIDELINE_BINARY(Op::mul)
        TIDELINE_BINARY(Op::div)
        TIDELINE_BINARY(Op::mod)
        TIDELINE_BINARY(Op::shift_left)
        TIDELINE_BINARY(Op::shift_right)
        TIDELINE_BINARY(Op::bit_and)
        TIDELINE_BINARY(Op::bit_or)
        TIDELINE_BINARY(Op::bit_xor)
        TIDELINE_BINARY(Op::eq)
        TIDELINE_BINARY(Op::ne)
        TIDELINE_BINARY(Op::lt)
        TIDELINE_BINARY(Op::le)
        TIDELINE_BINARY(Op::gt)
        TIDELINE_BINARY(Op::ge)
#undef TIDELINE_BINARY

      default:
        if constexpr (effects) {
          switch (in->code) {
#define TIDELINE_STORE(name, type)               \
  case name:                                     \
    if (in->b <= acc && acc <= in->c)            \
      put<type>(out, in->a, acc);                \
    else                                         \
      here = ModelErrorKind::value_out_of_range; \
    break;
            TIDELINE_STORE(store_u8, std::uint8_t)
            TIDELINE_STORE(store_s16, std::int16_t)
            TIDELINE_STORE(store_s32, std::int32_t)
#undef TIDELINE_STORE
            case store_bit:
              if (in->b <= acc && acc <= in->c)
                set_bit_at(out, static_cast<std::uint32_t>(in->a), acc != 0);
              else
                here = ModelErrorKind::value_out_of_range;
              break;
            case store_any_u8:
              if (static_cast<std::uint64_t>(acc) <= 255)
                put<std::uint8_t>(out, in->a, acc);
              else
                here = ModelErrorKind::value_out_of_range;
              break;
            case set_u8:
              put<std::uint8_t>(out, in->a, in->b);
              break;
            case copy_u8:
              out[in->a] = out[in->b];
              break;
            case add_u8: {
              const std::int64_t sum = u8_at(out, in->a) + in->b;
              if (static_cast<std::uint64_t>(sum) <= static_cast<std::uint32_t>(in->c))
                put<std::uint8_t>(out, in->a, sum);
              else
                here = ModelErrorKind::value_out_of_range;
              break;
            }
            case add_bit: {
              const std::int64_t sum = bit_value(out, in->a) + in->b;
              if (static_cast<std::uint64_t>(sum) <= 1)
                set_bit_at(out, static_cast<std::uint32_t>(in->a), sum != 0);
              else
                here = ModelErrorKind::value_out_of_range;
              break;
            }
#define TIDELINE_STORE_INDEX(name, type)                                      \
  case name: {                                                                \
    const std::int64_t value = *--top;                                        \
    if (static_cast<std::uint64_t>(acc) >= static_cast<std::uint32_t>(in->b)) \
      here = ModelErrorKind::index_out_of_bounds;                             \
    else if (value < pool[in->c] || value > pool[in->c + 1])                  \
      here = ModelErrorKind::value_out_of_range;                              \
    else                                                                      \
      put<type>(out, in->a + acc * static_cast<int>(sizeof(type)), value);    \
    break;                                                                    \
  }
              TIDELINE_STORE_INDEX(store_index_u8, std::uint8_t)
              TIDELINE_STORE_INDEX(store_index_s16, std::int16_t)
              TIDELINE_STORE_INDEX(store_index_s32, std::int32_t)
#undef TIDELINE_STORE_INDEX
            case store_index_bit: {
              const std::int64_t value = *--top;
              if (static_cast<std::uint64_t>(acc) >= static_cast<std::uint32_t>(in->b))
                here = ModelErrorKind::index_out_of_bounds;
              else if (value < pool[in->c] || value > pool[in->c + 1])
                here = ModelErrorKind::value_out_of_range;
              else
                set_bit_at(out, static_cast<std::uint32_t>(in->a + acc), value != 0);
              break;
            }
            default:
              __builtin_unreachable();
          }
        } else {
          __builtin_unreachable();
        }
    }
    if (here != ModelErrorKind::none) [[unlikely]] {
      if constexpr (effects) return {0, here};
      if (error == ModelErrorKind::none) error = here;
      acc = 0;
    }
  }
}

}  // namespace

Result run_guard(const Chunk& chunk, std::uint32_t at, const std::byte* state) {
  const Instruction* begin = chunk.code.data() + at;
  if (chunk.stack <= small_stack) [[likely]]
    return run<false, small_stack>(begin, chunk.pool.data(), state, nullptr, state);
  return run<false, max_depth>(begin, chunk.pool.data(), state, nullptr, state);
}

ModelErrorKind run_effects(const Chunk& chunk, std::uint32_t at, const std::byte* before, std::byte* now) {
  const Instruction* begin = chunk.code.data() + at;
  if (chunk.stack <= small_stack) [[likely]]
    return run<true, small_stack>(begin, chunk.pool.data(), before, now, now).error;
  return run<true, max_depth>(begin, chunk.pool.data(), before, now, now).error;
}

}  // namespace tideline::bytecode
