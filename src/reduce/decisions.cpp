#include "reduce/decisions.hpp"

#include <algorithm>

namespace tideline::por {

namespace {

/// What one thread may remember: some ten megabytes.
constexpr std::size_t most_nodes = 600'000, most_listed = 600'000;
/// After so many states it is known whether remembering pays, and then it has to have known one in that many.
constexpr std::uint64_t trial = 20'000, one_in = 8;

}  // namespace

std::uint64_t Decisions::hash_of(std::span<const ActionId> enabled) {
  std::uint64_t hash = enabled.size();
  for (const ActionId action : enabled) {
    hash = (hash ^ action) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 29U;
  }
  return hash;
}

bool Decisions::is_list(const Root& root, std::span<const ActionId> enabled) const {
  return std::ranges::equal(std::span(lists_).subspan(root.first, root.size), enabled);
}

Decisions::Root Decisions::add_list(std::span<const ActionId> enabled) {
  const Root root{static_cast<std::uint32_t>(lists_.size()), static_cast<std::uint32_t>(enabled.size())};
  lists_.insert(lists_.end(), enabled.begin(), enabled.end());
  return root;
}

void Decisions::remember(std::span<const Answer> answers, bool is_reduced, bool is_complete,
                         std::span<const std::uint32_t> places) {
  if (!pays_ || root_ == nullptr) return;
  const auto begin = static_cast<std::uint32_t>(nodes_.size());
  for (const Answer& answer : answers.subspan(depth_)) nodes_.push_back({answer.question, answer.value});
  nodes_.push_back({leaf_, static_cast<std::int32_t>(choices_.size())});
  choices_.push_back({is_reduced, is_complete, static_cast<std::uint32_t>(places_.size()),
                      static_cast<std::uint32_t>(is_reduced ? places.size() : 0)});
  if (is_reduced) places_.insert(places_.end(), places.begin(), places.end());
  // Only when all of it is there: memory may end on the way.
  (last_ == no_node ? root_->node : nodes_[last_].other) = begin;
  root_ = nullptr;
  if (calls_ >= trial && hits_ < calls_ / one_in) {
    *this = Decisions(leaf_);
    pays_ = false;
  } else if (nodes_.size() > most_nodes || lists_.size() + places_.size() > most_listed) {
    forget();
  }
}

/// What was found long ago is seldom of use by then.
void Decisions::forget() {
  roots_.clear();
  lists_.clear();
  nodes_.clear();
  choices_.clear();
  places_.clear();
}

}  // namespace tideline::por
