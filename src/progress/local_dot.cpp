#include "progress/local_dot.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace tideline {

namespace {

constexpr std::size_t most_values = 64;

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

/// Values of the slots: "wait, 3".
std::string values_text(const System& system, const LocalGraph& graph, LocalGraph::State state) {
  std::string text;
  for (std::size_t i = 0; i < graph.slots.size(); ++i)
    text += (i == 0 ? "" : ", ") + system.show_value(graph.slots[i], graph.state(state)[i]);
  return text;
}

std::string part_dot(const System& system, const LocalMeasure& local, std::size_t number) {
  const LocalGraph& graph = local.graph;
  const auto node = [&](LocalGraph::State state) { return fmt::format("s{}_{}", number, state); };
  std::string text = fmt::format("  subgraph cluster_{} {{\n    label={};\n", number,
                                 quoted(local.name(system) + (local.is_cyclic() ? "" : ", monotone")));
  for (std::uint32_t place = 0; place < local.sccs.places; ++place) {
    std::string members;
    std::size_t count = 0;
    for (LocalGraph::State state = 0; state < graph.size(); ++state) {
      if (local.sccs.place[state] != place) continue;
      members += fmt::format("      {} [label={}{}];\n", node(state),
                             quoted(values_text(system, graph, state)), state == 0 ? ", penwidth=2" : "");
      ++count;
    }
    text += count == 1
                ? members
                : fmt::format("      subgraph cluster_{}_{} {{ label=\"\"; style=dotted;\n{}      }}\n",
                              number, place, members);
  }
  std::set<std::pair<LocalGraph::State, LocalGraph::State>> drawn;
  for (LocalGraph::State from = 0; from < graph.size(); ++from)
    for (const LocalGraph::Edge& edge : graph.edges_of(from)) {
      if (!drawn.emplace(from, edge.to).second) continue;
      const bool back = local.tree.place[edge.to] < local.tree.place[from];
      text += fmt::format("    {} -> {}{};\n", node(from), node(edge.to),
                          back ? " [color=red, style=dashed, constraint=false]" : "");
    }
  return text + "  }\n";
}

}  // namespace

std::string local_dot(const System& system, const std::vector<LocalMeasure>& locals) {
  std::string text =
      fmt::format("digraph {} {{\n  rankdir=LR;\n  node [shape=box, style=rounded];\n", quoted(system.name));
  for (std::size_t i = 0; i < locals.size(); ++i)
    if (locals[i].graph.size() <= most_values) text += part_dot(system, locals[i], i);
  return text + "}\n";
}

}  // namespace tideline
