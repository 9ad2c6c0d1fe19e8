#include "gpu/product_space.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "model/error.hpp"
#include "search/lassos/owcty.hpp"

namespace tideline::gpu {

namespace {

constexpr std::uint64_t nowhere = ~std::uint64_t{0};

/// Puts back what it has been, in the end.
struct Restored {
  Search& numbers;
  const Search& before;

  ~Restored() { numbers = before; }
};

}  // namespace

ProductSpace::Options ProductSpace::with_measure(Options options, const Measure& measure) {
  options.measure = measure;
  options.keeps_log = true;
  return options;
}

ProductSpace::ProductSpace(const System& product, ErrorSemantics errors, Watches watches,
                           const Measure& acceptance, bool weak, const Options& options)
    : Space(product, errors, std::move(watches), with_measure(options, acceptance)), weak_(weak) {}

std::uint64_t ProductSpace::bytes() const {
  return Space::bytes() + candidates_.bytes() + list_.bytes() + counters_.bytes();
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
  const Restored restored{s_, found_};
  list_candidates();
  if (candidate_count_ == 0) return false;
  if (weak_) keep(Collect::candidates, budget);
  return remains_after_rounds(
      weak_, candidate_count_, rounds_,
      [&](bool is_first) { return keep(is_first ? Collect::candidates : Collect::members, budget); },
      [&] { return remove(budget); }, [] { return false; });
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
  list_ = need(list_bytes);
  counters_ = need(s_.slots * sizeof(std::uint32_t));
  device_->clear(counters_.as<void>(), counters_.bytes());
  s_.counters = found_.counters = counters_.as<std::uint32_t>();
  s_.least_start = found_.least_start = weak_ ? 1 : 2;
  s_.dealt = candidates_.as<Word>();
  s_.bucket_counts[1] = 0;
  run_through(Mode::deal, s_.log, found_.count);
}

std::uint64_t ProductSpace::keep(Collect from, Budget& budget) {
  return spread(from, Task::keep, budget);
}

std::uint64_t ProductSpace::remove(Budget& budget) {
  return spread(Collect::without_predecessors, Task::remove, budget);
}

std::uint64_t ProductSpace::spread(Collect from, Task task, Budget& budget) {
  s_.log = list_.as<Word>();
  s_.log_capacity = candidate_count_ + s_.margin;
  s_.most_states = nowhere / 2;  // nothing is put into the table
  s_.count = 0;
  s_.collect = from;
  run_through(Mode::collect, candidates_.as<Word>(), candidate_count_);
  s_.cursor = s_.level_begin = s_.level_end = s_.levels = 0;
  s_.task = task;
  s_.deadlocked_count = s_.given_up_count = s_.report_count = s_.level_size_count = 0;
  list_levels_.clear();
  stepped_.clear();
  Stop stop;
  do {
    launch(Mode::expand);
    stop = s_.stop;
    for (const std::uint64_t size : take(s_.level_sizes, s_.level_size_count))
      list_levels_.push_back(size + (list_levels_.empty() ? 0 : list_levels_.back()));
    take_deadlocked();
    step_given_up();
    budget.require(
        {.states = found_.count, .transitions = found_.transitions, .frontier = s_.count - s_.cursor});
  } while (stop != Stop::complete);
  s_.task = Task::insert;
  expanded_ += s_.count;
  return s_.count;
}

/// What states lead to that the device has given up.
void ProductSpace::step_given_up() {
  std::vector<std::vector<std::byte>> successors;
  for (std::vector<std::byte>& state : states(take_given_up())) {
    machine_.successors(state.data(), [&](const Step& step) {
      if (step.state) successors.emplace_back(step.state, step.state + state.size());
    });
    stepped_.push_back(std::move(state));
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

/// Of the state with this number on the list, and its number: of one on a level the state of the level before by which it
/// was met; of one to begin with, any.
Predecessor ProductSpace::predecessor_listed(const std::vector<std::byte>& state, std::uint64_t& number) {
  const auto level = std::ranges::upper_bound(list_levels_, number);
  const bool begins = level == list_levels_.begin();
  const std::uint64_t end = begins ? list_levels_.back() : *std::prev(level);
  const std::uint64_t first = begins || std::prev(level) == list_levels_.begin() ? 0 : *std::prev(level, 2);
  const Word* const list = list_.as<Word>() + first * code_.dense().words();
  if (auto before = predecessor_in(list, end - first, state, number)) {
    number += first;
    return *before;
  }
  for (const std::vector<std::byte>& before : stepped_)
    if (const ActionId action = action_between(before, state); action != no_action)
      if (const std::uint64_t at = position(list, end - first, before); at != nowhere) {
        number = first + at;
        return {before, action};
      }
  throw Error(ErrorKind::internal, "a state that is left has no predecessor");
}

Path ProductSpace::lasso(Budget& budget) {
  const Restored restored{s_, found_};
  keep(Collect::members, budget);
  // Backwards, until a state to begin with comes again.
  std::vector<std::vector<std::byte>> states;
  std::vector<ActionId> actions;
  std::uint64_t number = 0;
  std::map<std::uint64_t, std::size_t> known = {{number, 0}};  // where they are in `states`
  states.push_back(state(number));
  std::size_t again = 0;
  for (;;) {
    budget.require();
    Predecessor before = predecessor_listed(states.back(), number);
    actions.push_back(before.action);
    if (number < list_levels_.front()) {
      const auto [place, is_new] = known.emplace(number, states.size());
      if (!is_new) {
        again = place->second;
        break;
      }
    }
    states.push_back(std::move(before.state));
  }
  s_ = found_;
  Path path = run_to(position(s_.log, s_.count, states[again]), budget);
  path.loop = path.states.size() - 1;
  // From there the cycle is what was found, the last first.
  for (std::size_t i = states.size(); i-- > again;) {
    path.actions.push_back(actions[i]);
    if (i != again) path.states.push_back(states[i]);
  }
  return path;
}

}  // namespace tideline::gpu
