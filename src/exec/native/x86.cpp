#include "exec/native/x86.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "exec/native/native.hpp"

namespace tideline::native {

namespace {

using asmjit::x86::Gp;
using asmjit::x86::Mem;
using Condition = asmjit::x86::CondCode;
namespace x86 = asmjit::x86;

// What the functions are called with, and where it stays. rax, rcx and rdx are for the moment.
constexpr Gp state = x86::rdi;
constexpr Gp successor = x86::rsi;
constexpr Gp actions = x86::r11;
/// Registers of the form; those from `first_saved` on belong to the caller and are saved.
constexpr std::array<Gp, 8> registers = {x86::r8,  x86::r9,  x86::r10, x86::rbx,
                                         x86::r12, x86::r13, x86::r14, x86::r15};
constexpr std::size_t first_saved = 3;

bool fits_int32(std::int64_t value) {
  return value >= std::numeric_limits<std::int32_t>::min() &&
         value <= std::numeric_limits<std::int32_t>::max();
}

Condition condition(Op op, bool is_signed) {
  switch (op) {
    case Op::eq:
      return Condition::kE;
    case Op::ne:
      return Condition::kNE;
    case Op::lt:
      return is_signed ? Condition::kL : Condition::kB;
    case Op::le:
      return is_signed ? Condition::kLE : Condition::kBE;
    case Op::gt:
      return is_signed ? Condition::kG : Condition::kA;
    default:
      return is_signed ? Condition::kGE : Condition::kAE;
  }
}

class Target {
 public:
  Target(asmjit::CodeHolder& holder, const Function& function, const System& system, std::size_t state_bytes,
         bool takes_steps)
      : a_(&holder),
        function_(function),
        system_(system),
        units_(takes_steps ? padded(state_bytes) / state_unit : 0),
        takes_steps_(takes_steps) {
    for (Label l = 0; l < function.label_count; ++l) labels_.push_back(a_.newLabel());
    give_up_ = a_.newLabel();
    copy_ = a_.newLabel();
    for (const Instruction& in : function.code) copies_ += in.code == Code::copy;
  }

  asmjit::Error assemble() {
    prologue();
    for (const Instruction& in : function_.code) translate(in);
    a_.bind(give_up_);
    if (takes_steps_)
      a_.mov(x86::rax, gave_up);
    else
      a_.mov(x86::edx, 1);
    epilogue();
    if (copies_apart()) {
      a_.bind(copy_);
      write_copy();
      a_.ret();
    }
    write_data();
    return error_;
  }

 private:
  // --- frame

  std::size_t saved() const {
    const std::size_t used = std::min<std::size_t>(function_.register_count, registers.size());
    return used > first_saved ? used - first_saved : 0;
  }
  static Mem frame(std::size_t entry) {
    return x86::qword_ptr(x86::rbp, -8 * (static_cast<std::int32_t>(entry) + 1));
  }
  // Entries of the frame: where actions began, saved registers, registers of the form.
  Mem first_action() const { return frame(0); }
  Mem spilled(Register reg) const { return frame(1 + saved() + reg - registers.size()); }

  void prologue() {
    const std::size_t spills =
        function_.register_count > registers.size() ? function_.register_count - registers.size() : 0;
    const std::size_t entries = 1 + saved() + spills;
    a_.push(x86::rbp);
    a_.mov(x86::rbp, x86::rsp);
    a_.sub(x86::rsp, static_cast<std::int32_t>((entries + 1) / 2 * 16));
    for (std::size_t i = 0; i < saved(); ++i) a_.mov(frame(1 + i), registers[first_saved + i]);
    if (!takes_steps_) return;
    a_.mov(first_action(), x86::rdx);
    a_.mov(actions, x86::rdx);
    if (copies_ != 0 && in_vectors())
      for (std::size_t u = 0; u < units_; ++u)
        a_.movups(x86::xmm(static_cast<std::uint32_t>(u)), unit(state, u));
  }

  void epilogue() {
    for (std::size_t i = 0; i < saved(); ++i) a_.mov(registers[first_saved + i], frame(1 + i));
    a_.leave();
    a_.ret();
  }

  // --- copies of the state

