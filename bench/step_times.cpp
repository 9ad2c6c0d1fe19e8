// Measures what taking steps costs, by the interpreter and by native code, and how long native code takes to be made.
//
//   step_times MODEL...     a JSON array with an object for each model
//
// The states are the first few thousand that breadth-first search meets, so that they lie in the cache and stepping
// alone is timed. Both take turns, and the best of several rounds counts.
#include <time.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "exec/machine.hpp"
#include "lang/lang.hpp"
#include "store/segmented_table.hpp"

namespace tideline {
namespace {

constexpr std::uint64_t sample_size = 4096;
constexpr int rounds = 9;

/// Processor time of this thread.
double seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

SegmentedTable<> first_states(Interpreter& graph) {
  SegmentedTable<> table(graph.state_size());
  const auto add = [&](const std::byte* state) {
    if (table.size() < sample_size) table.insert(state, table.hash(state));
  };
  graph.initial(add);
  for (StateId id = 0; id < table.size(); ++id)
    graph.successors(table.state(id), [&](const Step& step) {
      if (step.state) add(step.state);
    });
  return table;
}

template <class G>
double seconds_a_state(G& graph, const SegmentedTable<>& states, std::uint64_t& steps) {
  steps = 0;
  const double start = seconds();
  for (StateId id = 0; id < states.size(); ++id)
    graph.successors(states.state(id), [&](const Step&) { ++steps; });
  return (seconds() - start) / static_cast<double>(states.size());
}

nlohmann::json measure(const std::string& path) {
  Model model = load_model(path);
  model.system.execution = Execution::native;
  const auto errors = model.system.error_state ? ErrorSemantics::error_state : ErrorSemantics::stop;
  const auto program = Program::compile(model.system, errors);
  double compile = std::numeric_limits<double>::max();
  bool made = false;
  for (int round = 0; round < 3; ++round) {
    const double start = seconds();
    made = native::compile_steps(model.system, program->layout()).has_value();
    compile = std::min(compile, seconds() - start);
  }
  Interpreter interpreter(program);
  Machine machine(program);
  const SegmentedTable<> states = first_states(interpreter);
  double interpreted = std::numeric_limits<double>::max(), native = interpreted;
  std::uint64_t steps = 0, native_steps = 0;
  for (int round = 0; round < rounds; ++round) {
    interpreted = std::min(interpreted, seconds_a_state(interpreter, states, steps));
    native = std::min(native, seconds_a_state(machine, states, native_steps));
  }
  if (steps != native_steps) throw std::runtime_error(path + ": native code takes other steps");
  return {{"model", path},
          {"actions", model.system.actions.size()},
          {"state_bytes", program->layout().size()},
          {"sample", states.size()},
          {"steps", steps},
          {"made", made},
          {"compile_s", compile},
          {"interpreter_s", interpreted},
          {"native_s", native}};
}

}  // namespace
}  // namespace tideline

int main(int argc, char** argv) {
  try {
    nlohmann::json results = nlohmann::json::array();
    for (int i = 1; i < argc; ++i) results.push_back(tideline::measure(argv[i]));
    std::cout << results.dump(1) << '\n';
  } catch (const std::exception& error) {
    std::cerr << "step_times: " << error.what() << '\n';
    return 1;
  }
}
