// For tests: searches that die again and again, at layer boundaries and anywhere else, and resume from what
// they have saved.
#pragma once

#include <rapidcheck.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "search/sweep/checkpointer.hpp"
#include "search/sweep/sweep.hpp"
#include "testing/measured_graph.hpp"
#include "testing/scratch.hpp"

namespace tideline::test {

struct Killed {};

/// How much a process may do before it dies.
struct Life {
  enum class Measure { layers, expansions };
  enum class End { killed, interrupted };
  Measure measure = Measure::layers;
  End end = End::killed;
  std::atomic<std::uint64_t> left = ~std::uint64_t{0};
  std::atomic<Progress> layer = ~Progress{0};
  std::atomic<bool> interrupted = false;

  void spend(Progress progress) {
    if (measure == Measure::layers && layer.exchange(progress) == progress) return;
    if (left-- != 0) return;
    left = 0;
    interrupted = true;
    if (end == End::killed) throw Killed();
  }
};

/// A budget that ends the search with the life, unless that kills it.
inline Budget budget_of(const Life& life) {
  return Budget({.memory_bytes = {}, .seconds = {}, .interrupted = &life.interrupted, .on_status = {}});
}

/// Ends a life when it is spent.
struct MortalGraph : MeasuredGraph {
  std::shared_ptr<Life> life = {};

  MortalGraph with(std::shared_ptr<Life> granted) const {
    MortalGraph mortal = *this;
    mortal.life = std::move(granted);
    return mortal;
  }

  template <class Sink>
  void successors(const std::byte* state, Sink&& sink) {
    if (life) life->spend(progress(state));
    MeasuredGraph::successors(state, sink);
  }
};

/// Runs a search: true when it has finished.
using MortalSearch = std::function<bool(const std::shared_ptr<Life>&, const std::shared_ptr<Checkpointer>&)>;

/// Options for a search that is saved and killed, with or without a log for runs.
inline SweepOptions mortal_options(const std::shared_ptr<Checkpointer>& checkpoints, bool traces) {
  return {.log = traces ? checkpoints->open<TraceLog>({}, false) : nullptr,
          .threads = *rc::gen::weightedElement<unsigned>({{6, 1}, {1, 2}, {1, 3}}),
          .few = *rc::gen::element<std::uint64_t>(0, 0, 1),
          .ahead = {*rc::gen::element<std::uint64_t>(0, 3, 1000), 0},
          .many = *rc::gen::element<std::uint64_t>(0, 2, 1000),
          .settle_in = *rc::gen::element<std::uint64_t>(1, 8192),
          .checkpoints = checkpoints};
}

/// Calls it in one process after the other until one finishes.
inline void live_and_die(const Scratch& scratch, const MortalSearch& search) {
  const auto measure = *rc::gen::element(Life::Measure::layers, Life::Measure::expansions);
  const auto end = *rc::gen::element(Life::End::killed, Life::End::interrupted);
  std::uint64_t granted = 1;
  while (true) {
    const auto life = std::make_shared<Life>();
    life->measure = measure;
    life->end = end;
    life->left = granted;
    const auto checkpoints = scratch.saved().empty()
                                 ? std::make_shared<Checkpointer>(scratch.folder(), SavedRun{})
                                 : std::make_shared<Checkpointer>(scratch.folder());
    checkpoints->configure(0, [](const std::string& warning) { RC_FAIL(warning); });
    const SearchStatus before = checkpoints->status();
    try {
      if (search(life, checkpoints)) {
        RC_ASSERT(std::filesystem::exists(scratch.file()));
        checkpoints->remove();
        RC_ASSERT(!std::filesystem::exists(scratch.folder()));
        return;
      }
    } catch (const Killed&) {
    }
    // A step of some searches takes more than was granted: without progress the next life gets more.
    granted = checkpoints->status() == before ? 2 * granted : 1;
  }
}

/// `ahead`: threads may have gone ahead of the line, so that more was stored at a time.
inline void require_same(const SweepFigures& a, const SweepFigures& b, bool ahead = false) {
  RC_ASSERT(a.sweeps == b.sweeps);
  RC_ASSERT(a.measures == b.measures);
  RC_ASSERT(a.layers == b.layers);
  RC_ASSERT(a.expansions == b.expansions);
  RC_ASSERT(a.stored_peak >= b.stored_peak);
  if (!ahead) RC_ASSERT(a.stored_peak == b.stored_peak);
  RC_ASSERT(a.persistent == b.persistent);
  RC_ASSERT(a.regress_edges == b.regress_edges);
  RC_ASSERT(a.regress_by_action == b.regress_by_action);
}

inline void require_same(const SearchResult& a, const SearchResult& b) {
  RC_ASSERT(a.end == b.end);
  RC_ASSERT(a.states == b.states);
  RC_ASSERT(a.transitions == b.transitions);
  RC_ASSERT(a.deadlocks == b.deadlocks);
}

inline void require_same(const Path& a, const Path& b) {
  RC_ASSERT(a.states == b.states);
  RC_ASSERT(a.actions == b.actions);
  RC_ASSERT(a.loop == b.loop);
  RC_ASSERT(a.failing_action == b.failing_action);
}

}  // namespace tideline::test
