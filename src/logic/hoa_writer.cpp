#include <fmt/format.h>

#include "logic/automaton_text.hpp"
#include "logic/hoa.hpp"

namespace tideline {

namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  result += '"';
  return result;
}

std::string acceptance(const Automaton& automaton) {
  if (automaton.sets == 0) return "acc-name: all\nAcceptance: 0 t\n";
  std::string text = automaton.sets == 1 ? "acc-name: Buchi\n"
                                         : fmt::format("acc-name: generalized-Buchi {}\n", automaton.sets);
  text += fmt::format("Acceptance: {} ", automaton.sets);
  for (std::uint32_t set = 0; set < automaton.sets; ++set)
    text += fmt::format("{}Inf({})", set == 0 ? "" : "&", set);
  return text + "\n";
}

std::string marks_text(std::uint32_t marks) {
  std::string text;
  for (std::uint32_t set = 0; set < max_automaton_sets; ++set)
    if ((marks >> set) & 1) text += fmt::format("{}{}", text.empty() ? "" : " ", set);
  return text.empty() ? "" : fmt::format(" {{{}}}", text);
}

/// HOA calls an automaton weak only if the edges of an SCC are all in the same sets.
bool has_uniform_sccs(const Automaton& automaton) {
  constexpr std::uint32_t unknown = ~std::uint32_t{0};
  const AutomatonSccs parts = sccs(automaton);
  std::vector<std::uint32_t> marks(parts.count, unknown);
  for (const AutomatonEdge& edge : automaton.edges) {
    const std::uint32_t part = parts.of[edge.from];
    if (parts.of[edge.to] != part) continue;
    if (marks[part] != unknown && marks[part] != edge.marks) return false;
    marks[part] = edge.marks;
  }
  return true;
}

std::string properties(const Automaton& automaton) {
  std::string text = "properties: trans-labels explicit-labels";
  text += automaton.state_based ? " state-acc" : " trans-acc";
  if (is_complete(automaton)) text += " complete";
  if (is_deterministic(automaton)) text += " deterministic";
  if (is_weak(automaton)) {
    const bool uniform = has_uniform_sccs(automaton);
    text += uniform ? " weak" : " inherently-weak";
    if (uniform && is_terminal(automaton)) text += " terminal";
  }
  return text + "\n";
}

}  // namespace

std::string to_hoa(const Automaton& automaton) {
  std::string text = "HOA: v1\n";
  if (!automaton.name.empty()) text += fmt::format("name: {}\n", quoted(automaton.name));
  text += "tool: \"tideline\"\n";
  text += fmt::format("States: {}\nStart: {}\nAP: {}", automaton.states, automaton.initial,
                      automaton.atoms.size());
  for (const std::string& atom : automaton.atoms) text += fmt::format(" {}", quoted(atom));
  text += fmt::format("\n{}{}--BODY--\n", acceptance(automaton), properties(automaton));

  LabelSpelling spelling{{}, "!", "&", " | ", "t", false};
  for (std::size_t i = 0; i < automaton.atoms.size(); ++i) spelling.atoms.push_back(std::to_string(i));
  const std::vector<LabelledEdge> edges = labelled_edges(automaton);
  std::size_t at = 0;
  for (std::uint32_t state = 0; state < automaton.states; ++state) {
    text += fmt::format("State: {}{}\n", state,
                        automaton.state_based ? marks_text(automaton.state_marks(state)) : "");
    for (; at < edges.size() && edges[at].from == state; ++at)
      text += fmt::format("[{}] {}{}\n", label_text(edges[at].label, spelling), edges[at].to,
                          automaton.state_based ? "" : marks_text(edges[at].marks));
  }
  return text + "--END--\n";
}

}  // namespace tideline
