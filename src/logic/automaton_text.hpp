// Automata as text: DOT drawings, descriptions in words, and never claims for SPIN.
#pragma once

#include <string>
#include <vector>

#include "logic/automaton.hpp"

namespace tideline {

/// For Graphviz. Accepting states are drawn with two lines; acceptance sets of edges are
/// written beside labels.
std::string to_dot(const Automaton& automaton);

/// A never claim for SPIN. The automaton is state-based with one acceptance set; throws
/// Error(usage) otherwise.
std::string to_never_claim(const Automaton& automaton);

/// What kind of automaton it is, in words: "deterministic", "weak", "terminal", ...
std::vector<std::string> describe(const Automaton& automaton);

/// Edges with the same ends and marks, and their labels together.
struct LabelledEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t marks = 0;
  std::vector<Cube> label = {};  ///< a small cover
};
std::vector<LabelledEdge> labelled_edges(const Automaton& automaton);

/// How cubes are written: the literal of an atom, and the words around them.
struct LabelSpelling {
  std::vector<std::string> atoms;
  const char* negation = "!";
  const char* conjunction = " & ";
  const char* disjunction = " | ";
  const char* truth = "1";
  bool parenthesised = false;  ///< cubes in parentheses when there are several
};
std::string label_text(const std::vector<Cube>& label, const LabelSpelling& spelling);

}  // namespace tideline
