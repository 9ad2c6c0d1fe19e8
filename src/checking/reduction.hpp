// Partial order reduction of a plan's searches: where it may be used, and where it pays.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checking/plan.hpp"
#include "graph/factory.hpp"

namespace tideline {

/// Why no step may be left out for this property; empty: some may.
std::string why_not_reduced(const Property& property, const System& system);

/// Whether a sample of states says that reduction spares more than it costs. The properties are of states, or
/// it is one of infinite runs. Throws LimitReached.
bool reduction_pays(const System& system, const std::vector<Property>& properties, ErrorSemantics errors,
                    Budget& budget);

/// How the states of a search with these settings are stepped through: of a product, or for the properties. Throws
/// LimitReached.
Stepping stepping_for(const System& system, const PropertyProcess* process,
                      const std::vector<Property>& properties, const Settings& settings, Budget& budget);

/// Where there are no more states than this, a whole search takes no time, and says more than a sample.
inline constexpr std::uint64_t few_states_nearby = 20'000;

/// Decides it for every search of a plan for which it is open: the settings have a method afterwards. Notes
/// say where steps are left out that nobody has asked to leave out, and where none are although somebody has.
class Reductions {
 public:
  explicit Reductions(const System& system) : system_(system) {}

  /// Throws LimitReached.
  void choose(Plan& plan, Budget& budget);

 private:
  void decide(PlannedSearch& search, const Plan& plan, Budget& budget);
  bool pays(const PlannedSearch& search, Budget& budget);

  const System& system_;
  std::uint64_t states_ = 0;  ///< 0: not counted yet
};

}  // namespace tideline
