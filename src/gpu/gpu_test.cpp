// The code for cards against the interpreter, by a machine for PTX, and engine gpu on the processor against breadth-first
// search.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "exec/reference.hpp"
#include "gpu/cuda_driver.hpp"
#include "gpu/engine.hpp"
#include "gpu/kernels.hpp"
#include "gpu/model_code.hpp"
#include "gpu/spread_space.hpp"
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

/// One lane of a card that steps a model.
class Lane {
 public:
  Lane(const ModelCode& code, std::uint32_t part_emits, std::uint32_t capacity)
      : code_(code), parts_(cut_into_parts(code.steps(), part_emits)), capacity_(capacity) {
    PtxWriter writer(code.system(), code.dense());
    machine_.load(writer.steps(code.steps(), parts_, {capacity, true}, "%r1", "%r2", "%r3", "%r4", "%r5"));
    for (std::uint32_t t = 0; t < code.system().tables.size(); ++t)
      machine_.tables["tideline_table_" + std::to_string(t)] = code.system().tables[t];
    flags_ = (code.system().actions.size() + 15) / 16 * 16;
  }

  struct Result {
    std::vector<Packed> successors;
    bool gave_up = false, missed = false;
    std::vector<ActionId> flagged;
  };

  Result steps(const Packed& state) {
    Result result;
    const unsigned words = code_.dense().words();
    std::vector<Word> packed(words);
    code_.dense().pack(state.data(), packed.data());
    for (std::uint32_t part = 0; part < parts_.size() && !result.gave_up; ++part) {
      machine_.registers.clear();
      machine_.shared.assign(flags_ + 16 + 8 * words * capacity_, 0);
      for (unsigned u = 0; u < 2 * words; ++u)
        machine_.registers["%s" + std::to_string(u)] =
            static_cast<std::uint32_t>(packed[u / 2] >> 32 * (u % 2));
      machine_.registers["%r4"] = part;
      machine_.registers["%r5"] = flags_;
      machine_.run();
      result.gave_up = machine_.registers.at("%r2") != 0;
      result.missed |= machine_.registers.at("%r3") != 0;
      for (std::size_t a = 0; a < code_.system().actions.size(); ++a)
        if (machine_.shared[a] != 0) result.flagged.push_back(static_cast<ActionId>(a));
      EXPECT_LE(machine_.registers.at("%r1"), parts_[part].emits);
      for (std::uint64_t i = 0; i < machine_.registers.at("%r1"); ++i) {
        std::vector<Word> successor(words);
        for (unsigned w = 0; w < words; ++w)
          std::memcpy(&successor[w], machine_.shared.data() + flags_ + 16 + 8 * (w * capacity_ + i), 8);
        for (const Word word : successor) EXPECT_NE(word & written_bit, 0U);
        Packed unpacked(state.size());
        code_.dense().unpack(successor.data(), unpacked.data());
        result.successors.push_back(std::move(unpacked));
      }
    }
    return result;
  }

 private:
  const ModelCode& code_;
  std::vector<CodePart> parts_;
  std::uint32_t capacity_;
  std::uint64_t flags_;
  test::PtxMachine machine_;
};

bool x86_gives_up(const native::NativeSteps& code, const Packed& state) {
  const std::size_t stride = native::padded(state.size());
  Packed padded(state), successors(code.most_steps * stride);
  padded.resize(stride);
  std::vector<ActionId> actions(code.most_steps);
  return code.function(padded.data(), successors.data(), actions.data()) == native::gave_up;
}

void compare_steps(const System& system, std::uint64_t seed, int states) {
  std::mt19937_64 random(seed);
  const ModelCode code(system, ErrorSemantics::stop, {});
  ASSERT_NE(code.dense().words(), 0U);
  const auto native = native::compile_steps(system, code.layout());
  Lane lane(code, 1 + static_cast<std::uint32_t>(random() % 8), 4096);
  Interpreter interpreter(Program::compile(system, ErrorSemantics::stop));
  Packed state(interpreter.program().initial_state(),
               interpreter.program().initial_state() + interpreter.state_size());
  for (int i = 0; i < states; ++i) {
    std::vector<Word> words(code.dense().words());
    code.dense().pack(state.data(), words.data());
    Packed again(state.size());
    code.dense().unpack(words.data(), again.data());
    ASSERT_EQ(again, state);

    const auto expected = test::moves(interpreter, state);
    const Lane::Result found = lane.steps(state);
    ASSERT_FALSE(found.missed);
    std::vector<Packed> next, all;
    bool fails = false;
    for (const auto& [action, error, successor] : expected) {
      fails |= error != ModelErrorKind::none;
      if (error == ModelErrorKind::none) next.push_back(successor);
    }
    // It gives up where x86 code does: the same form says so. That may be where nothing fails.
    ASSERT_TRUE(found.gave_up || !fails);
    if (native) {
      ASSERT_EQ(found.gave_up, x86_gives_up(*native, state));
    }
    if (!found.gave_up) {
      ASSERT_EQ(found.successors, next);
      ASSERT_EQ(found.flagged.size(), expected.size());
    }
    state = next.empty() || i % 8 == 7 ? test::random_state(system, interpreter.layout(), random)
                                       : next[random() % next.size()];
  }
}

