#include "report/outputs.hpp"

#include <gtest/gtest.h>

#include "testing/two_counters.hpp"

namespace tideline {
namespace {

using namespace two_counters;
using Names = std::vector<std::string>;
using Files = std::vector<Names>;

/// An answer about properties of these names, of which those that begin with a letter have a run.
Answer answer_about(const System& s, const Names& names) {
  Answer answer{.command = "check", .version = "9", .model = "m.dve", .outcome = {}, .traces = {}};
  for (const std::string& name : names) {
    answer.outcome.results.push_back(
        {.property = {.name = name, .kind = PropertyKind::invariant, .formula = ""},
         .verdict = Verdict::violated,
         .reason = "",
         .path = {}});
    answer.traces.emplace_back();
    if (name[0] != '-') answer.traces.back() = run(s, {raise});
  }
  return answer;
}

TEST(TraceFiles, OneRunHasTheNameThatWasGiven) {
  const System s = system();
  EXPECT_EQ(trace_files("dir.x/t.itf.json", answer_about(s, {"-", "mutex", "-"})),
            (Files{{}, {"dir.x/t.itf.json"}, {}}));
}

TEST(TraceFiles, SeveralRunsAreNamedForTheirPropertiesEachNameOnce) {
  const System s = system();
  EXPECT_EQ(trace_files("dir.x/t.itf.json", answer_about(s, {"a/b", "-", "a b", "c"})),
            (Files{{"dir.x/t-a_b.itf.json"}, {}, {"dir.x/t-a_b-2.itf.json"}, {"dir.x/t-c.itf.json"}}));
  EXPECT_EQ(trace_files(".t", answer_about(s, {"a", "b"})), (Files{{".t-a"}, {".t-b"}}));
}

TEST(TraceFiles, OtherRunsOfAPropertyAreNumbered) {
  const System s = system();
  Answer answer = answer_about(s, {"a", "-", "b"});
  answer.more_traces = {{run(s, {raise}), run(s, {raise, once})}, {}, {}};
  EXPECT_EQ(trace_files("t.json", answer),
            (Files{{"t-a.json", "t-a-2.json", "t-a-3.json"}, {}, {"t-b.json"}}));
  answer = answer_about(s, {"a"});
  answer.more_traces = {{run(s, {raise})}};
  EXPECT_EQ(trace_files("t.json", answer), (Files{{"t-a.json", "t-a-2.json"}}));
}

TEST(Outputs, AreTheOnesThatAreWanted) {
  Model model;
  model.system = system();
  Answer answer = answer_about(model.system, {"low"});
  Budget budget;
  const auto outputs =
      render_outputs({.trace_file = "t.json", .json_file = "-"}, {.text = false}, model, answer, budget);
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(outputs[0].file, "-");
  EXPECT_EQ(outputs[1].file, "t.json");
  EXPECT_NE(outputs[1].text.find("\"low\""), std::string::npos) << outputs[1].text;
}

TEST(Outputs, LeaveRunsOutWhereTheBudgetEnds) {
  Model model;
  model.system = system();
  Answer answer = answer_about(model.system, {"low"});
  answer.traces[0]->states.assign(1000, model.system.initial);  // limits are not checked at every step
  answer.traces[0]->actions.assign(999, once);
  Budget over;
  over.exhaust("enough");
  const auto outputs = render_outputs({.trace_file = "t.json"}, {}, model, answer, over);
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_FALSE(answer.traces[0]);
  EXPECT_NE(outputs[0].text.find("the run is not shown: enough"), std::string::npos) << outputs[0].text;
}

}  // namespace
}  // namespace tideline
