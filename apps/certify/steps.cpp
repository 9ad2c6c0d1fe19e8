#include "steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>
#include <utility>

namespace tideline::certify {

namespace {

/// A step that goes through more states that nobody sees does not end.
constexpr std::size_t most_inner_states = 4'000'000;
constexpr std::size_t word_bits = 64;

std::size_t words_for(std::size_t bits) {
  return (bits + word_bits - 1) / word_bits;
}
std::uint64_t mask_of(std::size_t bit) {
  return std::uint64_t{1} << bit % word_bits;
}
bool has(const std::vector<std::uint64_t>& bits, std::size_t bit) {
  return (bits[bit / word_bits] & mask_of(bit)) != 0;
}
void put(std::vector<std::uint64_t>& bits, std::size_t bit, bool value) {
  std::uint64_t& word = bits[bit / word_bits];
  word = value ? word | mask_of(bit) : word & ~mask_of(bit);
}

std::vector<SlotId> reads_of(const Expr& expr) {
  std::vector<SlotId> reads;
  collect_reads(expr, reads);
  return reads;
}

std::vector<SlotId> reads_of(const std::vector<Assignment>& effects) {
  std::vector<SlotId> reads;
  for (const Assignment& effect : effects) {
    collect_reads(effect.value, reads);
    if (!effect.index) continue;
    collect_reads(*effect.index, reads);
    for (SlotId i = 0; i < effect.length; ++i)
      reads.push_back(effect.slot + i);  // those that are not written
  }
  return reads;
}

}  // namespace

Steps::Steps(const System& system, ErrorSemantics errors)
    : system_(system),
      errors_(errors),
      reference_(system, errors),
      layout_(system),
      slots_in_(layout_.size()),
      leaving_(system.slots.size()),
      guards_of_(system.actions.size()),
      readers_(system.slots.size()),
      packed_(layout_.size()),
      next_packed_(layout_.size()),
      values_(layout_.unpack(packed_.data())),
      next_(values_),
      missing_(system.actions.size()),
      placed_(words_for(system.actions.size())),
      enabled_(placed_.size()),
      writes_(system.actions.size()) {
  for (SlotId slot = 0; slot < system.slots.size(); ++slot) {
    const auto [offset, width] = layout_.field(slot);
    if (width == Width::bit) slots_in_[offset / 8].push_back(slot);
    for (unsigned i = 0; i < static_cast<unsigned>(width); ++i) slots_in_[offset + i].push_back(slot);
  }
  std::unordered_map<std::string, std::size_t> known;
  for (ActionId id = 0; id < system.actions.size(); ++id) {
    const Action& action = system.actions[id];
    for (const Participant& participant : action.participants) {
      add_guard(id, participant.guard, known);
      if (participant.from == any_location) continue;
      const SlotId slot = system.components[participant.component].location_slot;
      leaving_[slot].resize(std::max<std::size_t>(leaving_[slot].size(), participant.from + 1));
      leaving_[slot][participant.from].push_back(id);
      if (values_[slot] != static_cast<std::int32_t>(participant.from)) ++missing_[id];
    }
    add_guard(id, action.guard, known);
    add_reader(reads_of(action.effects), id);
    put(placed_, id, missing_[id] == 0);
  }
  truth_.resize(guards_.size());
  stale_.resize(words_for(guard_bit(guards_.size())), ~std::uint64_t{0});
}

/// Actions with the same guard share it.
void Steps::add_guard(ActionId id, const Expr& guard, std::unordered_map<std::string, std::size_t>& known) {
  if (guard.is_constant() && guard.value != 0) return;
  const auto [at, is_new] = known.try_emplace(to_string(guard, system_), guards_.size());
  std::size_t number = at->second;
  if (is_new || !same_expression(guard, *guards_[number])) {
    number = guards_.size();
    guards_.push_back(&guard);
    add_reader(reads_of(guard), guard_bit(number));
  }
  guards_of_[id].push_back(number);
  add_reader(reads_of(guard), id);
}

void Steps::add_reader(const std::vector<SlotId>& reads, std::size_t reader) {
  for (const SlotId slot : reads) {
    std::vector<Part>& parts = readers_[slot];
    const auto part = std::ranges::find(parts, reader / word_bits, &Part::word);
    if (part == parts.end())
      parts.push_back({reader / word_bits, mask_of(reader)});
    else
      part->bits |= mask_of(reader);
  }
}

bool Steps::is_true(const Expr& expr) const {
  const Reference::Evaluation result = reference_.evaluate(expr, values_);
  if (result.error.kind != ModelErrorKind::none) throw Wrong{"it has no value: " + result.error.message};
  return result.value != 0;
}

void Steps::go_to(const std::byte* state) {
  constexpr std::size_t word_bytes = sizeof(std::uint64_t);
  for (std::size_t begin = 0; begin < packed_.size(); begin += word_bytes) {
    const std::size_t bytes = std::min(word_bytes, packed_.size() - begin);
    std::uint64_t before = 0, now = 0;
    std::memcpy(&before, packed_.data() + begin, bytes);
    std::memcpy(&now, state + begin, bytes);
    for (std::uint64_t differs = before ^ now; differs != 0;) {
      const auto byte = static_cast<unsigned>(std::countr_zero(differs)) / 8;
      differs &= ~(std::uint64_t{0xFF} << 8 * byte);
      for (const SlotId slot : slots_in_[begin + byte]) set(slot, load_field(state, layout_.field(slot)));
    }
  }
  std::ranges::copy_n(state, static_cast<std::ptrdiff_t>(packed_.size()), packed_.begin());
}

/// What is known of an action that does not read it stays known.
void Steps::set(SlotId slot, std::int32_t value) {
  const std::int32_t before = values_[slot];
  if (value == before) return;
  values_[slot] = next_[slot] = value;
  for (const auto& [word, bits] : readers_[slot]) stale_[word] |= bits;
  // A state of a certificate may have any value.
  const auto& leaving = leaving_[slot];
  if (static_cast<std::size_t>(before) < leaving.size())
    for (const ActionId id : leaving[static_cast<std::size_t>(before)])
      if (missing_[id]++ == 0) put(placed_, id, false);
  if (static_cast<std::size_t>(value) < leaving.size())
    for (const ActionId id : leaving[static_cast<std::size_t>(value)])
      if (--missing_[id] == 0) put(placed_, id, true);
}

bool Steps::single_steps(const Sink& sink) {
  bool any = false;
  for (std::size_t word = 0; word < placed_.size(); ++word)
    for (std::uint64_t bits = placed_[word] & (stale_[word] | enabled_[word]); bits != 0; bits &= bits - 1) {
      const auto id = static_cast<ActionId>(word_bits * word + static_cast<unsigned>(std::countr_zero(bits)));
      if (has(stale_, id)) put(enabled_, id, is_enabled(id));
      put(stale_, id, false);
      if (!has(enabled_, id)) continue;
      any = true;
      next_packed_ = packed_;
      for (const auto& [field, value] : writes_[id]) store_field(next_packed_.data(), field, value);
      sink(id, next_packed_.data());
    }
  return any;
}

/// If it is, writes_ has its effect.
bool Steps::is_enabled(ActionId id) {
  bool have_values = true;
  for (const std::size_t guard : guards_of_[id]) {
    if (has(stale_, guard_bit(guard))) evaluate(guard);
    if (truth_[guard] == Truth::no) return false;
    have_values = have_values && truth_[guard] == Truth::yes;
  }
  ModelError error;
  if (!have_values && !reference_.enabled(id, values_, error)) return false;
  if (error.kind == ModelErrorKind::none) error = take_effect(id);
  if (error.kind == ModelErrorKind::none) return true;
  if (errors_ == ErrorSemantics::stop)
    throw Wrong{
        fmt::format("action '{}' ends in a model error: {}", system_.actions[id].label, error.message)};
  writes_[id].clear();
  for (SlotId slot = 0; slot < values_.size(); ++slot)
    writes_[id].push_back({layout_.field(slot), (*system_.error_state)[slot]});
  return true;
}

void Steps::evaluate(std::size_t guard) {
  const Reference::Evaluation result = reference_.evaluate(*guards_[guard], values_);
  const bool has_value = result.error.kind == ModelErrorKind::none;
  truth_[guard] = !has_value ? Truth::no_value : result.value != 0 ? Truth::yes : Truth::no;
  put(stale_, guard_bit(guard), false);
}

ModelError Steps::take_effect(ActionId id) {
  ModelError error = reference_.apply(system_.actions[id].effects, values_, next_);
  writes_[id].clear();
  for (const SlotId slot : system_.actions[id].writes) {
    writes_[id].push_back({layout_.field(slot), next_[slot]});
    next_[slot] = values_[slot];
  }
  return error;
}

bool Steps::is_inner(const std::byte* state) const {
  return system_.transient != no_slot && load_field(state, layout_.field(system_.transient)) != 0;
}

bool Steps::successors(const Sink& sink) {
  if (system_.transient == no_slot) return single_steps(sink);
  if (is_inner(packed_.data())) throw Wrong{"it is within a step"};
  const Packed from = packed_;
  const std::vector<Step> steps = steps_from(from.data());
  for (const Step& step : steps)
    if (is_inner(step.second.data()))
      finish_step(step, sink);
    else
      sink(step.first, step.second.data());
  go_to(from.data());
  return !steps.empty();
}

std::vector<Steps::Step> Steps::steps_from(const std::byte* state) {
  go_to(state);
  std::vector<Step> steps;
  single_steps([&](ActionId action, const std::byte* next) {
    steps.emplace_back(action, Packed(next, next + packed_.size()));
  });
  return steps;
}

void Steps::finish_step(const Step& first, const Sink& sink) {
  std::set<std::string> known;
  std::vector<Packed> open{first.second};
  bool ends = false;
  while (!open.empty()) {
    const Packed from = std::move(open.back());
    open.pop_back();
    for (auto& [part, next] : steps_from(from.data()))
      if (!is_inner(next.data())) {
        ends = true;
        sink(first.first, next.data());
      } else if (known.insert(text_of(next.data(), next.size())).second) {
        open.push_back(std::move(next));
      }
    if (known.size() > most_inner_states) ends = false, open.clear();
  }
  if (!ends)
    throw Wrong{
        fmt::format("action '{}' begins a step that does not end", system_.actions[first.first].label)};
}

std::string show(const System& system, const Values& state) {
  std::string text;
  for (SlotId slot = 0; slot < state.size(); ++slot)
    text += fmt::format("{}{} = {}", slot == 0 ? "" : ", ", system.slots[slot].name,
                        system.show_value(slot, state[slot]));
  return text;
}

}  // namespace tideline::certify
