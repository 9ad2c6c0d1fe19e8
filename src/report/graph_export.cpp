#include "report/graph_export.hpp"

#include <fmt/format.h>

#include <string_view>
#include <unordered_map>

#include "exec/interpreter.hpp"
#include "lang/lts/aut.hpp"

namespace tideline {

namespace {

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + "\"";
}

std::string node_label(const System& system, const StateGraph& graph, std::size_t index) {
  std::string label = std::to_string(index);
  if (index == 0) return label + " initial";
  for (SlotId s = 0; s < system.slots.size(); ++s)
    if (graph.states[index][s] != graph.states[0][s])
      label += fmt::format(" {}={}", system.slots[s].name, system.show_value(s, graph.states[index][s]));
  return label;
}

}  // namespace

std::optional<StateGraph> build_graph(const System& system, ErrorSemantics errors, std::size_t max_states,
                                      Budget& budget) {
  Interpreter interpreter(Program::compile(system, errors));
  const std::size_t size = interpreter.state_size();
  std::unordered_map<std::string, std::uint32_t> numbers;  // packed states
  std::vector<const std::string*> order;                   // keys of the map stay where they are
  const auto number_of = [&](const std::byte* state) {
    const auto [entry, fresh] = numbers.try_emplace(std::string(reinterpret_cast<const char*>(state), size),
                                                    static_cast<std::uint32_t>(order.size()));
    if (fresh) order.push_back(&entry->first);
    return entry->second;
  };

  StateGraph graph;
  interpreter.initial([&](const std::byte* state) { number_of(state); });
  for (std::uint32_t from = 0; from < order.size(); ++from) {
    if (order.size() > max_states) return std::nullopt;
    if (budget.exhausted(
            {.states = order.size(), .transitions = graph.edges.size(), .frontier = order.size() - from}))
      return std::nullopt;
    interpreter.successors(reinterpret_cast<const std::byte*>(order[from]->data()), [&](const Step& step) {
      if (step.state)
        graph.edges.push_back({from, number_of(step.state), step.action});
      else
        graph.failures.push_back({from, step.action, step.error});
    });
  }
  if (order.size() > max_states) return std::nullopt;

  graph.states.reserve(order.size());
  for (const std::string* state : order)
    graph.states.push_back(
        interpreter.program().layout().unpack(reinterpret_cast<const std::byte*>(state->data())));
  return graph;
}

std::string to_aut(const System& system, const StateGraph& graph) {
  std::string text;
  lts::AutWriter writer(text, 0, graph.edges.size(), graph.states.size());
  for (const auto& edge : graph.edges)
    writer.transition(edge.from, system.actions[edge.action].label, edge.to);
  return text;
}

std::string to_dot(const System& system, const StateGraph& graph) {
  std::string text = fmt::format("digraph {} {{\n  node [shape=box];\n", in_quotes(system.name));
  for (std::size_t i = 0; i < graph.states.size(); ++i)
    text += fmt::format("  {} [label={}];\n", i, in_quotes(node_label(system, graph, i)));
  for (const auto& edge : graph.edges)
    text += fmt::format("  {} -> {} [label={}];\n", edge.from, edge.to,
                        in_quotes(system.actions[edge.action].label));
  if (!graph.failures.empty()) text += "  error [label=\"model error\", color=red];\n";
  for (const auto& failure : graph.failures)
    text += fmt::format(
        "  {} -> error [label={}, color=red];\n", failure.from,
        in_quotes(fmt::format("{}: {}", system.actions[failure.action].label, to_string(failure.error))));
  return text + "}\n";
}

}  // namespace tideline
