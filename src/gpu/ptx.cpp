#include "gpu/ptx.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "model/error.hpp"

namespace tideline::gpu {

namespace {

using native::Code;
using native::Function;
using native::Instruction;
using native::Label;
using native::no_label;
using native::Operand;
using native::Patch;

bool fits_int32(std::int64_t value) {
  return value >= std::numeric_limits<std::int32_t>::min() &&
         value <= std::numeric_limits<std::int32_t>::max();
}

std::string_view comparison(Op op) {
  switch (op) {
    case Op::eq:
      return "eq";
    case Op::ne:
      return "ne";
    case Op::lt:
      return "lt";
    case Op::le:
      return "le";
    case Op::gt:
      return "gt";
    default:
      return "ge";
  }
}

bool is_comparison(Op op) {
  return op >= Op::eq && op <= Op::ge;
}

/// Writes one piece of code.
class Piece {
 public:
  Piece(const System& system, const DenseLayout& dense, std::vector<std::uint32_t>& tables, std::string units)
      : system_(system), dense_(dense), tables_(tables), units_(std::move(units)) {}

  std::string finish() const {
    std::string text = "{\n";
    const auto declare = [&](const char* type, const char* name, std::uint32_t count) {
      if (count != 0) text += fmt::format(".reg .{} {}<{}>;\n", type, name, count);
    };
    declare("pred", "%tp", predicates_);
    declare("b32", "%ta", narrow_);
    declare("b64", "%tb", wide_);
    declare("b64", "%f", form_registers_);
    declare("b32", "%n", successor_ ? 2 * dense_.words() : 0);
    return text + code_ + "}\n";
  }

  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(code_), format, std::forward<Args>(args)...);
    code_ += '\n';
  }

  std::string new_label() { return fmt::format("L{}", labels_++); }
  std::string predicate() { return fmt::format("%tp{}", predicates_++); }
  std::string narrow() { return fmt::format("%ta{}", narrow_++); }
  std::string wide() { return fmt::format("%tb{}", wide_++); }

  struct Ends {
    std::string done, give_up;  ///< labels
    std::string value = {};     ///< a register for the value of a function that has one
    std::string missed = {};    ///< a label; of a function that takes steps
    std::string emitted = {}, queue = {};
    std::uint32_t capacity = 0;
    bool flags = false;
  };

