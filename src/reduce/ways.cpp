#include "reduce/ways.hpp"

#include "reduce/moves.hpp"

namespace tideline::por {

namespace {

/// Of more locations the table of those that can be reached would take more than half a megabyte.
constexpr std::size_t most_locations = 2000;

}  // namespace

Ways::Ways(const System& system, const std::vector<Footprint>& footprints)
    : processes_(system.components.size()) {
  const std::vector<std::uint8_t> located = located_by_moves_and_placements(system);
  for (ComponentId c = 0; c < processes_.size(); ++c) {
    const std::size_t locations = system.components[c].locations.size();
    if (located[c] != 0 && locations <= most_locations) processes_[c].leaving.resize(locations);
  }
  for (ActionId a = 0; a < system.actions.size(); ++a) {
    if (footprints[a].never_happens) continue;
    for (const Participant& p : system.actions[a].participants)
      if (knows(p.component)) processes_[p.component].leaving[p.from].push_back({a, p.to});
    for (const Placement& p : placements_of(system.actions[a], system))
      if (knows(p.component)) processes_[p.component].placements.push_back({a, p.to});
  }
  for (Process& process : processes_) process.find_reached();
}

/// Backwards from each location.
void Ways::Process::find_reached() {
  const std::size_t words = (leaving.size() + 63) / 64;
  reached.resize(leaving.size() * words);
  std::vector<std::vector<LocationId>> before(leaving.size());
  for (std::size_t from = 0; from < leaving.size(); ++from)
    for (const Move& move : leaving[from]) before[move.to].push_back(static_cast<LocationId>(from));
  std::vector<LocationId> waiting;
  for (std::size_t to = 0; to < leaving.size(); ++to) {
    const auto reach = [&](LocationId from) {
      std::uint64_t& word = reached[from * words + to / 64];
      const std::uint64_t bit = std::uint64_t{1} << (to % 64);
      if ((word & bit) == 0) waiting.push_back(from);
      word |= bit;
    };
    reach(static_cast<LocationId>(to));
    while (!waiting.empty()) {
      const LocationId at = waiting.back();
      waiting.pop_back();
      for (const LocationId from : before[at]) reach(from);
    }
  }
}

void Ways::first_steps(ComponentId component, LocationId from, LocationId to,
                       std::vector<ActionId>& steps) const {
  const Process& process = processes_[component];
  steps.clear();
  const auto add = [&](const std::vector<Move>& moves) {
    for (const Move& move : moves)
      if (process.reaches(move.to, to)) steps.push_back(move.action);
  };
  if (from < process.leaving.size()) add(process.leaving[from]);  // an error state may be at no location
  add(process.placements);
}

}  // namespace tideline::por