RC_GTEST_PROP(Ptx, TakesTheStepsOfTheInterpreterInItsOrder, (std::uint64_t seed)) {
  for (std::uint64_t i = 0; i < 3; ++i) compare_steps(RandomSystem(seed + i).take(), seed, 40);
  RC_ASSERT(!::testing::Test::HasFailure());
}

TEST(Ptx, MissesWhatTheQueueHasNoRoomFor) {
  System system;
  system.add_variable({.name = "x"}, {0, 7}, {0});
  for (int v = 1; v <= 3; ++v)
    system.actions.push_back({.label = "a", .effects = {{.slot = 0, .value = Expr::constant(v)}}});
  complete(system);
  const ModelCode code(system, ErrorSemantics::stop, {});
  Packed state(code.layout().size());
  EXPECT_TRUE(Lane(code, 8, 2).steps(state).missed);
  EXPECT_FALSE(Lane(code, 8, 3).steps(state).missed);
  EXPECT_FALSE(Lane(code, 1, 2).steps(state).missed);  // one action at a time
}

std::string counts(const Outcome& outcome) {
  std::string text;
  for (const Stat stat : std::initializer_list<Stat>{"states", "transitions", "deadlocks", "depth"})
    text += std::to_string(std::get<std::uint64_t>(*outcome.statistics.find(stat))) + ' ';
  for (const std::uint64_t size : outcome.level_sizes) text += std::to_string(size) + ',';
  for (const std::string& warning : outcome.warnings) text += "; " + warning;
  for (const ActionId action : outcome.never_enabled) text += " !" + std::to_string(action);
  return text;
}

/// Verdicts, reasons, and the lengths of runs.
std::string answers(const Outcome& outcome) {
  std::string text;
  for (const PropertyResult& result : outcome.results) {
    text += std::string(to_string(result.verdict)) + ' ' + result.reason + ' ';
    if (result.path) text += "after " + std::to_string(result.path().actions.size()) + ' ';
  }
  return text;
}

/// Whether every step of a run is one of the interpreter's, from the initial state on.
bool is_run(const System& system, ErrorSemantics errors, const Path& path) {
  Interpreter interpreter(Program::compile(system, errors));
  bool fine = std::memcmp(path.states.front().data(), interpreter.program().initial_state(),
                          interpreter.state_size()) == 0;
  for (std::size_t i = 0; i < path.actions.size(); ++i) {
    bool found = false;
    for (const auto& [action, error, successor] : test::moves(interpreter, path.states[i]))
      found |= action == path.actions[i] && successor == path.states[i + 1];
    fine &= found;
  }
  return fine;
}

Outcome by_gpu(const System& system, const std::vector<Property>& properties, SafetyOptions options,
               bool is_cpu, unsigned threads, unsigned cards) {
  options.engine = search_gpu;
  options.threads = threads;
  options.device = {.is_cpu = is_cpu, .cards = cards, .first_states = 4};
  Budget budget;
  Outcome outcome = check_safety(system, properties, options, budget);
  for (const PropertyResult& result : outcome.results)
    if (result.path) {
      EXPECT_TRUE(is_run(system, options.errors, result.path()));
    }
  return outcome;
}

/// A random system, and questions about it.
struct Case {
  explicit Case(std::uint64_t seed) : system(RandomSystem(seed).take()) {
    std::mt19937_64 random(seed);
    properties = {{.name = "deadlock", .kind = PropertyKind::deadlock, .formula = {}},
                  {.name = "error", .kind = PropertyKind::model_error, .formula = {}}};
    for (const PropertyKind kind : {PropertyKind::invariant, PropertyKind::reach}) {
      const auto slot = static_cast<SlotId>(random() % system.slots.size());
      const std::int64_t value = system.slots[slot].range.low + static_cast<std::int64_t>(random() % 4);
      properties.push_back({.name = "p",
                            .kind = kind,
                            .formula = {},
                            .expr = Expr::binary(kind == PropertyKind::reach ? Op::eq : Op::ne,
                                                 Expr::load(slot), Expr::constant(value))});
    }
    options.exhaustive = seed % 4 != 0;  // else the level with what was found goes on to its end
    options.depth = seed % 3 == 0 ? 0 : 12;
    if (seed % 5 == 0 && system.error_state) options.errors = ErrorSemantics::error_state;
  }

