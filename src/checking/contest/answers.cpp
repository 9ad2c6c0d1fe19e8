#include "checking/contest/answers.hpp"

#include <fmt/format.h>

namespace tideline::contest {

void Answers::decide(std::size_t q, std::size_t part, Verdict verdict, const char* techniques) {
  if (!is_open(q) || verdict == Verdict::unknown) return;
  examination_.status[q].parts[part] = verdict;
  conclude(q, techniques);
}

void Answers::conclude(std::size_t q, const char* techniques) {
  say(q, answer_of(examination_.questions[q].kind, examination_.status[q].parts), techniques);
}

void Answers::say(std::size_t q, Verdict answer, const char* techniques) {
  if (answer == Verdict::unknown) return;
  say_value(q, answer == Verdict::holds ? "TRUE" : "FALSE", techniques);
}

void Answers::say_value(std::size_t q, const std::string& value, const char* techniques) {
  examination_.status[q].answered = true;
  sink_.say(fmt::format("FORMULA {} {}", id(q), value),
            reduced_ ? fmt::format("{} STRUCTURAL_REDUCTION", techniques) : techniques);
}

}  // namespace tideline::contest
