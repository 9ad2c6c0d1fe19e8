#include "gpu/workspace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "model/error.hpp"
#include "run/budget.hpp"

namespace tideline::gpu {

namespace {

constexpr std::uint64_t level_capacity = 4096;
constexpr double seconds_of_a_launch = 0.05;
constexpr std::size_t few_states = 8;
constexpr std::uint64_t piece_states = 4096;

std::unique_ptr<Device> make_device(const ModelCode& code, const DeviceSettings& settings, unsigned threads,
                                    unsigned number) {
  if (code.dense().words() == 0)
    throw Error(ErrorKind::usage,
                fmt::format("a device takes smaller states than these of {} bytes", code.layout().size()));
  return settings.is_cpu ? make_cpu_device(code, threads) : make_card(code, number);
}

/// Of the memory of the device, if several of so many share it.
std::uint64_t free_share(const Device& device, unsigned devices) {
  const unsigned sharing = (devices + device.available() - 1) / device.available();
  return device.free_bytes() / 20 * 19 / sharing;
}

}  // namespace

Workspace::Workspace(const System& system, ErrorSemantics errors, Watches watches,
                     std::optional<Measure> measure, const DeviceSettings& settings, unsigned threads,
                     unsigned own)
    : code_(system, errors, std::move(watches), std::move(measure)),
      machine_(Program::compile(system, errors)),
      device_(make_device(code_, settings, threads, own)),
      limit_(settings.memory_bytes.value_or(free_share(*device_, settings.cards))) {
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
  s_.list_capacity = s_.margin + 4096;
  s_.level_capacity = level_capacity;

  search_ = need(sizeof(Search));
  reports_ = need(s_.list_capacity * 8);
  deadlocked_ = need(s_.list_capacity * 8);
  given_up_ = need(s_.list_capacity * 8);
  level_sizes_ = need(level_capacity * 8);
  enabled_ = need(system.actions.size());
  known_ = need(static_cast<std::uint64_t>(code_.watches().facts) * 4);
  part_emits_ = need(emits.size() * 4);
  device_->clear(enabled_.as<void>(), enabled_.bytes());
  device_->clear(known_.as<void>(), known_.bytes());
  device_->upload(part_emits_.as<void>(), emits.data(), emits.size() * 4);
  s_.reports = reports_.as<std::uint64_t>();
  s_.deadlocked = deadlocked_.as<std::uint64_t>();
  s_.given_up = given_up_.as<std::uint64_t>();
  s_.level_sizes = level_sizes_.as<std::uint64_t>();
  s_.enabled = enabled_.as<std::uint8_t>();
  s_.known = known_.as<std::uint32_t>();
  s_.part_emits = part_emits_.as<std::uint32_t>();
  s_.cards = settings.cards;
  s_.own = own;
  if (s_.cards == 1) return;
  s_.mail_capacity = 2 * s_.margin;
  mail_ = need(s_.cards * s_.mail_capacity * state_bytes());
  for (unsigned i = 0; i < s_.cards; ++i)
    s_.mail[i] = mail_.as<Word>() + i * s_.mail_capacity * code_.dense().words();
}

std::uint64_t Workspace::bytes() const {
  std::uint64_t sum = 0;
  for (const DeviceMemory* memory : {&search_, &reports_, &deadlocked_, &given_up_, &level_sizes_, &enabled_,
                                     &known_, &part_emits_, &mail_})
    sum += memory->bytes();
  return sum;
}

DeviceMemory Workspace::allocate(std::uint64_t bytes) {
  if (this->bytes() + bytes > limit_) return {};
  DeviceMemory memory(*device_, std::max<std::uint64_t>(bytes, 1));
  bytes_peak_ = std::max(bytes_peak_, this->bytes() + memory.bytes());
  return memory;
}

DeviceMemory Workspace::need(std::uint64_t bytes) {
  DeviceMemory memory = allocate(bytes);
  if (memory.as<void>() == nullptr)
    throw LimitReached(
        fmt::format("the memory of the device ({}) is too small to begin with", show_bytes(limit_)));
  return memory;
}

void Workspace::launch(Mode mode) {
  s_.mode = mode;
  s_.stop = Stop::none;
  s_.arrived = 0;
  device_->upload(search_.as<void>(), &s_, sizeof s_);
  device_->launch(search_.as<Search>());
  device_->download(&s_, search_.as<void>(), sizeof s_);
}

std::vector<std::uint64_t> Workspace::take(const std::uint64_t* list, std::uint64_t& count) {
  std::vector<std::uint64_t> items(std::exchange(count, 0));
  if (!items.empty()) device_->download(items.data(), list, items.size() * sizeof items[0]);
  return items;
}

Workspace::Mail Workspace::mail(std::size_t to, std::uint64_t first) const {
  return {device_.get(), s_.mail[to] + first * code_.dense().words(),
          std::min(s_.mail_counts[to] - first, s_.margin)};
}

void Workspace::clear_mail() {
  std::ranges::fill(s_.mail_counts, 0);
}

std::size_t Workspace::owner_of(const std::vector<std::byte>& state) const {
  std::vector<Word> words(code_.dense().words());
  code_.dense().pack(state.data(), words.data());
  return card_of(hash_of(words.data(), code_.dense().words()), s_.cards);
}

std::vector<std::uint8_t> Workspace::enabled() const {
  std::vector<std::uint8_t> flags(s_.actions);
  if (!flags.empty()) device_->download(flags.data(), s_.enabled, flags.size());
  return flags;
}

Word* Workspace::log_entry(std::uint64_t number) const {
  std::uint64_t at = number - s_.ring_base;
  if (at >= s_.log_capacity) at -= s_.log_capacity;
  return s_.log + at * code_.dense().words();
}

std::vector<std::byte> Workspace::state(std::uint64_t number) const {
  std::vector<Word> words(code_.dense().words());
  device_->download(words.data(), log_entry(number), words.size() * sizeof(Word));
  return unpacked(words.data());
}

std::vector<std::vector<std::byte>> Workspace::states(const std::vector<std::uint64_t>& numbers) const {
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

std::vector<std::byte> Workspace::unpacked(const Word* words) const {
  std::vector<std::byte> state(code_.layout().size());
  code_.dense().unpack(words, state.data());
  return state;
}

ActionId Workspace::action_between(const std::vector<std::byte>& from, const std::vector<std::byte>& to) {
  ActionId action = no_action;
  machine_.successors(from.data(), [&](const Step& step) {
    if (action == no_action && step.state != nullptr && std::memcmp(step.state, to.data(), to.size()) == 0)
      action = step.action;
  });
  return action;
}

std::optional<Predecessor> Workspace::predecessor_in_part(const Word* list, std::uint64_t first,
                                                          std::uint64_t end,
                                                          const std::vector<std::byte>& state,
                                                          std::uint64_t& found) {
  const std::uint64_t width = code_.dense().words();
  std::vector<Word> words((end - first) * width);
  device_->download(words.data(), list + first * width, words.size() * sizeof(Word));
  for (found = first; found < end; ++found) {
    Predecessor before{unpacked(words.data() + (found - first) * width), no_action};
    before.action = action_between(before.state, state);
    if (before.action != no_action) return before;
  }
  return std::nullopt;
}

std::optional<Predecessor> Workspace::predecessor_in(const Word* list, std::uint64_t count,
                                                     const std::vector<std::byte>& state,
                                                     std::uint64_t& found) {
  const Search after = s_;
  code_.dense().pack(state.data(), s_.target);
  s_.log = const_cast<Word*>(list);
  s_.log_capacity = s_.level_end = count;
  s_.level_begin = s_.cursor = s_.ring_base = s_.kept_from = 0;
  s_.found = ~std::uint64_t{0};
  launch(Mode::find);
  const std::uint64_t at = std::exchange(s_, after).found;
  if (at == ~std::uint64_t{0}) return std::nullopt;
  return predecessor_in_part(list, at, std::min<std::uint64_t>(at + device_->lanes(), count), state, found);
}

}  // namespace tideline::gpu
