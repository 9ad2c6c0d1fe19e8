// The sweep on a device, by threads of the processor: counts, verdicts and runs against breadth-first search, with so little
// memory that states are put away to the host and to disk.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "gpu/cuda_driver.hpp"
#include "gpu/engine.hpp"
#include "gpu/kernels.hpp"
#include "gpu/model_code.hpp"
#include "model/error.hpp"
#include "search/states/safety.hpp"
#include "testing/few_states.hpp"
#include "testing/native_steps.hpp"
#include "testing/ptx_machine.hpp"
#include "testing/random_system.hpp"
#include "testing/skip_case.hpp"

namespace tideline::gpu {
namespace {

using test::Packed;

SlotId any_slot(const System& system, std::mt19937_64& random) {
  return static_cast<SlotId>(random() % system.slots.size());
}

/// Tuples of values of these slots, some of them outside their ranges.
ProgressOrder random_order(const System& system, const std::vector<SlotId>& slots, std::mt19937_64& random) {
  std::vector<std::vector<std::int32_t>> tuples;
  for (int i = 0; i < 6; ++i) {
    std::vector<std::int32_t> tuple;
    for (const SlotId slot : slots)
      tuple.push_back(system.slots[slot].range.low + static_cast<std::int32_t>(random() % 4));
    if (std::ranges::find(tuples, tuple) == tuples.end()) tuples.push_back(tuple);
  }
  ProgressOrder order;
  for (const auto& tuple : tuples) {
    if (order.empty() || random() % 3 != 0) order.emplace_back();
    order.back().insert(order.back().end(), tuple.begin(), tuple.end());
  }
  return order;
}

MeasureTerm random_term(const System& system, std::mt19937_64& random) {
  const SlotId slot = any_slot(system, random), other = any_slot(system, random);
  switch (random() % 6) {
    case 0:
      return slot_term(system, slot);
    case 1:
      return reversed_term(system, slot);
    case 2:
      return {.text = "ordered",
              .summands = {
                  {{slot}, random_order(system, {slot}, random), 1 - 2 * static_cast<int>(random() % 2)}}};
    case 3:
      return {.text = "group", .summands = {{{slot, other}, random_order(system, {slot, other}, random), 3}}};
    case 4:
      return sum_term(system, {slot_term(system, slot), reversed_term(system, other)});
    default:
      return {.text = "expression",
              .summands = {{.expr = Expr::binary(random() % 2 == 0 ? Op::div : Op::sub, Expr::load(slot),
                                                 Expr::load(other))}}};
  }
}

Measure random_measure(const System& system, std::mt19937_64& random) {
  std::vector<MeasureTerm> terms;
  for (std::uint64_t i = 1 + random() % 3; i != 0; --i) terms.push_back(random_term(system, random));
  for (;; terms.pop_back()) try {
      return {system, terms};
    } catch (const Error&) {  // too many bits
    }
}

RC_GTEST_PROP(Ptx, MeasuresStatesAsTheMeasureDoes, (std::uint64_t seed)) {
  std::mt19937_64 random(seed);
  const System system = RandomSystem(seed).take();
  const ModelCode code(system, ErrorSemantics::stop, {}, random_measure(system, random));
  PtxWriter writer(system, code.dense());
  test::PtxMachine machine;
  machine.load(writer.progress(code.ranks(), "%u", "%rd1"));
  for (std::uint32_t t = 0; t < system.tables.size(); ++t)
    machine.tables["tideline_table_" + std::to_string(t)] = system.tables[t];
  for (std::size_t i = 0; i < code.ranks().size(); ++i)
    machine.tables["tideline_ranks_" + std::to_string(i)] = {code.ranks()[i].ranks.begin(),
                                                             code.ranks()[i].ranks.end()};
  for (int i = 0; i < 50; ++i) {
    const Packed state = test::random_state(system, code.layout(), random);
    std::vector<Word> words(code.dense().words());
    code.dense().pack(state.data(), words.data());
    machine.registers.clear();
    for (unsigned u = 0; u < 2 * code.dense().words(); ++u)
      machine.registers["%u" + std::to_string(u)] = static_cast<std::uint32_t>(words[u / 2] >> 32 * (u % 2));
    machine.run();
    RC_ASSERT(machine.registers.at("%rd1") == code.measure()(state.data()));
  }
}

std::uint64_t number(const Outcome& outcome, Stat stat) {
  const auto* const value = outcome.statistics.find(stat);
  return value ? std::get<std::uint64_t>(*value) : 0;
}

/// A random system, questions about it, and a measure.
struct SweepCase {
  explicit SweepCase(std::uint64_t seed) : random(seed), system(RandomSystem(seed).take()) {
    properties = {{.name = "deadlock", .kind = PropertyKind::deadlock, .formula = {}},
                  {.name = "error", .kind = PropertyKind::model_error, .formula = {}}};
    for (const PropertyKind kind : {PropertyKind::invariant, PropertyKind::reach}) {
      const SlotId slot = any_slot(system, random);
      const std::int64_t value = system.slots[slot].range.low + static_cast<std::int64_t>(random() % 4);
      properties.push_back({.name = "p",
                            .kind = kind,
                            .formula = {},
                            .expr = Expr::binary(kind == PropertyKind::reach ? Op::eq : Op::ne,
                                                 Expr::load(slot), Expr::constant(value))});
    }
    options.exhaustive = seed % 4 != 0;
    options.traces = seed % 3 != 0;
    if (seed % 5 == 0 && system.error_state) options.errors = ErrorSemantics::error_state;
  }