  static Mem unit(const Gp& base, std::size_t u) {
    return x86::xmmword_ptr(base, static_cast<std::int32_t>(u * state_unit));
  }
  bool in_vectors() const { return units_ <= 16; }
  /// Copies are many or long: they call one piece of code.
  bool copies_apart() const { return !in_vectors() || copies_ * units_ > 20'000; }

  void write_copy() {
    for (std::size_t u = 0; u < units_; ++u) {
      if (in_vectors()) {
        a_.movups(unit(successor, u), x86::xmm(static_cast<std::uint32_t>(u)));
      } else {
        const auto through = x86::xmm(static_cast<std::uint32_t>(u % 8));
        a_.movups(through, unit(state, u));
        a_.movups(unit(successor, u), through);
      }
    }
  }

  // --- operands

  static const Gp& base(const Operand& field) { return field.kind == Operand::Kind::now ? successor : state; }
  static std::int32_t offset(const Operand& field) {
    return static_cast<std::int32_t>(field.field.width == Width::bit ? field.field.offset / 8
                                                                     : field.field.offset);
  }
  static Mem memory(const Operand& field, std::uint32_t size) {
    Mem result(base(field), offset(field));
    result.setSize(size);
    return result;
  }
  static std::uint32_t bit_of(const Operand& field) { return field.field.offset % 8; }

  /// Loads from memory of a width into a register.
  void load(const Gp& to, Width width, Mem from) {
    if (width == Width::s16) {
      from.setSize(2);
      a_.movsx(to, from);
    } else if (width == Width::s32) {
      from.setSize(4);
      a_.movsxd(to, from);
    } else {
      from.setSize(1);
      a_.movzx(to.r32(), from);
    }
  }

  void load(const Gp& to, const Operand& from) {
    switch (from.kind) {
      case Operand::Kind::reg:
        if (from.reg >= registers.size())
          a_.mov(to, spilled(from.reg));
        else if (registers[from.reg] != to)
          a_.mov(to, registers[from.reg]);
        return;
      case Operand::Kind::constant:
        if (from.value == 0)
          a_.xor_(to.r32(), to.r32());
        else
          a_.mov(to, from.value);
        return;
      default:
        load(to, from.field.width, Mem(base(from), offset(from)));
        if (from.field.width != Width::bit) return;
        if (bit_of(from) != 0) a_.shr(to.r32(), bit_of(from));
        a_.and_(to.r32(), 1);
    }
  }

  /// The register that holds the operand: its own, or `scratch`.
  Gp in_register(const Operand& operand, const Gp& scratch) {
    if (operand.is_register() && operand.reg < registers.size()) return registers[operand.reg];
    load(scratch, operand);
    return scratch;
  }

  void keep(Register target, const Gp& value) {
    if (target >= registers.size())
      a_.mov(spilled(target), value);
    else if (registers[target] != value)
      a_.mov(registers[target], value);
  }

  const asmjit::Label& label(Label l) const { return labels_[l]; }

  // --- instructions

  void translate(const Instruction& in) {
    switch (in.code) {
      case Code::move:
        load(x86::rax, in.a);
        return keep(in.target, x86::rax);
      case Code::load_item:
        return load_item(in);
      case Code::table:
        return table(in);
      case Code::unary:
        return unary(in);
      case Code::binary:
        return binary(in);
      case Code::label:
        check(a_.bind(label(in.label)));
        return;
      case Code::jump:
        a_.jmp(label(in.label));
        return;
      case Code::branch:
        a_.j(compare(in.op, in.a, in.b), label(in.label));
        return;
      case Code::choose:
        return choose(in);
      case Code::word:
        load(x86::rax, in.b);
        a_.and_(x86::rax, x86::qword_ptr(state, static_cast<std::int32_t>(in.number)));
        return keep(in.target, x86::rax);
      case Code::next_bit:
      case Code::next_byte:
        return next(in);
      case Code::give_up:
        a_.jmp(give_up_);
        return;
      case Code::give_up_unless:
        return give_up_unless(in);
      case Code::copy:
        if (copies_apart())
          a_.call(copy_);
        else
          write_copy();
        return;
      case Code::patch:
        return patch(function_.patches[in.number]);
      case Code::store:
        return store(in);
      case Code::store_item:
        return store_item(in);
      case Code::emit:
        a_.add(successor, static_cast<std::int32_t>(units_ * state_unit));
        a_.mov(x86::dword_ptr(actions), in.number);
        a_.add(actions, 4);
        return;
      case Code::done:
        return done(in);
    }
  }

  void done(const Instruction& in) {
    if (takes_steps_) {
      a_.mov(x86::rax, actions);
      a_.sub(x86::rax, first_action());
      a_.shr(x86::rax, 2);
    } else {
      load(x86::rax, in.a);
      a_.xor_(x86::edx, x86::edx);
    }
    epilogue();
  }

  void unary(const Instruction& in) {
    load(x86::rax, in.a);
    switch (in.op) {
      case Op::negate:
        a_.neg(x86::rax);
        break;
      case Op::bit_not:
        a_.not_(x86::rax);
        break;
      case Op::logic_not:
        a_.test(x86::rax, x86::rax);
        set(Condition::kE);
        break;
      case Op::wrap_byte:
        a_.movzx(x86::eax, x86::al);
        break;
      case Op::wrap_int16:
        a_.movsx(x86::rax, x86::ax);
        break;
      default:
        fail();
    }
    keep(in.target, x86::rax);
  }

  void set(Condition condition) {
    a_.set(condition, x86::al);
    a_.movzx(x86::eax, x86::al);
  }

  void binary(const Instruction& in) {
    if (in.op >= Op::eq && in.op <= Op::ge) {
      set(compare(in.op, in.a, in.b));
      return keep(in.target, x86::rax);
    }
    if (in.op == Op::div || in.op == Op::mod) return divide(in);
    if (in.op == Op::shift_left || in.op == Op::shift_right) return shift(in);
    load(x86::rax, in.a);
    if (in.b.is_constant() && fits_int32(in.b.value)) {
      const auto by = asmjit::Imm(in.b.value);
      if (in.op == Op::mul)
        a_.imul(x86::rax, x86::rax, by);
      else
        a_.emit(instruction(in.op), x86::rax, by);
    } else {
      a_.emit(instruction(in.op), x86::rax, in_register(in.b, x86::rcx));
    }
    keep(in.target, x86::rax);
  }

  static asmjit::InstId instruction(Op op) {
    switch (op) {
      case Op::add:
        return x86::Inst::kIdAdd;
      case Op::sub:
        return x86::Inst::kIdSub;
      case Op::mul:
        return x86::Inst::kIdImul;
      case Op::bit_and:
        return x86::Inst::kIdAnd;
      case Op::bit_or:
        return x86::Inst::kIdOr;
      case Op::bit_xor:
        return x86::Inst::kIdXor;
      default:
        return x86::Inst::kIdNone;
    }
  }

  /// The divisor is not 0.
  void divide(const Instruction& in) {
    const bool rest = in.op == Op::mod;
    load(x86::rcx, in.b);
    load(x86::rax, in.a);
    if (in.small) {
      a_.xor_(x86::edx, x86::edx);
      a_.div(x86::ecx);
      return keep(in.target, rest ? x86::rdx : x86::rax);
    }
    // The quotient of the smallest number and -1 does not fit and would trap.
    const asmjit::Label ordinary = a_.newLabel(), end = a_.newLabel();
    a_.cmp(x86::rcx, -1);
    a_.jne(ordinary);
    a_.neg(x86::rax);
    a_.xor_(x86::edx, x86::edx);
    a_.jmp(end);
    a_.bind(ordinary);
    a_.cqo();
    a_.idiv(x86::rcx);
    a_.bind(end);
    keep(in.target, rest ? x86::rdx : x86::rax);
  }

  /// By 0 to 63.
  void shift(const Instruction& in) {
    const bool left = in.op == Op::shift_left;
    load(x86::rax, in.a);
    if (in.b.is_constant()) {
      const auto by = static_cast<std::uint32_t>(in.b.value);
      left ? a_.shl(x86::rax, by) : a_.sar(x86::rax, by);
    } else {
      load(x86::rcx, in.b);
      left ? a_.shl(x86::rax, x86::cl) : a_.sar(x86::rax, x86::cl);
    }
    keep(in.target, x86::rax);
  }

  /// Compares, and says which condition then stands for `a op b`.
  Condition compare(Op op, Operand a, Operand b) {
    if (a.is_constant() && !b.is_constant()) {
      std::swap(a, b);
      op = mirrored(op);
    }
    if (a.is_field() && b.is_constant()) {
      const std::int64_t value = b.value;
      switch (a.field.width) {
        case Width::bit:
          if ((op == Op::eq || op == Op::ne) && (value == 0 || value == 1)) {
            a_.test(memory(a, 1), 1U << bit_of(a));
            return (op == Op::eq) == (value == 0) ? Condition::kZ : Condition::kNZ;
          }
          break;
        case Width::u8:
          if (value < 0 || value > 255) break;
          a_.cmp(memory(a, 1), value);
          return condition(op, false);
        case Width::s16:
          // A constant of 16 bits would change the length of the instruction, which costs time.
          if (value < -128 || value > 127) break;
          a_.cmp(memory(a, 2), value);
          return condition(op, true);
        case Width::s32:
          if (!fits_int32(value)) break;
          a_.cmp(memory(a, 4), value);
          return condition(op, true);
      }
    }
    const Gp left = in_register(a, x86::rax);
    if (b.is_constant() && b.value == 0)
      a_.test(left, left);
    else if (b.is_constant() && fits_int32(b.value))
      a_.cmp(left, b.value);
    else
      a_.cmp(left, in_register(b, x86::rcx));
    return condition(op, true);
  }

  /// Goes to the address in a table of offsets from its own beginning; rcx is free.
  void jump_through(std::uint32_t number, const Gp& index, Label otherwise) {
    asmjit::Label table = a_.newLabel();
    jump_tables_.push_back({table, number, otherwise});
    a_.lea(x86::rcx, x86::ptr(table));
    a_.movsxd(x86::rax, x86::dword_ptr(x86::rcx, index, 2));
    a_.add(x86::rax, x86::rcx);
    a_.jmp(x86::rax);
  }

  void choose(const Instruction& in) {
    load(x86::rax, in.a);
    a_.cmp(x86::rax, static_cast<std::int32_t>(function_.labels[in.number].size()));
    a_.jae(label(in.label));
    jump_through(in.number, x86::rax, in.label);
  }

  void next(const Instruction& in) {
    load(x86::rax, Operand::in(in.target));
    a_.test(x86::rax, x86::rax);
    a_.jz(label(in.label));
    a_.bsf(x86::rcx, x86::rax);
    if (in.code == Code::next_bit) {
      a_.lea(x86::rdx, x86::ptr(x86::rax, -1));
      a_.and_(x86::rax, x86::rdx);
      a_.mov(x86::rdx, x86::rcx);
    } else {
      a_.and_(x86::ecx, 0x38);
      a_.mov(x86::edx, 0xff);
      a_.shl(x86::rdx, x86::cl);
      a_.not_(x86::rdx);
      a_.and_(x86::rax, x86::rdx);
      a_.mov(x86::edx, x86::ecx);
      a_.shr(x86::edx, 3);
    }
    keep(in.target, x86::rax);
    jump_through(in.number, x86::rdx, in.label);
  }

  void give_up_unless(const Instruction& in) {
    Gp value = in_register(in.a, x86::rax);
    const auto width = static_cast<std::uint64_t>(in.high) - static_cast<std::uint64_t>(in.low);
    if (in.low != 0) {
      a_.mov(x86::rcx, in.low);
      a_.mov(x86::rdx, value);
      a_.sub(x86::rdx, x86::rcx);
      value = x86::rdx;
    }
    if (width <= static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max())) {
      a_.cmp(value, static_cast<std::int32_t>(width));
    } else {
      a_.mov(x86::rcx, width);
      a_.cmp(value, x86::rcx);
    }
    a_.ja(give_up_);
  }

