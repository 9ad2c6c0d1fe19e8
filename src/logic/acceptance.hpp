// Acceptance conditions of any kind, and how automata with them become generalised Büchi automata.
//
// A condition (Emerson and Lei 1987) is a Boolean combination of "edges of this set come infinitely often"
// and "finitely often": co-Büchi, Rabin, Streett and parity are special cases. Here it is kept as the list of
// ways to be accepted (its disjunctive normal form). A way with "finitely often" is followed in a copy of the
// automaton that lacks the edges in question: a run guesses when the last of them has been taken, and moves
// there for good.
#pragma once

#include <vector>

#include "logic/symbolic_automaton.hpp"

namespace tideline {

/// Edges by acceptance sets: those in one of `sets`, and those outside one of `complements`.
struct EdgeSet {
  Marks sets = 0;
  Marks complements = 0;

  bool empty() const { return sets == 0 && complements == 0; }
  bool contains(Marks marks) const { return (marks & sets) != 0 || (~marks & complements) != 0; }
  bool operator==(const EdgeSet&) const = default;
};

/// Edges of `finite` come finitely often, and of each of `infinite` some edges infinitely often.
struct AcceptanceWay {
  EdgeSet finite = {};
  std::vector<EdgeSet> infinite = {};
  bool operator==(const AcceptanceWay&) const = default;
};

/// A run is accepting if it satisfies one of the ways. No way: f; a way without conditions: t.
using Acceptance = std::vector<AcceptanceWay>;

/// More ways than this are not worth their copies of the automaton.
inline constexpr std::size_t max_acceptance_ways = 64;

Acceptance either(Acceptance a, const Acceptance& b);
/// Both may have at most max_acceptance_ways ways; the result may have more.
Acceptance both(const Acceptance& a, const Acceptance& b);

/// An automaton with the condition "infinitely many edges of each set" for one with the
/// condition `acceptance`.
SymbolicAutomaton to_generalised_buchi(SymbolicAutomaton automaton, const Acceptance& acceptance);

}  // namespace tideline
