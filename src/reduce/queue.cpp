#include "reduce/queue.hpp"

#include <algorithm>
#include <map>

namespace tideline::por {

namespace {

class QueueReader {
 public:
  QueueReader(const Queue& queue) : queue_(queue) {}

  bool owns(SlotId slot) const {
    return slot == queue_.length || std::ranges::any_of(queue_.rows, [&](SlotId row) {
             return row <= slot && slot < row + queue_.capacity;
           });
  }
  bool is_oldest(SlotId slot) const { return std::ranges::find(queue_.rows, slot) != queue_.rows.end(); }
  bool reads(const Expr& expr) const {
    return reads(expr, [&](SlotId slot) { return owns(slot); });
  }
  /// Whether it reads the length, or entries that are not the oldest one.
  bool reads_beyond_oldest(const Expr& expr) const {
    return reads(expr, [&](SlotId slot) { return owns(slot) && !is_oldest(slot); });
  }
  bool touches(const Assignment& effect) const {
    return owns(effect.slot) || reads(effect.value) || (effect.index && reads(*effect.index));
  }
  bool is_length(const Expr& expr) const { return expr.op == Op::load && expr.slot == queue_.length; }
  /// length = length + amount
  bool changes_length(const Assignment& effect, Op op) const {
    return effect.slot == queue_.length && !effect.index && effect.value.op == op &&
           is_length(effect.value.args[0]) && effect.value.args[1].is_constant(1);
  }
  /// row[length] = value
  bool appends(const Assignment& effect) const {
    return effect.index && is_oldest(effect.slot) && effect.length == queue_.capacity &&
           is_length(*effect.index) && !reads(effect.value);
  }
  /// x = row[0], or what can be computed from it
  bool takes_oldest(const Assignment& effect) const {
    return !owns(effect.slot) && (!effect.index || !reads(*effect.index)) &&
           !reads_beyond_oldest(effect.value);
  }

  /// row[0] = row[1]; ... row[last] = 0; from `at` on, for one row after another.
  template <class Effects>
  bool shifts(const Effects& effects, std::size_t& at) const {
    for (const SlotId row : queue_.rows)
      for (SlotId slot = row; slot < row + queue_.capacity; ++slot, ++at) {
        if (at == effects.size()) return false;
        const Assignment& effect = *effects[at];
        const Expr& value = effect.value;
        const bool is_last = slot + 1 == row + queue_.capacity;
        if (effect.slot != slot || effect.index) return false;
        if (is_last ? !value.is_constant() : value.op != Op::load || value.before || value.slot != slot + 1)
          return false;
      }
    return true;
  }

 private:
  template <class IsMeant>
  static bool reads(const Expr& expr, const IsMeant& is_meant) {
    std::vector<SlotId> slots;
    collect_reads(expr, slots);
    return std::ranges::any_of(slots, is_meant);
  }

  const Queue& queue_;
};

bool is_send(const QueueReader& reader, const Queue& queue, const std::vector<const Assignment*>& effects) {
  const std::size_t rows = queue.rows.size();
  return effects.size() == rows + 1 && reader.changes_length(*effects.back(), Op::add) &&
         std::ranges::all_of(effects.begin(), effects.end() - 1,
                             [&](const Assignment* effect) { return reader.appends(*effect); });
}

bool is_receive(const QueueReader& reader, const std::vector<const Assignment*>& effects) {
  std::size_t at = 0;
  while (at < effects.size() && reader.takes_oldest(*effects[at])) ++at;
  return reader.shifts(effects, at) && at + 1 == effects.size() &&
         reader.changes_length(*effects[at], Op::sub);
}

QueueUse use_by_effects(const Queue& queue, const QueueReader& reader, const Action& action) {
  std::vector<const Assignment*> effects;
  for (const Assignment& effect : action.effects)
    if (reader.touches(effect)) effects.push_back(&effect);
  if (is_send(reader, queue, effects)) return QueueUse::send;
  if (is_receive(reader, effects)) return QueueUse::receive;
  return QueueUse::other;
}

}  // namespace

std::vector<Queue> queues_of(const System& system) {
  std::map<SlotId, Queue> queues;  // by length
  for (const Action& action : system.actions)
    for (const Assignment& effect : action.effects) {
      if (!effect.index || effect.index->op != Op::load) continue;
      const SlotId length = effect.index->slot;
      Queue& queue = queues.try_emplace(length, Queue{length, {}, effect.length}).first->second;
      if (queue.capacity == effect.length && std::ranges::find(queue.rows, effect.slot) == queue.rows.end())
        queue.rows.push_back(effect.slot);
    }
  std::vector<Queue> found;
  for (auto& [length, queue] : queues) {
    std::ranges::sort(queue.rows);
    const bool is_sent_to = std::ranges::any_of(system.actions, [&, &queue = queue](const Action& action) {
      return use_by_effects(queue, QueueReader(queue), action) == QueueUse::send;
    });
    if (is_sent_to) found.push_back(std::move(queue));
  }
  return found;
}

QueueUse queue_use(const Queue& queue, const Action& action, const std::vector<Condition>& conditions) {
  const QueueReader reader(queue);
  const QueueUse use = use_by_effects(queue, reader, action);
  for (const Condition& condition : conditions) {
    if (condition.is_about_slot() && condition.subject.slot == queue.length) continue;
    if (use == QueueUse::receive ? reader.reads_beyond_oldest(condition.guard)
                                 : reader.reads(condition.guard))
      return QueueUse::other;
  }
  return use;
}

bool belongs_to(const Queue& queue, SlotId slot) {
  return QueueReader(queue).owns(slot);
}

bool belongs_to_oldest(const Queue& queue, SlotId slot) {
  return QueueReader(queue).is_oldest(slot);
}

}  // namespace tideline::por