  void begin_function(const Function& function, Ends ends) {
    function_ = &function;
    ends_ = std::move(ends);
    form_registers_ = std::max(form_registers_, function.register_count);
    label_base_ = labels_;
    labels_ += function.label_count;
  }
  void translate(std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) translate(function_->code[i]);
  }

  // --- measures

  /// A register with the rank of the state by a table.
  std::string look_up_rank(const RankCode& part, std::size_t number_of_part) {
    const auto rank = wide(), number = wide(), past = new_label();
    line("mov.b64 {}, {};", rank, part.other);
    line("mov.b64 {}, 0;", number);
    for (const auto& digit : part.digits) {
      const auto value = wide();
      line("cvt.s64.s32 {}, {};", value, load(dense_.place(digit.slot), false));
      line("sub.s64 {}, {}, {};", value, value, digit.low);
      for (const bool below : {true, false}) {
        const auto outside = predicate();
        line("setp.{}.s64 {}, {}, {};", below ? "lt" : "ge", outside, value, below ? 0 : digit.count);
        line("@{} bra {};", outside, past);
      }
      line("mul.lo.s64 {}, {}, {};", number, number, digit.count);
      line("add.s64 {}, {}, {};", number, number, value);
    }
    const auto address = wide();
    line("mov.u64 {}, tideline_ranks_{};", address, number_of_part);
    line("shl.b64 {}, {}, 3;", number, number);
    line("add.s64 {}, {}, {};", address, address, number);
    line("ld.global.s64 {}, [{}];", rank, address);
    line("{}:", past);
    return rank;
  }

  /// Likewise by its value.
  std::string value_rank(const RankCode& part) {
    const auto value = wide(), done = new_label(), give_up = new_label();
    begin_function(*part.value, {.done = done, .give_up = give_up, .value = value});
    translate(0, part.value->code.size());
    line("{}:", give_up);
    line("mov.b64 {}, 0;", value);
    line("{}:", done);
    if (part.negated) line("neg.s64 {}, {};", value, value);
    for (const bool below : {true, false}) {
      const auto outside = predicate(), bound = wide();
      line("mov.b64 {}, {};", bound, below ? part.low : part.high);
      line("setp.{}.s64 {}, {}, {};", below ? "lt" : "gt", outside, value, bound);
      line("selp.b64 {}, {}, {}, {};", value, bound, value, outside);
    }
    const auto low = wide();
    line("mov.b64 {}, {};", low, part.low);
    line("sub.s64 {}, {}, {};", value, value, low);
    return value;
  }

  /// Goes to one of several labels by a number of 32 bits; empty ones, and numbers beyond, to `otherwise`.
  void dispatch(const std::string& number, const std::vector<std::string>& targets,
                const std::string& otherwise) {
    const auto p = predicate();
    line("setp.ge.u32 {}, {}, {};", p, number, targets.size());
    line("@{} bra {};", p, otherwise);
    dispatch(number, targets, 0, targets.size(), otherwise);
  }

 private:
  // --- fields

  std::string unit(std::uint32_t number, bool now) const {
    return fmt::format("{}{}", now ? "%n" : units_, number);
  }

  /// A register with the value of a place.
  std::string load(const Place& place, bool now) {
    const auto value = narrow();
    if (place.bits == 0) {
      line("mov.b32 {}, {};", value, place.low);
      return value;
    }
    if (place.bits == 32)
      line("mov.b32 {}, {};", value, unit(place.unit, now));
    else
      line("bfe.u32 {}, {}, {}, {};", value, unit(place.unit, now), place.shift, place.bits);
    if (place.low != 0) line("add.s32 {}, {}, {};", value, value, place.low);
    return value;
  }

  const Place& place_of(const Operand& operand) const { return dense_.place(dense_.slot_at(operand.field)); }

  /// An operand whose value fits 32 bits: a register or a number.
  std::string narrow_operand(const Operand& operand) {
    if (operand.is_constant()) return std::to_string(operand.value);
    if (operand.is_field()) return load(place_of(operand), operand.kind == Operand::Kind::now);
    const auto value = narrow();
    line("cvt.u32.u64 {}, %f{};", value, operand.reg);
    return value;
  }
  std::string wide_operand(const Operand& operand) {
    if (operand.is_register()) return fmt::format("%f{}", operand.reg);
    const auto value = wide();
    if (operand.is_constant())
      line("mov.b64 {}, {};", value, operand.value);
    else
      line("cvt.s64.s32 {}, {};", value, load(place_of(operand), operand.kind == Operand::Kind::now));
    return value;
  }
  static bool is_narrow(const Operand& operand) {
    return operand.is_field() || (operand.is_constant() && fits_int32(operand.value));
  }
  static std::string target(const Instruction& in) { return fmt::format("%f{}", in.target); }
  std::string label(Label l) const { return fmt::format("L{}", label_base_ + l); }

  /// Value, which fits, into a unit of the successor.
  void put(const Place& place, const Operand& value) {
    if (place.bits == 0) return;
    successor_ = true;
    const auto to = unit(place.unit, true);
    if (value.is_constant()) {
      const auto bits = (static_cast<std::uint32_t>(value.value) - static_cast<std::uint32_t>(place.low))
                        << place.shift;
      if ((bits & place.mask()) != place.mask()) line("and.b32 {}, {}, {};", to, to, hex(~place.mask()));
      if ((bits & place.mask()) != 0) line("or.b32 {}, {}, {};", to, to, hex(bits & place.mask()));
      return;
    }
    auto bits = narrow_operand(value);
    if (place.low != 0) {
      const auto difference = narrow();
      line("sub.s32 {}, {}, {};", difference, bits, place.low);
      bits = difference;
    }
    if (place.bits == 32) return line("mov.b32 {}, {};", to, bits);
    line("bfi.b32 {}, {}, {}, {}, {};", to, bits, to, place.shift, place.bits);
  }

  static std::string hex(std::uint32_t value) { return fmt::format("0x{:x}", value); }

  // --- arrays

  struct Item {
    const ArrayPlace* array;
    std::string part;  ///< which of the array's units; empty: there is one
    std::string shift;
  };

  Item item(const Operand& array, const Operand& index) {
    const SlotId first = dense_.slot_at(array.field);
    const ArrayPlace* const place = dense_.array_of(first);
    auto number = narrow_operand(index);
    if (const auto before = first - place->first; before != 0) {
      const auto sum = narrow();
      line("add.u32 {}, {}, {};", sum, number, before);
      number = sum;
    }
    Item result{place, {}, narrow()};
    if (place->unit_count() == 1) {
      line("mad.lo.u32 {}, {}, {}, {};", result.shift, number, place->bits, place->shift);
      return result;
    }
    result.part = narrow();
    const auto rest = narrow();
    line("div.u32 {}, {}, {};", result.part, number, place->per_unit);
    line("mul.lo.u32 {}, {}, {};", rest, result.part, place->per_unit);
    line("sub.u32 {}, {}, {};", rest, number, rest);
    line("mul.lo.u32 {}, {}, {};", result.shift, rest, place->bits);
    return result;
  }

  std::uint32_t unit_of(const ArrayPlace& array, std::uint32_t part) const {
    return array.unit + part * array.stride;
  }

  void load_item(const Instruction& in) {
    const bool now = in.a.kind == Operand::Kind::now;
    const Item from = item(in.a, in.b);
    const ArrayPlace& array = *from.array;
    const auto value = narrow();
    line("mov.b32 {}, {};", value, unit(array.unit, now));
    for (std::uint32_t part = 1; part < array.unit_count(); ++part) {
      const auto p = predicate();
      line("setp.eq.u32 {}, {}, {};", p, from.part, part);
      line("selp.b32 {}, {}, {}, {};", value, unit(unit_of(array, part), now), value, p);
    }
    line("shr.u32 {}, {}, {};", value, value, from.shift);
    if (array.bits < 32) line("and.b32 {}, {}, {};", value, value, hex((1u << array.bits) - 1));
    if (array.low != 0) line("add.s32 {}, {}, {};", value, value, array.low);
    line("cvt.s64.s32 {}, {};", target(in), value);
  }

  void store_item(const Instruction& in) {
    const Item to = item(in.a, in.index);
    const ArrayPlace& array = *to.array;
    const auto bits = narrow(), mask = narrow();
    line("sub.s32 {}, {}, {};", bits, in_narrow_register(in.b), array.low);
    line("shl.b32 {}, {}, {};", bits, bits, to.shift);
    line("mov.b32 {}, {};", mask, hex(static_cast<std::uint32_t>((std::uint64_t{1} << array.bits) - 1)));
    line("shl.b32 {}, {}, {};", mask, mask, to.shift);
    line("and.b32 {}, {}, {};", bits, bits, mask);
    line("not.b32 {}, {};", mask, mask);
    for (std::uint32_t part = 0; part < array.unit_count(); ++part) {
      const auto changed = narrow();
      const auto old = unit(unit_of(array, part), true);
      line("and.b32 {}, {}, {};", changed, old, mask);
      line("or.b32 {}, {}, {};", changed, changed, bits);
      if (array.unit_count() == 1) {
        line("mov.b32 {}, {};", old, changed);
        continue;
      }
      const auto p = predicate();
      line("setp.eq.u32 {}, {}, {};", p, to.part, part);
      line("selp.b32 {}, {}, {}, {};", old, changed, old, p);
    }
  }

  std::string in_narrow_register(const Operand& operand) {
    const auto value = narrow_operand(operand);
    if (!operand.is_constant()) return value;
    const auto reg = narrow();
    line("mov.b32 {}, {};", reg, static_cast<std::int32_t>(operand.value));
    return reg;
  }

  // --- instructions

  void translate(const Instruction& in) {
    switch (in.code) {
      case Code::move:
        return line("mov.b64 {}, {};", target(in), wide_operand(in.a));
      case Code::load_item:
        return load_item(in);
      case Code::table:
        return table(in);
      case Code::unary:
        return unary(in);
      case Code::binary:
        return binary(in);
      case Code::label:
        return line("{}:", label(in.label));
      case Code::jump:
        return line("bra {};", label(in.label));
      case Code::branch:
        return line("@{} bra {};", compare(in.op, in.a, in.b), label(in.label));
      case Code::choose:
        return choose(in);
      case Code::word:
      case Code::next_bit:
      case Code::next_byte:
        throw Error(ErrorKind::internal, "code for cards looks through words");  // see Scan::one_by_one
      case Code::give_up:
        return line("bra {};", ends_.give_up);
      case Code::give_up_unless:
        return give_up_unless(in);
      case Code::copy:
        successor_ = true;
        for (std::uint32_t u = 0; u < 2 * dense_.words(); ++u)
          line("mov.b32 {}, {};", unit(u, true), unit(u, false));
        return;
      case Code::patch:
        for (const Patch& patch : function_->patches[in.number])
          put(dense_.place(dense_.slot_at(patch.field)), patch.value);
        return;
      case Code::store:
        return put(place_of(in.a), in.b);
      case Code::store_item:
        return store_item(in);
      case Code::emit:
        return emit(in.number);
      case Code::done:
        if (!ends_.value.empty()) line("mov.b64 {}, {};", ends_.value, wide_operand(in.a));
        return line("bra {};", ends_.done);
    }
  }

  /// A predicate that is true where the comparison is.
  std::string compare(Op op, const Operand& a, const Operand& b) {
    const auto p = predicate();
    if (is_narrow(a) && is_narrow(b)) {
      const auto left = in_narrow_register(a);
      line("setp.{}.s32 {}, {}, {};", comparison(op), p, left, narrow_operand(b));
    } else {
      const auto left = wide_operand(a);
      line("setp.{}.s64 {}, {}, {};", comparison(op), p, left, wide_operand(b));
    }
    return p;
  }

  void set(const Instruction& in, const std::string& truth) {
    line("selp.b64 {}, 1, 0, {};", target(in), truth);
  }

  void unary(const Instruction& in) {
    if (in.op == Op::logic_not) return set(in, compare(Op::eq, in.a, Operand::constant(0)));
    const auto a = wide_operand(in.a);
    switch (in.op) {
      case Op::negate:
        return line("neg.s64 {}, {};", target(in), a);
      case Op::bit_not:
        return line("not.b64 {}, {};", target(in), a);
      case Op::wrap_byte:
        return line("and.b64 {}, {}, 255;", target(in), a);
      default:  // wrap_int16
        line("shl.b64 {}, {}, 48;", target(in), a);
        line("shr.s64 {}, {}, 48;", target(in), target(in));
    }
  }

  void binary(const Instruction& in) {
    if (is_comparison(in.op)) return set(in, compare(in.op, in.a, in.b));
    if (in.op == Op::div || in.op == Op::mod) return divide(in);
    const auto a = wide_operand(in.a);
    if (in.op == Op::shift_left || in.op == Op::shift_right) {
      const char* const shift = in.op == Op::shift_left ? "shl.b64" : "shr.s64";
      return line("{} {}, {}, {};", shift, target(in), a, narrow_operand(in.b));
    }
    const auto b = wide_operand(in.b);
    line("{} {}, {}, {};", instruction(in.op), target(in), a, b);
  }

  static std::string_view instruction(Op op) {
    switch (op) {
      case Op::add:
        return "add.s64";
      case Op::sub:
        return "sub.s64";
      case Op::mul:
        return "mul.lo.s64";
      case Op::bit_and:
        return "and.b64";
      case Op::bit_or:
        return "or.b64";
      default:
        return "xor.b64";
    }
  }

  /// The divisor is not 0.
  void divide(const Instruction& in) {
    const bool rest = in.op == Op::mod;
    if (in.small) {
      const auto a = in_narrow_register(in.a), b = in_narrow_register(in.b), result = narrow();
      line("{}.u32 {}, {}, {};", rest ? "rem" : "div", result, a, b);
      return line("cvt.u64.u32 {}, {};", target(in), result);
    }
    // The quotient of the smallest number and -1 does not fit: nothing is divided by -1.
    const auto a = wide_operand(in.a), b = wide_operand(in.b);
    const auto p = predicate(), safe = wide(), quotient = wide(), negated = wide();
    line("setp.eq.s64 {}, {}, -1;", p, b);
    line("selp.b64 {}, 1, {}, {};", safe, b, p);
    line("div.s64 {}, {}, {};", quotient, a, safe);
    line("neg.s64 {}, {};", negated, a);
    line("selp.b64 {}, {}, {}, {};", quotient, negated, quotient, p);
    if (!rest) return line("mov.b64 {}, {};", target(in), quotient);
    const auto product = wide();
    line("mul.lo.s64 {}, {}, {};", product, quotient, b);
    line("sub.s64 {}, {}, {};", target(in), a, product);
  }

  void give_up_unless(const Instruction& in) {
    const auto outside = [&](Op op, std::int64_t bound) {
      line("@{} bra {};", compare(op, in.a, Operand::constant(bound)), ends_.give_up);
    };
    if (in.low != std::numeric_limits<std::int64_t>::min()) outside(Op::lt, in.low);
    if (in.high != std::numeric_limits<std::int64_t>::max()) outside(Op::gt, in.high);
  }

  void table(const Instruction& in) {
    if (std::ranges::find(tables_, in.number) == tables_.end()) tables_.push_back(in.number);
    const auto address = wide(), index = wide_operand(in.b);
    line("mov.u64 {}, tideline_table_{};", address, in.number);
    const auto item = wide();
    line("shl.b64 {}, {}, 3;", item, index);
    line("add.s64 {}, {}, {};", address, address, item);
    line("ld.global.s64 {}, [{}];", target(in), address);
  }

  // --- finding actions

  void dispatch(const std::string& number, const std::vector<std::string>& targets, std::size_t low,
                std::size_t high, const std::string& otherwise) {
    const auto same = std::find_if(targets.begin() + static_cast<std::ptrdiff_t>(low),
                                   targets.begin() + static_cast<std::ptrdiff_t>(high),
                                   [&](const std::string& t) { return t != targets[low]; });
    if (same == targets.begin() + static_cast<std::ptrdiff_t>(high))
      return line("bra {};", targets[low].empty() ? otherwise : targets[low]);
    const std::size_t middle = (low + high) / 2;
    const auto p = predicate(), upper = new_label();
    line("setp.ge.u32 {}, {}, {};", p, number, middle);
    line("@{} bra {};", p, upper);
    dispatch(number, targets, low, middle, otherwise);
    line("{}:", upper);
    dispatch(number, targets, middle, high, otherwise);
  }

  std::vector<std::string> targets(std::uint32_t number) const {
    std::vector<std::string> result;
    for (const Label l : function_->labels[number])
      result.push_back(l == no_label ? std::string{} : label(l));
    return result;
  }

  void choose(const Instruction& in) {
    dispatch(in_narrow_register(in.a), targets(in.number), label(in.label));
  }

  // --- successors

  void emit(ActionId action) {
    const auto at = narrow();
    const auto p = predicate();
    line("atom.shared.add.u32 {}, [{}], 1;", at, ends_.queue);
    line("setp.ge.u32 {}, {}, {};", p, at, ends_.capacity);
    line("@{} bra {};", p, ends_.missed);
    line("shl.b32 {}, {}, 3;", at, at);
    line("add.u32 {}, {}, {};", at, at, ends_.queue);
    for (std::uint32_t w = 0; w < dense_.words(); ++w)
      line("st.shared.v2.b32 [{}+{}], {{{}, {}}};", at, 16 + 8 * w * ends_.capacity, unit(2 * w, true),
           unit(2 * w + 1, true));
    line("add.u32 {}, {}, 1;", ends_.emitted, ends_.emitted);
    if (!ends_.flags) return;
    const auto flag = narrow();
    line("mov.b32 {}, 1;", flag);
    line("st.shared.u8 [tideline_shared+{}], {};", action, flag);
  }

  const System& system_;
  const DenseLayout& dense_;
  std::vector<std::uint32_t>& tables_;
  std::string units_;
  std::string code_;
  const Function* function_ = nullptr;
  Ends ends_;
  bool successor_ = false;
  std::uint32_t labels_ = 0, label_base_ = 0;
  std::uint32_t predicates_ = 0, narrow_ = 0, wide_ = 0, form_registers_ = 0;
};

}  // namespace

