// Fairness: which infinite runs count, by how they treat the processes (the components of a System), or sets of
// actions that the user names. Both are parties here: a process is the actions in which it takes part.
//
// A party is enabled in a state when one of its actions is, one that ends in a model error included. It moves with
// each of its actions; so a step may be one of several. In a deadlock nothing is enabled, so staying there for ever is
// fair. Every strongly fair run is weakly fair.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/system.hpp"

namespace tideline {

enum class Fairness {
  none,    ///< every run counts
  weak,    ///< a party that is enabled in all states from some point on moves infinitely often
  strong,  ///< a party that is enabled infinitely often moves infinitely often
};

std::string_view to_string(Fairness fairness);
std::optional<Fairness> fairness_from(std::string_view text);

struct FairParty {
  std::string name;
  std::vector<ActionId> actions;  ///< ascending
};

/// The processes that take part in any action, in their order; or the sets of actions that the patterns name (see
/// model/labels.hpp), one for each. Throws Error(usage) for a pattern that names none.
std::vector<FairParty> fair_parties(const System& system, const std::vector<std::string>& patterns = {});

/// "weakly fair runs", "runs that are weakly fair to deliver*"
std::string fairness_text(Fairness fairness, const std::vector<std::string>& patterns);

}  // namespace tideline
