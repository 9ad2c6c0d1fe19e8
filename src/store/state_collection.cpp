#include "store/state_collection.hpp"

#include <algorithm>
#include <new>
#include <numeric>
#include <utility>

#include "model/error.hpp"
#include "run/budget.hpp"
#include "store/state_order.hpp"

namespace tideline {

namespace {

/// Of a lane, while there are few runs.
constexpr std::size_t few_bytes = std::size_t{16} << 20;

/// Neighbours differ in their last bytes.
bool same(const std::byte* a, const std::byte* b, std::size_t bytes) {
  std::uint64_t x = 0, y = 0;
  if (bytes >= sizeof x) {
    std::memcpy(&x, a + bytes - sizeof x, sizeof x);
    std::memcpy(&y, b + bytes - sizeof y, sizeof y);
  }
  return x == y && std::memcmp(a, b, bytes) == 0;
}

}  // namespace

StateCollection::StateCollection(const Options& options)
    : options_(options),
      room_(std::min(options.lane_bytes, few_bytes)),
      space_(options.folder, std::size_t{1} << 16) {}

StateCollection::Lane& StateCollection::open_lane() {
  const std::lock_guard lock(mutex_);
  lanes_.push_back(Lane(*this));
  return lanes_.back();
}

void StateCollection::Lane::add(const std::byte* state, const std::byte* extra) {
  if (collection_->failed_.load(std::memory_order_relaxed)) return;
  const Options& options = collection_->options_;
  const std::size_t more = collection_->record_bytes();
  if (records_.size() + more > records_.capacity() && !make_room()) return;
  records_.insert(records_.end(), state, state + options.state_bytes);
  records_.insert(records_.end(), extra, extra + options.extra_bytes);
}

/// All of it at once: pages that are not written to cost nothing.
bool StateCollection::Lane::make_room() {
  if (!records_.empty()) collection_->spill(*this);
  try {
    records_.reserve(
        std::max(collection_->room_.load(std::memory_order_relaxed), collection_->record_bytes()));
  } catch (const std::bad_alloc&) {
    collection_->fail("out of memory");
  }
  return !collection_->failed_.load(std::memory_order_relaxed);
}

std::string StateCollection::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

template <class Emit>
void StateCollection::each_of(const Lane& lane, const std::function<void()>& poll, const Emit& emit) const {
  const auto record = [&](std::uint32_t number) { return lane.records_.data() + number * record_bytes(); };
  std::vector<std::uint32_t> numbers(lane.records_.size() / record_bytes());
  std::iota(numbers.begin(), numbers.end(), 0u);
  const std::byte* last = nullptr;
  StateOrder(std::move(numbers), options_.state_bytes, record, poll).each([&](std::uint32_t number) {
    const std::byte* const state = record(number);
    if (last == nullptr || !same(last, state, options_.state_bytes))
      emit(state, state + options_.state_bytes);
    last = state;
  });
}

void StateCollection::write_run(Lane& lane) {
  auto run = std::make_unique<StateRun>(space_, options_.state_bytes, options_.extra_bytes);
  each_of(
      lane, [] {}, [&](const std::byte* state, const std::byte* extra) { run->append(state, extra); });
  run->finish();
  const std::lock_guard lock(mutex_);
  spilled_ += lane.records_.size();
  room_ = std::min(options_.lane_bytes, std::max(few_bytes, spilled_ / 16));
  lane.records_.clear();
  runs_.push_back(std::move(run));
}

/// By the thread of the lane.
void StateCollection::spill(Lane& lane) {
  std::string why;
  try {
    return write_run(lane);
  } catch (const LimitReached& limit) {
    why = limit.what();
  } catch (const Error& error) {
    why = error.what();
  } catch (const std::bad_alloc&) {
    why = "out of memory";
  }
  lane.records_.clear();
  fail(std::move(why));
}

void StateCollection::fail(std::string why) {
  const std::lock_guard lock(mutex_);
  failure_ = std::move(why);
  failed_ = true;
}

void StateCollection::for_each(
    const std::function<void(const std::byte* state, const std::byte* extra)>& emit,
    const std::function<void()>& poll) {
  if (kept_.state_at) return each_kept(emit, poll);
  std::erase_if(lanes_, [](const Lane& lane) { return lane.records_.empty(); });
  if (runs_.empty() && lanes_.size() == 1) return each_of(lanes_.front(), poll, emit);
  for (Lane& lane : lanes_) write_run(lane);
  lanes_.clear();
  std::vector<const StateRun*> runs;
  for (const auto& run : runs_) runs.push_back(run.get());
  StateRun::merge(runs, emit);
}

void StateCollection::each_kept(
    const std::function<void(const std::byte* state, const std::byte* extra)>& emit,
    const std::function<void()>& poll) const {
  std::vector<StateId> numbers;
  std::uint64_t count = 0;
  for (const StateRange& range : kept_.ranges) count += range.count;
  numbers.reserve(count);
  for (const StateRange& range : kept_.ranges)
    for (std::uint32_t i = 0; i < range.count; ++i) numbers.push_back(range.first + i);
  const auto& state_at = kept_.state_at;
  StateOrder(
      std::move(numbers), options_.state_bytes, [&](StateId id) { return state_at(id); }, poll)
      .each([&](StateId id) { emit(state_at(id), kept_.extra_at ? kept_.extra_at(id) : nullptr); });
}

}  // namespace tideline