  void compare(bool is_cpu, unsigned cards = 1) {
    if (test::skip_case(!test::has_few_states(system, 2000, options.errors))) return;
    Budget budget;
    const Outcome expected = check_safety(system, properties, options, budget);
    options.engine = search_gpu_sweep;
    options.sweep.measure = random_measure(system, random);
    options.threads = random() % 4 == 0 ? 2 : 1;
    options.device = {.is_cpu = is_cpu, .cards = cards, .first_states = 4, .host_bytes = random() % 3 * 4096};
    if (is_cpu) options.device.memory_bytes = (150 << 10) + random() % (1 << 15);
    Budget own;
    const Outcome found = check_safety(system, properties, options, own);
    if (own.reason().find("memory of the device") != std::string::npos) return;
    for (std::size_t i = 0; i < properties.size(); ++i) {
      EXPECT_EQ(to_string(found.results[i].verdict), to_string(expected.results[i].verdict));
      EXPECT_EQ(found.results[i].reason, expected.results[i].reason);
      EXPECT_EQ(static_cast<bool>(found.results[i].path), static_cast<bool>(expected.results[i].path));
      if (found.results[i].path) check_run(found.results[i]);
    }
    if (!expected.complete) return;
    EXPECT_TRUE(found.complete);
    for (const Stat stat : std::initializer_list<Stat>{"states", "transitions", "deadlocks"})
      EXPECT_EQ(number(found, stat), number(expected, stat)) << options.sweep.measure.text();
    EXPECT_EQ(number(found, "visited"), number(expected, "states"));
    EXPECT_EQ(found.never_enabled, expected.never_enabled);
  }

  /// Every step is one of the interpreter's, from the initial state on; and the last state is what was looked for.
  void check_run(const PropertyResult& result) {
    const Path path = result.path();
    Interpreter interpreter(Program::compile(system, options.errors));
    ASSERT_EQ(0, std::memcmp(path.states.front().data(), interpreter.program().initial_state(),
                             interpreter.state_size()));
    for (std::size_t i = 0; i < path.actions.size(); ++i) {
      bool found = false;
      for (const auto& [action, error, successor] : test::moves(interpreter, path.states[i]))
        found |= action == path.actions[i] && successor == path.states[i + 1];
      EXPECT_TRUE(found);
    }
    const auto last = test::moves(interpreter, path.states.back());
    if (result.property.kind == PropertyKind::deadlock) {
      EXPECT_TRUE(last.empty());
    }
    if (result.property.expr.op != Op::constant && result.reason.empty()) {
      const Predicate predicate(system, interpreter.layout(), result.property.expr);
      ModelErrorKind error = ModelErrorKind::none;
      EXPECT_EQ(predicate.evaluate(path.states.back().data(), error) != 0,
                result.property.kind == PropertyKind::reach);
    }
  }