  // --- arrays

  static std::uint32_t scale(Width width) { return width == Width::s32 ? 2 : width == Width::s16 ? 1 : 0; }

  /// rdx = number of the bit among those of the state
  void bit_number(const Instruction& in, const Operand& index) {
    load(x86::rdx, index);
    a_.add(x86::rdx, static_cast<std::int32_t>(in.a.field.offset));
  }

  void load_item(const Instruction& in) {
    const Width width = in.a.field.width;
    if (width == Width::bit) {
      bit_number(in, in.b);
      a_.mov(x86::rax, x86::rdx);
      a_.shr(x86::rax, 3);
      a_.movzx(x86::eax, x86::byte_ptr(base(in.a), x86::rax));
      a_.and_(x86::edx, 7);
      a_.bt(x86::eax, x86::edx);
      set(Condition::kC);
    } else {
      const Gp index = in_register(in.b, x86::rcx);
      load(x86::rax, width, Mem(base(in.a), index, scale(width), offset(in.a)));
    }
    keep(in.target, x86::rax);
  }

  void store_item(const Instruction& in) {
    const Width width = in.a.field.width;
    if (width == Width::bit) {
      const asmjit::Label clear = a_.newLabel(), end = a_.newLabel();
      bit_number(in, in.index);
      a_.mov(x86::rcx, x86::rdx);
      a_.shr(x86::rdx, 3);
      a_.add(x86::rdx, successor);  // the byte
      load(x86::rax, in.b);
      a_.and_(x86::ecx, 7);
      a_.test(x86::rax, x86::rax);
      a_.movzx(x86::eax, x86::byte_ptr(x86::rdx));
      a_.jz(clear);
      a_.bts(x86::eax, x86::ecx);
      a_.jmp(end);
      a_.bind(clear);
      a_.btr(x86::eax, x86::ecx);
      a_.bind(end);
      a_.mov(x86::byte_ptr(x86::rdx), x86::al);
      return;
    }
    const Gp index = in_register(in.index, x86::rcx);
    const Mem place(successor, index, scale(width), offset(in.a));
    write(place, width, in.b);
  }

