#include "search/core/stored_graph.hpp"

namespace tideline {

bool StoredGraph::flush(Budget& budget) {
  bool room = true;
  batch_.insert_into(table_, [&](StateId source, Insertion entry, const std::byte*) {
    room = entry.id != no_state;
    if (room && source == no_state && entry.inserted) initial_.push_back(entry.id);
    if (room && source != no_state) targets_.push_back(entry.id);
    return room;
  });
  if (!room) budget.exhaust(full_table_reason(table_.size()));
  return room;
}

// Sorts the transitions by their targets: counts them, turns counts into places, and puts them there.
bool StoredGraph::need_predecessors(Budget& budget) {
  if (!first_into_.empty()) return true;
  std::vector<std::uint64_t> place(size() + std::size_t{2});
  for (std::uint64_t e = 0; e < targets_.size(); ++e) {
    if (e % poll_every == 0 && budget.exhausted(status())) return false;
    ++place[targets_[e] + std::size_t{2}];
  }
  for (std::size_t s = 2; s < place.size(); ++s) place[s] += place[s - 1];
  sources_.resize(targets_.size());
  std::uint64_t e = 0;
  for (StateId state = 0; state < size(); ++state)
    for (; e < first_[state + std::size_t{1}]; ++e) {
      if (e % poll_every == 0 && budget.exhausted(status())) return false;
      sources_[place[targets_[e] + std::size_t{1}]++] = state;
    }
  first_into_ = std::move(place);
  return true;
}

}  // namespace tideline
