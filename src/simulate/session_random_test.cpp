// Sessions with somebody who types anything: whatever they type, the run replays.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "simulate/commands.hpp"
#include "testing/conversation.hpp"

namespace tideline {
namespace {

using test::Conversation;

constexpr const char* net = R"(<?xml version="1.0"?>
<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
<net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
<place id="a"><initialMarking><text>3</text></initialMarking></place><place id="b"/><place id="c"/>
<transition id="t"/><transition id="back"/><transition id="1"/>
<arc id="x1" source="a" target="t"/><arc id="x2" source="t" target="b"/>
<arc id="x3" source="b" target="back"/><arc id="x4" source="back" target="a"/>
<arc id="x5" source="b" target="1"/><arc id="x6" source="1" target="c"/>
</page></net></pnml>
)";

constexpr const char* lamp = R"(process Lamp { Off = press -> On; On = press -> Off | tau -> Off; }
process User { Rest = press -> look -> Rest; }
system = (Lamp || User) hide {look};
)";

/// Lines as people type them, with mistakes.
class Typist {
 public:
  Typist(std::uint64_t seed, std::string file) : random_(seed), file_(std::move(file)) {}

  std::string line() {
    std::string text = command();
    while (below(6) == 0) text += "; " + command();
    if (below(8) == 0) text.insert(below(text.size() + 1), 1, static_cast<char>(below(256)));
    if (below(8) == 0 && !text.empty()) text.erase(below(text.size()), 1);
    return text;
  }
  std::size_t below(std::size_t n) { return random_() % n; }

 private:
  std::string command() {
    if (below(3) == 0) return number() + (below(3) == 0 ? "*" + number() : "") + (below(3) == 0 ? " r" : "");
    const auto rows = CommandTable::rows();
    const SessionCommand& row = rows[below(rows.size())];
    if (row.name == "quit") return "P";
    if (row.name == "save" || row.name == "load") return std::string(row.name) + " " + file_;
    if (row.name == "find" || row.name == "until" || row.name == "continue")
      if (below(2) == 0) return "random " + number();
    return std::string(row.letter.empty() || below(2) == 0 ? row.name : row.letter) + " " + argument();
  }
  std::string number() { return std::to_string(below(4) == 0 ? below(50) : below(4)); }
  std::string argument() {
    static const std::vector<std::string> arguments{
        "",           "all",    "P_0",  "turn",       "turn == 1", "x > 0", "a >= 2", "deadlock",
        "error",      "on P",   "on t", "b",          "Lamp.On",   "1 / x", "(",      "\"",
        "flag[turn]", "y == 2", "c==3", "P_1.visits", "P_0.wait",  "#",     "press",  "P.t && x==0"};
    return below(2) == 0 ? number() : arguments[below(arguments.size())];
  }

  std::mt19937_64 random_;
  std::string file_;
};

RC_GTEST_PROP(RandomSessions, LeaveARunThatReplays, (std::uint64_t seed)) {
  const std::string file = std::filesystem::temp_directory_path() / ("typist" + std::to_string(::getpid()));
  Typist typist(seed, file);
  SessionOptions options;
  options.find_seconds = 0.2;
  const std::pair<const char*, const char*> models[] = {
      {test::two_processes, "m.dve"}, {test::dividing, "m.dve"}, {net, "m.pnml"}, {lamp, "m.psl"}};
  const auto& [text, name] = models[typist.below(4)];
  if (text == test::dividing && typist.below(2) == 0) {
    options.simulation.errors = ErrorSemantics::error_state;
    options.header.errors = ErrorSemantics::error_state;
  }
  Conversation talk(text, name, options);
  for (int i = 0; i < 30; ++i) {
    const std::string line = typist.line();
    const std::size_t position = talk.simulation().position(), length = talk.simulation().length();
    const std::string reply = talk(line);
    RC_LOG() << line << "\n" << reply << "\n";
    if (!reply.empty() && reply.find("refused: ") == std::string::npos) RC_ASSERT(reply.back() == '\n');
    if (reply.starts_with("refused: ") && line.find(';') == std::string::npos) {
      RC_ASSERT(talk.simulation().position() == position);
      RC_ASSERT(talk.simulation().length() == length);
    }
    talk.session.complete(line);
    if (talk.simulation().length() > 5000) talk("reset; 1");
    const ItfTrace saved =
        read_itf(to_itf(talk.model.system, talk.simulation().run(), options.header), "run");
    const ItfCheck check = check_against(talk.model.system, saved);
    RC_ASSERT(!check.failure);
    if (!check.run.loop) RC_ASSERT(check.run.states.back() == talk.simulation().state());
  }
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace tideline
