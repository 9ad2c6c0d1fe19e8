#include "exec/native/lowering.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "model/interval.hpp"

namespace tideline::native {

namespace {

bool is_comparison(Op op) {
  return op >= Op::eq && op <= Op::ge;
}

/// The comparison that is true where this one is false.
Op opposite(Op op) {
  switch (op) {
    case Op::eq:
      return Op::ne;
    case Op::ne:
      return Op::eq;
    case Op::lt:
      return Op::ge;
    case Op::le:
      return Op::gt;
    case Op::gt:
      return Op::le;
    default:
      return Op::lt;
  }
}

class Lowering {
 public:
  Lowering(const System& system, const Layout& layout)
      : system_(system), layout_(layout), ranges_(slot_ranges(system)), written_(system.slots.size()) {}

  // --- functions

  std::optional<Function> steps(const Filing& filing, const std::stop_token& stop, Scan how) {
    stop_ = stop;
    for (const Filing::Entry& e : filing.free) {
      cut();
      entry(e);
    }
    if (how == Scan::by_word) {
      scan(filing.by_bit, 64, Code::next_bit);
      scan(filing.by_byte, 8, Code::next_byte);
    } else {
      test_each(filing.by_bit, Width::bit);
      test_each(filing.by_byte, Width::u8);
    }
    for (const Filing::Directory& directory : filing.directories) {
      if (stop_.stop_requested()) return std::nullopt;
      cut();
      choose(
          directory.component, directory.by_location.size(),
          [&](LocationId l) {
            return directory.by_location[l].empty() ? nullptr : &directory.by_location[l];
          },
          [&](const Filing::Entries& entries) {
            for (const Filing::Entry& e : entries) entry(e);
          });
    }
    if (stop_.stop_requested()) return std::nullopt;
    cut();
    add({.code = Code::done});
    return std::move(function_);
  }

  Function value_of(const Expr& expr) {
    const Operand result = value(expr);
    add({.code = Code::done, .a = result});
    return std::move(function_);
  }

 private:
  // --- instructions, labels, registers

  void add(Instruction instruction) { function_.code.push_back(instruction); }
  Label new_label() { return function_.label_count++; }
  void place(Label label) { add({.code = Code::label, .label = label}); }
  void jump(Label label) { add({.code = Code::jump, .label = label}); }
  void cut() { function_.cuts.push_back({function_.code.size(), function_.emit_count}); }

  Register take_register() {
    Register reg = 0;
    while (reg < in_use_.size() && in_use_[reg]) ++reg;
    if (reg == in_use_.size()) in_use_.push_back(false);
    in_use_[reg] = true;
    function_.register_count = std::max(function_.register_count, reg + 1);
    return reg;
  }
  void release(const Operand& operand) {
    if (operand.is_register() && !is_pinned(operand.reg)) in_use_[operand.reg] = false;
  }
  bool is_pinned(Register reg) const { return std::ranges::find(pinned_, reg) != pinned_.end(); }

  Operand field_of(SlotId slot, bool before) const {
    if (const auto held = held_.find(slot); held != held_.end() && !before) return held->second;
    return {before || !written_[slot] ? Operand::Kind::before : Operand::Kind::now, 0, 0,
            layout_.field(slot)};
  }
  /// The array is as it was before the effects so far.
  bool untouched(SlotId first, std::uint32_t length) const {
    return std::none_of(written_.begin() + first, written_.begin() + first + length,
                        [](bool w) { return w; });
  }

  Interval interval(const Expr& expr) const { return interval_of(expr, system_, {ranges_, ranges_}); }

  void check(const Operand& value, const Interval& known, std::int64_t low, std::int64_t high) {
    if (known.low >= low && known.high <= high) return;
    if (known.low > high || known.high < low) return add({.code = Code::give_up});
    add({.code = Code::give_up_unless, .a = value, .low = low, .high = high});
  }

  // --- expressions

  /// Where its value is. The caller releases it.
  Operand value(const Expr& expr) {
    switch (expr.op) {
      case Op::constant:
        return Operand::constant(expr.value);
      case Op::load:
        return field_of(expr.slot, expr.before);
      case Op::fail:
        return failed();
      case Op::load_array:
      case Op::table:
        return item(expr);
      case Op::logic_and:
      case Op::logic_or:
      case Op::imply:
        return truth_value(expr);
      default:
        break;
    }
    const Operand a = value(expr.args[0]);
    if (expr.args.size() == 1) return unary(expr, a);
    const Operand b = value(expr.args[1]);
    return binary(expr, a, b);
  }

  // Expressions nest deeply. So what recurses keeps its frame small: what needs many locals is done by functions that do not
  // recurse and are not inlined.

