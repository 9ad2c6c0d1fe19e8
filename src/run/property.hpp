// Properties: what a run is asked.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/system.hpp"

namespace tideline {

enum class Verdict { holds, violated, unknown };

std::string_view to_string(Verdict verdict);
std::optional<Verdict> verdict_from(std::string_view text);

enum class PropertyKind {
  deadlock,     ///< no reachable state is without a successor
  invariant,    ///< `expr` is true in every reachable state
  reach,        ///< `expr` is true in some reachable state (holds: the run is the witness)
  assertion,    ///< an invariant that came with the model
  model_error,  ///< no reachable action ends in a model error
  automaton,    ///< no run is accepted by the property process that came with the model
};

std::string_view to_string(PropertyKind kind);

struct Property {
  std::string name;
  PropertyKind kind = PropertyKind::deadlock;
  std::string formula;                   ///< as the user wrote it; empty where the kind says it all
  Expr expr = Expr::constant(1);         ///< for invariant, reach and assertion
  std::optional<Verdict> expected = {};  ///< what the author of the model says the answer is
};

}  // namespace tideline
