#include "trace/slice.hpp"

#include <algorithm>
#include <utility>

#include "model/each_once.hpp"

namespace tideline {

namespace {

/// A set of slots or components, by their numbers.
using Marks = std::vector<bool>;

void add_marks(Marks& marks, const Slots& slots) {
  for (const SlotId slot : slots) marks[slot] = true;
}

/// Slots that are written by a step, and change.
template <class Visit>
void for_each_change(const Trace& run, const StepUse& use, std::size_t step, const Visit& visit) {
  const Values& before = run.states[step];
  const Values& after = step + 1 < run.states.size() ? run.states[step + 1] : run.states[*run.loop];
  for (const WrittenValue& write : use.writes)
    if (before[write.slot] != after[write.slot]) visit(write.slot);
}

/// Who writes a slot in a run.
class Writers {
 public:
  Writers(const Trace& run, const std::vector<StepUse>& uses) : by_slot_(run.states.front().size()) {
    for (std::size_t i = 0; i < run.actions.size(); ++i)
      for_each_change(run, uses[i], i, [&](SlotId slot) {
        auto& writers = by_slot_[slot];
        for (const ComponentId c : uses[i].components)
          if (std::ranges::find(writers, c) == writers.end()) writers.push_back(c);
      });
  }
  /// Whether a component other than these does.
  bool others_write(SlotId slot, const std::vector<ComponentId>& components) const {
    return std::ranges::any_of(by_slot_[slot],
                               [&](ComponentId c) { return !std::ranges::binary_search(components, c); });
  }

 private:
  std::vector<std::vector<ComponentId>> by_slot_;
};

/// One walk backwards through a run: a finite one once, the cycle of a lasso until nothing changes. visit(i) goes from
/// the state after a step to the one before it, see() adds what is looked at there, and merge(before) what was needed
/// one round of the cycle earlier.
template <class Needed, class Visit, class See, class Merge>
void walk_back(const Trace& run, Needed& needed, const Visit& visit, const See& see, const Merge& merge) {
  const auto back_to = [&](std::size_t first, std::size_t end) {
    for (std::size_t i = end; i-- > first;) {
      visit(i);
      see();
    }
  };
  if (!run.loop) return back_to(0, run.actions.size());
  see();
  for (Needed before;
       before != needed;) {  // at the end of the cycle everything that its start needs is needed
    before = needed;
    back_to(*run.loop, run.actions.size());
    merge(before);
  }
  back_to(0, *run.loop);
}

using Level = unsigned;
constexpr Level never = 1000;

/// The slice with a number of levels.
class RelevantSteps {
 public:
  RelevantSteps(const Trace& run, const std::vector<StepUse>& uses, const Goal& goal, const Writers& writers,
                Level last_level)
      : run_(run),
        uses_(uses),
        goal_(goal),
        writers_(writers),
        last_level_(last_level),
        slots_(run.states.front().size()),
        overwrites_(uses.size(), never) {
    std::size_t components = 0;
    for (const StepUse& use : uses)
      for (const ComponentId c : use.components) components = std::max<std::size_t>(components, c + 1);
    asks_.resize(components);
  }

  Relevance find() {
    // Each round is a whole slice; one that marks more only has more reasons to.
    constexpr int most_rounds = 20;
    for (int round = 0; round < most_rounds; ++round) {
      slice();
      if (!mark_overwrites()) break;
    }
    for (Slots& reads : reads_) keep_each_once(reads);
    Relevance result{.steps = {}, .levels = levels_, .last_level = last_level_, .slots = {}, .reads = reads_};
    for (const Level level : levels_) result.steps.push_back(level <= last_level_);
    for (SlotId slot = 0; slot < slots_.size(); ++slot)
      if (slots_[slot]) result.slots.push_back(slot);
    return result;
  }

 private:
  using Levels = std::vector<Level>;

  void slice() {
    levels_.assign(uses_.size(), never);
    reads_.assign(uses_.size(), {});
    slots_.assign(slots_.size(), false);
    asks_.assign(asks_.size(), never);
    needed_.assign(slots_.size(), never);
    if (run_.fails()) {
      const std::size_t last = uses_.size() - 1;
      levels_[last] = 0;
      ask(last, 0);
      need(last, uses_[last].reads, 0);
    } else {
      need(goal_.at_end, 0);
      add_marks(slots_, goal_.everywhere);
    }
    walk_back(
        run_, needed_, [&](std::size_t i) { visit(i); },
        [&] {
          for (const SlotId slot : goal_.everywhere)
            if (!is_place(slot)) needed_[slot] = 0;
        },
        [&](const Levels& before) {
          for (std::size_t slot = 0; slot < needed_.size(); ++slot)
            needed_[slot] = std::min(needed_[slot], before[slot]);
        });
  }

  /// Those that steps of the run move: processes are moved whether or not that matters.
  bool is_place(SlotId slot) {
    if (places_.empty()) {
      places_.resize(slots_.size());
      for (const StepUse& use : uses_) add_marks(places_, use.places);
    }
    return places_[slot];
  }