  void table(const Instruction& in) {
    const Gp index = in_register(in.b, x86::rcx);
    a_.lea(x86::rax, x86::ptr(tables_.try_emplace(in.number, a_.newLabel()).first->second));
    a_.mov(x86::rax, x86::qword_ptr(x86::rax, index, 3));
    keep(in.target, x86::rax);
  }

  // --- patches

  struct Place {
    std::uint32_t word, shift, bits;
  };
  static Place place_of(Field field) {
    const bool is_bit = field.width == Width::bit;
    const std::uint32_t first = is_bit ? field.offset : 8 * field.offset;
    return {first / 64, first % 64, is_bit ? 1 : 8 * static_cast<std::uint32_t>(field.width)};
  }

  void patch(const std::vector<Patch>& patches) {
    for (auto first = patches.begin(); first != patches.end();) {
      const std::uint32_t word = place_of(first->field).word;
      const auto end =
          std::find_if(first, patches.end(), [&](const Patch& p) { return place_of(p.field).word != word; });
      patch_word(word, {first, end});
      first = end;
    }
  }

  /// All of the same word.
  void patch_word(std::uint32_t word, std::span<const Patch> patches) {
    std::uint64_t changed = 0, constant = 0;
    for (const Patch& patch : patches) {
      const Place place = place_of(patch.field);
      const std::uint64_t ones = (std::uint64_t{1} << place.bits) - 1;
      changed |= ones << place.shift;
      if (patch.value.is_constant())
        constant |= (static_cast<std::uint64_t>(patch.value.value) & ones) << place.shift;
    }
    const auto offset = static_cast<std::int32_t>(8 * word);
    a_.mov(x86::rax, x86::qword_ptr(state, offset));
    apply(x86::Inst::kIdAnd, ~changed);
    if (constant != 0) apply(x86::Inst::kIdOr, constant);
    for (const Patch& patch : patches) {
      if (patch.value.is_constant()) continue;
      const Place place = place_of(patch.field);
      load(x86::rcx, patch.value);
      if (patch.field.width == Width::s16) a_.movzx(x86::ecx, x86::cx);
      if (patch.field.width == Width::s32) a_.mov(x86::ecx, x86::ecx);
      if (place.shift != 0) a_.shl(x86::rcx, place.shift);
      a_.or_(x86::rax, x86::rcx);
    }
    a_.mov(x86::qword_ptr(successor, offset), x86::rax);
  }

