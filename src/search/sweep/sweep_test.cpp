// The sweep-line on random graphs with random measures, against reachability and a naive simulation.
#include "search/sweep/sweep.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <map>
#include <memory>
#include <mutex>

#include "search/states/bfs.hpp"
#include "search/states/monitor.hpp"
#include "store/segmented_table.hpp"
#include "testing/changing_measure.hpp"
#include "testing/lattice.hpp"
#include "testing/measured_graph.hpp"

namespace tideline {
namespace {

using namespace test;

using NodeMonitor = Monitor<NodePredicate>;

/// Records which nodes are expanded, and how often. Copies record in the same place.
class Tally {
 public:
  template <class Locate>
  void on_state(const std::byte* state, const Locate&) {
    const std::scoped_lock lock(seen_->mutex);
    ++seen_->found[ExplicitGraph::node(state)];
  }
  template <class Locate>
  void on_step(const Step&, const Locate&) {}
  template <class Locate>
  void on_deadlock(const Locate&) {
    const std::scoped_lock lock(seen_->mutex);
    ++seen_->deadlocks;
  }
  bool done() const { return false; }
  void adopt(const Tally&) {}
  void absorb(const Tally&) {}

  const std::map<std::uint32_t, int>& found() const { return seen_->found; }
  std::uint64_t deadlocks() const { return seen_->deadlocks; }

 private:
  struct Seen {
    std::mutex mutex;
    std::map<std::uint32_t, int> found = {};
    std::uint64_t deadlocks = 0;
  };
  std::shared_ptr<Seen> seen_ = std::make_shared<Seen>();
};

unsigned arbitrary_threads() {
  return *rc::gen::inRange(1u, 5u);
}
/// Mostly several threads sweep even the smallest layers.
std::uint64_t arbitrary_settling() {
  return *rc::gen::element<std::uint64_t>(1, 5, 8192);
}

std::uint64_t arbitrary_few() {
  return *rc::gen::element(0u, 0u, 2u, 100u);
}

/// How far threads go ahead of the line.
AheadOfLine arbitrary_ahead() {
  return {*rc::gen::element<std::uint64_t>(0, 1, 3, 1000), *rc::gen::element<std::uint64_t>(0, 2)};
}

void require_all_found(const Tally& tally, const ExplicitGraph& graph) {
  std::set<std::uint32_t> found, reachable;
  for (const auto& [node, times] : tally.found()) found.insert(node);
  for (const auto& [node, distance] : graph.distances()) reachable.insert(node);
  RC_ASSERT(found == reachable);
}

/// The method, on sets of nodes.
struct Simulation {
  std::uint64_t peak = 0, expansions = 0, sweeps = 0, layers = 0, regress_edges = 0;
  std::set<std::uint32_t> persistent = {};

