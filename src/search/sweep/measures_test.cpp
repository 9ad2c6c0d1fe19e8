// Sweeps over random systems by random measures, groups of slots among their terms: every state is visited, by
// tuples and by the product of the terms, with columns and without.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <random>
#include <set>
#include <string>

#include "graph/factory.hpp"
#include "lang/lang.hpp"
#include "progress/composition.hpp"
#include "progress/measured.hpp"
#include "progress/parse_measure.hpp"
#include "run/budget.hpp"
#include "search/sweep/sweep.hpp"
#include "testing/product_sweep.hpp"

namespace tideline {
namespace {

using namespace test;
using States = std::set<std::string>;

/// Processes of three states that set, count and ask for values below four.
std::string small_model(std::mt19937_64& random) {
  const auto below = [&](int n) { return std::uniform_int_distribution(0, n - 1)(random); };
  std::string text = "byte x, y;\n";
  for (int process = 0; process < 2; ++process) {
    text += fmt::format("process P{} {{ byte n; state s0, s1, s2; init s0; trans", process);
    for (int i = 0; i < 6; ++i) {
      const char* const asked = below(2) == 0 ? "x" : "n";
      const char* const changed = below(3) == 0 ? "y" : asked;
      text += fmt::format("{} s{} -> s{} {{ guard {} {} {}; ", i == 0 ? "" : ",", i % 3, below(3), asked,
                          below(2) == 0 ? "<" : "!=", 1 + below(3));
      text += below(2) == 0 ? fmt::format("effect {0} = ({0} + 1) % 4; }}", changed)
                            : fmt::format("effect {} = {}; }}", changed, below(4));
    }
    text += "; }\n";
  }
  return text + "system async;\n";
}

std::string bytes_of(const Interpreter& graph, const std::byte* state) {
  return {reinterpret_cast<const char*>(state), graph.state_size()};
}

States reachable(Interpreter graph) {
  States states;
  std::vector<std::string> open;
  const auto meet = [&](const std::byte* state) {
    if (states.insert(bytes_of(graph, state)).second) open.push_back(bytes_of(graph, state));
  };
  graph.initial(meet);
  while (!open.empty()) {
    const std::string state = open.back();
    open.pop_back();
    graph.successors(reinterpret_cast<const std::byte*>(state.data()), [&](const Step& step) {
      if (step.state) meet(step.state);
    });
  }
  return states;
}

/// For the sweep by tuples.
struct Recorder {
  const Interpreter& graph;
  States states = {};

  void on_state(const std::byte* state, const auto&) { states.insert(bytes_of(graph, state)); }
  void on_step(const Step&, const auto&) {}
  void on_deadlock(const auto&) {}
  bool done() const { return false; }
};

class RandomMeasure {
 public:
  RandomMeasure(const System& system, const States& states, std::mt19937_64& random)
      : system_(system), layout_(system), random_(random) {
    for (const std::string& state : states) {
      Values values(system.slots.size());
      layout_.unpack(reinterpret_cast<const std::byte*>(state.data()), values);
      states_.push_back(std::move(values));
    }
  }

  /// With as many terms claimed as no local graph contradicts.
  Measure take() {
    std::vector<MeasureTerm> terms;
    const Locals locals = local_measures(system_, ErrorSemantics::stop);
    if (below(2) == 0 && !locals.measures.empty())
      terms.push_back(scc_term(system_, locals.measures[below(locals.measures.size())]));
    for (std::size_t i = 1 + below(3); i > 0; --i) terms.push_back(arbitrary_term());
    return with_claims(system_, Measure(system_, std::move(terms)), locals);
  }

 private:
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }

  /// A group in an order of some of the tuples that it has somewhere.
  MeasureTerm arbitrary_term() {
    std::vector<SlotId> slots;
    for (std::size_t count = 1 + below(3); slots.size() < count;)
      if (const auto slot = static_cast<SlotId>(below(system_.slots.size()));
          std::ranges::find(slots, slot) == slots.end())
        slots.push_back(slot);
    std::set<Values> tuples;
    for (const Values& state : states_) {
      Values tuple;
      for (const SlotId slot : slots) tuple.push_back(state[slot]);
      if (tuples.size() < 20 && below(4) != 0) tuples.insert(std::move(tuple));
    }
    ProgressOrder order(1 + below(6));
    for (const Values& tuple : tuples) {
      auto& place = order[below(order.size())];
      place.insert(place.end(), tuple.begin(), tuple.end());
    }
    std::erase_if(order, [](const auto& place) { return place.empty(); });
    if (order.empty()) return slot_term(system_, slots[0], {{0}});
    return group_term(system_, std::move(slots), std::move(order));
  }

