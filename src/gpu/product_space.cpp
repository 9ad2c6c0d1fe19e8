#include "gpu/product_space.hpp"

#include <utility>

namespace tideline::gpu {

namespace {

constexpr std::uint64_t nowhere = ~std::uint64_t{0};

Space::Options with_measure(Space::Options options, const Measure& measure) {
  options.measure = measure;
  options.keeps_log = true;
  return options;
}

}  // namespace

ProductSpace::ProductSpace(const System& product, ErrorSemantics errors, Watches watches,
                           const Measure& acceptance, bool weak, const Options& options)
    : Space(product, errors, std::move(watches), with_measure(options, acceptance)) {
  s_.least_start = weak ? 1 : 2;
}

std::uint64_t ProductSpace::bytes() const {
  return Space::bytes() + candidates_.bytes() + list_.bytes() + counters_.bytes();
}

void ProductSpace::run_through(Mode mode, const Word* source, std::uint64_t count) {
  const std::uint64_t cursor = std::exchange(s_.cursor, 0);
  s_.source = source;
  s_.source_count = count;
  s_.found = nowhere;
  if (count != 0) launch(mode);
  s_.cursor = cursor;
}

std::uint64_t ProductSpace::list_candidates() {
  s_.buckets = 2;
  s_.first_bucket = 1;
  s_.bucket_begins[1] = 1;
  s_.bucket_counts[1] = 0;
  run_through(Mode::count, s_.log, s_.count);
  candidate_count_ = s_.bucket_counts[1];
  candidates_ = need(candidate_count_ * state_bytes());
  list_ = need(candidate_count_ * state_bytes());
  counters_ = need(s_.slots * sizeof(std::uint32_t));
  device_->clear(counters_.as<void>(), counters_.bytes());
  s_.counters = counters_.as<std::uint32_t>();
  s_.dealt = candidates_.as<Word>();
  s_.bucket_counts[1] = 0;
  run_through(Mode::deal, s_.log, s_.count);
  return candidate_count_;
}

void ProductSpace::begin_task(Task task, Collect from) {
  if (!found_) {
    found_ = s_;
    found_levels_ = std::move(levels_);
  }
  levels_ = {};
  s_.log = list_.as<Word>();
  s_.log_capacity = s_.most_states = nowhere / 2;  // the list has room, and nothing is put into the table
  s_.count = 0;
  s_.collect = from;
  run_through(Mode::collect, candidates_.as<Word>(), candidate_count_);
  s_.task = task;
  begin();
}

void ProductSpace::end_tasks() {
  if (!found_) return;
  s_ = *std::exchange(found_, std::nullopt);
  levels_ = std::move(found_levels_);
}

std::uint64_t ProductSpace::number_of(const std::vector<std::byte>& state) {
  code_.dense().pack(state.data(), s_.target);
  run_through(Mode::locate, s_.log, s_.count);
  return s_.found;
}

}  // namespace tideline::gpu