  explicit Simulation(const MeasuredGraph& graph) {
    std::set<std::uint32_t> roots(graph.initial_nodes.begin(), graph.initial_nodes.end());
    while (!roots.empty()) {
      ++sweeps;
      std::set<std::uint32_t> stored = roots, expanded, next_roots;
      const auto count = [&] {
        std::set<std::uint32_t> all = stored;
        all.insert(persistent.begin(), persistent.end());
        peak = std::max<std::uint64_t>(peak, all.size());
      };
      while (true) {
        std::optional<Progress> line;
        for (const std::uint32_t n : stored)
          if (!expanded.contains(n)) line = std::min(line.value_or(graph.at(n)), graph.at(n));
        if (!line) break;
        ++layers;
        for (bool again = true; again;) {
          again = false;
          for (const std::uint32_t n : std::set(stored)) {
            if (graph.at(n) != *line || !expanded.insert(n).second) continue;
            again = true;
            ++expansions;
            for (const Edge& edge : graph.edges[n]) {
              if (edge.fails) continue;
              const std::uint32_t t = edge.target;
              const bool regress = graph.at(t) < *line;
              regress_edges += regress;
              if (stored.contains(t) || persistent.contains(t)) continue;
              (regress ? next_roots : stored).insert(t);
              if (regress) persistent.insert(t);
            }
          }
        }
        count();
        std::erase_if(stored, [&](std::uint32_t n) { return graph.at(n) <= *line; });
        std::erase_if(expanded, [&](std::uint32_t n) { return graph.at(n) <= *line; });
      }
      roots = next_roots;
    }
  }
};

RC_GTEST_PROP(Sweep, VisitsExactlyWhatIsReachable, ()) {
  const MeasuredGraph graph = arbitrary_measured_graph(arbitrary_kind());
  Tally tally;
  Budget budget;
  SweepSearch search(graph, {.log = *rc::gen::arbitrary<bool>() ? scratch_log() : nullptr,
                             .threads = arbitrary_threads(),
                             .few = arbitrary_few(),
                             .ahead = arbitrary_ahead(),
                             .many = arbitrary_few(),
                             .settle_in = arbitrary_settling()});
  const SearchResult result = search.run(tally, budget);
  RC_ASSERT(result.end == SearchEnd::complete);
  require_all_found(tally, graph);
}

RC_GTEST_PROP(Sweep, StoresAndExpandsWhatTheMethodDoes, ()) {
  const MeasuredGraph graph = arbitrary_measured_graph(arbitrary_kind());
  const Simulation expected(graph);
  Tally tally;
  Budget budget;
  const AheadOfLine ahead = arbitrary_ahead();
  SweepSearch search(graph, {.threads = arbitrary_threads(),
                             .few = arbitrary_few(),
                             .ahead = ahead,
                             .many = arbitrary_few(),
                             .settle_in = arbitrary_settling()});
  search.run(tally, budget);
  const SweepFigures& figures = search.figures();
  RC_ASSERT(figures.sweeps == expected.sweeps);
  RC_ASSERT(figures.expansions == expected.expansions);
  RC_ASSERT(figures.layers == expected.layers);
  RC_ASSERT(figures.stored_peak >= expected.peak);  // what is expanded ahead of the line stays for a while
  if (ahead.most(figures.stored_peak) == 0) RC_ASSERT(figures.stored_peak == expected.peak);
  RC_ASSERT(figures.persistent == expected.persistent.size());
  RC_ASSERT(figures.regress_edges == expected.regress_edges);
}

// The printed algorithm deletes states that are queued ahead of the line and then expands them twice.
RC_GTEST_PROP(Sweep, ExpandsEveryStateOnceWhenTheMeasureIsMonotone, ()) {
  const MeasuredGraph graph = arbitrary_measured_graph(MeasureKind::monotone);
  Tally tally;
  Budget budget;
  SweepSearch search(graph, {.claimed_shift = 0});
  const SearchResult result = search.run(tally, budget);
  RC_ASSERT(result.end == SearchEnd::complete);
  RC_ASSERT(search.figures().expansions == graph.distances().size());
  RC_ASSERT(search.figures().sweeps == 1u);
  for (const auto& [node, times] : tally.found()) RC_ASSERT(times == 1);
}

SweepOptions arbitrary_options_with_passed_states() {
  return {.log = *rc::gen::arbitrary<bool>() ? scratch_log() : nullptr,
          .threads = arbitrary_threads(),
          .few = arbitrary_few(),
          .ahead = arbitrary_ahead(),
          .many = arbitrary_few(),
          .settle_in = arbitrary_settling(),
          .passed_states_folder = std::filesystem::temp_directory_path(),
          .postponing = *rc::gen::element(Postponing{},
                                          Postponing{.bytes = 0, .part_of_stored = 1000, .least_in_layer = 1},
                                          Postponing{.bytes = 64, .part_of_stored = 8, .least_in_layer = 2})};
}

RC_GTEST_PROP(Sweep, ExpandsEveryStateOnceWhenPassedStatesAreOnDisk, ()) {
  const MeasuredGraph graph = arbitrary_measured_graph(arbitrary_kind());
  Tally tally;
  Budget budget;
  std::uint64_t passed = 0;
  SweepOptions options = arbitrary_options_with_passed_states();
  options.on_layer = [&](const LayerReport& report) { passed += report.expanded; };
  SweepSearch search(graph, options);
  const SearchResult result = search.run(tally, budget);
  RC_ASSERT(result.end == SearchEnd::complete);
  require_all_found(tally, graph);
  RC_ASSERT(search.figures().each_once);
  RC_ASSERT(search.figures().expansions == graph.distances().size());
  RC_ASSERT(passed == search.figures().expansions);
  RC_CLASSIFY(search.figures().sweeps > 1u, "several sweeps");
}

/// While it exists, files cannot become longer than this.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_{};
};

RC_GTEST_PROP(Sweep, GoesOnWithoutPassedStatesWhenTheDiskIsFull, ()) {
  const MeasuredGraph graph = arbitrary_measured_graph(arbitrary_kind());
  Tally tally;
  Budget budget;
  SweepOptions options = arbitrary_options_with_passed_states();
  options.log = nullptr;
  const FullDisk disk(*rc::gen::inRange<rlim_t>(0, 64));
  SweepSearch search(graph, options);
  RC_ASSERT(search.run(tally, budget).end == SearchEnd::complete);
  require_all_found(tally, graph);
  if (search.figures().each_once) RC_ASSERT(search.figures().expansions == graph.distances().size());
  RC_CLASSIFY(!search.figures().each_once, "the disk was full");
}

// Columns that nothing leads back to are forgotten on disk, too.
RC_GTEST_PROP(Sweep, ExpandsEveryStateOfEveryColumnOnce, ()) {
  MeasuredGraph graph = arbitrary_measured_graph(MeasureKind::monotone);
  for (Progress& progress : graph.measure)
    progress = progress << 4 | *rc::gen::inRange<Progress>(0, 4);  // may go back within a column
  Tally tally;
  Budget budget;
  SweepOptions options = arbitrary_options_with_passed_states();
  options.claimed_shift = options.column_shift = 4;
  SweepSearch search(graph, options);
  RC_ASSERT(search.run(tally, budget).end == SearchEnd::complete);
  require_all_found(tally, graph);
  RC_ASSERT(search.figures().expansions == graph.distances().size());
}

// The first layers are small, and so are the last ones: the states come together and are dealt out again.
TEST(Sweep, CountsTheSameWhileItsPartsComeAndGo) {
  SweepFigures alone;
  for (const unsigned threads : {1u, 2u, 5u}) {
    Bystander bystander;
    Budget budget;
    SweepSearch search(Lattice{{20, 20, 20, 20}}, {.threads = threads, .ahead = {0, 0}, .settle_in = 16});
    EXPECT_EQ(search.run(bystander, budget).end, SearchEnd::complete);
    if (threads == 1) alone = search.figures();
    EXPECT_EQ(search.figures().expansions, 21u * 21 * 21 * 21);
    EXPECT_EQ(search.figures().stored_peak, alone.stored_peak);
    EXPECT_EQ(search.figures().layers, alone.layers);
  }
}

/// Looks at everything that is stored whenever a layer is done.
struct Inspector {
  static constexpr std::size_t passing_bytes = 0, persistent_bytes = 0;
  const MeasuredGraph* graph;
  Layers* layers = nullptr;
  Progress line = 0;
  std::uint64_t last_sweep = 0;

