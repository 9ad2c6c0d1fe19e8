#include "gpu/product_space.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "model/error.hpp"

namespace tideline::gpu {

namespace {

constexpr std::uint64_t nowhere = ~std::uint64_t{0};

}  // namespace

ProductSpace::Options ProductSpace::with_measure(Options options, const Measure& measure) {
  options.measure = measure;
  options.keeps_log = true;
  return options;
}

ProductSpace::ProductSpace(const System& product, ErrorSemantics errors, const Measure& region_measure,
                           const Options& options)
    : Space(product, errors, {}, with_measure(options, region_measure)) {}

std::uint64_t ProductSpace::bytes() const {
  return Space::bytes() + candidates_.bytes() + taken_.bytes() + counters_.bytes();
}

void ProductSpace::run_through(Mode mode, const Word* source, std::uint64_t count) {
  s_.cursor = 0;
  s_.source = source;
  s_.source_count = count;
  s_.found = nowhere;
  if (count != 0) launch(mode);
}

bool ProductSpace::trim(Budget& budget) {
  found_ = s_;
  list_candidates();
  if (candidate_count_ != 0) {
    count_steps(budget);
    take_away(budget);
  }
  s_ = found_;
  left_ = candidate_count_ - taken_away_;
  return left_ != 0;
}

/// The states in regions.
void ProductSpace::list_candidates() {
  s_.buckets = 2;
  s_.first_bucket = 1;
  s_.bucket_begins[1] = 1;
  s_.bucket_counts[1] = 0;
  run_through(Mode::count, s_.log, found_.count);
  candidate_count_ = s_.bucket_counts[1];
  // A list may grow by what a launch finds.
  const std::uint64_t list_bytes = (candidate_count_ + s_.margin) * state_bytes();
  candidates_ = need(list_bytes);
  taken_ = need(list_bytes);
  counters_ = need(s_.slots * sizeof(std::uint32_t));
  device_->clear(counters_.as<void>(), counters_.bytes());
  s_.counters = found_.counters = counters_.as<std::uint32_t>();
  s_.dealt = candidates_.as<Word>();
  s_.bucket_counts[1] = 0;
  run_through(Mode::deal, s_.log, found_.count);
}

void ProductSpace::count_steps(Budget& budget) {
  expand_list(candidates_.as<Word>(), candidate_count_, Task::tally, budget);
}

void ProductSpace::take_away(Budget& budget) {
  s_.log = taken_.as<Word>();
  s_.count = 0;
  s_.collects_zeros = 1;
  run_through(Mode::collect, candidates_.as<Word>(), candidate_count_);
  expand_list(taken_.as<Word>(), s_.count, Task::trim, budget);
  taken_away_ = s_.count;
  rounds_ = s_.levels;
}

void ProductSpace::expand_list(Word* list, std::uint64_t count, Task task, Budget& budget) {
  s_.log = list;
  s_.log_capacity = candidate_count_ + s_.margin;
  s_.most_states = nowhere / 2;  // nothing is put into the table
  s_.count = count;
  s_.cursor = s_.level_begin = s_.level_end = s_.levels = 0;
  s_.task = task;
  s_.deadlocked_count = s_.given_up_count = s_.report_count = 0;
  do {
    s_.level_size_count = 0;
    launch(Mode::expand);
    const Stop stop = s_.stop;
    take_deadlocked();
    step_given_up(task);
    s_.stop = stop;
    budget.require(
        {.states = found_.count, .transitions = found_.transitions, .frontier = candidate_count_ - s_.count});
  } while (s_.stop != Stop::complete);
}

/// What states lead to that the device has given up.
void ProductSpace::step_given_up(Task task) {
  std::vector<std::vector<std::byte>> successors;
  for (const std::vector<std::byte>& state : states(take_given_up())) {
    if (task == Task::tally) stepped_.push_back(state);
    machine_.successors(state.data(), [&](const Step& step) {
      if (step.state) successors.emplace_back(step.state, step.state + state.size());
    });
  }
  if (successors.empty()) return;
  std::vector<Word> words(successors.size() * code_.dense().words());
  for (std::size_t i = 0; i < successors.size(); ++i)
    code_.dense().pack(successors[i].data(), words.data() + i * code_.dense().words());
  const DeviceMemory source = need(words.size() * sizeof(Word));
  device_->upload(source.as<void>(), words.data(), words.size() * sizeof(Word));
  const std::uint64_t cursor = s_.cursor;
  run_through(Mode::insert, source.as<Word>(), successors.size());
  s_.cursor = cursor;
}

// --- the lasso

std::uint64_t ProductSpace::position(const Word* list, std::uint64_t count,
                                     const std::vector<std::byte>& state) {
  const std::uint64_t cursor = s_.cursor;
  code_.dense().pack(state.data(), s_.target);
  run_through(Mode::locate, list, count);
  s_.cursor = cursor;
  return s_.found;
}

/// One of those that are left over.
Predecessor ProductSpace::predecessor_left(const std::vector<std::byte>& state) {
  const Word* const left = taken_.as<Word>();
  std::uint64_t found = 0;
  if (auto before = predecessor_in(left, left_, state, found)) return *before;
  for (const std::vector<std::byte>& before : stepped_)
    if (const ActionId action = action_between(before, state);
        action != no_action && position(left, left_, before) != nowhere)
      return {before, action};
  throw Error(ErrorKind::internal, "a state that was left over has no predecessor");
}

Path ProductSpace::lasso(Budget& budget) {
  s_.log = taken_.as<Word>();
  s_.count = 0;
  s_.collects_zeros = 0;
  run_through(Mode::collect, candidates_.as<Word>(), candidate_count_);
  const std::vector<std::byte> first = state(0);
  s_ = found_;
  // Backwards, until a state comes again.
  std::vector<std::vector<std::byte>> states = {first};
  std::vector<ActionId> actions;
  const auto packed = [&](const std::vector<std::byte>& one) {
    std::vector<Word> words(code_.dense().words());
    code_.dense().pack(one.data(), words.data());
    return words;
  };
  std::map<std::vector<Word>, std::size_t> known = {{packed(first), 0}};
  std::size_t again = 0;
  for (;;) {
    budget.require();
    Predecessor before = predecessor_left(states.back());
    actions.push_back(before.action);
    const auto [place, is_new] = known.emplace(packed(before.state), states.size());
    if (!is_new) {
      again = place->second;
      break;
    }
    states.push_back(std::move(before.state));
  }
  const std::uint64_t number = position(s_.log, s_.count, states[again]);
  Path path = run_to(number, budget);
  path.loop = path.states.size() - 1;
  // From there the cycle is what was found, the last first.
  for (std::size_t i = states.size(); i-- > again;) {
    path.actions.push_back(actions[i]);
    if (i != again) path.states.push_back(states[i]);
  }
  return path;
}

}  // namespace tideline::gpu