  /// rax = rax op constant
  void apply(asmjit::InstId op, std::uint64_t constant) {
    const auto value = static_cast<std::int64_t>(constant);
    if (fits_int32(value)) {
      a_.emit(op, x86::rax, asmjit::Imm(value));
    } else {
      a_.mov(x86::rcx, value);
      a_.emit(op, x86::rax, x86::rcx);
    }
  }

  // --- stores

  void store(const Instruction& in) {
    const Width width = in.a.field.width;
    if (width != Width::bit) return write(Mem(successor, offset(in.a)), width, in.b);
    const Mem byte = memory(in.a, 1);
    const std::uint32_t mask = 1U << bit_of(in.a);
    if (in.b.is_constant()) {
      in.b.value != 0 ? a_.or_(byte, mask) : a_.and_(byte, static_cast<std::uint8_t>(~mask));
      return;
    }
    load(x86::rax, in.b);
    if (bit_of(in.a) != 0) a_.shl(x86::eax, bit_of(in.a));
    a_.movzx(x86::ecx, byte);
    a_.and_(x86::ecx, static_cast<std::int32_t>(~mask));
    a_.or_(x86::eax, x86::ecx);
    a_.mov(byte, x86::al);
  }

  /// Writes the low bytes of a value that fits.
  void write(Mem place, Width width, const Operand& value) {
    place.setSize(static_cast<std::uint32_t>(width));
    if (value.is_constant() && width != Width::s16) {
      a_.mov(place, value.value);
      return;
    }
    const Gp from = in_register(value, x86::rax);
    if (width == Width::u8)
      a_.mov(place, from.r8());
    else if (width == Width::s16)
      a_.mov(place, from.r16());
    else
      a_.mov(place, from.r32());
  }

