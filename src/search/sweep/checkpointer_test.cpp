// Sweeps that die again and again, at layer boundaries and anywhere else, and resume from what they have
// saved: in the end they must have found and counted the same as an undisturbed sweep.
#include "search/sweep/checkpointer.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fstream>

#include "search/states/monitor.hpp"
#include "testing/changing_measure.hpp"
#include "testing/ltl_sweep.hpp"
#include "testing/mortal_search.hpp"

namespace tideline {
namespace {

using namespace test;
namespace fs = std::filesystem;

using NodeMonitor = Monitor<NodePredicate>;

NodeMonitor monitor_of(const MeasuredGraph& graph, std::uint32_t target, bool exhaustive) {
  NodeMonitor monitor(4, graph.action_count(), exhaustive);
  monitor.watch(0, {[=](std::uint32_t n, ModelErrorKind& error) {
                  if (n % 5 == 1) error = ModelErrorKind::division_by_zero;
                  return n == target;
                }},
                true);
  monitor.watch(3, {[=](std::uint32_t n, ModelErrorKind& error) {
                  if (n % 9 == 4) error = ModelErrorKind::index_out_of_bounds;
                  return n <= target;
                }},
                true, true);
  monitor.watch_deadlocks(1);
  monitor.watch_errors(2);
  for (std::uint32_t n = 0; n < 4; ++n) monitor.watch_atom(is_node(n));
  return monitor;
}

RC_GTEST_PROP(Checkpointer, ASweepThatDiesAgainAndAgainEndsLikeOneThatDoesNot, ()) {
  const MortalGraph graph{arbitrary_measured_graph(arbitrary_kind())};
  const auto target = *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(graph.edges.size()));
  const bool exhaustive = *rc::gen::arbitrary<bool>();
  const bool traces = *rc::gen::arbitrary<bool>();

  NodeMonitor expected = monitor_of(graph, target, exhaustive);
  Budget unlimited;
  SweepSearch in_peace(graph, {.log = traces ? scratch_log() : nullptr});
  const SearchResult expected_result = in_peace.run(expected, unlimited);

  const Scratch scratch;
  bool in_parts = false;  // several threads find states in another order
  live_and_die(scratch,
               [&](const std::shared_ptr<Life>& life, const std::shared_ptr<Checkpointer>& checkpoints) {
                 NodeMonitor monitor = monitor_of(graph, target, exhaustive);
                 Budget budget = budget_of(*life);
                 const SweepOptions options = mortal_options(checkpoints, traces);
                 in_parts = in_parts || options.threads > 1;
                 SweepSearch search(graph.with(life), options);
                 const SearchResult result = search.run(monitor, budget);
                 if (!budget.reason().empty()) return false;
                 life->left = ~std::uint64_t{0};  // runs may be built
                 // One that ends early has seen something else.
                 const bool same_states = !in_parts || result.end == SearchEnd::complete;
                 RC_ASSERT(result.end == expected_result.end);
                 if (same_states) {
                   require_same(result, expected_result);
                   require_same(search.figures(), in_peace.figures(), in_parts);
                   RC_ASSERT(monitor.met_errors() == expected.met_errors());
                   for (ActionId a = 0; a < graph.action_count(); ++a)
                     RC_ASSERT(monitor.was_enabled(a) == expected.was_enabled(a));
                   for (std::size_t atom = 0; atom < 4; ++atom)
                     RC_ASSERT(monitor.atom_truths(atom) == expected.atom_truths(atom));
                 }
                 for (std::size_t i = 0; i < 4; ++i) {
                   if (!same_states) continue;
                   RC_ASSERT(monitor.finding(i).has_value() == expected.finding(i).has_value());
                   // No witness is looked for once a property is decided.
                   if (!in_parts || !monitor.finding(i))
                     RC_ASSERT(monitor.witness(i).has_value() == expected.witness(i).has_value());
                   if (!monitor.finding(i)) continue;
                   // Of several violations the one that is met first is shown.
                   if (!in_parts) RC_ASSERT(monitor.finding(i)->no_value == expected.finding(i)->no_value);
                   RC_ASSERT(static_cast<bool>(monitor.finding(i)->path) == traces);
                   if (!traces) continue;
                   const Path path = monitor.finding(i)->path();
                   RC_ASSERT(graph.is_path(path));
                   if (!in_parts) require_same(path, expected.finding(i)->path());
                 }
                 return true;
               });
}

/// An observer that cannot be saved, and one that can.
struct Unsaved {
  template <class Locate>
  void on_state(const std::byte*, const Locate&) {}
  template <class Locate>
  void on_step(const Step&, const Locate&) {}
  template <class Locate>
  void on_deadlock(const Locate&) {}
  bool done() const { return false; }
};
struct Silent : Unsaved {
  void archive(auto&) {}
};

/// A graph that can die, and is measured by something else.
struct MortalNodes : ExplicitGraph {
  std::shared_ptr<Life> life = {};

