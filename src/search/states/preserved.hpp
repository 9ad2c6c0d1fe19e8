// What a reduced graph has to preserve for properties to be answered.
#pragma once

#include <vector>

#include "reduce/stubborn.hpp"
#include "run/property.hpp"

namespace tideline {

/// What users are told when Relations::given_up().
inline constexpr const char* given_up_warning =
    "nothing was left out: there are too many actions to find out which of them depend on which";

/// For properties of states; for none, what people count: deadlocks.
por::Preserved preserved_for(const System& system, const std::vector<Property>& properties);

/// For what an automaton accepts. It must not see how often a state is repeated.
por::Preserved preserved_for(const PropertyProcess& process);

}  // namespace tideline