std::vector<CodePart> cut_into_parts(const Function& function, std::uint32_t emits) {
  std::vector<CodePart> parts;
  for (std::size_t i = 0; i + 1 < function.cuts.size(); ++i) {
    const auto& here = function.cuts[i];
    const auto& next = function.cuts[i + 1];
    const auto more = static_cast<std::uint32_t>(next.emits - here.emits);
    if (!parts.empty() && parts.back().emits + more <= emits) {
      parts.back().end = next.instruction;
      parts.back().emits += more;
    } else {
      parts.push_back({here.instruction, next.instruction, more});
    }
  }
  return parts;
}

std::string PtxWriter::steps(const Function& function, const std::vector<CodePart>& parts, const Queue& queue,
                             const std::string& emitted, const std::string& gave_up,
                             const std::string& missed, const std::string& part,
                             const std::string& queue_address) {
  Piece piece(system_, dense_, used_tables_, "%s");
  const auto end = piece.new_label(), give_up = piece.new_label(), miss = piece.new_label();
  for (const std::string* result : {&emitted, &gave_up, &missed}) piece.line("mov.b32 {}, 0;", *result);
  piece.begin_function(function, {.done = end,
                                  .give_up = give_up,
                                  .missed = miss,
                                  .emitted = emitted,
                                  .queue = queue_address,
                                  .capacity = queue.capacity,
                                  .flags = queue.flags});
  std::vector<std::string> begins;
  for (std::size_t i = 0; i < parts.size(); ++i) begins.push_back(piece.new_label());
  if (!parts.empty()) piece.dispatch(part, begins, end);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    piece.line("{}:", begins[i]);
    piece.translate(parts[i].first, parts[i].end);
    piece.line("bra {};", end);
  }
  piece.line("{}:", give_up);
  piece.line("mov.b32 {}, 1;", gave_up);
  piece.line("bra {};", end);
  piece.line("{}:", miss);
  piece.line("mov.b32 {}, 1;", missed);
  piece.line("{}:", end);
  return piece.finish();
}

