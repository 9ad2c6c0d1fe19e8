// The answer as JSON. docs/json.md explains the fields, docs/tideline-answer.schema.json fixes their types.
#pragma once

#include <string>

#include "report/answer.hpp"

namespace tideline {

std::string answer_json(const Answer& answer, const System& system, Budget* budget = nullptr);

}  // namespace tideline
