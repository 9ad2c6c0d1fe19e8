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

std::string slot_dot(const System& system, const LocalMeasure& local) {
  const LocalGraph& graph = local.graph;
  const std::string name = system.slots[local.slot()].name;
  const auto node = [&](LocalGraph::State state) { return fmt::format("s{}_{}", local.slot(), state); };
  std::string text = fmt::format("  subgraph cluster_{} {{\n    label={};\n", local.slot(),
                                 quoted(name + (local.is_cyclic() ? "" : ", monotone")));
  for (std::uint32_t place = 0; place < local.components.places; ++place) {
    std::string members;
    std::size_t count = 0;
    for (LocalGraph::State state = 0; state < graph.size(); ++state) {
      if (local.components.place[state] != place) continue;
      members += fmt::format("      {} [label={}{}];\n", node(state),
                             quoted(system.show_value(local.slot(), graph.state(state)[0])),
                             state == 0 ? ", penwidth=2" : "");
      ++count;
    }
    text += count == 1
                ? members
                : fmt::format("      subgraph cluster_{}_{} {{ label=\"\"; style=dotted;\n{}      }}\n",
                              local.slot(), place, members);
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
  for (const LocalMeasure& local : locals)
    if (local.graph.size() <= most_values) text += slot_dot(system, local);
  return text + "}\n";
}

}  // namespace tideline
