// Nets: what is read from PNML, what is refused and how, and the System a net becomes.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "exec/interpreter.hpp"
#include "exec/reference.hpp"
#include "lang/pnml/bounds.hpp"
#include "testing/models.hpp"
#include "testing/nets.hpp"

namespace tideline::pnml {
namespace {

const std::string mutex =
    "<place id=\"idle\"><initialMarking><text>2</text></initialMarking></place>\n"
    "<place id=\"lock\"><name><text>the lock</text></name><initialMarking><text> 1 "
    "</text></initialMarking></place>\n"
    "<place id=\"busy\"/>\n"
    "<transition id=\"enter\"/><transition id=\"leave\"><name><text>go</text></name></transition>\n"
    "<arc id=\"a1\" source=\"idle\" target=\"enter\"/><arc id=\"a2\" source=\"lock\" target=\"enter\"/>\n"
    "<arc id=\"a3\" source=\"enter\" target=\"busy\"/><arc id=\"a4\" source=\"busy\" target=\"leave\"/>\n"
    "<arc id=\"a5\" source=\"leave\" target=\"idle\"/><arc id=\"a6\" source=\"leave\" target=\"lock\"/>\n";

bool same(const std::vector<Arc>& a, const std::vector<Arc>& b) {
  return a == b;
}

TEST(PnmlReader, ReadsPlacesTransitionsAndArcs) {
  const Net net = net_of(document(mutex));
  ASSERT_EQ(net.places.size(), 3u);
  ASSERT_EQ(net.transitions.size(), 2u);
  EXPECT_EQ(net.places[0].initial, 2u);
  EXPECT_EQ(net.places[1].initial, 1u);
  EXPECT_EQ(net.places[1].name, "the lock");
  EXPECT_EQ(net.places[2].where, (SourcePoint{7, 1}));
  EXPECT_TRUE(same(net.transitions[0].consumes, {{0, 1}, {1, 1}}));
  EXPECT_TRUE(same(net.transitions[0].produces, {{2, 1}}));
}

TEST(PnmlReader, FollowsReferencesOverPagesAndAddsUpArcs) {
  const Net net = net_of(
      document("<arc id=\"a\" source=\"r2\" target=\"s\"><inscription><text>2</text></inscription></arc>"
               "<arc id=\"b\" source=\"p\" target=\"t\"/>"
               "<page id=\"inner\"><referencePlace id=\"r1\" ref=\"p\"/><referenceTransition id=\"s\" "
               "ref=\"t\"/></page>"
               "<referencePlace id=\"r2\" ref=\"r1\"/><place id=\"p\"/><transition id=\"t\"/>"));
  ASSERT_EQ(net.places.size(), 1u);
  EXPECT_TRUE(same(net.transitions[0].consumes, {{0, 3}}));
}

TEST(PnmlReader, IgnoresWhatOtherToolsAddAndReadsUnits) {
  const Net net = net_of(document(
      "<place id=\"p\"><graphics><position x=\"1\" y=\"2\"/></graphics><toolspecific tool=\"x\" "
      "version=\"1\">"
      "<place id=\"p\"/><initialMarking><text>7</text></initialMarking></toolspecific></place>",
      "ptnet",
      "<toolspecific tool=\"nupn\" version=\"1.1\"><size places=\"1\"/><structure units=\"1\" root=\"u\" "
      "safe=\"true\"><unit id=\"u\"><places>p\n</places><subunits/></unit></structure></toolspecific>"));
  EXPECT_EQ(net.places[0].initial, 0u);
  EXPECT_TRUE(net.safe);
  ASSERT_EQ(net.units.size(), 1u);
  EXPECT_EQ(net.units[0].places, std::vector<PlaceId>{0});
}

TEST(PnmlReader, ReadsValuesAsPipeWritesThem) {
  const Net net = net_of(document(
      "<place id=\"p\"><initialMarking><value>Default,3</value></initialMarking>"
      "<capacity><value>0</value></capacity></place>"
      "<place id=\"q\"><initialMarking><value> 4 </value></initialMarking></place><transition id=\"t\"/>"
      "<arc id=\"a\" source=\"p\" target=\"t\"><inscription><value>2</value></inscription>"
      "<type value=\"normal\"/></arc>"
      "<arc id=\"b\" source=\"q\" target=\"t\"><type><text>read</text></type></arc>"));
  EXPECT_EQ(net.places[0].initial, 3u);
  EXPECT_EQ(net.places[1].initial, 4u);
  EXPECT_TRUE(same(net.transitions[0].consumes, {{0, 2}}));
  EXPECT_TRUE(same(net.transitions[0].tests, {{1, 1}}));
}

// A net that means something else without what is not understood must not be searched as if it were not there.
TEST(PnmlReader, RefusesWhatItWouldLoseAndWarnsOfTheRest) {
  const auto in_place = [](const std::string& label) {
    return errors_in(document("<place id=\"p\">" + label + "</place>"));
  };
  using List = std::vector<std::string>;
  EXPECT_EQ(in_place("<capacity><text>1</text></capacity>"),
            List{"5:25: places with a capacity (1) are not supported; leave it out where the net keeps to it "
                 "anyway, else add a place for what is free"});
  EXPECT_EQ(in_place("<capacity/>"), List{"5:15: a capacity is a number, as <text>1</text>"});
  EXPECT_EQ(in_place("<initialMarking>3</initialMarking>"),
            List{"5:15: text does not belong here: '3'; write it as <text>...</text>"});
  EXPECT_EQ(in_place("3"), List{"5:1: text does not belong here: '3'"});
  EXPECT_EQ(in_place("<initialMarking><number>3</number></initialMarking>"),
            List{"5:31: expected 'text', found 'number'"});
  EXPECT_EQ(in_place("<initialmarking><text>3</text></initialmarking>"),
            List{"5:15: 'initialmarking' is spelled 'initialMarking'"});
  EXPECT_EQ(errors_in(document("<place id=\"p\"/><transition id=\"t\"/><arc id=\"a\" source=\"p\" "
                               "target=\"t\"><type><text>flush</text></type></arc>"))
                .size(),
            1u);
  const std::string timed = "<timed><value>true</value></timed>";
  const Model model = read_model(
      {"net.pnml", document("<transition id=\"t\">" + timed + "</transition><transition id=\"u\">" + timed +
                            "</transition><place id=\"p\"/>")});
  ASSERT_EQ(model.system.warnings.size(), 1u);
  EXPECT_EQ(model.system.warnings[0].message,
            "'timed' of a transition is not understood, and ignored in all of them");
}

TEST(PnmlReader, KnowsThreeSpellingsOfOtherArcs) {
  const Net net =
      net_of(document("<place id=\"p\"/><transition id=\"t\"/>"
                      "<arc id=\"a\" source=\"p\" target=\"t\" type=\"inhibitor\"/>"
                      "<arc id=\"b\" source=\"p\" target=\"t\"><type value=\"reset\"/></arc>"
                      "<arc id=\"c\" source=\"p\" target=\"t\"><arctype><text>read</text></arctype></arc>"));
  EXPECT_TRUE(same(net.transitions[0].inhibitors, {{0, 1}}));
  EXPECT_EQ(net.transitions[0].resets, std::vector<PlaceId>{0});
  EXPECT_TRUE(same(net.transitions[0].tests, {{0, 1}}));
  EXPECT_TRUE(net.transitions[0].consumes.empty());
}

TEST(PnmlReader, TakesTheStrictestOfSeveralTestsAndInhibitors) {
  std::string page = "<place id=\"p\"/><transition id=\"t\"/>";
  for (const char* type : {"inhibitor", "test"})
    for (const char* weight : {"3", "2", "4"})
      page += fmt::format(
          "<arc id=\"a\" source=\"p\" target=\"t\" "
          "type=\"{}\"><inscription><text>{}</text></inscription></arc>",
          type, weight);
  const Net net = net_of(document(page));
  EXPECT_TRUE(same(net.transitions[0].inhibitors, {{0, 2}}));
  EXPECT_TRUE(same(net.transitions[0].tests, {{0, 4}}));
}

TEST(PnmlReader, SaysWhereANetIsWrong) {
  using List = std::vector<std::string>;
  const std::string p = "<place id=\"p\"/>\n", t = "<transition id=\"t\"/>\n";
  EXPECT_EQ(errors_in(document(p + p)), List{"6:1: the id 'p' is already used in line 5"});
  EXPECT_EQ(errors_in(document(p + "<arc id=\"a\" source=\"p\" target=\"q\"/>")),
            List{"6:1: there is no place or transition 'q'"});
  EXPECT_EQ(errors_in(document(p + "<arc id=\"a\" source=\"p\"/>")),
            List{"6:1: 'arc' has no attribute 'target'"});
  EXPECT_EQ(errors_in(document(p + "<arc id=\"a\" source=\"p\" target=\"p\"/>")),
            List{"6:1: this arc leads from a place to a place"});
  EXPECT_EQ(errors_in(document("<place/>")), List{"5:1: 'place' has no attribute 'id'"});
  for (const std::string weight : {"0", "-1", "x", "1 2", "", "2147483648", "99999999999999999999"})
    EXPECT_EQ(errors_in(document(p + t + "<arc id=\"a\" source=\"p\" target=\"t\"><inscription><text>" +
                                 weight + "</text></inscription></arc>")),
              List{"7:48: the weight of an arc is a number from 1 to 2147483647, not '" + weight + "'"});
  EXPECT_EQ(errors_in(document("<place id=\"q\"><initialMarking><text>-1</text></initialMarking></place>")),
            List{"5:31: an initial marking is a number from 0 to 2147483647, not '-1'"});
  const std::string heavy =
      "<arc id=\"a\" source=\"p\" target=\"t\"><inscription><text>2147483647</text></inscription></arc>";
  EXPECT_EQ(errors_in(document(p + t + heavy + heavy)).size(), 1u);
  EXPECT_EQ(errors_in(document(p + t + "<arc id=\"a\" source=\"t\" target=\"p\" type=\"inhibitor\"/>")),
            List{"7:1: an arc of this type leads from a place to a transition"});
  EXPECT_EQ(errors_in(document(p + t + "<arc id=\"a\" source=\"t\" target=\"p\" type=\"timed\"/>")),
            List{"7:1: arc type 'timed' is not supported: only normal, test, inhibitor and reset are"});
  EXPECT_EQ(
      errors_in(document("<referencePlace id=\"r\" ref=\"s\"/><referencePlace id=\"s\" ref=\"r\"/>")).size(),
      2u);
  EXPECT_EQ(errors_in(document(t + "<referencePlace id=\"r\" ref=\"t\"/>")),
            List{"6:1: this refers to a transition, not to a place"});
}

TEST(PnmlReader, SaysWhereATextIsNotPnml) {
  const auto one = [](const std::string& text, const std::string& part) {
    const auto errors = errors_in(text);
    ASSERT_EQ(errors.size(), 1u) << text;
    EXPECT_NE(errors[0].find(part), std::string::npos) << errors[0];
  };
  one("", "1:1: the text ends too early");
  one("hello", "1:1: this is not XML: syntax error");
  one("<html/>", "1:1: expected 'pnml', found 'html'");
  one("<pnml/>", "0:0: there is no net in this file");
  one("<pnml><net id='a' type='x/symmetric'/></pnml>", "net type 'x/symmetric' is not supported");
  one("<pnml><net id='a' type='ptnet'/><net id='b' type='ptnet'/></pnml>", "1:33: a second net");
  one("<pnml>\n  <net id='a' type='ptnet'></page>", "this is not XML: mismatched tag");
  one("<!DOCTYPE p [<!ENTITY a \"aa\"><!ENTITY b \"&a;&a;\">]><pnml>&b;</pnml>",
      "entity declarations are not supported");
  one("<!DOCTYPE p SYSTEM \"x.dtd\"><pnml>&b;</pnml>", "this entity is not declared");
  std::string cut = document(mutex);
  for (const std::size_t size : {cut.size() - 3, cut.size() / 2, cut.size() / 3}) {
    const auto errors = errors_in(cut.substr(0, size));
    EXPECT_FALSE(errors.empty()) << size;
  }
}

TEST(PnmlReader, RefusesANetWithoutPlaces) {
  const SourceText source{"m.pnml", document("<transition id='t'/>")};
  EXPECT_THROW(read_net(source, {}), Error);
}

RC_GTEST_PROP(PnmlReader, ReadsWhatIsPrinted, (std::uint64_t seed)) {
  Net net = random_net(seed);
  net.safe = seed % 2 == 0;
  net.units.push_back({"u", {}});
  // Ids are separated by blanks in the list of a unit.
  for (PlaceId p = 0; p < net.places.size(); ++p)
    if (net.places[p].id.find(' ') == std::string::npos) net.units[0].places.push_back(p);
  const Net again = net_of(to_pnml(net));
  RC_ASSERT(again.places.size() == net.places.size());
  RC_ASSERT(again.transitions.size() == net.transitions.size());
  RC_ASSERT(again.safe == net.safe);
  RC_ASSERT(again.units[0].places == net.units[0].places);
  for (PlaceId p = 0; p < net.places.size(); ++p) {
    RC_ASSERT(again.places[p].id == net.places[p].id);
    RC_ASSERT(again.places[p].initial == net.places[p].initial);
  }
  for (TransitionId t = 0; t < net.transitions.size(); ++t) {
    const Transition& a = again.transitions[t];
    const Transition& b = net.transitions[t];
    RC_ASSERT(a.id == b.id);
    RC_ASSERT(a.name == b.name);
    RC_ASSERT(a.consumes == b.consumes);
    RC_ASSERT(a.produces == b.produces);
    RC_ASSERT(a.tests == b.tests);
    RC_ASSERT(a.inhibitors == b.inhibitors);
    RC_ASSERT(a.resets == b.resets);
  }
}

/// Plays the token game from the initial marking and compares every step with the system of the net.
void compare_with_token_game(const Net& net) {
  const System system = to_system(net);
  const Reference reference(system, ErrorSemantics::stop);
  Interpreter interpreter(Program::compile(system, ErrorSemantics::stop));
  const Layout& layout = interpreter.program().layout();
  std::set<Marking> seen{initial_marking(net)};
  std::vector<Marking> open{initial_marking(net)};
  for (std::size_t at = 0; at < open.size() && seen.size() < 200; ++at) {
    const Marking marking = open[at];
    std::set<std::pair<ActionId, Marking>> expected, referred, interpreted;
    for (TransitionId t = 0; t < net.transitions.size(); ++t)
      if (const auto next = fire(net.transitions[t], marking)) expected.insert({t, *next});
    const Values values(marking.begin(), marking.end());
    for (const ActionId a : reference.enabled(values)) {
      const auto fired = reference.fire(a, values);
      RC_ASSERT(fired.error.kind == ModelErrorKind::none);
      referred.insert({a, Marking(fired.state.begin(), fired.state.end())});
    }
    RC_ASSERT(referred == expected);
    std::vector<std::byte> packed(layout.size());
    layout.pack(values, packed.data());
    interpreter.successors(packed.data(), [&](const Step& step) {
      RC_ASSERT(step.state != nullptr);
      const auto next = layout.unpack(step.state);
      interpreted.insert({step.action, Marking(next.begin(), next.end())});
    });
    RC_ASSERT(interpreted == expected);
    for (const auto& [t, next] : expected)
      if (seen.insert(next).second) open.push_back(next);
  }
}

// A bound of a place that is too small would show as a model error here.
RC_GTEST_PROP(NetSystem, PlaysTheTokenGame, (std::uint64_t seed)) {
  for (std::uint64_t i = 0; i < 10; ++i) compare_with_token_game(random_net(seed + i));
}

TEST(NetSystem, BoundsPlacesBySubInvariants) {
  Net net = net_of(document(mutex));
  EXPECT_EQ(token_bounds(net), (std::vector<std::uint32_t>{2, 1, 1}));
  // Two tokens of one place are worth one of the other.
  net = {.id = "n", .places = {{.id = "a", .initial = 5}, {.id = "b"}}, .transitions = {{.id = "t"}}};
  net.transitions[0].consumes = {{0, 2}};
  net.transitions[0].produces = {{1, 1}};
  EXPECT_EQ(token_bounds(net), (std::vector<std::uint32_t>{5, 2}));
  // A source of tokens.
  net.transitions.push_back({.id = "s", .produces = {{0, 1}}});
  EXPECT_EQ(token_bounds(net)[0], static_cast<std::uint32_t>(most_tokens));
  EXPECT_EQ(to_system(net).slots[1].range, (Range{0, static_cast<std::int32_t>(most_tokens)}));
  net.safe = true;  // it cannot be, with five tokens in a place
  EXPECT_EQ(token_bounds(net)[0], static_cast<std::uint32_t>(most_tokens));
}

TEST(NetSystem, HasAShortDescriptionOfEachTransition) {
  Net net = net_of(document(mutex));
  net.transitions[0].produces.push_back({1, 1});
  normalise(net.transitions[0]);
  const System system = to_system(net);
  EXPECT_EQ(to_string(system.actions[0].guard, system), "(idle >= 1) && (lock >= 1)");
  ASSERT_EQ(system.actions[0].effects.size(), 2u);  // the lock is only tested
  EXPECT_EQ(to_string(system.actions[0].effects[0].value, system), "idle - 1");
  EXPECT_EQ(system.actions[0].label, "enter");
  EXPECT_TRUE(system.actions[0].participants.empty());
}

std::string shown(const System& system, const std::string& text) {
  try {
    return to_string(parse_expression(system, text, "test"), system);
  } catch (const Error& error) {
    return error.diagnostics()[0].message;
  }
}

TEST(NetExpression, IsAboutPlacesAndTransitions) {
  Net net =
      net_of(document(mutex + "<place id=\"odd id\"/><place id=\"a\"><name><text>twin</text></name></place>"
                              "<place id=\"b\"><name><text>twin</text></name></place>"));
  const System system = to_system(net);
  EXPECT_EQ(shown(system, "idle + busy <= 2 and not (lock == 0)"), "((idle + busy) <= 2) && !(lock == 0)");
  EXPECT_EQ(shown(system, "\"odd id\" == 0 -> 'odd id' < 2 -> true"),
            "(odd id == 0) imply ((odd id < 2) imply 1)");
  EXPECT_EQ(shown(system, "tokens(idle, busy, a) * 2"), "((idle + busy) + a) * 2");
  EXPECT_EQ(shown(system, "fireable(enter)"), "(idle >= 1) && (lock >= 1)");
  EXPECT_EQ(shown(system, "fireable(enter, go)"), "((idle >= 1) && (lock >= 1)) || (busy >= 1)");
  EXPECT_EQ(shown(system, "'the lock' == 1"), "lock == 1");
  EXPECT_EQ(shown(system, "twin"), "there is no place 'twin'");
  EXPECT_EQ(shown(system, "ilde"), "there is no place 'ilde'; did you mean 'idle'?");
  EXPECT_EQ(shown(system, "enter"), "there is no place 'enter'; for a transition write 'fireable(...)'");
  EXPECT_EQ(shown(system, "fireable(lock)"), "there is no transition 'lock'; it is a place");
  EXPECT_EQ(shown(system, "fireable()"), "expected a name of a transition, found ')'");
  EXPECT_EQ(shown(system, "idle idle"), "expected the end of the expression, found 'idle'");
  EXPECT_EQ(shown(system, "\"odd id"), "this quote is not closed");
  std::string deep(5000, '(');
  EXPECT_EQ(shown(system, deep), "expression is nested deeper than 1000");
  std::string chain = "idle";
  for (int i = 0; i < 2000; ++i) chain += " + idle";
  EXPECT_EQ(shown(system, chain), "expression is nested deeper than 1000");
}

TEST(NetExpression, HasFunctionsWhoseNamesAPlaceMayHave) {
  Net net = net_of(document(mutex + "<place id=\"tokens\"/><place id=\"fireable\"/>"));
  const System system = to_system(net);
  EXPECT_EQ(shown(system, "tokens > 0 && fireable == 1"), "(tokens > 0) && (fireable == 1)");
  EXPECT_EQ(shown(system, "tokens(tokens, fireable, idle)"), "(tokens + fireable) + idle");
  EXPECT_EQ(shown(system, "fireable(tokens)"), "there is no transition 'tokens'; it is a place");
}

TEST(NetExpression, MayBeDefinedByAPropertyFile) {
  const Model model = read_model({"m.pnml", document(mutex)}, {});
  System system = model.system;
  std::vector<Property> properties;
  std::optional<ProgressClause> progress;
  const SourceText source{"m.props", "define in = busy > 0\nproperty one invariant in -> lock == 0\n"};
  read_properties(property_file_lines(source), source, system, properties, progress);
  ASSERT_EQ(properties.size(), 1u);
  EXPECT_EQ(to_string(properties[0].expr, system), "(busy > 0) imply (lock == 0)");
  const SourceText taken{"t.props", "define idle = busy > 0\n"};
  EXPECT_THROW(read_properties(property_file_lines(taken), taken, system, properties, progress), Error);
  const SourceText reserved{"t.props", "define imply = busy > 0\n"};
  EXPECT_THROW(read_properties(property_file_lines(reserved), reserved, system, properties, progress), Error);
}

}  // namespace
}  // namespace tideline::pnml
