// Conditions: guards taken apart into what must be true one by one.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "model/system.hpp"

namespace tideline::por {

/// A part of a guard: where it is false, and has a value, no action that needs it is enabled.
///
/// It has a normal form, which shows what two conditions have to do with each other: the value of `subject`
/// is in low..high, or is outside. The subject of `x < 3` is x, that of `x != y` is `x == y`.
struct Condition {
  Expr guard;
  std::vector<SlotId> reads = {};  ///< sorted
  bool may_lack_value = false;

  Expr subject = {};
  std::int64_t low = 0, high = 0;
  bool is_outside = false;

  /// Whether the subject is a slot.
  bool is_about_slot() const { return subject.op == Op::load && !may_lack_value; }
};

/// Whether two conditions with the same subject are never true together.
bool exclude_each_other(const Condition& a, const Condition& b);

/// Takes guards apart at `and`. A part that may lack a value is kept together with those behind it: they do not
/// hide its error when they are false. may_lack_value(expr, conditions so far) decides.
using MayLackValue = std::function<bool(const Expr&, const std::vector<Condition>&)>;

std::vector<Condition> conditions_of(const Expr& guard, const MayLackValue& may_lack_value);
/// What the expression joins by and, or, not and implies, each once: as long as their truths stay, so does its.
std::vector<Condition> parts_of(const Expr& expr, const System& system);
/// All conditions of an action: locations of participants, their guards, its own.
std::vector<Condition> conditions_of(const Action& action, const System& system,
                                     const MayLackValue& may_lack_value);

}  // namespace tideline::por
