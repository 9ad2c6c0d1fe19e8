#include "symbolic/space/approach.hpp"

#include <algorithm>
#include <utility>

namespace tideline::symbolic {

void take(Path& path, Move move) {
  path.actions.push_back(move.action);
  path.states.push_back(std::move(move.state));
}

Approach::Approach(Relations& relations, NodeId targets, NodeId within, const Patience& patience)
    : relations_(relations),
      sets_(relations.sets()),
      forest_(sets_.forest()),
      patience_(patience),
      within_(forest_.root(within)),
      fresh_(forest_.root(targets)),
      known_{forest_.root(targets)} {}

void Approach::meet(std::span<const std::vector<Index>> states) {
  const auto met = [&] {
    return std::ranges::any_of(states, [&](const auto& state) { return sets_.contains(last(), state); });
  };
  while (!met()) {
    const bool patient = known_.size() <= patience_.steps && made_ <= patience_.nodes;
    if (!(patient ? extend() : extend_by_events(met)))
      throw Error(ErrorKind::internal, "a state of a decision diagram cannot be reached");
  }
}

bool Approach::add(NodeId set) {
  if (set == last()) return false;
  known_.push_back(forest_.root(set));
  return true;
}

bool Approach::extend() {
  const Kept rest(forest_, sets_.subtract(within_.id(), last()));
  const std::uint64_t before = forest_.live_nodes();
  Kept next(forest_, empty);
  for (const Event& event : relations_.events()) {
    const Kept part(forest_, relations_.preimage(fresh_.id(), event.root, rest.id()));
    next.set(sets_.unite(next.id(), part.id()));
  }
  made_ += std::max(forest_.live_nodes(), before) - before;
  fresh_.set(next.id());
  return add(sets_.unite(last(), next.id()));
}

/// One round of all events, those that reach high up first; ends when a state is met.
bool Approach::extend_by_events(const std::function<bool()>& met) {
  bool any = false;
  for (const Level level : relations_.levels().all())
    for (const EventId event : relations_.events_at(level)) {
      const Kept part(forest_, relations_.preimage(last(), relations_.events()[event].root, within_.id()));
      if (!add(sets_.unite(last(), part.id()))) continue;
      any = true;
      if (met()) return true;
    }
  return any;
}

/// Only if that is before `before`.
std::optional<std::size_t> Approach::first_with(std::span<const Index> state, std::size_t before) const {
  if (before == 0 || !sets_.contains(known_[before - 1].id(), state)) return std::nullopt;
  const auto first = known_.begin(), end = first + static_cast<std::ptrdiff_t>(before);
  const auto found = std::partition_point(
      first, end, [&](const Forest::Root& set) { return !sets_.contains(set.id(), state); });
  return static_cast<std::size_t>(found - first);
}

void Approach::walk(Path& path, std::span<const Index> last,
                    const std::function<std::vector<Move>()>& moves) const {
  for (std::size_t at = first_with(last).value(); at != 0;) {
    std::optional<Move> best;
    for (Move& move : moves())
      if (const auto there = first_with(move.vector, at)) {
        at = *there;
        best = std::move(move);
      }
    if (!best) throw Error(ErrorKind::internal, "a run through a decision diagram has a gap");
    take(path, std::move(*best));
  }
}

}  // namespace tideline::symbolic
