#include "symbolic/ctl/run.hpp"

#include <algorithm>

#include "graph/factory.hpp"
#include "run/ctl_claims.hpp"
#include "symbolic/space/runs.hpp"

namespace tideline::symbolic {

namespace {

using Part = CtlValues::Part;

/// See run/ctl_claims.hpp.
class SymbolicWalk {
 public:
  explicit SymbolicWalk(CtlValues& values)
      : values_(values),
        space_(values.sets().space()),
        forest_(space_.forest()),
        sets_(space_.sets()),
        interpreter_(stepper(space_.system())) {
    const std::byte* const initial = space_.levels().initial_state();
    path_.states.emplace_back(initial, initial + interpreter_.state_size());
  }

  bool is(Part part, bool value) { return values_.is(part, value, vector(path_.states.back())); }
  std::size_t length() const { return path_.states.size(); }
  bool can_follow(Part) const { return true; }
  bool stopped() const { return false; }  // LimitReached is thrown instead

  Path take() { return std::move(path_); }

  void go_next(Part f) {
    if (contains(values_.sets().deadlocks(), path_.states.back()))
      repeat();
    else
      step_into(values_.set(Side::certain, f));
  }

  void go_until(Part part) {
    const auto& [op, f, g] = values_.formula().nodes[part];
    const NodeId goal = values_.set(Side::certain, g);
    continue_run(space_, path_, values_.set(Side::certain, f), goal);
  }

  void go_on_always(Part part) {
    const NodeId inside = values_.set(Side::certain, part);
    const Kept ends(forest_, sets_.intersect(inside, values_.sets().deadlocks()));
    const Kept anchors(forest_, find_anchors(inside, ends.id()));
    continue_run(space_, path_, inside, anchors.id());
    if (!contains(ends.id(), path_.states.back()))
      go_round(inside);
    else if (values_.paths() == DeadlockPaths::stutter)
      loop_from(length() - 1, [&] { repeat(); });
  }

 private:
  std::vector<Index> vector(const std::vector<std::byte>& state) const {
    return space_.levels().find_vector(state.data()).value();
  }
  bool contains(NodeId set, const std::vector<std::byte>& state) const {
    const auto found = space_.levels().find_vector(state.data());
    return found && sets_.contains(set, *found);
  }
  NodeId single(const std::vector<Index>& state) { return sets_.single(space_.levels().all(), state); }

  void repeat() {
    path_.states.push_back(path_.states.back());
    path_.actions.push_back(no_action);
  }

  /// One step to some state of a set; there must be one.
  void step_into(NodeId set) {
    const std::vector<std::byte> state = path_.states.back();
    bool found = false;
    interpreter_.successors(state.data(), [&](const Step& step) {
      if (found || !step.state) return;
      std::vector<std::byte> next(step.state, step.state + interpreter_.state_size());
      if (!contains(set, next)) return;
      found = true;
      path_.states.push_back(std::move(next));
      path_.actions.push_back(step.action);
    });
    if (!found) throw Error(ErrorKind::internal, "a run through a decision diagram has a gap");
  }

  /// States that the last one can reach within the set: some that are in `ends`, or one on a cycle.
  NodeId find_anchors(NodeId inside, NodeId ends) {
    Saturation<Direction::forward, true> forward(space_.relations());
    Kept tried(forest_, single(vector(path_.states.back())));
    for (;;) {
      const Kept reached(forest_, forward.saturate(tried.id(), inside));
      if (const NodeId met = sets_.intersect(reached.id(), ends); met != empty) return met;
      if (space_.relations().predecessors(tried.id(), reached.id()) != empty) return tried.id();
      const Kept others(forest_, sets_.subtract(reached.id(), tried.id()));
      if (others.id() == empty)
        throw Error(ErrorKind::internal, "a run through a decision diagram has no end");
      tried.set(single(sets_.pick(others.id())));
    }
  }

  /// Goes back to the last state within the set.
  void go_round(NodeId inside) {
    const Kept anchor(forest_, single(vector(path_.states.back())));
    Saturation<Direction::backward, true> backward(space_.relations());
    const Kept returning(forest_, backward.saturate(anchor.id(), inside));
    loop_from(length() - 1, [&] {
      step_into(returning.id());
      continue_run(space_, path_, returning.id(), anchor.id());
    });
  }

  /// Closes the loop of the run; the state to which it goes back is not listed twice.
  template <class Close>
  void loop_from(std::size_t start, const Close& close) {
    close();
    path_.loop = start;
    path_.states.pop_back();
  }

  CtlValues& values_;
  StateSpace& space_;
  Forest& forest_;
  Sets& sets_;
  Interpreter interpreter_;
  Path path_;
};

}  // namespace

CtlRun ctl_run(CtlValues& values, bool value) {
  SymbolicWalk walk(values);
  ClaimFollower follower(values.formula(), walk);
  CtlRun run;
  run.found = follower.follow(value);
  if (!run.found) return run;
  run.path = walk.take();
  run.remark = follower.remark();
  return run;
}

}  // namespace tideline::symbolic
