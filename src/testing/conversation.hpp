// For tests: a session with somebody who remembers all that was said.
#pragma once

#include <string>
#include <string_view>

#include "simulate/session.hpp"

namespace tideline::test {

class Conversation {
 public:
  /// The ending of `name` says which language the text is in.
  explicit Conversation(const std::string& text, const std::string& name = "m.dve",
                        SessionOptions options = {})
      : model(read_model({name, text})), session(model, std::move(options), [this](std::string_view shown) {
          said += shown;
          return true;
        }) {}

  /// What is shown for a line, and the refusal, if any.
  std::string operator()(std::string_view line) {
    said.clear();
    const Session::Reply reply = session.obey(line);
    goes_on = reply.goes_on;
    return reply.error.empty() ? said : said + "refused: " + reply.error;
  }

  const Simulation& simulation() const { return session.simulation(); }

  Model model;
  std::string said;
  Session session;
  bool goes_on = true;
};

/// Peterson's algorithm, where waiting is one transition.
inline constexpr const char* two_processes = R"(byte flag[2];
byte turn = 0;
process P_0 {
  state idle, want, wait, CS;
  init idle;
  trans
    idle -> want { effect flag[0] = 1; },
    want -> wait { effect turn = 1; },
    wait -> CS { guard flag[1] == 0 || turn == 0; },
    CS -> idle { effect flag[0] = 0; };
}
process P_1 {
  byte visits;
  state idle, want, wait, CS;
  init idle;
  trans
    idle -> want { effect flag[1] = 1; },
    want -> wait { effect turn = 0; },
    wait -> CS { guard flag[0] == 0 || turn == 1; effect visits = (visits + 1) % 3; },
    CS -> idle { effect flag[1] = 0; };
}
system async;
)";

/// Counts down, and divides by what is left.
inline constexpr const char* dividing = R"(byte x = 2;
byte y;
process P {
  state s, t;
  init s;
  trans
    s -> s { guard x > 0; effect x = x - 1; },
    s -> t { effect y = 4 / x; };
}
system async;
)";

}  // namespace tideline::test