  void begin_layer(Progress progress, std::size_t, std::uint64_t sweep) {
    RC_ASSERT(sweep > last_sweep || progress > line);
    last_sweep = sweep;
    line = progress;
  }
  void on_node(const std::byte* state) { RC_ASSERT(graph->progress(state) == line); }
  void on_edge(NodeId, const SweepTarget&) {}
  bool end_layer() {
    std::uint64_t stored = 0;
    for (const auto& [progress, layer] : layers->all()) {
      RC_ASSERT(layer.passing.size() == 0 || progress >= line);
      for (StateId id = 0; id < layer.persistent.size(); ++id)
        RC_ASSERT(has_regress_edge(ExplicitGraph::node(layer.persistent.record(id))));
      stored += layer.passing.size() + layer.persistent.size();
    }
    RC_ASSERT(stored == layers->stored());
    return true;
  }
  bool end_sweep() { return true; }
  bool end_column() { return true; }
  void attach(std::size_t) {}

  bool has_regress_edge(std::uint32_t to) const {
    for (std::uint32_t n = 0; n < graph->edges.size(); ++n)
      for (const Edge& edge : graph->edges[n])
        if (edge.target == to && graph->at(to) < graph->at(n)) return true;
    return false;
  }
};

// A state is stored only while it is not behind the line, or when a regress edge leads to it, whether the
// source of that edge is still stored or not.
RC_GTEST_PROP(Sweep, StoresNothingBehindTheLineButEndsOfRegressEdges, ()) {
  const MeasuredGraph graph = arbitrary_measured_graph(arbitrary_kind());
  Tally tally;
  Budget budget;
  SweepSearch search(graph, {}, Inspector{.graph = &graph});
  search.watch().layers = &search.layers().part(0);
  search.run(tally, budget);
}

/// What a search has found, and that the runs to it exist, beside what there is.
void require_findings(const ExplicitGraph& graph, auto&& search) {
  const auto target = *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(graph.edges.size()));
  NodeMonitor monitor(3, graph.action_count(), false);
  monitor.watch(0, is_node(target), true);
  monitor.watch_deadlocks(1);
  monitor.watch_errors(2);
  Budget budget;
  search.run(monitor, budget);

