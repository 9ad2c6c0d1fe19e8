#include "search/core/stored_graph.hpp"

#include <algorithm>
#include <utility>

#include "search/core/levels.hpp"

namespace tideline {

StoredGraph::StoredGraph(std::size_t state_bytes, unsigned threads, std::uint64_t few)
    : few_(few), table_(std::make_unique<Table>(state_bytes, Table::Options{.workers = threads})) {
  for (unsigned i = 0; i < threads; ++i)
    workers_.push_back(std::make_unique<Worker>(table_->access(i), state_bytes));
}

void StoredGraph::flush(Worker& worker, Crew& crew) {
  const Presence::Stay stay(worker.access.presence());
  worker.batch.insert_into(worker.access, [&](StateId, const Insertion& to, const std::byte*) {
    if (to.id == no_state) {
      worker.table_full = true;
      crew.stop();
      return false;
    }
    worker.targets.push_back(to.id);
    if (to.inserted) worker.queue.push(to.id);
    return true;
  });
}

std::uint64_t StoredGraph::transitions() const {
  std::uint64_t sum = 0;
  for (const auto& worker : workers_) sum += worker->transitions.load(std::memory_order_relaxed);
  return sum;
}
std::uint64_t StoredGraph::deadlocks() const {
  std::uint64_t sum = 0;
  for (const auto& worker : workers_) sum += worker->deadlocks;
  return sum;
}
bool StoredGraph::met_errors() const {
  return std::any_of(workers_.begin(), workers_.end(), [](const auto& w) { return !w->failing.empty(); });
}

RunStatus StoredGraph::status() const {
  RunStatus status;
  status.states = table_->size();
  status.transitions = transitions();
  std::uint64_t expanded = 0;
  for (const auto& worker : workers_) expanded += worker->expanded.load(std::memory_order_relaxed);
  status.frontier = status.states - std::min(status.states, expanded);
  return status;
}

StateId StoredGraph::number_of(StateId place) const {
  const auto after = std::upper_bound(used_.begin(), used_.end(), place,
                                      [](StateId p, const StateRange& range) { return p < range.first; });
  const auto range = after - used_.begin() - 1;
  return first_number_[range] + (place - used_[range].first);
}
StateId StoredGraph::place_of(StateId number) const {
  const auto range =
      std::upper_bound(first_number_.begin(), first_number_.end(), number) - first_number_.begin() - 1;
  return used_[range].first + (number - first_number_[range]);
}

bool StoredGraph::put_in_order(Budget& budget) {
  used_ = table_->ranges();
  StateId number = 0;
  for (const StateRange& range : used_) {
    first_number_.push_back(number);
    number += range.count;
  }
  for (StateId& id : initial_) id = number_of(id);
  failing_ = BitSet(size());
  for (const auto& worker : workers_)
    for (const StateId place : worker->failing) {
      failing_states_.push_back(number_of(place));
      failing_.set(failing_states_.back());
    }

  Crew crew(threads());
  const auto look = [this] { return status(); };
  first_.resize(size() + std::size_t{1});
  crew.run_for(size(), budget, look, [&](unsigned i) {
    const auto& rows = workers_[i]->rows;
    for (std::size_t r = 0; r < rows.size() && !crew.stopped(); ++r)
      first_[number_of(rows[r].state) + std::size_t{1}] = rows[r].length;
  });
  for (std::size_t s = 1; s < first_.size(); ++s) first_[s] += first_[s - 1];
  targets_.resize(first_.back());
  crew.run_for(size(), budget, look, [&](unsigned i) {
    Worker& worker = *workers_[i];
    std::size_t next = 0;
    for (std::size_t r = 0; r < worker.rows.size() && !crew.stopped(); ++r) {
      std::uint64_t e = first_[number_of(worker.rows[r].state)];
      for (std::uint32_t n = 0; n < worker.rows[r].length; ++n)
        targets_[e++] = number_of(worker.targets[next++]);
    }
    worker.rows = {};
    worker.targets = {};
  });
  return !crew.stopped();
}

// Sorts the transitions by their targets: counts them, turns counts into places, and puts them there.
bool StoredGraph::need_predecessors(Budget& budget) {
  if (!first_into_.empty()) return true;
  Crew crew(threads());
  const auto look = [this] { return status(); };
  std::vector<std::uint64_t> place(size() + std::size_t{2});
  const auto next_place = [&](StateId target, std::size_t offset) {
    return std::atomic_ref(place[target + offset]).fetch_add(1, std::memory_order_relaxed);
  };
  share_out(crew, budget, look, targets_.size(), [&](unsigned, std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t e = begin; e < end; ++e) next_place(targets_[e], 2);
  });
  for (std::size_t s = 2; s < place.size(); ++s) place[s] += place[s - 1];
  sources_.resize(targets_.size());
  share_out(crew, budget, look, size(), [&](unsigned, std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t s = begin; s < end && !crew.stopped(); ++s)
      successors(static_cast<StateId>(s), [&](StateId to) {
        sources_[next_place(to, 1)] = static_cast<StateId>(s);
        return true;
      });
  });
  if (crew.stopped()) return false;
  first_into_ = std::move(place);
  return true;
}

}  // namespace tideline
