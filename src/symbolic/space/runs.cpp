#include "symbolic/space/runs.hpp"

#include "graph/factory.hpp"

namespace tideline::symbolic {

Path find_run(StateSpace& space, NodeId targets, const Patience& patience) {
  Path path;
  const std::byte* const initial = space.levels().initial_state();
  path.states.emplace_back(initial, initial + space.levels().layout().size());
  continue_run(space, path, space.reachable(), targets, patience);
  return path;
}

void continue_run(StateSpace& space, Path& path, NodeId within, NodeId targets, const Patience& patience) {
  Interpreter interpreter = stepper(space.system());
  const auto moves = [&] {
    std::vector<Move> result;
    interpreter.successors(path.states.back().data(), [&](const Step& step) {
      if (!step.state) return;
      if (auto vector = space.levels().find_vector(step.state))
        result.push_back(
            {step.action, {step.state, step.state + interpreter.state_size()}, std::move(*vector)});
    });
    return result;
  };
  const std::vector<std::vector<Index>> last{space.levels().find_vector(path.states.back().data()).value()};
  Approach approach(space.relations(), targets, within, patience);
  approach.meet(last);
  approach.walk(path, last[0], moves);
}

}  // namespace tideline::symbolic
