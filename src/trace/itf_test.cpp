#include "trace/itf.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "testing/two_counters.hpp"

namespace tideline {
namespace {

using namespace two_counters;
using nlohmann::json;

json good_trace() {
  const System s = system();
  return json::parse(to_itf(s, run(s, {raise, once, pass}),
                            {.model = "m.dve",
                             .property = "p",
                             .kind = "reach",
                             .formula = "turn == 1",
                             .verdict = "holds",
                             .tool_version = "1"}));
}

std::string input_error(const std::string& text) {
  try {
    check_against(system(), read_itf(text, "t.json"));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  return "";
}

TEST(Itf, HasTheShapeOfTheFormat) {
  const json j = good_trace();
  EXPECT_EQ(j["#meta"]["format"], "ITF");
  EXPECT_EQ(j["#meta"]["model"], "m.dve");
  EXPECT_EQ(j["vars"], json::parse(R"(["turn", "flag", "A", "B.x", "B"])"));
  EXPECT_EQ(j["states"].size(), 4U);
  EXPECT_EQ(j["states"][1],
            json::parse(R"({"#meta": {"index": 1, "action": "A: idle -> work", "action_id": 0},
      "turn": 0, "flag": [1, 0], "A": "work", "B.x": -7, "B": "only"})"));
  EXPECT_FALSE(j.contains("loop"));
}

TEST(Itf, ReadsBackWhatItWrote) {
  const System s = system();
  const Trace before = run(s, {raise, once, pass, raise});
  const ItfTrace trace =
      read_itf(to_itf(s, before, {.model = "m.dve", .kind = "reach", .formula = "\"<\n"}), "t");
  EXPECT_EQ(trace.header.formula, "\"<\n");
  const ItfCheck check = check_against(s, trace);
  EXPECT_FALSE(check.failure) << *check.failure;
  EXPECT_EQ(check.run.states, before.states);
  EXPECT_EQ(check.run.actions, before.actions);
}

TEST(Itf, KeepsLoopsAndFailures) {
  System s = system();
  const Trace failing = replay(s, ErrorSemantics::stop, failing_path(s));
  ItfCheck check = check_against(s, read_itf(to_itf(s, failing, {}), "t"));
  EXPECT_FALSE(check.failure);
  EXPECT_EQ(check.run.failing_action, raise);
  EXPECT_EQ(check.run.error.kind, ModelErrorKind::index_out_of_bounds);

  s.actions[once].guard = Expr::constant(1);
  Path p = path(s, {once});
  p.actions.push_back(once);
  p.loop = 1;
  const Trace looping = replay(s, ErrorSemantics::stop, p);
  check = check_against(s, read_itf(to_itf(s, looping, {}), "t"));
  EXPECT_FALSE(check.failure);
  EXPECT_EQ(check.run.loop, 1U);
  EXPECT_EQ(check.run.actions.size(), 2U);
}

TEST(Itf, AcceptsFilesWithoutActionsAndBigIntegers) {
  json j = good_trace();
  j.erase("#meta");
  for (json& state : j["states"]) {
    state.erase("#meta");
    state["turn"] = json{{"#bigint", std::to_string(state["turn"].get<int>())}};
  }
  const ItfCheck check = check_against(system(), read_itf(j.dump(), "t"));
  EXPECT_FALSE(check.failure) << *check.failure;
  EXPECT_EQ(check.run.actions, (std::vector<ActionId>{raise, once, pass}));
}

TEST(Itf, SaysWhereATraceStopsFollowingTheModel) {
  const auto failure = [](const json& j) {
    const ItfCheck check = check_against(system(), read_itf(j.dump(), "t"));
    return check.failure ? std::to_string(check.failed_step) + ": " + *check.failure : "";
  };
  json j = good_trace();
  j["states"][0]["turn"] = 1;
  EXPECT_EQ(failure(j), "0: the initial state differs: turn is 0, the trace says 1");
  j = good_trace();
  j["states"][2]["#meta"]["action"] = "B: jumps";
  EXPECT_EQ(failure(j), "2: the model has no action 'B: jumps'");
  j = good_trace();
  j["states"][2]["#meta"]["action"] = "A: idle -> work";
  EXPECT_EQ(failure(j), "2: action 'A: idle -> work' is not enabled: A is at work");
  j = good_trace();
  j["states"][3]["#meta"]["action"] = "B: only -> only";
  EXPECT_EQ(failure(j), "3: action 'B: only -> only' is not enabled: its guard is false");
  j = good_trace();
  j["states"][1]["flag"] = {1, 1};
  EXPECT_EQ(failure(j), "1: action 'A: idle -> work' leads to another state: flag[1] is 0, the trace says 1");
  j = good_trace();
  j["states"][1]["#meta"].erase("action");
  j["states"][1]["flag"] = {1, 1};
  EXPECT_EQ(failure(j), "1: no action of the model leads to the recorded state");
  j = good_trace();
  j["#meta"]["failure"] = {{"action", "A: idle -> work"}};
  EXPECT_EQ(failure(j), "4: action 'A: idle -> work' does not end in a model error");
}

TEST(Itf, ModelErrorInTheMiddleIsAFinding) {
  const System s = system();
  json j = json::parse(to_itf(s, replay(s, ErrorSemantics::stop, failing_path(s)), {}));
  json next = j["states"].back();
  next["#meta"]["action"] = "A: idle -> work";
  j["states"].push_back(next);
  const ItfCheck check = check_against(s, read_itf(j.dump(), "t"));
  ASSERT_TRUE(check.failure);
  EXPECT_EQ(*check.failure, "action 'A: idle -> work' ends in a model error: index 2 is outside flag[0..1]");
  EXPECT_EQ(check.failed_step, 5U);
}

TEST(Itf, RefusesWhatIsNotATrace) {
  const auto has = [](const std::string& text, const std::string& part) {
    const std::string error = input_error(text);
    EXPECT_NE(error.find(part), std::string::npos) << "got: " << error;
    EXPECT_EQ(error.find("t.json: error: "), 0U) << error;
  };
  has("", "not JSON");
  has("{\"vars\": [", "not JSON");
  has(std::string("\0\xff\x01", 3), "not JSON");
  has("[]", "not an object");
  has("{}", "no 'vars'");
  has(R"({"vars": []})", "no 'states'");
  has(R"({"vars": 3, "states": []})", "'vars' is not a list");
  has(R"({"vars": ["a", "a"], "states": [{}]})", "twice");
  has(R"({"vars": [1], "states": [{}]})", "not a string");
  has(R"({"vars": [], "states": []})", "empty");
  has(R"({"vars": [], "states": 5})", "not a list");
  has(R"({"vars": [], "states": [7]})", "state 0 is not an object");
  has(R"({"vars": ["a"], "states": [{}]})", "state 0 has no 'a'");
  has(R"({"vars": [], "states": [{"a": 1}]})", "'vars' does not name");
  has(R"({"vars": ["a"], "states": [{"a": 1}]})", "'a' is not in the model");
  has(R"({"vars": ["turn"], "states": [{"turn": 1}]})", "is not in the trace");
  has(R"({"vars": ["turn"], "states": [{"turn": 1.5}]})", "not an integer of 32 bits");
  has(R"({"vars": ["turn"], "states": [{"turn": 99999999999999999999999}]})", "not an integer of 32 bits");
  has(R"({"vars": ["turn"], "states": [{"turn": {"#bigint": "99999999999"}}]})", "not an integer of 32 bits");
  has(R"({"vars": ["turn"], "states": [{"turn": {"#bigint": "x"}}]})", "not a number");
  has(R"({"vars": ["turn"], "states": [{"turn": [[1]]}]})", "an entry of 'turn' of state 0");
  has(R"({"#meta": 1, "vars": [], "states": [{}]})", "'#meta' is not an object");
  has(R"({"#meta": {"model_errors": "x"}, "vars": [], "states": [{}]})", "neither report nor divine");
}

TEST(Itf, RefusesValuesOfTheWrongType) {
  const auto changed = [](const std::string& key, const json& value) {
    json j = good_trace();
    j["states"][1][key] = value;
    return input_error(j.dump());
  };
  EXPECT_NE(changed("turn", "one").find("'turn' of state 1 is not a number"), std::string::npos);
  EXPECT_NE(changed("flag", 1).find("not a list"), std::string::npos);
  EXPECT_NE(changed("flag", {1}).find("has 1 entries, the model has 2"), std::string::npos);
  EXPECT_NE(changed("A", "nowhere").find("no location 'nowhere'"), std::string::npos);
  EXPECT_NE(changed("A", {1, 2}).find("not a location"), std::string::npos);
  json j = good_trace();
  j["loop"] = 4;
  EXPECT_NE(input_error(j.dump()).find("'loop' is not a number from 0 to 3"), std::string::npos);
  j = good_trace();
  j["states"][1]["#meta"]["action_id"] = -1;
  EXPECT_NE(input_error(j.dump()).find("action_id"), std::string::npos);
  j = good_trace();
  j["#meta"]["model_errors"] = "divine";
  EXPECT_NE(input_error(j.dump()).find("continues after model errors"), std::string::npos);
}

TEST(Itf, DeepNestingIsAnErrorNotACrash) {
  EXPECT_NE(input_error(std::string(200000, '[') + std::string(200000, ']')), "");
  EXPECT_NE(input_error("{\"vars\": " + std::string(200000, '[')), "");
}

// Whatever happens to a byte of a trace: it is refused, found to fail, or still the same run.
RC_GTEST_PROP(Itf, ChangedBytesNeverCrash, ()) {
  const System s = system();
  std::string text = to_itf(s, run(s, {raise, once, pass}), {});
  text[*rc::gen::inRange<std::size_t>(0, text.size())] = *rc::gen::arbitrary<char>();
  try {
    const ItfCheck check = check_against(s, read_itf(text, "t"));
    if (!check.failure)
      RC_ASSERT(check.run.states.size() == check.run.actions.size() + (check.run.loop ? 0U : 1U));
  } catch (const Error& error) {
    RC_ASSERT(error.kind() == ErrorKind::input);
  }
}

}  // namespace
}  // namespace tideline
