#include "gpu/spread_space.hpp"

#include <algorithm>
#include <utility>

#include "gpu/run_backwards.hpp"

namespace tideline::gpu {

namespace {

std::vector<std::unique_ptr<Space>> made(const Space::Options& options, const SpreadSpace::MakePart& make) {
  std::vector<std::unique_ptr<Space>> parts;
  Space::Options own = options;
  for (own.own = 0; own.own < options.device.cards; ++own.own) parts.push_back(make(own));
  return parts;
}

}  // namespace

SpreadSpace::SpreadSpace(const Space::Options& options, const MakePart& make)
    : depth_(options.depth),
      parts_(made(options, make)),
      exchange_(pointers_to(parts_)),
      stops_(parts_.size()) {}

void SpreadSpace::insert(const std::vector<std::vector<std::byte>>& states) {
  std::vector<std::vector<std::vector<std::byte>>> of(parts_.size());
  for (const std::vector<std::byte>& state : states) of[parts_[0]->owner_of(state)].push_back(state);
  for (std::size_t i = 0; i < parts_.size(); ++i)
    if (!of[i].empty()) parts_[i]->insert(of[i]);
}

void SpreadSpace::begin() {
  for (const auto& part : parts_) part->begin();
}

Stop SpreadSpace::expand() {
  if (parts_.size() == 1) {
    parts_[0]->expand();
    return stops_[0] = parts_[0]->numbers().stop;
  }
  std::ranges::fill(stops_, Stop::none);
  if (exchange_.has_mail()) {
    exchange_.deliver();
    return Stop::none;
  }
  exchange_.run([&](unsigned i) {
    parts_[i]->expand();
    stops_[i] = parts_[i]->numbers().stop;
  });
  const bool done = std::ranges::all_of(stops_, [](Stop stop) { return stop == Stop::level; });
  return done && !exchange_.has_mail() ? next_level() : Stop::none;
}

Stop SpreadSpace::next_level() {
  if (sum(&Search::count) == sum(&Search::level_end)) return Stop::complete;
  for (const auto& part : parts_) part->next_level();
  return depth_ != 0 && levels() > depth_ ? Stop::cut_off : Stop::none;
}

bool SpreadSpace::make_room() {
  for (std::size_t i = 0; i < parts_.size(); ++i)
    if ((stops_[i] == Stop::table || stops_[i] == Stop::log) && !parts_[i]->make_room(stops_[i]))
      return false;
  return true;
}

std::uint64_t SpreadSpace::sum(std::uint64_t Search::*figure) const {
  std::uint64_t sum = 0;
  for (const auto& part : parts_) sum += part->numbers().*figure;
  return sum;
}

std::vector<std::uint64_t> SpreadSpace::level_sizes() const {
  std::vector<std::uint64_t> sizes;
  for (const auto& part : parts_) {
    const std::vector<std::uint64_t>& own = part->level_sizes();
    // If the memory of the host has ended meanwhile, some have not begun the last level.
    sizes.resize(std::max(sizes.size(), own.size()));
    for (std::size_t level = 0; level < own.size(); ++level) sizes[level] += own[level];
  }
  if (const std::uint64_t growing = sum(&Search::count) - sum(&Search::level_end); growing != 0)
    sizes.push_back(growing);
  return sizes;
}

std::optional<Predecessor> SpreadSpace::predecessor(const std::vector<std::byte>& state,
                                                    std::uint64_t first_level, std::uint64_t end_level,
                                                    StatePlace& place) {
  for (place.part = 0; place.part < parts_.size(); ++place.part)
    if (auto before = parts_[place.part]->predecessor(state, first_level, end_level, place.number))
      return before;
  return std::nullopt;
}

Path SpreadSpace::run_to(const StatePlace& place, Budget& budget) {
  RunBackwards run(parts_[place.part]->state(place.number));
  for (std::uint64_t level = level_of(place); level != 0; --level) {
    budget.require();
    StatePlace found;
    run.prepend(predecessor(run.first(), level - 1, level, found));
  }
  return std::move(run).take();
}

}  // namespace tideline::gpu