  [[gnu::noinline]] Operand failed() {
    add({.code = Code::give_up});
    return Operand::constant(0);
  }

  [[gnu::noinline]] Operand unary(const Expr& expr, const Operand& a) {
    release(a);
    const Register target = take_register();
    add({.code = Code::unary, .op = expr.op, .target = target, .a = a});
    return Operand::in(target);
  }

  [[gnu::noinline]] Operand binary(const Expr& expr, const Operand& a, const Operand& b) {
    bool small = false;
    if (expr.op == Op::div || expr.op == Op::mod) {
      const Interval dividend = interval(expr.args[0]), divisor = interval(expr.args[1]);
      constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
      small = dividend.low >= 0 && dividend.high <= most && divisor.low >= 0 && divisor.high <= most;
      if (divisor.contains(0)) {
        const Label fine = new_label();
        add({.code = Code::branch, .op = Op::ne, .a = b, .b = Operand::constant(0), .label = fine});
        add({.code = Code::give_up});
        place(fine);
      }
    } else if (expr.op == Op::shift_left || expr.op == Op::shift_right) {
      check(b, interval(expr.args[1]), 0, 63);
    }
    release(a);
    release(b);
    const Register target = take_register();
    add({.code = Code::binary, .op = expr.op, .small = small, .target = target, .a = a, .b = b});
    return Operand::in(target);
  }

  Operand item(const Expr& expr) {
    const Operand index = value(expr.args[0]);
    return load_item(expr, index);
  }

  [[gnu::noinline]] Operand load_item(const Expr& expr, const Operand& index) {
    const bool is_table = expr.op == Op::table;
    const std::size_t length = is_table ? system_.tables[expr.slot].size() : expr.length;
    if (length == 0) {
      add({.code = Code::give_up});
      return index;
    }
    check(index, interval(expr.args[0]), 0, static_cast<std::int64_t>(length) - 1);
    release(index);
    const Register target = take_register();
    if (is_table) {
      add({.code = Code::table, .target = target, .b = index, .number = expr.slot});
    } else {
      Operand array = field_of(expr.slot, expr.before);
      array.kind =
          expr.before || untouched(expr.slot, expr.length) ? Operand::Kind::before : Operand::Kind::now;
      add({.code = Code::load_item, .target = target, .a = array, .b = index});
    }
    return Operand::in(target);
  }

  Operand truth_value(const Expr& expr) {
    const Label is_false = new_label(), end = new_label();
    branch(expr, false, is_false);
    return one_or_zero(is_false, end);
  }

  [[gnu::noinline]] Operand one_or_zero(Label is_false, Label end) {
    const Register target = take_register();
    add({.code = Code::move, .target = target, .a = Operand::constant(1)});
    jump(end);
    place(is_false);
    add({.code = Code::move, .target = target, .a = Operand::constant(0)});
    place(end);
    return Operand::in(target);
  }

  /// Goes to the label if the truth of the expression is `when`.
  void branch(const Expr& expr, bool when, Label label) {
    switch (expr.op) {
      case Op::constant:
        if ((expr.value != 0) == when) jump(label);
        return;
      case Op::logic_not:
        return branch(expr.args[0], !when, label);
      case Op::logic_and:
        return branch_either(expr.args[0], false, expr.args[1], false, !when, label);
      case Op::logic_or:
        return branch_either(expr.args[0], true, expr.args[1], true, when, label);
      case Op::imply:
        return branch_either(expr.args[0], false, expr.args[1], true, when, label);
      default:
        break;
    }
    if (is_comparison(expr.op)) {
      const Operand a = value(expr.args[0]);
      const Operand b = value(expr.args[1]);
      return branch_on(when ? expr.op : opposite(expr.op), a, b, label);
    }
    branch_on(when ? Op::ne : Op::eq, value(expr), Operand::constant(0), label);
  }

  [[gnu::noinline]] void branch_on(Op comparison, const Operand& a, const Operand& b, Label label) {
    release(a);
    release(b);
    add({.code = Code::branch, .op = comparison, .a = a, .b = b, .label = label});
  }

  /// Goes to the label if it is `wanted` that the first expression has one truth or the second another. The
  /// second is evaluated only if it matters.
  void branch_either(const Expr& first, bool first_truth, const Expr& second, bool second_truth, bool wanted,
                     Label label) {
    if (wanted) {
      branch(first, first_truth, label);
      branch(second, second_truth, label);
      return;
    }
    const Label past = new_label();
    branch(first, first_truth, past);
    branch(second, !second_truth, label);
    place(past);
  }

  // --- effects