  template <class Sink>
  void successors(const std::byte* state, Sink&& sink) {
    if (life) life->spend(node(state));
    ExplicitGraph::successors(state, sink);
  }
};

RC_GTEST_PROP(Checkpointer, SoDoesOneWhoseMeasureChanges, ()) {
  const System system = byte_system();
  const ExplicitGraph graph = arbitrary_graph();
  const Measure first = arbitrary_byte_measure(system);
  const std::vector<Measure> changes = arbitrary_changes(system);
  Budget unlimited;
  Silent silent;
  SweepSearch in_peace(Measured(MortalNodes{graph}, first), {.adviser = std::make_shared<Changes>(changes)});
  const SearchResult expected = in_peace.run(silent, unlimited);

  const Scratch scratch;
  live_and_die(scratch,
               [&](const std::shared_ptr<Life>& life, const std::shared_ptr<Checkpointer>& checkpoints) {
                 Budget budget = budget_of(*life);
                 SweepOptions options = mortal_options(checkpoints, false);
                 options.adviser = std::make_shared<Changes>(changes);
                 SweepSearch search(Measured(MortalNodes{graph, life}, first), options);
                 const SearchResult result = search.run(silent, budget);
                 if (!budget.reason().empty()) return false;
                 require_same(result, expected);
                 require_same(search.figures(), in_peace.figures());
                 return true;
               });
}

/// One product in one variant.
void require_ltl_sweep_resumes() {
  const MortalGraph graph{random_measured(*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::arbitrary<bool>())};
  const unsigned column_shift = columns_of(graph);
  LtlSweepOptions options = arbitrary_options();
  options.across.threads = 1;  // what it expands may depend on their number
  const bool traces = *rc::gen::arbitrary<bool>();

  Budget unlimited;
  LtlSweep in_peace(graph, {.log = traces ? scratch_log() : nullptr, .column_shift = column_shift}, options);
  const LassoResult expected = in_peace.run(unlimited);

  const Scratch scratch;
  bool in_parts = false;  // several threads meet states in another order
  live_and_die(scratch,
               [&](const std::shared_ptr<Life>& life, const std::shared_ptr<Checkpointer>& checkpoints) {
                 Budget budget = budget_of(*life);
                 SweepOptions sweep = mortal_options(checkpoints, traces);
                 sweep.column_shift = column_shift;
                 in_parts = in_parts || sweep.threads > 1;
                 LtlSweep search(graph.with(life), sweep, options);
                 const LassoResult result = search.run(budget);
                 if (!budget.reason().empty()) return false;
                 RC_ASSERT(result.end == expected.end);
                 if (in_parts) {
                   if (result.end == SearchEnd::complete)
                     require_same(search.figures().sweep, in_peace.figures().sweep);
                   std::uint32_t marks = 0;
                   bool accepting = false;
                   if (result.lasso) RC_ASSERT(is_lasso(graph, *result.lasso, marks, accepting) && accepting);
                   return true;
                 }
                 RC_ASSERT(result.states == expected.states);
                 RC_ASSERT(result.transitions == expected.transitions);
                 RC_ASSERT(result.expansions == expected.expansions);
                 RC_ASSERT(result.model_errors == expected.model_errors);
                 RC_ASSERT(result.early == expected.early);
                 RC_ASSERT(result.rounds == expected.rounds);
                 RC_ASSERT(result.lasso.has_value() == expected.lasso.has_value());
                 if (result.lasso) require_same(*result.lasso, *expected.lasso);
                 const LtlSweepFigures &figures = search.figures(), &others = in_peace.figures();
                 require_same(figures.sweep, others.sweep);
                 RC_ASSERT(figures.red_expansions == others.red_expansions);
                 RC_ASSERT(figures.candidates == others.candidates);
                 RC_ASSERT(figures.across_expansions == others.across_expansions);
                 RC_ASSERT(figures.passes == others.passes);
                 RC_ASSERT(figures.cycle_expansions == others.cycle_expansions);
                 RC_ASSERT(figures.stored_peak == others.stored_peak);
                 RC_ASSERT(figures.cycle == others.cycle);
                 return true;
               });
}

RC_GTEST_PROP(Checkpointer, SoDoesLtlSweepInAllItsVariants, ()) {
  for (int i = 0; i < 20; ++i) require_ltl_sweep_resumes();  // some of what is saved matters rarely
}

// --- Several searches, and what can go wrong ---------------------------------------------------------------

/// A chain in which every state is a layer.
MeasuredGraph steps(std::uint32_t length) {
  MeasuredGraph graph{chain(length)};
  for (std::uint32_t n = 0; n <= length; ++n) graph.measure.push_back(n);
  return graph;
}

/// Records every node that is found.
struct Witness : Silent {
  const std::function<void(std::uint32_t)>* at_node = nullptr;
  template <class Locate>
  void on_state(const std::byte* state, const Locate&) {
    (*at_node)(ExplicitGraph::node(state));
  }
};

TEST(Checkpointer, SearchesThatAreDoneAreNotDoneAgain) {
  const Scratch scratch;
  const std::vector<Property> first = {{.name = "a", .kind = PropertyKind::reach, .formula = "x"},
                                       {.name = "b", .kind = PropertyKind::deadlock, .formula = ""}};
  const std::vector<Property> second = {{.name = "c", .kind = PropertyKind::deadlock, .formula = ""}};
  Path run;
  run.states = {{std::byte{1}}, {std::byte{2}}};
  run.actions = {7};
  Budget budget;
  int searches = 0;
  const auto finish_first = [&] {
    ++searches;
    Outcome outcome;
    outcome.engine = "sweep";
    outcome.complete = true;
    outcome.results = {{first[0], Verdict::holds, "", PathBuilder(run)},
                       {first[1], Verdict::unknown, "why not", {}}};
    outcome.statistics.set("states", std::uint64_t{5});
    outcome.statistics.set("time_s", 0.5);
    outcome.statistics.set("cycle", std::string("layer"));
    outcome.warnings = {"careful"};
    outcome.never_enabled = {3};
    return outcome;
  };
  const auto check = [&](const Outcome& outcome) {
    EXPECT_EQ(outcome.engine, "sweep");
    EXPECT_TRUE(outcome.complete);
    ASSERT_EQ(outcome.results.size(), 2u);
    EXPECT_EQ(outcome.results[0].property.name, "a");
    EXPECT_EQ(outcome.results[0].verdict, Verdict::holds);
    EXPECT_EQ(outcome.results[0].path().states, run.states);
    EXPECT_EQ(outcome.results[1].property.name, "b");
    EXPECT_EQ(outcome.results[1].reason, "why not");
    EXPECT_FALSE(outcome.results[1].path);
    EXPECT_EQ(std::get<std::uint64_t>(*outcome.statistics.find("states")), 5u);
    EXPECT_EQ(std::get<double>(*outcome.statistics.find("time_s")), 0.5);
    EXPECT_EQ(std::get<std::string>(*outcome.statistics.find("cycle")), "layer");
    EXPECT_EQ(outcome.warnings, std::vector<std::string>{"careful"});
    EXPECT_EQ(outcome.never_enabled, std::vector<ActionId>{3});
  };
  SavedRun saved{"1.2", "/somewhere", {"m.dve", "--deadlock"}, {"x, y"}, {{"m.dve", 77}}};
  {
    Checkpointer checkpoints(scratch.folder(), saved);
    checkpoints.open<TraceLog>({}, false);
    checkpoints.save([](CheckpointWriter&) {});
    check(checkpoints.once(first, budget, finish_first));
    EXPECT_EQ(scratch.files(), 2u);  // the log stays while the checkpoint names it
    checkpoints.open<TraceLog>({}, false);
    checkpoints.save([](CheckpointWriter& file) { file(*std::make_unique<int>(42)); });
    EXPECT_EQ(scratch.files(), 2u);  // another log
    EXPECT_EQ(searches, 1);
  }
  Checkpointer checkpoints(scratch.folder());
  EXPECT_EQ(checkpoints.saved_run().version, "1.2");
  EXPECT_EQ(checkpoints.saved_run().folder, "/somewhere");
  EXPECT_EQ(checkpoints.saved_run().arguments, saved.arguments);
  EXPECT_EQ(checkpoints.saved_run().measures, saved.measures);
  ASSERT_EQ(checkpoints.saved_run().inputs.size(), 1u);
  EXPECT_EQ(checkpoints.saved_run().inputs[0].hash, 77u);
  check(checkpoints.once(first, budget, finish_first));
  EXPECT_EQ(searches, 1);
  checkpoints.once(second, budget, [&] {
    checkpoints.open<TraceLog>({}, false);
    int number = 0;
    EXPECT_TRUE(checkpoints.load([&](CheckpointReader& file) { file(number); }));
    EXPECT_EQ(number, 42);
    Outcome outcome;
    outcome.results = {{second[0], Verdict::holds, "", {}}};
    return outcome;
  });
  checkpoints.remove();
  EXPECT_FALSE(fs::exists(scratch.folder()));
}

// A search that begins after another one was interrupted must not take its place.
TEST(Checkpointer, WhatIsSavedOfASearchThatWasInterruptedStays) {
  const Scratch scratch;
  Budget budget;
  const auto checkpoints = std::make_shared<Checkpointer>(scratch.folder(), SavedRun{});
  checkpoints->configure(0, {});
  checkpoints->once({}, budget, [&] {
    checkpoints->save([](CheckpointWriter&) {});
    budget.exhaust("enough");
    return Outcome{};
  });
  const std::string saved = scratch.saved();
  Budget another;
  Silent silent;
  SweepSearch(steps(3), {.checkpoints = checkpoints}).run(silent, another);
  EXPECT_EQ(scratch.saved(), saved);
}

TEST(Checkpointer, OneRunPerFolder) {
  const Scratch scratch;
  EXPECT_THROW(Checkpointer(scratch.folder()), Error);  // nothing there
  {
    Checkpointer running(scratch.folder(), SavedRun{});
    EXPECT_THROW(Checkpointer(scratch.folder(), SavedRun{}), Error);
    running.save([](CheckpointWriter&) {});
    EXPECT_THROW(Checkpointer(scratch.folder()), Error);  // in use
  }
  EXPECT_THROW(Checkpointer(scratch.folder(), SavedRun{}), Error);  // would be lost
  EXPECT_NO_THROW(Checkpointer(scratch.folder()));
}

TEST(Checkpointer, ARunThatHasOnlyBegunStartsAgain) {
  const Scratch scratch;
  const SavedRun asked{"1.2", "/somewhere", {"m.dve"}, {}, {{"m.dve", 77}}};
  std::string saved;
  {
    const Checkpointer killed(scratch.folder(), asked);
    saved = scratch.saved();
  }
  EXPECT_FALSE(fs::exists(scratch.folder()));  // it ended normally
  EXPECT_FALSE(saved.empty());
  fs::create_directories(scratch.folder());
  std::ofstream(scratch.file()) << saved;
  EXPECT_EQ(Checkpointer(scratch.folder()).saved_run().arguments, asked.arguments);
  EXPECT_TRUE(fs::exists(scratch.file()));  // until it has an answer, however often it is resumed
  const auto checkpoints = std::make_shared<Checkpointer>(scratch.folder());
  EXPECT_FALSE(checkpoints->has_saved());
  EXPECT_FALSE(checkpoints->load([](CheckpointReader&) {}));
  checkpoints->save([](CheckpointWriter&) {});
  EXPECT_TRUE(checkpoints->has_saved());
  EXPECT_FALSE(checkpoints->has_not_advanced());
}

TEST(Checkpointer, AFailureIsAWarningExceptAtFirst) {
  const Scratch scratch;
  const fs::path in_the_way = CheckpointWriter::unfinished(scratch.file());
  std::vector<std::string> warnings;
  const auto run = [&](const std::function<void(std::uint32_t)>& at_node) {
    const auto checkpoints = std::make_shared<Checkpointer>(scratch.folder(), SavedRun{});
    checkpoints->configure(0, [&](const std::string& warning) { warnings.push_back(warning); });
    Witness witness;
    witness.at_node = &at_node;
    Budget budget;
    SweepSearch search(steps(9), {.checkpoints = checkpoints});
    EXPECT_EQ(search.run(witness, budget).end, SearchEnd::complete);
    EXPECT_EQ(search.figures().expansions, 10u);
  };
  fs::create_directories(in_the_way);
  EXPECT_THROW(run([](std::uint32_t) {}), Error);
  EXPECT_TRUE(warnings.empty());

  fs::remove(in_the_way);
  std::string saved;
  run([&](std::uint32_t node) {
    if (node == 3) {
      saved = scratch.saved();
      fs::create_directory(in_the_way);
    }
    if (node == 6) {
      EXPECT_EQ(scratch.saved(), saved);
      fs::remove(in_the_way);
    }
  });
  ASSERT_EQ(warnings.size(), 1u);  // not once per layer
  EXPECT_NE(warnings[0].find("cannot write the checkpoint"), std::string::npos);
  EXPECT_NE(scratch.saved(), saved);
}

TEST(Checkpointer, SearchesThatCannotBeSavedSaySo) {
  const Scratch scratch;
  const auto checkpoints = std::make_shared<Checkpointer>(scratch.folder(), SavedRun{});
  checkpoints->configure(0, {});
  Unsaved observer;
  Budget budget;
  EXPECT_THROW(SweepSearch(steps(3), {.checkpoints = checkpoints}).run(observer, budget), Error);
}

}  // namespace
}  // namespace tideline