  const auto reachable = graph.distances();
  RC_ASSERT(monitor.finding(0).has_value() == reachable.contains(target));
  bool deadlock = false, error = false;
  for (const auto& [node, distance] : reachable) {
    deadlock = deadlock || graph.edges[node].empty();
    for (const Edge& edge : graph.edges[node]) error = error || edge.fails;
  }
  RC_ASSERT(monitor.finding(1).has_value() == deadlock);
  RC_ASSERT(monitor.finding(2).has_value() == error);
  for (std::size_t i = 0; i < 3; ++i) {
    if (!monitor.finding(i)) continue;
    const Path path = monitor.finding(i)->path();
    RC_ASSERT(graph.is_path(path));
    const std::uint32_t last = ExplicitGraph::node(path.states.back().data());
    if (i == 0) RC_ASSERT(last == target);
    if (i == 1) RC_ASSERT(graph.edges[last].empty());
    if (i == 2)
      RC_ASSERT(std::ranges::any_of(
          graph.edges[last], [&](const Edge& e) { return e.fails && e.action == path.failing_action; }));
  }
}

RC_GTEST_PROP(Sweep, FindsWhatThereIsToFindWithRunsThatExist, ()) {
  const MeasuredGraph graph = arbitrary_measured_graph(arbitrary_kind());
  SweepOptions options = arbitrary_options_with_passed_states();
  options.log = scratch_log();
  if (*rc::gen::arbitrary<bool>()) options.passed_states_folder.clear();
  require_findings(graph, SweepSearch(graph, options));
}

RC_GTEST_PROP(Sweep, VisitsExactlyWhatIsReachableWhileTheMeasureChanges, ()) {
  const System system = byte_system();
  const Measured graph(arbitrary_graph(), arbitrary_byte_measure(system));
  Tally tally;
  Budget budget;
  const std::vector<Measure> changes = arbitrary_changes(system);
  SweepOptions options = arbitrary_options_with_passed_states();
  options.adviser = std::make_shared<Changes>(changes);
  if (*rc::gen::arbitrary<bool>()) options.passed_states_folder.clear();
  SweepSearch search(graph, options);
  RC_ASSERT(search.run(tally, budget).end == SearchEnd::complete);
  RC_ASSERT(search.figures().measures <= changes.size() + 1);
  RC_CLASSIFY(search.figures().measures > 3u, "changed often");
  require_all_found(tally, graph.graph());
  if (options.threads == 1) RC_ASSERT(search.figures().each_once == !options.passed_states_folder.empty());
  if (search.figures().each_once) RC_ASSERT(search.figures().expansions == tally.found().size());
  // Ahead of the line, a root of the next sweep may be on its way in this one, too.
  const bool twice = options.ahead.most(search.figures().stored_peak) != 0 ||
                     !options.passed_states_folder.empty();  // what is read back may be persistent
  RC_ASSERT(search.figures().stored_peak <= (twice ? 2 : 1) * tally.found().size());
}

