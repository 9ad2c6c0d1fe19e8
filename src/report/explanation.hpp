// What keeps partial order reduction from leaving out steps, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "reduce/explanation.hpp"

namespace tideline {

struct ExplanationAnswer {
  std::string version;
  std::string model;                         ///< the path as the user gave it
  std::vector<std::string> properties = {};  ///< the names of those that are preserved
  por::Explanation explanation = {};
  bool complete = true;  ///< no limit was reached; if one was, there is no explanation
  int exit_code = 0;
};

/// Lists are cut after a few entries, but for the conflicts of each action.
std::string explanation_text(const ExplanationAnswer& answer, const System& system);
/// docs/tideline-explain-por.schema.json fixes its fields. Nothing is cut.
std::string explanation_json(const ExplanationAnswer& answer, const System& system);

/// Names of slots, consecutive ones of an array together: {"turn", "flag[0..2]"}.
std::vector<std::string> slot_names(const std::vector<SlotId>& slots, const System& system);

}  // namespace tideline