  /// The word of 8 bytes that a field lies in; nothing if it crosses two.
  static std::optional<std::uint32_t> word_of(Field field) {
    const std::uint32_t bits = field.width == Width::bit ? 1 : 8 * static_cast<std::uint32_t>(field.width);
    const std::uint32_t first = field.width == Width::bit ? field.offset : 8 * field.offset;
    if (first / 64 != (first + bits - 1) / 64) return std::nullopt;
    return first / 64;
  }

  /// Whether it is known which fields the effects change, and none of these is read by a computed index.
  bool is_patch(const std::vector<Assignment>& effects) const {
    std::vector<SlotId> changed;
    const auto reads_changed = [&](const auto& self, const Expr& expr) -> bool {
      const auto within = [&](SlotId slot) { return slot >= expr.slot && slot < expr.slot + expr.length; };
      if (expr.op == Op::load_array && !expr.before && std::ranges::any_of(changed, within)) return true;
      return std::ranges::any_of(expr.args, [&](const Expr& arg) { return self(self, arg); });
    };
    for (const Assignment& assignment : effects) {
      if (assignment.index || !word_of(layout_.field(assignment.slot)) ||
          reads_changed(reads_changed, assignment.value))
        return false;
      changed.push_back(assignment.slot);
    }
    return true;
  }

  /// Holds all values until the end, and writes them together.
  void patch(const std::vector<Assignment>& effects) {
    for (const Assignment& assignment : effects) {
      const Range range = system_.slots[assignment.slot].range;
      const Operand written = value(assignment.value);
      check(written, interval(assignment.value), range.low, range.high);
      if (written.is_register() && !is_pinned(written.reg)) pinned_.push_back(written.reg);
      held_[assignment.slot] = written;
    }
    std::vector<Patch> patches;
    for (const auto& [slot, written] : held_) patches.push_back({layout_.field(slot), written});
    std::ranges::sort(patches, {}, [](const Patch& patch) { return word_of(patch.field); });
    function_.patches.push_back(std::move(patches));
    add({.code = Code::patch, .number = static_cast<std::uint32_t>(function_.patches.size() - 1)});
    held_.clear();
    for (const Register reg : std::exchange(pinned_, {})) in_use_[reg] = false;
  }

  void assign(const Assignment& assignment) {
    const Range range = system_.slots[assignment.slot].range;
    const Operand written = value(assignment.value);
    const auto check_range = [&] { check(written, interval(assignment.value), range.low, range.high); };
    const Operand field{Operand::Kind::now, 0, 0, layout_.field(assignment.slot)};
    if (!assignment.index) {
      check_range();
      add({.code = Code::store, .a = field, .b = written});
      written_[assignment.slot] = true;
      release(written);
      return;
    }
    const Operand index = value(*assignment.index);
    check(index, interval(*assignment.index), 0, std::int64_t{assignment.length} - 1);
    check_range();
    add({.code = Code::store_item, .a = field, .b = written, .index = index});
    std::fill_n(written_.begin() + assignment.slot, assignment.length, true);
    release(index);
    release(written);
  }

  // --- finding actions

  void entry(const Filing::Entry& entry) {
    const Label past = new_label();
    branch(entry.guard, false, past);
    candidates(entry.alone);
    for (const Filing::Partner& partner : entry.partners)
      choose(
          partner.component, location_values(system_, partner.component),
          [&](LocationId l) {
            const auto found = partner.by_location.find(l);
            return found == partner.by_location.end() ? nullptr : &found->second;
          },
          [&](const Filing::Candidates& here) { candidates(here); });
    place(past);
  }

  void candidates(const Filing::Candidates& all) {
    for (const Filing::Candidate& candidate : all) {
      const Label past = new_label();
      for (const RangeTest& test : candidate.tests) range_test(test, past);
      branch(candidate.locations, false, past);
      for (const Expr& guard : candidate.checks) branch(guard, false, past);
      found(candidate.action);
      place(past);
    }
  }

  void range_test(const RangeTest& test, Label past) {
    const Range range = system_.slots[test.slot].range;
    const Operand field = field_of(test.slot, true);
    const auto unless = [&](Op op, std::int64_t bound) {
      add({.code = Code::branch, .op = op, .a = field, .b = Operand::constant(bound), .label = past});
    };
    if (test.low == test.high) return unless(Op::ne, test.low);
    if (test.low > range.low) unless(Op::lt, test.low);
    if (test.high < range.high) unless(Op::gt, test.high);
  }

  void found(ActionId action) {
    ++function_.emit_count;
    const std::vector<Assignment>& effects = system_.actions[action].effects;
    add({.code = Code::copy});
    if (is_patch(effects)) {
      patch(effects);
    } else {
      for (const Assignment& assignment : effects) assign(assignment);
      std::fill(written_.begin(), written_.end(), false);
    }
    add({.code = Code::emit, .number = action});
  }

