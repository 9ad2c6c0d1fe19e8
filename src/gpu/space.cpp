#include "gpu/space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "model/error.hpp"

namespace tideline::gpu {

static_assert(most_cards == tideline::most_cards);

Space::Space(const System& system, ErrorSemantics errors, Watches watches, const Options& options)
    : Workspace(system, errors, std::move(watches), options.measure, options.device, options.threads,
                options.own) {
  const std::uint64_t words = code_.dense().words();
  s_.depth_bound = options.depth;
  s_.shows_ends = options.shows_ends ? 1 : 0;
  s_.keeps_log = options.keeps_log;
  s_.band_last = ~std::uint64_t{0};
  s_.ahead_capacity = s_.behind_capacity = s_.margin;
  s_.slots = std::max(options.device.first_states, 2 * s_.margin) / 4 * 4 + 4;
  s_.most_states = static_cast<std::uint64_t>(static_cast<double>(s_.slots) * fullest);
  s_.log_capacity = s_.slots;
  table_ = need(s_.slots * words * sizeof(Word));
  log_ = need(s_.log_capacity * words * sizeof(Word));
  device_->clear(table_.as<void>(), table_.bytes());
  s_.table = table_.as<Word>();
  s_.log = log_.as<Word>();
  s_.waits_for_others = options.device.cards > 1 ? 1 : 0;
}

std::uint64_t Space::bytes() const {
  return Workspace::bytes() + table_.bytes() + log_.bytes();
}

void Space::require_room(std::uint64_t count) {
  while (s_.count + count > s_.most_states || s_.count + count - s_.kept_from > s_.log_capacity)
    if (!make_room(s_.count + count > s_.most_states ? Stop::table : Stop::log))
      throw LimitReached(fmt::format("the memory of the device ({}) is full", show_bytes(limit_)));
}

void Space::insert_from(const Word* source, std::uint64_t count) {
  const std::uint64_t cursor = s_.cursor;
  s_.source = source;
  s_.source_count = count;
  s_.cursor = 0;
  launch(Mode::insert);
  s_.cursor = cursor;
}

void Space::insert(const std::vector<std::vector<std::byte>>& states) {
  const std::uint64_t words = code_.dense().words();
  for (std::size_t first = 0; first < states.size();) {
    // What there is room for without looking.
    const std::size_t count = std::min<std::size_t>(states.size() - first, s_.margin);
    require_room(count);
    std::vector<Word> packed(count * words);
    for (std::size_t i = 0; i < count; ++i)
      code_.dense().pack(states[first + i].data(), packed.data() + i * words);
    const DeviceMemory source = need(packed.size() * sizeof(Word));
    device_->upload(source.as<void>(), packed.data(), packed.size() * sizeof(Word));
    insert_from(source.as<Word>(), count);
    first += count;
  }
}

void Space::receive(const Mail& mail) {
  require_room(mail.count);
  // The card's own list for itself is never used: there they come.
  Word* const here = s_.mail[s_.own];
  device_->copy_from(*mail.device, here, mail.states, mail.count * state_bytes());
  insert_from(here, mail.count);
}

void Space::next_level() {
  begin_next_level(s_);
  ++s_.levels;
  begin_level(s_.level_end - s_.level_begin);
}

void Space::begin() {
  s_.level_begin = s_.cursor = 0;
  s_.level_end = s_.count;
  s_.levels = 1;
  begin_level(s_.count);
}

void Space::begin_level(std::uint64_t size) {
  levels_.begins.push_back(levels_.begins.empty() ? 0 : levels_.begins.back() + levels_.sizes.back());
  levels_.sizes.push_back(size);
}

void Space::expand() {
  launch(Mode::expand);
  for (const std::uint64_t size : take(s_.level_sizes, s_.level_size_count)) begin_level(size);
}

bool Space::make_room(Stop stop) {
  return stop == Stop::table ? grow_table() : grow_log();
}

/// A larger place for `items` of so many bytes: several times as large while memory is plenty, and then what is left, but for a
/// part that the other place may need. Nothing: it would not be much larger.
DeviceMemory Space::enlarged(std::uint64_t items, std::uint64_t bytes_each, std::uint64_t& larger_items) {
  const std::uint64_t left = limit_ - std::min(limit_, bytes());
  for (const std::uint64_t factor : {8, 4, 2}) {
    larger_items = items * factor;
    if (larger_items * bytes_each > left / 4) continue;
    if (DeviceMemory memory = allocate(larger_items * bytes_each); memory.as<void>() != nullptr)
      return memory;
  }
  for (const double part : {0.5, 0.75, 0.95}) {
    larger_items = static_cast<std::uint64_t>(static_cast<double>(left) * part) / bytes_each / 4 * 4;
    if (larger_items < items + items / 4) continue;
    if (DeviceMemory memory = allocate(larger_items * bytes_each); memory.as<void>() != nullptr)
      return memory;
  }
  return {};
}

bool Space::grow_table() {
  std::uint64_t slots = 0;
  DeviceMemory larger = enlarged(s_.slots, code_.dense().words() * sizeof(Word), slots);
  if (larger.as<void>() == nullptr) return false;
  device_->clear(larger.as<void>(), larger.bytes());
  const std::uint64_t cursor = std::exchange(s_.cursor, 0);
  s_.source = s_.table;
  s_.source_count = s_.slots;
  s_.table = larger.as<Word>();
  s_.slots = slots;
  s_.most_states = static_cast<std::uint64_t>(static_cast<double>(slots) * fullest);
  launch(Mode::rehash);
  s_.cursor = cursor;
  table_ = std::move(larger);
  return true;
}

bool Space::grow_log() {
  const std::uint64_t bytes_each = code_.dense().words() * sizeof(Word);
  std::uint64_t capacity = 0;
  DeviceMemory larger = enlarged(s_.log_capacity, bytes_each, capacity);
  if (larger.as<void>() == nullptr) return false;
  // Up to where the ring begins again, and from there on.
  for (std::uint64_t number = s_.kept_from; number < s_.count;) {
    const auto at = static_cast<std::uint64_t>(log_entry(number) - s_.log) / code_.dense().words();
    const std::uint64_t count = std::min(s_.count - number, s_.log_capacity - at);
    device_->copy(larger.as<std::byte>() + (number - s_.kept_from) * bytes_each, log_entry(number),
                  count * bytes_each);
    number += count;
  }
  s_.log = larger.as<Word>();
  s_.log_capacity = capacity;
  s_.ring_base = s_.kept_from;
  log_ = std::move(larger);
  return true;
}

std::uint64_t Space::level_of(std::uint64_t number) const {
  if (number >= s_.level_end) return levels_.begins.size();
  return static_cast<std::uint64_t>(std::ranges::upper_bound(levels_.begins, number) -
                                    levels_.begins.begin()) -
         1;
}

std::optional<Predecessor> Space::predecessor(const std::vector<std::byte>& state, std::uint64_t first_level,
                                              std::uint64_t end_level, std::uint64_t& number) {
  const std::uint64_t first = levels_.begins[first_level];
  const std::uint64_t count = levels_.begins[end_level - 1] + levels_.sizes[end_level - 1] - first;
  if (count == 0) return std::nullopt;
  // The log is not a ring where runs are wanted.
  const Word* const list = log_entry(first);
  if (auto before = predecessor_in(list, count, state, number)) {
    number += first;
    return before;
  }
  const auto end = levels_.stepped_here.lower_bound(end_level);
  for (auto level = levels_.stepped_here.lower_bound(first_level); level != end; ++level)
    for (const std::uint64_t stepped : level->second)
      if (auto before = predecessor_in_part(log_entry(stepped), 0, 1, state, number)) {
        number = stepped;
        return before;
      }
  return std::nullopt;
}

}  // namespace tideline::gpu
