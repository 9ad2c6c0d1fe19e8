// The answers to the questions of an examination: each is given once, in the contest's words.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>

#include "checking/contest/questions.hpp"

namespace tideline::contest {

/// Where answers go.
struct AnswerSink {
  /// What follows FORMULA or STATE_SPACE, up to the techniques.
  std::function<void(const std::string& line, const std::string& techniques)> say;
  /// Why a stage ended without all its answers.
  std::function<void(const std::string& note)> remark;
};

/// The words of the contest for how an answer was found.
inline constexpr const char* by_structure = "TOPOLOGICAL";
inline constexpr const char* by_walks = "EXPLICIT RANDOM_WALK";
inline constexpr const char* by_diagrams = "SEQUENTIAL_PROCESSING TOPOLOGICAL DECISION_DIAGRAMS";
inline constexpr const char* by_search = "SEQUENTIAL_PROCESSING EXPLICIT";
inline constexpr const char* by_parallel_search = "PARALLEL_PROCESSING EXPLICIT";

class Answers {
 public:
  Answers(Examination& examination, const AnswerSink& sink) : examination_(examination), sink_(sink) {}

  std::size_t size() const { return examination_.questions.size(); }
  const std::string& id(std::size_t q) const { return examination_.questions[q].id; }
  bool is_open(std::size_t q) const { return !examination_.status[q].answered; }
  bool is_open(std::size_t q, std::size_t part) const {
    return is_open(q) && examination_.status[q].parts[part] == Verdict::unknown;
  }

  /// What was found out about a part; the question is answered as soon as its parts allow that.
  void decide(std::size_t q, std::size_t part, Verdict verdict, const char* techniques);
  /// What follows from the parts that are decided.
  void conclude(std::size_t q, const char* techniques);
  void say(std::size_t q, Verdict answer, const char* techniques);
  void say_value(std::size_t q, const std::string& value, const char* techniques);

  /// A line about the state space, unless an earlier turn has said it; after the last one comes counted().
  template <class Value>
  void say_count(const char* what, const char* techniques, const Value& value) {
    if (said_counts_.contains(what)) return;
    sink_.say(std::string("STATE_SPACE ") + what + " " + value(), techniques);
    said_counts_.insert(what);
  }
  void counted(std::size_t q) { examination_.status[q].answered = true; }

  void remark(const std::string& note) const { sink_.remark(note); }

  /// From now on answers are found on a smaller net.
  void on_reduced_net() { reduced_ = true; }

 private:
  Examination& examination_;
  const AnswerSink& sink_;
  std::set<std::string> said_counts_;
  bool reduced_ = false;
};

}  // namespace tideline::contest