std::string PtxWriter::facts(const std::vector<Fact>& facts, const std::string& units,
                             const std::string& tells, const std::string& known_address) {
  Piece piece(system_, dense_, used_tables_, units);
  piece.line("mov.b32 {}, 0;", tells);
  for (const Fact& fact : facts) {
    const auto done = piece.new_label(), give_up = piece.new_label(), past = piece.new_label();
    const auto value = piece.wide();
    piece.begin_function(fact.value, {.done = done, .give_up = give_up, .value = value});
    piece.translate(0, fact.value.code.size());
    piece.line("{}:", give_up);
    piece.line("mov.b32 {}, 1;", tells);
    piece.line("bra {};", past);
    piece.line("{}:", done);
    const auto is_true = piece.predicate();
    piece.line("setp.ne.s64 {}, {}, 0;", is_true, value);
    for (const bool truth : {true, false}) {
      const std::int32_t number = truth ? fact.if_true : fact.if_false;
      if (number < 0) continue;
      const auto skip = piece.new_label();
      const auto known = piece.narrow(), old = piece.narrow();
      const auto is_known = piece.predicate();
      piece.line("@{}{} bra {};", truth ? "!" : "", is_true, skip);
      piece.line("ld.relaxed.gpu.global.u32 {}, [{}+{}];", known, known_address, 4 * number);
      piece.line("setp.ne.u32 {}, {}, 0;", is_known, known);
      piece.line("@{} bra {};", is_known, skip);
      piece.line("atom.global.exch.b32 {}, [{}+{}], 1;", old, known_address, 4 * number);
      piece.line("setp.ne.u32 {}, {}, 0;", is_known, old);
      piece.line("@{} bra {};", is_known, skip);
      piece.line("mov.b32 {}, 1;", tells);
      piece.line("{}:", skip);
    }
    piece.line("{}:", past);
  }
  return piece.finish();
}

