// Composition: measures from what each slot of a system can do on its own, without looking at any state.
//
//   L. M. Kristensen, T. Mailund: A Compositional Sweep-Line State Space Exploration Method, FORTE 2002.
//
// The location of a process and every variable is followed through its local graph (local_graph.hpp), which
// gives it two orders (local_order.hpp): its SCCs, which no transition of the system decreases, and a tree
// for what is left within them. A measure composed of such terms has those of SCCs in front: they are claimed
// monotone and divide the state space into columns, so that the persistent states that the others cause are
// forgotten with their column. Where parts advance side by side their places may also be added up: the sum of
// monotone terms is monotone.
//
// The tuple is a linear extension of the product of the orders: a state is deleted when the tuple of the line
// has passed its own. In the product every step in which one part goes back while an earlier one advances
// would regress, and nothing more could be deleted as long as the least tuple is next (testing/product_sweep.hpp).
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "progress/local_order.hpp"
#include "progress/measure.hpp"

namespace tideline {

/// A slot or a group of them, what it can do, and its orders.
struct LocalMeasure {
  LocalGraph graph;
  ValueOrder sccs, tree;

  /// The only slot, unless it is a group.
  SlotId slot() const { return graph.slots[0]; }
  /// "P, P.x"
  std::string name(const System& system) const;
  bool is_cyclic() const { return sccs.places < tree.places; }
};

struct Locals {
  std::vector<LocalMeasure> measures = {};  ///< of all slots that change, except those with too many values
  LocalGraphOptions options = {};           ///< with the ranges that all slots keep to
};

/// Nothing when it has too many values.
std::optional<LocalMeasure> local_measure(const System& system, std::vector<SlotId> slots,
                                          const LocalGraphOptions& options);
/// `budget`: as in LocalGraphOptions, also for what is done with these later.
Locals local_measures(const System& system, ErrorSemantics errors, Budget* budget = nullptr);

/// Claimed monotone, unless a location without a name, which has no place in an order, makes it regress.
MeasureTerm scc_term(const System& system, const LocalMeasure& local);
MeasureTerm tree_term(const System& system, const LocalMeasure& local);

/// What a process does together with its own variables, those that only its actions write: the SCCs of the
/// group, claimed monotone, and its tree, where these have places to tell apart. Of each process as many
/// variables as leave the group with few values; processes without variables have no group.
std::vector<MeasureTerm> group_terms(const System& system, const Locals& locals);

/// The term adds up slots, and no transition can decrease any of these.
bool never_decreases(const MeasureTerm& term, const Locals& locals);
/// The measure with its first terms claimed monotone, and no others: as many as are known never to decrease
/// while those before them stay equal. The local graph of a group of slots, those of a term and of terms
/// before it, may show what none of its slots shows alone: a phase that starts again counts something.
/// At most the first `most` are looked at.
Measure with_claims(const System& system, const Measure& measure, const Locals& locals,
                    std::size_t most = std::numeric_limits<std::size_t>::max());

/// The SCCs of all slots, then the trees of those that have cycles: as many as the bits allow, those of
/// locations first.
Measure composed_measure(const System& system, const Locals& locals, unsigned most_bits);

}  // namespace tideline
