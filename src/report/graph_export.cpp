#include "report/graph_export.hpp"

#include <fmt/format.h>

#include <string_view>

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
