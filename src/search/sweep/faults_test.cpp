// Sweeps whose files fail: full disks, reads that fail, and power cuts at every call. What a sweep answers is right, or it says
// that it could not go on; and what a checkpoint has promised is there when the power is back.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>
#include <optional>

#include "search/sweep/checkpointer.hpp"
#include "search/sweep/sweep.hpp"
#include "testing/faulty_files.hpp"
#include "testing/measured_graph.hpp"
#include "testing/mortal_search.hpp"
#include "testing/node_monitor.hpp"

namespace tideline {
namespace {

using namespace test;

/// Tells when a state is expanded.
struct WatchedGraph : MeasuredGraph {
  std::function<void()> on_state = {};

  template <class Sink>
  void successors(const std::byte* state, Sink&& sink) {
    if (on_state) on_state();
    MeasuredGraph::successors(state, sink);
  }
};

struct Answer {
  SearchResult result = {};
  SweepFigures figures = {};
};

/// A sweep with a log, saved after every layer.
class SavedSweep {
 public:
  explicit SavedSweep(const MeasuredGraph& graph) : graph_{graph} {}

  /// What the sweep has found; nothing when it could not go on. Starts where the last one was saved.
  std::optional<Answer> run(FaultyFiles& faulty) {
    const FilesInUse use(faulty);
    try {
      const auto checkpoints = scratch_.saved().empty()
                                   ? std::make_shared<Checkpointer>(scratch_.folder(), SavedRun{})
                                   : std::make_shared<Checkpointer>(scratch_.folder());
      checkpoints->configure(0, [](const std::string&) {});
      resumed_at_ = checkpoints->status();
      graph_.on_state = [&] {
        if (!faulty.power_is_off()) promised_ = checkpoints->status();
      };
      SweepSearch search(graph_, {.log = checkpoints->open<TraceLog>({}, false), .checkpoints = checkpoints});
      Bystander bystander;
      Budget budget;
      const SearchResult result = search.run(bystander, budget);
      if (!budget.reason().empty()) return std::nullopt;
      return Answer{result, search.figures()};
    } catch (const Error& error) {
      RC_ASSERT(error.kind() == ErrorKind::io);
      return std::nullopt;
    }
  }

  const Scratch& scratch() const { return scratch_; }
  /// How far a run was saved when it could still do something, and when the last one began.
  const SearchStatus& promised() const { return promised_; }
  const SearchStatus& resumed_at() const { return resumed_at_; }

 private:
  WatchedGraph graph_;
  Scratch scratch_;
  SearchStatus promised_, resumed_at_;
};

void require_same(const Answer& a, const Answer& b) {
  test::require_same(a.result, b.result);
  test::require_same(a.figures, b.figures);
}

/// The answer of a sweep whose files are in order, and how often it asks something of them.
std::pair<Answer, std::uint64_t> undisturbed(const MeasuredGraph& graph) {
  SavedSweep sweep(graph);
  FaultyFiles files(sweep.scratch().parent(), Fault::none, 0);
  const std::optional<Answer> answer = sweep.run(files);
  RC_ASSERT(answer.has_value());
  return {*answer, files.calls()};
}

/// It fails at this call, and is then resumed on a disk that is in order.
void fail_and_resume(const MeasuredGraph& graph, const Answer& expected, Fault fault, std::uint64_t at,
                     std::uint64_t seed) {
  SavedSweep sweep(graph);
  {
    FaultyFiles faulty(sweep.scratch().parent(), fault, at);
    const std::optional<Answer> answer = sweep.run(faulty);
    if (answer && !faulty.power_is_off()) require_same(*answer, expected);
    if (fault == Fault::less || fault == Fault::interrupt) RC_ASSERT(answer.has_value());
    if (faulty.power_is_off()) faulty.restore(seed);
    // A run that has ended has nothing left to resume.
    if (answer && !faulty.power_is_off()) return;
  }
  const SearchStatus promised = sweep.promised();
  if (promised.layers != 0) RC_ASSERT(!sweep.scratch().saved().empty());
  FaultyFiles files(sweep.scratch().parent(), Fault::none, 0);
  const std::optional<Answer> answer = sweep.run(files);
  RC_ASSERT(answer.has_value());
  require_same(*answer, expected);
  RC_ASSERT(sweep.resumed_at().visited >= promised.visited);
}

void fail_somewhere(Fault fault) {
  const MeasuredGraph graph = arbitrary_measured_graph(arbitrary_kind());
  const auto [expected, calls] = undisturbed(graph);
  for (int i = 0; i < 8; ++i)
    fail_and_resume(graph, expected, fault, *rc::gen::inRange<std::uint64_t>(1, calls + 1),
                    *rc::gen::arbitrary<std::uint64_t>());
}

/// A small sweep fails at each call in turn.
void fail_everywhere(Fault fault) {
  constexpr int size = 6;
  const MeasuredGraph graph =
      *rc::gen::resize(size, rc::gen::exec([] { return arbitrary_measured_graph(arbitrary_kind()); }));
  const auto [expected, calls] = undisturbed(graph);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  for (std::uint64_t at = 1; at <= calls; ++at) fail_and_resume(graph, expected, fault, at, seed + at);
}

RC_GTEST_PROP(Faults, APowerCutLosesNothingThatWasSaved, ()) {
  fail_somewhere(Fault::power_cut);
}
RC_GTEST_PROP(Faults, APowerCutAtEachCallOfASmallSweepLosesNothing, ()) {
  fail_everywhere(Fault::power_cut);
}
RC_GTEST_PROP(Faults, AFullDiskAtEachCallOfASmallSweepLosesNothing, ()) {
  fail_everywhere(Fault::full_disk);
}
RC_GTEST_PROP(Faults, AFullDiskEndsASweepWhichCanBeResumed, ()) {
  fail_somewhere(Fault::full_disk);
}
RC_GTEST_PROP(Faults, SoDoReadsThatFail, ()) {
  fail_somewhere(Fault::read_error);
}
RC_GTEST_PROP(Faults, ShortWritesAndInterruptedCallsAreRepeated, ()) {
  fail_somewhere(*rc::gen::element(Fault::less, Fault::interrupt));
}

}  // namespace
}  // namespace tideline