  const System& system_;
  Layout layout_;
  std::mt19937_64& random_;
  std::vector<Values> states_;
};

void require_all_visited(const System& system, const States& all, const Measure& measure) {
  const Interpreter graph = stepper(system);
  const bool claimed = measure.monotone_terms() != 0;
  const unsigned shift = claimed ? measure.suffix(measure.monotone_terms()).bits() : 64;
  for (const bool columns : {true, false}) {
    SweepSearch search(Measured(graph, measure),
                       {.claimed_shift = shift, .column_shift = columns ? shift : 64});
    Recorder recorder{graph};
    Budget budget{{}};
    search.run(recorder, budget);
    EXPECT_FALSE(search.figures().broken_claim);
    EXPECT_EQ(recorder.states, all);
    for (const NextLayer next : {NextLayer::least_tuple, NextLayer::least_sum}) {
      States visited;
      const auto figures = ProductSweep(graph, measure, {columns, next}).run([&](const std::string& state) {
        visited.insert(state);
      });
      EXPECT_EQ(visited, all);
      EXPECT_GE(figures.visited, all.size());
      EXPECT_LE(figures.stored_peak, all.size());
    }
  }
}

TEST(SweepsByGroups, VisitEveryState) {
  std::size_t groups = 0, claims = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const System system = read_model({"random.dve", small_model(random)}).system;
    const States all = reachable(stepper(system));
    const Measure measure = RandomMeasure(system, all, random).take();
    require_all_visited(system, all, measure);
    claims += measure.monotone_terms() != 0;
    groups += measure.text().find("{(") != std::string::npos;
    // Written and read, it is the same measure.
    const SourceText source{"measure", measure.text()};
    const Measure again = parse_measure(
        system, source,
        [](std::string_view, SourcePoint, const SourceText&) -> Expr { throw std::logic_error("no slot"); },
        ErrorSemantics::stop);
    EXPECT_EQ(again.text(), measure.text());
    EXPECT_EQ(again.bits(), measure.bits());
    for (const std::string& state : all)
      EXPECT_EQ(again(reinterpret_cast<const std::byte*>(state.data())),
                measure(reinterpret_cast<const std::byte*>(state.data())));
    if (HasFailure()) return;
  }
  EXPECT_GT(groups, 150U);
  EXPECT_GT(claims, 50U);
}

/// Looks once, keeps what it sees, and has another measure.
class OneLook final : public MeasureAdviser {
 public:
  static constexpr std::uint64_t due = 12'000;

  explicit OneLook(Measure measure) : measure_(std::move(measure)) {}

  std::optional<Measure> better(const Measure&, const SweepExperience& so_far, Budget&) override {
    if (looks_ != 0 || so_far.expansions < due) return std::nullopt;
    ++looks_;
    seen = {so_far.expansions, so_far.stored, so_far.regress_edges};
    return measure_;
  }
  std::optional<std::uint64_t> next_look() const override {
    return looks_ == 0 ? std::optional(due) : std::nullopt;
  }
  Measure read(const std::string&) const override { return measure_; }
  std::uint64_t& looks() override { return looks_; }

  std::array<std::uint64_t, 3> seen = {};

 private:
  Measure measure_;
  std::uint64_t looks_ = 0;
};

TEST(ChangedMeasure, TakesPlaceAtTheSameLayerWithAnyNumberOfThreads) {
  const System system =
      read_model({"counters.dve",
                  "byte x, y, z;\n"
                  "process P { state s; init s; trans s -> s { guard x < 59; effect x = x + 1; },"
                  " s -> s { guard x == 40; effect x = 30; }; }\n"
                  "process Q { state s; init s; trans s -> s { guard y < 15; effect y = y + 1; }; }\n"
                  "process R { state s; init s; trans s -> s { guard z < 15; effect z = z + 1; }; }\n"
                  "system async;\n"})
          .system;
  const auto measure = [&](const char* written) {
    return parse_measure(
        system, SourceText{"measure", written},
        [](std::string_view, SourcePoint, const SourceText&) -> Expr { throw std::logic_error("no slot"); },
        ErrorSemantics::stop);
  };
  using Figures = std::vector<std::uint64_t>;
  for (const bool passed_states : {false, true}) {
    Figures first;
    for (const unsigned threads : {1u, 2u, 2u, 5u, 5u}) {
      const auto adviser = std::make_shared<OneLook>(measure("z, x"));
      SweepOptions options{.threads = threads,
                           .few = 1,
                           .ahead = {.least = 32, .part_of_stored = 0},  // 160 with five threads
                           .settle_in = 500,
                           .adviser = adviser};
      if (passed_states) options.passed_states_folder = std::filesystem::temp_directory_path();
      SweepSearch search(Measured(stepper(system), measure("x + y + z")), options);
      Bystander nobody;
      Budget budget;
      EXPECT_EQ(search.run(nobody, budget).end, SearchEnd::complete);
      const SweepFigures& figures = search.figures();
      EXPECT_EQ(figures.measures, 2U);
      Figures all(adviser->seen.begin(), adviser->seen.end());
      all.insert(all.end(), {figures.sweeps, figures.layers, figures.expansions, figures.regress_edges});
      if (first.empty()) first = all;
      EXPECT_EQ(all, first) << threads << " threads, passed states: " << passed_states;
    }
    EXPECT_GE(first[0], OneLook::due);
    EXPECT_GT(first[2], 0U);
  }
}

}  // namespace
}  // namespace tideline
