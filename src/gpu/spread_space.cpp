#include "gpu/spread_space.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "model/error.hpp"

namespace tideline::gpu {

SpreadSpace::SpreadSpace(const System& system, ErrorSemantics errors, const Watches& watches,
                         const Space::Options& options)
    : depth_(options.depth), stops_(options.device.cards), team_(options.device.cards) {
  Space::Options own = options;
  for (own.own = 0; own.own < options.device.cards; ++own.own)
    parts_.push_back(std::make_unique<Space>(system, errors, watches, own));
  taken_.assign(parts_.size(), std::vector<std::uint64_t>(parts_.size()));
}

void SpreadSpace::insert(const std::vector<std::vector<std::byte>>& states) {
  std::vector<std::vector<std::vector<std::byte>>> of(parts_.size());
  const DenseLayout& dense = parts_[0]->code().dense();
  std::vector<Word> words(dense.words());
  for (const std::vector<std::byte>& state : states) {
    dense.pack(state.data(), words.data());
    of[card_of(hash_of(words.data(), dense.words()), static_cast<unsigned>(parts_.size()))].push_back(state);
  }
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
  if (has_mail()) {
    deliver();
    return Stop::none;
  }
  team_.run([&](unsigned i) {
    parts_[i]->expand();
    stops_[i] = parts_[i]->numbers().stop;
  });
  const bool done = std::ranges::all_of(stops_, [](Stop stop) { return stop == Stop::level; });
  return done && !has_mail() ? next_level() : Stop::none;
}

bool SpreadSpace::has_mail() const {
  for (std::size_t from = 0; from < parts_.size(); ++from)
    for (std::size_t to = 0; to < parts_.size(); ++to)
      if (parts_[from]->numbers().mail_counts[to] != taken_[from][to]) return true;
  return false;
}

/// A piece of each list: what is found on the way has to be looked at before there is more.
void SpreadSpace::deliver() {
  const std::size_t count = parts_.size();
  std::vector<std::function<void()>> deliveries(count, [] {});  // by receiver
  for (std::size_t to = 0; to < count; ++to)
    for (std::size_t from = 0; from < count; ++from) {
      const Space::Mail mail = parts_[from]->mail(to, taken_[from][to]);
      if (mail.count == 0) continue;
      taken_[from][to] += mail.count;
      deliveries[to] = [&part = *parts_[to], mail] { part.receive(mail); };
      break;
    }
  team_.run([&](unsigned to) { deliveries[to](); });
  if (has_mail()) return;
  for (std::size_t from = 0; from < count; ++from) {
    parts_[from]->clear_mail();
    std::ranges::fill(taken_[from], 0);
  }
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
  std::vector<std::uint64_t> sizes = parts_[0]->level_sizes();
  for (std::size_t i = 1; i < parts_.size(); ++i)
    for (std::size_t level = 0; level < sizes.size(); ++level)
      sizes[level] += parts_[i]->level_sizes()[level];
  if (const std::uint64_t growing = sum(&Search::count) - sum(&Search::level_end); growing != 0)
    sizes.push_back(growing);
  return sizes;
}

Path SpreadSpace::run_to(std::size_t part, std::uint64_t number, Budget& budget) {
  return run_back(parts_[part]->state(number), parts_[part]->level_of(number), budget,
                  [&](const std::vector<std::byte>& state, std::uint64_t level) {
                    std::optional<Predecessor> found;
                    for (std::size_t i = 0; i < parts_.size() && !found; ++i)
                      found = parts_[i]->predecessor(state, level);
                    return found;
                  });
}

}  // namespace tideline::gpu
