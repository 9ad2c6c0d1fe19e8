// Queues: which slots of a system are used first in, first out, which actions send, which receive.
//
// A send and a receive on one queue that is neither empty nor full give the same in either order: they work at
// its two ends. Slot by slot that cannot be seen, since receiving moves all entries. Queues are recognised by
// what actions do, so those that an author has written as an array and a counter are found as well as channels
// of the language:
//
//   send      row[length] = ...; length = length + 1
//   receive   ... = row[0]; row[0] = row[1]; ...; row[last] = constant; length = length - 1
#pragma once

#include <vector>

#include "reduce/condition.hpp"

namespace tideline::por {

struct Queue {
  SlotId length = 0;              ///< how many entries are used
  std::vector<SlotId> rows = {};  ///< the first slot of each field of the entries
  std::uint32_t capacity = 0;
};

std::vector<Queue> queues_of(const System& system);

enum class QueueUse : std::uint8_t {
  other,    ///< none, or something else
  send,     ///< adds an entry, and reads nothing of the queue but its length
  receive,  ///< takes the oldest entry, and reads nothing but this entry and the length
};

QueueUse queue_use(const Queue& queue, const Action& action, const std::vector<Condition>& conditions);

/// Whether the slot is the queue's length or part of an entry.
bool belongs_to(const Queue& queue, SlotId slot);
/// Whether the slot is part of the oldest entry, which stays while others are added.
bool belongs_to_oldest(const Queue& queue, SlotId slot);

}  // namespace tideline::por
