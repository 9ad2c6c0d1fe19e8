// Networks of LTSs by synchronisation vectors, and parallel composition as in CSP in terms of them.
//
// A *vector* says which components move together: a list of components, each with one of its own labels, and
// the label of the common step. A network can do exactly what its vectors allow. Composition on shared
// labels, hiding and renaming only compute vectors, so that nothing later knows about them:
//
//   - one component: one vector for each of its labels
//   - in parallel: a label belongs to all sides that have it in their alphabet, and they take it together,
//     each by any of its vectors with that label; hidden vectors stay as they are
//   - by rules: each names some of the sides and a label for each, and they take these together under a new
//     label, each by any of its vectors with that label; what no rule names never happens
//   - hiding turns the label of a vector into the internal action and takes it out of the alphabet
//   - renaming gives a vector another label, or several: then there is a vector for each
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "lang/lts/lts.hpp"
#include "model/system.hpp"

namespace tideline::lts {

struct Part {
  ComponentId component = 0;
  LabelId label = 0;  ///< of the component's own Lts
  auto operator<=>(const Part&) const = default;
};

struct SyncVector {
  LabelId label = internal_label;  ///< of the network's labels
  std::vector<Part> parts{};       ///< of different components, ascending
  auto operator<=>(const SyncVector&) const = default;
};

bool takes_part(ComponentId component, const SyncVector& vector);

struct Composite {
  std::vector<LabelId> alphabet{};  ///< sorted
  std::vector<SyncVector> vectors{};
};

/// More vectors are refused: combinations multiply.
inline constexpr std::size_t most_vectors = 1'000'000;

/// A component alone. `names[l]` is what the network calls label l of its Lts; `alphabet` has further ones.
Composite alone(ComponentId component, const std::vector<LabelId>& names, std::vector<LabelId> alphabet);

/// All sides in parallel. Not complete when there are too many vectors; `exploding` is the label of
/// the last one.
struct Parallel {
  Composite composite{};
  bool complete = true;
  LabelId exploding = 0;
};
Parallel parallel(const std::vector<Composite>& sides);

/// A synchronisation vector over sides: the label of the common step, and the sides that take part.
struct Rule {
  struct Taker {
    std::size_t side = 0;
    ComponentId component = 0;  ///< of that side: only vectors in which it takes part count
    LabelId label = 0;          ///< of the network's labels, as the side shows it
  };
  LabelId label = internal_label;
  std::vector<Taker> takers{};  ///< of different sides
};

/// All sides, synchronised by the rules only; internal vectors stay. Not complete as above.
Parallel synchronised(const std::vector<Composite>& sides, const std::vector<Rule>& rules);

/// Each label becomes those that `images` returns (none: it stays), also in the alphabet. Vectors that become
/// equal are merged. Stops early with more than most_vectors.
Composite renamed(Composite composite, const std::function<std::vector<LabelId>(LabelId)>& images);

/// Labels for which `hide` is true become internal.
Composite hidden(Composite composite, const std::function<bool(LabelId)>& hide);

}  // namespace tideline::lts
