#include "reduce/write.hpp"

#include <algorithm>
#include <optional>

#include "model/each_once.hpp"

namespace tideline::por {

namespace {

/// The amount that is added when the value is the slot plus or minus a (sensible) constant.
std::optional<std::int64_t> added(const Expr& value, SlotId slot) {
  constexpr std::int64_t most = std::int64_t{1} << 32;
  if ((value.op != Op::add && value.op != Op::sub) || value.args.size() != 2) return std::nullopt;
  const auto is_slot = [&](const Expr& e) { return e.op == Op::load && e.slot == slot; };
  const Expr& left = value.args[0];
  const Expr& right = value.args[1];
  std::int64_t amount = 0;
  if (is_slot(left) && right.is_constant())
    amount = right.value;
  else if (value.op == Op::add && is_slot(right) && left.is_constant())
    amount = left.value;
  else
    return std::nullopt;
  if (amount < -most || amount > most) return std::nullopt;
  return value.op == Op::add ? amount : -amount;
}

}  // namespace

std::vector<Write> writes_of(const Action& action) {
  std::vector<SlotId> written;
  for (const Assignment& effect : action.effects)
    for (SlotId s = effect.slot; s < effect.slot + (effect.index ? effect.length : 1); ++s)
      written.push_back(s);
  std::vector<Write> writes;
  for (const Assignment& effect : action.effects) {
    if (effect.index) {
      for (SlotId s = effect.slot; s < effect.slot + effect.length; ++s) writes.push_back({s});
    } else if (std::ranges::count(written, effect.slot) > 1) {
      writes.push_back({effect.slot});
    } else if (const auto amount = added(effect.value, effect.slot)) {
      writes.push_back({effect.slot, Write::Kind::addition, *amount});
    } else if (effect.value.is_constant()) {
      writes.push_back({effect.slot, Write::Kind::constant, effect.value.value});
    } else {
      writes.push_back({effect.slot});
    }
  }
  keep_each_once(writes, &Write::slot);
  return writes;
}

}  // namespace tideline::por
