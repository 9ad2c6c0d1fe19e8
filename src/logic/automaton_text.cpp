#include "logic/automaton_text.hpp"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "logic/ltl.hpp"

namespace tideline {

std::vector<LabelledEdge> labelled_edges(const Automaton& automaton) {
  BddManager bdds;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Bdd> labels;
  for (const AutomatonEdge& edge : automaton.edges) {
    Bdd& label = labels[{edge.from, edge.to, edge.marks}];
    label = bdds.or_(label, bdds.cube(edge.label));
  }
  std::vector<LabelledEdge> result;
  for (const auto& [key, label] : labels) {
    const auto [from, to, marks] = key;
    result.push_back({from, to, marks, bdds.few_cubes(label)});
  }
  return result;
}

namespace {

std::string cube_text(const Cube& cube, const LabelSpelling& spelling) {
  std::string text;
  for (std::size_t i = 0; i < spelling.atoms.size(); ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    if (((cube.positive | cube.negative) & bit) == 0) continue;
    if (!text.empty()) text += spelling.conjunction;
    if (cube.negative & bit) text += spelling.negation;
    text += spelling.atoms[i];
  }
  return text.empty() ? spelling.truth : text;
}

}  // namespace

std::string label_text(const std::vector<Cube>& label, const LabelSpelling& spelling) {
  std::string text;
  for (const Cube& cube : label) {
    if (!text.empty()) text += spelling.disjunction;
    const std::string one = cube_text(cube, spelling);
    text += label.size() > 1 && spelling.parenthesised ? fmt::format("({})", one) : one;
  }
  return text;
}

std::vector<std::string> describe(const Automaton& automaton) {
  std::vector<std::string> words;
  words.push_back(is_deterministic(automaton) ? "deterministic" : "nondeterministic");
  if (is_complete(automaton)) words.push_back("complete");
  if (is_terminal(automaton))
    words.push_back("terminal");
  else if (is_weak(automaton))
    words.push_back("weak");
  if (is_safety(automaton)) words.push_back("safety");
  if (is_empty(automaton)) words.push_back("empty");
  return words;
}

namespace {

std::string dot_quoted(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

std::string marks_text(std::uint32_t marks) {
  std::string text;
  for (std::uint32_t set = 0; set < max_automaton_sets; ++set)
    if ((marks >> set) & 1) text += fmt::format("{}{}", text.empty() ? "" : ",", set);
  return text.empty() ? "" : fmt::format("{{{}}}", text);
}

}  // namespace

std::string to_dot(const Automaton& automaton) {
  const bool doubled = automaton.state_based && automaton.sets == 1;
  std::string text =
      fmt::format("digraph automaton {{\n  rankdir=LR\n  label=\"{}\"\n  node [shape=circle]\n",
                  dot_quoted(automaton.name));
  text += "  start [label=\"\", shape=none, width=0, height=0]\n";
  text += fmt::format("  start -> {}\n", automaton.initial);
  for (std::uint32_t state = 0; state < automaton.states; ++state)
    if (doubled && automaton.state_marks(state) != 0)
      text += fmt::format("  {} [peripheries=2]\n", state);
    else
      text += fmt::format("  {}\n", state);
  LabelSpelling spelling{automaton.atoms};
  for (std::string& atom : spelling.atoms)
    if (!is_bare_ltl_name(atom)) atom = fmt::format("({})", atom);
  for (const LabelledEdge& edge : labelled_edges(automaton)) {
    const std::string marks = doubled ? "" : marks_text(edge.marks);
    text += fmt::format("  {} -> {} [label=\"{}{}\"]\n", edge.from, edge.to,
                        dot_quoted(label_text(edge.label, spelling)),
                        marks.empty() ? "" : fmt::format("\\n{}", marks));
  }
  return text + "}\n";
}

// SPIN recognises initial and accepting states by the prefixes of their names.
std::string to_never_claim(const Automaton& automaton) {
  if (!automaton.state_based || automaton.sets > 1)
    throw Error(
        ErrorKind::usage,
        "a never claim has one set of accepting states; this automaton has another acceptance condition");
  const auto accepting = [&](std::uint32_t state) {
    return automaton.sets == 0 || automaton.state_marks(state) != 0;
  };
  const auto name = [&](std::uint32_t state) {
    const bool is_initial = state == automaton.initial;
    return fmt::format("{}_{}", accepting(state) ? "accept" : "T0",
                       is_initial ? "init" : fmt::format("S{}", state));
  };
  LabelSpelling spelling{automaton.atoms, "!", " && ", " || ", "true", true};
  for (std::string& atom : spelling.atoms) atom = fmt::format("({})", atom);

  std::vector<std::string> bodies(automaton.states);
  for (const LabelledEdge& edge : labelled_edges(automaton))
    bodies[edge.from] +=
        fmt::format("  :: ({}) -> goto {}\n", label_text(edge.label, spelling), name(edge.to));
  std::string comment = automaton.name;
  for (std::size_t at = 0; (at = comment.find("*/", at)) != std::string::npos;) comment.replace(at, 2, "* /");
  std::string text = fmt::format("never {{ /* {} */\n", comment);
  const auto add = [&](std::uint32_t state) {
    text += name(state) + ":\n";
    text += bodies[state].empty() ? "  false;\n" : fmt::format("  if\n{}  fi;\n", bodies[state]);
  };
  add(automaton.initial);  // execution of a claim begins at its first state
  for (std::uint32_t state = 0; state < automaton.states; ++state)
    if (state != automaton.initial) add(state);
  return text + "}\n";
}

}  // namespace tideline
