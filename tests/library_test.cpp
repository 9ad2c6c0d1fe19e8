// The library as a user sees it, on the example: the published counts of the protocol, and verdicts.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "protocol.hpp"

namespace tideline {
namespace {

struct Published {
  unsigned packets, capacity;
  std::uint64_t states, edges;
  double peak_percent;
};

// Table 1 of A. Lilleskare, L. M. Kristensen, S.-O. Høyland: CTL model checking with the sweep-line state
// space exploration method (NIK 2017).
constexpr Published table[] = {
    {22, 2, 7'944, 22'419, 6.6},     {30, 2, 14'672, 41'611, 4.9},    {10, 3, 24'052, 98'671, 19.8},
    {15, 3, 78'027, 326'906, 13.8},  {16, 3, 94'226, 395'825, 13.0},  {17, 3, 112'525, 473'808, 12.3},
    {18, 3, 133'052, 561'415, 11.6}, {19, 3, 155'935, 659'206, 11.1}, {20, 3, 181'302, 767'741, 10.5},
};

TEST(StopAndWaitExample, HasThePublishedNumbers) {
  for (const Published& row : table) {
    const StopAndWait protocol{row.packets, row.capacity};
    const std::string name = std::to_string(row.packets) + "-" + std::to_string(row.capacity);
    const Exploration all = explore(protocol);
    EXPECT_EQ(all.states, row.states) << name;
    EXPECT_EQ(all.transitions, row.edges) << name;
    EXPECT_EQ(all.stored_peak, row.states) << name;
    const Exploration swept = sweep(protocol);
    EXPECT_TRUE(swept.complete);
    EXPECT_EQ(swept.states, row.states) << name;
    EXPECT_EQ(swept.transitions, row.edges) << name;
    EXPECT_EQ(swept.deadlocks, 1u) << name;
    const double peak = 100.0 * static_cast<double>(swept.stored_peak) / static_cast<double>(row.states);
    EXPECT_LE(peak, row.peak_percent + 0.05) << name;
  }
}

// Follows a run step by step; false when one of its steps is not a step of the protocol. A deadlock repeats.
bool is_run(const StopAndWait& protocol, const Path& path) {
  const std::size_t bytes = protocol.state_size();
  bool follows = false;
  protocol.initial([&](auto* s) { follows = std::vector(s, s + bytes) == path.states.front(); });
  for (std::size_t i = 0; i < path.actions.size() && follows; ++i) {
    const auto& next = path.states[i + 1 < path.states.size() ? i + 1 : path.loop.value_or(0)];
    bool deadlock = true, taken = false;
    protocol.successors(path.states[i].data(), [&](const Step& step) {
      deadlock = false;
      taken =
          taken || (step.action == path.actions[i] && std::vector(step.state, step.state + bytes) == next);
    });
    follows = deadlock ? path.actions[i] == no_action && next == path.states[i] : taken;
  }
  return follows;
}

TEST(StopAndWaitExample, BothWaysOfExploringFindAStateAndItsRun) {
  const StopAndWait protocol{4, 3};
  const auto done = [&](auto* state) { return protocol.unpack(state).s == 5; };
  const Exploration explored = explore(protocol, done), swept = sweep(protocol, done);
  for (const Exploration& found : {explored, swept}) {
    ASSERT_TRUE(found.run);
    EXPECT_FALSE(found.complete);
    const Path path = found.run();
    EXPECT_TRUE(is_run(protocol, path));
    EXPECT_TRUE(done(path.states.back().data()));
  }
  EXPECT_EQ(explored.run().actions.size(),
            1u + 4 * 5);  // start; send, data, receive, ack, get ack four times
  EXPECT_GE(swept.run().actions.size(), explored.run().actions.size());
  EXPECT_FALSE(sweep(protocol, [&](auto* state) { return protocol.unpack(state).s == 6; }).run);
}

TEST(StopAndWaitExample, LimitsEndASearch) {
  Budget::Limits limits;
  limits.seconds = 0;
  const Exploration some = sweep(StopAndWait{20, 3}, Nowhere{}, limits);
  EXPECT_FALSE(some.complete);
  EXPECT_NE(some.unfinished.find("time limit"), std::string::npos) << some.unfinished;
  EXPECT_EQ(always_possible(StopAndWait{20, 3}, Nowhere{}, limits).verdict, Verdict::unknown);
}

TEST(StopAndWaitExample, HasThePublishedVerdicts) {
  for (const bool always_ack : {true, false}) {
    const StopAndWait protocol{6, 2, always_ack};
    const auto received = [&](auto* s) { return protocol.unpack(s).r == 7; };
    const auto sent = [&](auto* s) { return protocol.unpack(s).any(StopAndWait::data_sent); };
    const auto acked = [&](auto* s) { return protocol.unpack(s).any(StopAndWait::ack_sent); };

    const CtlAnswer p1 = always_possible(protocol, received);
    EXPECT_EQ(p1.verdict, always_ack ? Verdict::holds : Verdict::violated);
    ASSERT_EQ(static_cast<bool>(p1.run), !always_ack);
    if (p1.run) {
      // From where the run ends, it cannot be reached any more.
      const Path path = p1.run();
      EXPECT_TRUE(is_run(protocol, path));
      EXPECT_FALSE(received(path.states.back().data()));
    }

    EXPECT_EQ(always_inevitable(protocol, [&](auto* s) { return sent(s) || received(s); }).verdict,
              Verdict::holds);

    const CtlAnswer p3 = always_inevitable(protocol, acked);
    EXPECT_EQ(p3.verdict, Verdict::violated);
    ASSERT_TRUE(p3.run);
    const Path lasso = p3.run();
    ASSERT_TRUE(lasso.loop);
    EXPECT_TRUE(is_run(protocol, lasso));
    for (std::size_t i = *lasso.loop; i < lasso.states.size(); ++i)
      EXPECT_FALSE(acked(lasso.states[i].data()));
  }
}

/// The protocol with another idea of progress, or with none.
template <class Base>
struct WithoutProgress {
  Base base;
  std::size_t state_size() const { return base.state_size(); }
  void initial(auto&& sink) const { base.initial(sink); }
  void successors(const std::byte* state, auto&& sink) const { base.successors(state, sink); }
};
template <class Base>
struct Regressing : WithoutProgress<Base> {
  /// The receiver advances, the network fills and empties.
  Progress progress(const std::byte* state) const {
    const auto unpacked = this->base.unpack(state);
    return Progress{unpacked.r} * 16 +
           static_cast<Progress>(std::ranges::count_if(unpacked.network, [](auto m) { return m != 0; }));
  }
};

TEST(StopAndWaitExample, AnswersDoNotDependOnProgress) {
  int violated = 0;
  for (const bool always_ack : {true, false}) {
    const StopAndWait protocol{4, 2, always_ack};
    const WithoutProgress<StopAndWait> in_memory{protocol};
    const Regressing<StopAndWait> regressing{{protocol}};
    EXPECT_GT(sweep(regressing).states, explore(protocol).states);  // some are visited again
    for (unsigned r = 0; r <= 5; ++r)
      for (const bool sent : {true, false}) {
        const auto goal = [&](auto* s) {
          return protocol.unpack(s).r == r || (sent && protocol.unpack(s).any(StopAndWait::data_sent));
        };
        const auto same = [&](const CtlAnswer& expected, const CtlAnswer& swept, bool lasso) {
          EXPECT_EQ(swept.verdict, expected.verdict) << always_ack << r << sent;
          ASSERT_EQ(static_cast<bool>(swept.run), swept.verdict == Verdict::violated) << swept.reason;
          if (!swept.run) return;
          ++violated;
          const Path path = swept.run();
          EXPECT_TRUE(is_run(protocol, path));
          EXPECT_EQ(path.loop.has_value(), lasso);
          for (std::size_t i = path.loop.value_or(path.states.size() - 1); i < path.states.size(); ++i)
            EXPECT_FALSE(goal(path.states[i].data()));
        };
        const CtlAnswer possible = always_possible(in_memory, goal);
        same(possible, always_possible(protocol, goal), false);
        same(possible, always_possible(regressing, goal), false);
        const CtlAnswer inevitable = always_inevitable(in_memory, goal);
        same(inevitable, always_inevitable(protocol, goal), true);
        same(inevitable, always_inevitable(regressing, goal), true);
      }
  }
  EXPECT_GT(violated, 0);
}

// --- Model files

constexpr const char* counter =
    "byte x;\n"
    "process P { state q; init q; trans q -> q { guard x < 3; effect x = x + 1; }, q -> q { guard x == 3; }; "
    "}\n"
    "system async;\n";

TEST(ModelFiles, TakeQuestionsInEveryLogic) {
  const ModelFile model = ModelFile::read("counter.dve", counter);
  const CheckAnswer answer = check(model, {deadlock_freedom(), invariant("x < 3"), reach("x == 3"),
                                           ltl("F \"x == 3\""), ctl("AG EF \"x == 0\"")});
  const Verdict expected[] = {Verdict::holds, Verdict::violated, Verdict::holds, Verdict::holds,
                              Verdict::violated};
  std::map<std::string, PropertyAnswer> by_name;
  for (const PropertyAnswer& property : answer.properties) by_name[property.name] = property;
  std::size_t i = 0;
  for (const char* name : {"deadlock", "invariant", "reach", "ltl", "ctl"})
    EXPECT_EQ(by_name.at(name).verdict, expected[i++]) << name;
  const auto& run = *by_name.at("invariant").run;
  EXPECT_EQ(run.actions.size(), 3u);
  ASSERT_EQ(run.states.size(), 4u);
  EXPECT_EQ(run.variables.front(), "x");
  EXPECT_EQ(run.states.back().front(), 3);
  EXPECT_NE(run.text.find("x: 2 -> 3"), std::string::npos) << run.text;
}

TEST(ModelFiles, AnswersComeInTheOrderOfTheQuestions) {
  const ModelFile model = ModelFile::load(TIDELINE_SOURCE_DIR "/models/peterson.dve");
  const CheckAnswer answer =
      check(model, {ctl("AG EF P_0.critical"), ltl("G(P_0.waiting -> F P_0.critical)"), named("mutex"),
                    invariant("!(P_0.critical && P_1.critical)"), deadlock_freedom(), invariant("true")});
  std::vector<std::string> names;
  for (const PropertyAnswer& property : answer.properties) names.push_back(property.name);
  EXPECT_EQ(names, (std::vector<std::string>{"ctl", "ltl", "mutex", "invariant", "deadlock", "invariant-2",
                                             "model-errors"}));
  for (const PropertyAnswer& property : answer.properties)
    EXPECT_EQ(property.verdict, Verdict::holds) << property.name;
}

TEST(ModelFiles, DeadlocksStutterUnlessRunsEndThere) {
  const ModelFile model = ModelFile::read("ends.dve",
                                          "byte x; process P { state q; init q; trans q -> q { guard x < 3; "
                                          "effect x = x + 1; }; } system async;");
  const auto verdict = [&](const CheckSettings& settings) {
    return check(model, {ctl("AG EX true")}, settings).properties.at(0).verdict;
  };
  EXPECT_EQ(verdict({}), Verdict::holds);
  EXPECT_EQ(verdict({.deadlock_paths = DeadlockPaths::maximal}), Verdict::violated);
}

TEST(ModelFiles, CanBeReduced) {
  const std::string process = " { state a, b; init a; trans a -> b {}; }\n";
  const ModelFile model =
      ModelFile::read("two.dve", "process P" + process + "process Q" + process + "system async;\n");
  const auto states = [&](bool reduce) {
    const CheckAnswer answer =
        check(model, {invariant("!(P.a && P.b)")}, {.engine = "dfs", .reduce = reduce});
    EXPECT_EQ(answer.properties.at(0).verdict, Verdict::holds);
    return std::get<std::uint64_t>(answer.statistics.at("states"));
  };
  EXPECT_LT(states(true), states(false));
}

TEST(ModelFiles, TakeAnyEngineAndNameTheOneUsed) {
  const ModelFile model = ModelFile::read("counter.dve", counter);
  for (const char* engine : {"auto", "bfs", "dfs", "sweep", "symbolic", "portfolio"}) {
    const CheckAnswer answer = check(model, {invariant("x < 4")}, {.engine = engine});
    EXPECT_EQ(answer.properties.at(0).verdict, Verdict::holds) << engine;
    EXPECT_TRUE(answer.complete) << engine;
  }
  const CheckAnswer answer = check(model, {invariant("x < 4")}, {.engine = "bfs"});
  EXPECT_EQ(answer.engine, "bfs");
  EXPECT_EQ(std::get<std::uint64_t>(answer.statistics.at("states")), 4u);
  std::vector<std::string> notes;
  CheckSettings settings;
  settings.on_note = [&](const std::string& note) { notes.push_back(note); };
  check(model, {ltl("G F \"x == 3\"")}, settings);
  EXPECT_FALSE(notes.empty());
}

TEST(ModelFiles, LimitsEndInUnknown) {
  const ModelFile model = ModelFile::read("large.dve",
                                          "byte a, b, c, d, e;\n"
                                          "process P { state q; init q; trans q -> q { effect a = a + 1; },\n"
                                          "q -> q { effect b = b + 1; }, q -> q { effect c = c + 1; },\n"
                                          "q -> q { effect d = d + 1; }, q -> q { effect e = e + 1; }; }\n"
                                          "system async;\n");
  std::atomic<bool> interrupted{true};
  CheckSettings settings{.engine = "bfs"};
  settings.limits.interrupted = &interrupted;
  const CheckAnswer answer = check(model, {reach("a == 1 && b == 300")}, settings);
  EXPECT_EQ(answer.properties.at(0).verdict, Verdict::unknown);
  EXPECT_FALSE(answer.properties.at(0).reason.empty());
}

TEST(ModelFiles, ErrorsHavePlaces) {
  const auto message = [](const auto& work) -> std::string {
    try {
      work();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message([] { ModelFile::read("m.dve", "byte x\n"); }).find("m.dve:"), std::string::npos);
  const ModelFile model = ModelFile::read("counter.dve", counter);
  EXPECT_NE(message([&] { check(model, {ltl("G F (")}); }).find("property ltl:1:"), std::string::npos);
  EXPECT_NE(message([&] { check(model, {invariant("y == 1")}); }).find("y"), std::string::npos);
  EXPECT_NE(message([&] { check(model, {named("none")}); }).find("no property 'none'"), std::string::npos);
  EXPECT_NE(message([&] {
              check(model, {deadlock_freedom()}, {.engine = "dfs", .threads = 2});
            }).find("one thread"),
            std::string::npos);
  EXPECT_NE(
      message([&] { check(model, {deadlock_freedom()}, {.engine = "fast"}); }).find("unknown engine 'fast'"),
      std::string::npos);
}

}  // namespace
}  // namespace tideline
