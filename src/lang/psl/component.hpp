// Component: a process with its parameters as an LTS of its own, with all states it could reach alone.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lang/diagnostics.hpp"
#include "lang/lts/network.hpp"
#include "lang/psl/ast.hpp"
#include "lang/psl/check.hpp"

namespace tideline::psl {

/// A network with more labels is refused.
inline constexpr std::size_t most_labels = 1'000'000;

/// Shared while a model is evaluated: errors, each place once, and limits beyond which the model is refused.
class Evaluation {
 public:
  /// A process that has more states on its own is refused by name; the other limits follow from this one.
  Evaluation(Diagnostics& diagnostics, std::size_t most_states)
      : diagnostics_(diagnostics), most_states_(most_states), steps_left_(most_steps()) {}

  std::size_t most_states() const { return most_states_; }
  std::size_t most_transitions() const { return 10 * most_states_; }
  std::uint64_t most_steps() const { return 50 * std::uint64_t{most_states_}; }

  /// One more combination of values is tried. Throws Error(input) when there were too many.
  void step(SourcePoint where);

  void error(SourcePoint where, std::string message) {
    if (places_.emplace(where.line, where.column).second) diagnostics_.error(where, std::move(message));
  }
  Diagnostics& diagnostics() { return diagnostics_; }

 private:
  Diagnostics& diagnostics_;
  std::size_t most_states_;
  std::uint64_t steps_left_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> places_;
};

/// "Slave(3)": a name with values.
std::string with_values(std::string_view name, const std::vector<std::int64_t>& values);

std::vector<std::int64_t> evaluate(const Nodes& nodes, const std::vector<NodeId>& list,
                                   const Environment& environment);

/// The name of a component, with the values of its arguments. Throws NoValue.
std::string name_of(const Nodes& nodes, const Reference& reference, const Environment& environment);

/// Calls visit(name of a label) for every way to choose its indices, with what they remember in the
/// environment. Throws NoValue.
void for_each_label(const Nodes& nodes, const Label& label, Environment& environment, Evaluation& evaluation,
                    const std::function<void(const std::string&)>& visit);

/// Calls visit(environment) for every value of the variable of a forall. Throws NoValue.
template <class Forall, class Visit>
void for_each_value(const Nodes& nodes, const Forall& forall, Environment environment, Evaluation& evaluation,
                    Visit&& visit) {
  const Bounds bounds = evaluate(nodes, forall.range, environment);
  environment.resize(forall.variable + std::size_t{1});
  for (std::int64_t value = bounds.low; value <= bounds.high; ++value) {
    evaluation.step(forall.where);
    environment[forall.variable] = value;
    visit(environment);
  }
}

/// The component of a process, called `name`. Errors are recorded, and the component is then unusable.
lts::NetworkComponent build_component(const File& file, const ProcessClause& process, std::string name,
                                      const Environment& parameters, Evaluation& evaluation);

}  // namespace tideline::psl