RC_GTEST_PROP(Sweep, FindsWhatThereIsWhileTheMeasureChanges, ()) {
  const System system = byte_system();
  const Measured graph(arbitrary_graph(), arbitrary_byte_measure(system));
  require_findings(graph.graph(),
                   SweepSearch(graph, {.log = scratch_log(),
                                       .adviser = std::make_shared<Changes>(arbitrary_changes(system))}));
}

/// Breadth-first search that is paused after some states, and a sweep that takes over from it.
class TakenOver {
 public:
  TakenOver(const MeasuredGraph& graph, const SweepOptions& options)
      : bfs_(graph, SegmentedTable<>(graph.state_size()), SearchOptions{}),
        sweep_(graph, options),
        left_(*rc::gen::inRange(0, 40)) {}

  template <class O>
  SearchResult run(O& observer, Budget& budget) {
    SearchResult result = bfs_.run(observer, budget, [&] { return left_-- == 0; });
    if (!bfs_.paused()) return result;
    sweep_.take_over({.count = bfs_.table().size(),
                      .expanded = bfs_.cursor(),
                      .state = [&](StateId id) { return bfs_.table().state(id); },
                      .parent = [parents = bfs_.parents()](StateId) mutable { return parents.next(); },
                      .result = result},
                     budget);
    return observer.done() ? result : sweep_.run(observer, budget);
  }
  bool was_paused() const { return bfs_.paused(); }
  const SweepFigures& figures() const { return sweep_.figures(); }

 private:
  BreadthFirstSearch<MeasuredGraph, SegmentedTable<>> bfs_;
  SweepSearch<MeasuredGraph> sweep_;
  int left_;
};

RC_GTEST_PROP(Sweep, TakesOverFromBreadthFirstSearch, ()) {
  const MeasuredGraph graph = arbitrary_measured_graph(arbitrary_kind());
  Tally tally;
  Budget budget;
  TakenOver search(graph, {.log = *rc::gen::arbitrary<bool>() ? scratch_log() : nullptr});
  const SearchResult result = search.run(tally, budget);
  RC_ASSERT(result.end == SearchEnd::complete);
  require_all_found(tally, graph);
  // Where nothing leads back no state is visited again.
  if (search.was_paused() && search.figures().sweeps == 1) {
    for (const auto& [node, times] : tally.found()) RC_ASSERT(times == 1);
    RC_ASSERT(result.states == tally.found().size());
    RC_ASSERT(result.deadlocks == tally.deadlocks());
  }
  RC_CLASSIFY(search.was_paused());
}

RC_GTEST_PROP(Sweep, ExpandsNoStateTwiceThatItHasTakenOverWhenPassedStatesAreOnDisk, ()) {
  const MeasuredGraph graph = arbitrary_measured_graph(arbitrary_kind());
  Tally tally;
  Budget budget;
  TakenOver search(graph, arbitrary_options_with_passed_states());
  const SearchResult result = search.run(tally, budget);
  RC_ASSERT(result.end == SearchEnd::complete);
  require_all_found(tally, graph);
  RC_ASSERT(result.states == graph.distances().size());
  RC_ASSERT(result.deadlocks == tally.deadlocks());
  if (search.was_paused()) RC_ASSERT(search.figures().each_once);
  RC_CLASSIFY(search.was_paused() && search.figures().sweeps > 1u, "several sweeps");
}

RC_GTEST_PROP(Sweep, FindsWhatThereIsWhenItHasTakenOver, ()) {
  const MeasuredGraph graph = arbitrary_measured_graph(arbitrary_kind());
  SweepOptions options;
  if (*rc::gen::arbitrary<bool>()) options = arbitrary_options_with_passed_states();
  options.log = scratch_log();
  TakenOver search(graph, options);
  require_findings(graph, search);
}

