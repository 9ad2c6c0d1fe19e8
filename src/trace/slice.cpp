#include "trace/slice.hpp"

#include <algorithm>
#include <utility>

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

/// One walk backwards through a run: a finite one once, the cycle of a lasso until nothing changes.
template <class Visit>
void walk_back(const Trace& run, const Goal& goal, Marks& needed, const Visit& visit) {
  const std::size_t steps = run.actions.size();
  const auto back_to = [&](std::size_t first, std::size_t end) {
    for (std::size_t i = end; i-- > first;) {
      visit(i);
      add_marks(needed, goal.everywhere);
    }
  };
  if (!run.loop) {
    add_marks(needed, goal.at_end);
    return back_to(0, steps);
  }
  add_marks(needed, goal.everywhere);
  for (Marks before; before != needed;) {  // only grows: at the end of the cycle its start is needed
    before = needed;
    back_to(*run.loop, steps);
    for (std::size_t slot = 0; slot < needed.size(); ++slot)
      if (before[slot]) needed[slot] = true;
  }
  back_to(0, *run.loop);
}

class RelevantSteps {
 public:
  RelevantSteps(const Trace& run, const std::vector<StepUse>& uses, const Goal& goal)
      : run_(run),
        uses_(uses),
        goal_(goal),
        writers_(run, uses),
        overwrites_(uses.size()),
        slots_(run.states.front().size()) {
    std::size_t components = 0;
    for (const StepUse& use : uses)
      for (const ComponentId c : use.components) components = std::max<std::size_t>(components, c + 1);
    live_.resize(components);
  }

  Relevance find() {
    // Each round is a whole slice; one that marks more only has more reasons to.
    constexpr int most_rounds = 20;
    for (int round = 0; round < most_rounds; ++round) {
      slice();
      if (!mark_overwrites()) break;
    }
    for (Slots& reads : reads_) normalise(reads);
    Relevance result{.steps = relevant_, .slots = {}, .reads = reads_};
    for (SlotId slot = 0; slot < slots_.size(); ++slot)
      if (slots_[slot]) result.slots.push_back(slot);
    return result;
  }

 private:
  void slice() {
    relevant_.assign(uses_.size(), false);
    reads_.assign(uses_.size(), {});
    slots_.assign(slots_.size(), false);
    live_.assign(live_.size(), false);
    Marks needed(slots_.size());
    if (run_.fails()) {
      const std::size_t last = uses_.size() - 1;
      relevant_[last] = true;
      need_all_reads(last, needed);
      walk_back(run_, {}, needed, [&](std::size_t i) { visit(i, needed); });
    } else {
      add_marks(slots_, goal_.at_end);
      add_marks(slots_, goal_.everywhere);
      walk_back(run_, goal_, needed, [&](std::size_t i) { visit(i, needed); });
    }
  }

  void visit(std::size_t i, Marks& needed) {
    const StepUse& use = uses_[i];
    const bool writes =
        std::ranges::any_of(use.writes, [&](const WrittenValue& w) { return needed[w.slot]; });
    // What was relevant one round of a cycle earlier stays so, and needs what it reads in this round, too.
    if (!writes && !relevant_[i] && !overwrites_[i] && !interacts(use)) return;
    relevant_[i] = true;
    for (const ComponentId c : use.components) live_[c] = true;
    Slots reads = use.tested;
    for (const WrittenValue& write : use.writes)
      if (needed[write.slot]) reads.insert(reads.end(), write.from.begin(), write.from.end());
    for (const WrittenValue& write : use.writes) needed[write.slot] = false;
    need(i, std::move(reads), needed);
  }

  void need_all_reads(std::size_t i, Marks& needed) {
    for (const ComponentId c : uses_[i].components) live_[c] = true;
    need(i, uses_[i].reads, needed);
  }

  /// Apart from the locations of its own processes.
  void need(std::size_t i, Slots reads, Marks& needed) {
    std::erase_if(reads, [&](SlotId slot) { return std::ranges::binary_search(uses_[i].places, slot); });
    add_marks(needed, reads);
    add_marks(slots_, reads);
    reads_[i].insert(reads_[i].end(), reads.begin(), reads.end());
  }

  bool is_live(const StepUse& use) const {
    return std::ranges::any_of(use.components, [&](ComponentId c) { return live_[c]; });
  }
  bool interacts(const StepUse& use) const {
    if (!is_live(use)) return false;
    return use.components.size() > 1 || std::ranges::any_of(use.tested, [&](SlotId slot) {
             return writers_.others_write(slot, use.components);
           });
  }

  /// Marks steps that overwrite what a relevant step of another process has read, before anybody else does. False:
  /// there are no new ones.
  bool mark_overwrites() {
    std::vector<std::vector<std::size_t>> readers(slots_.size());  // since the last change
    bool found = false;
    for (std::size_t i = 0; i < run_.actions.size(); ++i) {
      const StepUse& use = uses_[i];
      for_each_change(run_, use, i, [&](SlotId slot) {
        const bool interferes = std::ranges::any_of(readers[slot], [&](std::size_t reader) {
          return are_disjoint(uses_[reader].components, use.components);
        });
        readers[slot].clear();
        if (!interferes || relevant_[i] || overwrites_[i] || !is_live(use)) return;
        overwrites_[i] = found = true;
      });
      if (relevant_[i])
        for (const SlotId slot : reads_[i]) readers[slot].push_back(i);
    }
    return found;
  }

  const Trace& run_;
  const std::vector<StepUse>& uses_;
  const Goal& goal_;
  Writers writers_;
  Marks overwrites_;          ///< steps that matter because of what they overwrite
  Marks relevant_;            ///< by step
  Marks slots_;               ///< that matter at some time
  Marks live_;                ///< by component: it takes a relevant step later
  std::vector<Slots> reads_;  ///< by step: what it reads that matters
};

}  // namespace

std::vector<bool> needed_steps(const Trace& run, const std::vector<StepUse>& uses, const Goal& goal) {
  Marks steps(uses.size()), needed(run.states.front().size());
  const auto visit = [&](std::size_t i) {
    const StepUse& use = uses[i];
    // A step that a lasso cannot do without has to be undone on the cycle, too; that is for the replay to see.
    if (!steps[i] && std::ranges::none_of(use.writes, [&](const WrittenValue& w) { return needed[w.slot]; }))
      return;
    steps[i] = true;
    for (const WrittenValue& write : use.writes) needed[write.slot] = false;
    add_marks(needed, use.reads);
  };
  if (run.fails()) steps.back() = true;
  walk_back(run, goal, needed, visit);
  return steps;
}

Relevance relevant_steps(const Trace& run, const std::vector<StepUse>& uses, const Goal& goal) {
  return RelevantSteps(run, uses, goal).find();
}

}  // namespace tideline