std::string PtxWriter::progress(const std::vector<RankCode>& parts, const std::string& units,
                                const std::string& value) {
  Piece piece(system_, dense_, used_tables_, units);
  const auto sum = piece.wide(), weight = piece.wide();
  piece.line("mov.b64 {}, 0;", sum);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const RankCode& part = parts[i];
    if (part.shift != 0) piece.line("shl.b64 {}, {}, {};", sum, sum, part.shift);
    if (!part.digits.empty()) rank_tables_[i] = part.ranks;
    const auto rank = part.digits.empty() ? piece.value_rank(part) : piece.look_up_rank(part, i);
    piece.line("mov.b64 {}, {};", weight, static_cast<std::int64_t>(part.weight));
    piece.line("mul.lo.s64 {}, {}, {};", rank, rank, weight);
    piece.line("add.s64 {}, {}, {};", sum, sum, rank);
  }
  piece.line("mov.b64 {}, {};", value, sum);
  return piece.finish();
}

std::string PtxWriter::tables() const {
  std::string text;
  const auto add = [&](const std::string& name, const auto& items) {
    text +=
        fmt::format(".global .align 8 .s64 {}[{}] = {{{}}};\n", name, items.size(), fmt::join(items, ", "));
  };
  for (const std::uint32_t number : used_tables_)
    add(fmt::format("tideline_table_{}", number), system_.tables[number]);
  for (const auto& [part, ranks] : rank_tables_) add(fmt::format("tideline_ranks_{}", part), ranks);
  return text;
}

}  // namespace tideline::gpu