  void visit(std::size_t i) {
    const StepUse& use = uses_[i];
    // What mattered one round of a cycle earlier still does, and needs what it reads in this round, too.
    Level level = std::min(levels_[i], overwrites_[i]);
    for (const WrittenValue& write : use.writes) level = std::min(level, needed_[write.slot]);
    if (!goal_.visible.empty() && goal_.visible[i]) level = 0;
    if (meets_others(use))
      for (const ComponentId c : use.components) level = std::min(level, asks_[c]);
    if (level > last_level_) return;
    levels_[i] = level;
    std::vector<std::pair<const WrittenValue*, Level>> values;
    for (const WrittenValue& write : use.writes)
      if (const Level of_value = std::exchange(needed_[write.slot], never); of_value != never)
        values.emplace_back(&write, of_value);
    for (const auto& [write, of_value] : values) {
      // Of a counter that explains something the last step is enough.
      const bool counts =
          of_value > 0 && of_value == level && std::ranges::binary_search(write->from, write->slot);
      need(i, write->from, counts ? of_value + 1 : of_value);
      need(i, write->index, of_value + 1);
    }
    ask(i, level);
    need(i, use.tested, level + 1);
  }

  /// Why its processes got there.
  void ask(std::size_t i, Level level) {
    const Level next = level < last_level_ ? level + 1 : never;
    const bool is_answer = meets_others(uses_[i]);
    for (const ComponentId c : uses_[i].components) asks_[c] = is_answer ? next : std::min(asks_[c], next);
  }

  /// Apart from the locations of its own processes.
  void need(std::size_t i, Slots reads, Level level) {
    if (level > last_level_) return;
    std::erase_if(reads, [&](SlotId slot) { return std::ranges::binary_search(uses_[i].places, slot); });
    need(reads, level);
    reads_[i].insert(reads_[i].end(), reads.begin(), reads.end());
  }
  void need(const Slots& reads, Level level) {
    for (const SlotId slot : reads) needed_[slot] = std::min(needed_[slot], level);
    add_marks(slots_, reads);
  }

  bool meets_others(const StepUse& use) const {
    return use.components.size() > 1 || std::ranges::any_of(use.tested, [&](SlotId slot) {
             return writers_.others_write(slot, use.components);
           });
  }

  /// Steps that overwrite what a step that matters has read, if another process takes them, and they come before anybody
  /// else does. False: there are no new ones.
  bool mark_overwrites() {
    std::vector<std::vector<std::size_t>> readers(slots_.size());  // since the last change
    bool found = false;
    for (std::size_t i = 0; i < run_.actions.size(); ++i) {
      const StepUse& use = uses_[i];
      for_each_change(run_, use, i, [&](SlotId slot) {
        Level level = never;
        for (const std::size_t reader : std::exchange(readers[slot], {}))
          if (are_disjoint(uses_[reader].components, use.components))
            level = std::min(level, levels_[reader] + 1);
        if (level > last_level_ || levels_[i] <= last_level_ || use.components.empty()) return;
        overwrites_[i] = std::min(overwrites_[i], level);
        found = true;
      });
      for (const SlotId slot : reads_[i])
        if (!use.find_write(slot)) readers[slot].push_back(i);
    }
    return found;
  }

  const Trace& run_;
  const std::vector<StepUse>& uses_;
  const Goal& goal_;
  const Writers& writers_;
  const Level last_level_;
  Marks slots_;               ///< that matter at some time
  Marks places_;              ///< locations
  Levels overwrites_;         ///< by step: because of what it overwrites
  Levels levels_;             ///< by step
  Levels needed_;             ///< by slot, in the state that has been reached
  Levels asks_;               ///< by component: the level of the next step that shows how it got there
  std::vector<Slots> reads_;  ///< by step: what it reads that matters
};

}  // namespace

std::vector<bool> needed_steps(const Trace& run, const std::vector<StepUse>& uses, const Goal& goal) {
  Marks steps(uses.size()), needed(run.states.front().size());
  if (run.fails()) steps.back() = true;
  add_marks(needed, goal.at_end);
  walk_back(
      run, needed,
      [&](std::size_t i) {
        const StepUse& use = uses[i];
        // One that a cycle needs in one round it needs in all.
        if (!steps[i] && std::ranges::none_of(use.writes, [&](const auto& w) { return needed[w.slot]; }))
          return;
        steps[i] = true;
        for (const WrittenValue& write : use.writes) needed[write.slot] = false;
        add_marks(needed, use.reads);
      },
      [&] { add_marks(needed, goal.everywhere); },
      [&](const Marks& before) {
        for (std::size_t slot = 0; slot < needed.size(); ++slot)
          if (before[slot]) needed[slot] = true;
      });
  return steps;
}

Relevance relevant_steps(const Trace& run, const std::vector<StepUse>& uses, const Goal& goal,
                         std::size_t few) {
  constexpr Level most_levels = 8;
  const Writers writers(run, uses);
  const auto slice = [&](Level last) { return RelevantSteps(run, uses, goal, writers, last).find(); };
  Relevance best = slice(0);
  for (Level last = 1; last <= most_levels; ++last) {
    Relevance more = slice(last);
    const auto count = static_cast<std::size_t>(std::ranges::count(more.steps, true));
    if (count > (last == 1 ? 2 * few : few)) break;  // the first explanations are worth some more steps
    best = std::move(more);
  }
  return best;
}

}  // namespace tideline
