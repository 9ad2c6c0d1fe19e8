// The answer as JSON. docs/json.md explains the fields, docs/tideline-answer.schema.json fixes their types.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "report/answer.hpp"

namespace tideline {

std::string answer_json(const Answer& answer, const System& system, Budget* budget = nullptr);

/// The same with `trace_of(i)`, which is JSON, in place of the run of property i, where it has one.
std::string answer_json(const Answer& answer, const System& system,
                        const std::function<std::string(std::size_t)>& trace_of);

}  // namespace tideline
