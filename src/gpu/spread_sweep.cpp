#include "gpu/spread_sweep.hpp"

#include <algorithm>
#include <utility>

#include "gpu/run_backwards.hpp"
#include "model/error.hpp"

namespace tideline::gpu {

SpreadSweep::SpreadSweep(const System& system, ErrorSemantics errors, const Watches& watches,
                         const Measure& measure, const SweptSpace::Options& options,
                         std::function<void(unsigned)> look)
    : traces_(options.traces),
      look_(std::move(look)),
      parts_(made(system, errors, watches, measure, options)),
      exchange_(pointers_to(parts_)),
      stops_(parts_.size()) {}

std::vector<std::unique_ptr<SweptSpace>> SpreadSweep::made(const System& system, ErrorSemantics errors,
                                                           const Watches& watches, const Measure& measure,
                                                           const SweptSpace::Options& options) {
  std::vector<std::unique_ptr<SweptSpace>> parts;
  SweptSpace::Options own = options;
  own.host_bytes /= options.device.cards;
  for (own.own = 0; own.own < options.device.cards; ++own.own)
    parts.push_back(
        std::make_unique<SweptSpace>(system, errors, watches, measure, own, [this, part = own.own] {
          const std::scoped_lock lock(host_);
          look_(part);
        }));
  return parts;
}

void SpreadSweep::insert(const std::vector<std::vector<std::byte>>& states) {
  std::vector<std::vector<std::vector<std::byte>>> of(parts_.size());
  for (const std::vector<std::byte>& state : states) of[parts_[0]->owner_of(state)].push_back(state);
  for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i]->insert(of[i]);
  keep_in_step();
}

Stop SpreadSweep::expand() {
  std::ranges::fill(stops_, Stop::none);
  if (exchange_.has_mail()) {
    exchange_.deliver();
    keep_in_step();
    return Stop::none;
  }
  exchange_.run([&](unsigned i) { stops_[i] = parts_[i]->expand(); });
  if (traces_) {
    Bounds& mark = marks_.emplace_back();
    for (const auto& part : parts_) mark.push_back(part->expanded());
  }
  const bool done = std::ranges::all_of(stops_, [](Stop stop) { return stop == Stop::complete; });
  return done && !exchange_.has_mail() ? Stop::complete : Stop::none;
}

void SpreadSweep::make_room() {
  exchange_.run([&](unsigned i) {
    if (stops_[i] == Stop::table || stops_[i] == Stop::log) parts_[i]->make_room();
  });
  keep_in_step();
}

/// Parts whose bands have been split end earlier than others, and some may have cut layers.
void SpreadSweep::keep_in_step() {
  if (std::ranges::any_of(parts_, [](const auto& part) { return part->cuts_layers(); }))
    for (const auto& part : parts_) part->cut_layers();
  std::uint64_t last = parts_[0]->band_last();
  for (const auto& part : parts_) last = std::min(last, part->band_last());
  exchange_.run([&](unsigned i) {
    if (parts_[i]->band_last() != last) parts_[i]->end_band_at(last);
  });
}

void SpreadSweep::leave_band() {
  exchange_.run([&](unsigned i) { parts_[i]->leave_band(); });
}

std::optional<std::uint64_t> SpreadSweep::first_due() const {
  std::optional<std::uint64_t> first;
  for (const auto& part : parts_)
    if (const auto due = part->first_due(); due && (!first || *due < *first)) first = due;
  return first;
}

bool SpreadSweep::next_band(Budget& budget) {
  ++bands_;
  exchange_.run([&](unsigned i) { parts_[i]->end_band(); });
  auto first = first_due();
  const bool column_ends =
      !first || parts_[0]->column(*first) != parts_[0]->column(parts_[0]->numbers().line);
  if (column_ends && std::ranges::any_of(parts_, [](const auto& part) { return part->has_later(); })) {
    ++sweeps_;
    for (const auto& part : parts_) part->begin_sweep();
    first = first_due();
  }
  if (!first) return false;
  std::uint64_t last = parts_[0]->choose_last(*first);
  for (const auto& part : parts_) last = std::min(last, part->choose_last(*first));
  exchange_.run([&](unsigned i) {
    parts_[i]->begin_band(*first, last, [&] {
      const std::scoped_lock lock(host_);
      budget.require();
    });
  });
  keep_in_step();
  return true;
}

std::optional<RegressEdge> SpreadSweep::broken_claim() {
  const auto is_broken = [](const auto& part) { return part->numbers().broken_claim != 0; };
  if (std::ranges::none_of(parts_, is_broken)) return std::nullopt;
  const Measure& measure = parts_[0]->code().measure();
  for (const auto& part : parts_)
    for (const std::vector<std::byte>& state : part->breaking_claim())
      for (const auto& other : parts_)
        if (const auto before = other->predecessor_in_band(state))
          return RegressEdge{before->action, measure(before->state.data()), measure(state.data())};
  throw Error(ErrorKind::input, "the measure is not monotone as it claims");
}

// --- runs

/// In which round it was expanded.
std::uint64_t SpreadSweep::round_of(std::size_t part, std::uint64_t number) const {
  const auto own = [&](const Bounds& mark) { return mark[part]; };
  return static_cast<std::uint64_t>(std::ranges::upper_bound(marks_, number, {}, own) - marks_.begin());
}

SpreadSweep::Bounds SpreadSweep::bounds_after(std::uint64_t rounds) const {
  return rounds == 0 ? Bounds(parts_.size()) : marks_[rounds - 1];
}

/// The bounds are those of the predecessor then.
std::optional<Predecessor> SpreadSweep::latest_predecessor(const std::vector<std::byte>& state,
                                                           Bounds& bounds, Budget& budget) {
  for (;;) {
    budget.require();
    std::optional<std::size_t> latest;
    for (std::size_t i = 0; i < parts_.size(); ++i)
      if (bounds[i] != 0 && (!latest || round_of(i, bounds[i] - 1) > round_of(*latest, bounds[*latest] - 1)))
        latest = i;
    if (!latest) return std::nullopt;
    if (auto before = parts_[*latest]->predecessor_before(state, bounds[*latest])) {
      const std::uint64_t number = bounds[*latest];
      bounds = bounds_after(round_of(*latest, number));
      bounds[*latest] = number;
      return before;
    }
  }
}

Path SpreadSweep::run_to(const std::vector<std::byte>& state, std::uint64_t rounds, Budget& budget) {
  Bounds bounds = bounds_after(rounds);
  for (std::size_t i = 0; i < parts_.size(); ++i)
    if (parts_[i]->archived() < bounds[i])
      throw LimitReached("there was no memory, or no disk, to keep the states that the run passes");
  std::vector<std::vector<std::byte>> initial;
  parts_[0]->machine().initial([&](const std::byte* s) { initial.emplace_back(s, s + state.size()); });
  RunBackwards run(state);
  while (std::ranges::find(initial, run.first()) == initial.end())
    run.prepend(latest_predecessor(run.first(), bounds, budget));
  return std::move(run).take();
}

}  // namespace tideline::gpu