  std::mt19937_64 random;
  System system;
  std::vector<Property> properties;
  SafetyOptions options;
};

RC_GTEST_PROP(GpuSweep, VisitsWhatBreadthFirstSearchVisits, (std::uint64_t seed)) {
  SweepCase(seed).compare(true);
  RC_ASSERT(!::testing::Test::HasFailure());
}

RC_GTEST_PROP(GpuSweep, DoesSoOnSeveralCards, (std::uint64_t seed)) {
  SweepCase(seed).compare(true, 2 + static_cast<unsigned>(seed % 4));
  RC_ASSERT(!::testing::Test::HasFailure());
}

/// Counters that count up to `high` each, and go back to 0 from there if they do.
System counters(unsigned count, std::int32_t high, bool go_back) {
  System system;
  for (unsigned i = 0; i < count; ++i) {
    system.add_variable({.name = "x" + std::to_string(i)}, {0, high}, {0});
    const auto is = [&](Op op) { return Expr::binary(op, Expr::load(i), Expr::constant(high)); };
    system.actions.push_back(
        {.label = "more",
         .guard = is(Op::lt),
         .effects = {{.slot = i, .value = Expr::binary(Op::add, Expr::load(i), Expr::constant(1))}}});
    if (go_back)
      system.actions.push_back(
          {.label = "back", .guard = is(Op::eq), .effects = {{.slot = i, .value = Expr::constant(0)}}});
  }
  complete(system);
  return system;
}

Measure sum_of_all(const System& system, bool monotone, bool negated = false) {
  std::vector<MeasureTerm> terms;
  for (SlotId slot = 0; slot < system.slots.size(); ++slot)
    terms.push_back(negated ? reversed_term(system, slot) : slot_term(system, slot));
  MeasureTerm sum = sum_term(system, terms);
  sum.monotone = monotone;
  return {system, {sum}};
}

Outcome swept(const System& system, const Measure& measure, std::uint64_t memory, std::uint64_t host,
              bool traces = false, unsigned cards = 1) {
  SafetyOptions options;
  options.engine = search_gpu_sweep;
  options.sweep.measure = measure;
  options.traces = traces;
  options.exhaustive = true;
  options.device = {
      .is_cpu = true, .memory_bytes = memory, .cards = cards, .first_states = 4, .host_bytes = host};
  Budget budget;
  return check_safety(system, {{.name = "deadlock", .kind = PropertyKind::deadlock, .formula = {}}}, options,
                      budget);
}

TEST(GpuSweep, ForgetsStatesBehindAMonotoneMeasure) {
  const System system = counters(3, 63, false);
  const Outcome outcome = swept(system, sum_of_all(system, true), 300 << 10, 0);
  ASSERT_TRUE(outcome.complete) << outcome.results.front().reason;
  EXPECT_EQ(number(outcome, "states"), 262'144U);
  EXPECT_EQ(number(outcome, "transitions"), 3 * 63 * 4096U);
  EXPECT_EQ(number(outcome, "deadlocks"), 1U);
  EXPECT_EQ(number(outcome, "sweeps"), 1U);
  EXPECT_LT(number(outcome, "stored_peak"), 20'000U);
  EXPECT_LE(number(outcome, "device_bytes"), 300U << 10);
  EXPECT_LT(number(outcome, "disk_bytes"),
            8U * 262'144 / 4);  // only what is ahead, and what a split has left over
}

TEST(GpuSweep, PutsStatesAwayAndComesBackToThem) {
  for (const auto& [negated, cards] : {std::pair(false, 1), {true, 1}, {false, 2}, {true, 3}}) {
    const System system = counters(3, 15, true);
    const Outcome outcome = swept(system, sum_of_all(system, false, negated), 170 << 10, 1 << 12, true,
                                  static_cast<unsigned>(cards));
    ASSERT_TRUE(outcome.complete) << outcome.results.front().reason;
    EXPECT_EQ(number(outcome, "states"), 4096U);
    EXPECT_EQ(number(outcome, "visited"), 4096U);
    EXPECT_EQ(number(outcome, "transitions"), 3 * 4096U);
    EXPECT_GT(number(outcome, "sweeps"), 1U);
    EXPECT_GT(number(outcome, "disk_bytes"), 0U);
  }
}

/// Were a band to end earlier on one card than on another, one of them would forget states that it may meet again.
TEST(GpuSweep, EndsBandsOnAllCardsWhereOneHasToSplitIt) {
  const System system = counters(3, 31, false);
  for (std::uint64_t memory = 200; memory < 300; memory += 6) {
    const Outcome outcome = swept(system, sum_of_all(system, true), memory << 10, 0, false, 3);
    ASSERT_TRUE(outcome.complete) << outcome.results.front().reason;
    EXPECT_EQ(number(outcome, "cards"), 3U);
    EXPECT_EQ(number(outcome, "states"), 32'768U);
    EXPECT_EQ(number(outcome, "transitions"), 3 * 31 * 1024U);
    EXPECT_EQ(number(outcome, "deadlocks"), 1U);
  }
}

TEST(GpuSweep, CutsLayersThatHaveNoRoom) {
  const System system = counters(4, 15, false);
  for (const unsigned cards : {1, 2}) {
    const Outcome outcome = swept(system, sum_of_all(system, true), 160 << 10, 0, false, cards);
    ASSERT_TRUE(outcome.complete) << outcome.results.front().reason;
    EXPECT_EQ(number(outcome, "states"), 65'536U);
    EXPECT_EQ(number(outcome, "transitions"), 4 * 15 * 4096U);
    EXPECT_EQ(number(outcome, "deadlocks"), 1U);
    EXPECT_LE(number(outcome, "device_bytes"), cards * 160U << 10);
  }
}

/// Steps lead from strip to strip and back.
TEST(GpuSweep, ComesBackToStripsOfALayer) {
  const System system = counters(3, 15, true);
  for (const bool monotone : {false, true})
    for (const bool traces : {false, true})
      for (const unsigned cards : {1, 3}) {
        const MeasureTerm constant = {
            .text = "nothing", .summands = {{.expr = Expr::constant(0)}}, .monotone = monotone};
        const Outcome outcome = swept(system, {system, {constant}}, 160 << 10, 0, traces, cards);
        ASSERT_TRUE(outcome.complete) << outcome.results.front().reason;
        EXPECT_EQ(number(outcome, "states"), 4096U);
        EXPECT_EQ(number(outcome, "visited"), 4096U);
        EXPECT_EQ(number(outcome, "transitions"), 3 * 4096U);
        EXPECT_GT(number(outcome, "sweeps"), 1U);
      }
}

TEST(GpuSweep, EndsWhereAStripHasNoRoom) {
  const System system = counters(4, 31, false);
  const auto term = [&](SlotId slot) {  // of 32 bits
    return MeasureTerm{
        .text = "large",
        .summands = {{.expr = Expr::binary(Op::mul, Expr::load(slot), Expr::constant(1 << 27))}}};
  };
  const Outcome outcome = swept(system, {system, {term(0), term(1)}}, 152 << 10, 0);
  EXPECT_FALSE(outcome.complete);
  EXPECT_EQ(outcome.results.front().reason,
            "the memory of the device is full, by states with the same progress");
}

TEST(GpuSweep, SaysWhichActionBreaksAClaim) {
  const System system =
      counters(1, 31, true);  // one step does, to a state of another card for some numbers of them
  for (const unsigned cards : {1, 2, 3, 4, 5}) try {
      swept(system, sum_of_all(system, true), 200 << 10, 0, false, cards);
      FAIL() << "nothing was noticed";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      EXPECT_NE(std::string(error.what()).find("the action `back` takes it from"), std::string::npos)
          << error.what();
    }
}

TEST(Card, SweepsLikeBreadthFirstSearch) {
  if (std::string why; CudaDriver::find(why) == nullptr) GTEST_SKIP() << why;
  if (kernel_text(1, true).empty()) GTEST_SKIP() << "this build has no kernels for cards";
  for (std::uint64_t seed = 0; seed < 40 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    SweepCase(seed).compare(false, 1 + static_cast<unsigned>(seed % 3));
  }
}

}  // namespace
}  // namespace tideline::gpu