  // --- data after the code

  void write_data() {
    for (const auto& [table, number, otherwise] : jump_tables_) {
      a_.align(asmjit::AlignMode::kData, 4);
      check(a_.bind(table));
      for (const Label l : function_.labels[number])
        check(a_.embedLabelDelta(label(l == no_label ? otherwise : l), table, 4));
    }
    for (const auto& [number, place] : tables_) {
      a_.align(asmjit::AlignMode::kData, 8);
      check(a_.bind(place));
      const auto& items = system_.tables[number];
      check(a_.embed(items.data(), items.size() * sizeof items[0]));
    }
  }

  void check(asmjit::Error error) {
    if (error_ == asmjit::kErrorOk) error_ = error;
  }
  void fail() { check(asmjit::DebugUtils::errored(asmjit::kErrorInvalidState)); }

  struct JumpTable {
    asmjit::Label table;
    std::uint32_t number;
    Label otherwise;
  };

  x86::Assembler a_;
  const Function& function_;
  const System& system_;
  std::size_t units_;  ///< of state_unit bytes, in a padded state
  bool takes_steps_;
  std::size_t copies_ = 0;
  std::vector<asmjit::Label> labels_;
  asmjit::Label give_up_, copy_;
  std::vector<JumpTable> jump_tables_;
  std::map<std::uint32_t, asmjit::Label> tables_;
  asmjit::Error error_ = asmjit::kErrorOk;
};

/// Notices what the assembler refuses.
class FirstError : public asmjit::ErrorHandler {
 public:
  void handleError(asmjit::Error error, const char*, asmjit::BaseEmitter*) override {
    if (first == asmjit::kErrorOk) first = error;
  }
  asmjit::Error first = asmjit::kErrorOk;
};

asmjit::Error assemble(asmjit::CodeHolder& holder, const Function& function, const System& system,
                       std::size_t state_bytes, bool takes_steps) {
  FirstError errors;
  holder.setErrorHandler(&errors);
  const asmjit::Error result = Target(holder, function, system, state_bytes, takes_steps).assemble();
  holder.setErrorHandler(nullptr);
  return errors.first != asmjit::kErrorOk ? errors.first : result;
}

}  // namespace

asmjit::Error assemble_steps(asmjit::CodeHolder& holder, const Function& function, const System& system,
                             std::size_t state_bytes) {
  return assemble(holder, function, system, state_bytes, true);
}

asmjit::Error assemble_value(asmjit::CodeHolder& holder, const Function& function, const System& system) {
  return assemble(holder, function, system, 0, false);
}

}  // namespace tideline::native