  /// Code for what there is at the current location of a component; at(location) is null where there is
  /// nothing.
  template <class At, class Body>
  void choose(ComponentId component, std::size_t values, const At& at, const Body& body) {
    const Operand location = field_of(system_.components[component].location_slot, true);
    std::size_t used = 0;
    for (LocationId l = 0; l < values; ++l) used += at(l) != nullptr;
    if (used == 0) return;
    // Only one of them is at hand in a state.
    const std::size_t emitted_before = function_.emit_count;
    std::size_t most = emitted_before;
    const auto at_one = [&](LocationId l) {
      function_.emit_count = emitted_before;
      body(*at(l));
      most = std::max(most, function_.emit_count);
    };
    choose_one(location, values, used, at, at_one);
    function_.emit_count = most;
  }

  template <class At, class Body>
  void choose_one(const Operand& location, std::size_t values, std::size_t used, const At& at,
                  const Body& body) {
    std::vector<Label> labels(values, no_label);
    const Label end = new_label();
    if (used <= few_locations) {
      for (LocationId l = 0; l < values; ++l) {
        if (at(l) == nullptr) continue;
        const Label next = new_label();
        add({.code = Code::branch, .op = Op::ne, .a = location, .b = Operand::constant(l), .label = next});
        body(l);
        if (--used != 0) jump(end);
        place(next);
      }
      return place(end);
    }
    for (LocationId l = 0; l < values; ++l)
      if (at(l) != nullptr) labels[l] = new_label();
    add({.code = Code::choose, .a = location, .label = end, .number = keep(labels)});
    for (LocationId l = 0; l < values; ++l) {
      if (at(l) == nullptr) continue;
      place(labels[l]);
      body(l);
      jump(end);
    }
    place(end);
  }

  std::uint32_t keep(std::vector<Label> labels) {
    function_.labels.push_back(std::move(labels));
    return static_cast<std::uint32_t>(function_.labels.size() - 1);
  }

  /// Code that looks for set bits, or bytes that are not 0, under which candidates are filed; `size` of them
  /// make a word.
  void scan(const std::map<std::uint32_t, Filing::Candidates>& filed, std::uint32_t size, Code next) {
    for (auto at = filed.begin(); at != filed.end();) {
      if (stop_.stop_requested()) return;
      cut();
      const std::uint32_t first = at->first / size * size;
      const std::uint32_t first_byte = size == 64 ? first / 8 : first;
      std::vector<Label> labels(size, no_label);
      std::uint64_t mask = 0;
      auto end = at;
      for (; end != filed.end() && end->first < first + size; ++end) {
        const std::uint32_t position = end->first - first;
        labels[position] = new_label();
        mask |= size == 64 ? std::uint64_t{1} << position : std::uint64_t{0xff} << (8 * position);
      }
      const Label head = new_label(), past = new_label();
      const Register word = take_register();
      add({.code = Code::word,
           .target = word,
           .b = Operand::constant(static_cast<std::int64_t>(mask)),
           .number = first_byte});
      place(head);
      const std::uint32_t number = keep(labels);
      add({.code = next, .target = word, .label = past, .number = number});
      for (; at != end; ++at) {
        place(labels[at->first - first]);
        candidates(at->second);
        jump(head);
      }
      place(past);
      release(Operand::in(word));
    }
  }

  /// The same, one after the other.
  void test_each(const std::map<std::uint32_t, Filing::Candidates>& filed, Width width) {
    for (const auto& [offset, here] : filed) {
      if (stop_.stop_requested()) return;
      cut();
      const Label past = new_label();
      const Operand field{Operand::Kind::before, 0, 0, {offset, width}};
      add({.code = Code::branch, .op = Op::eq, .a = field, .b = Operand::constant(0), .label = past});
      candidates(here);
      place(past);
    }
  }

  /// So many locations are compared one after the other.
  static constexpr std::size_t few_locations = 3;

  const System& system_;
  const Layout& layout_;
  std::vector<Interval> ranges_;
  std::vector<bool> written_;  ///< by slot: the effects so far have, or may have, changed it
  std::map<SlotId, Operand>
      held_;  ///< values of slots that the effects so far have changed, until they are patched
  std::vector<bool> in_use_;      ///< by register
  std::vector<Register> pinned_;  ///< those that hold such values
  Function function_;
  std::stop_token stop_;
};

}  // namespace

std::optional<Function> lower_steps(const System& system, const Layout& layout, const Filing& filing,
                                    const std::stop_token& stop, Scan scan) {
  return Lowering(system, layout).steps(filing, stop, scan);
}

Function lower_value(const System& system, const Layout& layout, const Expr& expr) {
  return Lowering(system, layout).value_of(expr);
}

}  // namespace tideline::native
