// What the examinations of the Model Checking Contest ask about a net.
//
// Most questions come down to properties, so that every engine can work on them: a question has an answer
// once enough of its parts have one. The others ask for numbers.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "lang/pnml/net.hpp"
#include "model/system.hpp"
#include "run/property.hpp"

namespace tideline::contest {

struct Question {
  enum class Kind {
    all,          ///< TRUE: all parts hold
    any,          ///< TRUE: some part holds
    none,         ///< TRUE: no part holds
    bound,        ///< the most tokens that `places` have together
    state_space,  ///< how many markings and arcs, how many tokens
  };
  std::string id;
  Kind kind = Kind::all;
  std::vector<Property> parts = {};
  std::vector<SlotId> places = {};
  std::vector<std::vector<ActionId>> live = {};  ///< the parts say that these are, each by some member

  bool is_of_parts() const { return kind != Kind::bound && kind != Kind::state_space; }
};

/// Questions, and what is known of their answers.
struct Examination {
  std::vector<Question> questions;

  struct QuestionStatus {
    std::vector<Verdict> parts;
    bool answered = false;
  };
  std::vector<QuestionStatus> status;  ///< of each question

  bool all_answered() const { return std::ranges::all_of(status, &QuestionStatus::answered); }
};

/// The questions of an examination about the net in a folder; nothing: unknown examination. Throws Error.
std::optional<Examination> read_examination(const std::string& folder, const std::string& name,
                                            const pnml::Net& net, const System& system);

/// The name of a folder, without what leads there.
std::string instance_of(const std::string& folder);

/// What the parts of a question say about it; unknown: nothing yet.
Verdict answer_of(Question::Kind kind, const std::vector<Verdict>& parts);

}  // namespace tideline::contest
