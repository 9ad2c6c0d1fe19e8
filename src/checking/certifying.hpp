// What can be certified: the one place that says for which engines, properties and settings a check writes a proof of
// its answer, and by which search (docs/certificates.md).
#pragma once

#include <string>

#include "checking/plan.hpp"

namespace tideline {

/// Why no certificate can be written of what the plan finds out; empty: it can.
std::string why_not_certified(const System& system, const Plan& plan, const Settings& settings);

/// Whether the engine's own search can prove that properties of this kind hold.
bool certifies(const Engine& engine, PropertyKind kind);

/// For engines that keep nothing of what a proof needs: a second search, by one that does, of all properties that the
/// first has found to be true. Throws Error(internal) when it disagrees.
void certify_by_second_search(const System& system, const PlannedSearch& first, const Outcome& found,
                              Budget& budget);

}  // namespace tideline
