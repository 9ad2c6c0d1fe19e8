// Measures what a step costs: finding and taking the enabled actions, and evaluating a formula, on
// our own models.
//
// The states are the first few thousand that breadth-first search meets, so that they lie in the cache and
// the interpreter alone is timed. The reference semantics run beside it for scale.
#include <benchmark/benchmark.h>

#include <set>
#include <string>
#include <vector>

#include "exec/interpreter.hpp"
#include "exec/predicate.hpp"
#include "exec/reference.hpp"
#include "lang/lang.hpp"

namespace tideline {
namespace {

constexpr std::size_t sample_size = 4096;

struct Sample {
  explicit Sample(const std::string& name)
      : model(load_model(std::string(TIDELINE_MODELS) + "/" + name)),
        interpreter(Program::compile(model.system, ErrorSemantics::stop)) {
    std::set<std::string> seen;
    const auto add = [&](const std::byte* state) {
      const std::string bytes(reinterpret_cast<const char*>(state), interpreter.state_size());
      if (states.size() < sample_size && seen.insert(bytes).second)
        states.emplace_back(state, state + interpreter.state_size());
    };
    interpreter.initial(add);
    for (std::size_t i = 0; i < states.size(); ++i) {
      const auto state = states[i];
      interpreter.successors(state.data(), [&](const Step& step) {
        if (step.state) add(step.state);
      });
    }
  }

  Model model;
  Interpreter interpreter;
  std::vector<std::vector<std::byte>> states;
};

void successors(benchmark::State& bench, const std::string& name) {
  Sample sample(name);
  std::size_t at = 0;
  std::uint64_t steps = 0;
  for (auto _ : bench) {
    sample.interpreter.successors(sample.states[at].data(), [&](const Step& step) {
      ++steps;
      benchmark::DoNotOptimize(step.state);
    });
    at = at + 1 == sample.states.size() ? 0 : at + 1;
  }
  bench.counters["states/s"] =
      benchmark::Counter(static_cast<double>(bench.iterations()), benchmark::Counter::kIsRate);
  bench.counters["steps/s"] = benchmark::Counter(static_cast<double>(steps), benchmark::Counter::kIsRate);
}

void reference_successors(benchmark::State& bench, const std::string& name) {
  const Sample sample(name);
  const Reference reference(sample.model.system);
  const Layout layout(sample.model.system);
  std::vector<Values> states;
  for (const auto& state : sample.states) states.push_back(layout.unpack(state.data()));
  std::size_t at = 0;
  for (auto _ : bench) {
    for (const ActionId action : reference.enabled(states[at]))
      benchmark::DoNotOptimize(reference.fire(action, states[at]));
    at = at + 1 == states.size() ? 0 : at + 1;
  }
  bench.counters["states/s"] =
      benchmark::Counter(static_cast<double>(bench.iterations()), benchmark::Counter::kIsRate);
}

void formula(benchmark::State& bench, const std::string& name, const std::string& text) {
  const Sample sample(name);
  const System& system = sample.model.system;
  const Predicate predicate(system, Layout(system), parse_expression(system, text, "formula"));
  std::size_t at = 0;
  for (auto _ : bench) {
    ModelErrorKind error;
    benchmark::DoNotOptimize(predicate.evaluate(sample.states[at].data(), error));
    at = at + 1 == sample.states.size() ? 0 : at + 1;
  }
}

BENCHMARK_CAPTURE(successors, peterson3, "peterson3.dve");
BENCHMARK_CAPTURE(successors, abp, "abp.dve");
BENCHMARK_CAPTURE(successors, ring, "ring.dve");
BENCHMARK_CAPTURE(reference_successors, peterson3, "peterson3.dve");
BENCHMARK_CAPTURE(formula, peterson3, "peterson3.dve", "P_0.critical + P_1.critical + P_2.critical <= 1");

}  // namespace
}  // namespace tideline
