#include "gpu/space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "model/error.hpp"

namespace tideline::gpu {

namespace {

constexpr std::uint64_t level_capacity = 4096;
constexpr std::size_t few_states = 8;
constexpr std::uint64_t piece_states = 4096;
constexpr double fullest = 0.8;  ///< part of the table
constexpr double seconds_of_a_launch = 0.05;

std::unique_ptr<Device> make_device(const ModelCode& code, const Space::Options& options) {
  if (code.dense().words() == 0)
    throw Error(ErrorKind::usage,
                fmt::format("engine gpu takes smaller states than these of {} bytes", code.layout().size()));
  return options.device.is_cpu ? make_cpu_device(code, options.threads) : make_card(code);
}

}  // namespace

Space::Space(const System& system, ErrorSemantics errors, Watches watches, const Options& options)
    : code_(system, errors, std::move(watches)),
      machine_(Program::compile(system, errors)),
      device_(make_device(code_, options)),
      limit_(options.device.memory_bytes.value_or(device_->free_bytes() / 20 * 19)) {
  const std::uint64_t words = code_.dense().words();
  const auto emits = device_->part_emits();
  s_.parts = static_cast<std::uint32_t>(emits.size());
  s_.actions = static_cast<std::uint32_t>(system.actions.size());
  s_.queue_capacity = device_->queue_capacity();
  s_.flags_in_shared = device_->flag_bytes();
  const std::uint64_t of_a_warp =
      s_.queue_capacity + device_->lanes() * std::accumulate(emits.begin(), emits.end(), std::uint64_t{1});
  s_.warps = device_->warps();
  s_.margin = s_.warps * of_a_warp;
  s_.slice =
      static_cast<std::uint64_t>(static_cast<double>(device_->ticks_per_second()) * seconds_of_a_launch);
  s_.depth_bound = options.depth;
  s_.shows_ends = options.shows_ends ? 1 : 0;
  s_.keeps_log = options.keeps_log;
  s_.slots = std::max(options.device.first_states, 2 * s_.margin) / 4 * 4 + 4;
  s_.most_states = static_cast<std::uint64_t>(static_cast<double>(s_.slots) * fullest);
  s_.log_capacity = s_.slots;
  s_.list_capacity = s_.margin + 4096;
  s_.level_capacity = level_capacity;

  search_ = need(sizeof(Search));
  table_ = need(s_.slots * words * sizeof(Word));
  log_ = need(s_.log_capacity * words * sizeof(Word));
  reports_ = need(s_.list_capacity * 8);
  deadlocked_ = need(s_.list_capacity * 8);
  given_up_ = need(s_.list_capacity * 8);
  level_sizes_ = need(level_capacity * 8);
  enabled_ = need(system.actions.size());
  known_ = need(static_cast<std::uint64_t>(code_.watches().facts) * 4);
  part_emits_ = need(emits.size() * 4);
  device_->clear(table_.as<void>(), table_.bytes());
  device_->clear(enabled_.as<void>(), enabled_.bytes());
  device_->clear(known_.as<void>(), known_.bytes());
  device_->upload(part_emits_.as<void>(), emits.data(), emits.size() * 4);
  s_.table = table_.as<Word>();
  s_.log = log_.as<Word>();
  s_.reports = reports_.as<std::uint64_t>();
  s_.deadlocked = deadlocked_.as<std::uint64_t>();
  s_.given_up = given_up_.as<std::uint64_t>();
  s_.level_sizes = level_sizes_.as<std::uint64_t>();
  s_.enabled = enabled_.as<std::uint8_t>();
  s_.known = known_.as<std::uint32_t>();
  s_.part_emits = part_emits_.as<std::uint32_t>();
}

std::uint64_t Space::bytes() const {
  std::uint64_t sum = 0;
  for (const DeviceMemory* memory : {&search_, &table_, &log_, &reports_, &deadlocked_, &given_up_,
                                     &level_sizes_, &enabled_, &known_, &part_emits_})
    sum += memory->bytes();
  return sum;
}

DeviceMemory Space::allocate(std::uint64_t bytes) {
  if (this->bytes() + bytes > limit_) return {};
  DeviceMemory memory(*device_, std::max<std::uint64_t>(bytes, 1));
  bytes_peak_ = std::max(bytes_peak_, this->bytes() + memory.bytes());
  return memory;
}

DeviceMemory Space::need(std::uint64_t bytes) {
  DeviceMemory memory = allocate(bytes);
  if (memory.as<void>() == nullptr)
    throw LimitReached(
        fmt::format("the memory of the device ({}) is too small to begin with", show_bytes(limit_)));
  return memory;
}

void Space::launch(Mode mode) {
  s_.mode = mode;
  s_.stop = Stop::none;
  s_.arrived = 0;
  device_->upload(search_.as<void>(), &s_, sizeof s_);
  device_->launch(search_.as<Search>());
  device_->download(&s_, search_.as<void>(), sizeof s_);
}

void Space::insert(const std::vector<std::vector<std::byte>>& states) {
  const std::uint64_t words = code_.dense().words();
  const std::uint64_t cursor = s_.cursor;
  for (std::size_t first = 0; first < states.size();) {
    // What there is room for without looking.
    const std::size_t count = std::min<std::size_t>(states.size() - first, s_.margin);
    while (s_.count + count > s_.most_states || s_.count + count - s_.kept_from > s_.log_capacity) {
      if (!make_room(s_.count + count > s_.most_states ? Stop::table : Stop::log))
        throw LimitReached(fmt::format("the memory of the device ({}) is full", show_bytes(limit_)));
    }
    std::vector<Word> packed(count * words);
    for (std::size_t i = 0; i < count; ++i)
      code_.dense().pack(states[first + i].data(), packed.data() + i * words);
    const DeviceMemory source = need(packed.size() * sizeof(Word));
    device_->upload(source.as<void>(), packed.data(), packed.size() * sizeof(Word));
    s_.source = source.as<Word>();
    s_.source_count = count;
    s_.cursor = 0;
    launch(Mode::insert);
    first += count;
  }
  s_.cursor = cursor;
}

void Space::begin() {
  s_.level_begin = s_.cursor = 0;
  s_.level_end = s_.count;
  s_.levels = 1;
  begin_level(s_.count);
}

void Space::begin_level(std::uint64_t size) {
  level_begins_.push_back(level_begins_.empty() ? 0 : level_begins_.back() + level_sizes_so_far_.back());
  level_sizes_so_far_.push_back(size);
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

std::vector<std::uint64_t> Space::take(const std::uint64_t* list, std::uint64_t& count) {
  std::vector<std::uint64_t> items(std::exchange(count, 0));
  if (!items.empty()) device_->download(items.data(), list, items.size() * sizeof items[0]);
  return items;
}

std::vector<std::uint8_t> Space::enabled() const {
  std::vector<std::uint8_t> flags(s_.actions);
  if (!flags.empty()) device_->download(flags.data(), s_.enabled, flags.size());
  return flags;
}

Word* Space::log_entry(std::uint64_t number) const {
  std::uint64_t at = number - s_.ring_base;
  if (at >= s_.log_capacity) at -= s_.log_capacity;
  return s_.log + at * code_.dense().words();
}

std::vector<std::byte> Space::state(std::uint64_t number) const {
  std::vector<Word> words(code_.dense().words());
  device_->download(words.data(), log_entry(number), words.size() * sizeof(Word));
  std::vector<std::byte> state(code_.layout().size());
  code_.dense().unpack(words.data(), state.data());
  return state;
}

std::vector<std::vector<std::byte>> Space::states(const std::vector<std::uint64_t>& numbers) const {
  std::vector<std::vector<std::byte>> all;
  if (numbers.size() < few_states) {
    for (const std::uint64_t number : numbers) all.push_back(state(number));
    return all;
  }
  // All that lie between, a piece at a time.
  const std::uint64_t words = code_.dense().words();
  std::vector<std::uint64_t> order(numbers.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::uint64_t i) { return numbers[i]; });
  all.resize(numbers.size());
  std::vector<Word> piece;
  std::uint64_t begin = 0, end = 0;  // what the piece holds
  for (const std::uint64_t i : order) {
    const std::uint64_t number = numbers[i];
    if (number >= end) {
      begin = number;
      const auto at = static_cast<std::uint64_t>(log_entry(number) - s_.log) / words;
      end = std::min({number + piece_states, s_.count, number + s_.log_capacity - at});
      piece.resize((end - begin) * words);
      device_->download(piece.data(), log_entry(number), piece.size() * sizeof(Word));
    }
    all[i].resize(code_.layout().size());
    code_.dense().unpack(piece.data() + (number - begin) * words, all[i].data());
  }
  return all;
}

std::uint64_t Space::level_of(std::uint64_t number) const {
  if (number >= s_.level_end) return level_begins_.size();
  return static_cast<std::uint64_t>(std::ranges::upper_bound(level_begins_, number) - level_begins_.begin()) -
         1;
}

// --- runs

Path Space::run_to(std::uint64_t number, Budget& budget) {
  Path path;
  path.states.push_back(state(number));
  for (std::uint64_t level = level_of(number); level != 0; --level) {
    budget.require();
    Predecessor before = predecessor(path.states.back(), level - 1);
    path.states.push_back(std::move(before.state));
    path.actions.push_back(before.action);
  }
  std::ranges::reverse(path.states);
  std::ranges::reverse(path.actions);
  return path;
}

Space::Predecessor Space::predecessor(const std::vector<std::byte>& state, std::uint64_t level) {
  const Search after = s_;
  code_.dense().pack(state.data(), s_.target);
  s_.level_begin = s_.cursor = level_begins_[level];
  s_.level_end = s_.level_begin + level_sizes_so_far_[level];
  s_.found = ~std::uint64_t{0};
  launch(Mode::find);
  const std::uint64_t found = s_.found, end = s_.level_end;
  s_ = after;
  if (found != ~std::uint64_t{0})
    if (auto before = predecessor_among(state, found, std::min(found + device_->lanes(), end)))
      return *before;
  if (const auto here = stepped_here_.find(level); here != stepped_here_.end())
    for (const std::uint64_t number : here->second)
      if (auto before = predecessor_among(state, number, number + 1)) return *before;
  throw Error(ErrorKind::internal, "a state that a device has found has no predecessor");
}

std::optional<Space::Predecessor> Space::predecessor_among(const std::vector<std::byte>& state,
                                                           std::uint64_t first, std::uint64_t end) {
  for (std::uint64_t number = first; number < end; ++number) {
    Predecessor before{this->state(number), no_action};
    machine_.successors(before.state.data(), [&](const Step& step) {
      if (before.action == no_action && step.state != nullptr &&
          std::memcmp(step.state, state.data(), state.size()) == 0)
        before.action = step.action;
    });
    if (before.action != no_action) return before;
  }
  return std::nullopt;
}

}  // namespace tideline::gpu
