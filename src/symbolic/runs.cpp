#include "symbolic/runs.hpp"

#include <algorithm>
#include <optional>

#include "exec/interpreter.hpp"

namespace tideline::symbolic {

namespace {

/// Nodes that were made since the beginning, after which predecessors are taken event by event.
constexpr std::uint64_t patience_nodes = 50'000;
constexpr std::size_t patience_steps = 2'000;

class RunFinder {
 public:
  RunFinder(StateSpace& space, Path& path, NodeId within)
      : space_(space),
        relations_(space.relations()),
        sets_(space.sets()),
        forest_(space.forest()),
        path_(path),
        first_(space.levels().find_vector(path.states.back().data()).value()),
        within_(forest_.root(within)) {}

  void find(NodeId targets) {
    approach(targets);
    walk();
  }

 private:
  bool at_first() const { return sets_.contains(known_.back().id(), first_); }

  void approach(NodeId targets) {
    known_.push_back(forest_.root(targets));
    Forest::Root frontier = forest_.root(targets);
    std::uint64_t made = 0;
    while (!at_first()) {
      if (known_.size() > 1 && known_.back().id() == known_[known_.size() - 2].id())
        throw Error(ErrorKind::internal, "a state of a decision diagram cannot be reached");
      if (known_.size() > patience_steps || made > patience_nodes) {
        chain();
        continue;
      }
      const Kept rest(forest_, sets_.subtract(within_.id(), known_.back().id()));
      const std::uint64_t before = forest_.live_nodes();
      Forest::Root next = forest_.root(empty);
      for (const Event& event : relations_.events()) {
        const Kept part(forest_, relations_.preimage(frontier.id(), event.root, rest.id()));
        next.set(sets_.unite(next.id(), part.id()));
      }
      made += std::max(forest_.live_nodes(), before) - before;
      known_.push_back(forest_.root(sets_.unite(known_.back().id(), next.id())));
      frontier = std::move(next);
    }
  }

  /// One round of all events, those that reach high up first; ends when the first state is met.
  void chain() {
    bool any = false;
    for (const Level level : space_.levels().all())
      for (const EventId event : relations_.events_at(level)) {
        const NodeId last = known_.back().id();
        const Kept part(forest_, relations_.preimage(last, relations_.events()[event].root, within_.id()));
        const NodeId next = sets_.unite(last, part.id());
        if (next == last) continue;
        any = true;
        known_.push_back(forest_.root(next));
        if (at_first()) return;
      }
    if (!any) known_.push_back(known_.back());
  }

  /// The first of the sets that a state is in, if it is in one before `before`.
  std::optional<std::size_t> first_with(const std::byte* state, std::size_t before) const {
    const auto vector = space_.levels().find_vector(state);
    if (!vector || before == 0 || !sets_.contains(known_[before - 1].id(), *vector)) return std::nullopt;
    std::size_t low = 0, high = before - 1;
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (sets_.contains(known_[middle].id(), *vector))
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  }

  void walk() {
    Interpreter interpreter(Program::compile(space_.system(), ErrorSemantics::stop));
    const std::size_t size = interpreter.state_size();
    for (std::size_t at = *first_with(path_.states.back().data(), known_.size()); at != 0;) {
      const std::vector<std::byte> state = path_.states.back();
      std::optional<std::size_t> best;
      interpreter.successors(state.data(), [&](const Step& step) {
        if (!step.state) return;
        const auto there = first_with(step.state, best.value_or(at));
        if (!there) return;
        if (best) {
          path_.states.pop_back();
          path_.actions.pop_back();
        }
        best = there;
        path_.states.emplace_back(step.state, step.state + size);
        path_.actions.push_back(step.action);
      });
      if (!best) throw Error(ErrorKind::internal, "a run through a decision diagram has a gap");
      at = *best;
    }
  }

  StateSpace& space_;
  Relations& relations_;
  Sets& sets_;
  Forest& forest_;
  Path& path_;
  std::vector<Index> first_;
  Forest::Root within_;
  std::vector<Forest::Root> known_;  ///< growing sets of states from which the target is reached
};

}  // namespace

Path find_run(StateSpace& space, NodeId targets) {
  Path path;
  const std::byte* const initial = space.levels().initial_state();
  path.states.emplace_back(initial, initial + space.levels().layout().size());
  continue_run(space, path, space.reachable(), targets);
  return path;
}

void continue_run(StateSpace& space, Path& path, NodeId within, NodeId targets) {
  RunFinder(space, path, within).find(targets);
}

}  // namespace tideline::symbolic