  void compare(bool is_cpu, unsigned threads, unsigned cards = 1) const {
    if (test::skip_case(!test::has_few_states(system, 20'000, options.errors))) return;
    Budget budget;
    const Outcome expected = check_safety(system, properties, options, budget);
    const Outcome found = by_gpu(system, properties, options, is_cpu, threads, cards);
    EXPECT_EQ(answers(found), answers(expected));
    if (options.exhaustive) {
      EXPECT_EQ(counts(found), counts(expected));
    }
  }

  System system;
  std::vector<Property> properties;
  SafetyOptions options;
};

RC_GTEST_PROP(Gpu, CountsAndDecidesLikeBreadthFirstSearch, (std::uint64_t seed)) {
  const Case random(seed);
  random.compare(true, seed % 8 == 0 ? 3 : 1);
  RC_ASSERT(!::testing::Test::HasFailure());
}

RC_GTEST_PROP(Gpu, DoesSoOnSeveralCards, (std::uint64_t seed)) {
  const Case random(seed);
  random.compare(true, seed % 8 == 0 ? 2 : 1, 2 + static_cast<unsigned>(seed % 4));
  RC_ASSERT(!::testing::Test::HasFailure());
}

/// Variables that count up to 63, each by itself.
System counters() {
  System system;
  for (const char* name : {"x", "y", "z"}) system.add_variable({.name = name}, {0, 63}, {0});
  for (SlotId slot = 0; slot < 3; ++slot)
    system.actions.push_back(
        {.label = "more",
         .guard = Expr::binary(Op::lt, Expr::load(slot), Expr::constant(63)),
         .effects = {{.slot = slot, .value = Expr::binary(Op::add, Expr::load(slot), Expr::constant(1))}}});
  complete(system);
  return system;
}

TEST(Gpu, GivesEachCardItsShare) {
  const System system = counters();
  SpreadSpace space({.device = {.is_cpu = true, .cards = 8, .first_states = 4}},
                    [&](const Space::Options& own) {
                      return std::make_unique<Space>(system, ErrorSemantics::stop, Watches{}, own);
                    });
  space.insert({std::vector<std::byte>(3)});
  space.begin();
  while (space.expand() != Stop::complete) ASSERT_TRUE(space.make_room());
  constexpr std::uint64_t states = 64 * 64 * 64, share = states / 8;
  EXPECT_EQ(space.sum(&Search::count), states);
  for (const auto& part : space.parts()) {
    EXPECT_GT(part->numbers().count, share * 97 / 100);
    EXPECT_LT(part->numbers().count, share * 103 / 100);
  }
}

TEST(Gpu, EndsWhereTheMemoryOfTheDeviceEnds) {
  const System system = counters();
  SafetyOptions options;
  options.engine = search_gpu;
  options.device = {.is_cpu = true, .memory_bytes = 1 << 20, .first_states = 4};
  Budget budget;
  const Outcome outcome = check_safety(
      system, {{.name = "deadlock", .kind = PropertyKind::deadlock, .formula = {}}}, options, budget);
  EXPECT_FALSE(outcome.complete);
  EXPECT_EQ(outcome.results.front().verdict, Verdict::unknown);
  EXPECT_EQ(outcome.results.front().reason, "the memory of the device is full");
  EXPECT_LE(std::get<std::uint64_t>(*outcome.statistics.find("device_bytes")), 1U << 20);
}

TEST(Gpu, SaysWhyThereIsNoCard) {
  std::string why;
  if (CudaDriver::find(why) != nullptr) GTEST_SKIP() << "there is one";
  const System system = RandomSystem(std::uint64_t{1}).take();
  SafetyOptions options;
  options.engine = search_gpu;
  Budget budget;
  try {
    check_safety(system, {}, options, budget);
    FAIL() << "it searched";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find("a card is needed, and " + why), std::string::npos);
  }
}

#define SKIP_WITHOUT_A_CARD()                                                 \
  if (std::string why; CudaDriver::find(why) == nullptr) GTEST_SKIP() << why; \
  if (kernel_text(1, false).empty()) GTEST_SKIP() << "this build has no kernels for cards"

TEST(Card, CountsAndDecidesLikeBreadthFirstSearch) {
  SKIP_WITHOUT_A_CARD();
  for (std::uint64_t seed = 0; seed < 60 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Case(seed).compare(false, 1, 1 + static_cast<unsigned>(seed % 3));
  }
}

}  // namespace
}  // namespace tideline::gpu
