#include "store/spilled_states.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tideline {

namespace {

/// More runs of candidates than this are merged: each that is read takes a block of memory.
constexpr std::size_t most_candidate_runs = 8;
/// Of the memory, what the filter takes: one part in so many.
constexpr std::uint64_t filter_share = 6;
/// Of the table: it is emptied again and again, so that fewer than usual are enough.
constexpr unsigned table_segment_bits = 4;

}  // namespace

SpilledStates::SpilledStates(DiskSpace& space, std::size_t state_bytes, std::size_t extra_bytes,
                             std::uint64_t bytes)
    : space_(space),
      state_bytes_(state_bytes),
      extra_bytes_(extra_bytes),
      filter_(bytes / filter_share),
      table_bytes_(bytes - bytes / filter_share) {
  empty_table();
}

void SpilledStates::insert(const StateBatch& batch) {
  const std::scoped_lock lock(inserting_);
  for (std::size_t i = 0; i < batch.size(); ++i) table_->prefetch_index(batch.hash(i));
  for (std::size_t i = 0; i < batch.size(); ++i) table_->prefetch_state(batch.hash(i));
  for (std::size_t i = 0; i < batch.size(); ++i)
    if (table_->insert(batch.state(i), batch.hash(i)).inserted) extras_->append(batch.extra(i));
  const std::uint64_t bytes = memory_bytes();
  peak_bytes_ = std::max(peak_bytes_, bytes);
  stored_peak_ = std::max(stored_peak_, table_->size());
  if (bytes >= table_bytes_ || table_->size() > no_state / 2) spill();
}

std::uint64_t SpilledStates::begin_of(const std::byte* state) const {
  std::uint64_t begin = 0;
  std::memcpy(&begin, state, std::min(state_bytes_, sizeof begin));
  return __builtin_bswap64(begin);
}

void SpilledStates::empty_table() {
  table_.emplace(state_bytes_, SegmentedTable<>::Limits{.segment_bits = table_segment_bits});
  extras_.emplace(extra_bytes_);
  on_disk_.clear();
  resolved_ = 0;
}

void SpilledStates::spill() {
  const auto size = static_cast<StateId>(table_->size());
  if (auto run = write(0, resolved_, 0); run->size() != 0) add_generation(std::move(run));
  if (resolved_ < size) add_candidates(write(resolved_, size, extra_bytes_));
  empty_table();
}

std::shared_ptr<StateRun> SpilledStates::write(StateId first, StateId end, std::size_t extra_bytes) {
  auto run = std::make_shared<StateRun>(space_, state_bytes_, extra_bytes);
  for (const Entry& entry : Sorted(*this, first, end)) {
    const bool resolved = entry.id < resolved_;
    if (resolved && on_disk_[entry.id]) continue;
    run->append(table_->state(entry.id), extra_bytes != 0 ? (*extras_)[entry.id] : nullptr);
    if (resolved) note_on_disk(table_->state(entry.id));
  }
  run->finish();
  return run;
}

void SpilledStates::add_generation(Run run) {
  std::uint64_t size = run->size();
  generations_.push_back(std::move(run));
  std::size_t first = generations_.size() - 1;
  while (first > 0 && generations_[first - 1]->size() < 2 * size) size += generations_[--first]->size();
  if (first + 1 == generations_.size()) return;
  Run all = merged(std::span(generations_).subspan(first), 0);
  generations_.resize(first);
  generations_.push_back(std::move(all));
}

void SpilledStates::add_candidates(Run run) {
  candidates_.push_back(std::move(run));
  if (candidates_.size() > most_candidate_runs) candidates_ = {merged(candidates_, extra_bytes_)};
}

SpilledStates::Run SpilledStates::merged(std::span<const Run> runs, std::size_t extra_bytes) {
  auto all = std::make_shared<StateRun>(space_, state_bytes_, extra_bytes);
  StateRun::merge(pointers(runs),
                  [&](const std::byte* state, const std::byte* extra) { all->append(state, extra); });
  all->finish();
  return all;
}

std::vector<const StateRun*> SpilledStates::pointers(std::span<const Run> runs) {
  std::vector<const StateRun*> result;
  for (const Run& run : runs) result.push_back(run.get());
  return result;
}

SpilledStates::Sorted::Sorted(const SpilledStates& states, StateId first, StateId end)
    : memory_((end - first) * sizeof(Entry)), entries_(reinterpret_cast<Entry*>(memory_.data())) {
  for (StateId id = first; id < end; ++id)
    ::new (entries_ + size_++) Entry{states.begin_of(states.table_->state(id)), id};
  const std::size_t begin_bytes = std::min(states.state_bytes_, sizeof(std::uint64_t));
  std::sort(entries_, entries_ + size_, [&](const Entry& a, const Entry& b) {
    if (a.begin != b.begin) return a.begin < b.begin;
    return std::memcmp(states.table_->state(a.id) + begin_bytes, states.table_->state(b.id) + begin_bytes,
                       states.state_bytes_ - begin_bytes) < 0;
  });
}

}  // namespace tideline