TEST(Sweep, IsInterruptedWhileItTakesOver) {
  MeasuredGraph graph{chain(1000)};
  graph.measure.resize(1001);
  std::atomic<bool> interrupted = true;
  Budget budget({.memory_bytes = {}, .seconds = {}, .interrupted = &interrupted, .on_status = {}});
  const auto state = ExplicitGraph::pack(0);
  SweepSearch search(graph, {});
  EXPECT_THROW(search.take_over({.count = 1000,
                                 .expanded = 0,
                                 .state = [&](StateId) { return state.data(); },
                                 .parent = [](StateId) { return no_state; }},
                                budget),
               LimitReached);
  Tally tally;
  EXPECT_EQ(search.run(tally, budget).end, SearchEnd::exhausted);
  EXPECT_EQ(budget.reason(), "interrupted");
}

/// Has another measure at once, and is interrupted before that is taken.
class InterruptedChange final : public MeasureAdviser {
 public:
  InterruptedChange(Measure measure, std::atomic<bool>& interrupted)
      : measure_(std::move(measure)), interrupted_(interrupted) {}

  std::optional<Measure> better(const Measure&, const SweepExperience&, Budget&) override {
    interrupted_ = true;
    return measure_;
  }
  Measure read(const std::string&) const override { return measure_; }
  std::uint64_t& looks() override { return looks_; }

 private:
  Measure measure_;
  std::atomic<bool>& interrupted_;
  std::uint64_t looks_ = 0;
};

TEST(Sweep, IsInterruptedWhileTheMeasureChanges) {
  const System system = byte_system();
  ExplicitGraph star{.edges = std::vector<std::vector<Edge>>(1001), .initial_nodes = {0}};
  for (std::uint32_t node = 1; node <= 1000; ++node) star.edges[0].push_back({0, node});
  // The initial state has the least progress; all others wait when its layer is done.
  const Measure measure(system, {slot_term(system, 0)});
  std::atomic<bool> interrupted = false;
  Budget budget({.memory_bytes = {}, .seconds = {}, .interrupted = &interrupted, .on_status = {}});
  SweepSearch search(Measured(star, measure),
                     {.adviser = std::make_shared<InterruptedChange>(measure, interrupted)});
  Tally tally;
  EXPECT_EQ(search.run(tally, budget).end, SearchEnd::exhausted);
  EXPECT_EQ(budget.reason(), "interrupted");
}

TEST(Sweep, NamesTheStepThatBreaksAClaim) {
  MeasuredGraph graph{chain(3)};
  graph.edges[3].push_back({7, 1});
  graph.measure = {0x10, 0x20, 0x21, 0x30};
  Tally tally;
  Budget budget;
  SweepSearch all(graph, {.claimed_shift = 0});
  EXPECT_EQ(all.run(tally, budget).end, SearchEnd::exhausted);
  ASSERT_TRUE(all.figures().broken_claim);
  EXPECT_EQ(all.figures().broken_claim->action, 7u);
  EXPECT_EQ(all.figures().broken_claim->from, 0x30u);
  EXPECT_EQ(all.figures().broken_claim->to, 0x20u);

  graph.measure[3] = 0x2f;  // the upper part stays the same along the step back
  SweepSearch upper(graph, {.claimed_shift = 4});
  EXPECT_EQ(upper.run(tally, budget).end, SearchEnd::complete);
  EXPECT_EQ(upper.figures().regress_edges, 2u);  // once in each sweep
}

TEST(Sweep, EndsWhenTheBudgetDoes) {
  struct Steps : ManySteps {
    Progress progress(const std::byte*) const { return 0; }
  };
  std::atomic<bool> interrupted = false;
  Budget budget({.memory_bytes = {}, .seconds = {}, .interrupted = &interrupted, .on_status = {}});
  Tally tally;
  SweepSearch search(Steps{{&interrupted}}, {});
  EXPECT_EQ(search.run(tally, budget).end, SearchEnd::exhausted);
  EXPECT_EQ(budget.reason(), "interrupted");
}

}  // namespace
}  // namespace tideline
