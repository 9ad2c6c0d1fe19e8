#include "store/passed_states.hpp"

#include <iterator>
#include <span>
#include <utility>

namespace tideline {

namespace {

/// With fewer layers than this their size does not matter.
constexpr std::uint64_t few_segments = 1 << 16;
/// Of the bytes of the states, what memory may hold: one in so many.
constexpr std::uint64_t index_share = 4;
/// A run of more segments than this, and of so many for a layer, is written again.
constexpr std::uint64_t most_scattered = 4096, segments_of_a_layer = 4;

constexpr const char* passed_stem = "tideline-passed-states";

}  // namespace

PassedStates::PassedStates(const std::filesystem::path& folder, std::size_t state_bytes)
    : file_(nameless_file(folder, passed_stem)), state_bytes_(state_bytes) {}

bool PassedStates::append(std::uint64_t progress, std::span<const Layer* const> layer) {
  std::uint64_t count = 0;
  for (const Layer* const part : layer)
    count += part->passing.size() - part->known + part->expanded_roots - part->known_roots;
  if (count == 0 || !complete_) return complete_;
  begin_segment(progress, count);
  for (const Layer* const part : layer) {
    for (StateId id = part->known; id < part->passing.size(); ++id) keep(part->passing.record(id));
    for (std::uint32_t i = part->known_roots; i < part->expanded_roots; ++i)
      keep(part->persistent.record(part->roots[i]));
  }
  end_segment();
  return complete_;
}

void PassedStates::begin_segment(std::uint64_t progress, std::uint64_t count) {
  current_.push_back({progress, written_ + pending_bytes_, count});
  states_ += count;
  ++segments_;
}

void PassedStates::end_segment() {
  if (segments_ > few_segments && segments_ * sizeof(LayerSegment) * index_share > states_ * state_bytes_)
    give_up();
}

void PassedStates::keep(const std::byte* state) {
  if (!complete_) return;
  if (pending_.empty()) pending_.resize(segment_bytes_at_a_time + state_bytes_);
  copy_state(pending_.data() + pending_bytes_, state, state_bytes_);
  pending_bytes_ += state_bytes_;
  if (pending_bytes_ >= segment_bytes_at_a_time) write_pending();
}

void PassedStates::write_pending() {
  if (file_.write(std::span(pending_).first(pending_bytes_), written_) != 0) return give_up();
  written_ += std::exchange(pending_bytes_, 0);
}

void PassedStates::end_sweep() {
  if (!complete_) return;
  write_pending();
  if (current_.empty()) return;
  std::ranges::stable_sort(current_, {}, &LayerSegment::progress);
  runs_.push_back(std::exchange(current_, {}));
  while (runs_.size() > 1 && runs_.back().size() * 2 > runs_[runs_.size() - 2].size()) {
    Run& larger = runs_[runs_.size() - 2];
    Run merged;
    merged.reserve(larger.size() + runs_.back().size());
    std::ranges::merge(larger, runs_.back(), std::back_inserter(merged), {}, &LayerSegment::progress,
                       &LayerSegment::progress);
    runs_.pop_back();
    runs_.back() = std::move(merged);
  }
  if (runs_.size() == 1 && is_scattered(runs_.front())) gather();
}

bool PassedStates::is_scattered(const Run& run) {
  std::uint64_t layers = 0;
  for (std::size_t i = 0; i < run.size(); ++i) layers += i == 0 || run[i].progress != run[i - 1].progress;
  return run.size() > most_scattered && run.size() > segments_of_a_layer * layers;
}

void PassedStates::gather() {
  const auto from = begin_again();
  if (!from) return;
  const Run run = std::exchange(runs_.front(), {});
  runs_.clear();
  std::vector<std::byte> scratch;
  for (auto first = run.begin(); first != run.end() && complete_;) {
    const auto last =
        std::ranges::upper_bound(first, run.end(), first->progress, {}, &LayerSegment::progress);
    std::uint64_t count = 0;
    for (auto segment = first; segment != last; ++segment) count += segment->count;
    begin_segment(first->progress, count);
    for (; first != last; ++first)
      read_segment(*from, *first, state_bytes_, scratch, [&](const std::byte* states, std::uint32_t number) {
        for (; number != 0; --number, states += state_bytes_) keep(states);
      });
    end_segment();
  }
  write_pending();
  if (!current_.empty()) runs_.push_back(std::exchange(current_, {}));
}

std::optional<DiskFile> PassedStates::begin_again() {
  try {
    DiskFile fresh = nameless_file(file_.path().parent_path(), passed_stem);
    written_ = states_ = segments_ = 0;
    return std::exchange(file_, std::move(fresh));
  } catch (const Error&) {
    give_up();
    return std::nullopt;
  }
}

void PassedStates::forget_below(std::uint64_t progress) {
  const auto is_below = [=](const LayerSegment& segment) { return segment.progress < progress; };
  std::erase_if(current_, is_below);
  for (Run& run : runs_) std::erase_if(run, is_below);
  std::erase_if(runs_, [](const Run& run) { return run.empty(); });
  if (!runs_.empty() || !current_.empty()) return;
  written_ = states_ = segments_ = pending_bytes_ = 0;  // the file is used again
}

void PassedStates::forget_all() {
  runs_.clear();
  current_.clear();
  written_ = states_ = segments_ = pending_bytes_ = 0;
}

void PassedStates::give_up() {
  complete_ = false;
  forget_all();
  file_.truncate(0);
  runs_.shrink_to_fit();
  current_.shrink_to_fit();
  pending_.clear();
  pending_.shrink_to_fit();
}

}  // namespace tideline
