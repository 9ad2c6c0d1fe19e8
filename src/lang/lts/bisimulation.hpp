// Strong bisimulation: which states of an LTS behave alike.
//
// Paige and Tarjan, "Three partition refinement algorithms" (SIAM J. Comput. 16, 1987), with labels:
// O(m log n + sort) for m transitions and n states. States lie in *blocks*, blocks in *superblocks*. What
// stays true: the blocks are stable with respect to every superblock, that is, of two states in one block
// either both or neither have a transition with a given label into it. When every superblock is one block,
// the blocks are the classes. A step takes a superblock S of several blocks, makes a block B of at most half
// its size a superblock of its own, and splits all blocks by B and by S without B; for each state, label and
// superblock there is a count of transitions, so that S without B need not be looked at.
#pragma once

#include <vector>

#include "lang/lts/lts.hpp"

namespace tideline::lts {

struct Quotient {
  Lts lts;                        ///< one state per class, numbered in the order of their smallest members
  std::vector<StateId> class_of;  ///< of each state of the original
};

/// The smallest LTS that is strongly bisimilar. The internal action counts as a label like any other.
Quotient minimise(const Lts& lts);

}  // namespace tideline::lts
